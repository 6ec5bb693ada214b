"""Length of the line between a point of each body.

    g = |d| - g0,      n = d / |d|,      w = n . D      [m]

where D u is the rate of d. Because g is a length and not a square, lambda is the force along the line (positive
pushes the points apart), and it stays finite for long lines. At |d| = 0 the direction is undefined: n = 0 is taken, so
that a spring of free length zero passes through its anchor (its force k |d| n is smooth there).
"""

from __future__ import annotations

import numpy as np

from ..numerics.jit import jit
from ..numerics.vec import add, cross, dot, load, mul, scale, store, sub, tmul
from .base import Relation
from .separation import between, speed


@jit
def direction(d):
    """|d| and the unit vector along d (zero for d = 0)."""
    length = np.sqrt(dot(d, d))
    if length == 0.0:
        return length, scale(0.0, d)
    return length, scale(1.0 / length, d)


@jit
def write(c, bi, bj, n, w):
    """Row of n . D for a direction n in global axes."""
    store(w[0:3], scale(-1.0, n))
    store(w[3:6], cross(tmul(bi.A, n), load(c.si)))
    store(w[6:9], n)
    store(w[9:12], cross(load(c.sj), tmul(bj.A, n)))


@jit
def rows(c, bi, bj, past, row):
    """g, w, bias of |d|."""
    s_i = load(c.si)
    s_j = load(c.sj)
    w_i = load(bi.w)
    w_j = load(bj.w)
    d = between(c, bi, bj)
    length, n = direction(d)
    out = row[c.row[0]]
    out.g = length - c.g0[0]
    write(c, bi, bj, n, out.w)
    # n'.d' + n.d'' at zero acceleration, n' = (d' - n (n.d')) / |d|
    rate_d = speed(c, bi, bj)
    pull = sub(mul(bj.A, cross(w_j, cross(w_j, s_j))), mul(bi.A, cross(w_i, cross(w_i, s_i))))
    along = dot(n, rate_d)
    out.bias = dot(n, pull)
    if length != 0.0:
        out.bias += (dot(rate_d, rate_d) - along * along) / length


@jit
def look(c, bi, bj, past, row):
    """g and its rate."""
    length, n = direction(between(c, bi, bj))
    row[c.row[0]].g = length - c.g0[0]
    row[c.row[0]].rate = dot(n, speed(c, bi, bj))


@jit
def vary(c, bi, bj, eta, out):
    """Change of w in direction eta (meaningless at |d| = 0, where it is zero)."""
    s_i = load(c.si)
    s_j = load(c.sj)
    n_i = load(eta[3:6])
    n_j = load(eta[9:12])
    d = between(c, bi, bj)
    length, n = direction(d)
    dd = sub(add(load(eta[6:9]), mul(bj.A, cross(n_j, s_j))), add(load(eta[0:3]), mul(bi.A, cross(n_i, s_i))))
    dn = scale(0.0, n)
    if length != 0.0:
        dn = scale(1.0 / length, sub(dd, scale(dot(n, dd), n)))
    write(c, bi, bj, dn, out[0])
    # the axes turn as well: d(A^T n) = A^T dn - eta x (A^T n)
    turn_i = cross(s_i, cross(n_i, tmul(bi.A, n)))
    turn_j = cross(s_j, cross(n_j, tmul(bj.A, n)))
    for m in range(3):
        out[0, 3 + m] += turn_i[m]
        out[0, 9 + m] -= turn_j[m]


DISTANCE = Relation(name="distance", unit="m", rows=rows, vary=vary, look=look)
