"""Back to the constraint manifold by the smallest change.

Positions: Newton steps  dq = -M^-1 W^T N^-1 g, the change of least kinetic norm dq.M dq that closes the rows to first
order. Velocities: u <- u - M^-1 W^T N^-1 (W u + drift), exact in one step. Both share one factorisation; the position
steps reuse it while they converge fast, because a drift of one time step is far below the size of the mechanism.
"""

from __future__ import annotations

import numpy as np

from ..arrays import LAM, RHS
from ..numerics.jit import jit
from .closed import evaluate_closed_rows, factorise, rows_and_factor, solve_rows, worst_row
from .kinematics import displace
from .products import find_closed_rates, set_shifts

MOST = 40
STALE = 1e-9  # drift, relative to the size of the mechanism, above which a factor needs refinement
ROUNDING = 5e-3  # of the tolerance: residuals are brought down to rounding where one more step does it
CLOSE = 1e-6  # residual, relative to the size of the mechanism, below which Newton steps are not damped


@jit
def close_positions(model, t, y, memory, tolerance, work):
    """Move y until all closed rows vanish; return (worst residual, its row, refinements that solutions need).

    Rows are then those of the final y; the factor belongs to the state before the last corrections. If those were not
    tiny, solutions with it are to be refined once.

    Near a singular position, at the distance x from it, a residual g that is left over stands for a displacement g / x
    into the other branch and a velocity g / x^2: the tolerance alone would let a mechanism leave its branch there.
    """
    fact, planar = model.row[: model.info[0].bilateral], model.info[0].planar
    level, whole = rows_and_factor(model, t, y, memory, False, work)
    worst, which = worst_row(model, work)
    soft = 2 * level if level < 2 else factorise(model, damping_for(worst, model.info[0].length), work)
    moved = False
    for iteration in range(MOST):
        if worst <= ROUNDING * tolerance or not np.isfinite(worst):
            break
        for r in range(len(fact)):
            work.vector[RHS, r] = work.row[r].g
        solve_rows(model, soft, work)
        set_shifts(planar, model.place, fact, work.weighed, work.vector[LAM], work.kin)
        displace(y, work.kin)
        evaluate_closed_rows(model, t, y, memory, work)
        moved = True
        before = worst
        worst, which = worst_row(model, work)
        if worst <= tolerance and worst > 0.1 * before:
            break
        if worst > tolerance and worst > 0.01 * before:
            if iteration > 5 and worst >= before:
                break
            soft = factorise(model, damping_for(worst, model.info[0].length), work)
        elif before > STALE * model.info[0].length:
            soft = max(soft, 1)
    if not (moved or whole):
        evaluate_closed_rows(model, t, y, memory, work)
    return worst, which, soft


@jit
def damping_for(worst, length):
    """Levenberg's damping for residuals that are not small; none for the drift of a time step."""
    relative = worst / length
    return min(0.01, relative) if relative > CLOSE else 0.0


@jit
def close_velocities(model, y, soft, work):
    """Make the velocities in y agree with the closed rows; return the worst rate left and the number of corrections.

    Rates that are left stand in work.vector[RHS].
    """
    info = model.info[0]
    fact, planar = model.row[: info.bilateral], info.planar
    shift = 7 * (info.bodies - 1)
    worst = 0.0
    done = 0
    scale = 1e-3
    for b in range(1, info.bodies):
        for m in range(3):
            size, swing = abs(work.kin[b].v[m]), info.length * abs(work.kin[b].w[m])
            if size > scale:
                scale = size
            if swing > scale:
                scale = swing
    for attempt in range(3):
        find_closed_rates(planar, model.place, fact, work.kin, work.row, work.vector[RHS])
        worst = 0.0
        for r in range(len(fact)):
            size = abs(work.vector[RHS, r])
            if not size <= worst:
                worst = size
        if worst <= 1e-12 * scale or attempt == 2:
            break
        solve_rows(model, soft, work)
        set_shifts(planar, model.place, fact, work.weighed, work.vector[LAM], work.kin)
        for b in range(1, info.bodies):
            u, k = shift + 6 * (b - 1), work.kin[b]
            for m in range(3):
                v, w = y[u + m] - k.shift[m], y[u + 3 + m] - k.shift[3 + m]
                y[u + m], y[u + 3 + m], k.v[m], k.w[m] = v, w, v, w
        done += 1
    return worst, done


@jit
def correct(model, t, y, memory, work):
    """One Newton step for positions and one for velocities, whatever the residuals are."""
    info = model.info[0]
    fact, planar = model.row[: info.bilateral], info.planar
    if len(fact) == 0:
        return
    evaluate_closed_rows(model, t, y, memory, work)
    soft = factorise(model, 0.0, work)
    for r in range(len(fact)):
        work.vector[RHS, r] = work.row[r].g
    solve_rows(model, soft, work)
    set_shifts(planar, model.place, fact, work.weighed, work.vector[LAM], work.kin)
    displace(y, work.kin)
    evaluate_closed_rows(model, t, y, memory, work)
    soft = factorise(model, 0.0, work)
    find_closed_rates(planar, model.place, fact, work.kin, work.row, work.vector[RHS])
    solve_rows(model, soft, work)
    set_shifts(planar, model.place, fact, work.weighed, work.vector[LAM], work.kin)
    shift = 7 * (info.bodies - 1)
    for b in range(1, info.bodies):
        for m in range(6):
            y[shift + 6 * (b - 1) + m] -= work.kin[b].shift[m]


@jit
def project(model, t, y, memory, tolerance, work):
    """Positions, then velocities; return (worst position residual, its row, worst velocity residual, soft)."""
    worst, which, soft = close_positions(model, t, y, memory, tolerance, work)
    rate, done = close_velocities(model, y, soft, work)
    if done:
        evaluate_closed_rows(model, t, y, memory, work)  # bias terms go with the velocities
    return worst, which, rate, soft
