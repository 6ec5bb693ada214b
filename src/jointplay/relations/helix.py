"""A displacement and a turn that belong together: screws, and racks with their pinions.

    z = a . d,      a = A_i a'                                separation along an axis of body i (relation "separation")
    phi = atan2(t . e, h . e)                                 turn of body j about b of body i, turns counted ("angle")

    g = a_z z + a_phi phi - g0      [m],      a_z = shape[0], a_phi = shape[1] in m/rad

The displacement is along b for a screw and across it for a rack. The row is the same sum of the rows of both.
"""

from __future__ import annotations

import numpy as np

from ..numerics.jit import jit
from ..numerics.vec import add, cross, dot, load, mul, scale, store, store_row, sub, tmul
from .angle import angle_of
from .base import Relation
from .mesh import moved, seen


@jit
def turn_of(c, bi, bj):
    """e in axes of body i, its components x, y across b, and the gradient q of the turn."""
    h, t = load(c.Ei[0]), load(c.Ei[1])
    e = tmul(bi.A, mul(bj.A, load(c.Ej[c.kj])))
    x, y = dot(h, e), dot(t, e)
    return e, x, y, scale(1.0 / (x * x + y * y), sub(scale(x, t), scale(y, h)))


@jit
def counted(x, y, past):
    """The turn nearest to ``past``."""
    angle = angle_of(y, x)
    return angle + 2.0 * np.pi * np.rint((past - angle.real) / (2.0 * np.pi))


@jit
def change_of_row(c, bi, bj, e_i, n_i, e_j, n_j):
    """Change of w when the bodies move by e and turn by n: four vectors."""
    p, f = c["shape"][0], c["shape"][1]
    s_i, s_j, a = load(c.si), load(c.sj), load(c.Ei[c.ki])
    u = seen(bi, s_i, bj, s_j)
    du = moved(bi, s_i, bj, s_j, u, e_i, n_i, e_j, n_j)
    a_global, da = mul(bi.A, a), mul(bi.A, cross(n_i, a))
    d_arm = sub(tmul(bj.A, da), cross(n_j, tmul(bj.A, a_global)))
    h, t, axis = load(c.Ei[0]), load(c.Ei[1]), load(c.Ej[c.kj])
    e, x, y, q = turn_of(c, bi, bj)
    de = sub(tmul(bi.A, mul(bj.A, cross(n_j, axis))), cross(n_i, e))
    dx, dy = dot(h, de), dot(t, de)
    size = x * x + y * y
    dq = scale(1.0 / size, sub(sub(scale(dx, t), scale(dy, h)), scale(2.0 * (x * dx + y * dy), q)))
    dq_j = sub(tmul(bj.A, mul(bi.A, add(dq, cross(n_i, q)))), cross(n_j, tmul(bj.A, mul(bi.A, q))))
    return (
        scale(-p, da),
        add(scale(p, cross(a, du)), scale(f, add(cross(dq, e), cross(q, de)))),
        scale(p, da),
        add(scale(p, cross(s_j, d_arm)), scale(f, cross(axis, dq_j))),
    )


@jit
def rows(c, bi, bj, past, row):
    """g, w, bias of the sum."""
    p, f = c["shape"][0], c["shape"][1]
    s_i, s_j, a = load(c.si), load(c.sj), load(c.Ei[c.ki])
    u, a_global = seen(bi, s_i, bj, s_j), mul(bi.A, a)
    e, x, y, q = turn_of(c, bi, bj)
    out = row[c.row[0]]
    out.g = p * dot(a, u) + f * counted(x, y, past[0]) - c.g0[0]
    store(out.w[0:3], scale(-p, a_global))
    store(out.w[3:6], add(scale(p, cross(a, add(s_i, u))), scale(f, cross(q, e))))
    store(out.w[6:9], scale(p, a_global))
    turning = scale(f, cross(load(c.Ej[c.kj]), tmul(bj.A, mul(bi.A, q))))
    store(out.w[9:12], add(scale(p, cross(s_j, tmul(bj.A, a_global))), turning))
    v_i, w_i, v_j, w_j = load(bi.v), load(bi.w), load(bj.v), load(bj.w)
    d = change_of_row(c, bi, bj, v_i, w_i, v_j, w_j)
    out.bias = dot(d[0], v_i) + dot(d[1], w_i) + dot(d[2], v_j) + dot(d[3], w_j)


@jit
def angles(c, bi, bj, past, row):
    """The turn and its rate; there is no second one."""
    e, x, y, q = turn_of(c, bi, bj)
    rate = dot(q, sub(tmul(bi.A, mul(bj.A, cross(load(bj.w), load(c.Ej[c.kj])))), cross(load(bi.w), e)))
    return counted(x, y, past[0]), rate, 0.0 * rate, 0.0 * rate


@jit
def look(c, bi, bj, past, row):
    """g and its rate."""
    p, f = c["shape"][0], c["shape"][1]
    s_i, s_j, a = load(c.si), load(c.sj), load(c.Ei[c.ki])
    u = seen(bi, s_i, bj, s_j)
    phi, rate, _, _ = angles(c, bi, bj, past, row)
    out = row[c.row[0]]
    out.g = p * dot(a, u) + f * phi - c.g0[0]
    du = moved(bi, s_i, bj, s_j, u, load(bi.v), load(bi.w), load(bj.v), load(bj.w))
    out.rate = p * dot(a, du) + f * rate


@jit
def vary(c, bi, bj, eta, out):
    """Change of w in direction eta."""
    store_row(out[0], change_of_row(c, bi, bj, load(eta[0:3]), load(eta[3:6]), load(eta[6:9]), load(eta[9:12])))


HELIX = Relation(name="helix", unit="m", rows=rows, vary=vary, look=look, turns=1, angles=angles)
