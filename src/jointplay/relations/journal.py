"""An end circle of body j around, or inside, the round member of body i (paper A eq. 33 to 37).

    d' = A_i^T d = x h + y t + z b,   rho = sqrt(x2 + y2),   e' = (x h + y t) / rho,      g = c - rho      [m]

The axis of body i runs through s_i along b; s_j is the centre of the circle, c = shape[0] the radial clearance and
R = shape[1] the radius of the inner member. The normal is -e', the tangents are b x e' (around) and b (along), at

    C' = s_i + z b - R e'            shape[2] > 0: the pin is body i, the hole of body j touches it away from e'
    C' = s_i + z b + (rho + R) e'    shape[2] < 0: the pin is body j

Paper A prints, for the part of d across the axis, d - d (d.b)/(|d||b|) (eq. 34), which is parallel to d; what is meant,
and used here, is d - b (d.b)/(b.b). On the axis (rho = 0) there is no normal and none is made up: the gap is c and the
three rows are zero. The contact is open there by its whole clearance, so they carry no force.
"""

from __future__ import annotations

from ..numerics.jit import jit
from ..numerics.vec import add, cross, dot, load, scale
from . import in_plane
from .base import Relation
from .contact import apart, look_around, reach, relative, unit, write_changes, write_rows


@jit
def place(c, d, v):
    """Gap, directions and their changes, contact point from P_j and its change."""
    h, t, b = load(c.Ei[0]), load(c.Ei[1]), load(c.Ei[2])
    across = add(scale(dot(h, d), h), scale(dot(t, d), t))
    d_across = add(scale(dot(h, v), h), scale(dot(t, v), t))
    rho, d_rho, e, de = unit(across, d_across)
    o, d_o = reach(c, rho, d_rho, e, de)
    along = b
    if rho.real == 0.0:
        along = scale(0.0, b)
    axes = (scale(-1.0, e), cross(b, e), along)
    d_axes = (scale(-1.0, de), cross(b, de), scale(0.0, b))
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
    h, t = load(c.Ei[0]), load(c.Ei[1])
    look_around(c, (dot(h, d), dot(t, d), 0.0 * d[0]), (dot(h, v), dot(t, v), 0.0 * d[0]), row)


@jit
def planar_rows(c, bi, bj, past, row):
    """g, w, bias of the normal and the tangent in the plane, which the axis stands on."""
    d, arm = in_plane.apart(c, bi, bj)
    v, turn = in_plane.relative(c, bi, bj, d, arm)
    rho, d_rho, e, de = in_plane.unit(d, v)
    o, d_o = in_plane.reach(c, rho, d_rho, e, de)
    up = c.Ei[2, 2]
    axes = (in_plane.scale(-1.0, e), in_plane.spin(up, e))
    d_axes = (in_plane.scale(-1.0, de), in_plane.spin(up, de))
    in_plane.write_rows(c, bi, bj, d, arm, v, turn, c["shape"][0] - rho, axes, d_axes, o, d_o, row)


@jit
def planar_look(c, bi, bj, past, row):
    """Gap and its rate, in the plane."""
    d, arm = in_plane.apart(c, bi, bj)
    v, _ = in_plane.relative(c, bi, bj, d, arm)
    rho, d_rho, _, _ = in_plane.unit(d, v)
    row[c.row[0]].g, row[c.row[0]].rate = c["shape"][0] - rho, -d_rho


@jit
def vary(c, bi, bj, eta, out):
    """Change of the three w in direction eta (zero on the axis, where they have no derivative)."""
    n_i = load(eta[3:6])
    d, arm = apart(c, bi, bj)
    v, turn = relative(c, bi, bj, d, arm, load(eta[0:3]), n_i, load(eta[6:9]), load(eta[9:12]))
    g, axes, d_axes, o, d_o = place(c, d, v)
    write_changes(c, bi, bj, d, arm, v, turn, axes, d_axes, o, d_o, n_i, out)


JOURNAL = Relation(
    name="journal", unit="m", rows=rows, vary=vary, look=look, count=3, planar_rows=planar_rows, planar_look=planar_look
)
