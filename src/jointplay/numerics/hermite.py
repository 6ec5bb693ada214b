"""The cubic through two states with their rates."""

from __future__ import annotations

from .jit import jit


@jit
def hermite(h, x):
    """Factors of y, y' at the start and y, y' at the end, h later, at the fraction x."""
    return (
        (1.0 + 2.0 * x) * (1.0 - x) * (1.0 - x),
        x * (1.0 - x) * (1.0 - x) * h,
        x * x * (3.0 - 2.0 * x),
        x * x * (x - 1.0) * h,
    )


@jit
def cubic(count, h, x, start, end, out):
    """The first ``count`` numbers at the fraction x; start = (y, y'), end = (y, y')."""
    y, dy = start
    new, rates = end
    a, b, c, d = hermite(h, x)
    for m in range(count):
        out[m] = a * y[m] + b * dy[m] + c * new[m] + d * rates[m]
