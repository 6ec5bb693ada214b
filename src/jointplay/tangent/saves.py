"""What Moreau saves inside a step, with its derivatives: the state between two, closed, then forces of contacts.

Positions lie on the cubic through both ends, velocities on a line. Forces of contacts follow from a linear system of
their own on the active set of the instant (methods/moreau_output.py); other channels by an imaginary step through the
kernels that write them.
"""

from __future__ import annotations

import numpy as np

from ..arrays import DY_NEW, HALVES, LAM, STAGE, STEP_DONE, Y_NEW, Y_OUT
from ..assemble.closed import evaluate_closed_rows
from ..assemble.dynamics import derivative
from ..assemble.interactions import evaluate_relations
from ..assemble.kinematics import normalise
from ..assemble.observe import observe, observe_bodies
from ..assemble.projection import correct
from ..methods.extrapolate import COARSE_RATES, HALF, HALF_RATES
from ..numerics.hermite import cubic
from ..numerics.jit import jit
from .contacts import INSTANT, add_contacts, grip, press_active
from .equations import factor_stage
from .explicit import list_rates
from .integrals import impulses_between, ledger_between
from .linear import linearise
from .parameter_columns import lift
from .params import STEP
from .program import carry_one
from .saving import beyond_state, lift_state, model_of


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
def mean_rates(h, y, new, out):
    """Out = mean rates of a glide from y to ``new``, by which the state between the two is interpolated.

    An impact at its start may have changed accelerations: these are the ones that count there.
    """
    for m in range(len(y)):
        out[m] = (new[m] - y[m]) / h


@jit
def between(n, h, x, a, da, b, db, out):
    """Positions by the cubic through both ends, the rest linearly (methods/moreau.py)."""
    cubic(7 * n, h, x, (a, da), (b, db), out)
    for m in range(7 * n, len(out)):
        out[m] = (1.0 - x) * a[m] + x * b[m]


@jit
def take_forces(model, work, act):
    """Active set of a saved state: contacts that pass a force on there."""
    dim, found = model.info[0].dim, 0
    for c in range(len(model.contact)):
        law, t = model.contact[c], work.touch[c]
        act.on[c], act.slides[c], act.clings[c] = 0, 0, 1 if law.brake and t.stuck else 0
        normal = t.load if law.brake else law.sign * work.row[law.row[0]].lam
        if t.held == 0 or not normal > 0.0:
            continue
        act.on[c] = 1
        found += 1
        act.r[c, 0], act.r[c, 1], act.r[c, 2] = normal, 0.0, 0.0
        for m in range(1, dim):
            act.r[c, m] = work.row[law.row[m]].lam
        drag = np.sqrt(act.r[c, 1] ** 2 + act.r[c, 2] ** 2)
        on_cone = not drag < (1.0 - 1e-6) * grip(c, law, act) * normal
        act.slides[c] = 1 if dim > 1 and (on_cone or (law.brake and t.stuck == 0)) else 0
    return found


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
def prepare_forces(model, kit, t, state, work):
    """Matrix for the forces of contacts at a state just saved; returns how many pass one on, 0 if it is singular."""
    cw, lin, solver, act = kit.cw, kit.lin, kit.solver, kit.act
    y, found = work.stage[Y_OUT], 0
    if len(model.contact) > 0:
        found = take_forces(model, work, act)
    if found == 0:
        return 0
    for b in range(1, len(work.kin)):
        for m in range(6):
            solver.a[6 * (b - 1) + m] = work.kin[b].unknown[m]
    for r in range(len(solver.lam)):
        solver.lam[r] = work.vector[LAM, r]
    linearise(model, t, y, solver.a, 1.0, work, lin)
    add_contacts(model, state.memory, 1.0, 1.0, INSTANT, y[7 * (model.info[0].bodies - 1) :], solver.a, work, lin, act)
    for c in range(len(model.contact)):
        act.v[c, 1], act.v[c, 2] = 0.0, 0.0
    press_active(model, t, y, work, lin, act)
    if not factor_stage(model, work, lin, solver, act):
        return 0
    lift(work.kin, cw.kin)
    return found if list_rates(model, kit, t, y, state.memory, work) else 0


@jit
def write_line(model, kit, k, own, t, cy, pressed, state, work, flat, cdy, line):
    """Channels of a complex state between two steps, of parameter k; ``own``: its parts in forces of contacts count.

    ``pressed``: contacts that pass a force on, or -1 where positions and velocities are all that is wanted.
    """
    P, cw, solver, act, prog = kit.P, kit.cw, kit.solver, kit.act, kit.prog
    info, cmodel = model.info[0], model_of(model, P, k)
    correct(cmodel, t, cy, state.memory, cw)
    if pressed < 0:
        observe_bodies(cmodel, cy, cw, line)
        return
    for r in range(info.force, info.set):
        cw.row[r].lam = work.row[r].lam
    if pressed > 0:
        unlift(model, work.stage[Y_OUT], cy, flat, k)
        carry_one(model, kit, k, own, work, flat)
        for c in range(len(model.contact)):
            law = model.contact[c]
            for m in range(law.brake, info.dim):
                if act.on[c]:
                    sign = law.sign if m == 0 else 1.0
                    at = solver.base[1] + info.dim * c + m
                    cw.row[law.row[m]].lam += complex(0.0, STEP * sign * prog.line[prog.at[0].x + at, 0])
    finish(cmodel, t, cy, state, P.energy0[k], cw, cdy, line)


@jit
def write_wanted(model, kit, k, x, t, pressed, state, work, lines, scratch, out):
    """Derivatives of the wanted channels along parameter k, of the complex state in room[4]; x: as lift_between."""
    old, _, tan, flat = lines
    room, line, columns = scratch
    write_line(model, kit, k, True, t, room[4], pressed, state, work, flat, room[1], line)
    impulses_between(model, k, x, work, old, tan, line)
    for c in range(len(columns)):
        out[k, c] = line[columns[c]].imag / STEP


@jit
def lift_between(model, k, x, state, work, lines, room):
    """room[4] = the complex state at the fraction x of the pending step, along parameter k."""
    old, mid, tan, flat = lines
    h, n = work.tally[STEP_DONE], model.info[0].bodies - 1
    halves = work.tally[HALVES] != 0.0
    middle, rates = work.stage[STAGE + HALF], work.stage[STAGE + HALF_RATES]
    h = 0.5 * h if halves else h
    ahead = work.stage[STAGE + COARSE_RATES]
    mean_rates(h, state.y, middle if halves else work.stage[Y_NEW], ahead)
    fixed_time(model, k, state.y, ahead, old, flat)
    lift_state(model, state.y, state.dy, flat, k, room[0], room[1])
    fixed_time(model, k, work.stage[Y_NEW], work.stage[DY_NEW], tan, flat)
    lift_state(model, work.stage[Y_NEW], work.stage[DY_NEW], flat, k, room[2], room[3])
    if halves:
        fixed_time(model, k, middle, rates, mid, flat)
        side = 2 if x <= 0.5 else 0  # the end that the middle takes the place of
        lift_state(model, middle, rates, flat, k, room[side], room[side + 1])
        x = 2.0 * x if x <= 0.5 else 2.0 * x - 1.0
        between(n, h, x, room[0], room[1], room[2], room[3], room[4])
        if side == 2:
            ledger_between(model, k, x, h, state.y, middle, rates, old, mid, room[4])
        else:
            ledger_between(model, k, x, h, middle, work.stage[Y_NEW], work.stage[DY_NEW], mid, tan, room[4])
    else:
        between(n, h, x, room[0], room[1], room[2], room[3], room[4])
        ledger_between(model, k, x, h, state.y, work.stage[Y_NEW], work.stage[DY_NEW], old, tan, room[4])
    normalise(model.info[0].bodies, room[4])


@jit
def save_tangents(model, kit, t, state, work, lines, scratch, out):
    """Derivatives of the wanted channels at an instant inside the pending step; the state has just been saved."""
    room, _, columns = scratch
    x = (t - state.clock[0].t) / work.tally[STEP_DONE]
    pressed = prepare_forces(model, kit, t, state, work) if beyond_state(model, columns) else -1
    for k in range(len(kit.P.energy0)):
        lift_between(model, k, x, state, work, lines, room)
        write_wanted(model, kit, k, x, t, pressed, state, work, lines, scratch, out)
