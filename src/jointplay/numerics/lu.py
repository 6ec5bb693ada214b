"""L U = P A with partial pivoting, in place, for a matrix whose nonzeros stay within an envelope.

The envelope is known beforehand (compile/envelope.py): in column k nothing stands below row ``bottom[k]``, and once
rows up to there may have changed places, nothing in row k stands right of column ``right[k]``. For a chain the cost is
linear in its length. Multipliers stay where they were made, as rows change places only from the pivot onwards; so the
solution changes places and eliminates in turn.

Much of the envelope may be empty: contacts that do not act, directions that a planar model blocks. What the factors
really reach to is noted with them, and solutions go no further.

    lines of ``band``: PIVOT (row that came to place k), BOTTOM, RIGHT, LEFT (first column that a row may ever use);
    of the factors: LOWEST (last row with a multiplier in column k), LAST (last column that row k uses)

Where a few unknowns of many take part, and which changes from matrix to matrix, these are given as a list instead
(``live``); LAST is then a place in that list.
"""

from __future__ import annotations

from .jit import jit, link

LINES = 6
BLOCK = 4  # columns that are taken at a time, without a loop
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
def clear_some(A, live):
    """Zeros in the rows and columns ``live``."""
    for k in live:
        for j in live:
            A[k, j] = 0.0


@jit
def factor_some(A, live, firm, band):
    """Replace the rows and columns ``live`` of A by their factors; return False where a pivot vanishes.

    The first ``firm`` of them stand for a positive definite part, and keep their places.
    """
    count = len(live)
    for a in range(count):
        k = live[a]
        best, most = k, abs(A[k, k])
        for b in range(a + 1 if a >= firm else count, count):
            size = abs(A[live[b], k])
            if size > most:
                best, most = live[b], size
        band[PIVOT, k] = best
        if not most > 0.0:
            return False
        if best != k:
            for b in range(a, count):
                j = live[b]
                A[k, j], A[best, j] = A[best, j], A[k, j]
        last = count - 1
        while A[k, live[last]] == 0.0:  # ends at the pivot at last
            last -= 1
        band[LAST, k] = last
        inverse = 1.0 / A[k, k]
        for b in range(a + 1, count):
            i = live[b]
            if A[i, k] != 0.0:
                f = A[i, k] * inverse
                A[i, k] = f
                for c in range(a + 1, last + 1):
                    A[i, live[c]] -= f * A[k, live[c]]
    return True


@link
def add_line(X, i, factor, j, blocks):
    """Line i of X += factor times line j, in so many blocks of BLOCK columns."""
    for n in range(blocks):
        c = BLOCK * n
        X[i, c] += factor * X[j, c]
        X[i, c + 1] += factor * X[j, c + 1]
        X[i, c + 2] += factor * X[j, c + 2]
        X[i, c + 3] += factor * X[j, c + 3]


@link
def set_line(X, i, factor, j, blocks):
    """Line i of X = factor times line j, in so many blocks."""
    for n in range(blocks):
        c = BLOCK * n
        X[i, c] = factor * X[j, c]
        X[i, c + 1] = factor * X[j, c + 1]
        X[i, c + 2] = factor * X[j, c + 2]
        X[i, c + 3] = factor * X[j, c + 3]


@link
def _exchange(band, k, X, blocks):
    """Lines of X change places as rows did at pivot k."""
    p = band[PIVOT, k]
    for c in range(BLOCK * blocks if p != k else 0):
        X[k, c], X[p, c] = X[p, c], X[k, c]


@jit
def solve_some(A, live, band, X, blocks):
    """Replace right-hand sides, so many blocks of columns of X, by solutions with the factors of ``factor_some``."""
    count = len(live)
    for a in range(count):
        k = live[a]
        _exchange(band, k, X, blocks)
        for b in range(a + 1, count):
            i = live[b]
            if A[i, k] != 0.0:
                add_line(X, i, -A[i, k], k, blocks)
    for n in range(count):
        a = count - 1 - n
        k = live[a]
        for b in range(a + 1, band[LAST, k] + 1):
            add_line(X, k, -A[k, live[b]], live[b], blocks)
        set_line(X, k, 1.0 / A[k, k], k, blocks)


@jit
def solve_some_transposed(A, live, band, X, blocks):
    """The same with the transposed matrix."""
    count = len(live)
    for a in range(count):
        k = live[a]
        set_line(X, k, 1.0 / A[k, k], k, blocks)
        for b in range(a + 1, band[LAST, k] + 1):
            add_line(X, live[b], -A[k, live[b]], k, blocks)
    for n in range(count):
        a = count - 1 - n
        k = live[a]
        for b in range(a + 1, count):
            i = live[b]
            if A[i, k] != 0.0:
                add_line(X, k, -A[i, k], i, blocks)
        _exchange(band, k, X, blocks)
