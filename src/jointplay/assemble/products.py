"""Products with the closed rows W and with M^-1 W^T, block by block (numerics/ldl.py).

In a plane blocks have two rows, and three numbers of each body count; in space they have three or five. Spare rows of
blocks are zero: they add nothing, and what is written for them is zero.
"""

from __future__ import annotations

from ..numerics.jit import jit, link


def _products(planar):
    """Kernels for blocks of two rows in a plane, or of three in space."""

    @link
    def dot(w, a, b):
        """w . (a, b) for six numbers of each body."""
        if planar:
            return w[0] * a[0] + w[1] * a[1] + w[5] * a[5] + w[6] * b[0] + w[7] * b[1] + w[11] * b[5]
        return (
            w[0] * a[0] + w[1] * a[1] + w[2] * a[2] + w[3] * a[3] + w[4] * a[4] + w[5] * a[5]
            + w[6] * b[0] + w[7] * b[1] + w[8] * b[2] + w[9] * b[3] + w[10] * b[4] + w[11] * b[5]
        )  # fmt: skip

    @link
    def rate(w, a, b):
        """w . u for the velocities of two bodies."""
        if planar:
            return w[0] * a.v[0] + w[1] * a.v[1] + w[5] * a.w[2] + w[6] * b.v[0] + w[7] * b.v[1] + w[11] * b.w[2]
        return (
            w[0] * a.v[0] + w[1] * a.v[1] + w[2] * a.v[2] + w[3] * a.w[0] + w[4] * a.w[1] + w[5] * a.w[2]
            + w[6] * b.v[0] + w[7] * b.v[1] + w[8] * b.v[2] + w[9] * b.w[0] + w[10] * b.w[1] + w[11] * b.w[2]
        )  # fmt: skip

    @link
    def add(p, weighed, lam, a, b):
        """Add M^-1 W^T lam of a block to six numbers of each body."""
        x, y, f, g = lam[p.row[0]], lam[p.row[1]], weighed[p.row[0]], weighed[p.row[1]]
        if not planar and p.count > 3:
            z, s, t = lam[p.row[2]], lam[p.row[3]], lam[p.row[4]]
            h, k, o = weighed[p.row[2]], weighed[p.row[3]], weighed[p.row[4]]
            for m in range(3):
                a[m] += x * f[m] + y * g[m] + z * h[m]
                b[m] += x * f[6 + m] + y * g[6 + m] + z * h[6 + m]
                if not p.light:
                    a[m] += s * k[m] + t * o[m]
                    b[m] += s * k[6 + m] + t * o[6 + m]
            for m in range(3, 6):
                a[m] += x * f[m] + y * g[m] + z * h[m] + s * k[m] + t * o[m]
                b[m] += x * f[6 + m] + y * g[6 + m] + z * h[6 + m] + s * k[6 + m] + t * o[6 + m]
        elif planar:
            a[0] += x * f[0] + y * g[0]
            a[1] += x * f[1] + y * g[1]
            a[5] += x * f[5] + y * g[5]
            b[0] += x * f[6] + y * g[6]
            b[1] += x * f[7] + y * g[7]
            b[5] += x * f[11] + y * g[11]
        else:
            z, h = lam[p.row[2]], weighed[p.row[2]]
            for m in range(6):
                a[m] += x * f[m] + y * g[m] + z * h[m]
                b[m] += x * f[6 + m] + y * g[6 + m] + z * h[6 + m]

    @link
    def swing(w, a, b):
        """``dot`` for a row that only turns bodies."""
        return w[3] * a[3] + w[4] * a[4] + w[5] * a[5] + w[9] * b[3] + w[10] * b[4] + w[11] * b[5]

    @link
    def spin(w, a, b):
        """``rate`` for a row that only turns bodies."""
        return w[3] * a.w[0] + w[4] * a.w[1] + w[5] * a.w[2] + w[9] * b.w[0] + w[10] * b.w[1] + w[11] * b.w[2]

    @link
    def dots(p, row, a, b):
        """``dot`` for the fourth and the fifth row of a block."""
        w, v = row[p.row[3]].w, row[p.row[4]].w
        if p.light:
            return swing(w, a, b), swing(v, a, b)
        return dot(w, a, b), dot(v, a, b)

    @link
    def rates(p, row, a, b):
        """``rate`` for the fourth and the fifth row of a block."""
        w, v = row[p.row[3]].w, row[p.row[4]].w
        if p.light:
            return spin(w, a, b), spin(v, a, b)
        return rate(w, a, b), rate(v, a, b)

    return dot, rate, add, dots, rates


_dot2, _rate2, _add2, _, _ = _products(True)
_dot3, _rate3, _add3, _dots, _rates = _products(False)


@jit
def find_closed_rates(planar, place, fact, kin, row, out):
    """Out = dg/dt = w . u + drift of all closed rows."""
    for k in range(len(place) - 1):
        p = place[k]
        if p.hub:
            continue
        first = fact[p.row[0]]
        a, b, f, g = kin[first.i], kin[first.j], row[p.row[0]], row[p.row[1]]
        if planar:
            x, y = f.drift + _rate2(f.w, a, b), g.drift + _rate2(g.w, a, b)
            out[p.row[0]], out[p.row[1]] = x, y
        else:
            h = row[p.row[2]]
            x, y, z = f.drift + _rate3(f.w, a, b), g.drift + _rate3(g.w, a, b), h.drift + _rate3(h.w, a, b)
            if p.count > 3:
                q, s = row[p.row[3]], row[p.row[4]]
                fourth, fifth = _rates(p, row, a, b)
                out[p.row[3]], out[p.row[4]] = q.drift + fourth, s.drift + fifth
            out[p.row[0]], out[p.row[1]], out[p.row[2]] = x, y, z


@jit
def free_accelerations(planar, place, fact, row, kin, out):
    """out = -(W x + bias), with x in kin.unknown: what the multipliers have to make up for."""
    for k in range(len(place) - 1):
        p = place[k]
        if p.hub:
            continue
        first = fact[p.row[0]]
        a, b, f, g = kin[first.i].unknown, kin[first.j].unknown, row[p.row[0]], row[p.row[1]]
        if planar:
            x, y = -_dot2(f.w, a, b) - f.bias, -_dot2(g.w, a, b) - g.bias
            out[p.row[0]], out[p.row[1]] = x, y
        else:
            h = row[p.row[2]]
            x, y, z = -_dot3(f.w, a, b) - f.bias, -_dot3(g.w, a, b) - g.bias, -_dot3(h.w, a, b) - h.bias
            if p.count > 3:
                q, s = row[p.row[3]], row[p.row[4]]
                fourth, fifth = _dots(p, row, a, b)
                out[p.row[3]], out[p.row[4]] = -fourth - q.bias, -fifth - s.bias
            out[p.row[0]], out[p.row[1]], out[p.row[2]] = x, y, z


@jit
def free_velocities(planar, ahead, place, fact, row, kin, out):
    """out = -(W x + drift + ahead bias), where x in kin.unknown are velocities."""
    for k in range(len(place) - 1):
        p = place[k]
        if p.hub:
            continue
        first = fact[p.row[0]]
        a, b, f, g = kin[first.i].unknown, kin[first.j].unknown, row[p.row[0]], row[p.row[1]]
        if planar:
            x = -(_dot2(f.w, a, b) + f.drift + ahead * f.bias)
            y = -(_dot2(g.w, a, b) + g.drift + ahead * g.bias)
            out[p.row[0]], out[p.row[1]] = x, y
        else:
            h = row[p.row[2]]
            x = -(_dot3(f.w, a, b) + f.drift + ahead * f.bias)
            y = -(_dot3(g.w, a, b) + g.drift + ahead * g.bias)
            z = -(_dot3(h.w, a, b) + h.drift + ahead * h.bias)
            if p.count > 3:
                q, s = row[p.row[3]], row[p.row[4]]
                fourth, fifth = _dots(p, row, a, b)
                out[p.row[3]] = -(fourth + q.drift + ahead * q.bias)
                out[p.row[4]] = -(fifth + s.drift + ahead * s.bias)
            out[p.row[0]], out[p.row[1]], out[p.row[2]] = x, y, z


@jit
def along_shifts(planar, place, fact, row, kin, out):
    """out = W shift."""
    for k in range(len(place) - 1):
        p = place[k]
        if p.hub:
            continue
        first = fact[p.row[0]]
        a, b = kin[first.i].shift, kin[first.j].shift
        if planar:
            x, y = _dot2(row[p.row[0]].w, a, b), _dot2(row[p.row[1]].w, a, b)
            out[p.row[0]], out[p.row[1]] = x, y
        else:
            x, y, z = _dot3(row[p.row[0]].w, a, b), _dot3(row[p.row[1]].w, a, b), _dot3(row[p.row[2]].w, a, b)
            if p.count > 3:
                fourth, fifth = _dots(p, row, a, b)
                out[p.row[3]], out[p.row[4]] = fourth, fifth
            out[p.row[0]], out[p.row[1]], out[p.row[2]] = x, y, z


@jit
def add_to_accelerations(planar, place, fact, weighed, lam, kin):
    """Accel += M^-1 W^T lam."""
    for k in range(len(place) - 1):
        p = place[k]
        if p.hub:
            continue
        a, b = kin[fact[p.row[0]].i].unknown, kin[fact[p.row[0]].j].unknown
        if planar:
            _add2(p, weighed, lam, a, b)
        else:
            _add3(p, weighed, lam, a, b)


@jit
def set_shifts(planar, place, fact, weighed, lam, kin):
    """shift = M^-1 W^T lam."""
    for b in range(len(kin)):
        for m in range(6):
            kin[b].shift[m] = 0.0
    for k in range(len(place) - 1):
        p = place[k]
        if p.hub:
            continue
        a, b = kin[fact[p.row[0]].i].shift, kin[fact[p.row[0]].j].shift
        if planar:
            _add2(p, weighed, lam, a, b)
        else:
            _add3(p, weighed, lam, a, b)
