r"""Ranking of inputs: Sobol' indices, bounds from derivatives, correlation ratios, and what halving a tolerance brings.

With base points A and B and A with column i from B, :math:`AB_i` (Saltelli et al. 2010; Jansen 1999),

.. math::  V S_i = \overline{f(B) (f(AB_i) - f(A))}, \qquad V T_i = \tfrac12 \overline{(f(A) - f(AB_i))^2}.

First-order values are taken relative to the mean, which lessens their scatter. Intervals come from resampling base
points. A base point of which one run failed is dropped whole, with a note.

Derivatives bound totals (Sobol' and Kucherenko 2009), :math:`T_i \le C_i \overline{(\partial f/\partial x_i)^2} / V`,
with Poincare's constant, :math:`C = (b - a)^2 / \pi^2` of a uniform input and :math:`\sigma^2` of a normal one.

The correlation ratio is the share of the variance that the mean of f over slices of an input explains,
:math:`\eta_i = V(E(f | x_i)) / V`, from any sample; the part that chance alone explains is taken off.

Halving: rows are weighed by the ratio of the densities of the halved and of the present input. Nothing is run again;
the number of rows that this is worth is given.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .distributions import Input
from .estimate import LEVEL, Estimate, score, wilson
from .vary import Vary

RESAMPLES = 400
SLICES = (4, 64)  # least and most of a correlation ratio
ROWS = 24  # in each slice


@dataclass(frozen=True)
class Indices:
    """Sobol' indices of one output."""

    names: tuple[str, ...]
    first: dict[str, Estimate]
    total: dict[str, Estimate]
    variance: float
    mean: float
    base: int  # base points that count
    dropped: int  # base points with a run that failed

    def __str__(self) -> str:
        wide = max(map(len, self.names))
        lines = [f"{'input':<{wide}}  first order                  total"]
        for name in self.names:
            a, b = self.first[name], self.total[name]
            lines.append(
                f"{name:<{wide}}  {a.value:7.4f} ({a.low:7.4f} to {a.high:7.4f})  "
                f"{b.value:7.4f} ({b.low:7.4f} to {b.high:7.4f})"
            )
        note = f"; {self.dropped} dropped, because one of their runs failed" if self.dropped else ""
        return "\n".join([*lines, f"{self.base} base points{note}"])


def sobol_indices(values: np.ndarray, ok: np.ndarray, names: tuple[str, ...], level: float = LEVEL) -> Indices:
    """Indices from groups of d + 2 runs: ``values`` and ``ok`` (base points, d + 2)."""
    d = len(names)
    kept = ok.all(axis=1)
    A, B, AB = values[kept, 0], values[kept, 1], values[kept, 2 : d + 2]
    n = len(A)
    both = np.concatenate([A, B])
    mean, variance = (float(both.mean()), float(both.var())) if n else (np.nan, np.nan)

    def of(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        a, b, ab = A[rows], B[rows], AB[rows]
        m = 0.5 * (a.mean() + b.mean())
        v = 0.5 * (((a - m) ** 2).mean() + ((b - m) ** 2).mean())
        if not v > 0.0:
            return np.zeros(d), np.zeros(d)
        first = ((b - m)[:, None] * (ab - a[:, None])).mean(axis=0) / v
        total = 0.5 * ((a[:, None] - ab) ** 2).mean(axis=0) / v
        return first, total

    if n < 2:
        nothing = {name: Estimate(np.nan, -np.inf, np.inf, n, level) for name in names}
        return Indices(names, nothing, dict(nothing), variance, mean, n, int(np.count_nonzero(~kept)))
    S, T = of(np.arange(n))
    stream = np.random.default_rng(n)
    resampled = [of(stream.integers(0, n, n)) for _ in range(RESAMPLES)]
    z = score(level)

    def estimates(x: np.ndarray, which: int) -> dict[str, Estimate]:
        error = np.std([one[which] for one in resampled], axis=0, ddof=1)
        return {
            name: Estimate(float(x[k]), float(x[k] - z * error[k]), float(x[k] + z * error[k]), n, level)
            for k, name in enumerate(names)
        }

    return Indices(names, estimates(S, 0), estimates(T, 1), variance, mean, n, int(np.count_nonzero(~kept)))


@dataclass(frozen=True)
class Bounds:
    """Mean squares of derivatives and the bounds that they set on total indices."""

    squares: dict[str, Estimate]  # mean of (df/dx)^2
    bounds: dict[str, float]  # on total indices
    count: int


def dgsm(gradients: np.ndarray, variance: float, vary: Vary, level: float = LEVEL) -> Bounds:
    """Bounds from derivatives (n, d) of one output."""
    square = gradients**2
    z, n = score(level), len(square)
    squares, bounds = {}, {}
    for k, (name, one) in enumerate(vary.inputs.items()):
        mean = float(square[:, k].mean())
        half = z * float(square[:, k].std(ddof=1)) / np.sqrt(n) if n > 1 else np.inf
        squares[name] = Estimate(mean, mean - half, mean + half, n, level)
        bounds[name] = one.poincare * mean / variance
    return Bounds(squares, bounds, n)


def correlation_ratios(
    x: np.ndarray, y: np.ndarray, names: tuple[str, ...], level: float = LEVEL
) -> dict[str, Estimate]:
    """Share of the variance of y that each column of x explains by itself."""
    n = len(y)
    out: dict[str, Estimate] = {}
    slices = int(np.clip(n // ROWS, *SLICES))
    variance = float(np.var(y)) if n else 0.0
    if n < 4 * SLICES[0] or variance == 0.0:
        return {name: Estimate(np.nan, 0.0, 1.0, n, level) for name in names}
    z = score(level)
    for k, name in enumerate(names):
        order = np.argsort(x[:, k], kind="stable")
        parts = np.array_split(y[order], slices)
        between = sum(len(part) * (part.mean() - y.mean()) ** 2 for part in parts) / n
        eta = between / variance
        eta = 1.0 - (1.0 - eta) * (n - 1) / (n - slices)  # what chance alone explains is taken off
        error = np.sqrt(max(4.0 * max(eta, 0.0) * (1.0 - min(eta, 1.0)) ** 2, 1e-12) / n + 2.0 * slices / n**2)
        out[name] = Estimate(max(eta, 0.0), max(eta - z * error, 0.0), min(eta + z * error, 1.0), n, level)
    return out


def regression(
    x: np.ndarray, y: np.ndarray, names: tuple[str, ...], independent: bool = True
) -> tuple[dict[str, float], float]:
    """Shares of the variance by a straight line through the samples, and the share that it explains (R squared).

    Shares of independent inputs are those of their own scatter, slope squared; what chance correlates is not theirs.
    """
    if len(y) < x.shape[1] + 3 or np.var(y) == 0.0:
        return dict.fromkeys(names, np.nan), np.nan
    centred, spread = x - x.mean(axis=0), x.std(axis=0)
    used = spread > 0.0
    slope = np.zeros(x.shape[1])
    slope[used] = np.linalg.lstsq(centred[:, used] / spread[used], y - y.mean(), rcond=None)[0]
    explained = (centred[:, used] / spread[used]) @ slope[used]
    r2 = float(np.var(explained) / np.var(y))
    share = slope**2
    if not independent:  # those of the covariance with y, so that they still add up
        share = slope * np.array(
            [np.mean(c / s * (y - y.mean())) if s > 0.0 else 0.0 for c, s in zip(centred.T, spread, strict=True)]
        )
    total = share.sum()
    return {name: float(part / total) if total else 0.0 for name, part in zip(names, share, strict=True)}, r2


@dataclass(frozen=True)
class Halved:
    """What halving the tolerance of one input would bring."""

    name: str
    sigma: float  # of the output then
    ratio: float  # to the sigma now
    yield_: float  # then; not a number without limits
    rows: float  # that the weighed sample is worth
    low: float = np.nan  # interval of the yield, by that many rows
    high: float = np.nan


def halving(
    name: str, one: Input, x: np.ndarray, y: np.ndarray, good: np.ndarray | None, level: float = LEVEL
) -> Halved:
    """Weigh rows by the density of the halved input over that of the present one; ``x`` is its column."""
    other = one.halved()
    now = one.density(x)
    weight = np.where(now > 0.0, other.density(x) / np.where(now > 0.0, now, 1.0), 0.0)
    total = weight.sum()
    if not total > 0.0:
        return Halved(name, np.nan, np.nan, np.nan, 0.0)
    mean = float((weight * y).sum() / total)
    sigma = float(np.sqrt((weight * (y - mean) ** 2).sum() / total))
    worth = float(total**2 / (weight**2).sum())
    ratio = sigma / float(np.std(y)) if np.std(y) > 0.0 else np.nan
    if good is None:
        return Halved(name, sigma, ratio, np.nan, worth)
    share = float(np.clip((weight * good).sum() / total, 0.0, 1.0))
    return Halved(name, sigma, ratio, share, worth, *wilson(share * worth, worth, level))
