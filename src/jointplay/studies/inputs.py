r"""What varies, and how: distributions of single numbers.

An input turns probabilities into values, :math:`x = F^{-1}(u)`, and tells its density, mean, standard deviation and the
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

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ..errors import InputError, Problem
from ..quantities.dimension import Dimension, QuantityError, agree, describe
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

    def probability(self, x: np.ndarray) -> np.ndarray:
        """Probability of values up to x."""
        raise NotImplementedError

    def density(self, x: np.ndarray) -> np.ndarray:
        """Probability per unit."""
        raise NotImplementedError

    def halved(self) -> Input:
        """The same with half the tolerance."""
        raise NotImplementedError

    def tree(self) -> dict[str, Any]:
        """As a model file says it, numbers in SI."""
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


class Uniform(Input):
    """Every value from low to high alike."""

    word = "uniform"

    def __init__(self, low: float | str, high: float | str) -> None:
        found, self.dimension = read("Uniform", low=low, high=high)
        self.low, self.high = found["low"], found["high"]
        if not self.low < self.high:
            raise refuse("Uniform", f"low {self.low:g} must lie below high {self.high:g}")
        self.mean, self.sigma = 0.5 * (self.low + self.high), (self.high - self.low) / np.sqrt(12.0)

    @property
    def limits(self) -> tuple[float, float]:
        """Its ends."""
        return self.low, self.high

    def at(self, u: np.ndarray) -> np.ndarray:
        """Values of probabilities."""
        return self.low + (self.high - self.low) * np.asarray(u)

    def probability(self, x: np.ndarray) -> np.ndarray:
        """Probability of values up to x."""
        return np.clip((np.asarray(x) - self.low) / (self.high - self.low), 0.0, 1.0)

    def density(self, x: np.ndarray) -> np.ndarray:
        """Probability per unit."""
        return np.where((x >= self.low) & (x <= self.high), 1.0 / (self.high - self.low), 0.0)

    def halved(self) -> Uniform:
        """The same with half the width, about the same middle."""
        quarter = 0.25 * (self.high - self.low)
        return _of(self, Uniform(self.mean - quarter, self.mean + quarter))

    def tree(self) -> dict[str, Any]:
        """As a model file says it."""
        return {"uniform": [self._text(self.low), self._text(self.high)]}


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

    def halved(self) -> Normal:
        """The same with half of tolerance and sigma."""
        options: dict[str, Any] = {"cp": self.cp, "cpk": self.cpk, "inspected": self.inspected, "towards": self.towards}
        return _of(self, Normal(self.centre, tolerance=0.5 * self.tolerance, **options))

    def tree(self) -> dict[str, Any]:
        """As a model file says it."""
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

    def halved(self) -> LogNormal:
        """The same mean with half of the standard deviation."""
        return _of(self, LogNormal(self.mean, 0.5 * self.sigma))

    def tree(self) -> dict[str, Any]:
        """As a model file says it."""
        return {"lognormal": {"mean": self._text(self.mean), "sigma": self._text(self.sigma)}}


class Triangular(Input):
    """From low straight up to the most likely value and straight down to high."""

    word = "triangular"

    def __init__(self, low: float | str, mode: float | str, high: float | str) -> None:
        found, self.dimension = read("Triangular", low=low, mode=mode, high=high)
        self.low, self.mode, self.high = found["low"], found["mode"], found["high"]
        if not (self.low <= self.mode <= self.high and self.low < self.high):
            order = f"{self.low:g}, {self.mode:g}, {self.high:g}"
            raise refuse("Triangular", f"low, most likely and high must rise: {order}")
        a, c, b = self.low, self.mode, self.high
        self.mean = (a + b + c) / 3.0
        self.sigma = float(np.sqrt((a * a + b * b + c * c - a * b - a * c - b * c) / 18.0))

    @property
    def limits(self) -> tuple[float, float]:
        """Its ends."""
        return self.low, self.high

    @property
    def nominal(self) -> float:
        """The most likely value."""
        return self.mode

    def at(self, u: np.ndarray) -> np.ndarray:
        """Values of probabilities."""
        u = np.asarray(u)
        a, c, b = self.low, self.mode, self.high
        rising = a + np.sqrt(u * (b - a) * (c - a))
        falling = b - np.sqrt((1.0 - u) * (b - a) * (b - c))
        return np.where(u * (b - a) < c - a, rising, falling)

    def probability(self, x: np.ndarray) -> np.ndarray:
        """Probability of values up to x."""
        a, c, b = self.low, self.mode, self.high
        x = np.clip(x, a, b)
        rising = (x - a) ** 2 / ((b - a) * (c - a)) if c > a else np.zeros_like(x)
        falling = 1.0 - (b - x) ** 2 / ((b - a) * (b - c)) if b > c else np.ones_like(x)
        return np.where(x < c, rising, falling)

    def density(self, x: np.ndarray) -> np.ndarray:
        """Probability per unit."""
        a, c, b = self.low, self.mode, self.high
        x = np.asarray(x)
        rising = 2.0 * (x - a) / ((b - a) * (c - a)) if c > a else np.zeros_like(x)
        falling = 2.0 * (b - x) / ((b - a) * (b - c)) if b > c else np.zeros_like(x)
        return np.where((x < a) | (x > b), 0.0, np.where(x < c, rising, falling))

    def halved(self) -> Triangular:
        """Half the width about the most likely value."""
        a, c, b = self.low, self.mode, self.high
        return _of(self, Triangular(0.5 * (a + c), c, 0.5 * (b + c)))

    def tree(self) -> dict[str, Any]:
        """As a model file says it."""
        return {"triangular": [self._text(one) for one in (self.low, self.mode, self.high)]}


class Measured(Input):
    """The values of a list, of a column of numbers in a text file, or of texts with a unit.

    Between two neighbours every value counts alike, so that a study does not repeat the measured parts but makes more
    of their kind. ``unit`` is that of plain numbers.
    """

    word = "measured"

    def __init__(self, values: Sequence[float | str] | str | Path, unit: str = "") -> None:
        from ..quantities.units import dimension_of, unit_factor

        raw = _column(Path(values)) if isinstance(values, str | Path) else list(values)
        if len(raw) < 2:
            raise refuse("Measured", f"needs at least two values, got {len(raw)}")
        if unit and not all(isinstance(one, str) for one in raw):
            try:
                factor, self.dimension = unit_factor(unit), dimension_of(unit)
            except ValueError as error:
                raise refuse("Measured: unit", str(error)) from None
            found = factor * np.array(raw, float)
        else:
            named, self.dimension = read("Measured", **{f"[{k}]": one for k, one in enumerate(raw)})
            found = np.array(list(named.values()))
        if not np.all(np.isfinite(found)):
            raise refuse("Measured", "needs finite numbers")
        self.values = np.sort(found)
        if not self.values[0] < self.values[-1]:
            raise refuse("Measured", "all values are the same: nothing varies")
        n = len(self.values) - 1
        pairs = self.values[:-1], self.values[1:]
        self.mean = float(np.sum(0.5 * (pairs[0] + pairs[1])) / n)
        square = float(np.sum((pairs[0] ** 2 + pairs[0] * pairs[1] + pairs[1] ** 2) / 3.0) / n)
        self.sigma = float(np.sqrt(max(square - self.mean**2, 0.0)))

    @property
    def limits(self) -> tuple[float, float]:
        """Least and greatest."""
        return float(self.values[0]), float(self.values[-1])

    def at(self, u: np.ndarray) -> np.ndarray:
        """Values of probabilities."""
        return np.interp(u, np.linspace(0.0, 1.0, len(self.values)), self.values)

    def probability(self, x: np.ndarray) -> np.ndarray:
        """Probability of values up to x; where several are equal, that of the last."""
        share = np.linspace(0.0, 1.0, len(self.values))
        distinct, first = np.unique(self.values[::-1], return_index=True)
        return np.interp(x, distinct, share[::-1][first])

    def density(self, x: np.ndarray) -> np.ndarray:
        """Probability per unit, constant between neighbours that differ."""
        n = len(self.values) - 1
        k = np.clip(np.searchsorted(self.values, x, side="right") - 1, 0, n - 1)
        width = np.maximum(self.values[k + 1] - self.values[k], 1e-300)
        return np.where((x < self.values[0]) | (x > self.values[-1]), 0.0, 1.0 / (n * width))

    def halved(self) -> Measured:
        """The same deviations from the mean, halved."""
        return _of(self, Measured((0.5 * (self.values + self.mean)).tolist()))

    def tree(self) -> dict[str, Any]:
        """As a model file says it."""
        unit = {} if self.dimension is None else {"unit": str(self.dimension)}
        return {"measured": {"values": self.values.tolist(), **unit}}


def _of(one: Input, other: Any) -> Any:
    """The same dimension."""
    other.dimension = one.dimension
    return other


def _column(path: Path) -> list[float]:
    """Numbers of a text file, one per line; a first line of words is its head."""
    try:
        lines = path.read_text(encoding="utf-8").split()
    except (OSError, UnicodeDecodeError) as error:
        raise refuse("Measured", f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    found = []
    for n, text in enumerate(lines):
        try:
            found.append(float(text.rstrip(",;")))
        except ValueError:
            if n:
                raise refuse("Measured", f"{path} has '{text}' where a number should be") from None
    return found


def check_capability(field: str, cp: Any, cpk: Any, towards: str, sides: tuple[str, str] = ("greater", "less")) -> None:
    """InputError unless cp and cpk are those of a process."""
    problems = []
    if isinstance(cp, bool) or not isinstance(cp, int | float) or not 0.0 < cp < 100.0:
        problems.append(Problem(f"{field}: cp", f"needs a number above zero, not {cp!r}"))
    elif cpk is not None and (isinstance(cpk, bool) or not isinstance(cpk, int | float) or not cpk <= cp):
        problems.append(Problem(f"{field}: cpk", f"cannot be more than cp, which is {cp:g}, got {cpk!r}"))
    if towards not in sides:
        problems.append(Problem(f"{field}: towards", f"needs '{sides[0]}' or '{sides[1]}', not {towards!r}"))
    if problems:
        raise InputError(problems)


def shift_of(sigma: float, cp: float, cpk: float | None, towards: str) -> float:
    """How far the mean lies off the middle: 3 sigma (Cp - Cpk)."""
    size = 0.0 if cpk is None else NATURAL * sigma * (cp - cpk)
    return -size if towards in ("less", "tight") else size


def capability_tree(cp: float, cpk: float | None, inspected: bool, towards: str, usual: str) -> dict[str, Any]:
    """Options that are not the usual ones."""
    out: dict[str, Any] = {"cp": float(cp)} if cp != 1.0 else {}
    out |= {"cpk": float(cpk)} if cpk is not None else {}
    out |= {"inspected": True} if inspected else {}
    return out | ({"towards": towards} if towards != usual and cpk is not None else {})


def tolerance_of(field: str, text: str) -> Normal:
    """``"153 mm +- 0.05 mm"`` as a normal number whose tolerance is three sigmas."""
    for sign in ("+-", "+/-", "\N{PLUS-MINUS SIGN}"):
        value, found, rest = text.partition(sign)
        if found and value.strip() and rest.strip():
            try:
                return Normal(value.strip(), tolerance=rest.strip())
            except (InputError, QuantityError) as error:
                said = error.problems[0].message if isinstance(error, InputError) else str(error)
                raise refuse(field, f"'{text}': {said}") from None
    raise refuse(field, f"'{text}' is neither a tolerance, such as '153 mm +- 0.05 mm', nor a fit, such as '12 H7/g6'")
