"""Limits of a study: what a machine must keep, ``AtMost``, ``AtLeast`` (design/limits.py) and ``Between``.

A limit of a quantity that has a unit needs one: a drawing with 600 leaves open whether newtons or kilonewtons are
meant, and nobody notices among ten thousand runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..design.limits import AtLeast, AtMost, Limit
from ..errors import InputError, Problem
from ..quantities.dimension import Dimension, agree, describe
from ..quantities.units import dimension_of
from .distributions import read

WORDS = {"at_most": AtMost, "at_least": AtLeast}


@dataclass(frozen=True)
class Between:
    """low <= psi <= high."""

    objective: Any
    low: float | str
    high: float | str
    dimension: Dimension | None = None

    def __post_init__(self) -> None:
        found, dimension = read("Between", low=self.low, high=self.high)
        if not found["low"] < found["high"]:
            raise InputError(Problem("Between", f"low {found['low']:g} must lie below high {found['high']:g}"))
        for key, value in found.items():
            object.__setattr__(self, key, value)
        object.__setattr__(self, "dimension", dimension)

    def margin(self, psi: Any) -> Any:
        """How far the nearer side is kept; negative where it is broken."""
        return np.minimum(psi - float(self.low), float(self.high) - psi)

    def __str__(self) -> str:
        return f"{self.objective} between {self.low:g} and {self.high:g}"


AnyLimit = Limit | Between


def ends(limit: AnyLimit) -> tuple[float, float]:
    """Least and greatest value that a limit allows."""
    if isinstance(limit, Between):
        return float(limit.low), float(limit.high)
    return (-np.inf, limit.level) if limit.sign < 0.0 else (limit.level, np.inf)


def limits_of(given: Any) -> list[AnyLimit]:
    """One limit or several, or an InputError."""
    several = [given] if isinstance(given, AnyLimit) else list(given or ())
    problems = [
        Problem(f"limits[{k}]", f"needs AtMost(...), AtLeast(...) or Between(...), not {one!r}")
        for k, one in enumerate(several)
        if not isinstance(one, AnyLimit)
    ]
    if problems:
        raise InputError(problems)
    return several


def unit_problem(limit: AnyLimit, unit: str) -> str:
    """What is wrong with the unit of a limit on an output in ``unit``; nothing if it suits."""
    if unit in ("", "1"):
        return ""
    if limit.dimension is None:
        return f"needs a unit: {limit.objective} is in {unit}"
    wanted = dimension_of(unit.replace(" ", "*"))
    if not agree(limit.dimension, wanted):
        return f"is a {describe(limit.dimension)}, where {limit.objective} is in {unit}"
    return ""


def tree(limit: AnyLimit, unit: str, output: Any) -> dict[str, Any]:
    """As in a model file; ``output`` is the limited quantity there."""
    low, high = (x if unit in ("", "1") else f"{x!r} {unit.replace(' ', '*')}" for x in map(float, ends(limit)))
    if isinstance(limit, Between):
        return {"between": [output, low, high]}
    return {"at_most": [output, high]} if limit.sign < 0.0 else {"at_least": [output, low]}


def keeps(limits: Sequence[AnyLimit], values: Sequence[np.ndarray]) -> np.ndarray:
    """True where all limits are kept; ``values`` are those of each limit's quantity."""
    return np.all([limit.margin(value) >= 0.0 for limit, value in zip(limits, values, strict=True)], axis=0)
