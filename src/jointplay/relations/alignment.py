"""Cosine between an axis of the first body and an axis of the second (paper C eq. 7 and 9, "dot-1").

    g = a . b - g0,      a = A_i a',  b = A_j b'      [-]

    w = (0, a' x b_i, 0, b' x a_j),      b_i = A_i^T b,  a_j = A_j^T a.

For axes that stand at right angles, g is the sine of the small angle between them, and lambda is a torque in N m.
"""

from __future__ import annotations

from ..numerics.jit import jit, link
from ..numerics.vec import cross, dot, load, mul, store, sub, tmul
from . import in_plane
from .base import Relation


@jit
def rows(c, bi, bj, past, row):
    """g, w, bias of a . b."""
    a = load(c.Ei[c.ki])
    b = load(c.Ej[c.kj])
    b_i = tmul(bi.A, mul(bj.A, b))
    a_j = tmul(bj.A, mul(bi.A, a))
    out = row[c.row[0]]
    out.g = dot(a, b_i) - c.g0[0]
    w = out.w
    w[0:3] = 0.0
    store(w[3:6], cross(a, b_i))
    w[6:9] = 0.0
    store(w[9:12], cross(b, a_j))
    # d2g/dt2 at zero acceleration: a''.b + 2 a'.b' + a.b''
    w_i = load(bi.w)
    w_j = load(bj.w)
    spin_a = cross(w_i, a)
    spin_b = cross(w_j, b)
    out.bias = (
        dot(cross(w_i, spin_a), b_i) + 2.0 * dot(mul(bi.A, spin_a), mul(bj.A, spin_b)) + dot(cross(w_j, spin_b), a_j)
    )


@jit
def look(c, bi, bj, past, row):
    """g and its rate."""
    a = load(c.Ei[c.ki])
    b = load(c.Ej[c.kj])
    b_i = tmul(bi.A, mul(bj.A, b))
    a_j = tmul(bj.A, mul(bi.A, a))
    out = row[c.row[0]]
    out.g = dot(a, b_i) - c.g0[0]
    out.rate = dot(cross(load(bi.w), a), b_i) + dot(cross(load(bj.w), b), a_j)


@jit
def vary(c, bi, bj, eta, out):
    """Change of w in direction eta."""
    a = load(c.Ei[c.ki])
    b = load(c.Ej[c.kj])
    a_global = mul(bi.A, a)
    b_global = mul(bj.A, b)
    n_i = load(eta[3:6])
    n_j = load(eta[9:12])
    da = mul(bi.A, cross(n_i, a))
    db = mul(bj.A, cross(n_j, b))
    # d(A^T x) = A^T dx - eta x (A^T x)
    db_i = sub(tmul(bi.A, db), cross(n_i, tmul(bi.A, b_global)))
    da_j = sub(tmul(bj.A, da), cross(n_j, tmul(bj.A, a_global)))
    out[0, 0:3] = 0.0
    store(out[0, 3:6], cross(a, db_i))
    out[0, 6:9] = 0.0
    store(out[0, 9:12], cross(b, da_j))


@link
def planar_axes(c, bi, bj):
    """Both axes, in axes of body i; they lie in the plane."""
    return in_plane.load(c.Ei[c.ki]), in_plane.tmul(bi.A, in_plane.mul(bj.A, in_plane.load(c.Ej[c.kj])))


@jit
def planar_rows(c, bi, bj, past, row):
    """g, w, bias in a plane in which the axes lie."""
    a, b = planar_axes(c, bi, bj)
    cosine, sine, turn = in_plane.dot(a, b), in_plane.cross(a, b), bj.w[2] - bi.w[2]
    out = row[c.row[0]]
    out.g, out.bias = cosine - c.g0[0], -(turn * turn * cosine)
    w = out.w
    w[0], w[1], w[5], w[6], w[7], w[11] = 0.0, 0.0, sine, 0.0, 0.0, -sine


@jit
def planar_look(c, bi, bj, past, row):
    """g and its rate in a plane in which the axes lie."""
    a, b = planar_axes(c, bi, bj)
    out = row[c.row[0]]
    out.g, out.rate = in_plane.dot(a, b) - c.g0[0], (bi.w[2] - bj.w[2]) * in_plane.cross(a, b)


ALIGNMENT = Relation(
    name="alignment", unit="rad", rows=rows, vary=vary, look=look, rotates=True,
    planar_rows=planar_rows, planar_look=planar_look, planar_axes=("first", "second"),
)  # fmt: skip
