"""The contact problem, its cone and its one residual, shared by all contact solvers.

    u = W r + q                                      k contacts, dim = 1, 2 or 3 components each, normal first
    r in K = {r_N >= 0, |r_T| <= mu r_N}             Coulomb's cone
    ut = u with mu |u_T| added to u_N, in K*         (de Saxce), K* = {s_N >= mu |s_T|}
    ut . r = 0

With dim = 1 it is the linear complementarity problem 0 <= r, W r + q >= 0, r . (W r + q) = 0. A contact is open
(r = 0, u_N >= 0), sticks (u = 0) or slips (u_N = 0, r_T = -mu r_N u_T/|u_T|).

Residual: the Euclidean norm over all contacts of  w r - P_K(w r - ut),  P_K the projection on K, divided by |q|.
It vanishes exactly at solutions. w = 1 is the plain natural map, which ``solve_contact`` reports. Kernels take for w
the size of the block of W of each contact: then w r is a velocity, and the number stays the same if q or W is
multiplied by a constant. Kernels accept an answer if that number is below their tolerance.

Scratch: one array for all solvers, made by ``contact_scratch``; its first lines are named here. Nothing is allocated
inside a solve.
"""

from __future__ import annotations

from enum import StrEnum

import numpy as np

from .jit import jit

# What a solver returns first, and how Python names it.
OK, NOT_CONVERGED, RAY, NOT_FINITE = range(4)
MORE = 4  # of a solver that works in rounds: call again


class Status(StrEnum):
    """How a solve ended, in the order of the codes of kernels; ``sentence`` is the text for a user."""

    SOLVED = "solved"
    NOT_CONVERGED = "not converged"
    RAY = "ray"
    NOT_FINITE = "not finite"

    @property
    def sentence(self) -> str:
        """What happened, and what to try."""
        return SENTENCES[self]


SENTENCES = {
    Status.SOLVED: "the residual is below the tolerance",
    Status.NOT_CONVERGED: "the residual stayed above the tolerance; the best answer found is kept. Try another method",
    Status.RAY: "pivoting ended on a ray: there may be no solution (for positive semidefinite matrices there is none)",
    Status.NOT_FINITE: "the matrix or the vector holds something that is not a finite number",
}

# Lines of the scratch array; the matrix (or tableau) of a solver starts at line MATRIX.
LIMITS, SCALE, VELOCITY, STEP, TRIAL, LIST, BEST, SHIFTED, DIAGONAL, LAST, MATRIX = range(11)

# Places in line LIMITS.
TOLERANCE, SWEEPS, ITERATIONS, PIVOTS = range(4)
DONE, NEXT, ROUND, LEAST, VERDICT = range(4, 9)  # how far the rounds of numerics/contact.py have come
ENOUGH = 9  # relative residual that will do once every other means has been tried
LEMKE_WORK = 4e9  # multiplications that Lemke's method may take: a few seconds


def contact_scratch(
    dim: int, k_max: int, *, tolerance: float = 1e-10, sweeps: int = 20_000, iterations: int = 100, enough: float = 0.0
) -> np.ndarray:
    """Scratch for up to ``k_max`` contacts, with the limits that solvers obey.

    ``enough``: residual with which a problem counts as solved if more than the cheap means did not reach ``tolerance``.
    """
    n = max(dim * k_max, 1)
    size = {1: n, 2: 3 * k_max, 3: 0}[dim]  # of the complementarity problem that Lemke's method sees
    scratch = np.zeros((MATRIX + max(n, size), max(n, 2 * size + 2, ENOUGH + 1)))
    pivots = min(50 * (size + 2), max(6 * (size + 2), int(LEMKE_WORK / (2 * size + 2) ** 2)))
    scratch[LIMITS, :4] = tolerance, sweeps, iterations, pivots
    scratch[LIMITS, ENOUGH] = max(enough, tolerance)
    return scratch


@jit
def project(dim, mu, x, y, z):
    """P_K(x, y, z), normal first; components beyond ``dim`` are zero."""
    if dim == 1:
        return max(x, 0.0), 0.0, 0.0
    t = abs(y) if dim == 2 else np.sqrt(y * y + z * z)
    if mu * t <= -x:
        return 0.0, 0.0, 0.0
    if t <= mu * x:
        return x, y, z
    normal = (x + mu * t) / (1.0 + mu * mu)
    f = mu * normal / t
    return normal, f * y, f * z


@jit
def find_scales(dim, k, W, scale):
    """Size of the block of W of each contact: its largest diagonal entry; if none is positive, that of its rows."""
    for i in range(k):
        size = 0.0
        for a in range(dim * i, dim * i + dim):
            size = max(size, W[a, a])
        if not size > 0.0:
            for a in range(dim * i, dim * i + dim):
                for b in range(dim * k):
                    size = max(size, abs(W[a, b]))
        scale[i] = size if size > 0.0 else 1.0


@jit
def find_velocities(n, W, q, r, u):
    """u = W r + q."""
    for a in range(n):
        row = W[a]
        s = q[a]
        for b in range(n):
            s += row[b] * r[b]
        u[a] = s


@jit
def norm(n, x):
    """|x|, of the first n entries."""
    s = 0.0
    for a in range(n):
        s += x[a] * x[a]
    return np.sqrt(s)


@jit
def natural_map(dim, k, mu, r, u, scale):
    """Norm over all contacts of w r - P_K(w r - ut)."""
    total = 0.0
    for i in range(k):
        a = dim * i
        w = scale[i]
        x, y, z = w * r[a], 0.0, 0.0
        un, uy, uz = u[a], 0.0, 0.0
        if dim > 1:
            y, uy = w * r[a + 1], u[a + 1]
        if dim > 2:
            z, uz = w * r[a + 2], u[a + 2]
        if dim > 1:
            un += mu[i] * np.sqrt(uy * uy + uz * uz)
        px, py, pz = project(dim, mu[i], x - un, y - uy, z - uz)
        total += (x - px) ** 2 + (y - py) ** 2 + (z - pz) ** 2
    return np.sqrt(total)


@jit
def residual(dim, k, W, q, mu, r, scratch):
    """The residual of r, not yet divided by |q|; leaves u in line VELOCITY. Line SCALE must be filled."""
    u = scratch[VELOCITY]
    find_velocities(dim * k, W, q, r, u)
    return natural_map(dim, k, mu, r, u, scratch[SCALE])


@jit
def project_all(dim, k, mu, r, scale):
    """Put every r on its cone; return how far the farthest moved, as a velocity."""
    farthest = 0.0
    for i in range(k):
        a = dim * i
        y = r[a + 1] if dim > 1 else 0.0
        z = r[a + 2] if dim > 2 else 0.0
        px, py, pz = project(dim, mu[i], r[a], y, z)
        farthest = max(farthest, scale[i] * max(abs(px - r[a]), abs(py - y), abs(pz - z)))
        r[a] = px
        if dim > 1:
            r[a + 1] = py
        if dim > 2:
            r[a + 2] = pz
    return farthest


@jit
def prepare(dim, k, W, q, r, scratch):
    """Fill line SCALE; return |q|, or -1 where q or r holds something that is not a number (r = 0 then)."""
    find_scales(dim, k, W, scratch[SCALE])
    size = norm(dim * k, q)
    if not np.isfinite(size + norm(dim * k, r)):
        for a in range(dim * k):
            r[a] = 0.0
        return size if np.isfinite(size) else -1.0
    return size
