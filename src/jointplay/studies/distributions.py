r"""What varies, and how: distributions of single numbers.

An input turns probabilities into values, :math:`x = F^{-1}(u)`, and has its density, mean, standard deviation and the
limits that a drawing would give. Numbers are in SI inside, and are given in SI or as texts with a unit.

==============  ==========================================================================================
Uniform         every value between two limits alike
Normal          bell curve; from sigma, or from a tolerance T by :math:`\sigma = T / (6 C_p)`
LogNormal       of a positive number, by its own mean and sigma
Triangular      from low by the most likely to high
Measured        the values of a list, interpolated between neighbours
==============  ==========================================================================================

A process that is off centre has :math:`C_{pk} < C_p`: its mean is shifted by :math:`3 \sigma (C_p - C_{pk})`. Parts
that are inspected do not lie outside of their limits: the curve is cut there and what is left counts for all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from ..errors import InputError, Problem
from ..quantities.dimension import Dimension, agree, describe
from ..quantities.units import value_of

NATURAL = 3.0  # sigmas on each side that count as limits where none are given
EDGE = 1e-16  # probabilities are kept away from 0 and 1 by so much


class Input:
    """A number that varies."""

    word: ClassVar[str] = ""  # in a model file
    dimension: Dimension | None = None

    mean: float
    sigma: float

    @property
    def limits(self) -> tuple[float, float]:
        """Least and greatest value that a drawing would allow: of a curve without ends, three sigmas."""
        raise NotImplementedError

    @property
    def nominal(self) -> float:
        """The value to aim at."""
        return self.mean

    @property
    def support(self) -> tuple[float, float]:
        """Where values can lie at all."""
        return self.limits

    def at(self, u: np.ndarray) -> np.ndarray:
        """Values of probabilities."""
        raise NotImplementedError

    def of_scores(self, z: np.ndarray) -> np.ndarray:
        """Values of standard normal scores: bell curves need no probabilities, which end at 1 - 1e-16."""
        from scipy.special import ndtr

        return self.at(ndtr(z))

    def probability(self, x: np.ndarray) -> np.ndarray:
        """Probability of values up to x."""
        raise NotImplementedError

    def density(self, x: np.ndarray) -> np.ndarray:
        """Probability per unit."""
        raise NotImplementedError

    @property
    def poincare(self) -> float:
        """C with var f <= C E(f'^2) for every f of this input: 4 sup (min(F, 1 - F)/density)^2 (Cheeger 1970)."""
        low, high = self.support
        ends = np.isfinite(low) and np.isfinite(high)
        x = np.linspace(low, high, 4001)[1:-1] if ends else self.at(np.linspace(1e-6, 1.0 - 1e-6, 4001))
        F, f = self.probability(x), self.density(x)
        worst = np.max(np.where(f > 0.0, np.minimum(F, 1.0 - F) / np.where(f > 0.0, f, 1.0), 0.0))
        return float(max(4.0 * worst**2, self.sigma**2))

    def halved(self) -> Input:
        """The same with half the tolerance."""
        raise NotImplementedError

    def words(self, show: Callable[[float], str]) -> str:
        """In a few words, numbers as ``show`` writes them."""
        return f"{self.word}, {show(self.limits[0])} to {show(self.limits[1])}"

    def tree(self) -> dict[str, Any]:
        """As in a model file, numbers in SI."""
        raise NotImplementedError

    def _text(self, x: float) -> float | str:
        return float(x) if self.dimension is None else f"{float(x)!r} {self.dimension}"


def read(field: str, **given: Any) -> tuple[dict[str, float], Dimension | None]:
    """Numbers in SI and the dimension that they share; raises InputError with all that is wrong."""
    found: dict[str, float] = {}
    dimension: Dimension | None = None
    problems: list[Problem] = []
    for name, raw in given.items():
        try:
            value = value_of(raw)
        except (ValueError, OverflowError, ZeroDivisionError) as error:
            problems.append(Problem(f"{field}: {name}", str(error)))
            continue
        if not np.isfinite(value.si):
            problems.append(Problem(f"{field}: {name}", "needs a finite number"))
        if not agree(dimension, value.dimension):
            message = f"is a {describe(value.dimension)} where the others are a {describe(dimension)}"
            problems.append(Problem(f"{field}: {name}", message))
        dimension = dimension or value.dimension
        found[name] = value.si
    if problems:
        raise InputError(problems)
    return found, dimension


def refuse(field: str, message: str) -> InputError:
    """One sentence."""
    return InputError(Problem(field, message))


def inside(u: np.ndarray) -> np.ndarray:
    """Probabilities that have a finite value on a curve without ends."""
    return np.clip(u, EDGE, 1.0 - EDGE)


def alike(one: Input, other: Any) -> Any:
    """The same dimension for another input."""
    other.dimension = one.dimension
    return other
