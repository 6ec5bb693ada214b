"""L U = P A with partial pivoting, in place, for a matrix whose nonzeros stay within an envelope.

The envelope is known beforehand (compile/envelope.py): in column k nothing stands below row ``bottom[k]``, and once
rows up to there may have changed places, nothing in row k stands right of column ``right[k]``. For a chain the cost is
linear in its length. Multipliers stay where they were made, as rows change places only from the pivot onwards; so the
solution changes places and eliminates in turn.

Much of the envelope may be empty: contacts that do not act, directions that a planar model blocks. What the factors
really reach to is noted with them, and solutions go no further.

    lines of ``band``: PIVOT (row that came to place k), BOTTOM, RIGHT, LEFT (first column that a row may ever use);
    of the factors: LOWEST (last row with a multiplier in column k), LAST (last column that row k uses)
"""

from __future__ import annotations

from .jit import jit

LINES = 6
PIVOT, BOTTOM, RIGHT, LEFT, LOWEST, LAST = range(LINES)


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
        while A[k, right] == 0.0:  # ends at the pivot at last
            right -= 1
        inverse, lowest = 1.0 / A[k, k], k
        for i in range(k + 1, bottom + 1):
            if A[i, k] != 0.0:
                f = A[i, k] * inverse
                A[i, k] = f
                lowest = i
                for j in range(k + 1, right + 1):
                    A[i, j] -= f * A[k, j]
        band[LOWEST, k], band[LAST, k] = lowest, right
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
            for i in range(k + 1, band[LOWEST, k] + 1):
                x[i] -= A[i, k] * x[k]
    for m in range(n):
        k = n - 1 - m
        total = x[k]
        for j in range(k + 1, band[LAST, k] + 1):
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
        for i in range(k + 1, band[LOWEST, k] + 1):
            x[k] -= A[i, k] * x[i]
        p = band[PIVOT, k]
        if p != k:
            x[k], x[p] = x[p], x[k]
