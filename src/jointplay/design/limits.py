"""Limits of a search: ``AtMost(objective, value)`` and ``AtLeast(objective, value)``.

A limit is kept as the margin c >= 0: c = value - psi for AtMost and psi - value for AtLeast, in the unit of psi.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from ..errors import InputError, Problem
from ..quantities.dimension import Dimension
from ..quantities.units import QuantityError, value_of


@dataclass(frozen=True)
class Limit:
    """A bound on an objective; ``value`` in SI or with a unit."""

    word: ClassVar[str] = ""
    sign: ClassVar[float] = 0.0  # of psi in the margin

    objective: Any
    value: float | str
    dimension: Dimension | None = field(default=None, init=False, compare=False)  # of the value; None if it has no unit

    def __post_init__(self) -> None:
        try:
            found = value_of(self.value)
        except QuantityError as error:
            raise InputError(Problem(f"{type(self).__name__}: value", str(error))) from None
        object.__setattr__(self, "value", found.si)
        object.__setattr__(self, "dimension", found.dimension)

    @property
    def level(self) -> float:
        """The value in SI."""
        return float(self.value)

    def margin(self, psi: Any) -> Any:
        """How far the limit is kept; negative where it is broken."""
        return self.sign * (psi - self.level)

    def __str__(self) -> str:
        return f"{self.objective} {self.word} {self.level:g}"


class AtMost(Limit):
    """psi <= value."""

    word, sign = "at most", -1.0


class AtLeast(Limit):
    """psi >= value."""

    word, sign = "at least", 1.0
