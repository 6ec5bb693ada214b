"""Block Gauss-Seidel: solve one contact after the other exactly, the others held, until nothing moves.

For contact i:  u_i = W_ii r_i + b,  b = q_i + sum over j != i of W_ij r_j.  The problem of one contact has a closed
form but for the direction of slip in space:

* open    if b_N >= 0:  r = 0
* stick   r = -W_ii^-1 b, if that lies in the cone
* slip    along the unit vector d:  r = r_N (1, -mu d),  r_N = -b_N/(W_NN - mu W_NT d) from u_N = 0. Then
          u_T = r_N V(d),  V(d) = W_TN - mu W_TT d - (b_T/b_N)(W_NN - mu W_NT d),  must be a positive multiple of d.
          In the plane d = +1 or -1. In space V x d = 0 is one equation for the angle of d, a trigonometric polynomial
          of degree two: Newton from the direction at hand, else all sign changes around the circle are tried.

A singular block (a body that can only slide) gets a small multiple of I, and b loses the same multiple of the last
impulse, so that the term is gone when nothing moves any more.

Slow where contacts work against each other, but it never forgets what it has gained. With positive semidefinite W it
converges in practice; redundant contacts cost sweeps, not answers.
"""

from __future__ import annotations

import numpy as np

from .cones import LIMITS, NOT_CONVERGED, NOT_FINITE, OK, SCALE, SWEEPS, TOLERANCE, prepare, residual
from .jit import jit

SECTORS = 32  # arcs of the circle that are searched for a sign change
FLAT = 1e-10  # relative determinant of a block that counts as singular
PROXIMAL = 1e-4  # weight of the term that then holds the impulse near the last one
ROUNDING = 1e-13  # relative; stick must not miss slip by less


@jit
def _local_line(w, b, r):
    """One contact without friction; a contact that nothing moves keeps its impulse."""
    if b >= 0.0:
        return 0.0
    return -b / w if w > 0.0 else r


@jit
def _local_plane(W, a, mu, bn, bt, rn, rt):
    """One contact in the plane, by trying stick and both directions of slip."""
    if bn >= 0.0:
        return 0.0, 0.0
    wnn, wnt, wtn, wtt = W[a, a], W[a, a + 1], W[a + 1, a], W[a + 1, a + 1]
    if mu == 0.0:
        return _local_line(wnn, bn, rn), 0.0
    det = wnn * wtt - wnt * wtn
    if not det > FLAT * wnn * wtt:
        flat = PROXIMAL * (wnn + wtt)
        wnn, wtt, bn, bt = wnn + flat, wtt + flat, bn - flat * rn, bt - flat * rt
        det = wnn * wtt - wnt * wtn
    if det > 0.0:
        n = (wnt * bt - wtt * bn) / det
        t = (wtn * bn - wnn * bt) / det
        if abs(t) <= mu * n:
            return n, t
    slack = ROUNDING * (abs(bn) + abs(bt))
    for trial in range(2):
        d = 1.0 - 2.0 * trial
        stiffness = wnn - mu * d * wnt
        if stiffness > 0.0:
            n = -bn / stiffness
            if d * (wtn * n - mu * d * wtt * n + bt) >= -slack:
                return n, -mu * d * n
    return rn, rt


@jit
def _slip(c, s, mu, A, p, w, e, wnn):
    """(h, dh/dangle, d.V, W_NN - mu W_NT d) at the direction d = (c, s), with h = V x d."""
    stiffness = wnn - mu * (w[0] * c + w[1] * s)
    x = p[0] - mu * (A[0] * c + A[1] * s) + e[0] * stiffness
    y = p[1] - mu * (A[2] * c + A[3] * s) + e[1] * stiffness
    # derivative of V along the circle
    turn = w[1] * c - w[0] * s
    dx = -mu * (A[1] * c - A[0] * s + e[0] * turn)
    dy = -mu * (A[3] * c - A[2] * s + e[1] * turn)
    along = c * x + s * y
    return c * y - s * x, c * dy - s * dx - along, along, stiffness


@jit
def _slip_angle(angle, mu, A, p, w, e, wnn):
    """(angle, W_NN - mu W_NT d) of a direction of slip; the second is 0 where none was found."""
    slack = ROUNDING * (abs(p[0]) + abs(p[1]) + (abs(e[0]) + abs(e[1])) * wnn)
    for _ in range(12):
        h, slope, along, stiffness = _slip(np.cos(angle), np.sin(angle), mu, A, p, w, e, wnn)
        if slope >= 0.0:
            break  # at the root sought h falls
        change = -h / slope
        if abs(change) > 1.0:
            break
        angle += change
        if abs(change) < 1e-7:  # quadratic: one more step is exact
            h, slope, along, stiffness = _slip(np.cos(angle), np.sin(angle), mu, A, p, w, e, wnn)
            angle -= h / slope
            if along >= -slack and stiffness > 0.0:
                return angle, stiffness
            break
    best, found = 0.0, 0.0
    step = 2.0 * np.pi / SECTORS
    h, slope, along, stiffness = _slip(1.0, 0.0, mu, A, p, w, e, wnn)
    for m in range(SECTORS):
        low, high, before = m * step, (m + 1) * step, h
        h, slope, along, stiffness = _slip(np.cos(high), np.sin(high), mu, A, p, w, e, wnn)
        if before >= 0.0 and h < 0.0:
            for _ in range(52):
                middle = 0.5 * (low + high)
                x, slope, along, stiffness = _slip(np.cos(middle), np.sin(middle), mu, A, p, w, e, wnn)
                if x >= 0.0:
                    low = middle
                else:
                    high = middle
            # of several, the one that resists most
            if along >= -slack and stiffness > found:
                best, found = low, stiffness
    return best, found


@jit
def _local_space(W, a, mu, bn, b1, b2, r):
    """One contact in space: open, stick, or the direction of slip; the impulse at hand where there is no answer."""
    if bn >= 0.0:
        return 0.0, 0.0, 0.0
    wnn = W[a, a]
    if mu == 0.0:
        return _local_line(wnn, bn, r[0]), 0.0, 0.0
    w1, w2, p1, p2 = W[a, a + 1], W[a, a + 2], W[a + 1, a], W[a + 2, a]
    a11, a12, a21, a22 = W[a + 1, a + 1], W[a + 1, a + 2], W[a + 2, a + 1], W[a + 2, a + 2]
    det = wnn * (a11 * a22 - a12 * a21) + w1 * (a12 * p2 - p1 * a22) + w2 * (p1 * a21 - a11 * p2)
    if not det > FLAT * wnn * a11 * a22:
        flat = PROXIMAL * (wnn + a11 + a22)
        wnn, a11, a22 = wnn + flat, a11 + flat, a22 + flat
        bn, b1, b2 = bn - flat * r[0], b1 - flat * r[1], b2 - flat * r[2]
        det = wnn * (a11 * a22 - a12 * a21) + w1 * (a12 * p2 - p1 * a22) + w2 * (p1 * a21 - a11 * p2)
    x, y = -r[1], -r[2]
    if det > 0.0:
        n = -((a11 * a22 - a12 * a21) * bn + (w2 * a21 - w1 * a22) * b1 + (w1 * a12 - w2 * a11) * b2) / det
        t1 = -((a12 * p2 - p1 * a22) * bn + (wnn * a22 - w2 * p2) * b1 + (w2 * p1 - wnn * a12) * b2) / det
        t2 = -((p1 * a21 - a11 * p2) * bn + (w1 * p2 - wnn * a21) * b1 + (wnn * a11 - w1 * p1) * b2) / det
        if n >= 0.0 and t1 * t1 + t2 * t2 <= (mu * n) ** 2:
            return n, t1, t2
        if x == 0.0 and y == 0.0:
            x, y = -t1, -t2
    A, p, w, e = (a11, a12, a21, a22), (p1, p2), (w1, w2), (-b1 / bn, -b2 / bn)
    angle, stiffness = _slip_angle(np.arctan2(y, x), mu, A, p, w, e, wnn)
    if stiffness <= 0.0:
        return r[0], r[1], r[2]
    n = -bn / stiffness
    return n, -mu * n * np.cos(angle), -mu * n * np.sin(angle)


@jit
def sweep(dim, k, W, q, mu, r, scale):
    """Solve every contact once, in turn; return the norm of the change of w r."""
    n = dim * k
    moved = 0.0
    for i in range(k):
        a = dim * i
        if dim == 1:
            b = q[a] - W[a, a] * r[a]
            for c in range(n):
                b += W[a, c] * r[c]
            old = r[a]
            r[a] = _local_line(W[a, a], b, old)
            change = abs(r[a] - old)
        elif dim == 2:
            x, y = r[a], r[a + 1]
            b0 = q[a] - W[a, a] * x - W[a, a + 1] * y
            b1 = q[a + 1] - W[a + 1, a] * x - W[a + 1, a + 1] * y
            for c in range(n):
                b0 += W[a, c] * r[c]
                b1 += W[a + 1, c] * r[c]
            r[a], r[a + 1] = _local_plane(W, a, mu[i], b0, b1, x, y)
            change = max(abs(r[a] - x), abs(r[a + 1] - y))
        else:
            x, y, z = r[a], r[a + 1], r[a + 2]
            b0 = q[a] - W[a, a] * x - W[a, a + 1] * y - W[a, a + 2] * z
            b1 = q[a + 1] - W[a + 1, a] * x - W[a + 1, a + 1] * y - W[a + 1, a + 2] * z
            b2 = q[a + 2] - W[a + 2, a] * x - W[a + 2, a + 1] * y - W[a + 2, a + 2] * z
            for c in range(n):
                b0 += W[a, c] * r[c]
                b1 += W[a + 1, c] * r[c]
                b2 += W[a + 2, c] * r[c]
            r[a], r[a + 1], r[a + 2] = _local_space(W, a, mu[i], b0, b1, b2, (x, y, z))
            change = max(abs(r[a] - x), abs(r[a + 1] - y), abs(r[a + 2] - z))
        moved += (scale[i] * change) ** 2
    return np.sqrt(moved)


@jit
def gauss_seidel(dim, k, W, q, mu, r, scratch):
    """(status, residual, sweeps): sweeps from r until the residual is below the tolerance."""
    size = prepare(dim, k, W, q, r, scratch)
    if size < 0.0:
        return NOT_FINITE, np.inf, 0
    target = scratch[LIMITS, TOLERANCE] * size
    limit = int(scratch[LIMITS, SWEEPS])
    error = residual(dim, k, W, q, mu, r, scratch)
    if error <= target:
        return OK, error / size if size > 0.0 else 0.0, 0
    look = 1
    for count in range(1, limit + 1):
        moved = sweep(dim, k, W, q, mu, r, scratch[SCALE])
        # the residual costs as much as a sweep: look when little moves, and now and then
        if moved <= target or count >= look:
            look = count + 1 + count // 8
            error = residual(dim, k, W, q, mu, r, scratch)
            if error <= target:
                return OK, error / size, count
            if not np.isfinite(error):
                return NOT_FINITE, np.inf, count
    return NOT_CONVERGED, residual(dim, k, W, q, mu, r, scratch) / size, limit
