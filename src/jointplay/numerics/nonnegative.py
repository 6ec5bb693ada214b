"""Contacts without friction as least squares: an active set that ends with the solution wherever there is one.

    0 <= r,   u = W r + q >= 0,   r . u = 0        W symmetric, positive semidefinite, q in its range

With W = A A^T, q = A b this is  min |A^T r + b|  over r >= 0, which always has a solution, however redundant contacts
are. The method is that of Lawson and Hanson (Solving Least Squares Problems, 1974, chapter 23), on W itself: a set of
closed contacts grows by the one that is approached fastest, W_PP s = -q_P is solved, and contacts that would pull are
let go on the way from r to s. |A^T r + b| falls in every round, so no set returns. A contact whose row depends on those
of the set already has u = 0 but for rounding; its pivot shows it, and it waits until something has changed.

W_PP = L L^T grows by a row where a contact joins, and is made anew from the place where one leaves: n^3/6
multiplications for n contacts that join. Scratch: line LIST has the set, TRIAL who waits or is closed, STEP the s of
the set, SHIFTED the normal velocities; L from line MATRIX on.
"""

from __future__ import annotations

import numpy as np

from .cones import LIST, MATRIX, NOT_CONVERGED, OK, SHIFTED, STEP, TRIAL
from .jit import jit

DEPENDENT = 1e-13  # pivot relative to the diagonal that is rounding
FREE, CLOSED, WAITS = 0.0, 1.0, 2.0
ROUNDS = 10  # per contact


@jit
def _extend(dim, first, count, W, scratch):
    """Rows of L from ``first`` on, of ``count``; returns the first of them that depends on those above, or -1."""
    for m in range(first, count):
        i = dim * int(scratch[LIST, m])
        row = scratch[MATRIX + m]
        for c in range(m + 1):
            s = W[i, dim * int(scratch[LIST, c])]
            other = scratch[MATRIX + c]
            for d in range(c):
                s -= row[d] * other[d]
            if c < m:
                row[c] = s / other[c]
            elif s > DEPENDENT * W[i, i]:
                row[c] = np.sqrt(s)
            else:
                return m
    return -1


@jit
def _solve(dim, count, q, scratch):
    """Line STEP: s of W_PP s = -q_P."""
    s = scratch[STEP]
    for m in range(count):
        row, x = scratch[MATRIX + m], -q[dim * int(scratch[LIST, m])]
        for c in range(m):
            x -= row[c] * s[c]
        s[m] = x / row[m]
    for n in range(count):
        m = count - 1 - n
        x = s[m]
        for c in range(m + 1, count):
            x -= scratch[MATRIX + c, m] * s[c]
        s[m] = x / scratch[MATRIX + m, m]


@jit
def _most_approached(dim, k, W, q, r, limit, scratch):
    """The contact that would be pressed hardest next, by speed over the root of its W_ii; -1 if none approaches."""
    best, top = np.int64(-1), 0.0
    for i in range(k):
        row, u = W[dim * i], q[dim * i]
        for j in range(k):
            u += row[dim * j] * r[dim * j]
        scratch[SHIFTED, i] = u
        if scratch[TRIAL, i] == FREE and u < -limit and row[dim * i] > 0.0:
            speed = -u / np.sqrt(row[dim * i])
            if speed > top:
                best, top = i, speed
    return best


@jit
def _leave(dim, place, count, r, scratch):
    """Take the contact at a place out of the set; the new count."""
    i = int(scratch[LIST, place])
    scratch[TRIAL, i] = FREE
    r[dim * i] = 0.0
    for m in range(place, count - 1):
        scratch[LIST, m] = scratch[LIST, m + 1]
    return count - 1


@jit
def _settle(dim, count, W, q, r, scratch):
    """Solve for the set and let go what would pull, until nothing does; (how many are left, did r change)."""
    first, moved = count - 1, False
    while count > 0:
        lost = _extend(dim, first, count, W, scratch)
        if lost >= 0:
            count = _leave(dim, lost, count, r, scratch)
            first = lost
            continue
        _solve(dim, count, q, scratch)
        s, part, place = scratch[STEP], 1.0, -1
        for m in range(count):
            old = r[dim * int(scratch[LIST, m])]
            if not s[m] > 0.0 and old <= part * (old - s[m]):
                part, place = (old / (old - s[m]) if old > 0.0 else 0.0), m
        for m in range(count):
            i = dim * int(scratch[LIST, m])
            moved = moved or (part > 0.0 and s[m] != r[i])
            r[i] += part * (s[m] - r[i])
        if place < 0:
            return count, moved
        count = _leave(dim, place, count, r, scratch)
        first = place
    return count, moved


@jit
def least_squares(dim, k, W, q, r, limit, scratch):
    """(status, rounds): normal impulses from r = 0, tangents zero; solved if nothing approaches faster than limit."""
    for a in range(dim * k):
        r[a] = 0.0
    for i in range(k):
        scratch[TRIAL, i] = FREE
    count = np.int64(0)
    for done in range(ROUNDS * k + 1):
        i = _most_approached(dim, k, W, q, r, limit, scratch)
        if i < 0:
            for j in range(k):
                if scratch[SHIFTED, j] < -limit and scratch[TRIAL, j] == WAITS:
                    return NOT_CONVERGED, done
            return OK, done
        scratch[LIST, count] = i
        scratch[TRIAL, i] = CLOSED
        count, moved = _settle(dim, count + 1, W, q, r, scratch)
        if scratch[TRIAL, i] == FREE:  # it was let go at once
            scratch[TRIAL, i] = WAITS
        if moved:
            for j in range(k):
                if scratch[TRIAL, j] == WAITS and j != i:
                    scratch[TRIAL, j] = FREE
    return NOT_CONVERGED, ROUNDS * k
