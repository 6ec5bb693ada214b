"""Bell curves: normal numbers, cut where parts are inspected, and numbers whose logarithm is normal."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import InputError
from ..quantities.dimension import QuantityError
from .capability import capability_tree, capability_words, check_capability, shift_of
from .distributions import NATURAL, Input, alike, inside, read, refuse


class Normal(Input):
    """A bell curve.

    Args:
        mean: the value to aim at.
        sigma: standard deviation; or
        tolerance: half of the width that a drawing allows, as 0.05 mm in 153 mm +- 0.05 mm.
        cp: capability, width of the tolerance in units of 6 sigma; 1 unless given.
        cpk: the same on the nearer side, if the process is off centre, towards greater values (a negative ``cp - cpk``
            is refused; ``towards="less"`` for the other side).
        inspected: True if parts outside of the limits (tolerance, or 3 sigma) are thrown away.
        towards: side of the shift, "greater" or "less".
    """

    word = "normal"

    def __init__(
        self,
        mean: float | str,
        sigma: float | str | None = None,
        *,
        tolerance: float | str | None = None,
        cp: float = 1.0,
        cpk: float | None = None,
        inspected: bool = False,
        towards: str = "greater",
    ) -> None:
        if (sigma is None) == (tolerance is None):
            raise refuse("Normal", "needs sigma or a tolerance, one of the two")
        word = "tolerance" if sigma is None else "sigma"
        found, self.dimension = read("Normal", mean=mean, **{word: tolerance if sigma is None else sigma})
        if not found[word] > 0.0:
            raise refuse(f"Normal: {word}", f"must be greater than zero, is {found[word]:g}")
        check_capability("Normal", cp, cpk, towards)
        self.centre, self.cp, self.cpk, self.inspected, self.towards = found["mean"], cp, cpk, inspected, towards
        self.tolerance = found[word] if sigma is None else NATURAL * cp * found[word]
        self.spread = self.tolerance / (NATURAL * cp)
        self.middle = self.centre + shift_of(self.spread, cp, cpk, towards)
        self.mean, self.sigma = self._moments()

    @cached_property
    def _cut(self) -> tuple[float, float]:
        """Probabilities of the uncut curve below both limits."""
        from scipy.special import ndtr

        if not self.inspected:
            return 0.0, 1.0
        low, high = self.limits
        return float(ndtr((low - self.middle) / self.spread)), float(ndtr((high - self.middle) / self.spread))

    def _moments(self) -> tuple[float, float]:
        if not self.inspected:
            return self.middle, self.spread
        low, high = ((one - self.middle) / self.spread for one in self.limits)
        a, b = self._cut
        f, g = (np.exp(-0.5 * z * z) / np.sqrt(2.0 * np.pi) for z in (low, high))
        first = (f - g) / (b - a)
        second = 1.0 + (low * f - high * g) / (b - a)
        return self.middle + self.spread * first, self.spread * float(np.sqrt(second - first * first))

    @property
    def limits(self) -> tuple[float, float]:
        """The tolerance, or three sigmas."""
        return self.centre - self.tolerance, self.centre + self.tolerance

    @property
    def nominal(self) -> float:
        """The value to aim at, which a shifted process misses."""
        return self.centre

    @property
    def support(self) -> tuple[float, float]:
        """Everywhere, unless inspected."""
        return self.limits if self.inspected else (-np.inf, np.inf)

    def at(self, u: np.ndarray) -> np.ndarray:
        """Values of probabilities."""
        from scipy.special import ndtri

        a, b = self._cut
        x = self.middle + self.spread * ndtri(inside(a + (b - a) * np.asarray(u)))
        return np.clip(x, *self.limits) if self.inspected else x

    def probability(self, x: np.ndarray) -> np.ndarray:
        """Probability of values up to x."""
        from scipy.special import ndtr

        a, b = self._cut
        return np.clip((ndtr((np.asarray(x) - self.middle) / self.spread) - a) / (b - a), 0.0, 1.0)

    def density(self, x: np.ndarray) -> np.ndarray:
        """Probability per unit."""
        a, b = self._cut
        z = (np.asarray(x) - self.middle) / self.spread
        f = np.exp(-0.5 * z * z) / (np.sqrt(2.0 * np.pi) * self.spread * (b - a))
        low, high = self.support
        return np.where((x >= low) & (x <= high), f, 0.0)

    def of_scores(self, z: np.ndarray) -> np.ndarray:
        """Values of scores; the whole curve is a straight line of them."""
        return super().of_scores(z) if self.inspected else self.middle + self.spread * np.asarray(z)

    @property
    def poincare(self) -> float:
        """Variance of the curve, and no more where it is cut (Brascamp and Lieb 1976)."""
        return self.spread**2

    def halved(self) -> Normal:
        """The same with half of tolerance and sigma."""
        options: dict[str, Any] = {"cp": self.cp, "cpk": self.cpk, "inspected": self.inspected, "towards": self.towards}
        return alike(self, Normal(self.centre, tolerance=0.5 * self.tolerance, **options))

    def words(self, show: Callable[[float], str]) -> str:
        """In a few words."""
        quality = capability_words(self.cp, self.cpk, self.inspected)
        return f"normal, {show(self.centre)} ± {show(self.tolerance)}{quality}"

    def tree(self) -> dict[str, Any]:
        """As in a model file."""
        out: dict[str, Any] = {"mean": self._text(self.centre), "tolerance": self._text(self.tolerance)}
        out |= capability_tree(self.cp, self.cpk, self.inspected, self.towards, "greater")
        return {"normal": out}


class LogNormal(Input):
    """A positive number whose logarithm is normal, by its own mean and standard deviation."""

    word = "lognormal"

    def __init__(self, mean: float | str, sigma: float | str) -> None:
        found, self.dimension = read("LogNormal", mean=mean, sigma=sigma)
        self.mean, self.sigma = found["mean"], found["sigma"]
        if not (self.mean > 0.0 and self.sigma > 0.0):
            raise refuse("LogNormal", f"needs a mean and a sigma above zero, not {self.mean:g} and {self.sigma:g}")
        self._s = float(np.sqrt(np.log1p((self.sigma / self.mean) ** 2)))
        self._m = float(np.log(self.mean) - 0.5 * self._s**2)

    @property
    def limits(self) -> tuple[float, float]:
        """Three sigmas of the logarithm."""
        return float(np.exp(self._m - NATURAL * self._s)), float(np.exp(self._m + NATURAL * self._s))

    @property
    def support(self) -> tuple[float, float]:
        """All positive numbers."""
        return 0.0, np.inf

    def at(self, u: np.ndarray) -> np.ndarray:
        """Values of probabilities."""
        from scipy.special import ndtri

        return np.exp(self._m + self._s * ndtri(inside(np.asarray(u))))

    def probability(self, x: np.ndarray) -> np.ndarray:
        """Probability of values up to x."""
        from scipy.special import ndtr

        positive = np.asarray(x) > 0.0
        return np.where(positive, ndtr((np.log(np.where(positive, x, 1.0)) - self._m) / self._s), 0.0)

    def density(self, x: np.ndarray) -> np.ndarray:
        """Probability per unit."""
        positive = np.asarray(x) > 0.0
        safe = np.where(positive, x, 1.0)
        z = (np.log(safe) - self._m) / self._s
        return np.where(positive, np.exp(-0.5 * z * z) / (np.sqrt(2.0 * np.pi) * self._s * safe), 0.0)

    def of_scores(self, z: np.ndarray) -> np.ndarray:
        """Values of scores."""
        return np.exp(self._m + self._s * np.asarray(z))

    def halved(self) -> LogNormal:
        """The same mean with half of the standard deviation."""
        return alike(self, LogNormal(self.mean, 0.5 * self.sigma))

    def words(self, show: Callable[[float], str]) -> str:
        """In a few words."""
        return f"lognormal, mean {show(self.mean)}, sigma {show(self.sigma)}"

    def tree(self) -> dict[str, Any]:
        """As in a model file."""
        return {"lognormal": {"mean": self._text(self.mean), "sigma": self._text(self.sigma)}}


def tolerance_of(field: str, text: str) -> Normal:
    """``"153 mm +- 0.05 mm"`` as a normal number whose tolerance is three sigmas."""
    for sign in ("+-", "+/-", "\N{PLUS-MINUS SIGN}"):
        value, found, rest = text.partition(sign)
        if found and value.strip() and rest.strip():
            try:
                return Normal(value.strip(), tolerance=rest.strip())
            except (InputError, QuantityError) as error:
                reason = error.problems[0].message if isinstance(error, InputError) else str(error)
                raise refuse(field, f"'{text}': {reason}") from None
    raise refuse(field, f"'{text}' is neither a tolerance, such as '153 mm +- 0.05 mm', nor a fit, such as '12 H7/g6'")
