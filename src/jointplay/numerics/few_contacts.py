"""One or two contacts with friction in a plane, solved at once where that is possible (numerics/cones.py has the law).

One contact has a closed form. Of two that slide, or of which one is open, the warm start r shows how they slide: with
r_T = f r_N of each, f = +mu or -mu, what is left of u_N = 0 is one equation for each contact that presses,

    sum_j (W_iN,jN + f_j W_iN,jT) r_jN = -q_iN.

An answer is taken only if it passes the test that every answer has to pass: the residual of the natural map. If it does
not (a contact lets go, begins to press, sticks or turns back), r is left as it was, for the other solvers.
"""

from __future__ import annotations

import numpy as np

from .cones import project
from .gauss_seidel import _local_plane
from .jit import jit, link

SLIDES = 1e-9  # of the cone: a warm start that is as near to it slides


@jit
def _off(W, a, mu, rn, rt, un, ut):
    """Square of the residual of one contact, whose block of W begins at a; what cones.natural_map sums."""
    w = max(W[a, a], W[a + 1, a + 1])
    x, y = w * rn, w * rt
    px, py, _ = project(2, mu, x - un - mu * abs(ut), y - ut, 0.0)
    return (x - px) ** 2 + (y - py) ** 2


@link
def solve_one(W, q, mu, r, tolerance):
    """(True if r is the answer for one contact, its residual relative to |q|)."""
    size = np.sqrt(q[0] * q[0] + q[1] * q[1])
    if not (np.isfinite(size + r[0] + r[1]) and size > 0.0 and W[0, 0] > 0.0):
        return False, 0.0
    n, t = _local_plane(W, 0, mu, q[0], q[1], r[0], r[1])
    un, ut = W[0, 0] * n + W[0, 1] * t + q[0], W[1, 0] * n + W[1, 1] * t + q[1]
    error = np.sqrt(_off(W, 0, mu, n, t, un, ut))
    if not error <= tolerance * size:
        return False, 0.0
    r[0], r[1] = n, t
    return True, error / size


@jit
def _slope(mu, rn, rt):
    """(True if a contact is open or slides at its warm start, f of one that slides)."""
    if rn <= 0.0:
        return rt == 0.0, 0.0
    slides = abs(rt) >= (1.0 - SLIDES) * mu * rn
    return slides, (mu if rt > 0.0 else -mu)


@jit
def solve_two(W, q, mu, r, tolerance):
    """(True if r is the answer for two contacts, its residual relative to |q|)."""
    size = np.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    first, f = _slope(mu[0], r[0], r[1])
    second, g = _slope(mu[1], r[2], r[3])
    press = (r[0] > 0.0, r[2] > 0.0)
    finite = np.isfinite(size + r[0] + r[1] + r[2] + r[3])
    if not (first and second and (press[0] or press[1]) and finite and size > 0.0):
        return False, 0.0
    a, b, c, d = W[0, 0] + f * W[0, 1], W[0, 2] + g * W[0, 3], W[2, 0] + f * W[2, 1], W[2, 2] + g * W[2, 3]
    if not press[0]:
        a, b = 1.0, 0.0
    if not press[1]:
        c, d = 0.0, 1.0
    x, y = (-q[0] if press[0] else 0.0), (-q[2] if press[1] else 0.0)
    det = a * d - b * c
    if not det > 0.0:
        return False, 0.0
    n, m = (x * d - b * y) / det, (a * y - c * x) / det
    s, t = f * n, g * m
    if not (n >= 0.0 and m >= 0.0):
        return False, 0.0
    error = 0.0
    for k in range(2):
        i = 2 * k
        un = W[i, 0] * n + W[i, 1] * s + W[i, 2] * m + W[i, 3] * t + q[i]
        ut = W[i + 1, 0] * n + W[i + 1, 1] * s + W[i + 1, 2] * m + W[i + 1, 3] * t + q[i + 1]
        if k == 0:
            error += _off(W, 0, mu[0], n, s, un, ut)
        else:
            error += _off(W, 2, mu[1], m, t, un, ut)
    error = np.sqrt(error)
    if not error <= tolerance * size:
        return False, 0.0
    r[0], r[1], r[2], r[3] = n, s, m, t
    return True, error / size
