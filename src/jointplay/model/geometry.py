"""Rotations and poses of the model as drawn (plain NumPy; kernels have their own, in numerics/vec.py).

    x = r + A(p) x',    A(p) = (2 e0^2 - 1) I + 2 (e e^T + e0 [e]x),    p = (e0, e),  |p| = 1      (paper A sect. 2)

x' in body axes, x in global axes. Axes of a frame are kept as rows (h, t, b), so E' = E A turns rows in global axes
into rows in body axes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


def rotation_matrix(p: np.ndarray) -> np.ndarray:
    """A(p), body axes to global axes, for Euler parameters of unit length (scalar first)."""
    e0, e1, e2, e3 = p.tolist()  # Python's own numbers: NumPy's are slow one by one
    return np.array(
        [
            [2.0 * (e0 * e0 + e1 * e1) - 1.0, 2.0 * (e1 * e2 - e0 * e3), 2.0 * (e1 * e3 + e0 * e2)],
            [2.0 * (e1 * e2 + e0 * e3), 2.0 * (e0 * e0 + e2 * e2) - 1.0, 2.0 * (e2 * e3 - e0 * e1)],
            [2.0 * (e1 * e3 - e0 * e2), 2.0 * (e2 * e3 + e0 * e1), 2.0 * (e0 * e0 + e3 * e3) - 1.0],
        ]
    )


def euler_parameters(A: np.ndarray) -> np.ndarray:
    """The p with A(p) = A, of the two the one with e0 >= 0.

    4 p p^T follows from the entries of A; the column with the largest diagonal entry gives p without cancellation.
    """
    trace = np.trace(A)
    outer = np.empty((4, 4))
    outer[0, 0] = 1.0 + trace
    axial = np.array([A[2, 1] - A[1, 2], A[0, 2] - A[2, 0], A[1, 0] - A[0, 1]])
    outer[0, 1:] = outer[1:, 0] = axial
    outer[1:, 1:] = A + A.T + (1.0 - trace) * np.eye(3)
    column = outer[:, int(np.argmax(np.diag(outer)))]
    p = column / np.linalg.norm(column)
    return -p if p[0] < 0.0 else p


def turn(axis: np.ndarray, angle: float) -> np.ndarray:
    """Euler parameters of a turn by ``angle`` [rad] about ``axis`` (any length but zero)."""
    e = axis / np.linalg.norm(axis)
    return np.array([np.cos(0.5 * angle), *(np.sin(0.5 * angle) * e)])


def turned(p: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """Euler parameters (n, 4) after small turns by ``angles`` (n, 3) [rad] about body axes (paper A eq. 9)."""
    e0, e = p[:, :1], p[:, 1:]
    along = np.einsum("nk,nk->n", e, angles)[:, None]
    changed = p + 0.5 * np.hstack([-along, e0 * angles + np.cross(e, angles)])
    return np.asarray(changed / np.linalg.norm(changed, axis=1, keepdims=True))


def nearest_rotation(M: np.ndarray) -> np.ndarray:
    """The rotation nearest to M in the Frobenius norm (det M > 0)."""
    left, _, right = np.linalg.svd(M)
    return np.asarray(left @ right)


@dataclass(frozen=True)
class Pose:
    """Where a body frame stands: origin r and axes A (columns, in global axes)."""

    r: np.ndarray
    A: np.ndarray

    def point_in(self, point: np.ndarray) -> np.ndarray:
        """A global point in body axes."""
        return np.asarray(self.A.T @ (point - self.r))

    def axes_in(self, axes: np.ndarray) -> np.ndarray:
        """Rows in global axes, in body axes."""
        return np.asarray(axes @ self.A)

    def axes_out(self, axes: np.ndarray) -> np.ndarray:
        """Rows in body axes, in global axes."""
        return np.asarray(axes @ self.A.T)

    def point_out(self, point: np.ndarray) -> np.ndarray:
        """A point in body axes, in global axes."""
        return np.asarray(self.r + self.A @ point)


HOME = Pose(np.zeros(3), np.eye(3))
