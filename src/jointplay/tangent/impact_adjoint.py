"""Adjoint of impacts, of the instants at which they happen, and of the closing of tangents, all transposed.

    wall      dh = -(w . eta + dg/drho)/rise,  rise = w . eta_h,   tangent += dh (its derivative with respect to h):
              bar of dh = sum of bars times that derivative,       bar of eta -= (bar of dh / rise) w
    impact    A x = (M du + K eta + F,  -(Cq eta + v + drift_t dt),  contacts with e w . du),      du+ = x_u
    closing   eta' = eta - M^-1 W^T N^-1 (W eta + g + drift dt)
              du'  = du  - M^-1 W^T N^-1 (W du + T eta' + v + drift_t dt)

A projection is self-adjoint in the kinetic norm: with r = -N^-1 W M^-1 (bar), the bar gains W^T r, and v and g count r.
"""

from __future__ import annotations

from ..arrays import LAM
from ..assemble.closed import evaluate_closed_rows, factorise
from ..numerics.jit import jit
from .contacts import IMPACT
from .impact import GRAZING, change_of_gap, first_wall, linearise_rows, prepare_strike, strike_column
from .midpoint_adjoint import (
    add_scaled,
    part_of_bodies,
    part_of_contacts,
    solve_back,
    unbefore,
    unchange,
    uncontact,
    unmass,
)
from .midpoint_tangent import time_parts
from .parameter_columns import clear_column, closed_column, lift
from .parameter_sparsity import ROW, touched
from .reverse import add_rows_to, add_transposed, residual_bar
from .stage_matrix import dot_line


@jit
def step_bar(bar, o, line):
    """Bar of the size of the step; ``line``: derivatives of the end of the step with respect to it."""
    total = bar.dt[o] + dot_line(bar.eta[o], line.eta[0]) + dot_line(bar.du[o], line.du[0])
    total += dot_line(bar.da[o], line.da[0])
    return total + dot_line(bar.dz[o], line.dz[0]) + dot_line(bar.dw[o], line.dw[0])


@jit
def stay_on_grid(bar, line):
    """A step that ends on the grid: dh = -dt."""
    for o in range(len(bar.dt)):
        bar.dt[o] -= step_bar(bar, o, line)


@jit
def unmeet(model, kit, t, new, memory, work, bar, line, gradient):
    """A step that ends at a wall; False where the wall is only grazed."""
    P, cw, _, _, _, _, half = kit
    c, count = first_wall(model, t, new, memory, work, cw), len(P.energy0)
    if c < 0:
        return False
    rise = change_of_gap(model, P, count, c, line.eta[0], memory, work, cw)
    if not abs(rise) > GRAZING:
        return False
    for m in range(len(half.e)):
        half.e[m] = 0.0
    for k in range(count):
        part = change_of_gap(model, P, k, c, half.e, memory, work, cw)
        for o in range(len(bar.dt)):
            gradient[o, k] -= step_bar(bar, o, line) / rise * part
    r = model.contact[c].row[0]
    fact, w = model.row[r], work.row[r].w
    for o in range(len(bar.dt)):
        f = -model.contact[c].sign * step_bar(bar, o, line) / rise
        for first, b in ((0, fact.i), (6, fact.j)):
            if b != 0:
                add_scaled(f, w[first : first + 6], bar.eta[o, 6 * (b - 1) : 6 * b])
    return True


@jit
def unstrike_one(model, kit, rebounds, work, bar, o, answer, change):
    """Bars before an impact from those after it, objective o."""
    _, _, lin, _, solver, act, half = kit
    info, x, slot = model.info[0], solver.x, solver.slot
    n, eta, du = info.bodies - 1, bar.eta[o], bar.du[o]
    for m in range(len(x)):
        x[m] = 0.0
    for b in range(n):
        for m in range(6):
            x[slot[b + 1] + m] = du[6 * b + m]
            du[6 * b + m] = 0.0
    solve_back(model, solver, answer)
    for b in range(n):
        unmass(model.body[b + 1], b, answer, slot[b + 1], du)
        for m in range(6):
            add_scaled(answer[slot[b + 1] + m], lin.K[6 * b + m], eta)
    for r in range(info.bilateral):
        f = -answer[slot[n + 1 + r]]
        add_scaled(f, lin.Cq[r], eta)
        bar.dt[o] += f * half.rows_by_t[r]
    uncontact(model, solver, act, answer, change)
    unchange(model, lin, change, eta, half.du)  # Cu vanishes in an impact
    if rebounds:
        unbefore(model, IMPACT, change, work, act, du)


@jit
def unstrike(model, kit, rebounds, t, before, y, memory, work, bar, rooms, gradient):
    """Bars of all objectives over an impact, backwards, and the parameters' parts; False if it is singular."""
    P, _, _, col, solver, act, _ = kit
    answers, changes, _ = rooms
    info = model.info[0]
    if not prepare_strike(model, kit, rebounds, t, before, y, memory, work):
        return False
    for o in range(gradient.shape[0]):
        unstrike_one(model, kit, rebounds, work, bar, o, answers[o], changes[o])
    for k in range(len(P.energy0)):
        strike_column(model, kit, rebounds, k, t, before, y[7 * (info.bodies - 1) :], memory, work)
        rows = touched(P, k, ROW)
        for o in range(gradient.shape[0]):
            total = part_of_bodies(P, k, col, solver, answers[o])
            for q in range(len(rows)):
                total -= answers[o, solver.slot[info.bodies + rows[q]]] * col.v[rows[q]]
            gradient[o, k] += total + part_of_contacts(model, P, k, 0.0, solver, act, answers[o], changes[o])
    return True


@jit
def unclose_all(model, kit, t, y, memory, work, bar, rows, gradient):
    """Bars before the tangents were closed at y (nonsmooth.close_tangents); rows (objectives, 2, closed rows)."""
    P, cw, lin, col, solver, _, half = kit
    u = y[7 * (model.info[0].bodies - 1) :]
    count = model.info[0].bilateral
    if count == 0:
        return
    evaluate_closed_rows(model, t, y, memory, work)
    soft = factorise(model, 0.0, work)
    lift(work.kin, cw.kin)
    for r in range(count):
        work.vector[LAM, r] = 0.0
    linearise_rows(model, u, 0.0, work, lin)
    time_parts(model, t, work, half)
    for o in range(gradient.shape[0]):
        g, v = rows[o, 0], rows[o, 1]
        residual_bar(model, soft, bar.du[o], solver.e, work, v)
        add_rows_to(model, work, v, bar.du[o])
        add_transposed(lin.T, v, 1.0, bar.eta[o])
        residual_bar(model, soft, bar.eta[o], solver.e, work, g)
        add_rows_to(model, work, g, bar.eta[o])
        for r in range(count):
            bar.dt[o] += g[r] * work.row[r].drift + v[r] * half.rows_by_t[r]
    for r in range(count):
        work.vector[LAM, r] = 0.0
    for k in range(len(P.energy0)):
        if len(touched(P, k, ROW)) == 0:
            continue
        clear_column(col)
        closed_column(model, P, k, t, u, 0.0, memory, work, cw, col)
        for o in range(gradient.shape[0]):
            gradient[o, k] += dot_line(col.g, rows[o, 0]) + dot_line(col.v, rows[o, 1])
