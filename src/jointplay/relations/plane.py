"""A point of body j over a plane of body i (paper A eq. 38).

    g = n'. d' - g0,      C' = s_i + d'      [m]

The plane passes through s_i with the unit normal n' = h towards the free side; the tangents are t and b. Normal and
tangents stand still on body i and the contact point is P_j, so the three rows are those of a separation along h, t and
b (relation "separation"), at g = 0 and away from it.
"""

from __future__ import annotations

from ..numerics.jit import jit
from ..numerics.vec import dot, load, scale
from . import in_plane
from .base import Relation
from .contact import apart, relative, write_changes, write_rows


@jit
def place(c, d):
    """Gap, directions and their changes, contact point from P_j and its change."""
    axes = (load(c.Ei[0]), load(c.Ei[1]), load(c.Ei[2]))
    none = scale(0.0, d)
    return dot(axes[0], d) - c.g0[0], axes, (none, none, none), none, none


@jit
def rows(c, bi, bj, past, row):
    """g, w, bias of the normal and the two tangents."""
    d, arm = apart(c, bi, bj)
    v, turn = relative(c, bi, bj, d, arm, load(bi.v), load(bi.w), load(bj.v), load(bj.w))
    g, axes, d_axes, o, d_o = place(c, d)
    write_rows(c, bi, bj, d, arm, v, turn, g, axes, d_axes, o, d_o, row)


@jit
def look(c, bi, bj, past, row):
    """Gap and its rate."""
    d, arm = apart(c, bi, bj)
    v, _ = relative(c, bi, bj, d, arm, load(bi.v), load(bi.w), load(bj.v), load(bj.w))
    n, out = load(c.Ei[0]), row[c.row[0]]
    out.g = dot(n, d) - c.g0[0]
    out.rate = dot(n, v)


@jit
def planar_rows(c, bi, bj, past, row):
    """g, w, bias of the normal and the tangent in the plane."""
    d, arm = in_plane.apart(c, bi, bj)
    v, turn = in_plane.relative(c, bi, bj, d, arm)
    axes, none = (in_plane.load(c.Ei[0]), in_plane.load(c.Ei[1])), in_plane.scale(0.0, d)
    g = in_plane.dot(axes[0], d) - c.g0[0]
    in_plane.write_rows(c, bi, bj, d, arm, v, turn, g, axes, (none, none), none, none, row)


@jit
def planar_look(c, bi, bj, past, row):
    """Gap and its rate, in the plane."""
    d, arm = in_plane.apart(c, bi, bj)
    v, _ = in_plane.relative(c, bi, bj, d, arm)
    out, n = row[c.row[0]], in_plane.load(c.Ei[0])
    out.g, out.rate = in_plane.dot(n, d) - c.g0[0], in_plane.dot(n, v)


@jit
def vary(c, bi, bj, eta, out):
    """Change of the three w in direction eta."""
    n_i = load(eta[3:6])
    d, arm = apart(c, bi, bj)
    v, turn = relative(c, bi, bj, d, arm, load(eta[0:3]), n_i, load(eta[6:9]), load(eta[9:12]))
    g, axes, d_axes, o, d_o = place(c, d)
    write_changes(c, bi, bj, d, arm, v, turn, axes, d_axes, o, d_o, n_i, out)


PLANE = Relation(
    name="plane", unit="m", rows=rows, vary=vary, look=look, count=3, steady=True,
    planar_rows=planar_rows, planar_look=planar_look,
)  # fmt: skip
