"""Inertia tensors that a body can have.

With the second moments S = integral of x x^T dm the tensor is J = tr(S) I - S, so S = tr(J)/2 I - J must be positive
semidefinite (this is J1 <= J2 + J3), and J definite. Where it is not, the nearest possible tensor, in the Frobenius
norm of S, has the negative eigenvalues of S replaced. A rod without thickness gets one of a thousandth of its length.
"""

from __future__ import annotations

import numpy as np

ROUNDING = 1e-6  # relative excess that rounding of typed digits may explain
THIN = 1e-6  # squared ratio of thickness and length


def is_possible(J: np.ndarray) -> bool:
    """True if a body can have these moments."""
    low, middle, high = np.linalg.eigvalsh(J)
    return bool(low > 1e-14 * high and high <= (low + middle) * (1.0 + ROUNDING))


def nearest(J: np.ndarray) -> np.ndarray | None:
    """The nearest possible tensor; None if there is nothing to go by."""
    values, axes = np.linalg.eigh(0.5 * np.trace(J) * np.eye(3) - J)
    if not values[-1] > 0.0:
        return None
    values = np.maximum(values, THIN * values[-1])
    S = axes @ np.diag(values) @ axes.T
    out = np.trace(S) * np.eye(3) - S
    return np.asarray(0.5 * (out + out.T))
