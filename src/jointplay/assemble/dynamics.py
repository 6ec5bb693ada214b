"""Index-1 dynamics: accelerations and multipliers of the closed rows at one state (paper C eq. 1, paper E eq. 9).

    M a = f + W^T lam,    W a + bias = 0      =>      N lam = -(W M^-1 f + bias),    N = W M^-1 W^T

``prepare`` evaluates rows and factorises N; ``accelerate`` adds forces and solves. They are apart so that projections
and accelerations at the same state share one factorisation.

Redundant rows, or a singular position that the mechanism passes, make N singular. Then the factor is regularised
(numerics/ldl.py) and refined; the multipliers are those of least norm, weighted by diag(N).
"""

from __future__ import annotations

import numpy as np

from ..arrays import EVALUATIONS, FACTORISATIONS
from ..numerics.jit import jit
from ..numerics.ldl import factor, solve
from .forces import acceleration_of, apply_laws, apply_loads, weight_and_spin
from .interactions import (
    add_impulses,
    apply_rows,
    assemble_matrix,
    evaluate_relations,
    follow_targets,
    weigh_rows,
)
from .kinematics import place_bodies, position_rates

TINY = 1e-15  # regularisation of a matrix of full rank: below rounding
PROXIMAL = 1e-8  # regularisation of a redundant one
SINGULAR = 1e-9  # relative pivot below which a matrix counts as singular
REFINEMENTS = 4


@jit
def evaluate_closed_rows(model, t, y, memory, work):
    """Bodies in place, then g, w, bias, drift and M^-1 w of the closed rows."""
    place_bodies(model.info[0].bodies, y, work.kin)
    evaluate_relations(model, 0, model.info[0].bilateral_relations, memory, work)
    follow_targets(model, t, work)
    weigh_rows(model, work)


@jit
def factorise(model, work):
    """Factor of N at the present rows; return 1 if solutions need refinement, else 0."""
    assemble_matrix(model, work)
    work.tally[FACTORISATIONS] += 1
    soft = 0
    eps = TINY
    if model.info[0].redundant:
        soft = 1
        eps = PROXIMAL
    worst = factor(model.factor, work.entry, eps, work.lower, work.diagonal, work.scratch)
    if not soft and worst < SINGULAR:
        soft = 1
        factor(model.factor, work.entry, PROXIMAL, work.lower, work.diagonal, work.scratch)
    return soft


@jit
def solve_rows(model, b, x, soft, work):
    """x = N^-1 b, refined where N is singular or its factor is not quite of the present rows (soft = 1)."""
    n = model.info[0].bilateral
    solve(model.factor, work.lower, work.diagonal, b, x, work.scratch)
    if not soft:
        return
    size = 0.0
    for r in range(n):
        size = max(size, abs(b[r]))
    for _ in range(REFINEMENTS):
        work.shift[:] = 0.0
        add_impulses(model, x, 1.0, work.shift, work)
        apply_rows(model, work.shift, work.residual, work)
        worst = 0.0
        for r in range(n):
            work.residual[r] = b[r] - work.residual[r]
            worst = max(worst, abs(work.residual[r]))
        if worst <= 1e-14 * size:
            return
        solve(model.factor, work.lower, work.diagonal, work.residual, work.residual, work.scratch)
        for r in range(n):
            x[r] += work.residual[r]


@jit
def prepare(model, t, y, memory, work):
    """Rows and factor at a state; return 1 if solutions need refinement."""
    evaluate_closed_rows(model, t, y, memory, work)
    return factorise(model, work)


@jit
def accelerate(model, t, y, memory, soft, work, dy):
    """Rates of the whole state at rows and factor that are already there."""
    info = model.info[0]
    n = info.bilateral
    bodies = info.bodies
    work.tally[EVALUATIONS] += 1
    inner = 13 * (bodies - 1)
    weight_and_spin(model, work)
    power = apply_loads(model, t, work)
    loss = apply_laws(model, t, memory, y[inner:], work)
    acceleration_of(model, work)
    apply_rows(model, work.accel, work.rhs, work)
    for r in range(n):
        work.rhs[r] = -work.rhs[r] - work.row[r].bias
    solve_rows(model, work.rhs, work.lam, soft, work)
    add_impulses(model, work.lam, 1.0, work.accel, work)
    for r in range(n):
        work.row[r].lam = work.lam[r]
        power -= work.lam[r] * work.row[r].drift
    position_rates(bodies, y, dy)
    shift = 7 * (bodies - 1)
    for b in range(1, bodies):
        for m in range(6):
            dy[shift + 6 * (b - 1) + m] = work.accel[b, m]
    dy[len(y) - 2] = power
    dy[len(y) - 1] = loss


@jit
def derivative(model, t, y, memory, work, dy):
    """dy/dt at (t, y): rows, factor, forces, multipliers."""
    soft = prepare(model, t, y, memory, work)
    accelerate(model, t, y, memory, soft, work, dy)


@jit
def worst_row(model, work):
    """Largest |g| of the closed rows, and its row."""
    worst = 0.0
    which = 0
    for r in range(model.info[0].bilateral):
        size = abs(work.row[r].g)
        if size > worst or not np.isfinite(size):
            worst = size
            which = r
    return worst, which
