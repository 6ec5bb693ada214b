"""One circle of body j around, or inside, the round member of body i, tilt included (paper C eq. 25 to 42).

    q = d' - b (b.d'),   C'(k) = s_i + d' + R_c k,   |k| = 1,   k.l' = 0
    rho(k) = |x(k)|,     x(k) = q + R_c (k - b (b.k))              distance from the axis of body i

    g = min rho - R            shape[2] > 0: the pin, of radius R, is body i; R_c = R + c is the hole of body j     [m]
    g = R + c - max rho        shape[2] < 0: the pin is body j, R_c = R, in the hole of radius R + c of body i      [m]

The axis of body i runs through s_i along b; s_j is the centre of the circle and l' = A_i^T A_j l its axis (l is the
third axis of the marker on body j); c = shape[0], R = shape[1]. Seen along b the tilted circle is an ellipse. The
normal is a' = +-x / rho at the extreme point C', plus for the pin on body i; the tangents are a' x b (around) and b
(along). Without tilt this is a journal: g = c - |q|, with the same directions.

Contact search (36) in vector form. Let kappa = -k and m' = b - l'(l'.b) for the minimum, kappa = k and m' = l' x b for
the maximum (both m' are as long as sin(tilt)), and p' the part of q across l'. At the extreme point

    mu kappa = p' + R_c m' (m'.kappa),      mu = nu + tau,   tau = R_c m'.m',   nu >= 0
    so  mu kappa = p' + R_c m' (m'.p') / nu      and nu solves      mu / |mu kappa| = 1.

(36) holds at the nearest and at the farthest point of the circle, and there can be two of each; nu >= 0 picks the one
that is meant. The left side of the equation for nu is increasing and concave, so Newton's iteration stays below the
root once it is there: it cannot fail, and nothing is divided by sin(tilt). If m'.p' = 0 and |p'| < tau two points are
equally deep; one of them is taken. With neither offset nor tilt there is no normal: the gap is c and the three rows are
zero, as in a journal.
"""

from __future__ import annotations

import numpy as np

from ..numerics.jit import jit
from ..numerics.vec import add, cross, dot, load, mul, scale, sub, tmul
from .base import Relation
from .contact import apart, relative, write_changes, write_look, write_rows

MOST = 60  # iterations; one to three are usual, up to forty where two extreme points merge
NEAR = 1e-8  # a relative step that leaves, by quadratic convergence, an error below rounding
LARGE = 1e-4  # rad; polishing moves the root by rounding, amplified where extreme points merge
TINY = 1e-200  # m; a slope below it has no inverse to work with


@jit
def real(a):
    """Real part of a vector."""
    return (a[0].real, a[1].real, a[2].real)


@jit
def search(p, m, radius):
    """Unit vector kappa of the extreme point, in real numbers; zero if there is neither offset nor tilt."""
    pp, mp, mm = dot(p, p), dot(m, p), dot(m, m)
    size, tau = np.sqrt(pp), radius * mm
    if size == 0.0 and tau * tau == 0.0:
        return scale(0.0, p)
    if mp * mp == 0.0 and size <= tau:
        return add(scale(1.0 / tau, p), scale(np.sqrt((1.0 - size / tau) * (1.0 + size / tau) / mm), m))
    if tau == 0.0:
        return scale(1.0 / size, p)
    aa = mp * mp / mm
    # nu is never below the part of p along m, nor below |p| - tau; the start is exact to first order in tau
    least = max(np.sqrt(aa), size - tau)
    nu = max(least, size - tau * (1.0 - aa / pp))
    for n in range(MOST):
        z = mp / nu
        square = pp + radius * z * z * (nu + nu + tau)  # of |mu kappa|
        mu = nu + tau
        step = square * (np.sqrt(square) - mu) / (square + radius * z * z * mu * mu / nu)
        # below the root steps are positive; one that is not means that only rounding is left
        near = abs(step) <= NEAR * nu or (n > 0 and step <= 0.0)
        nu = max(least, nu + step)
        if near:
            break
    far = add(p, scale(radius * mp / nu, m))
    return scale(1.0 / np.sqrt(dot(far, far)), far)


@jit
def settle(kappa, line, q, bent, b):
    """Newton's step along the circle from the root in real numbers: polishes it and carries complex steps.

    Along t = l' x kappa the root has t.y = 0 with y = q + bent b (b.kappa), bent = +-R_c; the slope there is
    D = kappa.y - bent (t.b)2. Also returned: t, y and 1/D (zero where the root is multiple and has no derivative).
    """
    flat = sub(kappa, scale(dot(line, kappa), line))
    flat = scale(1.0 / np.sqrt(dot(flat, flat)), flat)
    t = cross(line, flat)
    y = add(q, scale(bent * dot(b, flat), b))
    slope = dot(flat, y) - bent * dot(t, b) ** 2
    give = 0.0 * slope
    angle = give
    if slope.real > TINY:
        give = 1.0 / slope
        angle = dot(t, y) * give
        # where extreme points merge rounding can make the step large: the root is kept then
        if abs(angle.real) > LARGE:
            angle = 0.0 * slope
    kappa = scale(1.0 / np.sqrt(1.0 + angle * angle), add(flat, scale(angle, t)))
    return kappa, cross(line, kappa), add(q, scale(bent * dot(b, kappa), b)), give


@jit
def place(c, bi, bj, d, v, turn):
    """Gap, directions and their changes, contact point from P_j and its change."""
    b = load(c.Ei[2])
    line = tmul(bi.A, mul(bj.A, load(c.Ej[2])))
    q = sub(d, scale(dot(b, d), b))
    dq = sub(v, scale(dot(b, v), b))
    none = scale(0.0, d)
    around = c["shape"][2].real > 0.0
    # k = -side kappa: the nearest point of a hole lies against kappa, the farthest of a pin along it
    side = 1.0 if around else -1.0
    radius = c["shape"][1]
    if around:
        radius = radius + c["shape"][0]

    axis = real(line)
    across = cross(axis, real(b))
    p = sub(real(q), scale(dot(axis, real(q)), axis))
    kappa = search(p, cross(across, axis) if around else across, radius.real)
    if dot(kappa, kappa) == 0.0:
        return c["shape"][0], (none, none, none), (none, none, none), none, none

    bent = side * radius
    kappa, t, y, give = settle(kappa, line, q, bent, b)
    # the root stays stationary: kappa turns with body j, and by omega about l' beyond that
    omega = give * (dot(cross(turn, t), y) + dot(t, dq) + bent * dot(t, b) * dot(b, cross(turn, kappa)))
    d_kappa = add(cross(turn, kappa), scale(omega, t))

    o, d_o = scale(-bent, kappa), scale(-bent, d_kappa)
    x = add(q, sub(o, scale(dot(b, o), b)))
    dx = add(dq, sub(d_o, scale(dot(b, d_o), b)))
    rho = np.sqrt(dot(x, x))
    if rho.real == 0.0:
        return side * (rho - radius) + c["shape"][0], (none, none, none), (none, none, none), none, none
    a = scale(side / rho, x)
    da = scale(1.0 / rho, sub(scale(side, dx), scale(dot(a, dx) * side, a)))
    # rho - R_c from offsets alone, so that a gap of a nanometre keeps its digits
    excess = (dot(q, q) + 2.0 * dot(q, o) - dot(b, o) ** 2) / (rho + radius)
    return c["shape"][0] + side * excess, (a, cross(a, b), b), (da, cross(da, b), none), o, d_o


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
    """Change of the three w in direction eta (zero without offset and tilt, where they have no derivative)."""
    n_i = load(eta[3:6])
    d, arm = apart(c, bi, bj)
    v, turn = relative(c, bi, bj, d, arm, load(eta[0:3]), n_i, load(eta[6:9]), load(eta[9:12]))
    g, axes, d_axes, o, d_o = place(c, bi, bj, d, v, turn)
    write_changes(c, bi, bj, d, arm, v, turn, axes, d_axes, o, d_o, n_i, out)


STRIP = Relation(name="strip", unit="m", rows=rows, vary=vary, look=look, count=3)
