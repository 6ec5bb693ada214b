r"""A linear control variate: the mean of runs, corrected by what a gradient predicts of the same samples.

.. math::  \hat\mu = \bar y - b (\bar l - E\,l), \qquad b = \mathrm{cov}(y, l) / \mathrm{var}(l),

with the straight line :math:`l = g \cdot (x - \bar x)`, whose mean is known. The coefficient is fitted, so that a poor
gradient does no harm: the variance falls to :math:`1 - \rho^2` of the plain one and rises at most by one degree of
freedom.
"""

from __future__ import annotations

import numpy as np

from .estimate import LEVEL, Estimate, score


def controlled_mean(y: np.ndarray, line: np.ndarray, known: float, level: float = LEVEL) -> Estimate:
    """Mean of y with the help of a line whose mean is known."""
    n = len(y)
    if n < 4 or np.var(line) == 0.0:
        half = score(level) * float(np.std(y, ddof=1)) / np.sqrt(n) if n > 1 else np.inf
        return Estimate(float(np.mean(y)), float(np.mean(y)) - half, float(np.mean(y)) + half, n, level)
    b = float(np.cov(y, line)[0, 1] / np.var(line, ddof=1))
    mean = float(y.mean() - b * (line.mean() - known))
    rest = y - y.mean() - b * (line - line.mean())
    half = score(level) * float(np.sqrt(np.sum(rest**2) / (n - 2) / n))
    return Estimate(mean, mean - half, mean + half, n, level)
