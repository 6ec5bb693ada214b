"""Pitch circles that roll on each other, or are joined by a belt: a sum of two azimuths of the line of centres.

    d = (r_j + A_j s_j) - (r_i + A_i s_i)                 from the hub of wheel i to the hub of wheel j
    u_i = A_i^T d,  x_i = atan2(t_i . u_i, h_i . u_i)     azimuth of the other hub, seen from wheel i about its axis b_i
    u_j = -A_j^T d,  x_j alike, seen from wheel j

    g = a_i x_i + a_j x_j - g0      [m],      a_i = shape[0], a_j = shape[1] in m/rad

The line of centres is a function of the two wheels alone, so a carrier that moves needs no third body. Both azimuths
count turns (State.memory). With q = (x t - y h) / (x2 + y2), x and y the components of u along h and t, the row of an
azimuth is that of a separation along q:

    w_own = (-a, q x (s + u)),   w_other = (a, S x A_other^T a),      a = A_own q.

Where |a_i| + |a_j| is the distance of the hubs from each other across parallel axes, lambda is the force at the pitch
point (docs/theory/couplings.md). Hubs that coincide have no line of centres: readers refuse them.
"""

from __future__ import annotations

import numpy as np

from ..numerics.jit import jit
from ..numerics.vec import add, cross, dot, load, mul, scale, store_row, sub, tmul
from .angle import angle_of
from .base import Relation


@jit
def seen(own, s, other, S):
    """Way u from the point s of a body to the point S of another, in axes of the first."""
    # positions first, then arms, as in relations/contact.py
    return tmul(own.A, add(sub(load(other.r), load(own.r)), sub(mul(other.A, S), mul(own.A, s))))


@jit
def moved(own, s, other, S, u, e, n, E, N):
    """Change of u when the bodies move by e and E (global axes) and turn by n and N (their own axes)."""
    d = sub(add(E, mul(other.A, cross(N, S))), add(e, mul(own.A, cross(n, s))))
    return sub(tmul(own.A, d), cross(n, u))


@jit
def slope(axes, u):
    """Components x, y of u across the axis and the gradient q of its azimuth."""
    h, t = load(axes[0]), load(axes[1])
    x, y = dot(h, u), dot(t, u)
    return x, y, scale(1.0 / (x * x + y * y), sub(scale(x, t), scale(y, h)))


@jit
def counted(axes, u, past):
    """Azimuth of u, on the turn nearest to ``past``."""
    angle = angle_of(dot(load(axes[1]), u), dot(load(axes[0]), u))
    return angle + 2.0 * np.pi * np.rint((past - angle.real) / (2.0 * np.pi))


@jit
def part(own, s, other, S, u, q):
    """Row of an azimuth: a, the moment on its own body and that on the other."""
    a = mul(own.A, q)
    return a, cross(q, add(s, u)), cross(S, tmul(other.A, a))


@jit
def change(axes, own, s, other, S, u, e, n, E, N):
    """Change of what ``part`` returns."""
    h, t = load(axes[0]), load(axes[1])
    x, y, q = slope(axes, u)
    du = moved(own, s, other, S, u, e, n, E, N)
    dx, dy = dot(h, du), dot(t, du)
    size = x * x + y * y
    dq = scale(1.0 / size, sub(sub(scale(dx, t), scale(dy, h)), scale(2.0 * (x * dx + y * dy), q)))
    a, da = mul(own.A, q), mul(own.A, add(dq, cross(n, q)))
    own_turn = add(cross(dq, add(s, u)), cross(q, du))
    return da, own_turn, cross(S, sub(tmul(other.A, da), cross(N, tmul(other.A, a))))


@jit
def add_both(a, b, one, two):
    """Row of a x_i + b x_j from the parts of the two azimuths: four vectors."""
    force = sub(scale(a, one[0]), scale(b, two[0]))
    return (
        scale(-1.0, force),
        add(scale(a, one[1]), scale(b, two[2])),
        force,
        add(scale(a, one[2]), scale(b, two[1])),
    )


@jit
def change_of_row(c, bi, bj, e_i, n_i, e_j, n_j):
    """Change of w when the bodies move by e and turn by n: four vectors."""
    s_i, s_j = load(c.si), load(c.sj)
    u_i, u_j = seen(bi, s_i, bj, s_j), seen(bj, s_j, bi, s_i)
    one = change(c.Ei, bi, s_i, bj, s_j, u_i, e_i, n_i, e_j, n_j)
    two = change(c.Ej, bj, s_j, bi, s_i, u_j, e_j, n_j, e_i, n_i)
    return add_both(c["shape"][0], c["shape"][1], one, two)


@jit
def rows(c, bi, bj, past, row):
    """g, w, bias of the sum of azimuths."""
    s_i, s_j = load(c.si), load(c.sj)
    u_i, u_j = seen(bi, s_i, bj, s_j), seen(bj, s_j, bi, s_i)
    a, b = c["shape"][0], c["shape"][1]
    out = row[c.row[0]]
    out.g = a * counted(c.Ei, u_i, past[0]) + b * counted(c.Ej, u_j, past[1]) - c.g0[0]
    _, _, q_i = slope(c.Ei, u_i)
    _, _, q_j = slope(c.Ej, u_j)
    w = add_both(a, b, part(bi, s_i, bj, s_j, u_i, q_i), part(bj, s_j, bi, s_i, u_j, q_j))
    v_i, w_i, v_j, w_j = load(bi.v), load(bi.w), load(bj.v), load(bj.w)
    d = change_of_row(c, bi, bj, v_i, w_i, v_j, w_j)
    store_row(out.w, w)
    out.bias = dot(d[0], v_i) + dot(d[1], w_i) + dot(d[2], v_j) + dot(d[3], w_j)


@jit
def angles(c, bi, bj, past, row):
    """Both azimuths, turns counted, and their rates."""
    s_i, s_j = load(c.si), load(c.sj)
    v_i, w_i, v_j, w_j = load(bi.v), load(bi.w), load(bj.v), load(bj.w)
    u_i, u_j = seen(bi, s_i, bj, s_j), seen(bj, s_j, bi, s_i)
    _, _, q_i = slope(c.Ei, u_i)
    _, _, q_j = slope(c.Ej, u_j)
    return (
        counted(c.Ei, u_i, past[0]),
        dot(q_i, moved(bi, s_i, bj, s_j, u_i, v_i, w_i, v_j, w_j)),
        counted(c.Ej, u_j, past[1]),
        dot(q_j, moved(bj, s_j, bi, s_i, u_j, v_j, w_j, v_i, w_i)),
    )


@jit
def look(c, bi, bj, past, row):
    """g and its rate."""
    x_i, rate_i, x_j, rate_j = angles(c, bi, bj, past, row)
    a, b = c["shape"][0], c["shape"][1]
    row[c.row[0]].g = a * x_i + b * x_j - c.g0[0]
    row[c.row[0]].rate = a * rate_i + b * rate_j


@jit
def vary(c, bi, bj, eta, out):
    """Change of w in direction eta."""
    store_row(out[0], change_of_row(c, bi, bj, load(eta[0:3]), load(eta[3:6]), load(eta[6:9]), load(eta[9:12])))


MESH = Relation(name="mesh", unit="m", rows=rows, vary=vary, look=look, turns=2, angles=angles)
