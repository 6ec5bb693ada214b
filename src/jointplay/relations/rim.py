"""The rim of a round end face of body j over a plane of body i.

    p' = n' - l'(n'.l'),   |p'| = sin(tilt),   f = sqrt(p'.p' + eps2)
    g = n'.d' - g0 - R (f - eps),      C' = s_i + d' + o',   o' = -R p'/f      [m]

The plane passes through s_i with the unit normal n' = h towards the free side; the tangents are t and b. s_j is the
centre of the face, l' = A_i^T A_j l its axis (l is the third axis of the marker on body j; its sense does not matter)
and R = shape[1] its radius. The lowest point of a tilted face leads the centre by R sin(tilt). The exact gap has a
corner: an untilted face touches everywhere at once, and its lowest point jumps across when the tilt changes sign.
eps = |shape[2]| (rad) rounds the corner. The force acts at o', where the gradient of g puts it: on the rim for tilts
well above eps (inside it by R eps2/(2 sin2)), in the centre without tilt. The gap comes out too wide by at most R eps.
With eps = 0 it is exact, and the untilted face, where it has no derivative, counts as touching in its centre.
"""

from __future__ import annotations

import numpy as np

from ..numerics.jit import jit
from ..numerics.vec import add, cross, dot, load, mul, scale, sub, tmul
from .base import Relation
from .contact import apart, relative, write_changes, write_look, write_rows


@jit
def place(c, bi, bj, d, turn):
    """Gap, directions and their changes, contact point from P_j and its change."""
    axes = (load(c.Ei[0]), load(c.Ei[1]), load(c.Ei[2]))
    n = axes[0]
    none = scale(0.0, d)
    line = tmul(bi.A, mul(bj.A, load(c.Ej[2])))
    d_line = cross(turn, line)
    p = cross(cross(line, n), line)  # across l' to rounding even if it is short
    dp = scale(-1.0, add(scale(dot(n, d_line), line), scale(dot(n, line), d_line)))
    radius, eps = c["shape"][1], c["shape"][2]
    if eps.real < 0.0:
        eps = -eps
    height = dot(n, d) - c.g0[0]
    pp = dot(p, p)
    f = np.sqrt(pp + eps * eps)
    if f.real == 0.0:
        return height, axes, (none, none, none), none, none
    # f - eps without cancellation
    lead = radius * pp / (f + eps)
    out = -radius / f
    d_o = scale(out, sub(dp, scale(dot(p, dp) / (f * f), p)))
    return height - lead, axes, (none, none, none), scale(out, p), d_o


@jit
def rows(c, bi, bj, past, row):
    """g, w, bias of the normal and the two tangents."""
    d, arm = apart(c, bi, bj)
    v, turn = relative(c, bi, bj, d, arm, load(bi.v), load(bi.w), load(bj.v), load(bj.w))
    g, axes, d_axes, o, d_o = place(c, bi, bj, d, turn)
    write_rows(c, bi, bj, d, arm, v, turn, g, axes, d_axes, o, d_o, row)


@jit
def look(c, bi, bj, past, row):
    """Gap and its rate."""
    d, arm = apart(c, bi, bj)
    v, turn = relative(c, bi, bj, d, arm, load(bi.v), load(bi.w), load(bj.v), load(bj.w))
    g, axes, _, o, _ = place(c, bi, bj, d, turn)
    write_look(c, v, turn, g, axes[0], o, row)


@jit
def vary(c, bi, bj, eta, out):
    """Change of the three w in direction eta."""
    n_i = load(eta[3:6])
    d, arm = apart(c, bi, bj)
    v, turn = relative(c, bi, bj, d, arm, load(eta[0:3]), n_i, load(eta[6:9]), load(eta[9:12]))
    g, axes, d_axes, o, d_o = place(c, bi, bj, d, turn)
    write_changes(c, bi, bj, d, arm, v, turn, axes, d_axes, o, d_o, n_i, out)


RIM = Relation(name="rim", unit="m", rows=rows, vary=vary, look=look, count=3)
