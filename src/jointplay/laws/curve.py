"""Force curves f(x): polynomials and tables, with slope and energy.

A curve is a row of pieces. Piece k begins at x_k and is a polynomial in u = x - x_k,

    f(x) = sum_j a_kj u^j,      F(x) = F_k + sum_j a_kj u^(j+1) / (j+1),      F(x) = integral of f from 0 to x

in F (force) and X (coordinate) of the law that uses it. f never falls as x grows: a falling force would be a spring
with negative stiffness, which no bushing is.

Polynomial: f = sum_k c_k x^k, k = 1, 2, ..., for x >= 0, continued oddly: f(-x) = -f(x).

Table: points (x_k, f_k) joined by cubics whose slopes at the points follow from the neighbouring secants (weighted
harmonic mean; three-point formula at an end), so that a monotone table gives a monotone curve with a continuous slope.
Beyond the last point the curve goes on as a straight line. A table that starts at (0, 0) is continued oddly; one that
reaches to negative x is taken as it is.
Source: F. N. Fritsch, J. Butland, SIAM J. Sci. Stat. Comput. 5 (1984) 300-304.

Constants, from place ``first`` on: odd (1) or not (0), pieces, degree m, then of each piece x_k, F_k, a_k0 ... a_km.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..numerics.jit import jit

HEAD = 3  # constants before those of the pieces
ROUNDING = 1e-9  # slope of a polynomial, relative to its terms, that is taken for zero


@jit
def curve(p, first, x):
    """f, df/dx and the integral of f from 0 to x."""
    pieces, degree = int(p[first + 1].real), int(p[first + 2].real)
    odd, stride = p[first].real > 0.5, degree + 3
    sign = -1.0 if odd and x.real < 0.0 else 1.0
    y = sign * x
    # the last piece that begins at or before y; the first one reaches down to minus infinity
    low, high = 0, pieces
    while high - low > 1:
        middle = (low + high) // 2
        if p[first + HEAD + middle * stride].real <= y.real:
            low = middle
        else:
            high = middle
    at = first + HEAD + low * stride
    u = y - p[at]
    f = 0.0 * (u + p[at + 1])
    slope, area = f, f
    for k in range(degree, -1, -1):
        a = p[at + 2 + k]
        if k > 0:
            slope = slope * u + k * a
        f = f * u + a
        area = area * u + a / (k + 1.0)
    return sign * f, slope, p[at + 1] + area * u


def polynomial_constants(coefficients: Sequence[float]) -> tuple[float, ...]:
    """Constants of f = c_1 x + c_2 x^2 + ... for x >= 0, continued oddly; ValueError where f falls."""
    c = np.array([_finite(value, f"coefficient {k}") for k, value in enumerate(coefficients, 1)])
    if c.size == 0:
        raise ValueError("needs at least one coefficient")
    start = _falls_from(c)
    if start is not None:
        raise ValueError(f"the force falls from x = {start:.4g} on, but it must never fall for x >= 0")
    return (1.0, 1.0, float(c.size), 0.0, 0.0, 0.0, *c.tolist())


def _falls_from(c: np.ndarray) -> float | None:
    """Where f' = sum k c_k x^(k-1) first becomes negative for x >= 0, or None."""
    slope = c * np.arange(1, c.size + 1)
    roots = np.roots(slope[::-1])
    real = roots.real[(np.abs(roots.imag) <= ROUNDING * np.abs(roots)) & (roots.real > 0.0)]
    ends = np.concatenate([[0.0], np.sort(real)])
    beyond = 2.0 * ends[-1] if ends[-1] > 0.0 else 1.0
    # the sign of f' between two roots is that in the middle
    for left, right in zip(ends, [*ends[1:], beyond], strict=True):
        terms = slope * (0.5 * (left + right)) ** np.arange(c.size)
        if terms.sum() < -ROUNDING * np.abs(terms).sum():
            return float(left)
    return None


def table_constants(points: Sequence[Sequence[float]]) -> tuple[float, ...]:
    """Constants of the curve through the points (x, f); ValueError names the first bad point."""
    x, f = _checked(points)
    odd = x[0] == 0.0
    d = slopes(*_mirrored(x, f))[-x.size :] if odd else slopes(x, f)
    h = np.diff(x)
    secant = np.diff(f) / h
    # f = f_k + d_k u + a_2 u^2 + a_3 u^3; the last piece is the straight line beyond the last point
    a2 = np.append((3.0 * secant - 2.0 * d[:-1] - d[1:]) / h, 0.0)
    a3 = np.append((d[:-1] + d[1:] - 2.0 * secant) / h**2, 0.0)
    pieces = np.column_stack([x, np.zeros_like(x), f, d, a2, a3])
    pieces[1:, 1] = np.cumsum([_area(piece, step) for piece, step in zip(pieces[:-1], h, strict=True)])
    if not odd:  # F(0) = 0, and a straight line before the first point
        k = int(np.searchsorted(x, 0.0, side="right")) - 1
        pieces[:, 1] -= pieces[k, 1] + _area(pieces[k], -x[k])
        pieces = np.vstack([pieces[0], pieces])
        pieces[0, 4:] = 0.0
    return (float(odd), float(len(pieces)), 3.0, *pieces.ravel().tolist())


def _area(piece: np.ndarray, u: float) -> float:
    """Integral of a cubic piece from its begin to its begin + u."""
    return float(np.polynomial.polynomial.polyval(u, piece[2:] / np.arange(1.0, 5.0)) * u)


def _mirrored(x: np.ndarray, f: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The points of an odd curve on both sides, so that the slope at 0 knows both."""
    return np.concatenate([-x[:0:-1], x]), np.concatenate([-f[:0:-1], f])


def slopes(x: np.ndarray, f: np.ndarray) -> np.ndarray:
    """Slopes at the points that keep a monotone table monotone."""
    h = np.diff(x)
    secant = np.diff(f) / h
    if secant.size == 1:
        return np.repeat(secant, 2)
    before, after = secant[:-1], secant[1:]
    w1, w2 = 2.0 * h[1:] + h[:-1], h[1:] + 2.0 * h[:-1]
    flat = before * after <= 0.0
    inverse = w1 / np.where(flat, 1.0, before) + w2 / np.where(flat, 1.0, after)
    inner = np.where(flat, 0.0, (w1 + w2) / inverse)
    return np.array([_end(h[0], h[1], secant[0], secant[1]), *inner, _end(h[-1], h[-2], secant[-1], secant[-2])])


def _end(h: float, next_h: float, secant: float, next_secant: float) -> float:
    """Slope at an end from its two secants, within 0 ... 3 times the last one."""
    d = ((2.0 * h + next_h) * secant - h * next_secant) / (h + next_h)
    return float(min(max(d, 0.0), 3.0 * secant))


def _checked(points: Sequence[Sequence[float]]) -> tuple[np.ndarray, np.ndarray]:
    """The points as arrays x, f."""
    if len(points) < 2:
        raise ValueError(f"needs at least 2 points [x, force], has {len(points)}")
    for k, point in enumerate(points, 1):
        if np.ndim(point) != 1 or len(point) != 2:
            raise ValueError(f"point {k} must be a pair [x, force]")
        _finite(point[0], f"x of point {k}")
        _finite(point[1], f"the force of point {k}")
    x, f = np.array(points, dtype=float).T
    for k in range(1, x.size):
        if not x[k] > x[k - 1]:
            raise ValueError(
                f"x must rise from point to point, but goes from {x[k - 1]:g} to {x[k]:g} at point {k + 1}"
            )
        if f[k] < f[k - 1]:
            raise ValueError(f"the force must never fall, but goes from {f[k - 1]:g} to {f[k]:g} at point {k + 1}")
    if x[0] >= 0.0 and (x[0], f[0]) != (0.0, 0.0):
        raise ValueError(f"must start at [0, 0] or at a negative x, but point 1 is [{x[0]:g}, {f[0]:g}]")
    if x[-1] < 0.0:
        raise ValueError(f"must reach x = 0, but ends at {x[-1]:g}")
    return x, f


def _finite(value: Any, what: str) -> float:
    """A finite number, or ValueError."""
    if not np.isfinite(value):
        raise ValueError(f"{what} is not a finite number")
    return float(value)
