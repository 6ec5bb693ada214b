"""worst_case: the least and the greatest value that an output can take within all limits of the drawing.

The signs of the gradient at the nominal point name a corner, which is the answer where the output is monotone. From
there a search with gradients and bounds goes on, so that an optimum inside or at another corner is found too, if it
lies uphill.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import InputError, Problem
from .engine import Engine, engine_of
from .limits import limits_of
from .plans import whole
from .vary import Vary

BETTER = 1e-6  # of the spread between both ends: a search that gains less stays at its corner


@dataclass(frozen=True)
class Extreme:
    """One end."""

    value: float
    point: dict[str, float]
    corner: bool  # True if it is the corner that the gradient names
    runs: int  # with derivatives


@dataclass(frozen=True, eq=False)
class WorstCase:
    """Both ends of an output within all limits."""

    of: str
    unit: str
    nominal: float
    least: Extreme
    greatest: Extreme
    notes: list[str] = field(default_factory=list)

    @property
    def values(self) -> tuple[float, float]:
        """Least and greatest value."""
        return self.least.value, self.greatest.value

    def __str__(self) -> str:
        unit = "" if self.unit in ("", "1") else f" {self.unit}"
        lines = [f"{self.of}: nominal {self.nominal:.6g}{unit}"]
        for word, one in (("least", self.least), ("greatest", self.greatest)):
            where = (
                "at the corner that the gradient names" if one.corner else "not at the corner that the gradient names"
            )
            place = ", ".join(f"{name} {x:.6g}" for name, x in one.point.items())
            lines.append(f"{word} {one.value:.6g}{unit}, {where}: {place}")
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])


def worst_case(
    model: Any,
    vary: Mapping[str, Any],
    of: Any = None,
    *,
    until: float | str | None = None,
    method: Any = None,
    save: Any = None,
    correlations: Mapping[tuple[str, str], float] | None = None,
    max_runs: int = 30,
    limits: Any = (),
) -> WorstCase:
    """Least and greatest value of one output within the limits of all inputs.

    Arguments are those of ``study``; ``max_runs`` runs with derivatives may be spent on each end.
    """
    inputs = vary if isinstance(vary, Vary) else Vary(vary, correlations)
    engine = engine_of(model, inputs, of, limits_of(limits), until=until, method=method, save=save)
    if len(engine.columns) != 1:
        raise InputError(Problem("of", f"needs one output, got {[one.key for one in engine.columns]}"))
    whole("max_runs", max_runs, what=" of runs")
    low, high = inputs.limits()
    start = np.clip([one.nominal for one in inputs.inputs.values()], low, high)  # as drawn, before heat
    values, slope = _at(engine, start)
    notes: list[str] = []
    found = [_end(engine, sign, start, slope, low, high, max_runs, notes) for sign in (-1.0, 1.0)]
    column = engine.columns[0]
    return WorstCase(column.key, column.unit, values, found[0], found[1], notes)


def _at(engine: Engine, drawn: np.ndarray) -> tuple[float, np.ndarray]:
    """Value and slopes at inputs as drawn, each within its own limits; what is heated follows."""
    values, slopes = engine.gradient(engine.vary.heated(drawn[None, :])[0], [0])
    return float(values[0]), slopes[0] @ engine.vary.heat_matrix


def _end(
    engine: Engine,
    sign: float,
    start: np.ndarray,
    slope: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    max_runs: int,
    notes: list[str],
) -> Extreme:
    """The greatest value of ``sign`` times the output."""
    from scipy.optimize import minimize

    width = high - low
    corner = np.where(sign * slope > 0.0, high, np.where(sign * slope < 0.0, low, start))
    known: dict[bytes, tuple[float, np.ndarray]] = {}

    def at(t: np.ndarray) -> tuple[float, np.ndarray]:
        x = np.clip(low + width * t, low, high)
        if x.tobytes() not in known:
            if len(known) >= max_runs:
                raise StopIteration
            try:
                value, steep = _at(engine, x)
                known[x.tobytes()] = -sign * value, -sign * steep * width
            except InputError:
                known[x.tobytes()] = 1e300, np.zeros(len(x))
        return known[x.tobytes()]

    t0 = (corner - low) / width
    first, size = at(t0)[0], 1.0
    if first >= 1e300:
        notes.append("the model cannot be run at a corner; the search began at the nominal point")
        t0 = (start - low) / width
        first = at(t0)[0]
    size = float(np.abs(slope * width).sum()) or abs(first) or 1.0
    try:
        minimize(
            lambda t: at(t)[0] / size,
            t0,
            jac=lambda t: at(t)[1] / size,
            method="L-BFGS-B",
            bounds=[(0.0, 1.0)] * len(t0),
            options={"maxiter": max_runs},
        )
    except StopIteration:
        notes.append(f"the search ended after {max_runs} runs, as many as max_runs allows")
    best, value = min(((key, one[0]) for key, one in known.items()), key=lambda one: one[1])
    point = np.frombuffer(best).copy()
    at_corner = bool(first - value <= BETTER * size and first < 1e300 and np.array_equal(low + width * t0, corner))
    if at_corner:
        point, value = corner, first
    seen = engine.vary.heated(point[None, :])[0]
    return Extreme(-sign * value, dict(zip(engine.vary.names, map(float, seen), strict=True)), at_corner, len(known))
