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
    State,
)
from ..assemble.closed import evaluate_closed_rows, factorise
from ..assemble.forces import apply_loads
from ..assemble.interactions import evaluate_relation
from ..assemble.kinematics import place_bodies
from ..assemble.rigid_contacts import work_of_drives
from ..methods.moreau_midpoint import work_rate_of_loads
from ..methods.optimal_step import fly, open_step
from ..numerics.jit import jit
from .parameter_columns import lift, signal_column
from .params import STEP
from .saving import lift_state, model_of


@jit
def drift_of(model, P, k, r, t, late, by_t, stack):
    """Derivative of the drift of a driven row: of its signal and of the instant, which moves by ``late``."""
    change = late * by_t
    if k < len(P.energy0):
        _, f1, _ = signal_column(model, P, k, model.row[r].target, t, stack)
        change -= f1
    return change


@jit
def power_along(model, P, k, t, f, u, du, g, new, dnew, e, work, cw):
    """Power of the loads at velocities f u + g new and displacements e of the bodies: a complex number."""
    for b in range(1, len(work.kin)):
        kin, c, at = work.kin[b], cw.kin[b], 6 * (b - 1)
        x, y, z = e[at + 3], e[at + 4], e[at + 5]
        for m in range(3):
            i, j = at + m, at + 3 + m
            A = kin.A[m]
            c.A[m, 0] = complex(A[0], STEP * (A[1] * z - A[2] * y))
            c.A[m, 1] = complex(A[1], STEP * (A[2] * x - A[0] * z))
            c.A[m, 2] = complex(A[2], STEP * (A[0] * y - A[1] * x))
            c.v[m] = complex(f * u[i] + g * new[i], STEP * (f * du[i] + g * dnew[i]))
            c.w[m] = complex(f * u[j] + g * new[j], STEP * (f * du[j] + g * dnew[j]))
    if k < len(P.energy0):
        return apply_loads(model_of(model, P, k), t, cw.kin, cw.stack)
    return apply_loads(model, t, cw.kin, work.stack)


@jit
def add_glide(model, kit, k, span, dh, y, new, work, old, tan):
    """Sums of tangent line k over a glide of Moreau that has just been carried (tangent/midpoint.py)."""
    if tan.sums.shape[1] == 0:
        return
    for m in range(tan.sums.shape[1]):
        tan.sums[k, m], tan.lates[k, m] = old.sums[k, m], old.lates[k, m]
    P, cw, _, _, solver, act, half, prog = kit
    t, h, _ = span
    info, x, e = model.info[0], prog.line[prog.at[0].x :, k], prog.line[prog.at[0].e :, k]
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
    if len(model.load) > 0:
        u, u_new, du, du_new = y[7 * n :], new[7 * n :], old.du[k], tan.du[k]
        mean = power_along(model, P, k, middle, 0.5, u, du, 0.5, u_new, du_new, e, work, cw)
        end = power_along(model, P, k, middle, 0.0, u, du, 1.0, u_new, du_new, e, work, cw)
        lift(work.kin, cw.kin)
        change += dh * mean.real + h * mean.imag / STEP
        tan.lates[k, at] += end.imag / STEP
        for i in range(6 * n):
            change += 0.5 * h * late * half.by_t[i] * (u[i] + u_new[i])
            tan.lates[k, at] += late * half.by_t[i] * u_new[i]
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
            cw.kin[b].accel[m] = cdy[u + 6 * (b - 1) + m]
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
