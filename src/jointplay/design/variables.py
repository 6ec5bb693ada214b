r"""The parameters that a search may change: names, start values, bounds, and the scale in which the search sees them.

.. math::  p = p_0 + s \, x,

with :math:`p_0` the start and :math:`s` the distance between two finite bounds, else the size of the start value, else
of a bound, else 1. A millimetre of play and a kilogram of mass are then both changes of order one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import InputError, Problem
from ..model.names import suggest
from ..quantities.dimension import Dimension, Value, agree, describe
from ..quantities.units import QuantityError, value_of
from ..sensitivity.source import Parameter, source_of

AT_BOUND = 1e-6  # of the scale: closer than this counts as lying on the bound


@dataclass(frozen=True)
class Variables:
    """Named numbers in SI with bounds; ``units`` are known where a value was given with one."""

    names: tuple[str, ...]
    start: np.ndarray
    low: np.ndarray  # -inf where there is none
    high: np.ndarray
    units: tuple[str, ...]

    @property
    def scale(self) -> np.ndarray:
        """A typical change of each parameter, never zero."""
        span = self.high - self.low
        size = np.abs(self.start)
        for bound in (self.low, self.high):
            size = np.where((size == 0.0) & np.isfinite(bound), np.abs(bound), size)
        size = np.where(size == 0.0, 1.0, size)
        return np.where(np.isfinite(span) & (span > 0.0), span, size)

    def of(self, x: np.ndarray) -> np.ndarray:
        """Parameters of a point of the search, never outside the bounds by rounding."""
        return np.clip(self.start + self.scale * x, self.low, self.high)

    @property
    def box(self) -> tuple[np.ndarray, np.ndarray]:
        """The bounds as the search sees them."""
        return (self.low - self.start) / self.scale, (self.high - self.start) / self.scale

    def named(self, p: np.ndarray) -> dict[str, float]:
        """Parameters by name."""
        return dict(zip(self.names, map(float, p), strict=True))

    def at_bound(self, p: np.ndarray) -> dict[str, str]:
        """Parameters that lie on a bound, with "lower" or "upper"."""
        near = AT_BOUND * self.scale
        low, high = p - self.low <= near, self.high - p <= near
        return {name: "lower" if low[k] else "upper" for k, name in enumerate(self.names) if low[k] or high[k]}


def variables_of(build: Any, wrt: Any, bounds: Any = None) -> Variables:
    """Read start values and bounds, numbers in SI or texts with units; all problems are reported at once."""
    problems: list[Problem] = []
    parameters: tuple[Parameter, ...] = ()
    try:
        parameters = source_of(build, wrt).parameters
    except InputError as error:
        problems += error.problems
    if not (bounds is None or isinstance(bounds, Mapping)):
        problems.append(Problem("bounds", f"needs a dict of names and pairs, {{'gap': (0, '1 mm')}}, not {bounds!r}"))
        bounds = None
    given, names = dict(bounds or {}), tuple(one.name for one in parameters)
    for name in given:
        if names and name not in names:
            problems.append(Problem(f"bounds[{name!r}]", f"there is no such parameter in wrt{suggest(name, names)}"))
    rows = []
    for one in parameters:
        pair = given.get(one.name, (None, None))
        if isinstance(pair, str) or np.ndim(pair) != 1 or len(pair) != 2:
            message = f"needs a pair (low, high), None for no bound, not {pair!r}"
            problems.append(Problem(f"bounds[{one.name!r}]", message))
            pair = (None, None)
        field = f"bounds[{one.name!r}]"
        low, high = (None if side is None else _read(field, side, problems) for side in pair)
        rows.append(_row(one.name, Value(one.value, one.dimension), low, high, problems))
    if problems:
        raise InputError(problems)
    starts, lows, highs, units = zip(*rows, strict=True)
    return Variables(names, np.array(starts), np.array(lows), np.array(highs), units)


def _read(field: str, raw: Any, problems: list[Problem]) -> Value:
    if isinstance(raw, float) and np.isinf(raw):
        return Value(raw)
    try:
        return value_of(raw)
    except QuantityError as error:
        problems.append(Problem(field, str(error)))
        return Value(np.nan)


def _row(
    name: str, start: Value, low: Value | None, high: Value | None, problems: list[Problem]
) -> tuple[float, float, float, str]:
    """Start, bounds and unit of one parameter; reports what does not fit together."""
    given = [one.dimension for one in (start, low, high) if one is not None and one.dimension is not None]
    dimension: Dimension | None = given[0] if given else None
    for other in given[1:]:
        if not agree(dimension, other):
            problems.append(Problem(f"bounds[{name!r}]", f"a {describe(other)} does not bound a {describe(dimension)}"))
            break
    p = start.si
    a = -np.inf if low is None else low.si
    b = np.inf if high is None else high.si
    if a >= b:
        problems.append(Problem(f"bounds[{name!r}]", f"the lower bound {a:g} is not below the upper one {b:g}"))
    elif p < a or p > b:
        problems.append(Problem(f"wrt[{name!r}]", f"the start {p:g} does not lie between its bounds {a:g} and {b:g}"))
    return p, a, b, "" if dimension is None else str(dimension)
