"""Products of the matrices of linearised equations with many columns at once, and with their transposed."""

from __future__ import annotations

from ..numerics.jit import jit
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
            for o in range(6):
                add_to(X, i + m, A[i + m, j + o], B, j + o)


@jit
def add_blocks_transposed(pair, A, B, X):
    """X += A^T B."""
    for n in range(len(pair)):
        i, j = 6 * (pair[n, 0] - 1), 6 * (pair[n, 1] - 1)
        for m in range(6):
            for o in range(6):
                add_to(X, j + o, A[i + m, j + o], B, i + m)


@jit
def add_row_of(fact, A, r, factor, B, X, at):
    """Line ``at`` of X += factor A_r B for line r of a matrix that has entries at the bodies of a row only."""
    for b in (fact.i, fact.j):
        if b != 0:
            for m in range(6):
                add_to(X, at, factor * A[r, 6 * (b - 1) + m], B, 6 * (b - 1) + m)


@jit
def add_row_transposed(fact, A, r, factor, B, at, X):
    """X += factor A_r^T times line ``at`` of B."""
    for b in (fact.i, fact.j):
        if b != 0:
            for m in range(6):
                add_to(X, 6 * (b - 1) + m, factor * A[r, 6 * (b - 1) + m], B, at)


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


@jit
def solve_wide(A, band, X):
    """numerics.lu.solve_band for many right-hand sides at once, the columns of X."""
    n = band.shape[1]
    for k in range(n):
        p = band[PIVOT, k]
        if p != k:
            for c in range(X.shape[1]):
                X[k, c], X[p, c] = X[p, c], X[k, c]
        for i in range(k + 1, band[LOWEST, k] + 1):
            add_to(X, i, -A[i, k], X, k)
    for m in range(n):
        k = n - 1 - m
        for j in range(k + 1, band[LAST, k] + 1):
            add_to(X, k, -A[k, j], X, j)
        inverse = 1.0 / A[k, k]
        for c in range(X.shape[1]):
            X[k, c] *= inverse


@jit
def solve_wide_transposed(A, band, X):
    """The same with the transposed matrix."""
    n = band.shape[1]
    for k in range(n):
        for j in range(band[LEFT, k], k):
            add_to(X, k, -A[j, k], X, j)
        inverse = 1.0 / A[k, k]
        for c in range(X.shape[1]):
            X[k, c] *= inverse
    for m in range(n):
        k = n - 1 - m
        for i in range(k + 1, band[LOWEST, k] + 1):
            add_to(X, k, -A[i, k], X, i)
        p = band[PIVOT, k]
        if p != k:
            for c in range(X.shape[1]):
                X[k, c], X[p, c] = X[p, c], X[k, c]
