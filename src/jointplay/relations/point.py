"""Two points coincide: the separation in global axes, three rows.

    g = (r_j + A_j s_j) - (r_i + A_i s_i) - g0      [m]

Row k has the global unit vector e:   w = (-e, -(s_i x A_i^T e), e, s_j x A_j^T e).
"""

from __future__ import annotations

from ..numerics.jit import jit
from ..numerics.vec import cross, load, mul, sub
from . import in_plane
from .base import Relation
from .separation import between, speed


@jit
def lever(A, s, k):
    """Arm of the k-th global unit vector at the point s: s x A^T e_k."""
    return cross(s, (A[k, 0], A[k, 1], A[k, 2]))


@jit
def rows(c, bi, bj, past, row):
    """g, w, bias of the three components."""
    s_i = load(c.si)
    s_j = load(c.sj)
    w_i = load(bi.w)
    w_j = load(bj.w)
    d = between(c, bi, bj)
    pull = sub(mul(bj.A, cross(w_j, cross(w_j, s_j))), mul(bi.A, cross(w_i, cross(w_i, s_i))))
    for k in range(3):
        out = row[c.row[k]]
        out.g = d[k] - c.g0[k]
        out.bias = pull[k]
        w = out.w
        arm_i = lever(bi.A, s_i, k)
        arm_j = lever(bj.A, s_j, k)
        for m in range(3):
            w[m] = 0.0
            w[3 + m] = -arm_i[m]
            w[6 + m] = 0.0
            w[9 + m] = arm_j[m]
        w[k] = -1.0
        w[6 + k] = 1.0


@jit
def look(c, bi, bj, past, row):
    """g and its rate for the three components."""
    d = between(c, bi, bj)
    rate = speed(c, bi, bj)
    for k in range(3):
        row[c.row[k]].g = d[k] - c.g0[k]
        row[c.row[k]].rate = rate[k]


@jit
def planar_rows(c, bi, bj, past, row):
    """g, w, bias of the two components in the plane."""
    arm_i, arm_j = in_plane.mul(bi.A, c.si), in_plane.mul(bj.A, c.sj)
    for k in range(2):
        out = row[c.row[k]]
        out.g = bj.r[k] + arm_j[k] - (bi.r[k] + arm_i[k]) - c.g0[k]
        out.bias = bi.w[2] * bi.w[2] * arm_i[k] - bj.w[2] * bj.w[2] * arm_j[k]
        w = out.w
        w[k], w[6 + k], w[1 - k], w[7 - k] = -1.0, 1.0, 0.0, 0.0
    x, y = row[c.row[0]].w, row[c.row[1]].w
    x[5], x[11] = arm_i[1], -arm_j[1]
    y[5], y[11] = -arm_i[0], arm_j[0]


@jit
def planar_look(c, bi, bj, past, row):
    """g and its rate for the two components in the plane."""
    arm_i, arm_j = in_plane.mul(bi.A, c.si), in_plane.mul(bj.A, c.sj)
    turn_i, turn_j = in_plane.spin(bi.w[2], arm_i), in_plane.spin(bj.w[2], arm_j)
    for k in range(2):
        out = row[c.row[k]]
        out.g = bj.r[k] + arm_j[k] - (bi.r[k] + arm_i[k]) - c.g0[k]
        out.rate = bj.v[k] + turn_j[k] - (bi.v[k] + turn_i[k])


@jit
def vary(c, bi, bj, eta, out):
    """Change of w in direction eta: d(A^T e) = -eta x (A^T e)."""
    n_i = load(eta[3:6])
    n_j = load(eta[9:12])
    for k in range(3):
        e_i = (bi.A[k, 0], bi.A[k, 1], bi.A[k, 2])
        e_j = (bj.A[k, 0], bj.A[k, 1], bj.A[k, 2])
        arm_i = cross(load(c.si), cross(n_i, e_i))
        arm_j = cross(load(c.sj), cross(n_j, e_j))
        for m in range(3):
            out[k, m] = 0.0
            out[k, 3 + m] = arm_i[m]
            out[k, 6 + m] = 0.0
            out[k, 9 + m] = -arm_j[m]


POINT = Relation(
    name="point", unit="m", rows=rows, vary=vary, look=look, count=3, rotates=True,
    planar_rows=planar_rows, planar_look=planar_look,
)  # fmt: skip
