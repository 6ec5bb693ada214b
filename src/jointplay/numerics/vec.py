"""Small vectors as tuples: no allocation, registers, the same source for float64 and complex128.

Vectors are ``(x, y, z)``; matrices stay 3x3 arrays inside records. ``p`` are Euler parameters, scalar first.
"""

from __future__ import annotations

from .jit import jit


@jit
def load(x):
    """Vector from the first three entries of an array."""
    return (x[0], x[1], x[2])


@jit
def store(x, a):
    """Write a vector into the first three entries of an array."""
    x[0] = a[0]
    x[1] = a[1]
    x[2] = a[2]


@jit
def store_row(x, w):
    """Write four vectors one after the other: a row w on the velocities of two bodies."""
    store(x[0:3], w[0])
    store(x[3:6], w[1])
    store(x[6:9], w[2])
    store(x[9:12], w[3])


@jit
def copy(a, out):
    """out = a, for arrays of equal length (slice assignment would reserve memory for a possible overlap)."""
    for m in range(len(a)):
        out[m] = a[m]


@jit
def add(a, b):
    """a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@jit
def sub(a, b):
    """a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@jit
def scale(s, a):
    """s a."""
    return (s * a[0], s * a[1], s * a[2])


@jit
def dot(a, b):
    """a . b (no conjugation: complex numbers carry derivatives)."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@jit
def cross(a, b):
    """a x b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@jit
def mul(A, a):
    """A a."""
    return (
        A[0, 0] * a[0] + A[0, 1] * a[1] + A[0, 2] * a[2],
        A[1, 0] * a[0] + A[1, 1] * a[1] + A[1, 2] * a[2],
        A[2, 0] * a[0] + A[2, 1] * a[1] + A[2, 2] * a[2],
    )


@jit
def tmul(A, a):
    """A^T a."""
    return (
        A[0, 0] * a[0] + A[1, 0] * a[1] + A[2, 0] * a[2],
        A[0, 1] * a[0] + A[1, 1] * a[1] + A[2, 1] * a[2],
        A[0, 2] * a[0] + A[1, 2] * a[1] + A[2, 2] * a[2],
    )


@jit
def rotation(p, A):
    """A(p), body axes to global axes, for |p| = 1; written into the 3x3 array A."""
    e0, e1, e2, e3 = p[0], p[1], p[2], p[3]
    if e1 == 0.0 and e2 == 0.0:  # about z, as in a plane: the same numbers
        A[0, 0] = 2.0 * (e0 * e0) - 1.0
        A[1, 1] = A[0, 0]
        A[1, 0] = 2.0 * (e0 * e3)
        A[0, 1] = -A[1, 0]
        A[2, 2] = 2.0 * (e0 * e0 + e3 * e3) - 1.0
        A[0, 2], A[1, 2], A[2, 0], A[2, 1] = 0.0, 0.0, 0.0, 0.0
        return
    A[0, 0] = 2.0 * (e0 * e0 + e1 * e1) - 1.0
    A[0, 1] = 2.0 * (e1 * e2 - e0 * e3)
    A[0, 2] = 2.0 * (e1 * e3 + e0 * e2)
    A[1, 0] = 2.0 * (e1 * e2 + e0 * e3)
    A[1, 1] = 2.0 * (e0 * e0 + e2 * e2) - 1.0
    A[1, 2] = 2.0 * (e2 * e3 - e0 * e1)
    A[2, 0] = 2.0 * (e1 * e3 - e0 * e2)
    A[2, 1] = 2.0 * (e2 * e3 + e0 * e1)
    A[2, 2] = 2.0 * (e0 * e0 + e3 * e3) - 1.0


@jit
def euler_rate(p, w):
    """dp/dt = G(p)^T w' / 2 (paper A eq. 9) for the angular velocity w' in body axes; four numbers."""
    if p[1] == 0.0 and p[2] == 0.0 and w[0] == 0.0 and w[1] == 0.0:  # about z
        return (-0.5 * (p[3] * w[2]), p[1] * w[2], p[2] * w[2], 0.5 * (p[0] * w[2]))
    return (
        0.5 * (-p[1] * w[0] - p[2] * w[1] - p[3] * w[2]),
        0.5 * (p[0] * w[0] - p[3] * w[1] + p[2] * w[2]),
        0.5 * (p[3] * w[0] + p[0] * w[1] - p[1] * w[2]),
        0.5 * (-p[2] * w[0] + p[1] * w[1] + p[0] * w[2]),
    )
