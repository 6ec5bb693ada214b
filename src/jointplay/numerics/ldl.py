"""Sparse L D L^T of a symmetric positive semidefinite matrix whose pattern never changes.

    N + eps diag(N) = L D L^T          (rows already in a fill-reducing order)

``analyse`` finds, once, the pattern of L (up-looking, row by row); ``factor`` fills in numbers; ``solve`` applies
the inverse. The columns met by row k, in ascending order, are those j with L[k, j] != 0; because a nonzero L[i, j] with
j < i < k then implies L[k, i] != 0, the inner loop touches no zero.

eps is a proximal regularisation: redundant rows give D[k] = eps N[k, k] instead of a division by zero, and a few
refinements  x <- x + (N + eps diag(N))^-1 (b - N x)  started at x = 0 tend to the solution of least weighted norm.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from ..arrays import INDEX, Factor
from .jit import jit


def fill_reducing_order(size: int, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Order of elimination for the symmetric pattern given by its nonzero places (minimum degree)."""
    if size <= 2:
        return np.arange(size)
    from scipy.sparse.linalg import splu

    # only the pattern matters: a diagonally dominant matrix keeps splu from pivoting away from it
    pattern = sp.coo_matrix((np.ones(len(rows)), (rows, columns)), shape=(size, size)).tocsc()
    pattern = (pattern + pattern.T).tocsc()
    pattern.data[:] = -1.0
    dominant = pattern + sp.diags(np.asarray(abs(pattern).sum(axis=1)).ravel() + 2.0)
    factor = splu(dominant.tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    return np.argsort(factor.perm_c)


def analyse(size: int, order: np.ndarray, lower: list[list[int]]) -> Factor:
    """Pattern of L. ``lower[k]`` lists the columns j < k of row k of the ordered matrix; entries end with the diagonal."""
    parent = np.full(size, -1)
    flag = np.full(size, -1)
    met: list[list[int]] = []
    for k in range(size):
        flag[k] = k
        reach: list[int] = []
        for start in lower[k]:
            j = start
            while flag[j] != k:  # climb the elimination tree
                if parent[j] == -1:
                    parent[j] = k
                reach.append(j)
                flag[j] = k
                j = int(parent[j])
        met.append(sorted(reach))
    count = np.zeros(size + 1, dtype=np.int64)
    for columns in met:
        for j in columns:
            count[j + 1] += 1
    column_start = np.cumsum(count)
    column_row = np.zeros(column_start[-1], dtype=INDEX)
    filled = column_start[:-1].copy()
    place: list[int] = []
    for k, columns in enumerate(met):
        for j in columns:
            place.append(int(filled[j]))
            column_row[filled[j]] = k
            filled[j] += 1
    row_start = np.cumsum([0] + [len(columns) for columns in met])
    entries = [sorted(columns) + [k] for k, columns in enumerate(lower)]
    return Factor(
        order=np.asarray(order, dtype=INDEX),
        entry_start=np.cumsum([0] + [len(e) for e in entries]).astype(INDEX),
        entry_column=np.array([j for e in entries for j in e], dtype=INDEX),
        column_start=column_start.astype(INDEX),
        column_row=column_row,
        row_start=row_start.astype(INDEX),
        row_column=np.array([j for columns in met for j in columns], dtype=INDEX),
        row_place=np.array(place, dtype=INDEX),
    )


@jit
def factor(pattern, entry, eps, lower, diagonal, scratch):
    """Fill L and D from the entries of N; return the smallest pivot relative to its diagonal entry."""
    worst = 1.0
    for k in range(len(pattern.order)):
        # scatter row k of N; its diagonal comes last
        last = pattern.entry_start[k + 1] - INDEX(1)
        for e in range(pattern.entry_start[k], last):
            scratch[pattern.entry_column[e]] = entry[e]
        size = entry[last]
        pivot = size
        for m in range(pattern.row_start[k], pattern.row_start[k + 1]):
            j = pattern.row_column[m]
            y = scratch[j]
            scratch[j] = 0.0
            place = pattern.row_place[m]
            for c in range(pattern.column_start[j], place):
                scratch[pattern.column_row[c]] -= lower[c] * y
            x = y / diagonal[j]
            pivot -= x * y
            lower[place] = x
        ratio = pivot.real / size.real
        worst = min(worst, ratio)
        # a redundant row leaves rounding noise of either sign
        diagonal[k] = max(ratio, 0.0) * size + eps * size if ratio < eps else pivot + eps * size
    return worst


@jit
def solve(pattern, lower, diagonal, b, x, scratch):
    """X = (L D L^T)^-1 b, in the original order of rows (``b`` and ``x`` may be the same array)."""
    n = len(pattern.order)
    for k in range(n):
        scratch[k] = b[pattern.order[k]]
    for j in range(n):
        y = scratch[j]
        for c in range(pattern.column_start[j], pattern.column_start[j + 1]):
            scratch[pattern.column_row[c]] -= lower[c] * y
    for k in range(n):
        scratch[k] /= diagonal[k]
    for i in range(n):
        j = n - 1 - i
        y = scratch[j]
        for c in range(pattern.column_start[j], pattern.column_start[j + 1]):
            y -= lower[c] * scratch[pattern.column_row[c]]
        scratch[j] = y
    for k in range(n):
        x[pattern.order[k]] = scratch[k]
        scratch[k] = 0.0
