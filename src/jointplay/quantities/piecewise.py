"""Piecewise polynomials, the form in which tables and fitted functions reach the kernel (numerics/signals.py).

Piece k lives on knots[k] <= t < knots[k+1]. Its coefficients, constant term first, belong to
x = (t - middle)/(half width), -1 <= x <= 1: powers of x stay well scaled however short the piece is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Pieces:
    """Knots (n + 1,) and coefficients (n, degree + 1)."""

    knots: np.ndarray
    coefficients: np.ndarray

    @property
    def degree(self) -> int:
        """Degree of the polynomials."""
        return int(self.coefficients.shape[1]) - 1

    @property
    def numbers(self) -> np.ndarray:
        """Knots and coefficients in one row, as the kernel reads them."""
        return np.concatenate([self.knots, self.coefficients.ravel()])

    def kinks(self, noise: float) -> tuple[float, ...]:
        """Inner knots at which value or slope jumps by more than rounding; ``noise`` is the error of values."""
        half = np.diff(self.knots) / 2
        power = np.arange(self.degree + 1)
        sign = np.where(power % 2, -1.0, 1.0)
        c = self.coefficients
        right, left = c.sum(axis=1), c @ sign  # values at the ends x = 1 and x = -1 of each piece
        right_slope, left_slope = (c @ power) / half, -(c @ (power * sign)) / half
        jump = np.abs(left[1:] - right[:-1])
        turn = np.abs(left_slope[1:] - right_slope[:-1])
        steepest = np.max(np.abs([right_slope, left_slope])) if len(half) else 0.0
        blur = 1e3 * noise / np.minimum(half[1:], half[:-1])
        return tuple(float(t) for t in self.knots[1:-1][(jump > 100 * noise) | (turn > 1e-6 * steepest + blur)])
