"""L U = P A with partial pivoting, in place, for a matrix whose nonzeros stay within an envelope.

The envelope is known beforehand (compile/envelope.py): in column k nothing stands below row ``bottom[k]``, and once
rows up to there may have changed places, nothing in row k stands right of column ``right[k]``. For a chain the cost is
linear in its length. Multipliers stay where they were made, as rows change places only from the pivot onwards; so the
solution changes places and eliminates in turn.

    lines of ``band``: PIVOT (row that came to place k), BOTTOM, RIGHT, LEFT (first column that a row may ever use)
"""

from __future__ import annotations

from .jit import jit

PIVOT, BOTTOM, RIGHT, LEFT = range(4)


@jit
def clear_band(A, band):
    """Zeros in the whole envelope."""
    for k in range(band.shape[1]):
        for j in range(band[LEFT, k], band[RIGHT, k] + 1):
            A[k, j] = 0.0


@jit
def factor_band(A, band):
    """Replace A by its factors; return False where a pivot vanishes."""
    for k in range(band.shape[1]):
        bottom, right = band[BOTTOM, k], band[RIGHT, k]
        best, most = k, abs(A[k, k])
        for i in range(k + 1, bottom + 1):
            size = abs(A[i, k])
            if size > most:
                best, most = i, size
        band[PIVOT, k] = best
        if not most > 0.0:
            return False
        if best != k:
            for j in range(k, right + 1):
                A[k, j], A[best, j] = A[best, j], A[k, j]
        inverse = 1.0 / A[k, k]
        for i in range(k + 1, bottom + 1):
            if A[i, k] != 0.0:
                f = A[i, k] * inverse
                A[i, k] = f
                for j in range(k + 1, right + 1):
                    A[i, j] -= f * A[k, j]
    return True


@jit
def solve_band(A, band, x):
    """Replace the right-hand side x by the solution."""
    n = band.shape[1]
    for k in range(n):
        p = band[PIVOT, k]
        if p != k:
            x[k], x[p] = x[p], x[k]
        if x[k] != 0.0:
            for i in range(k + 1, band[BOTTOM, k] + 1):
                x[i] -= A[i, k] * x[k]
    for m in range(n):
        k = n - 1 - m
        total = x[k]
        for j in range(k + 1, band[RIGHT, k] + 1):
            total -= A[k, j] * x[j]
        x[k] = total / A[k, k]


@jit
def solve_transposed(A, band, x):
    """Replace the right-hand side x by the solution of the transposed system."""
    n = band.shape[1]
    for k in range(n):
        total = x[k]
        for j in range(band[LEFT, k], k):
            total -= A[j, k] * x[j]
        x[k] = total / A[k, k]
    for m in range(n):
        k = n - 1 - m
        for i in range(k + 1, band[BOTTOM, k] + 1):
            x[k] -= A[i, k] * x[i]
        p = band[PIVOT, k]
        if p != k:
            x[k], x[p] = x[p], x[k]
