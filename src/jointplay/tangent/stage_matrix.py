"""The matrix of a linearised stage or step, and what goes with a state that is linearised.

With s the weight of the new rates (half the step for the trapezoidal rule and Moreau's, s = 0 for an evaluation), turns
eta' = e + B du' of each body and mu = s dlam, it is that of

    (M - s D - s K B) du' - (W^T + L) mu - s Z dz'
    (W + s Cu + s Cq B) du'
    (1 - s Hz) dz' - s (Hu + Hq B) du' - Hl mu

(paper E eq. 15 to 17 for the trapezoidal rule).
"""

from __future__ import annotations

import numpy as np

from ..arrays import LAM
from ..assemble.closed import prepare
from ..assemble.dynamics import accelerate
from ..assemble.tangent import LEAST
from ..numerics.jit import jit
from .tangent_state import clear_matrix


@jit
def quaternion(a, b):
    """Product of two quaternions, scalar first."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@jit
def through(line, s, maps, b, out):
    """out = line (six numbers per body) times the map from new velocities to displacements at the end, of body b."""
    at, B = 6 * b, maps[2, b]
    x, y, z = line[at + 3], line[at + 4], line[at + 5]
    for m in range(3):
        out[at + m] = s * line[at + m]
        out[at + 3 + m] = x * B[0, m] + y * B[1, m] + z * B[2, m]


@jit
def spread_line(n, slot, free, line, factor, target):
    """Target += factor line, at the places of unknowns that can move."""
    for d in range(n):
        o, at = slot[d + 1], 6 * d
        for k in range(6):
            target[o + k] += factor * line[at + k] * free[at + k]


@jit
def fill_matrix(model, s, work, lin, solver):
    """Matrix of the step, not factorised."""
    info, A, slot, maps, free = model.info[0], solver.A, solver.slot, solver.maps, solver.free
    n, rows, inner = np.int64(info.bodies) - 1, info.bilateral, info.inner
    clear_matrix(solver)
    first, moved = solver.base[0], solver.e
    for b in range(n):
        body = model.body[b + 1]
        for m in range(6):
            i, at = 6 * b + m, slot[b + 1] + m
            if free[i] == 0.0:
                A[at, at] = 1.0
                continue
            line = A[at]
            if s != 0.0:
                for q in range(lin.first[b + 1], lin.first[b + 2]):
                    d = lin.pair[q, 1] - 1
                    through(lin.K[i], s, maps, d, moved)
                    o = slot[d + 1]
                    for k in range(6):
                        value = lin.D[i, 6 * d + k] + moved[6 * d + k]
                        if value != 0.0:
                            line[o + k] -= s * value * free[6 * d + k]
            if m < 3:
                line[at] += body.mass
            else:
                for k in range(3):
                    line[slot[b + 1] + 3 + k] += body.J[m - 3, k] * free[6 * b + 3 + k]
            if info.rubs > 0:
                for r in range(rows):
                    line[slot[n + 1 + r]] -= lin.L[i, r]
            for q in range(inner):
                line[first + q] -= s * lin.Z[i, q]
    for r in range(rows):
        fact, w, at = model.row[r], work.row[r].w, slot[n + 1 + r]
        weight = 0.0
        for half, b in ((0, fact.i), (6, fact.j)):
            for k in range(6):
                weight += w[half + k] * work.weighed[r, half + k]
            if b == 0:
                continue
            o, p = slot[b], 6 * (np.int64(b) - 1)
            if s != 0.0:
                through(lin.Cq[r], s, maps, np.int64(b) - 1, moved)
            for k in range(6):
                if free[p + k] != 0.0:
                    A[o + k, at] -= w[half + k]
                    A[at, o + k] += w[half + k]
                    if s != 0.0:
                        A[at, o + k] += s * (lin.Cu[r, p + k] + moved[p + k])
        A[at, at] += LEAST * weight
    for q in range(inner):
        at = first + q
        for k in range(inner):
            A[at, first + k] -= s * lin.Hz[q, k]
        A[at, at] += 1.0
        if s != 0.0:
            for b in range(n):
                through(lin.Hq[q], s, maps, b, moved)
            spread_line(n, slot, free, moved, -s, A[at])
            spread_line(n, slot, free, lin.Hu[q], -s, A[at])
        for r in range(rows):
            A[at, slot[n + 1 + r]] -= lin.Hl[q, r]


@jit
def dot_line(a, b):
    """a . b."""
    total = 0.0
    for m in range(len(b)):
        total += a[m] * b[m]
    return total


@jit
def evaluate(model, t, y, memory, work, dy, solver):
    """Everything at a state: rows, factor, forces, multipliers and accelerations; returns refinements."""
    soft = prepare(model, t, y, memory, work)
    accelerate(model, t, y, memory, soft, work, dy)
    for r in range(len(solver.lam)):
        solver.lam[r] = work.vector[LAM, r]
    for b in range(1, len(work.kin)):
        for m in range(6):
            solver.a[6 * (b - 1) + m] = work.kin[b].unknown[m]
    return soft


@jit
def restore(solver, work):
    """Multipliers of the state, after the scratch was used."""
    for r in range(len(solver.lam)):
        work.vector[LAM, r] = solver.lam[r]
