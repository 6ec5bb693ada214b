"""Direct sensitivities along a run of Moreau: every step, impact and saved state carries its tangents with it.

Steps are taken by the method itself; each is then taken once more in its parts (methods/glide.py), so that impulses and
rows are at hand, and linearised. One more line of the tangents is the derivative with respect to the size of the step.
A step that ends on the grid undoes the shift dt of its start; one that ends at a wall has the size that the wall asks
for (tangent/impact.py).

Where the derivative does not exist, or is not followed, ``fault`` says so: its instant and a number,
1 a wall is grazed, 2 two contacts strike at once and parameters part them, 3 contacts too many to be told apart,
4 the linear system is singular.
"""

from __future__ import annotations

import numpy as np

from ..arrays import (
    DY_NEW,
    HALVES,
    HOLD,
    IMPACTS,
    LAM,
    NONE,
    PENDING,
    SLOTS,
    STAGE,
    STEP_DONE,
    STRIKES,
    Y_NEW,
    Y_OUT,
)
from ..assemble.closed import evaluate_closed_rows, factorise
from ..assemble.dynamics import derivative
from ..assemble.interactions import evaluate_relations
from ..assemble.kinematics import normalise
from ..assemble.observe import observe
from ..assemble.projection import correct
from ..codes import Code
from ..methods.express import express
from ..methods.glide import glide, take_contacts
from ..methods.locate import HALF, HALF_RATES
from ..methods.moreau import COARSE, COARSE_RATES, advance, begin, interpolate, land
from ..methods.stepping import commit, finite
from ..numerics.jit import jit
from ..numerics.lu import factor_band
from .columns import closed_column, find_column, lift
from .contacts import add_contacts, along, contact_columns, fill_contacts, right_of_contacts
from .explicit import solve_rates
from .flow import copy_tangents, project_tangent
from .glide import carry, prepare_glide
from .impact import add_step, linearise_rows, meet_wall, strike_tangents
from .linear import linearise
from .params import STEP
from .saving import lift_state, model_of
from .trapezoid import evaluate, fill_matrix, restore

CONTINUE, NOT_FINITE = int(Code.CONTINUE), int(Code.NOT_FINITE)
OFTEN = 32  # steps after which tangents are closed
FAINT = 1e-60  # N s, an impulse that does nothing
PARTED = 1e-6  # relative change of a gap that counts as parting two contacts
GRAZED, PARTS, CROWDED, SINGULAR = 1, 2, 3, 4


@jit
def blame(fault, t, reason):
    """Note the first instant from which on the derivative is not to be trusted."""
    if fault[1] == 0.0:
        fault[0], fault[1] = t, reason


@jit
def glide_tangents(model, kit, span, dh, start, end, state, settings, work, old, tan):
    """One glide once more, with all tangents; dh: how the derivative with respect to the step counts in it."""
    P, cw, lin, col, solver, act, half = kit
    y, dy = start
    new, rates = end
    code = glide(model, span, (y, dy, new, rates), state.memory, settings, work)
    if code != CONTINUE:
        return False
    if not prepare_glide(model, span, y, new, state.memory, work, cw, lin, solver, act, half):
        return False
    count = len(P.energy0)
    for k in range(count + 1):
        carry(model, kit, k, span, dh if k == count else 0.0, y, dy, new, state.memory, work, old, tan)
    return True


@jit
def follow(model, kit, state, settings, work, lines, spare):
    """All tangents over the pending step; its sizes dh found."""
    P, cw, _, _, _, _, _ = kit
    old, mid, tan, _ = lines
    _, dgap, fault = spare
    t, h = state.clock[0].t, work.tally[STEP_DONE]
    trust = 1.0 if h <= 5.0 * state.clock[0].last else 0.0
    count = len(P.energy0)
    last = STAGE + COARSE
    again, rates = work.stage[last], work.stage[STAGE + COARSE_RATES]
    for m in range(old.eta.shape[1]):
        old.eta[count, m], old.du[count, m], old.da[count, m] = 0.0, 0.0, 0.0
    for m in range(old.dz.shape[1]):
        old.dz[count, m], old.dw[count, m] = 0.0, 0.0
    old.dt[count] = 0.0
    for c in range(len(model.contact)):
        work.touch[c].slack = 0.0
    take_contacts(model, state.memory, work)
    y, dy = state.y, state.dy
    if work.tally[HALVES] == 0.0:
        whole = (t, h, trust)
        done = glide_tangents(model, kit, whole, 1.0, (y, dy), (again, rates), state, settings, work, old, tan)
        copy_tangents(tan, mid)
    else:
        middle, middle_rates = work.stage[STAGE + HALF], work.stage[STAGE + HALF_RATES]
        first, second = (t, 0.5 * h, trust), (t + 0.5 * h, 0.5 * h, 1.0)
        between_ = (middle, middle_rates)
        done = glide_tangents(model, kit, first, 0.5, (y, dy), between_, state, settings, work, old, mid)
        if done:
            done = glide_tangents(model, kit, second, 0.5, between_, (again, rates), state, settings, work, mid, tan)
    off = 0.0
    for m in range(13 * (model.info[0].bodies - 1)):
        off = max(off, abs(again[m] - work.stage[Y_NEW, m]) / (1.0 + abs(work.stage[Y_NEW, m])))
    if not done:
        blame(fault, t, SINGULAR)
    elif not off < 1e-6:
        blame(fault, t, CROWDED)
    if work.tally[STRIKES] != 0.0:
        if meet_wall(model, P, t + h, work.stage[Y_NEW], state, settings, work, cw, tan, dgap) != 0:
            blame(fault, t + h, GRAZED)
            for k in range(count):
                add_step(tan, k, -tan.dt[k])
    else:
        for k in range(count):
            add_step(tan, k, -tan.dt[k])


@jit
def close_tangents(model, kit, t, y, memory, work, tan):
    """Tangents on the closed rows at y."""
    P, cw, lin, col, _, _, _ = kit
    evaluate_closed_rows(model, t, y, memory, work)
    soft = factorise(model, 0.0, work)
    lift(work.kin, cw.kin)
    for r in range(model.info[0].bilateral):
        work.vector[LAM, r] = 0.0
    linearise_rows(model, y[7 * (model.info[0].bodies - 1) :], 0.0, work, lin)
    for k in range(len(P.energy0)):
        for A in (col.F, col.c, col.g, col.v):
            for m in range(len(A)):
                A[m] = 0.0
        closed_column(model, P, k, t, y[7 * (model.info[0].bodies - 1) :], 0.0, memory, work, cw, col)
        if tan.dt[k] == 0.0 or len(model.driven) == 0:
            project_tangent(model, soft, tan.eta[k], tan.du[k], col, lin, work)


@jit
def strike_all(model, kit, impacts, state, work, tan, spare):
    """Tangents over what happened at the end of the step: an impact, or contacts that came to rest."""
    P, _, _, _, _, act, _ = kit
    before, dgap, fault = spare
    t, y, shift = state.clock[0].t, state.y, 7 * (model.info[0].bodies - 1)
    jump = 0.0
    for m in range(len(before)):
        jump = max(jump, abs(y[shift + m] - before[m]))
    if jump == 0.0:
        return
    if work.tally[IMPACTS] == impacts:
        rest_tangents(model, kit, before, state, work, tan)
        return
    if not strike_tangents(model, kit, True, t, before, y, state.memory, work, tan):
        blame(fault, t, SINGULAR)
    for c in range(len(model.contact)):
        if act.on[c] and model.contact[c].brake == 0:
            for k in range(len(P.energy0)):
                size = 0.0
                for m in range(tan.eta.shape[1]):
                    size = max(size, abs(tan.eta[k, m]))
                if abs(dgap[c, k]) > PARTED * max(size, 1e-3 * model.info[0].length):
                    blame(fault, t, PARTS)


@jit
def slide_faintly(model, c, y, work):
    """Friction of a contact with the normal impulse FAINT, if it slides."""
    law, u, dim = model.contact[c], y[7 * (model.info[0].bodies - 1) :], model.info[0].dim
    square = 0.0
    for m in range(1, dim):
        square += along(model.row[law.row[m]], work.row[law.row[m]].w, u) ** 2
    if square > 1e-18:
        for m in range(1, dim):
            v = along(model.row[law.row[m]], work.row[law.row[m]].w, u)
            work.touch[c].impulse[m] = -law.mu * FAINT * v / np.sqrt(square)


@jit
def rest_tangents(model, kit, before, state, work, tan):
    """Contacts that came to rest: velocities along their normals vanish, like an impact without rebound.

    No impulse is left, but its direction counts: a contact that slides takes a tangent along the edge of its cone.
    """
    turns = model.info[0].turns
    for c in range(len(model.contact)):
        t = work.touch[c]
        held = state.memory[turns + SLOTS * c + HOLD] != 0.0 and model.contact[c].brake == 0
        t.place = 0 if held else NONE
        for m in range(3):
            t.impulse[m] = 0.0
        if held:
            t.impulse[0] = FAINT
            slide_faintly(model, c, state.y, work)
    strike_tangents(model, kit, False, state.clock[0].t, before, state.y, state.memory, work, tan)


@jit
def fixed_time(model, k, y, dy, tan, out):
    """out = tangent k at a fixed instant: the state there does not wait for the shift dt of its own."""
    n = model.info[0].bodies - 1
    shift = 7 * n
    for b in range(n):
        for m in range(6):
            i = 6 * b + m
            out.eta[k, i] = tan.eta[k, i] - tan.dt[k] * y[shift + i]
            out.du[k, i] = tan.du[k, i] - tan.dt[k] * dy[shift + i]
            out.da[k, i] = tan.da[k, i]
    for q in range(tan.dz.shape[1]):
        out.dz[k, q] = tan.dz[k, q] - tan.dt[k] * dy[13 * n + q]
        out.dw[k, q] = tan.dw[k, q]
    out.dt[k] = 0.0


@jit
def between(n, h, x, a, da, b, db, out):
    """Positions by the cubic through both ends, the rest linearly (methods/moreau.py)."""
    f0, f1 = (1.0 + 2.0 * x) * (1.0 - x) * (1.0 - x), x * (1.0 - x) * (1.0 - x) * h
    f2, f3 = x * x * (3.0 - 2.0 * x), x * x * (x - 1.0) * h
    for m in range(7 * n):
        out[m] = f0 * a[m] + f1 * da[m] + f2 * b[m] + f3 * db[m]
    for m in range(7 * n, len(out)):
        out[m] = (1.0 - x) * a[m] + x * b[m]


@jit
def forces_of_contacts(model, kit, k, t, y, state, work, flat):
    """Derivatives of the contact forces at a saved state into solver.x; the matrix must be factorised."""
    P, cw, lin, col, solver, act, _ = kit
    eta, du, dz = flat.eta[k], flat.du[k], flat.dz[k]
    find_column(model, P, k, t, y, solver.a, solver.a, 1.0, state.memory, work, cw, col)
    shift = 7 * (model.info[0].bodies - 1)
    contact_columns(model, P, k, 1.0, 1.0, False, y[shift:], solver.a, state.memory, work, cw, col, act)
    for c in range(len(model.contact)):
        for m in range(3):
            act.before[c, m] = 0.0
    right_of_contacts(model, P, k, 1.0, 0.0, eta, du, act.before, lin, solver, act)
    solve_rates(model, eta, du, dz, col, lin, solver)


@jit
def take_forces(model, work, act):
    """Active set of a saved state: contacts that pass a force on there."""
    dim, found = model.info[0].dim, 0
    for c in range(len(model.contact)):
        law, t = model.contact[c], work.touch[c]
        act.on[c], act.slides[c] = 0, 0
        normal = t.load if law.brake else law.sign * work.row[law.row[0]].lam
        if t.held == 0 or not normal > 0.0:
            continue
        act.on[c] = 1
        found += 1
        act.r[c, 0], act.r[c, 1], act.r[c, 2] = normal, 0.0, 0.0
        for m in range(1, dim):
            act.r[c, m] = work.row[law.row[m]].lam
        drag = np.sqrt(act.r[c, 1] ** 2 + act.r[c, 2] ** 2)
        act.slides[c] = 1 if dim > 1 and not drag < (1.0 - 1e-6) * law.mu * normal else 0
    return found


@jit
def save_tangents(model, kit, t, state, work, lines, scratch, out):
    """Derivatives of the wanted channels at an instant inside the pending step; the state has just been saved."""
    P, cw, lin, _, solver, act, _ = kit
    old, mid, tan, flat = lines
    room, line, columns = scratch
    h, n = work.tally[STEP_DONE], model.info[0].bodies - 1
    x = (t - state.clock[0].t) / h
    y = work.stage[Y_OUT]
    found = 0
    if len(model.contact) > 0:
        found = take_forces(model, work, act)
    # matrices for the forces of contacts, at the state that was saved
    if found > 0:
        for b in range(1, len(work.kin)):
            for m in range(6):
                solver.a[6 * (b - 1) + m] = work.kin[b].accel[m]
        for r in range(len(solver.lam)):
            solver.lam[r] = work.vector[LAM, r]
        linearise(model, t, y, solver.a, 1.0, work, lin)
        add_contacts(model, state.memory, 1.0, 1.0, False, y[7 * n :], solver.a, work, lin, act)
        for c in range(len(model.contact)):
            act.v[c, 1], act.v[c, 2] = 0.0, 0.0
        fill_matrix(model, 0.0, work, lin, solver)
        fill_contacts(model, work, lin, solver, act)
        if not factor_band(solver.A, solver.band):
            found = 0
        lift(work.kin, cw.kin)
    for k in range(len(P.energy0)):
        fixed_time(model, k, state.y, state.dy, old, flat)
        lift_state(model, state.y, state.dy, flat, k, room[0], room[1])
        fixed_time(model, k, work.stage[Y_NEW], work.stage[DY_NEW], tan, flat)
        lift_state(model, work.stage[Y_NEW], work.stage[DY_NEW], flat, k, room[2], room[3])
        if work.tally[HALVES] != 0.0:
            middle, rates = work.stage[STAGE + HALF], work.stage[STAGE + HALF_RATES]
            fixed_time(model, k, middle, rates, mid, flat)
            if x <= 0.5:
                lift_state(model, middle, rates, flat, k, room[2], room[3])
                between(n, 0.5 * h, 2.0 * x, room[0], room[1], room[2], room[3], room[4])
            else:
                lift_state(model, middle, rates, flat, k, room[0], room[1])
                between(n, 0.5 * h, 2.0 * x - 1.0, room[0], room[1], room[2], room[3], room[4])
        else:
            between(n, h, x, room[0], room[1], room[2], room[3], room[4])
        cmodel = model_of(model, P, k)
        cy = room[4]
        normalise(model.info[0].bodies, cy)
        correct(cmodel, t, cy, state.memory, cw)
        info = model.info[0]
        for r in range(info.force, info.set):
            cw.row[r].lam = work.row[r].lam
        if found > 0:
            unlift(model, y, cy, flat, k)
            restore(solver, work)
            lift(work.kin, cw.kin)
            forces_of_contacts(model, kit, k, t, y, state, work, flat)
            for c in range(len(model.contact)):
                law = model.contact[c]
                for m in range(law.brake, info.dim):
                    if act.on[c]:
                        sign = law.sign if m == 0 else 1.0
                        at = solver.base[1] + info.dim * c + m
                        cw.row[law.row[m]].lam += complex(0.0, STEP * sign * solver.x[at])
        finish(cmodel, t, cy, state, P.energy0[k], cw, room[1], line)
        for c in range(len(columns)):
            out[k, c] = line[columns[c]].imag / STEP


@jit
def unlift(model, y, cy, flat, k):
    """Tangent k from a complex state."""
    n = model.info[0].bodies - 1
    for b in range(n):
        p = (y[7 * b + 3], y[7 * b + 4], y[7 * b + 5], y[7 * b + 6])
        d = (
            cy[7 * b + 3].imag / STEP,
            cy[7 * b + 4].imag / STEP,
            cy[7 * b + 5].imag / STEP,
            cy[7 * b + 6].imag / STEP,
        )
        flat.eta[k, 6 * b + 3] = 2.0 * (p[0] * d[1] - d[0] * p[1] - (p[2] * d[3] - p[3] * d[2]))
        flat.eta[k, 6 * b + 4] = 2.0 * (p[0] * d[2] - d[0] * p[2] - (p[3] * d[1] - p[1] * d[3]))
        flat.eta[k, 6 * b + 5] = 2.0 * (p[0] * d[3] - d[0] * p[3] - (p[1] * d[2] - p[2] * d[1]))
        for m in range(3):
            flat.eta[k, 6 * b + m] = cy[7 * b + m].imag / STEP
        for m in range(6):
            flat.du[k, 6 * b + m] = cy[7 * n + 6 * b + m].imag / STEP
    for q in range(model.info[0].inner):
        flat.dz[k, q] = cy[13 * n + q].imag / STEP


@jit
def finish(cmodel, t, cy, state, energy0, cw, cdy, line):
    """Accelerations and channels of a complex state whose contact forces stand in row.lam."""
    info = cmodel.info[0]
    evaluate_closed_rows(cmodel, t, cy, state.memory, cw)
    evaluate_relations(cmodel.relation[info.force_relations : info.set_relations], state.memory, cw.kin, cw.row)
    derivative(cmodel, t, cy, state.memory, cw, cdy)
    observe(cmodel, t, cy, state.memory, complex(state.clock[0].energy0, STEP * energy0), cw, line)


@jit
def start(model, kit, state, work, tan, dy):
    """Tangents at the start: closed; those of the accelerations, which only matter for forces that depend on speed."""
    P, cw, lin, col, solver, _, _ = kit
    t = state.clock[0].t
    soft = evaluate(model, t, state.y, state.memory, work, dy, solver)
    lift(work.kin, cw.kin)
    linearise(model, t, state.y, solver.a, 1.0, work, lin)
    fill_matrix(model, 0.0, work, lin, solver)
    for m in range(solver.base[1], solver.base[2]):
        solver.A[m, m] = 1.0
    whole = factor_band(solver.A, solver.band)
    for m in range(len(solver.x)):
        solver.x[m] = 0.0
    for k in range(len(P.energy0)):
        find_column(model, P, k, t, state.y, solver.a, solver.a, 1.0, state.memory, work, cw, col)
        project_tangent(model, soft, tan.eta[k], tan.du[k], col, lin, work)
        restore(solver, work)
        if whole:
            for m in range(solver.base[1], solver.base[2]):
                solver.x[m] = 0.0
            solve_rates(model, tan.eta[k], tan.du[k], tan.dz[k], col, lin, solver)
            for b in range(model.info[0].bodies - 1):
                for m in range(6):
                    tan.da[k, 6 * b + m] = solver.x[solver.slot[b + 1] + m]
            for q in range(model.info[0].inner):
                tan.dw[k, q] = solver.x[solver.base[0] + q]
    return whole


@jit
def run(model, state, work, record, settings_array, kit, lines, scratch, spare, out):
    """Like the run kernel of Moreau.

    lines = (old, mid, tan, flat) tangents; scratch = (room, line, columns); spare = (velocities before, dgap, fault).
    """
    settings, clock, tally = settings_array[0], state.clock[0], work.tally
    old, _, tan, _ = lines
    before, dgap, fault = spare
    P = kit.P
    shift = 7 * (model.info[0].bodies - 1)
    if clock.h == 0.0:
        clock.h = begin(model, state, work, settings)
        start(model, kit, state, work, old, work.stage[STAGE + COARSE])
    budget = settings.budget
    while record.next[0] < len(record.times):
        if tally[PENDING] == 0.0:
            if budget == 0:
                return CONTINUE
            budget -= 1
            for m in range(len(before)):
                before[m] = state.y[shift + m]
            impacts = tally[IMPACTS]
            code = advance(model, state, work, settings)
            if code == CONTINUE and not (finite(work.stage[Y_NEW]) and finite(work.stage[DY_NEW])):
                tally[PENDING] = 0
                code = NOT_FINITE
            if code != CONTINUE:
                return code
            if tally[IMPACTS] != impacts:  # at the very start of the step
                for c in range(len(model.contact)):
                    for k in range(len(P.energy0)):
                        dgap[c, k] = 0.0
                blame(fault, clock.t, PARTS)
            follow(model, kit, state, settings, work, lines, spare)
        while record.next[0] < len(record.times):
            n = record.next[0]
            x = (record.times[n] - clock.t) / tally[STEP_DONE]
            if x > 1.0 + 1e-12:
                break
            interpolate(model, state, work, x)
            code = express(model, record.times[n], state, settings, work, record.channels[n])
            if code != CONTINUE:
                return code
            save_tangents(model, kit, record.times[n], state, work, lines, scratch, out[:, n])
            record.next[0] += 1
        if record.next[0] < len(record.times):
            commit(model, state, work, settings)
            copy_tangents(tan, old)
            for m in range(len(before)):
                before[m] = state.y[shift + m]
            impacts, met = tally[IMPACTS], tally[STRIKES]
            code = land(model, state, work, settings)
            if code != CONTINUE:
                return code
            if met != 0.0:
                strike_all(model, kit, impacts, state, work, old, spare)
            if clock.step % OFTEN == 0 or met != 0.0:
                close_tangents(model, kit, clock.t, state.y, state.memory, work, old)
    return CONTINUE
