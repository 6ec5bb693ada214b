"""Separation of two points along an axis of the first body (paper C eq. 7 and 11, "dot-2").

    d = (r_j + A_j s_j) - (r_i + A_i s_i),      g = a . d - g0,      a = A_i a'      [m]

The force lambda a acts on body j at its point P_j; the opposite force acts on body i at the same place, so the arm on
body i is c' = s_i + A_i^T d:

    w = (-a, a' x c', a, s_j x a''),      a'' = A_j^T a.

"""

from __future__ import annotations

from ..numerics.jit import jit
from ..numerics.vec import add, cross, dot, load, mul, scale, store, sub, tmul
from . import in_plane
from .base import Relation


@jit
def between(c, bi, bj):
    """Separation d = P_j - P_i in global axes."""
    return sub(add(load(bj.r), mul(bj.A, load(c.sj))), add(load(bi.r), mul(bi.A, load(c.si))))


@jit
def speed(c, bi, bj):
    """Rate of d in global axes."""
    arm_i, arm_j = cross(load(bi.w), load(c.si)), cross(load(bj.w), load(c.sj))
    return sub(add(load(bj.v), mul(bj.A, arm_j)), add(load(bi.v), mul(bi.A, arm_i)))


@jit
def rows(c, bi, bj, past, row):
    """g, w, bias of a . d."""
    a = load(c.Ei[c.ki])
    s_j = load(c.sj)
    d = between(c, bi, bj)
    a_global = mul(bi.A, a)
    a_j = tmul(bj.A, a_global)
    arm = add(load(c.si), tmul(bi.A, d))
    out = row[c.row[0]]
    out.g = dot(a_global, d) - c.g0[0]
    w = out.w
    store(w[0:3], scale(-1.0, a_global))
    store(w[3:6], cross(a, arm))
    store(w[6:9], a_global)
    store(w[9:12], cross(s_j, a_j))
    # d2g/dt2 at zero acceleration: a''.d + 2 a'.d' + a.d''
    w_i = load(bi.w)
    w_j = load(bj.w)
    spin = cross(w_i, a)
    rate_d = speed(c, bi, bj)
    pull = sub(mul(bj.A, cross(w_j, cross(w_j, s_j))), mul(bi.A, cross(w_i, cross(w_i, load(c.si)))))
    out.bias = dot(cross(w_i, spin), tmul(bi.A, d)) + 2.0 * dot(mul(bi.A, spin), rate_d) + dot(a_global, pull)


@jit
def look(c, bi, bj, past, row):
    """g and its rate."""
    a = load(c.Ei[c.ki])
    d = between(c, bi, bj)
    a_global = mul(bi.A, a)
    out = row[c.row[0]]
    out.g = dot(a_global, d) - c.g0[0]
    out.rate = dot(a_global, speed(c, bi, bj)) + dot(mul(bi.A, cross(load(bi.w), a)), d)


@jit
def vary(c, bi, bj, eta, out):
    """Change of w in direction eta."""
    a = load(c.Ei[c.ki])
    s_i = load(c.si)
    s_j = load(c.sj)
    d = between(c, bi, bj)
    a_global = mul(bi.A, a)
    n_i = load(eta[3:6])
    n_j = load(eta[9:12])
    da = mul(bi.A, cross(n_i, a))
    dd = sub(add(load(eta[6:9]), mul(bj.A, cross(n_j, s_j))), add(load(eta[0:3]), mul(bi.A, cross(n_i, s_i))))
    # d(A^T x) = A^T dx - eta x (A^T x)
    d_arm = sub(tmul(bi.A, dd), cross(n_i, tmul(bi.A, d)))
    d_a_j = sub(tmul(bj.A, da), cross(n_j, tmul(bj.A, a_global)))
    store(out[0, 0:3], scale(-1.0, da))
    store(out[0, 3:6], cross(a, d_arm))
    store(out[0, 6:9], da)
    store(out[0, 9:12], cross(s_j, d_a_j))


@jit
def planar_rows(c, bi, bj, past, row):
    """g, w, bias in a plane in which the axis lies."""
    d, arm = in_plane.apart(c, bi, bj)
    v, _ = in_plane.relative(c, bi, bj, d, arm)
    a, C, w_i, w_j = in_plane.load(c.Ei[c.ki]), in_plane.add(in_plane.load(c.si), d), bi.w[2], bj.w[2]
    along = in_plane.mul(bi.A, a)
    lag = in_plane.spin(w_i, in_plane.add(in_plane.scale(2.0, v), in_plane.spin(w_i, C)))
    pull = in_plane.spin(w_j, in_plane.spin(w_j, arm))
    out = row[c.row[0]]
    out.g, out.bias = in_plane.dot(a, d) - c.g0[0], in_plane.dot(a, in_plane.sub(pull, lag))
    w = out.w
    w[0], w[1], w[5] = -along[0], -along[1], in_plane.cross(a, C)
    w[6], w[7], w[11] = along[0], along[1], in_plane.cross(arm, a)


@jit
def planar_look(c, bi, bj, past, row):
    """g and its rate in a plane in which the axis lies."""
    d, arm = in_plane.apart(c, bi, bj)
    v, _ = in_plane.relative(c, bi, bj, d, arm)
    a, out = in_plane.load(c.Ei[c.ki]), row[c.row[0]]
    out.g, out.rate = in_plane.dot(a, d) - c.g0[0], in_plane.dot(a, v)


SEPARATION = Relation(
    name="separation", unit="m", rows=rows, vary=vary, look=look, linear=True,
    planar_rows=planar_rows, planar_look=planar_look, planar_axes=("first",),
)  # fmt: skip
