"""Dense L U = P A with partial pivoting, in place, for the matrices of implicit methods.

Zeros below a pivot are skipped, so that the sparse matrices of mechanisms cost far less than n^3/3.
"""

from __future__ import annotations

from .jit import jit


@jit
def factor_dense(A, pivots):
    """Replace A by its factors; return False where a pivot vanishes."""
    n = len(A)
    for k in range(n):
        best, most = k, abs(A[k, k])
        for i in range(k + 1, n):
            size = abs(A[i, k])
            if size > most:
                best, most = i, size
        pivots[k] = best
        if not most > 0.0:
            return False
        if best != k:
            for j in range(n):
                A[k, j], A[best, j] = A[best, j], A[k, j]
        inverse = 1.0 / A[k, k]
        for i in range(k + 1, n):
            if A[i, k] != 0.0:
                f = A[i, k] * inverse
                A[i, k] = f
                for j in range(k + 1, n):
                    A[i, j] -= f * A[k, j]
    return True


@jit
def solve_dense(A, pivots, x):
    """Replace the right-hand side x by the solution."""
    n = len(A)
    for k in range(n):
        p = pivots[k]
        if p != k:
            x[k], x[p] = x[p], x[k]
    for i in range(n):
        total = x[i]
        for j in range(i):
            total -= A[i, j] * x[j]
        x[i] = total
    for m in range(n):
        i = n - 1 - m
        total = x[i]
        for j in range(i + 1, n):
            total -= A[i, j] * x[j]
        x[i] = total / A[i, i]
