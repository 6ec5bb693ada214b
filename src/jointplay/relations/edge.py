"""An edge of a prism (body j) against the rim where a wall of its guide (body i) ends.

In a polygonal guide the ends of the shorter member meet the walls of the longer one. If the guide is the shorter, its
end face cuts each edge of the prism in a point X, and it is X that must stay inside the wall:

    X' - s_i = d' + s l',   b.(X' - s_i) = 0,      g = n.(X' - s_i) - g0 = a'. d' - g0      [m]
    a' = n - b (n.l')/(b.l'),      C' = X'

n = h is the normal of the wall (towards the prism), t runs along the wall, b along the guide; s_i lies on the rim;
s_j is a point of the edge and l' = A_i^T A_j l its direction (l is the third axis of the marker on body j). a' is the
gradient of the gap for a displacement of the edge; it is normal to the edge and, at a tilt alpha in the plane of n and
b, has length 1/cos(alpha): lambda is then the force along n. The tangents are l' and l' x a' / |a'|; untilted they are
b and t. For edges that keep a component along the guide (b.l' != 0), which any engaged prism does.
"""

from __future__ import annotations

from ..numerics.jit import jit
from ..numerics.vec import add, cross, dot, load, mul, scale, sub, tmul
from .base import Relation
from .contact import apart, relative, unit, write_changes, write_look, write_rows


@jit
def place(c, bi, bj, d, v, turn):
    """Gap, directions and their changes, contact point from P_j and its change."""
    n, b = load(c.Ei[0]), load(c.Ei[2])
    line = tmul(bi.A, mul(bj.A, load(c.Ej[2])))
    d_line = cross(turn, line)
    lead = 1.0 / dot(b, line)
    a = sub(n, scale(lead * dot(n, line), b))
    da = scale(-lead * dot(a, d_line), b)
    # o' = s l', and X stays in the end face: b.(v' + s dl' + ds l') = 0
    s = -lead * dot(b, d)
    ds = -lead * dot(b, add(v, scale(s, d_line)))
    _, _, t, dt = unit(cross(line, a), add(cross(d_line, a), cross(line, da)))
    o, d_o = scale(s, line), add(scale(s, d_line), scale(ds, line))
    return dot(a, d) - c.g0[0], (a, line, t), (da, d_line, dt), o, d_o


@jit
def rows(c, bi, bj, past, row):
    """g, w, bias of the normal and the two tangents."""
    d, arm = apart(c, bi, bj)
    v, turn = relative(c, bi, bj, d, arm, load(bi.v), load(bi.w), load(bj.v), load(bj.w))
    g, axes, d_axes, o, d_o = place(c, bi, bj, d, v, turn)
    write_rows(c, bi, bj, d, arm, v, turn, g, axes, d_axes, o, d_o, row)


@jit
def look(c, bi, bj, past, row):
    """Gap and its rate."""
    d, arm = apart(c, bi, bj)
    v, turn = relative(c, bi, bj, d, arm, load(bi.v), load(bi.w), load(bj.v), load(bj.w))
    g, axes, _, o, _ = place(c, bi, bj, d, v, turn)
    write_look(c, v, turn, g, axes[0], o, row)


@jit
def vary(c, bi, bj, eta, out):
    """Change of the three w in direction eta."""
    n_i = load(eta[3:6])
    d, arm = apart(c, bi, bj)
    v, turn = relative(c, bi, bj, d, arm, load(eta[0:3]), n_i, load(eta[6:9]), load(eta[9:12]))
    g, axes, d_axes, o, d_o = place(c, bi, bj, d, v, turn)
    write_changes(c, bi, bj, d, arm, v, turn, axes, d_axes, o, d_o, n_i, out)


EDGE = Relation(name="edge", unit="m", rows=rows, vary=vary, look=look, count=3)
