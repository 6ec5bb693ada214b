"""Limits of a search: ``AtMost(objective, value)`` and ``AtLeast(objective, value)``.

A limit is kept as the margin c >= 0: c = value - psi for AtMost and psi - value for AtLeast, in the unit of psi.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ..errors import InputError, Problem
from ..quantities.units import QuantityError, value_of


@dataclass(frozen=True)
class Limit:
    """A bound on an objective; ``value`` in SI or with a unit."""

    word: ClassVar[str] = ""
    sign: ClassVar[float] = 0.0  # of psi in the margin

    objective: Any
    value: float | str

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "value", value_of(self.value).si)
        except QuantityError as error:
            raise InputError(Problem(f"{type(self).__name__}: value", str(error))) from None

    @property
    def level(self) -> float:
        """The value in SI."""
        return float(self.value)

    def margin(self, psi: float) -> float:
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
