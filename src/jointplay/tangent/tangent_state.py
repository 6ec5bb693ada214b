"""Tangents of a state, one line per parameter, and the linear system that carries them over a step."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import LAM, RHS, Model
from ..assemble.closed import solve_rows
from ..assemble.products import set_shifts
from ..compile.envelope import envelope
from ..numerics.jit import jit
from ..numerics.lu import (
    BLOCK,
    BOTTOM,
    LEFT,
    LINES,
    RIGHT,
    clear_band,
    clear_some,
    factor_band,
    factor_some,
    solve_some,
    solve_some_transposed,
)
from .products import solve_wide, solve_wide_transposed


class Tangents(NamedTuple):
    """d/d rho of a state, one line per parameter: bodies' displacements and turns, velocities, accelerations, z, z'."""

    eta: np.ndarray  # (count, 6 n)
    du: np.ndarray  # (count, 6 n)
    da: np.ndarray  # (count, 6 n)
    dz: np.ndarray  # (count, inner states)
    dw: np.ndarray  # (count, inner states), of their rates
    dt: np.ndarray  # (count,) s, of the instant itself: not zero between an impact and the end of its step
    # sums over the past (integrals.py): integrals at the end of y, then impulses of contacts; no columns: not wanted
    sums: np.ndarray  # (count, integrals + contacts)
    lates: np.ndarray  # (count, integrals + contacts), of their rates at the end of the last step


class Solver(NamedTuple):
    """Matrix of a linearised step, its right-hand side, and scratch."""

    A: np.ndarray  # (N, N)
    band: np.ndarray  # (6, N) envelope (numerics/lu.py)
    x: np.ndarray  # (N,)
    slot: np.ndarray  # first unknown of each body, then of each closed row
    base: np.ndarray  # (3,) unknowns before the inner states; before further rows; all
    maps: np.ndarray  # (3, n, 3, 3) how turns follow earlier turns, earlier spins and new spins
    e: np.ndarray  # (6 n,) scratch
    b: np.ndarray  # (6 n,) scratch
    lam: np.ndarray  # (closed rows,) multipliers at the state
    a: np.ndarray  # (6 n,) accelerations at the state
    free: np.ndarray  # (6 n,) 1 where a body can move, 0 where a planar model blocks it
    live: np.ndarray  # (N,) unknowns of a model with contacts that take part in a stage, those of bodies first
    many: np.ndarray  # (2,) how many, and how many of them belong to bodies; 0: all that are within the envelope


def ways_of(model: Model) -> np.ndarray:
    """In which of the six ways (three displacements, three turns) a body can move at all."""
    return np.array([0, 1, 5] if model.info[0]["planar"] else range(6), dtype=np.int64)


def make_tangents(model: Model, count: int, past: bool = False) -> Tangents:
    """Zeros; ``past``: with room for sums over the past."""
    info = model.info[0]
    n, inner = 6 * (int(info["bodies"]) - 1), int(info["inner"])
    sums = int(info["integrals"]) + len(model.contact) if past else 0
    z = np.zeros
    return Tangents(
        *(z((count, n)), z((count, n)), z((count, n)), z((count, inner)), z((count, inner)), z(count)),
        *(z((count, sums)), z((count, sums))),
    )


def make_solver(model: Model, extra: int = 0) -> Solver:
    """Room for the unknowns of bodies, closed rows, inner states and ``extra`` rows of contacts."""
    info = model.info[0]
    bodies, inner, rows = int(info["bodies"]) - 1, int(info["inner"]), int(info["bilateral"])
    slot, band = envelope(model)
    plain = band.shape[1]
    whole = plain + inner + extra
    if inner + extra:
        wide = np.zeros((LINES, whole), dtype=np.int64)
        wide[BOTTOM] = wide[RIGHT] = whole - 1
        wide[LEFT] = 0
        band = wide
    base = np.array([plain, plain + inner, whole], dtype=np.int64)
    n = 6 * bodies
    turning = np.diagonal(model.body["Jinv"], axis1=1, axis2=2)
    free = (np.concatenate([model.body["minv"], turning], axis=1)[1:] > 0.0).astype(float).ravel()
    return Solver(
        *(np.zeros((whole, whole)), band, np.zeros(whole), slot, base, np.zeros((3, bodies, 3, 3))),
        *(np.zeros(n), np.zeros(n), np.zeros(rows), np.zeros(n), free),
        *(np.zeros(whole, dtype=np.int64), np.zeros(2, dtype=np.int64)),
    )


@jit
def choose_unknowns(model, on, solver):
    """What takes part in a stage of a model with contacts: what can move, closed rows, contacts that are ``on``."""
    info, live, slot, n = model.info[0], solver.live, solver.slot, 0
    if len(on) == 0:
        return
    for b in range(info.bodies - 1):
        for m in range(6):
            if solver.free[6 * b + m] != 0.0:
                live[n] = slot[b + 1] + m
                n += 1
    solver.many[1] = n
    for r in range(info.bilateral):
        live[n] = slot[info.bodies + r]
        n += 1
    for q in range(solver.base[0], solver.base[1]):
        live[n] = q
        n += 1
    for c in range(len(on)):
        for m in range(info.dim):
            if on[c] != 0 and (model.contact[c].brake == 0 or m == 1):  # a brake has one direction
                live[n] = solver.base[1] + info.dim * c + m
                n += 1
    solver.many[0] = n


@jit
def clear_matrix(solver):
    """Zeros where the matrix may have entries."""
    if solver.many[0] == 0:
        clear_band(solver.A, solver.band)
    else:
        clear_some(solver.A, solver.live[: solver.many[0]])


@jit
def factor_matrix(solver):
    """Replace the matrix by its factors; False where it is singular."""
    if solver.many[0] == 0:
        return factor_band(solver.A, solver.band)
    return factor_some(solver.A, solver.live[: solver.many[0]], solver.many[1], solver.band)


@jit
def solve_unknowns(solver, X, blocks):
    """X = A^-1 X, in so many blocks of columns."""
    if solver.many[0] == 0:
        solve_wide(solver.A, solver.band, X[:, : BLOCK * blocks])
    else:
        solve_some(solver.A, solver.live[: solver.many[0]], solver.band, X, blocks)


@jit
def solve_unknowns_back(solver, X, blocks):
    """X = A^-T X."""
    if solver.many[0] == 0:
        solve_wide_transposed(solver.A, solver.band, X[:, : BLOCK * blocks])
    else:
        solve_some_transposed(solver.A, solver.live[: solver.many[0]], solver.band, X, blocks)


@jit
def copy_tangents(a, b):
    """B = a."""
    for k in range(len(a.dt)):
        b.dt[k] = a.dt[k]
        for m in range(a.eta.shape[1]):
            b.eta[k, m], b.du[k, m], b.da[k, m] = a.eta[k, m], a.du[k, m], a.da[k, m]
        for m in range(a.dz.shape[1]):
            b.dz[k, m], b.dw[k, m] = a.dz[k, m], a.dw[k, m]
        for m in range(a.sums.shape[1]):
            b.sums[k, m], b.lates[k, m] = a.sums[k, m], a.lates[k, m]


@jit
def add_scaled(tan, a, factor, b):
    """Line b += factor line a."""
    for m in range(tan.eta.shape[1]):
        tan.eta[b, m] += factor * tan.eta[a, m]
        tan.du[b, m] += factor * tan.du[a, m]
        tan.da[b, m] += factor * tan.da[a, m]
    for m in range(tan.dz.shape[1]):
        tan.dz[b, m] += factor * tan.dz[a, m]
        tan.dw[b, m] += factor * tan.dw[a, m]
    for m in range(tan.sums.shape[1]):
        tan.sums[b, m] += factor * tan.sums[a, m]
        tan.lates[b, m] += factor * tan.lates[a, m]
    tan.dt[b] += factor * tan.dt[a]


@jit
def clear_line(tan, k):
    """Zeros in line k."""
    for m in range(tan.eta.shape[1]):
        tan.eta[k, m], tan.du[k, m], tan.da[k, m] = 0.0, 0.0, 0.0
    for m in range(tan.dz.shape[1]):
        tan.dz[k, m], tan.dw[k, m] = 0.0, 0.0
    for m in range(tan.sums.shape[1]):
        tan.sums[k, m], tan.lates[k, m] = 0.0, 0.0
    tan.dt[k] = 0.0


@jit
def over_bodies(line, kin):
    """kin.shift = a line of six numbers per body, the ground not counted."""
    for m in range(6):
        kin[0].shift[m] = 0.0
    for b in range(1, len(kin)):
        for m in range(6):
            kin[b].shift[m] = line[6 * (b - 1) + m]


@jit
def take_back(model, soft, right, line, work):
    """Line -= M^-1 W^T N^-1 right: the smallest change (kinetic norm) that removes the residual ``right``."""
    fact = model.row[: model.info[0].bilateral]
    for r in range(len(fact)):
        work.vector[RHS, r] = right[r]
    solve_rows(model, soft, work)
    set_shifts(model.info[0].planar, model.place, fact, work.weighed, work.vector[LAM], work.kin)
    for b in range(1, len(work.kin)):
        for m in range(6):
            line[6 * (b - 1) + m] -= work.kin[b].shift[m]
