"""Tangent of an impact (methods/impact.py) and of the instant at which it happens.

The step that meets a wall has the size h(rho) at which the gap vanishes: with the tangent at fixed h and the one with
respect to h,

    dh/drho = -(w . eta + dg/drho) / (w . eta_h)        so that  dgap/drho = 0,

which is the saltation of hybrid systems in discrete form: state and instant both move. At the wall

    M (u+ - u-) = W^T L + W_c^T r,      W u+ + drift = 0,      w (u+ + e u-) = 0 for contacts that strike

is linearised on the active set (tangent/contacts.py).
"""

from __future__ import annotations

import numpy as np

from ..arrays import HOLD, LAM, SLOTS, Y_NEW
from ..assemble.closed import evaluate_closed_rows, factorise
from ..assemble.interactions import evaluate_relation
from ..assemble.kinematics import place_in
from ..assemble.rigid_contacts import evaluate_gaps, find_gap_rates
from ..numerics.jit import jit
from .by_time import rows_by_time
from .contacts import (
    IMPACT,
    INSTANT,
    add_contact_parts,
    add_contacts,
    along,
    contact_columns,
    list_contacts,
    take_active,
)
from .equations import factor_stage
from .integrals import add_strike
from .matrices import add_all_closed, clear
from .midpoint import evaluate_active, find_multipliers
from .parameter_columns import clear_column, closed_column, lift
from .parameter_sparsity import BODY, ROW, touched
from .params import STEP
from .program import (
    HERE,
    add_closed_parts,
    add_force_parts,
    add_part,
    carry,
    fits,
    put,
    put_forces,
    put_line,
    put_mass,
    put_row,
    put_rows,
    put_solve,
    set_bodies,
    start_list,
    take_rows_back,
)
from .tangent_state import add_scaled

MISSED = 1e-8  # of the model's length: a gap that counts as none
GRAZING = 1e-7  # m/s, speed at a wall below which the instant has no derivative


@jit
def linearise_rows(model, x, alpha, work, lin):
    """Closed rows alone: Cq, Cu, T and K of the multipliers in LAM; no forces."""
    clear(model, lin)
    add_all_closed(model, x, alpha, work.vector[LAM], work.kin, lin)


@jit
def own_gap(model, P, k, c, memory, cw):
    """Parameter k's own part in the gap of contact c, its bodies in cw.kin."""
    law, own = model.contact[c], -P.contact[k, c].limit.imag / STEP
    if P.has_relation[k, law.relation] != 0:
        evaluate_relation(P.relation[k, law.relation], memory, cw.kin, cw.row)
        own += cw.row[law.row[0]].g.imag / STEP
    return law.sign * own


@jit
def change_of_gap(model, P, k, c, eta, memory, work, cw):
    """d gap / d rho of contact c at displacements eta, rows and cw.kin in place; k = count of parameters: fixed rho."""
    law = model.contact[c]
    total = law.sign * along(model.row[law.row[0]], work.row[law.row[0]].w, eta)
    return total + own_gap(model, P, k, c, memory, cw) if k < len(P.energy0) else total


@jit
def first_wall(model, new, memory, work, cw):
    """Contact whose wall ended the step, or -1; rows are left at the end of the step."""
    turns, first, near = model.info[0].turns, -1, np.inf
    look_at_gaps(model, new, memory, work)
    lift(work.kin, cw.kin)
    for c in range(len(model.contact)):
        k = work.touch[c]
        held = memory[turns + SLOTS * c + HOLD] != 0.0
        if model.contact[c].brake == 0 and not held and abs(k.gap) < near:
            first, near = c, abs(k.gap)
    return first


@jit
def meet_wall(model, P, new, state, work, cw, lines, dgap):
    """Sizes of a step that ends at a wall, for all parameters; lines = tangents at its middle and its end (add_step).

    Returns False where the wall is only grazed. dgap (contacts, parameters) holds what is left of each gap's change.
    """
    memory, count, tan = state.memory, len(P.energy0), lines[1]
    first = first_wall(model, new, memory, work, cw)
    if first < 0:
        return False
    rise = change_of_gap(model, P, count, first, tan.eta[count], memory, work, cw)
    if not abs(rise) > GRAZING:
        return False
    for k in range(count):
        dh = -change_of_gap(model, P, k, first, tan.eta[k], memory, work, cw) / rise
        add_step(lines, k, dh)
        for c in range(len(model.contact)):
            if model.contact[c].brake == 0:
                dgap[c, k] = change_of_gap(model, P, k, c, tan.eta[k], memory, work, cw)
    return True


@jit
def look_at_gaps(model, y, memory, work):
    """Gaps and their rates at a state."""
    place_in(model.info[0].planar, model.info[0].bodies, y, work.kin)
    evaluate_gaps(model, memory, work)
    find_gap_rates(model, work)


@jit
def narrow_escape(model, t, h, state, work, act):
    """Instant inside a step without impacts at which a wall is just reached, or -1: gaps are cubics over the step."""
    turns, near, least, reached = model.info[0].turns, act.near, MISSED * model.info[0].length, False
    for c in range(len(near)):  # the step has only looked at gaps that it could have used up
        k = work.touch[c]
        reached = reached or (model.contact[c].brake == 0 and (k.seen != 0 or k.slack <= least))
    if not reached:
        return -1.0
    look_at_gaps(model, state.y, state.memory, work)
    for c in range(len(near)):
        near[c, 0], near[c, 1] = work.touch[c].gap, work.touch[c].rate
    look_at_gaps(model, work.stage[Y_NEW], state.memory, work)
    for c in range(len(near)):
        k = work.touch[c]
        held = state.memory[turns + SLOTS * c + HOLD] != 0.0
        comes = near[c, 0] > least and near[c, 1] < -GRAZING
        if model.contact[c].brake or held or not comes or k.rate < -GRAZING:
            continue
        low, x = lowest(near[c, 0], h * near[c, 1], k.gap, h * k.rate)
        if low < least:
            return t + x * h
    return -1.0


@jit
def lowest(a, da, b, db):
    """Least value of the cubic through a and b on [0, 1] that falls at first, and its place."""
    p, q = da + db - 2.0 * (b - a), 3.0 * (b - a) - 2.0 * da - db
    low, high = 0.0, 1.0
    for _ in range(60):
        x = 0.5 * (low + high)
        if da + x * (2.0 * q + 3.0 * p * x) < 0.0:
            low = x
        else:
            high = x
    return a + x * (da + x * (q + p * x)), x


@jit
def add_step(lines, k, dh):
    """Tangents k at the middle and at the end of a step whose size changes by dh: they move by dh times the last."""
    if dh == 0.0:
        return
    for tan in lines:
        add_scaled(tan, len(tan.dt) - 1, dh, k)


@jit
def inertia_column(model, P, k, jump, F):
    """F -= dM/drho jump."""
    bodies = touched(P, k, BODY)
    for q in range(len(bodies)):
        d, at = P.body[k, bodies[q]], 6 * (bodies[q] - 1)
        for m in range(3):
            F[at + m] -= d.mass.imag / STEP * jump[at + m]
            for n in range(3):
                F[at + 3 + m] -= d.J[m, n].imag / STEP * jump[at + 3 + n]


@jit
def prepare_strike(model, kit, rebounds, t, before, y, memory, work):
    """Linearise the impact that changed ``before`` into the velocities of y, and factorise; False if it is singular."""
    _, cw, lin, _, solver, act, half, _ = kit
    new = y[7 * (model.info[0].bodies - 1) :]
    take_active(model, work, act)
    evaluate_closed_rows(model, t, y, memory, work)
    soft = factorise(model, 0.0, work)
    evaluate_active(model, memory, work)
    for b in range(1, len(work.kin)):
        for m in range(6):
            work.kin[b].force[m] = 0.0
    find_multipliers(model, 1.0, before, new, soft, work)
    lift(work.kin, cw.kin)
    linearise_rows(model, new, 0.0, work, lin)
    add_contacts(model, memory, 1.0, 0.0, IMPACT if rebounds else INSTANT, before, new, work, lin, act)
    for i in range(len(solver.a)):
        solver.a[i] = new[i] - before[i]
    rows_by_time(model, t, 0.0, work, half)
    return factor_stage(model, work, lin, solver, act)


@jit
def strike_column(model, kit, rebounds, k, t, before, new, memory, work):
    """Parameter k's own part in an impact: col.F, col.v and act.column."""
    P, cw, _, col, solver, act, _, _ = kit
    clear_column(col)
    inertia_column(model, P, k, solver.a, col.F)
    closed_column(model, P, k, t, new, 0.0, memory, work, cw, col)
    when = IMPACT if rebounds else INSTANT
    contact_columns(model, P, k, 1.0, 0.0, when, before, new, memory, work, cw, col, act)


@jit
def list_strike(model, kit, rebounds, t, before, y, memory, work):
    """List the impact that changed ``before`` into the velocities of y; False: singular.

    ``rebounds``: False where contacts come to rest.
    """
    P, _, lin, col, solver, act, half, prog = kit
    info, at, when = model.info[0], prog.at[0], IMPACT if rebounds else INSTANT
    n, new, eta, du = info.bodies - 1, y[7 * (info.bodies - 1) :], at.eta[HERE], at.du[HERE]
    if not prepare_strike(model, kit, rebounds, t, before, y, memory, work):
        return False
    start_list(prog, False)
    put_mass(model, prog, solver, du)
    put_forces(model, prog, solver, 1.0, lin, lin.K, eta)
    for r in range(info.bilateral):
        place = at.x + solver.slot[n + 1 + r]
        put_line(prog, place, -1.0, model.row[r], lin.Cq[r], eta)
        put(prog, place, -half.rows_by_t[r], at.dt[HERE])
    # Cu vanishes in an impact: no velocity but those of the laws counts
    list_contacts(model, prog, 0.0, when, 0.0, (eta, at.v, du), work, lin, solver, act)
    put_solve(prog, solver)
    set_bodies(model, prog, solver, du, 1.0)
    for k in range(len(P.energy0)):
        strike_column(model, kit, rebounds, k, t, before, new, memory, work)
        add_force_parts(model, P, k, prog, solver, 1.0, col.F)
        add_closed_parts(P, k, prog, solver, n, -1.0, col.v)
        add_contact_parts(model, P, k, prog, 0.0, solver, act)
    return fits(prog)


@jit
def strike_tangents(model, kit, rebounds, t, before, y, memory, work, tan):
    """Tangents over an impact; False: singular."""
    if not list_strike(model, kit, rebounds, t, before, y, memory, work):
        return False
    carry(model, kit, len(kit.P.energy0), 0.0, work, tan, tan, tan)
    for k in range(len(kit.P.energy0)):
        add_strike(model, kit, k, rebounds, t, y, memory, work, tan)
    return True


@jit
def list_closing(model, kit, t, y, memory, work):
    """List the smallest change that makes tangents agree with the closed rows at y, whose instant moves by dt.

    eta' = eta - M^-1 W^T N^-1 (W eta + g + drift dt)
    du'  = du  - M^-1 W^T N^-1 (W du + T eta' + v + drift_t dt)
    """
    P, cw, lin, col, _, _, half, prog = kit
    u, at = y[7 * (model.info[0].bodies - 1) :], prog.at[0]
    eta, du = at.eta[HERE], at.du[HERE]
    evaluate_closed_rows(model, t, y, memory, work)
    soft = factorise(model, 0.0, work)
    lift(work.kin, cw.kin)
    for r in range(model.info[0].bilateral):
        work.vector[LAM, r] = 0.0
    linearise_rows(model, u, 0.0, work, lin)
    rows_by_time(model, t, 0.0, work, half)
    start_list(prog, False)
    for r in range(model.info[0].bilateral):
        put_row(prog, at.g + r, 1.0, model.row[r], work.row[r].w, eta)
    for q in range(len(model.driven)):  # what follows a drive moves with the instant
        r = model.driven[q]
        put(prog, at.g + r, work.row[r].drift, at.dt[HERE])
        put(prog, at.w + r, half.rows_by_t[r], at.dt[HERE])
    put_rows(model, prog, soft, at.g)
    take_rows_back(model, prog, work, 1.0, at.g, eta)
    for r in range(model.info[0].bilateral):
        put_row(prog, at.w + r, 1.0, model.row[r], work.row[r].w, du)
        put_line(prog, at.w + r, 1.0, model.row[r], lin.T[r], eta)
    put_rows(model, prog, soft, at.w)
    take_rows_back(model, prog, work, 1.0, at.w, du)
    for k in range(len(P.energy0)):
        clear_column(col)
        closed_column(model, P, k, t, u, 0.0, memory, work, cw, col)
        rows = touched(P, k, ROW)
        for q in range(len(rows)):
            add_part(prog, k, at.g + rows[q], col.g[rows[q]])
            add_part(prog, k, at.w + rows[q], col.v[rows[q]])
    return fits(prog)
