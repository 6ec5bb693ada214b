"""Semismooth Newton: guess for each contact whether it is open, sticks or slips, solve the linear equations, repeat.

The guess comes from Alart and Curnier's map, with w the size of the block of W of the contact:

    p = w r - u
    open   if p_N <= 0                               r' = 0
    stick  if |p_T| <= mu p_N                        u' = 0
    slip   else, n = p_T/|p_T|, f = mu p_N/|p_T|     u_N' = 0,  w r_T' = mu w r_N' n + f (I - n n^T)(p_T' - p_T)

where a prime marks the values after the step, p_T' - p_T = w dr_T - W_T dr. For dim = 1 and 2 the last term is absent
and the step is exact for the right guess (an active set); in space it converges quadratically.

Equations u' = 0 become  (W + eps diag(w)) dr = -u:  redundant contacts make W singular, and the small eps (Levenberg,
here a proximal term, since it vanishes with dr) picks a small dr. Steps are halved until the residual falls; if no
step helps, eps grows; if no eps helps, the method stops and reports that.
"""

from __future__ import annotations

import numpy as np

from .cones import (
    ITERATIONS,
    LIMITS,
    LIST,
    MATRIX,
    NOT_CONVERGED,
    NOT_FINITE,
    OK,
    SCALE,
    STEP,
    TOLERANCE,
    TRIAL,
    VELOCITY,
    prepare,
    project_all,
    residual,
)
from .jit import jit

EPS = (1e-13, 1e-9, 1e-6, 1e-3)  # weights of the proximal term, tried in turn
HALVINGS = 8


@jit
def solve_dense(n, A, first, x):
    """x = A^-1 x by elimination with row exchanges, A in lines first, first + 1, ... of an array; False if singular."""
    for c in range(n):
        # largest entry of the column
        best, top = c, abs(A[first + c, c])
        for a in range(c + 1, n):
            size = abs(A[first + a, c])
            if size > top:
                best, top = a, size
        if not top > 0.0:
            return False
        pivot_row = A[first + c]
        if best != c:
            other = A[first + best]
            for b in range(c, n):
                pivot_row[b], other[b] = other[b], pivot_row[b]
            x[c], x[best] = x[best], x[c]
        inverse = 1.0 / pivot_row[c]
        for a in range(c + 1, n):
            row = A[first + a]
            f = row[c] * inverse
            if f != 0.0:
                for b in range(c + 1, n):
                    row[b] -= f * pivot_row[b]
                x[a] -= f * x[c]
    for m in range(n):
        c = n - 1 - m
        row = A[first + c]
        s = x[c]
        for b in range(c + 1, n):
            s -= row[b] * x[b]
        x[c] = s / row[c]
    return True


@jit
def _find_closed(dim, k, r, scratch):
    """List the contacts with p_N > 0 and let the others go to r = 0 in line STEP; (how many, do the others move)."""
    count, moving = 0, False
    for i in range(k):
        a = dim * i
        closed = scratch[SCALE, i] * r[a] > scratch[VELOCITY, a]
        if closed:
            scratch[LIST, count] = i
            count += 1
        for c in range(a, a + dim):
            scratch[STEP, c] = 0.0 if closed else -r[c]
            moving = moving or scratch[STEP, c] != 0.0
    return count, moving


@jit
def _slip_rows(dim, i, m, size, mu, r, scratch):
    """If contact i slips, turn its tangential rows, so far those of u_T' = 0, into the equations of slip."""
    a, here = dim * i, dim * m
    w, u, x = scratch[SCALE, i], scratch[VELOCITY], scratch[TRIAL]
    p1 = w * r[a + 1] - u[a + 1]
    p2 = w * r[a + 2] - u[a + 2] if dim > 2 else 0.0
    length = np.sqrt(p1 * p1 + p2 * p2)
    radius = mu * (w * r[a] - u[a])
    if length <= radius and mu > 0.0:
        return
    n1, n2, f = 0.0, 0.0, 0.0
    if length > 0.0:
        n1, n2, f = p1 / length, p2 / length, radius / length
    first = MATRIX + here + 1
    if dim == 2:
        for b in range(size):
            scratch[first, b] = 0.0
        scratch[first, here] = -mu * w * n1
        scratch[first, here + 1] = w
        x[here + 1] = w * (mu * r[a] * n1 - r[a + 1])
        return
    # I - n n^T = t t^T with t = (-n2, n1)
    last = first + 1
    for b in range(size):
        s = f * (n1 * scratch[last, b] - n2 * scratch[first, b])
        scratch[first, b] = -n2 * s
        scratch[last, b] = n1 * s
    scratch[first, here] -= mu * w * n1
    scratch[last, here] -= mu * w * n2
    scratch[first, here + 1] += w * (1.0 - f * n2 * n2)
    scratch[first, here + 2] += w * f * n1 * n2
    scratch[last, here + 1] += w * f * n1 * n2
    scratch[last, here + 2] += w * (1.0 - f * n1 * n1)
    # contacts that open during the step move u_T as well
    s = f * (n1 * (x[here + 2] + u[a + 2]) - n2 * (x[here + 1] + u[a + 1]))
    x[here + 1] = w * (mu * r[a] * n1 - r[a + 1]) - n2 * s
    x[here + 2] = w * (mu * r[a] * n2 - r[a + 2]) + n1 * s


@jit
def _find_step(dim, k, W, mu, r, eps, scratch):
    """Fill line STEP with the full step from r, u being in line VELOCITY; False if the equations are singular."""
    scale, x, step = scratch[SCALE], scratch[TRIAL], scratch[STEP]
    closed, moving = _find_closed(dim, k, r, scratch)
    size = dim * closed
    for m in range(closed):
        i = int(scratch[LIST, m])
        for c in range(dim):
            a, row = dim * i + c, dim * m + c
            s = -scratch[VELOCITY, a]
            if moving:
                for b in range(dim * k):
                    s -= W[a, b] * step[b]
            x[row] = s
            for other in range(closed):
                j = dim * int(scratch[LIST, other])
                for d in range(dim):
                    scratch[MATRIX + row, dim * other + d] = W[a, j + d]
            scratch[MATRIX + row, row] += eps * scale[i]
        if dim > 1:
            _slip_rows(dim, i, m, size, mu[i], r, scratch)
    if not solve_dense(size, scratch, MATRIX, x):
        return False
    for m in range(closed):
        i = int(scratch[LIST, m])
        for c in range(dim):
            step[dim * i + c] = x[dim * m + c]
    return True


@jit
def improve(dim, k, W, q, mu, r, error, target, limit, scratch):
    """(residual, iterations): Newton steps from r, whose u is in line VELOCITY, while they lower the residual."""
    n = dim * k
    step, trial = scratch[STEP], scratch[TRIAL]
    level = 0
    for count in range(limit):
        if error <= target:
            return error, count
        found = False
        while not found and level < len(EPS):
            if _find_step(dim, k, W, mu, r, EPS[level], scratch):
                t = 1.0
                for _ in range(HALVINGS):
                    for a in range(n):
                        trial[a] = r[a] + t * step[a]
                    after = residual(dim, k, W, q, mu, trial, scratch)
                    if after < (1.0 - 0.01 * t) * error:
                        found = True
                        break
                    t *= 0.5
                if not found:  # u of r again
                    residual(dim, k, W, q, mu, r, scratch)
            if not found:
                level += 1
        if not found:
            return error, count
        for a in range(n):
            r[a] = trial[a]
        error = after
        level = max(level - 1, 0)
    return error, limit


@jit
def finish(dim, k, W, q, mu, r, error, target, scratch):
    """Put r on its cones and return its residual, evaluated anew if that moved r noticeably."""
    if project_all(dim, k, mu, r, scratch[SCALE]) > 0.01 * target:
        return residual(dim, k, W, q, mu, r, scratch)
    return error


@jit
def newton(dim, k, W, q, mu, r, scratch):
    """(status, residual, iterations): Newton steps from r until the residual is below the tolerance."""
    size = prepare(dim, k, W, q, r, scratch)
    if size < 0.0:
        return NOT_FINITE, np.inf, 0
    target = scratch[LIMITS, TOLERANCE] * size
    error = residual(dim, k, W, q, mu, r, scratch)
    error, count = improve(dim, k, W, q, mu, r, error, target, int(scratch[LIMITS, ITERATIONS]), scratch)
    error = finish(dim, k, W, q, mu, r, error, target, scratch)
    return OK if error <= target else NOT_CONVERGED, error / size if size > 0.0 else 0.0, count
