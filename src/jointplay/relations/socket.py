"""A ball in a socket.

    d' = A_i^T d,   rho = |d'|,   e' = d' / rho,      g = c - rho      [m]

s_i and s_j are the two centres, c = shape[0] the radial clearance and R = shape[1] the radius of the ball. The normal
is -e'; the tangents are t1' = (k' x e') / |k' x e'| and t2' = e' x t1', at

    C' = s_i - R e'            shape[2] > 0: the ball is body i
    C' = s_i + d' + R e'       shape[2] < 0: the ball is body j

k' is b, so that t1' stays in the plane of a planar model (and is that of a journal), or h where b is nearly along e'
(|b.e'| >= 0.9). The tangents jump there; a law that keeps a memory along one of them must not rely on its direction.
With the centres together (rho = 0) there is no normal: the gap is c and the three rows are zero, as in a journal.
"""

from __future__ import annotations

from ..numerics.jit import jit
from ..numerics.vec import add, cross, dot, load, scale
from .base import Relation
from .contact import apart, look_around, reach, relative, unit, write_changes, write_rows


@jit
def place(c, d, v):
    """Gap, directions and their changes, contact point from P_j and its change."""
    rho, d_rho, e, de = unit(d, v)
    o, d_o = reach(c, rho, d_rho, e, de)
    k = load(c.Ei[2])
    if abs(dot(k, e).real) >= 0.9:
        k = load(c.Ei[0])
    _, _, t1, dt1 = unit(cross(k, e), cross(k, de))
    axes = (scale(-1.0, e), t1, cross(e, t1))
    d_axes = (scale(-1.0, de), dt1, add(cross(de, t1), cross(e, dt1)))
    return c["shape"][0] - rho, axes, d_axes, o, d_o


@jit
def rows(c, bi, bj, past, row):
    """g, w, bias of the normal and the two tangents."""
    d, arm = apart(c, bi, bj)
    v, turn = relative(c, bi, bj, d, arm, load(bi.v), load(bi.w), load(bj.v), load(bj.w))
    g, axes, d_axes, o, d_o = place(c, d, v)
    write_rows(c, bi, bj, d, arm, v, turn, g, axes, d_axes, o, d_o, row)


@jit
def look(c, bi, bj, past, row):
    """Gap and its rate, -e'. v'."""
    d, arm = apart(c, bi, bj)
    v, _ = relative(c, bi, bj, d, arm, load(bi.v), load(bi.w), load(bj.v), load(bj.w))
    look_around(c, d, v, row)


@jit
def vary(c, bi, bj, eta, out):
    """Change of the three w in direction eta (zero with the centres together, where they have no derivative)."""
    n_i = load(eta[3:6])
    d, arm = apart(c, bi, bj)
    v, turn = relative(c, bi, bj, d, arm, load(eta[0:3]), n_i, load(eta[6:9]), load(eta[9:12]))
    g, axes, d_axes, o, d_o = place(c, d, v)
    write_changes(c, bi, bj, d, arm, v, turn, axes, d_axes, o, d_o, n_i, out)


SOCKET = Relation(name="socket", unit="m", rows=rows, vary=vary, look=look, count=3)
