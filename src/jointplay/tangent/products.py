"""Products of the matrices of linearised equations with many columns at once, and with their transposed."""

from __future__ import annotations

import numpy as np

from ..numerics.jit import jit, link
from ..numerics.lu import LAST, LEFT, LOWEST, PIVOT


@jit
def zero(A):
    """A = 0."""
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            A[i, j] = 0.0


@jit
def add_to(X, i, factor, B, j):
    """Line i of X += factor times line j of B."""
    if factor != 0.0:
        for k in range(X.shape[1]):
            X[i, k] += factor * B[j, k]


@link
def add_six(X, i, factor, a, o, B, j):
    """Line i of X += factor times the six numbers of ``a`` from o on times six lines of B from j on."""
    a0, a1, a2 = factor * a[o], factor * a[o + 1], factor * a[o + 2]
    a3, a4, a5 = factor * a[o + 3], factor * a[o + 4], factor * a[o + 5]
    if a0 != 0.0 or a1 != 0.0 or a2 != 0.0 or a3 != 0.0 or a4 != 0.0 or a5 != 0.0:
        for k in range(X.shape[1]):
            first = a0 * B[j, k] + a1 * B[j + 1, k] + a2 * B[j + 2, k]
            X[i, k] += first + (a3 * B[j + 3, k] + a4 * B[j + 4, k] + a5 * B[j + 5, k])


@link
def give_six(X, i, factor, a, o, B, j):
    """Six lines of X from i on += factor times the six numbers of ``a`` from o on times line j of B."""
    a0, a1, a2 = factor * a[o], factor * a[o + 1], factor * a[o + 2]
    a3, a4, a5 = factor * a[o + 3], factor * a[o + 4], factor * a[o + 5]
    if a0 != 0.0 or a1 != 0.0 or a2 != 0.0 or a3 != 0.0 or a4 != 0.0 or a5 != 0.0:
        for k in range(X.shape[1]):
            b = B[j, k]
            X[i, k] += a0 * b
            X[i + 1, k] += a1 * b
            X[i + 2, k] += a2 * b
            X[i + 3, k] += a3 * b
            X[i + 4, k] += a4 * b
            X[i + 5, k] += a5 * b


@jit
def clear_blocks(pair, A):
    """Zeros in the blocks of six by six at pairs of bodies."""
    for n in range(len(pair)):
        i, j = 6 * (pair[n, 0] - 1), 6 * (pair[n, 1] - 1)
        for m in range(6):
            for o in range(6):
                A[i + m, j + o] = 0.0


@jit
def clear_row(fact, A, r):
    """Zeros in line r at the bodies of a row."""
    for b in (fact.i, fact.j):
        if b != 0:
            for m in range(6):
                A[r, 6 * (b - 1) + m] = 0.0


@jit
def row_times(fact, A, r, line):
    """Line r of a matrix that has entries at the bodies of a row only, times a line."""
    total = 0.0
    for b in (fact.i, fact.j):
        if b != 0:
            for m in range(6 * (b - 1), 6 * b):
                total += A[r, m] * line[m]
    return total


@jit
def add_blocks(pair, A, B, X):
    """X += A B for a matrix with blocks of six by six at pairs of bodies."""
    for n in range(len(pair)):
        i, j = 6 * (pair[n, 0] - 1), 6 * (pair[n, 1] - 1)
        for m in range(6):
            add_six(X, i + m, 1.0, A[i + m], j, B, j)


@jit
def add_blocks_transposed(pair, A, B, X):
    """X += A^T B."""
    for n in range(len(pair)):
        i, j = 6 * (pair[n, 0] - 1), 6 * (pair[n, 1] - 1)
        for m in range(6):
            give_six(X, j, 1.0, A[i + m], j, B, i + m)


@jit
def add_row_of(fact, A, r, factor, B, X, at):
    """Line ``at`` of X += factor A_r B for line r of a matrix that has entries at the bodies of a row only."""
    for b in (fact.i, fact.j):
        if b != 0:
            add_six(X, at, factor, A[r], 6 * (np.int64(b) - 1), B, 6 * (np.int64(b) - 1))


@jit
def add_row_transposed(fact, A, r, factor, B, at, X):
    """X += factor A_r^T times line ``at`` of B."""
    for b in (fact.i, fact.j):
        if b != 0:
            give_six(X, 6 * (np.int64(b) - 1), factor, A[r], 6 * (np.int64(b) - 1), B, at)


@jit
def add_lines(A, factor, B, X, at):
    """Lines of X from ``at`` on += factor A B."""
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            add_to(X, at + i, factor * A[i, j], B, j)


@jit
def add_lines_transposed(A, factor, B, at, X):
    """X += factor A^T times the lines of B from ``at`` on."""
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            add_to(X, j, factor * A[i, j], B, at + i)


@link
def take_from(X, k, a, low, high):
    """Line k of X -= the numbers ``a`` from ``low`` up to ``high`` times the lines of X there, six at a time."""
    whole = (high - low) // 6
    for q in range(whole):
        add_six(X, k, -1.0, a, low + 6 * q, X, low + 6 * q)
    for j in range(low + 6 * whole, high):
        add_to(X, k, -a[j], X, j)


@jit
def solve_wide(A, band, X):
    """numerics.lu.solve_band for many right-hand sides at once, the columns of X."""
    n = band.shape[1]
    for k in range(n):
        p = band[PIVOT, k]
        if p != k:
            for c in range(X.shape[1]):
                X[k, c], X[p, c] = X[p, c], X[k, c]
        low, high = k + 1, band[LOWEST, k] + 1
        whole = (high - low) // 6
        for q in range(whole):
            give_six(X, low + 6 * q, -1.0, A[:, k], low + 6 * q, X, k)
        for i in range(low + 6 * whole, high):
            add_to(X, i, -A[i, k], X, k)
    for m in range(n):
        k = n - 1 - m
        take_from(X, k, A[k], k + 1, band[LAST, k] + 1)
        inverse = 1.0 / A[k, k]
        for c in range(X.shape[1]):
            X[k, c] *= inverse


@jit
def solve_wide_transposed(A, band, X):
    """The same with the transposed matrix."""
    n = band.shape[1]
    for k in range(n):
        take_from(X, k, A[:, k], band[LEFT, k], k)
        inverse = 1.0 / A[k, k]
        for c in range(X.shape[1]):
            X[k, c] *= inverse
    for m in range(n):
        k = n - 1 - m
        take_from(X, k, A[:, k], k + 1, band[LOWEST, k] + 1)
        p = band[PIVOT, k]
        if p != k:
            for c in range(X.shape[1]):
                X[k, c], X[p, c] = X[p, c], X[k, c]
