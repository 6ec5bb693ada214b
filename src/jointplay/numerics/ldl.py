"""Sparse L D L^T of a symmetric matrix whose pattern never changes: positive semidefinite, or quasidefinite.

    N + eps diag(N) = L D L^T          (rows already in a fill-reducing order)

Rows stand in blocks of two, three or five (numerics/blocks.py): those of one joint are met by the same others, so that
the pattern is one of blocks, and most of the arithmetic is between numbers in registers. A block that is not full is
filled up with rows of the unit matrix. Inside of blocks it is the same factor, row by row.

``analyse`` finds, once, the pattern of L (up-looking, block row by block row); ``factor`` fills in numbers; ``solve``
applies the inverse. The columns met by row k, in ascending order, are those j with L[k, j] != 0; because a nonzero
L[i, j] with j < i < k then implies L[k, i] != 0, the inner loop touches no zero.

``limits`` = (eps, relative pivot that counts as vanishing). eps is a proximal regularisation: redundant rows give
D[k] = eps N[k, k] instead of a division by zero, and a few refinements  x <- x + (N + eps diag(N))^-1 (b - N x)
started at x = 0 tend to the solution of least weighted norm.

Places that are a ``hub`` belong to unknowns that eliminate a body with many joints (compile/graph.py):

    [ N'   U ] [ lam ]   [ b ]
    [ U^T -M ] [  v  ] = [ 0 ]       is      (N' + U M^-1 U^T) lam = b

Such a matrix has an L D L^T in every order in which no pivot vanishes; D is negative at these places. A pivot counts as
small beside the largest of what it is made of: its diagonal entry, or what elimination has added to it.
"""

from __future__ import annotations

import numpy as np

from ..arrays import DENSE_ROW, DIAGONAL, INDEX, INNER, link_dtype, place_dtype
from .blocks import FIVE, THREE, TWO, Kit
from .jit import jit, link

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
    """Places and links of L; ``lower[k]`` lists the columns j < k of block row k of the ordered matrix, ascending."""
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
    place["entry"][1:] = np.cumsum([len(columns) + 1 for columns in lower])
    place["line"][1:] = np.cumsum([len(columns) for columns in met])
    left = np.array([j for columns in met for j in columns], dtype=np.int64)
    place["column"][1:] = np.cumsum(np.bincount(left, minlength=size))
    link = np.zeros(len(left), dtype=link_dtype)
    link["left"] = left
    filled = place["column"][:size].astype(np.int64)
    for k, columns in enumerate(met):
        first = all(filled[j] == place["column"][j] for j in columns)
        place["plain"][k] = first and columns == lower[k]
        filled[columns] += 1
    filled = place["column"][:size].astype(np.int64)
    for n, (k, j) in enumerate((k, j) for k, columns in enumerate(met) for j in columns):
        link["at"][n] = filled[j]
        link["below"][filled[j]] = k
        link["above"][filled[j]] = j
        filled[j] += 1
    return place, link


def _kernels(kit: Kit):
    """Factorisation and solution for blocks of one size."""
    size, area, triangle = kit.size, kit.size**2, kit.size * (kit.size - 1) // 2
    get, put, get_vector, put_vector = kit.get, kit.put, kit.get_vector, kit.put_vector
    pick, drop, times, ahead, back, get_triangle = kit.pick, kit.drop, kit.times, kit.ahead, kit.back, kit.get_triangle
    reduce, less_product = kit.reduce, kit.less_product
    less_times, less_transposed, eliminate = kit.less_times, kit.less_transposed, kit.eliminate
    put_lower, clear_lower = kit.put_lower, kit.clear_lower

    @link
    def pivots(k, hub, own, limits, block, entry, vector):
        """Factor of the diagonal block k, which stands at ``block`` of the dense row; its entries of N at ``own``."""
        eps, vanishing = limits
        diagonal, inner, line = vector[DIAGONAL], vector[INNER], vector[DENSE_ROW]
        level = 0
        for a in range(size):
            whole, grown = entry[own + size * a + a], diagonal[size * k + a].real
            pivot = line[block + size * a + a]
            for b in range(a):
                x = line[block + size * a + b]
                for c in range(b):
                    x -= line[block + size * a + c] * inner[triangle * k + b * (b - 1) // 2 + c]
                line[block + size * a + b] = x
                y = x * diagonal[size * k + b]
                inner[triangle * k + a * (a - 1) // 2 + b] = y
                pivot -= x * y
            if not hub:
                if grown > whole.real:  # a joint between a hub and the ground
                    whole = 0.0 * whole + grown
                if pivot.real < SMALL * whole.real:
                    level = max(level, 2 if pivot.real < vanishing * whole.real else 1)
                    if pivot.real < 0.0:  # rounding noise of a redundant row
                        pivot = 0.0 * pivot
            diagonal[size * k + a] = 1.0 / (pivot + eps * whole)
        return level

    @link
    def factor(first, last, place, link, column, entry, limits, lower, vector):
        level = 0
        diagonal, inner, line = vector[DIAGONAL], vector[INNER], vector[DENSE_ROW]
        for k in range(first, last):
            here, after = place[k], place[k + 1]
            end = after.entry - ONE
            if not here.plain:  # scatter row k of N; its diagonal comes last
                for e in range(here.entry, end):
                    put(line, area * column[e], get(entry, area * e))
            # a plain row touches nothing but its diagonal block, for which any part of the dense row will do
            own, block = area * end, 0 if here.plain else area * k
            put_lower(line, block, get(entry, own))
            for a in range(size):
                diagonal[size * k + a] = 0.0
            for m in range(here.line, after.line):
                j, at = link[m].left, area * link[m].at
                t, d = get_triangle(inner, triangle * j), get_vector(diagonal, size * j)
                if here.plain:
                    eliminate(entry, area * (here.entry + (m - here.line)), t, d, lower, at, line, block)
                else:
                    x = reduce(get(line, area * j), t)
                    for c in range(place[j].column, link[m].at):
                        to = area * link[c].below
                        put(line, to, less_product(get(line, to), x, get(lower, area * c)))
                    eliminate(line, area * j, t, d, lower, at, line, block)
                    for n in range(area):
                        line[area * j + n] = 0.0
                if place[j].hub:
                    for a in range(size):
                        for b in range(size):
                            y = lower[at + size * a + b]
                            diagonal[size * k + a] -= min(0.0, (y * y / d[b]).real)
            level = max(level, pivots(k, here.hub, own, limits, block, entry, vector))
            clear_lower(line, block)
        return level

    @link
    def solve(place, link, lower, b, x, vector):
        diagonal, inner = vector[DIAGONAL], vector[INNER]
        n = len(place) - 1
        line = diagonal[size * n :]
        for k in range(n):
            here = place[k]
            z = pick(b, here.row)
            for m in range(here.line, place[k + 1].line):
                z = less_times(z, get(lower, area * link[m].at), get_vector(line, size * link[m].left))
            put_vector(line, size * k, ahead(z, get_triangle(inner, triangle * k)))
        for m in range(n):
            k = n - 1 - m
            z = times(get_vector(line, size * k), get_vector(diagonal, size * k))
            for c in range(place[k].column, place[k + 1].column):
                z = less_transposed(z, get(lower, area * c), get_vector(line, size * link[c].below))
            z = back(z, get_triangle(inner, triangle * k))
            put_vector(line, size * k, z)
            if not place[k].hub:
                drop(x, place[k].row, z)

    return factor, solve


_factor2, _solve2 = _kernels(TWO)
_factor3, _solve3 = _kernels(THREE)
_factor5, _solve5 = _kernels(FIVE)


@jit
def factor(size, place, link, column, entry, limits, lower, vector):
    """Fill L and 1/D from the entries of N; return 2 if a pivot vanishes beside its diagonal entry, 1 if small."""
    return factor_blocks(size, 0, len(place) - 1, place, link, column, entry, limits, lower, vector)


@jit
def factor_blocks(size, first, last, place, link, column, entry, limits, lower, vector):
    """The same for block rows ``first`` to ``last``; those before are done."""
    if size == 2:
        return _factor2(first, last, place, link, column, entry, limits, lower, vector)
    if size == 3:
        return _factor3(first, last, place, link, column, entry, limits, lower, vector)
    return _factor5(first, last, place, link, column, entry, limits, lower, vector)


@jit
def solve(size, place, link, lower, b, x, vector):
    """x = (L D L^T)^-1 b, in the original order of rows (``b`` and ``x`` may be the same array)."""
    if size == 2:
        _solve2(place, link, lower, b, x, vector)
    elif size == 3:
        _solve3(place, link, lower, b, x, vector)
    else:
        _solve5(place, link, lower, b, x, vector)
