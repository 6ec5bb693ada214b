"""A function given by points: straight lines between them, or a cubic spline through them.

The cubic is twice continuously differentiable (not-a-knot ends), as accelerations of a drive need it. Outside its
range a table holds its end values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from .dimension import QuantityError
from .piecewise import Pieces

KINDS = ("linear", "cubic")


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Table:
    """Points (times, values) in SI, times strictly increasing; ``kind`` is "cubic" or "linear"."""

    times: np.ndarray  # s
    values: np.ndarray
    kind: Literal["linear", "cubic"]

    def __init__(self, times: ArrayLike, values: ArrayLike, kind: Literal["linear", "cubic"] = "cubic") -> None:
        if kind not in KINDS:
            raise QuantityError(f"the kind of a table is 'linear' or 'cubic', not {kind!r}")
        object.__setattr__(self, "times", _row(times, "times"))
        object.__setattr__(self, "values", _row(values, "values"))
        object.__setattr__(self, "kind", kind)
        if len(self.times) != len(self.values):
            raise QuantityError(f"the table has {len(self.times)} times but {len(self.values)} values")
        if len(self.times) < 2:
            raise QuantityError("a table needs at least two points")
        stuck = np.flatnonzero(np.diff(self.times) <= 0)
        if len(stuck):
            first, then = self.times[stuck[0]], self.times[stuck[0] + 1]
            raise QuantityError(f"the times of a table must increase, but {then:g} s follows {first:g} s")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        same = np.array_equal(self.times, other.times) and np.array_equal(self.values, other.values)
        return same and self.kind == other.kind

    def __hash__(self) -> int:
        return hash((self.times.tobytes(), self.values.tobytes(), self.kind))

    def __repr__(self) -> str:
        span = f"{self.times[0]:g} to {self.times[-1]:g} s"
        return f"Table({len(self.times)} points from {span}, kind={self.kind!r})"

    def pieces(self) -> Pieces:
        """The table as polynomials."""
        half = np.diff(self.times) / 2
        if self.kind == "linear":
            a, b = self.values[:-1], self.values[1:]
            return Pieces(self.times, np.column_stack([(a + b) / 2, (b - a) / 2]))
        from scipy.interpolate import CubicSpline

        spline = CubicSpline(self.times, self.values)
        middle = self.times[:-1] + half
        factorial = (1.0, 1.0, 2.0, 6.0)
        return Pieces(self.times, np.column_stack([spline(middle, k) * half**k / factorial[k] for k in range(4)]))

    @property
    def breaks(self) -> tuple[float, ...]:
        """Instants where the function is not smooth: the knots of lines, the ends of a cubic that end on a slope."""
        if self.kind == "linear":
            return tuple(self.times.tolist())
        c, power = self.pieces().coefficients, np.arange(4)
        slopes = c[0] @ (power * np.array([1.0, 1.0, -1.0, 1.0])), c[-1] @ power
        flat = 1e-9 * np.ptp(self.values)
        return tuple(float(t) for t, slope in zip(self.times[[0, -1]], slopes, strict=True) if abs(slope) > flat)

    def value(self, t: float) -> float:
        """The value at time t."""
        pieces = self.pieces()
        held = min(max(t, float(self.times[0])), float(self.times[-1]))
        k = min(int(np.searchsorted(self.times, held, side="right")), len(self.times) - 1) - 1
        x = 2 * (held - self.times[k]) / (self.times[k + 1] - self.times[k]) - 1
        return float(np.polynomial.polynomial.polyval(x, pieces.coefficients[k]))

    def to_tree(self) -> dict[str, Any]:
        """The table as plain data for a model file."""
        return {"table": np.column_stack([self.times, self.values]).tolist(), "kind": self.kind}


def _row(raw: Any, what: str) -> np.ndarray:
    try:
        row = np.array(raw, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise QuantityError(f"the {what} of a table must be numbers") from error
    if row.ndim != 1:
        raise QuantityError(f"the {what} of a table must be a row of numbers, not of shape {row.shape}")
    if not np.all(np.isfinite(row)):
        raise QuantityError(f"the {what} of a table must be finite numbers")
    row.flags.writeable = False
    return row
