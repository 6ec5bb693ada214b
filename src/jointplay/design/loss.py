r"""Losses of a fit: how much a residual counts.

.. math::  \tfrac12 \sum_i \rho(z_i), \qquad z_i = r_i^2, \quad r_i \text{ in standard deviations}.

"linear" is least squares, :math:`\rho = z`. The others grow more slowly for :math:`|r| > 1`, so that outliers count
less; they are those of SciPy's ``least_squares``, which minimises them. Here are their values and the first two
derivatives by z, for the choice of the best run and for the errors of the parameters.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Triple = tuple[np.ndarray, np.ndarray, np.ndarray]


def _linear(z: np.ndarray) -> Triple:
    return z, np.ones_like(z), np.zeros_like(z)


def _soft_l1(z: np.ndarray) -> Triple:
    t = 1.0 + z
    return 2.0 * (np.sqrt(t) - 1.0), t**-0.5, -0.5 * t**-1.5


def _huber(z: np.ndarray) -> Triple:
    far, t = z > 1.0, np.maximum(z, 1.0)
    return np.where(far, 2.0 * np.sqrt(t) - 1.0, z), np.where(far, t**-0.5, 1.0), np.where(far, -0.5 * t**-1.5, 0.0)


def _cauchy(z: np.ndarray) -> Triple:
    return np.log1p(z), 1.0 / (1.0 + z), -1.0 / (1.0 + z) ** 2


def _arctan(z: np.ndarray) -> Triple:
    t = 1.0 + z * z
    return np.arctan(z), 1.0 / t, -2.0 * z / t**2


LOSSES: dict[str, Callable[[np.ndarray], Triple]] = {
    "linear": _linear,
    "soft_l1": _soft_l1,
    "huber": _huber,
    "cauchy": _cauchy,
    "arctan": _arctan,
}


def total(loss: str, residuals: np.ndarray) -> float:
    """The sum that a fit makes small, without its half."""
    return float(np.sum(LOSSES[loss](residuals**2)[0]))


def influence(loss: str, residuals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """psi'(r) and psi(r)^2 of psi = rho'(r^2) r, for the covariance of a robust fit."""
    z = residuals**2
    _, first, second = LOSSES[loss](z)
    return first + 2.0 * z * second, first**2 * z
