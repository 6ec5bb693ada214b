"""Rows that hold most joints in space, and M^-1 w of them while they are in registers.

Relations between the same two markers are evaluated in one go, with what they share found once.

A hinge is three separations and two alignments, a slide two and three. Each of them by itself turns the same arms and
velocities into other axes. Here all is in the axes of the first body, with Q = A_i^T A_j (relations/separation.py and
relations/alignment.py define the rows):

    d = A_i^T (r_j - r_i) + Q s_j - s_i,     o = Q w_j - w_i

The second derivative of a . d at zero acceleration is a . pull with one vector ``pull`` for all separations. That of
a . b is a . (o x (o x b) - (w_i x Q w_j) x b) with b in these axes.
"""

from __future__ import annotations

from ..numerics.jit import jit, link
from ..numerics.vec import add, cross, dot, load, mul, scale, sub, tmul
from . import in_plane
from .alignment import ALIGNMENT
from .point import POINT, lever
from .registry import REGISTRY, number_of
from .separation import SEPARATION, between

KINDS = (SEPARATION, ALIGNMENT)  # what may be evaluated together
DISTANCE, BALL, PIN = REGISTRY.index(SEPARATION), REGISTRY.index(POINT), number_of(POINT, True)


@jit
def between_axes(A, B):
    """A^T B, row by row."""
    x = tmul(A, (B[0, 0], B[1, 0], B[2, 0]))
    y = tmul(A, (B[0, 1], B[1, 1], B[2, 1]))
    z = tmul(A, (B[0, 2], B[1, 2], B[2, 2]))
    return (x[0], y[0], z[0]), (x[1], y[1], z[1]), (x[2], y[2], z[2])


@jit
def ahead(Q, a):
    """Q a."""
    return dot(Q[0], a), dot(Q[1], a), dot(Q[2], a)


@jit
def back(Q, a):
    """Q^T a."""
    return add(add(scale(a[0], Q[0]), scale(a[1], Q[1])), scale(a[2], Q[2]))


@jit
def put_turns(w, v, turn_i, turn_j, mi, mj):
    """The parts of a row for angular velocities, and of M^-1 w."""
    light_i, light_j = mul(mi.Jinv, turn_i), mul(mj.Jinv, turn_j)
    for m in range(3):
        w[3 + m], w[9 + m], v[3 + m], v[9 + m] = turn_i[m], turn_j[m], light_i[m], light_j[m]


@jit
def rows_together(relation, first, count, bi, bj, mi, mj, bent, row, weighed):
    """g, w and M^-1 w of ``count`` relations from ``first``, of one component each, between the same markers.

    ``mi`` and ``mj`` are the inertia of the two bodies. The bias only if it is wanted (``bent``).
    """
    head = relation[first]
    s_i, s_j, w_i, w_j = load(head.si), load(head.sj), load(bi.w), load(bj.w)
    Q = between_axes(bi.A, bj.A)
    d = sub(add(tmul(bi.A, sub(load(bj.r), load(bi.r))), ahead(Q, s_j)), s_i)
    arm = add(s_i, d)
    axis = relation[first + count - 1].kj  # most often all alignments have the same
    b = load(head.Ej[axis])
    b_i = ahead(Q, b)
    pull, o, swing, bend = d, d, d, d
    if bent:
        spin_i, spin_j = cross(w_i, s_i), cross(w_j, s_j)
        rate = sub(add(tmul(bi.A, sub(load(bj.v), load(bi.v))), ahead(Q, spin_j)), spin_i)
        pull = sub(ahead(Q, cross(w_j, spin_j)), cross(w_i, spin_i))
        pull = add(pull, cross(w_i, sub(cross(w_i, d), scale(2.0, rate))))
        turn = ahead(Q, w_j)
        o, swing = sub(turn, w_i), cross(w_i, turn)
        bend = sub(cross(o, cross(o, b_i)), cross(swing, b_i))
    for k in range(first, first + count):
        c = relation[k]
        out = row[c.row[0]]
        a = load(head.Ei[c.ki])
        a_j = back(Q, a)
        w, v = out.w, weighed[c.row[0]]
        if c.kind == DISTANCE:
            a_global = mul(bi.A, a)
            out.g = dot(a, d) - c.g0[0]
            if bent:
                out.bias = dot(a, pull)
            for m in range(3):
                w[m], w[6 + m] = -a_global[m], a_global[m]
                v[m], v[6 + m] = -(mi.minv[m] * a_global[m]), mj.minv[m] * a_global[m]
            turn_i, turn_j = cross(a, arm), cross(s_j, a_j)
        else:
            if c.kj != axis:
                axis, b = c.kj, load(head.Ej[c.kj])
                b_i = ahead(Q, b)
                bend = sub(cross(o, cross(o, b_i)), cross(swing, b_i))
            out.g = dot(a, b_i) - c.g0[0]
            if bent:
                out.bias = dot(a, bend)
            for m in range(3):
                w[m], w[6 + m], v[m], v[6 + m] = 0.0, 0.0, 0.0, 0.0
            turn_i, turn_j = cross(a, b_i), cross(b, a_j)
        put_turns(w, v, turn_i, turn_j, mi, mj)


@jit
def weighed_rows(c, bi, bj, mi, mj, bent, row, weighed):
    """g, w and M^-1 w of a point that is held in all directions (relations/point.py), and the bias if it is wanted."""
    s_i, s_j, w_i, w_j = load(c.si), load(c.sj), load(bi.w), load(bj.w)
    d = between(c, bi, bj)
    pull = d
    if bent:
        pull = sub(mul(bj.A, cross(w_j, cross(w_j, s_j))), mul(bi.A, cross(w_i, cross(w_i, s_i))))
    for k in range(3):
        out, v = row[c.row[k]], weighed[c.row[k]]
        out.g = d[k] - c.g0[k]
        if bent:
            out.bias = pull[k]
        turn_i, turn_j = scale(-1.0, lever(bi.A, s_i, k)), lever(bj.A, s_j, k)
        w = out.w
        for m in range(3):
            w[m], w[6 + m], v[m], v[6 + m] = 0.0, 0.0, 0.0, 0.0
        w[k], w[6 + k], v[k], v[6 + k] = -1.0, 1.0, -mi.minv[k], mj.minv[k]
        put_turns(w, v, turn_i, turn_j, mi, mj)


@link
def weighed_pin(c, bi, bj, mi, mj, row, weighed):
    """``weighed_rows`` in a plane: the two rows of a pin."""
    a, b = in_plane.mul(bi.A, c.si), in_plane.mul(bj.A, c.sj)
    x, y, p, q = row[c.row[0]], row[c.row[1]], weighed[c.row[0]], weighed[c.row[1]]
    pull_i, pull_j = bi.w[2] * bi.w[2], bj.w[2] * bj.w[2]
    x.g, x.bias = bj.r[0] + b[0] - (bi.r[0] + a[0]) - c.g0[0], pull_i * a[0] - pull_j * b[0]
    y.g, y.bias = bj.r[1] + b[1] - (bi.r[1] + a[1]) - c.g0[1], pull_i * a[1] - pull_j * b[1]
    w, z, light_i, light_j = x.w, y.w, mi.Jinv[2, 2], mj.Jinv[2, 2]
    w[0], w[1], w[5], w[6], w[7], w[11] = -1.0, 0.0, a[1], 1.0, 0.0, -b[1]
    z[0], z[1], z[5], z[6], z[7], z[11] = 0.0, -1.0, -a[0], 0.0, 1.0, b[0]
    p[0], p[1], p[5], p[6], p[7], p[11] = -mi.minv[0], 0.0, light_i * a[1], mj.minv[0], 0.0, -(light_j * b[1])
    q[0], q[1], q[5], q[6], q[7], q[11] = 0.0, -mi.minv[1], -(light_i * a[0]), 0.0, mj.minv[1], light_j * b[0]
