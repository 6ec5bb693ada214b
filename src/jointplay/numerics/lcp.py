"""Linear complementarity by Lemke's method with lexicographic pivoting.

    w = M z + q,   w >= 0,  z >= 0,  w . z = 0

The method adds z0 to every row, w = M z + q + z0, starts from a z0 large enough, and exchanges one variable at a time:
the complement of the variable that left enters next, until z0 leaves (a solution) or nothing limits the entering
variable (a ray: for copositive-plus M, in particular positive semidefinite ones, the problem then has no solution).
Ties of the ratio test are broken by comparing whole rows of [q, B^-1] lexicographically, so that no basis returns and
the method is finite, degenerate or not. M needs neither symmetry nor a positive diagonal. Reference: Cottle, Pang and
Stone, The Linear Complementarity Problem, sections 4.4 and 4.9.

Contacts: dim = 1 is this problem with M = W. For dim = 2, with R = mu r_N + r_T, L = mu r_N - r_T and u_T = g_R - g_L,
Coulomb's law becomes (paper B eq. 85, third row as it should read)

    [u_N]   [W_NN - W_NT mu   W_NT   0] [r_N]   [q_N]
    [g_R] = [W_TN - W_TT mu   W_TT   I] [R  ] + [q_T]
    [L  ]   [2 mu             -I     0] [g_L]   [0  ]

Tableau: columns w (m of them; they hold B^-1), z (m), z0, q. Rows and columns are scaled so that entries are about one.

Where many rows depend on each other rounding can end the path on a ray that is none, or lead it astray. Contacts
without friction then get a second opinion (numerics/nonnegative.py).
"""

from __future__ import annotations

import numpy as np

from .cones import (
    LAST,
    LIMITS,
    LIST,
    MATRIX,
    NOT_CONVERGED,
    NOT_FINITE,
    OK,
    PIVOTS,
    RAY,
    STEP,
    TOLERANCE,
    TRIAL,
    prepare,
    residual,
)
from .jit import jit
from .newton import finish, improve
from .nonnegative import least_squares

PIVOT = 1e-11  # entries of the scaled tableau below this are rounding
TIE = 1e-12  # and ratios closer than this are equal
POLISH = np.int64(3)  # Newton steps that mend rounding
SMALL = 1e-12  # z0 that is nothing but rounding


@jit
def _scale(m, scratch):
    """Scale rows and columns of the tableau, and q; leaves the factors in line STEP, returns that of q."""
    D = scratch[STEP]
    for i in range(m):
        size = -scratch[MATRIX + i, m + i]
        D[i] = 1.0 / np.sqrt(size) if size > 0.0 else 0.0
    # rows without a diagonal follow their neighbours
    for i in range(m):
        if D[i] == 0.0:
            top = 0.0
            for j in range(m):
                if scratch[MATRIX + j, m + j] < 0.0:
                    top = max(top, abs(scratch[MATRIX + i, m + j]) * D[j])
            D[i] = 1.0 / top if top > 0.0 else 1.0
    q_size = 0.0
    for i in range(m):
        q_size = max(q_size, abs(scratch[MATRIX + i, 2 * m + 1]) * D[i])
    for i in range(m):
        for j in range(m):
            scratch[MATRIX + i, m + j] *= D[i] * D[j]
        if q_size > 0.0:
            scratch[MATRIX + i, 2 * m + 1] *= D[i] / q_size
    return q_size


@jit
def _leaving(m, entering, z0_row, scratch):
    """The row whose variable leaves: least ratio, ties by the rows of [q, B^-1]; -1 if nothing limits the entry."""
    last = 2 * m + 1
    best = -1
    for i in range(m):
        pivot = scratch[MATRIX + i, entering]
        if pivot <= PIVOT:
            continue
        if best < 0:
            best = i
            continue
        top = scratch[MATRIX + best, entering]
        gap = scratch[MATRIX + i, last] / pivot - scratch[MATRIX + best, last] / top
        if abs(gap) <= TIE and (i == z0_row or best == z0_row):  # z0 may leave: that ends it
            best = z0_row
            continue
        column = 0
        while abs(gap) <= TIE and column < m:
            gap = scratch[MATRIX + i, column] / pivot - scratch[MATRIX + best, column] / top
            column += 1
        if gap < 0.0:
            best = i
    return best


@jit
def _exchange(m, row, entering, scratch):
    """Make column ``entering`` the unit vector of ``row``."""
    f = 1.0 / scratch[MATRIX + row, entering]
    for j in range(2 * m + 2):
        scratch[MATRIX + row, j] *= f
    scratch[MATRIX + row, entering] = 1.0
    for i in range(m):
        f = scratch[MATRIX + i, entering]
        if i != row and f != 0.0:
            for j in range(2 * m + 2):
                scratch[MATRIX + i, j] -= f * scratch[MATRIX + row, j]
            scratch[MATRIX + i, entering] = 0.0


@jit
def _pivot_through(m, scratch):
    """(status, pivots) from a filled tableau; on success line LIST names the basic variable of each row."""
    z0, last = 2 * m, 2 * m + 1
    basis = scratch[LIST]
    row = np.int64(0)
    for i in range(m):
        basis[i] = i
        if scratch[MATRIX + i, last] <= scratch[MATRIX + row, last]:  # of equal ones the last: smallest in [q, I]
            row = i
    if m == 0 or scratch[MATRIX + row, last] >= 0.0:
        return OK, 0
    entering = z0
    z0_row = row
    for count in range(1, int(scratch[LIMITS, PIVOTS]) + 1):
        _exchange(m, row, entering, scratch)
        left = int(basis[row])
        basis[row] = entering
        if left == z0:
            return OK, count
        entering = left + m if left < m else left - m
        row = _leaving(m, entering, z0_row, scratch)
        if row < 0:
            # opposite walls that touch: a solution exists, but only up to rounding
            return OK if scratch[MATRIX + z0_row, last] <= SMALL else RAY, count
    return NOT_CONVERGED, int(scratch[LIMITS, PIVOTS])


@jit
def _clear(m, scratch):
    """Unit columns for w, -1 for z0, zero elsewhere."""
    for i in range(m):
        for j in range(2 * m + 2):
            scratch[MATRIX + i, j] = 0.0
        scratch[MATRIX + i, i] = 1.0
        scratch[MATRIX + i, 2 * m] = -1.0


@jit
def _read(m, q_size, z, scratch):
    """z of the basis, in the units of the problem."""
    for j in range(m):
        z[j] = 0.0
    for i in range(m):
        j = int(scratch[LIST, i]) - m
        if 0 <= j < m:
            z[j] = max(scratch[MATRIX + i, 2 * m + 1], 0.0) * q_size * scratch[STEP, j]


@jit
def lemke(n, M, q, z, scratch):
    """(status, pivots): z of the problem (M, q) of size n; z is left alone without success."""
    _clear(n, scratch)
    for i in range(n):
        for j in range(n):
            scratch[MATRIX + i, n + j] = -M[i, j]
        scratch[MATRIX + i, 2 * n + 1] = q[i]
    q_size = _scale(n, scratch)
    status, count = _pivot_through(n, scratch)
    if status == OK:
        _read(n, q_size, z, scratch)
    return status, count


@jit
def _lemke_plane(k, W, q, mu, r, scratch):
    """(status, pivots) of the problem with friction in the plane; r is left alone without success."""
    m = 3 * k
    _clear(m, scratch)
    for i in range(k):
        for j in range(k):
            for c in range(2):  # rows u_N and g_R
                a, line = 2 * i + c, MATRIX + i + c * k
                scratch[line, m + j] = mu[j] * W[a, 2 * j + 1] - W[a, 2 * j]
                scratch[line, m + k + j] = -W[a, 2 * j + 1]
        scratch[MATRIX + k + i, m + 2 * k + i] = -1.0
        scratch[MATRIX + 2 * k + i, m + i] = -2.0 * mu[i]
        scratch[MATRIX + 2 * k + i, m + k + i] = 1.0
        scratch[MATRIX + i, 2 * m + 1] = q[2 * i]
        scratch[MATRIX + k + i, 2 * m + 1] = q[2 * i + 1]
    q_size = _scale(m, scratch)
    status, count = _pivot_through(m, scratch)
    if status == OK:
        z = scratch[TRIAL]
        _read(m, q_size, z, scratch)
        for i in range(k):
            r[2 * i] = z[i]
            r[2 * i + 1] = z[k + i] - mu[i] * z[i]
    return status, count


@jit
def lemke_contact(dim, k, W, q, mu, r, scratch):
    """(status, residual, pivots) for dim = 1 and 2; r changes only on success, and Newton then mends rounding."""
    size = prepare(dim, k, W, q, r, scratch)
    if size < 0.0:
        return NOT_FINITE, np.inf, 0
    if dim == 1:
        status, count = lemke(k, W, q, r, scratch)
    else:
        status, count = _lemke_plane(k, W, q, mu, r, scratch)
    target = scratch[LIMITS, TOLERANCE] * size
    error = residual(dim, k, W, q, mu, r, scratch)
    if status == OK:
        error, _ = improve(dim, k, W, q, mu, r, error, target, POLISH, scratch)
        error = finish(dim, k, W, q, mu, r, error, target, scratch)
        if not error <= target:
            status = NOT_CONVERGED
    if status != OK and dim == 1:
        other = scratch[LAST]
        found, rounds = least_squares(dim, k, W, q, other, 0.1 * target / np.sqrt(1.0 * k), scratch)
        count += rounds
        after = residual(dim, k, W, q, mu, other, scratch)
        after, _ = improve(dim, k, W, q, mu, other, after, target, POLISH, scratch)
        after = finish(dim, k, W, q, mu, other, after, target, scratch)
        if after <= target:
            status, error = OK, after
            for a in range(k):
                r[a] = other[a]
    return status, error / size if size > 0.0 else 0.0, count
