"""Index-1 dynamics: accelerations and multipliers of the closed rows at one state (paper C eq. 1, paper E eq. 9).

    M a = f + W^T lam,    W a + bias = 0      =>      N lam = -(W M^-1 f + bias),    N = W M^-1 W^T

``prepare`` (assemble/closed.py) evaluates rows and factorises N; ``accelerate`` adds forces and solves. They are apart
so that projections and accelerations at the same state share one factorisation. Friction that follows the reactions
(assemble/joint_friction.py) is part of f and depends on lam.
"""

from __future__ import annotations

from ..arrays import EVALUATIONS, FORCE_N, HOLD, LAM, PARTIALS, RATES, RHS, SLOTS
from ..numerics.jit import jit
from .closed import impel, impels_at_once, prepare, solve_rows
from .compliant_contacts import press_pads, push_bundles
from .forces import acceleration_of, apply_forces, apply_loads, find_law_forces, weight_and_spin
from .interactions import evaluate_relations, find_rates
from .joint_friction import rub_joints
from .kinematics import position_rates
from .products import add_to_accelerations, free_accelerations
from .sensing import control_rows, sense
from .states import find_rates_of_states, rates_of_friction


@jit
def find_forces(model, t, y, memory, work):
    """Applied forces on all bodies, and rates of inner states; return input power and dissipated power."""
    info = model.info[0]
    weight_and_spin(info.planar, info.gravity, model.body, work.kin)
    power = 0.0 * work.kin[0].force[0]
    loss = power
    if len(model.sense) > 0:
        z = y[13 * (info.bodies - 1) :]
        sense(model.sense, model.relation, model.row, memory, z, work.kin, work.row, work.stack)
    if len(model.state) > 0:
        find_rates_of_states(model, t, work)
    if len(model.load) > 0:
        power = apply_loads(model, t, work.kin, work.stack)
    if info.force > info.bilateral:
        fact, row = model.row[info.bilateral : info.force], work.row[info.bilateral : info.force]
        soft = model.relation[info.bilateral_relations : info.force_relations]
        evaluate_relations(soft, memory, work.kin, work.row)
        find_rates(fact, work.kin, row)
        z, rates = y[13 * (info.bodies - 1) :], work.inner[RATES]
        loss = find_law_forces(fact, model.law, model.constant, t, z, row, rates)
        if len(model.pad) > 0:
            wanted, onsets = work.tally[PARTIALS] != 0.0, memory[info.pads :]
            loss += press_pads(model.pad, model.law, model.constant, t, onsets, z, work.row, work.press, rates, wanted)
        if len(model.bundle) > 0:
            loss += push_bundles(model.bundle, work.row)
        if len(model.control) > 0:
            power += control_rows(model, t, work.row, work.stack)
        apply_forces(fact, row, work.kin)
    return power, loss


@jit
def accelerate(model, t, y, memory, soft, work, dy):
    """Rates of the whole state at rows and factor that are already there."""
    info = model.info[0]
    bodies = info.bodies
    work.tally[EVALUATIONS] += 1
    power, loss = find_forces(model, t, y, memory, work)
    if info.set > info.force:
        apply_forces(model.row[info.force : info.set], work.row[info.force : info.set], work.kin)
    acceleration_of(info.planar, model.body, work.kin)
    fact, row, lam = model.row[: info.bilateral], work.row, work.vector[LAM]
    if impels_at_once(model, soft):
        impel(model, 0.0, 1.0, work)
    else:
        free_accelerations(info.planar, model.place, fact, row, work.kin, work.vector[RHS])
        solve_rows(model, soft, work)
        z = y[13 * (bodies - 1) :]
        if info.rubs > 0:
            loss += rub_joints(model, t, 1.0, z, soft, work)
            rates_of_friction(model, work)
        add_to_accelerations(info.planar, model.place, fact, work.weighed, lam, work.kin)
    for k in range(len(model.driven)):
        power -= lam[model.driven[k]] * row[model.driven[k]].drift
    position_rates(bodies, y, dy)
    shift = 7 * (bodies - 1)
    for b in range(1, bodies):
        for m in range(6):
            dy[shift + 6 * (b - 1) + m] = work.kin[b].unknown[m]
    last = len(y) - info.integrals
    for m in range(info.inner):
        dy[13 * (bodies - 1) + m] = work.inner[RATES, m]
    for k in range(len(model.pad)):
        dy[last + k] = work.press[k].force[0]
    dy[len(y) - 2] = power
    dy[len(y) - 1] = loss


@jit
def derivative(model, t, y, memory, work, dy):
    """dy/dt at (t, y): rows, factor, forces, multipliers."""
    soft = prepare(model, t, y, memory, work)
    accelerate(model, t, y, memory, soft, work, dy)


@jit
def press(model, memory, work):
    """row.lam of rigid contacts: what closed ones press with as the State has it, and not as it was saved last."""
    info = model.info[0]
    for r in range(info.force, info.set):
        work.row[r].lam = 0.0
    for c in range(len(model.contact)):
        law, slot = model.contact[c], info.turns + SLOTS * c
        for m in range(info.dim):
            if memory[slot + HOLD] != 0.0 and law.row[m] < info.set and (m > 0 or law.brake == 0):
                work.row[law.row[m]].lam += (law.sign if m == 0 else 1.0) * memory[slot + FORCE_N + m]


@jit
def renewed(model, t, y, memory, work, dy):
    """dy/dt at (t, y), where closed contacts press as the State has it."""
    press(model, memory, work)
    derivative(model, t, y, memory, work, dy)
