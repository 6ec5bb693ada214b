"""Objectives: one number from a whole run.

    psi = w(x(t_f)) + integral g(x) dt                                                                (paper E eq. 12)

from saved instants. ``Final`` is w of the last one, ``Integral`` the trapezoidal rule over all of them, ``Mean`` the
same by their span, ``Peak`` the largest, ``Quantile`` what is not exceeded for a share of them; ``Instant`` is the time
at which a condition becomes true. They can be added and multiplied by numbers: ``Final("a") + 2 * Integral("b",
function=np.square)``.

A function is analytic and works on the array of all instants: one number in, one out, or of a vector one row in, one
number out. Derivatives of functions are found inside (slope.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np

SHIFT = 1e-4  # of the last interval, for the difference by the last instant
SHARP = 0.5  # deviation from a parabola, relative to the spread of five values, that a smooth peak does not show


class Objective:
    """What objectives have in common: they form sums."""

    @property
    def terms(self) -> tuple[tuple[float, Term], ...]:
        """Weights and single objectives."""
        raise NotImplementedError

    def __add__(self, other: Any) -> Sum:
        if isinstance(other, Real) and other == 0:  # so that sum([...]) works
            return Sum(self.terms)
        return Sum((*self.terms, *other.terms)) if isinstance(other, Objective) else NotImplemented

    __radd__ = __add__

    def __mul__(self, factor: Any) -> Sum:
        if isinstance(factor, bool) or not isinstance(factor, Real):
            return NotImplemented
        return Sum(tuple((float(factor) * weight, term) for weight, term in self.terms))

    __rmul__ = __mul__

    def __truediv__(self, number: Any) -> Sum:
        return self * (1.0 / number) if isinstance(number, Real) else NotImplemented

    def __neg__(self) -> Sum:
        return self * -1.0

    def __sub__(self, other: Any) -> Sum:
        return self + (-other) if isinstance(other, Objective) else NotImplemented


@dataclass(frozen=True)
class Term(Objective):
    """One quantity, made one number."""

    name: str
    function: Callable[[Any], Any] | None = None

    over_time: ClassVar[bool] = False  # True: its unit is that of the quantity times s
    is_instant: ClassVar[bool] = False  # True: its name is a condition, and its value a time

    @property
    def terms(self) -> tuple[tuple[float, Term], ...]:
        """Itself."""
        return ((1.0, self),)

    def share(self, time: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Weights s (nt,) with psi = s . x and d psi = s . dx, for a series x at saved instants."""
        raise NotImplementedError

    def by_end(self, time: np.ndarray, x: np.ndarray) -> float:
        """Derivative of psi by the last instant, all values held."""
        return 0.0

    def __str__(self) -> str:
        inner = "" if self.function is None else f", function={getattr(self.function, '__name__', 'function')}"
        return f"{type(self).__name__}({self.name!r}{inner})"


@dataclass(frozen=True)
class Final(Term):
    """Value of a quantity, or of a function of it, at the last saved instant."""

    def share(self, time: np.ndarray, x: np.ndarray) -> np.ndarray:
        """The last one counts."""
        out = np.zeros(len(time))
        out[-1] = 1.0
        return out


@dataclass(frozen=True)
class Integral(Term):
    """Integral over time of a quantity, or of a function of it, by the trapezoidal rule over the saved instants."""

    over_time: ClassVar[bool] = True

    def share(self, time: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Half of the two intervals beside each instant."""
        half = 0.5 * np.diff(time)
        return np.concatenate([half, [0.0]]) + np.concatenate([[0.0], half])

    def by_end(self, time: np.ndarray, x: np.ndarray) -> float:
        """The last interval becomes longer."""
        return 0.5 * float(x[-1] + x[-2])


@dataclass(frozen=True)
class Mean(Term):
    """Mean over time of a quantity, or of a function of it: its integral over the saved instants by their span."""

    def share(self, time: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Half of the two intervals beside each instant, of the whole span."""
        if len(time) < 2:
            return np.ones(len(time))
        return Integral.share(Integral(self.name), time, x) / (time[-1] - time[0])

    def by_end(self, time: np.ndarray, x: np.ndarray) -> float:
        """The last interval becomes longer, and the span."""
        return (0.5 * float(x[-1] + x[-2]) - float(self.share(time, x) @ x)) / float(time[-1] - time[0])


@dataclass(frozen=True, init=False)
class Quantile(Term):
    """The value that a quantity stays below for a share of the saved instants: 0.5 is the median, 0.95 a high one."""

    level: float = 0.5

    def __init__(self, name: str, level: float = 0.5, function: Callable[[Any], Any] | None = None) -> None:
        """The share comes second, as one says it; refuse what is none."""
        from ..errors import InputError, Problem

        for key, value in (("name", name), ("function", function), ("level", level)):
            object.__setattr__(self, key, value)
        if isinstance(self.level, bool) or not isinstance(self.level, Real) or not 0.0 <= self.level <= 1.0:
            raise InputError(Problem("Quantile: level", f"needs a number from 0 to 1, not {self.level!r}"))

    def share(self, time: np.ndarray, x: np.ndarray) -> np.ndarray:
        """The two instants whose values lie around it; to first order they stay so."""
        out, order = np.zeros(len(time)), np.argsort(x, kind="stable")
        place = self.level * (len(x) - 1)
        k = min(int(place), len(x) - 1)
        out[order[k]] = 1.0 - (place - k)
        if place > k:
            out[order[k + 1]] = place - k
        return out

    def __str__(self) -> str:
        return super().__str__()[:-1] + f", level={self.level:g})"


@dataclass(frozen=True)
class Peak(Term):
    """Largest value of a quantity, or of a function of it.

    It is the vertex of the parabola through the largest value over the saved instants and its two neighbours: the
    derivative of a value at one saved instant says how the history moves along that instant, not how its peak rises.
    Where five values around it do not look like a parabola (a jump at an impact), and with ``refined=False``, it is the
    largest saved value itself.
    """

    refined: bool = True

    def share(self, time: np.ndarray, x: np.ndarray) -> np.ndarray:
        """The largest one counts; to first order it stays the largest.

        At the vertex tau of a parabola psi does not change with tau, so that the weights of the three values are those
        of Lagrange's interpolation at a fixed tau.
        """
        out, k = np.zeros(len(time)), int(np.argmax(x))
        out[k] = 1.0
        if not self.refined or not 0 < k < len(x) - 1:
            return out
        t, three = time[k - 1 : k + 2] - time[k], x[k - 1 : k + 2]
        rise, fall = (three[1] - three[0]) / -t[0], (three[1] - three[2]) / t[2]
        if not rise + fall > 0.0 or _bulge(time, x, k) > SHARP:
            return out
        tau = 0.5 * (rise * t[2] + fall * t[0]) / (rise + fall)
        out[k - 1 : k + 2] = _lagrange(t, tau)
        return out

    def by_end(self, time: np.ndarray, x: np.ndarray) -> float:
        """The vertex of a parabola through the last value: by a difference."""
        shift = SHIFT * float(time[-1] - time[-2])
        early, late = (np.append(time[:-1], time[-1] + sign * shift) for sign in (-1.0, 1.0))
        return float((self.share(late, x) - self.share(early, x)) @ x) / (2.0 * shift)

    def __str__(self) -> str:
        return super().__str__()[:-1] + (")" if self.refined else ", refined=False)")


@dataclass(frozen=True, init=False)
class Instant(Term):
    """Time (s) at which a condition becomes true, as in ``Instant("P.angle < 0")``: the first one, or the number-th."""

    number: int = 1

    is_instant: ClassVar[bool] = True

    def __init__(self, condition: str, number: int = 1) -> None:
        """The condition in words, and which of the instants is meant."""
        from ..errors import InputError, Problem

        if not isinstance(condition, str):
            raise InputError(Problem("Instant", f"needs a condition such as 'P.angle < 0', not {condition!r}"))
        if isinstance(number, bool) or not isinstance(number, int) or number < 1:
            raise InputError(Problem("Instant: number", f"needs a whole number from 1 on, not {number!r}"))
        for key, value in (("name", condition.strip()), ("function", None), ("number", number)):
            object.__setattr__(self, key, value)

    def __str__(self) -> str:
        return super().__str__()[:-1] + (")" if self.number == 1 else f", number={self.number})")


def _lagrange(t: np.ndarray, tau: float) -> np.ndarray:
    """Weights of values at three times for the parabola through them at tau."""
    a, b, c = t
    return np.array(
        [
            (tau - b) * (tau - c) / ((a - b) * (a - c)),
            (tau - a) * (tau - c) / ((b - a) * (b - c)),
            (tau - a) * (tau - b) / ((c - a) * (c - b)),
        ]
    )


def _bulge(time: np.ndarray, x: np.ndarray, k: int) -> float:
    """How far the next values lie off the parabola through x[k-1], x[k], x[k+1], relative to their spread."""
    around = [n for n in (k - 2, k + 2) if 0 <= n < len(x)]
    near = x[max(k - 2, 0) : k + 3]
    three = slice(k - 1, k + 2)
    off = [abs(float(_lagrange(time[three], time[n]) @ x[three]) - x[n]) for n in around]
    return max(off, default=0.0) / float(np.ptp(near))


@dataclass(frozen=True)
class Sum(Objective):
    """A sum of weighted objectives."""

    parts: tuple[tuple[float, Term], ...]

    @property
    def terms(self) -> tuple[tuple[float, Term], ...]:
        """Weights and single objectives."""
        return self.parts

    def __str__(self) -> str:
        text = ""
        for weight, term in self.parts:
            sign = "-" if weight < 0.0 else "+"
            size = "" if abs(weight) == 1.0 else f"{abs(weight):g}*"
            text += f" {sign} {size}{term}" if text else f"{'-' if sign == '-' else ''}{size}{term}"
        return text
