"""Signed angle about the joint axis of the first body, turns counted.

    x = h . e,  y = t . e,      g = sign atan2(y, x) + 2 pi k - g0      [rad]

h, t are the normals of the joint frame on body i and e an axis of the frame on body j. The whole number k is the one
that brings g nearest to its last accepted value (State.memory), so turns are counted and evaluations have no memory
of their own. Paper C eq. 17 and 19 use arcsin, which stops at 90 degrees (docs/theory/sources.md).

    w = sign (x w_y - y w_x) / (x2 + y2),  with the rows w_x, w_y of the two cosines (relation "alignment").
"""

from __future__ import annotations

import numpy as np

from ..numerics.jit import jit, link
from ..numerics.vec import add, cross, dot, load, mul, scale, store, sub, tmul
from . import in_plane
from .base import Relation


@jit
def angle_of(y, x):
    """atan2 of real arguments, or of complex ones whose small imaginary parts carry a derivative."""
    dy = y - y.real
    dx = x - x.real
    return np.arctan2(y.real, x.real) + (x.real * dy - y.real * dx) / (x.real * x.real + y.real * y.real)


@jit
def rows(c, bi, bj, past, row):
    """g, w, bias of the angle."""
    h = load(c.Ei[0])
    t = load(c.Ei[1])
    e = load(c.Ej[c.kj])
    e_i = tmul(bi.A, mul(bj.A, e))
    x = dot(h, e_i)
    y = dot(t, e_i)
    size = x * x + y * y
    out = row[c.row[0]]
    g = c.sign * angle_of(y, x) - c.g0[0]
    turns = np.rint((past[0] - g.real) / (2.0 * np.pi))
    out.g = g + 2.0 * np.pi * turns
    # q = x t - y h turns with the angle: w_i = q x e_i, w_j = e x (A_j^T A_i q)
    q = sub(scale(x, t), scale(y, h))
    q_j = tmul(bj.A, mul(bi.A, q))
    factor = c.sign / size
    w = out.w
    w[0:3] = 0.0
    store(w[3:6], scale(factor, cross(q, e_i)))
    w[6:9] = 0.0
    store(w[9:12], scale(factor, cross(e, q_j)))
    # second derivative of atan2: (x y'' - y x'') / size - 2 (x y' - y x') (x x' + y y') / size^2
    w_i = load(bi.w)
    w_j = load(bj.w)
    spin_e = cross(w_j, e)
    relative = sub(tmul(bi.A, mul(bj.A, spin_e)), cross(w_i, e_i))  # rate of e in axes of i
    twice = tmul(bi.A, mul(bj.A, cross(w_j, spin_e)))
    accel = add(sub(twice, scale(2.0, cross(w_i, tmul(bi.A, mul(bj.A, spin_e))))), cross(w_i, cross(w_i, e_i)))
    rate_x = dot(h, relative)
    rate_y = dot(t, relative)
    out.bias = factor * (
        x * dot(t, accel) - y * dot(h, accel) - 2.0 * (x * rate_y - y * rate_x) * (x * rate_x + y * rate_y) / size
    )


@jit
def angles(c, bi, bj, past, row):
    """g and its rate; there is no second angle."""
    h = load(c.Ei[0])
    t = load(c.Ei[1])
    e = load(c.Ej[c.kj])
    e_i = tmul(bi.A, mul(bj.A, e))
    x = dot(h, e_i)
    y = dot(t, e_i)
    g = c.sign * angle_of(y, x) - c.g0[0]
    rate_e = sub(tmul(bi.A, mul(bj.A, cross(load(bj.w), e))), cross(load(bi.w), e_i))
    rate = c.sign * (x * dot(t, rate_e) - y * dot(h, rate_e)) / (x * x + y * y)
    return g + 2.0 * np.pi * np.rint((past[0] - g.real) / (2.0 * np.pi)), rate, 0.0 * rate, 0.0 * rate


@jit
def look(c, bi, bj, past, row):
    """g and its rate."""
    out = row[c.row[0]]
    out.g, out.rate, _, _ = angles(c, bi, bj, past, row)


@link
def planar_cosines(c, bi, bj):
    """x, y, and the rate of g for one turn of body j about z; all three axes lie in the plane.

    w = (0, 0, 0, 0, 0, -s, 0, 0, 0, 0, 0, s) with s = sign (h x t)_z, and there is no bias.
    """
    h, t = in_plane.load(c.Ei[0]), in_plane.load(c.Ei[1])
    e_i = in_plane.tmul(bi.A, in_plane.mul(bj.A, in_plane.load(c.Ej[c.kj])))
    return in_plane.dot(h, e_i), in_plane.dot(t, e_i), c.sign * in_plane.cross(h, t)


@link
def nearest(c, x, y, past):
    """g with the turns that bring it nearest to its last accepted value."""
    g = c.sign * angle_of(y, x) - c.g0[0]
    return g + 2.0 * np.pi * np.rint((past[0] - g.real) / (2.0 * np.pi))


@jit
def planar_rows(c, bi, bj, past, row):
    """g, w, bias in a plane, where it is the turn of body j against body i but for a constant."""
    x, y, s = planar_cosines(c, bi, bj)
    out = row[c.row[0]]
    out.g, out.bias = nearest(c, x, y, past), 0.0 * x
    w = out.w
    w[0], w[1], w[5], w[6], w[7], w[11] = 0.0, 0.0, -s, 0.0, 0.0, s


@jit
def planar_look(c, bi, bj, past, row):
    """g and its rate in a plane."""
    x, y, s = planar_cosines(c, bi, bj)
    out = row[c.row[0]]
    out.g, out.rate = nearest(c, x, y, past), s * (bj.w[2] - bi.w[2])


@jit
def vary(c, bi, bj, eta, out):
    """Change of w in direction eta."""
    h = load(c.Ei[0])
    t = load(c.Ei[1])
    e = load(c.Ej[c.kj])
    n_i = load(eta[3:6])
    n_j = load(eta[9:12])
    e_i = tmul(bi.A, mul(bj.A, e))
    de_i = sub(tmul(bi.A, mul(bj.A, cross(n_j, e))), cross(n_i, e_i))
    x = dot(h, e_i)
    y = dot(t, e_i)
    dx = dot(h, de_i)
    dy = dot(t, de_i)
    size = x * x + y * y
    factor = c.sign / size
    d_factor = -factor * 2.0 * (x * dx + y * dy) / size
    q = sub(scale(x, t), scale(y, h))
    dq = sub(scale(dx, t), scale(dy, h))
    q_j = tmul(bj.A, mul(bi.A, q))
    dq_j = sub(tmul(bj.A, mul(bi.A, add(dq, cross(n_i, q)))), cross(n_j, q_j))
    out[0, 0:3] = 0.0
    store(out[0, 3:6], add(scale(d_factor, cross(q, e_i)), scale(factor, add(cross(dq, e_i), cross(q, de_i)))))
    out[0, 6:9] = 0.0
    store(out[0, 9:12], add(scale(d_factor, cross(e, q_j)), scale(factor, cross(e, dq_j))))


ANGLE = Relation(
    name="angle", unit="rad", rows=rows, vary=vary, look=look, turns=1, angles=angles, rotates=True,
    planar_rows=planar_rows, planar_look=planar_look, planar_axes=("h", "t", "second"),
)  # fmt: skip
