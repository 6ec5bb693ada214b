"""Closed rows of a planar model, joint by joint: what closed.py and products.py do, with each block read once.

Blocks have two rows, and three velocities of a body count: places 0, 1 and 5 of its six. N is eliminated as it is made,
and multipliers act on the bodies as they are found. This is for models whose factor L has the blocks of N and no others
(chains, trees and single loops, ``info.plain``); the rest goes the general way. The factor is that of numerics/ldl.py,
which may go on with it.
"""

from __future__ import annotations

from ..arrays import ABSENT, DENSE_ROW, DIAGONAL, INDEX, INNER
from ..numerics.jit import jit, link
from ..numerics.ldl import SMALL

ONE = INDEX(1)


@link
def six(w):
    """What is not zero in a row."""
    return w[0], w[1], w[5], w[6], w[7], w[11]


@link
def three(u):
    """What counts of six velocities of a body."""
    return u[0], u[1], u[5]


@link
def three_at(u, at):
    """The same, where velocities of several bodies stand in a line."""
    return u[at], u[at + 1], u[at + 5]


@link
def times(w, a, b):
    """w . (a, b)."""
    return w[0] * a[0] + w[1] * a[1] + w[2] * a[2] + w[3] * b[0] + w[4] * b[1] + w[5] * b[2]


@link
def half(w, at, v, to):
    """Product of the numbers of w for the body at 0 or 6 with those of v for the body at ``to``."""
    return w[at] * v[to] + w[at + 1] * v[to + 1] + w[at + 5] * v[to + 5]


@link
def meet(p, w, z, f, g):
    """Block of N from the rows w, z and the weighed rows f, g of a pair of places."""
    a, b = p.ra, p.sa
    one, two, other, last = half(w, a, f, b), half(w, a, g, b), half(z, a, f, b), half(z, a, g, b)
    if p.rb != ABSENT:
        a, b = p.rb, p.sb
        one, two = one + half(w, a, f, b), two + half(w, a, g, b)
        other, last = other + half(z, a, f, b), last + half(z, a, g, b)
    return one, two, other, last


@jit
def factor_in_plane(place, chain, pair, limits, row, weighed, lower, vector):
    """N at the present rows, and its L and 1/D: ``factor`` of numerics/ldl.py with ``assemble_matrix`` in it."""
    eps, vanishing = limits
    diagonal, inner, level = vector[DIAGONAL], vector[INNER], 0
    for k in range(len(place) - 1):
        here = place[k]
        last = place[k + 1].entry - ONE
        w, z = row[here.row[0]].w, row[here.row[1]].w
        x, y, f, g = six(w), six(z), six(weighed[here.row[0]]), six(weighed[here.row[1]])
        p, q, s = times(x, f[:3], f[3:]), times(y, f[:3], f[3:]), times(y, g[:3], g[3:])
        if here.count < 2:
            s = 1.0 + 0.0 * s
        all_p, all_s = p.real, s.real
        for e in range(here.entry, last):
            j, at = chain[here.line + (e - here.entry)].left, 4 * chain[here.line + (e - here.entry)].at
            there = place[j]
            a, b, c, d = meet(pair[e], w, z, weighed[there.row[0]], weighed[there.row[1]])
            t, u, v = inner[j], diagonal[2 * j], diagonal[2 * j + 1]
            b, d = b - a * t, d - c * t
            au, bv, cu, dv = a * u, b * v, c * u, d * v
            lower[at], lower[at + 1], lower[at + 2], lower[at + 3] = au, bv, cu, dv
            p, q, s = p - a * au - b * bv, q - c * au - d * bv, s - c * cu - d * dv
        if p.real < SMALL * all_p:
            level = max(level, 2 if p.real < vanishing * all_p else 1)
            if p.real < 0.0:  # rounding noise of a redundant row
                p = 0.0 * p
        first = 1.0 / (p + eps * all_p)
        t = q * first
        s = s - q * t
        if s.real < SMALL * all_s:
            level = max(level, 2 if s.real < vanishing * all_s else 1)
            if s.real < 0.0:
                s = 0.0 * s
        diagonal[2 * k], diagonal[2 * k + 1], inner[k] = first, 1.0 / (s + eps * all_s), t
    return level


@link
def ahead_of(place, chain, lower, line, k, x, y):
    """Solution of L for place k, whose right side is (x, y); those before it stand in ``line``."""
    for m in range(place[k].line, place[k + 1].line):
        n, at = 2 * chain[m].left, 4 * chain[m].at
        a, b = line[n], line[n + 1]
        x, y = x - lower[at] * a - lower[at + 1] * b, y - lower[at + 2] * a - lower[at + 3] * b
    return x, y


@link
def back_from(place, chain, lower, line, k, x, y):
    """Solution of L^T for place k but for its own triangle; those behind it stand in ``line``."""
    for c in range(place[k].column, place[k + 1].column):
        n, at = 2 * chain[c].below, 4 * c
        a, b = line[n], line[n + 1]
        x, y = x - lower[at + 2] * b - lower[at] * a, y - lower[at + 3] * b - lower[at + 1] * a
    return x, y


@jit
def impel_in_plane(shares, place, chain, fact, row, weighed, lower, vector, lam, kin):
    """lam = N^-1 (-(W x + now drift + ahead bias)), and x += M^-1 W^T lam; shares = (now, ahead)."""
    now, ahead = shares
    diagonal, inner, line, count = vector[DIAGONAL], vector[INNER], vector[DENSE_ROW], len(place) - 1
    for k in range(count):
        r, s = place[k].row[0], place[k].row[1]
        a, b, f, g = three(kin[fact[r].i].unknown), three(kin[fact[r].j].unknown), row[r], row[s]
        x = -(times(six(f.w), a, b) + now * f.drift + ahead * f.bias)
        y = -(times(six(g.w), a, b) + now * g.drift + ahead * g.bias)
        x, y = ahead_of(place, chain, lower, line, k, x, y)
        line[2 * k], line[2 * k + 1] = x, y - inner[k] * x
    for m in range(count):
        k = count - 1 - m
        r, s = place[k].row[0], place[k].row[1]
        x, y = line[2 * k] * diagonal[2 * k], line[2 * k + 1] * diagonal[2 * k + 1]
        x, y = back_from(place, chain, lower, line, k, x, y)
        x = x - inner[k] * y
        line[2 * k], line[2 * k + 1] = x, y
        lam[s] = y
        lam[r] = x
        a, b, f, g = kin[fact[r].i].unknown, kin[fact[r].j].unknown, weighed[r], weighed[s]
        a[0], a[1], a[5] = a[0] + (x * f[0] + y * g[0]), a[1] + (x * f[1] + y * g[1]), a[5] + (x * f[5] + y * g[5])
        b[0], b[1], b[5] = b[0] + (x * f[6] + y * g[6]), b[1] + (x * f[7] + y * g[7]), b[5] + (x * f[11] + y * g[11])
    for m in range(2 * count):
        line[m] = 0.0


@jit
def answer_in_plane(place, chain, fact, row, weighed, lower, vector, echo, first, second):
    """Add to two replies what keeps the joints closed, and note its echoes in them: two right sides at once."""
    diagonal, inner, line, count = vector[DIAGONAL], vector[INNER], vector[DENSE_ROW], len(place) - 1
    other = line[2 * count :]
    for k in range(count):
        r, s = place[k].row[0], place[k].row[1]
        i, j = 6 * fact[r].i, 6 * fact[r].j
        w, z = six(row[r].w), six(row[s].w)
        a, b, c, d = three_at(first, i), three_at(first, j), three_at(second, i), three_at(second, j)
        x, y = ahead_of(place, chain, lower, line, k, -times(w, a, b), -times(z, a, b))
        line[2 * k], line[2 * k + 1] = x, y - inner[k] * x
        x, y = ahead_of(place, chain, lower, other, k, -times(w, c, d), -times(z, c, d))
        other[2 * k], other[2 * k + 1] = x, y - inner[k] * x
    for m in range(count):
        k = count - 1 - m
        r, s = place[k].row[0], place[k].row[1]
        i, j, t, u, v = 6 * fact[r].i, 6 * fact[r].j, inner[k], diagonal[2 * k], diagonal[2 * k + 1]
        x, y = back_from(place, chain, lower, line, k, line[2 * k] * u, line[2 * k + 1] * v)
        x = x - t * y
        line[2 * k], line[2 * k + 1] = x, y
        X, Y = back_from(place, chain, lower, other, k, other[2 * k] * u, other[2 * k + 1] * v)
        X = X - t * Y
        other[2 * k], other[2 * k + 1] = X, Y
        if s < echo.shape[1]:  # not a spare row
            echo[0, s], echo[1, s] = y, Y
        echo[0, r], echo[1, r] = x, X
        f, g = six(weighed[r]), six(weighed[s])
        add_at(first, i, j, x, y, f, g)
        add_at(second, i, j, X, Y, f, g)
    for m in range(4 * count):
        line[m] = 0.0


@link
def add_at(u, i, j, x, y, f, g):
    """Add x f + y g to the velocities at i and j of a line."""
    u[i] += x * f[0] + y * g[0]
    u[i + 1] += x * f[1] + y * g[1]
    u[i + 5] += x * f[2] + y * g[2]
    u[j] += x * f[3] + y * g[3]
    u[j + 1] += x * f[4] + y * g[4]
    u[j + 5] += x * f[5] + y * g[5]
