r"""Estimates from samples, each with an honest interval.

Wilson's interval of a share of k in n at a level with normal score z,

.. math::  \frac{k + z^2/2}{n + z^2} \pm \frac{z}{n + z^2} \sqrt{\frac{k (n - k)}{n} + \frac{z^2}{4}},

never leaves 0 to 1 and holds for k = 0. Samples that failed are neither good nor bad: the yield is bounded by counting
them as bad, and as good. Replicates of a randomised quasi-Monte Carlo plan give a Student interval between them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

LEVEL = 0.95


@dataclass(frozen=True)
class Estimate:
    """A number with its interval."""

    value: float
    low: float
    high: float
    count: int  # samples behind it
    level: float = LEVEL

    @property
    def half(self) -> float:
        """Half of the width of the interval."""
        return 0.5 * (self.high - self.low)

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        return f"{self.value:.6g} ({self.low:.6g} to {self.high:.6g})"


def score(level: float) -> float:
    """Normal score of a two-sided level."""
    from scipy.special import ndtri

    return float(ndtri(0.5 + 0.5 * level))


def wilson(good: float, count: float, level: float = LEVEL) -> tuple[float, float]:
    """Interval of a share."""
    if count == 0:
        return 0.0, 1.0
    z = score(level)
    middle = (good + 0.5 * z * z) / (count + z * z)
    half = z / (count + z * z) * np.sqrt(good * (count - good) / count + 0.25 * z * z)
    low = 0.0 if good == 0 else max(0.0, middle - half)
    high = 1.0 if good == count else min(1.0, middle + half)
    return float(low), float(high)


def student(groups: np.ndarray, level: float = LEVEL) -> tuple[float, float, float]:
    """Mean of independent groups and its interval."""
    from scipy.stats import t

    n = len(groups)
    mean = float(np.mean(groups))
    half = float(t.ppf(0.5 + 0.5 * level, n - 1) * np.std(groups, ddof=1) / np.sqrt(n)) if n > 1 else np.inf
    return mean, mean - half, mean + half


def mean_of(x: np.ndarray, replicate: np.ndarray | None = None, level: float = LEVEL) -> Estimate:
    """Mean of samples; ``replicate`` numbers their independent scramblings, if they have some."""
    if len(x) == 0:
        return Estimate(np.nan, -np.inf, np.inf, 0, level)
    if replicate is not None:
        groups = np.array([x[replicate == k].mean() for k in np.unique(replicate)])
        _, low, high = student(groups, level)
        middle = float(np.mean(x))
        half = 0.5 * (high - low)
        return Estimate(middle, middle - half, middle + half, len(x), level)
    half = score(level) * float(np.std(x, ddof=1)) / np.sqrt(len(x)) if len(x) > 1 else np.inf
    middle = float(np.mean(x))
    return Estimate(middle, middle - half, middle + half, len(x), level)


def sigma_of(x: np.ndarray, level: float = LEVEL) -> Estimate:
    """Standard deviation; its interval from the kurtosis of the samples, on the logarithm."""
    n = len(x)
    if n < 4:
        return Estimate(float(np.std(x, ddof=1)) if n > 1 else np.nan, 0.0, np.inf, n, level)
    s = float(np.std(x, ddof=1))
    if s == 0.0:
        return Estimate(0.0, 0.0, 0.0, n, level)
    fourth = float(np.mean((x - x.mean()) ** 4)) / s**4
    error = np.sqrt(max(fourth - (n - 3) / (n - 1), 1e-12) / n) / 2.0  # relative, of s
    z = score(level)
    return Estimate(s, s * float(np.exp(-z * error)), s * float(np.exp(z * error)), n, level)


@dataclass(frozen=True)
class Yield:
    """Share of machines that keep all limits: between failures counted as bad and as good, and how sure that is.

    ``value`` counts failures as bad. ``low`` and ``high`` are the interval around both bounds.
    """

    value: float
    bounds: tuple[float, float]  # failures as bad, as good
    low: float
    high: float
    count: int
    failed: int
    level: float = LEVEL

    @property
    def half(self) -> float:
        """Half of the width of the interval."""
        return 0.5 * (self.high - self.low)

    def __float__(self) -> float:
        return self.value

    def __iter__(self):  # type: ignore[no-untyped-def]
        return iter((self.low, self.high))

    def __str__(self) -> str:
        text = f"{100 * self.value:.4g} % ({100 * self.low:.4g} to {100 * self.high:.4g} %)"
        if not self.failed:
            return text
        a, b = self.bounds
        return f"{text}; {self.failed} of {self.count} failed: {100 * a:.4g} % if they are bad, {100 * b:.4g} % if good"


def yield_of(good: np.ndarray, failed: np.ndarray, replicate: np.ndarray | None, level: float = LEVEL) -> Yield:
    """The yield of samples that keep all limits (``good``) or have no values (``failed``)."""
    n, bad_ones = len(good), int(np.count_nonzero(failed))
    kept = good & ~failed
    k = int(np.count_nonzero(kept))
    bounds = (k / n, (k + bad_ones) / n) if n else (np.nan, np.nan)
    low, high = wilson(k, n, level)[0], wilson(k + bad_ones, n, level)[1]
    if replicate is not None and 0 < k and k + bad_ones < n:
        # scramblings show their own error, which is mostly the smaller one; where they do not Wilson's holds
        a = mean_of(kept.astype(float), replicate, level)
        b = mean_of((kept | failed).astype(float), replicate, level)
        if a.half > 0.0 and b.half > 0.0:
            low, high = max(0.0, a.low), min(1.0, b.high)
    return Yield(bounds[0], bounds, low, high, n, bad_ones, level)
