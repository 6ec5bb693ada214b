"""Sparse L D L^T of a symmetric matrix whose pattern never changes: positive semidefinite, or quasidefinite.

    N + eps diag(N) = L D L^T          (rows already in a fill-reducing order)

``analyse`` finds, once, the pattern of L (up-looking, row by row); ``factor`` fills in numbers; ``solve`` applies
the inverse. The columns met by row k, in ascending order, are those j with L[k, j] != 0; because a nonzero L[i, j] with
j < i < k then implies L[k, i] != 0, the inner loop touches no zero.

``limits`` = (eps, relative pivot that counts as vanishing). eps is a proximal regularisation: redundant rows give
D[k] = eps N[k, k] instead of a division by zero, and a few refinements  x <- x + (N + eps diag(N))^-1 (b - N x)
started at x = 0 tend to the solution of least weighted norm.

Places whose row is NONE belong to unknowns that eliminate a body with many joints (compile/graph.py):

    [ N'   U ] [ lam ]   [ b ]
    [ U^T -M ] [  v  ] = [ 0 ]       is      (N' + U M^-1 U^T) lam = b

Such a matrix has an L D L^T in every order in which no pivot vanishes; D is negative at these places. A pivot counts as
small beside the largest of what it is made of: its diagonal entry, or what elimination has added to it.
"""

from __future__ import annotations

import numpy as np

from ..arrays import DENSE_ROW, DIAGONAL, INDEX, NONE, link_dtype, place_dtype
from .jit import jit

ONE = INDEX(1)
VANISHING = 1e-13  # relative size of a pivot that is nothing but rounding
SMALL = 1e-7  # and below which its solutions deserve refinement


def fill_reducing_order(size: int, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Order of elimination for the symmetric pattern given by its nonzero places (minimum degree)."""
    if size <= 2:
        return np.arange(size)
    from scipy import sparse as sp  # slow to import, and most mechanisms keep their rows as they come
    from scipy.sparse.linalg import splu

    # only the pattern matters: a diagonally dominant matrix keeps splu from pivoting away from it
    pattern = sp.coo_matrix((np.ones(len(rows)), (rows, columns)), shape=(size, size)).tocsc()
    pattern = (pattern + pattern.T).tocsc()
    pattern.data[:] = -1.0
    dominant = pattern + sp.diags(np.asarray(abs(pattern).sum(axis=1)).ravel() + 2.0)
    factor = splu(dominant.tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    return np.argsort(factor.perm_c)


def analyse(order: np.ndarray, lower: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Places and links of L; ``lower[k]`` lists the columns j < k of row k of the ordered matrix, ascending."""
    size = len(order)
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
    place = np.zeros(size + 1, dtype=place_dtype)
    place["row"][:size] = order
    place["entry"][1:] = np.cumsum([len(columns) + 1 for columns in lower])
    place["line"][1:] = np.cumsum([len(columns) for columns in met])
    left = np.array([j for columns in met for j in columns], dtype=np.int64)
    place["column"][1:] = np.cumsum(np.bincount(left, minlength=size))
    link = np.zeros(len(left), dtype=link_dtype)
    link["left"] = left
    filled = place["column"][:size].astype(np.int64)
    for n, (k, j) in enumerate((k, j) for k, columns in enumerate(met) for j in columns):
        link["at"][n] = filled[j]
        link["below"][filled[j]] = k
        link["above"][filled[j]] = j
        filled[j] += 1
    return place, link


@jit
def factor(place, link, column, entry, limits, lower, vector):
    """Fill L and 1/D from the entries of N; return 2 if a pivot vanishes beside its diagonal entry, 1 if small."""
    eps, vanishing = limits
    level = 0
    diagonal = vector[DIAGONAL]
    scratch = vector[DENSE_ROW]
    for k in range(len(place) - 1):
        # scatter row k of N; its diagonal comes last
        here, after = place[k], place[k + 1]
        last = after.entry - ONE
        for e in range(here.entry, last):
            scratch[column[e]] = entry[e]
        size, grown = entry[last], 0.0
        pivot = size
        for m in range(here.line, after.line):
            j = link[m].left
            at = link[m].at
            y = scratch[j]
            scratch[j] = 0.0
            for c in range(place[j].column, at):
                scratch[link[c].below] -= lower[c] * y
            x = y * diagonal[j]
            pivot -= x * y
            grown -= min(0.0, (x * y).real)
            lower[at] = x
        if here.row == NONE:
            diagonal[k] = 1.0 / (pivot + eps * size)
            continue
        if grown > size.real:  # a joint between a hub and the ground
            size = 0.0 * size + grown
        if pivot.real < SMALL * size.real:
            level = max(level, 2 if pivot.real < vanishing * size.real else 1)
            if pivot.real < 0.0:  # rounding noise of a redundant row
                pivot = 0.0 * pivot
        diagonal[k] = 1.0 / (pivot + eps * size)
    return level


@jit
def solve(place, link, lower, b, x, vector):
    """x = (L D L^T)^-1 b, in the original order of rows (``b`` and ``x`` may be the same array)."""
    n = len(place) - 1
    diagonal = vector[DIAGONAL]
    scratch = vector[DENSE_ROW]
    for k in range(n):
        scratch[k] = b[place[k].row] if place[k].row != NONE else 0.0 * scratch[k]
    # one loop over all entries, and back: most columns have so few that a loop for each costs more than its numbers
    for c in range(len(link)):
        scratch[link[c].below] -= lower[c] * scratch[link[c].above]
    for k in range(n):
        scratch[k] *= diagonal[k]
    for m in range(len(link)):
        c = len(link) - 1 - m
        scratch[link[c].above] -= lower[c] * scratch[link[c].below]
    for k in range(n):
        if place[k].row != NONE:
            x[place[k].row] = scratch[k]
        scratch[k] = 0.0
