"""Tangents of sums over the past: the work that is put in, what is lost, and impulses of contacts since the start.

They stand in ``Tangents.sums``: first the integrals at the end of y (impulses of compliant contacts, input, loss), then
normal impulses of rigid contacts. Nothing depends on them, so they are only added up, by the rule of each method:

    Index1        W' = W + h/2 (w + w')                       powers by an imaginary step through the accelerations
    Moreau        W' = W - sum P drift + h w(q_M, (u + u')/2)          P: impulses in the rows of the drives
    impacts       W' = W - sum p drift, with the answer p of the joints to the contacts alone
    OptimalStep   the same sums with rows of the joints at the start, contacts and loads at the end of the step

Of the loss only Index1 has a tangent; elsewhere it follows from the balance (sensitivity/exact.py).
"""

from __future__ import annotations

from ..arrays import (
    BODY_CHANNELS,
    CONTACT_CHANNELS,
    DY_NEW,
    JOINT_CHANNELS,
    LAM,
    NONE,
    ROW_CHANNELS,
    STEP_DONE,
    Y_NEW,
    Y_OUT,
    Y_TRY,
    State,
)
from ..assemble.closed import evaluate_closed_rows, factorise
from ..assemble.dynamics import find_forces
from ..assemble.interactions import evaluate_relation
from ..assemble.kinematics import place_bodies
from ..assemble.rigid_contacts import work_of_drives
from ..methods.moreau_midpoint import work_rate_of_loads
from ..methods.optimal_step import fly, open_step
from ..numerics.jit import jit
from .parameter_columns import lift, signal_column
from .params import STEP
from .saving import lift_line, lift_state, model_of


@jit
def drift_of(model, P, k, r, t, late, by_t, stack):
    """Derivative of the drift of a driven row: of its signal and of the instant, which moves by ``late``."""
    change = late * by_t
    if k < len(P.energy0):
        _, f1, _ = signal_column(model, P, k, model.row[r].target, t, stack)
        change -= f1
    return change


@jit
def power_along(model, kit, k, along, t, ends, tangents, memory, work):
    """Power of loads and controlled rows in a glide, at the mean of its velocities and at its end: complex numbers.

    Their forces are those at its middle, which stands in Y_TRY and in registers. Along tangent line k, or that of
    parameter k alone. ends = (y, new), tangents = (before, after).
    """
    cw, at, line, (y, new), (old, tan) = kit.cw, kit.prog.at[0], kit.prog.line, ends, tangents
    n, middle, cy, cu = model.info[0].bodies - 1, work.stage[Y_TRY], cw.stage[Y_NEW], cw.stage[Y_OUT]
    far = STEP if along else 0.0
    cmodel = model_of(model, kit.P, min(k, len(kit.P.energy0) - 1))
    for m in range(len(y)):
        cy[m] = middle[m]
    if along:
        lift_line(model, middle, line[at.e :, k], line[at.v :, k], line[at.z :, k], cy)
    place_bodies(n + 1, cy, cw.kin)
    find_forces(cmodel, t, cy, memory, cw)
    for b in range(n):
        for m in range(6):
            i = 6 * b + m
            cu[i] = complex(y[7 * n + i], far * old.du[k, i])
            cw.kin[b + 1].unknown[m] = complex(new[7 * n + i], far * tan.du[k, i])
    return work_rate_of_loads(cmodel, t, cu, cw)


@jit
def add_glide(model, kit, k, span, dh, y, new, memory, work, old, tan):
    """Sums of tangent line k over a glide of Moreau that has just been carried (tangent/midpoint.py)."""
    if tan.sums.shape[1] == 0:
        return
    for m in range(tan.sums.shape[1]):
        tan.sums[k, m], tan.lates[k, m] = old.sums[k, m], old.lates[k, m]
    P, cw, _, _, solver, act, half, prog = kit
    t, h, _ = span
    info, x = model.info[0], prog.line[prog.at[0].x :, k]
    n, middle, late = info.bodies - 1, t + 0.5 * h, old.dt[k] + 0.5 * dh
    given, change = 0.0, 0.0
    for q in range(len(model.driven)):
        r = model.driven[q]
        drift, push = work.row[r].drift, h * work.vector[LAM, r]
        given -= push * drift
        change -= x[solver.slot[n + 1 + r]] * drift
        change -= push * drift_of(model, P, k, r, middle, late, half.rows_by_t[r], cw.stack)
    at = info.integrals - 2
    tan.lates[k, at] = change / h - dh * given / (h * h)
    if len(model.load) + len(model.control) > 0:
        ends, tangents = (y, new), (old, tan)
        mean, end = power_along(model, kit, k, True, middle, ends, tangents, memory, work)
        change += dh * mean.real + h * mean.imag / STEP
        tan.lates[k, at] += end.imag / STEP
        if k == len(P.energy0):  # the size of the step, which moves no parameter
            mean, end = power_along(model, kit, k, False, middle, ends, tangents, memory, work)
            change -= h * mean.imag / STEP
            tan.lates[k, at] -= end.imag / STEP
        lift(work.kin, cw.kin)
        for i in range(6 * n if late != 0.0 else 0):
            u, u_new = y[7 * n + i], new[7 * n + i]
            change += 0.5 * h * late * half.given_by_t[i] * (u + u_new)
            tan.lates[k, at] += late * half.given_by_t[i] * u_new
    tan.sums[k, at] = old.sums[k, at] + change
    add_impulses(model, k, old, tan, x, solver, act)


@jit
def add_impulses(model, k, old, tan, x, solver, act):
    """Normal impulses of the contacts, whose derivatives are among the unknowns x."""
    first = model.info[0].integrals
    for c in range(len(model.contact)):
        more = x[solver.base[1] + model.info[0].dim * c] if act.on[c] and model.contact[c].brake == 0 else 0.0
        tan.sums[k, first + c] = old.sums[k, first + c] + more


@jit
def answer_contacts(model, cmodel, soft, memory, cw, x, solver, act):
    """Work that drives put in against impulses of contacts with derivatives among x, bodies and rows in cw."""
    dim = model.info[0].dim
    for c in range(len(model.contact)):
        touch = cw.touch[c]
        touch.place = 0 if act.on[c] else NONE
        if act.on[c]:
            evaluate_relation(cmodel.relation[model.contact[c].relation], memory, cw.kin, cw.row)
            for m in range(dim):
                touch.impulse[m] = complex(act.r[c, m], STEP * x[solver.base[1] + dim * c + m])
    return work_of_drives(cmodel, soft, cw)


@jit
def add_strike(model, kit, k, rebounds, t, y, memory, work, tan):
    """Sums over an impact that has just been solved (tangent/impact.py); ``rebounds``: as there."""
    if tan.sums.shape[1] == 0:
        return
    P, cw, _, _, solver, act, half, prog = kit
    info, pressing, x = model.info[0], 0, prog.line[prog.at[0].x :, k]
    at = info.integrals - 2
    for c in range(len(model.contact)):
        pressing += act.on[c]
    if rebounds:
        add_impulses(model, k, tan, tan, x, solver, act)
    if len(model.driven) == 0 or pressing == 0:  # joints alone: where the speed of a drive jumps
        return
    if not rebounds:  # impulses too small to count themselves
        for q in range(len(model.driven)):
            r = model.driven[q]
            tan.sums[k, at] -= x[solver.slot[info.bodies + r]] * work.row[r].drift
        return
    cmodel, cy = model_of(model, P, k), cw.stage[Y_NEW]
    lift_state(model, y, y, tan, k, cy, cw.stage[DY_NEW])
    evaluate_closed_rows(cmodel, t, cy, memory, cw)
    for q in range(len(model.driven)):
        r = model.driven[q]
        cw.row[r].drift += complex(0.0, STEP * tan.dt[k] * half.rows_by_t[r])
    soft = factorise(cmodel, 0.0, cw)
    tan.sums[k, at] += answer_contacts(model, cmodel, soft, memory, cw, x, solver, act).imag / STEP
    lift(work.kin, cw.kin)


@jit
def add_round(model, kit, k, h, state, work, old, tan, rounds):
    """Sums over a step of OptimalStep that ends with the round just solved (tangent/rounds.py), by its own kernels."""
    if tan.sums.shape[1] == 0:
        return
    P, cw, _, _, solver, act, _, prog = kit
    x = prog.line[prog.at[0].x :, k]
    bodies, at = model.info[0].bodies, model.info[0].integrals - 2
    t, cmodel, memory = state.clock[0].t, model_of(model, P, k), state.memory
    cy, cdy, u = cw.stage[Y_NEW], cw.stage[DY_NEW], 7 * (bodies - 1)
    lift_state(model, state.y, state.y, old, k, cy, cdy)
    start = State(state.clock, cy, cdy, memory)
    soft, _ = open_step(cmodel, start, cw)
    given = fly(cmodel, h, start, soft, cw)
    lift_state(model, rounds.new, rounds.new, tan, k, cdy, cw.stage[Y_OUT])
    place_bodies(bodies, cdy, cw.kin)
    given += answer_contacts(model, cmodel, soft, memory, cw, x, solver, act)
    for b in range(1, bodies):
        for m in range(6):
            cw.kin[b].unknown[m] = cdy[u + 6 * (b - 1) + m]
    power, _ = work_rate_of_loads(cmodel, t, cy[u:], cw)
    tan.sums[k, at] = old.sums[k, at] + (given + h * power).imag / STEP
    for p in range(len(model.pad)):
        tan.sums[k, p] = old.sums[k, p] + h * cw.press[p].force[0].imag / STEP
    add_impulses(model, k, old, tan, x, solver, act)
    lift(work.kin, cw.kin)


@jit
def ledger_between(model, k, x, h, y, new, rates, old, tan, cy):
    """Input at the fraction x of a glide at a fixed instant, along parameter k, into the complex state (Moreau)."""
    if tan.sums.shape[1] == 0:
        return
    at, last = model.info[0].integrals - 2, len(y) - 2
    mean, late = new[last] - y[last], h * rates[last]
    dmean = tan.sums[k, at] - old.sums[k, at]
    dlate = h * tan.lates[k, at] + (tan.dt[k] - old.dt[k]) * rates[last]
    dx = -((1.0 - x) * old.dt[k] + x * tan.dt[k]) / h
    change = old.sums[k, at] + x * (2.0 * dmean - dlate) + x * x * (dlate - dmean)
    change += dx * (2.0 * mean - late + 2.0 * x * (late - mean))
    cy[last] = complex(cy[last].real, STEP * change)


@jit
def impulses_between(model, k, x, work, old, tan, line):
    """Impulses of rigid contacts at the fraction x of the pending step, at a fixed instant, into a line of channels."""
    if tan.sums.shape[1] == 0:
        return
    info = model.info[0]
    place = BODY_CHANNELS * (info.bodies - 1) + JOINT_CHANNELS * len(model.joint) + ROW_CHANNELS * len(model.tap)
    for c in range(info.recorded):
        at, o = info.integrals + c, place + CONTACT_CHANNELS * c + 5
        rate = work.touch[c].total / work.tally[STEP_DONE]
        change = (1.0 - x) * (old.sums[k, at] - old.dt[k] * rate) + x * (tan.sums[k, at] - tan.dt[k] * rate)
        line[o] = complex(line[o].real, STEP * change)
