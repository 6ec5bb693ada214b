r"""What measurements determine of parameters: covariance, correlation, and what stays open.

With the Jacobian :math:`J = \partial r/\partial p` of the weighted residuals at the optimum,

.. math::  \mathrm{cov}(p) = s^2 (J^T J)^{-1},

and for a robust loss :math:`\rho(r^2)` with :math:`\psi = \rho' r` the covariance of an M-estimator (Huber 1981,
sect. 7.6),

.. math::  \frac{n}{n-m} A^{-1} B A^{-1}, \qquad A = J^T \mathrm{diag}(\psi') J, \quad B = J^T \mathrm{diag}(\psi^2) J.

Columns are first scaled to length one, so that units do not matter. A singular value :math:`\sigma_k` of the scaled
Jacobian below ``OPEN`` times the largest means that the data do not determine the combination of parameters along its
right singular vector; their errors are infinite then. The condition number is :math:`\sigma_1/\sigma_m`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

OPEN = 1e-6  # relative singular value below which a combination counts as not determined
WEAK = 1e-3  # and below which parameters are reported as hardly distinguishable
SHARE = 0.1  # component of a singular vector from which a parameter takes part in a combination
SILENT = 1e-9  # effect of a parameter over its scale, in standard deviations, that counts as none


@dataclass(frozen=True, eq=False)
class Knowledge:
    """Covariance over all parameters (infinite where nothing is known), condition number, and groups left open."""

    covariance: np.ndarray
    condition: float
    silent: tuple[str, ...]  # parameters without any effect on the data
    open: tuple[tuple[str, ...], ...]  # groups of which only combinations are known
    weak: tuple[tuple[str, ...], ...]  # groups that are hardly distinguishable

    @property
    def warnings(self) -> list[str]:
        """Sentences for the user."""
        sentences = [f"the data do not depend on {name}" for name in self.silent]
        sentences += [f"the data determine {_and(group)} only together, not each" for group in self.open]
        sentences += [f"the data hardly distinguish {_and(group)}" for group in self.weak]
        return sentences


def knowledge_of(
    jacobian: np.ndarray,
    names: Sequence[str],
    scale: np.ndarray,
    *,
    bread: np.ndarray | None = None,
    filling: np.ndarray | None = None,
) -> Knowledge:
    """Read the Jacobian of weighted residuals (n, m); ``bread`` and ``filling`` are psi' and psi^2 of a robust loss."""
    n, m = jacobian.shape
    effect = np.linalg.norm(jacobian * scale, axis=0)
    heard = effect > SILENT * max(1.0, np.sqrt(n))
    norms = np.where(heard, np.linalg.norm(jacobian, axis=0), 1.0)
    unit = (jacobian / norms)[:, heard]
    kept = [name for name, one in zip(names, heard, strict=True) if one]
    covariance = np.full((m, m), np.nan)
    covariance[np.diag_indices(m)] = np.inf
    condition, groups, weak = np.inf, [], []
    if kept:
        _, sigma, rows = np.linalg.svd(unit, full_matrices=len(unit) < len(kept))
        sigma = np.concatenate([sigma, np.zeros(len(rows) - len(sigma))])
        condition = float(sigma[0] / sigma[-1]) if sigma[-1] > 0.0 and heard.all() else np.inf
        lost = sigma < OPEN * sigma[0]
        groups = [_members(row, kept) for row in rows[lost]]
        weak = [_members(row, kept) for row, one in zip(rows, sigma, strict=True) if OPEN <= one / sigma[0] < WEAK]
        inverse = (rows[~lost].T / sigma[~lost] ** 2) @ rows[~lost]
        if bread is not None and filling is not None:
            inner = (rows[~lost].T @ np.linalg.pinv(rows[~lost] @ (unit.T * bread) @ unit @ rows[~lost].T)) @ rows[
                ~lost
            ]
            inverse = n / max(n - m, 1) * inner @ ((unit.T * filling) @ unit) @ inner
        hidden = np.any(np.abs(rows[lost]) > SHARE, axis=0) if lost.any() else np.zeros(len(kept), bool)
        inverse[hidden, :] = inverse[:, hidden] = np.nan
        inverse[hidden, hidden] = np.inf
        places = np.flatnonzero(heard)
        covariance[np.ix_(places, places)] = inverse / np.outer(norms[heard], norms[heard])
    silent = tuple(name for name, one in zip(names, heard, strict=True) if not one)
    return Knowledge(covariance, condition, silent, tuple(groups), tuple(weak))


def correlation_of(covariance: np.ndarray) -> np.ndarray:
    """Correlation of parameters; NaN where a variance is not finite."""
    errors = np.sqrt(np.diag(covariance))
    finite = np.where(np.isfinite(errors) & (errors > 0.0), errors, np.nan)
    return covariance / np.outer(finite, finite)


def _members(row: np.ndarray, names: Sequence[str]) -> tuple[str, ...]:
    return tuple(name for name, part in zip(names, row, strict=True) if abs(part) > SHARE)


def _and(group: Sequence[str]) -> str:
    return group[0] if len(group) == 1 else f"{', '.join(group[:-1])} and {group[-1]}"
