"""Small dense systems: Gaussian elimination with partial pivoting, in place."""

from __future__ import annotations

from .jit import jit


@jit
def eliminate(A, x):
    """Replace x by the solution of A x; False if A is singular, where unknowns without a pivot become 0."""
    n, regular = len(x), True
    for k in range(n):
        best = k
        for r in range(k + 1, n):
            if abs(A[r, k].real) > abs(A[best, k].real):
                best = r
        if best != k:
            for c in range(n):
                A[k, c], A[best, c] = A[best, c], A[k, c]
            x[k], x[best] = x[best], x[k]
        if not abs(A[k, k].real) > 0.0:
            regular = False
            continue
        for r in range(k + 1, n):
            f = A[r, k] / A[k, k]
            for c in range(k, n):
                A[r, c] -= f * A[k, c]
            x[r] -= f * x[k]
    for back in range(n):
        k = n - 1 - back
        for c in range(k + 1, n):
            x[k] -= A[k, c] * x[c]
        x[k] = x[k] / A[k, k] if abs(A[k, k].real) > 0.0 else 0.0 * x[k]
    return regular
