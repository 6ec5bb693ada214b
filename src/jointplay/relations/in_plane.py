"""Relations of planar models, in the plane: the formulas of relations/contact.py with the turn as one number.

Bodies move in the x-y plane and turn about z. Then the third row of a point or of a contact is dropped, A is a turn by
one angle, W' and w' have one component, and of w six numbers are not zero:

    w = (-a_x, -a_y, 0, 0, 0, (a' x C')_z,   a_x, a_y, 0, 0, 0, (S' x a')_z).

Vectors are ``(x, y)``. The others stay zero, as they are from the beginning.
"""

from __future__ import annotations

import numpy as np

from ..numerics.jit import jit


@jit
def mul(A, a):
    """A a."""
    return A[0, 0] * a[0] - A[1, 0] * a[1], A[1, 0] * a[0] + A[0, 0] * a[1]


@jit
def tmul(A, a):
    """A^T a."""
    return A[0, 0] * a[0] + A[1, 0] * a[1], A[0, 0] * a[1] - A[1, 0] * a[0]


@jit
def spin(w, a):
    """w z x a."""
    return -w * a[1], w * a[0]


@jit
def cross(a, b):
    """(a x b)_z."""
    return a[0] * b[1] - a[1] * b[0]


@jit
def dot(a, b):
    """a . b."""
    return a[0] * b[0] + a[1] * b[1]


@jit
def add(a, b):
    """a + b."""
    return a[0] + b[0], a[1] + b[1]


@jit
def sub(a, b):
    """a - b."""
    return a[0] - b[0], a[1] - b[1]


@jit
def scale(s, a):
    """s a."""
    return s * a[0], s * a[1]


@jit
def load(x):
    """Vector from the first two entries of an array."""
    return x[0], x[1]


@jit
def apart(c, bi, bj):
    """Separation d' of the points and the arm A_i^T A_j s_j of P_j, both in axes of body i."""
    arm = mul(bj.A, load(c.sj))
    d = add(sub(load(bj.r), load(bi.r)), sub(arm, mul(bi.A, load(c.si))))
    return tmul(bi.A, d), tmul(bi.A, arm)


@jit
def relative(c, bi, bj, d, arm):
    """Velocity v' of P_j and turn W' of body j, seen from body i."""
    v = add(tmul(bi.A, sub(load(bj.v), load(bi.v))), sub(spin(bj.w[2], arm), spin(bi.w[2], add(load(c.si), d))))
    return v, bj.w[2] - bi.w[2]


@jit
def unit(x, dx):
    """Length and direction of x, and their changes; all zero for x = 0, which has no direction."""
    length = np.sqrt(dot(x, x))
    if length.real == 0.0:
        zero = scale(0.0, x)
        return length, 0.0 * length, zero, zero
    e = scale(1.0 / length, x)
    growth = dot(e, dx)
    return length, growth, e, scale(1.0 / length, sub(dx, scale(growth, e)))


@jit
def reach(c, rho, d_rho, e, de):
    """o' and do' of a round contact, as in relations/contact.py."""
    radius = c["shape"][1]
    if c["shape"][2].real > 0.0:
        far = -(rho + radius)
        return scale(far, e), sub(scale(far, de), scale(d_rho, e))
    return scale(radius, e), scale(radius, de)


@jit
def write_rows(c, bi, bj, d, arm, v, turn, g, axes, d_axes, o, d_o, row):
    """g, w, bias of the normal and the tangent in the plane; symbols as in relations/contact.py."""
    w_i, w_j = bi.w[2], bj.w[2]
    C, S = add(add(load(c.si), d), o), add(arm, o)
    slip = add(v, spin(turn, o))
    lag = spin(w_i, add(add(slip, v), spin(w_i, C)))
    d_slip = sub(add(spin(w_j, add(spin(w_j, arm), spin(w_i, o))), spin(turn, d_o)), lag)
    for k in range(2):
        a = axes[k]
        along = mul(bi.A, a)
        out = row[c.row[k]]
        out.g = 0.0
        out.bias = dot(d_axes[k], slip) + dot(a, d_slip)
        w = out.w
        w[0], w[1], w[5] = -along[0], -along[1], cross(a, C)
        w[6], w[7], w[11] = along[0], along[1], cross(S, a)
    row[c.row[0]].g = g
