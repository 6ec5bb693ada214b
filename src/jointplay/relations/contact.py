"""What the contacts share: three rows at one contact point, written in axes of body i.

A contact relation names, in axes of body i and measured from r_i, a contact point C' and three directions a': the
normal, along which lambda >= 0 pushes body j so that the gap grows, and two tangents. The row of a direction is the
velocity of body j relative to body i along a = A_i a', at the two material points that meet in C:

    w = (-a, a' x C', a, s_c x A_j^T a),      s_c = A_j^T (r_i + A_i C' - r_j).

Row 0 also carries the gap g (m, open when positive); the tangents have no coordinate, g = 0. C' and a' move over both
bodies, so w changes with the motion even along a tangent. With the point P_j of body j at P' = s_i + d' and

    C' = P' + o',   v' = change of d',   W' = turn of body j relative to body i        (all in axes of i)

every change follows from da' and do', which is all that a relation has to give:

    dC' = v' + do',   d(A_j^T A_i x') = A_j^T A_i (dx' - W' x x').

The arm on body j is s_c = A_j^T A_i S' with S' = A_i^T A_j s_j + o', which needs no difference of large positions.
"""

from __future__ import annotations

import numpy as np

from ..numerics.jit import jit
from ..numerics.vec import add, cross, dot, load, mul, scale, store, sub, tmul


@jit
def apart(c, bi, bj):
    """Separation d' of the points and the arm A_i^T A_j s_j of P_j, both in axes of body i."""
    arm = mul(bj.A, load(c.sj))
    # positions first, then arms: a gap of a micrometre keeps its digits far away from the origin
    d = add(sub(load(bj.r), load(bi.r)), sub(arm, mul(bi.A, load(c.si))))
    return tmul(bi.A, d), tmul(bi.A, arm)


@jit
def relative(c, bi, bj, d, arm, e_i, n_i, e_j, n_j):
    """Displacement v' of P_j and turn W' of body j, seen from body i, when the bodies move by e and turn by n."""
    n = tmul(bi.A, mul(bj.A, n_j))
    v = add(tmul(bi.A, sub(e_j, e_i)), sub(cross(n, arm), cross(n_i, add(load(c.si), d))))
    return v, sub(n, n_i)


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
    """o' and do' of a round contact: from the centre P_j to where the members touch, along e'.

    The field is read by name because ``c.shape`` means something else to NumPy when kernels run as plain Python.
    """
    radius = c["shape"][1]
    if c["shape"][2].real > 0.0:
        # the inner member is on body i: what surrounds it touches it on the side away from e'
        far = -(rho + radius)
        return scale(far, e), sub(scale(far, de), scale(d_rho, e))
    return scale(radius, e), scale(radius, de)


@jit
def write_rows(c, bi, bj, d, arm, v, turn, g, axes, d_axes, o, d_o, row):
    """g, w, bias of the three rows; v, turn, d_axes and d_o are rates along the motion of the bodies."""
    w_i = load(bi.w)
    w_j = add(turn, w_i)
    C = add(add(load(c.si), d), o)
    S = add(arm, o)
    # relative velocity at C in axes of body i, and its rate at zero acceleration: w . u = a'. slip
    slip = add(v, cross(turn, o))
    lag = cross(w_i, add(add(slip, v), cross(w_i, C)))
    d_slip = sub(add(cross(w_j, add(cross(w_j, arm), cross(w_i, o))), cross(turn, d_o)), lag)
    for k in range(3):
        a = axes[k]
        a_global = mul(bi.A, a)
        out = row[c.row[k]]
        out.g = 0.0
        out.bias = dot(d_axes[k], slip) + dot(a, d_slip)
        w = out.w
        store(w[0:3], scale(-1.0, a_global))
        store(w[3:6], cross(a, C))
        store(w[6:9], a_global)
        store(w[9:12], tmul(bj.A, mul(bi.A, cross(S, a))))
    row[c.row[0]].g = g


@jit
def look_around(c, x, dx, row):
    """g and its rate in a round clearance, for the offset x of the centres and its rate."""
    rho = np.sqrt(dot(x, x))
    out = row[c.row[0]]
    out.g = c["shape"][0] - rho
    out.rate = 0.0 * rho
    if rho.real != 0.0:
        out.rate = -dot(x, dx) / rho


@jit
def write_look(c, v, turn, g, normal, o, row):
    """g and its rate along the normal; the tangents have no coordinate."""
    out = row[c.row[0]]
    out.g = g
    out.rate = dot(normal, add(v, cross(turn, o)))


@jit
def write_changes(c, bi, bj, d, arm, v, turn, axes, d_axes, o, d_o, n_i, out):
    """Change of the three w when body i turns by n_i; v, turn, d_axes and d_o belong to the same displacement."""
    C = add(add(load(c.si), d), o)
    S = add(arm, o)
    d_C = add(v, d_o)
    d_S = sub(d_o, cross(turn, o))
    for k in range(3):
        a = axes[k]
        da = d_axes[k]
        da_global = mul(bi.A, add(cross(n_i, a), da))
        d_arm = add(cross(d_S, a), cross(S, sub(da, cross(turn, a))))
        store(out[k, 0:3], scale(-1.0, da_global))
        store(out[k, 3:6], add(cross(da, C), cross(a, d_C)))
        store(out[k, 6:9], da_global)
        store(out[k, 9:12], tmul(bj.A, mul(bi.A, d_arm)))
