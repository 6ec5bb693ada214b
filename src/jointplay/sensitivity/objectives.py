"""Objectives: one number from a whole run.

    psi = w(x(t_f)) + integral g(x) dt                                                                (paper E eq. 12)

from saved instants. ``Final`` is w of the last one, ``Integral`` the trapezoidal rule over all of them, ``Peak`` the
largest of them. They can be added and multiplied by numbers: ``Final("a") + 2 * Integral("b", function=np.square)``.

A function is analytic and works on the array of all instants: one number in, one out, or of a vector one row in, one
number out. Derivatives of functions are found inside (slope.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np


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

    @property
    def terms(self) -> tuple[tuple[float, Term], ...]:
        """Itself."""
        return ((1.0, self),)

    def share(self, time: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Weights s (nt,) with psi = s . x and d psi = s . dx, for a series x at saved instants."""
        raise NotImplementedError

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


@dataclass(frozen=True)
class Peak(Term):
    """Largest value of a quantity, or of a function of it, over the saved instants."""

    def share(self, time: np.ndarray, x: np.ndarray) -> np.ndarray:
        """The largest one counts; to first order it stays the largest."""
        out = np.zeros(len(time))
        out[int(np.argmax(x))] = 1.0
        return out


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
