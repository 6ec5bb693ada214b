"""A Python function that only Python can evaluate, as polynomials: what the kernel runs instead.

On each piece, interpolation of degree 9 in Chebyshev's extreme points (both ends are among them, so neighbours meet).
Between the points the interpolant is compared with the function; a piece that is off by more than 1e-12 of the
function's range is split. Before it is halved, the first bad half is followed down to 1e-9 of the horizon: if the error
persists there, the function jumps or bends at that place, which becomes a knot and a break of its own, so smooth
stretches on both sides keep long pieces.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from .dimension import QuantityError
from .piecewise import Pieces

DEGREE = 9
ACCURACY = 1e-12  # of the function's range
NARROW = 1e-9  # of the horizon
START = 16  # pieces to begin with, so that short events are seen
MAX_PIECES = 20_000
MAX_CALLS = 1_000_000
MAX_WILD = 50  # places that are bad on both sides

_X = -np.cos(np.pi * np.arange(DEGREE + 1) / DEGREE)
_CHECK = (_X[1:] + _X[:-1]) / 2
_POWERS = np.arange(DEGREE + 1)
_TO_COEFFICIENTS = np.linalg.inv(_X[:, None] ** _POWERS)
_AT_CHECK = _CHECK[:, None] ** _POWERS
_EPS = float(np.finfo(np.float64).eps)


class _Try(NamedTuple):
    coefficients: np.ndarray
    error: float  # largest difference seen between the points
    blur: float  # difference that the rounding of t explains


class _Fit:
    """One function on its way to pieces; counts calls and knows the range of values seen."""

    def __init__(self, function: Callable[[float], float], horizon: float) -> None:
        self.function = function
        self.horizon = horizon
        self.calls = 0
        self.wild = 0
        self.low, self.high = np.inf, -np.inf
        self.tries: dict[tuple[float, float], _Try] = {}

    def at(self, times: np.ndarray) -> np.ndarray:
        """The function at these times."""
        self.calls += len(times)
        if self.calls > MAX_CALLS:
            raise _too_wild(self.horizon)
        values = np.array([self.function(t) for t in times.tolist()])
        self.low, self.high = min(self.low, float(values.min())), max(self.high, float(values.max()))
        return values

    @property
    def tolerance(self) -> float:
        """Error allowed; never below the rounding of the values themselves."""
        return ACCURACY * (self.high - self.low) + 8 * _EPS * max(abs(self.low), abs(self.high))

    def interpolate(self, a: float, b: float) -> _Try:
        """The polynomial on [a, b] and how far it is off in between."""
        if (a, b) in self.tries:
            return self.tries[a, b]
        middle, half = (a + b) / 2, (b - a) / 2
        times = middle + half * _X
        times[0], times[-1] = a, b
        values = self.at(np.concatenate([times, middle + half * _CHECK]))
        base = values[0]  # taken out and put back, so that a large constant costs no digits
        values -= base
        coefficients = _TO_COEFFICIENTS @ values[: DEGREE + 1]
        error = float(np.max(np.abs(_AT_CHECK @ coefficients - values[DEGREE + 1 :])))
        coefficients[0] += base
        # t itself is rounded: the function cannot be known better than its slope times that.
        blur = 8 * _EPS * max(abs(a), abs(b)) * float(_POWERS @ np.abs(coefficients)) / half
        self.tries[a, b] = _Try(coefficients, error, blur)
        return self.tries[a, b]

    def good(self, attempt: _Try) -> bool:
        """Is this polynomial as close as rounding allows?"""
        return attempt.error <= self.tolerance + attempt.blur

    def place(self, a: float, b: float) -> tuple[float, float] | None:
        """Last instant before and first instant after a jump or bend in [a, b]; None if halving will do."""
        while b - a > NARROW * self.horizon:
            middle = (a + b) / 2
            if not self.good(self.interpolate(a, middle)):
                b = middle
            elif not self.good(self.interpolate(middle, b)):
                a = middle
            else:
                return None
        self.expect_calm(a, b)
        # A jump can be pinned to neighbouring numbers: go with the side whose value is nearer.
        at_a, at_b = self.at(np.array([a, b])).tolist()
        low, high = a, b
        for _ in range(60):
            middle = (low + high) / 2
            value = float(self.at(np.array([middle]))[0])
            low, high = (middle, high) if abs(value - at_a) <= abs(value - at_b) else (low, middle)
        before, after = self.at(np.array([low, high])).tolist()
        if abs(after - before) > 100 * self.tolerance:
            return low, high
        bend = self.bend(a, b, at_a, at_b)
        return bend, bend

    def expect_calm(self, a: float, b: float) -> None:
        """Give up early on a function that is bad everywhere, not just in [a, b]."""
        before, after = max(a - 4 * (b - a), 0.0), min(b + 4 * (b - a), self.horizon)
        if before < a and b < after and not self.good(self.interpolate(before, a)):
            self.wild += not self.good(self.interpolate(b, after))
        if self.wild > MAX_WILD:
            raise _too_wild(self.horizon)

    def bend(self, a: float, b: float, at_a: float, at_b: float) -> float:
        """Where in [a, b] the straight continuations from both sides meet."""
        reach = 1e3 * NARROW * self.horizon
        back, ahead = max(a - reach, 0.0), min(b + reach, self.horizon)
        if back == a or ahead == b:
            return (a + b) / 2
        before, after = self.at(np.array([back, ahead])).tolist()
        left, right = (at_a - before) / (a - back), (after - at_b) / (ahead - b)
        if left == right:
            return (a + b) / 2
        return float(min(max(a + (at_b - at_a - right * (b - a)) / (left - right), a), b))


def _too_wild(horizon: float) -> QuantityError:
    return QuantityError(
        f"the function of time is too rough to be represented up to t = {horizon:g} s with {MAX_PIECES} polynomials; "
        "it may be random or jump very often. Give a table, or an expression in t"
    )


def fit(function: Callable[[float], float], horizon: float) -> tuple[Pieces, tuple[float, ...]]:
    """Pieces on [0, horizon], and the instants at which the function jumps or bends."""
    work = _Fit(function, horizon)
    edges = np.linspace(0.0, horizon, START + 1).tolist()
    for a, b in zip(edges[:-1], edges[1:], strict=True):
        work.interpolate(a, b)  # learn the range of values before judging errors by it
    if not np.array_equal(work.at(np.array(edges)), work.at(np.array(edges))):
        raise QuantityError(
            "the function of time gives different values when it is called twice; it must depend on t only"
        )
    waiting = list(zip(edges[:-1], edges[1:], strict=True))[::-1]
    starts: list[float] = []
    rows: list[np.ndarray] = []
    breaks: set[float] = set()
    while waiting:
        a, b = waiting.pop()
        if b - a <= 4 * _EPS * horizon:
            continue  # nothing left between a break and the end of its piece
        attempt = work.interpolate(a, b)
        if work.good(attempt):
            starts.append(a)
            rows.append(attempt.coefficients)
        elif b - a <= NARROW * horizon:
            starts.append(a)
            rows.append(_line(*work.at(np.array([a, b])).tolist()))
            breaks.update((a, b))
        elif place := work.place(a, b):
            breaks.add(place[1])
            waiting += [(place[1], b), (a, place[0])]
        else:
            waiting += [((a + b) / 2, b), (a, (a + b) / 2)]
        if len(starts) + len(waiting) > MAX_PIECES:
            raise _too_wild(horizon)
    pieces = Pieces(np.array([0.0, *starts[1:], horizon]), np.array(rows))
    breaks.update(pieces.kinks(work.tolerance))
    return pieces, tuple(sorted(breaks))


def _line(at_a: float, at_b: float) -> np.ndarray:
    row = np.zeros(DEGREE + 1)
    row[:2] = (at_a + at_b) / 2, (at_b - at_a) / 2
    return row


def checked(function: Callable[[float], Any], number: Callable[[Any], float]) -> Callable[[float], float]:
    """The function with its results turned into finite numbers, and its failures into sentences."""

    def call(t: float) -> float:
        try:
            result = function(t)
        except Exception as error:
            what = f"{type(error).__name__}: {error}"
            raise QuantityError(f"the function of time failed at t = {t:g} s with {what}") from error
        if type(result) is float and isfinite(result):
            return result
        try:
            return number(result)
        except QuantityError as error:
            raise QuantityError(f"the function of time gave no usable number at t = {t:g} s: {error}") from error

    return call
