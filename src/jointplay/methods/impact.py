"""Impacts: Newton's law with friction on all contacts that are closed (paper B eq. 22, 32 to 35).

    M (u+ - u-) = W^T Lambda,      0 <= u_N+ + e_N u_N-  orthogonal to  Lambda_N >= 0,      Lambda_T in Coulomb's cone

with u_T+ + e_T u_T- in place of the sliding velocity. Joints pass their impulses on. Each contact that takes part is
noted with its speeds, impulses and its share -sum Lambda (u- + u+) / 2 of the energy that is lost.
"""

from __future__ import annotations

import numpy as np

from ..arrays import (
    ANSWER,
    BEFORE,
    EVENT_COUNT,
    HOLD,
    IMPACTS,
    IMPULSE,
    NONE,
    SLOTS,
    STRUCK_AT,
    STRUCK_SPEED,
)
from ..assemble.closed import evaluate_closed_rows, factorise
from ..assemble.contacts import (
    build_problem,
    evaluate_gaps,
    find_gap_rates,
    free_velocity,
    push_out,
    set_free,
    solve_contacts,
    spread,
    work_of_contacts,
    work_of_drives,
)
from ..assemble.interactions import product
from ..assemble.kinematics import position_rates
from ..codes import Code
from ..numerics.jit import jit
from ..numerics.vec import dot, load, mul
from .glide import apply_impulses, blame, find_impulses, note_before, restitute

CONTINUE = int(Code.CONTINUE)
NEAR = 10.0  # of the tolerance: a gap that counts as closed
TOGETHER = 1e-4  # of a fixed step: impacts that count as one (with error control: gaps below atol)
SHORT = 0.01  # of a fixed step: a flight that counts as none


@jit
def note_event(model, c, t, work):
    """Add a line to the list of impacts: one contact of one impact."""
    n = int(work.tally[EVENT_COUNT])
    if n >= len(work.event):
        return
    dim = model.info[0].dim
    k, line = work.touch[c], work.event[n]
    first = dim * k.place
    line[0], line[1], line[2] = t, c, work.tally[IMPACTS]
    line[3] = work.problem[BEFORE, first]
    line[4] = free_velocity(model.contact[c], 0, work.kin, work.row)
    lost = 0.0
    for m in range(dim):
        line[5 + m] = k.impulse[m]
        after = free_velocity(model.contact[c], m, work.kin, work.row)
        lost -= 0.5 * k.impulse[m] * (work.problem[BEFORE, first + m] + after)
    for m in range(dim, 3):
        line[5 + m] = 0.0
    line[8] = lost
    work.tally[EVENT_COUNT] += 1


@jit
def come_to_rest(model, reach, soft, state, work):
    """End of an accumulation of impacts: contacts within ``reach`` are held from here on, like joints that close.

    Their rates are taken out by the smallest change of velocities (kinetic norm): energy can only be lost. The impact
    law would throw one corner up with the other, again and again.
    """
    turns, shift = model.info[0].turns, 7 * (model.info[0].bodies - 1)
    for c in range(len(model.contact)):
        k = work.touch[c]
        k.held = 1 if model.contact[c].brake == 0 and k.gap <= reach else 0
        if k.held:
            state.memory[turns + SLOTS * c + HOLD] = 1.0
    count = build_problem(model, soft, work)
    for c in range(len(model.contact)):
        work.touch[c].gap = work.touch[c].rate
    for b in range(len(work.kin)):
        for m in range(6):
            work.kin[b].shift[m] = 0.0
    push_out(model, count, work)
    lost, taken = 0.0, 0.0
    for c in range(len(model.contact)):
        k, law = work.touch[c], model.contact[c]
        k.slack = 0.0
        if k.place != NONE and law.brake == 0:
            slowed = law.sign * product(work.row[law.row[0]].w, work.kin[law.i].shift, work.kin[law.j].shift)
            taken += work.problem[ANSWER, k.place] * (k.rate - 0.5 * slowed)
    for b in range(1, len(work.kin)):
        u, s, body = state.y[shift + 6 * (b - 1) : shift + 6 * b], work.kin[b].shift, model.body[b]
        turn, mean = mul(body.J, load(s[3:6])), (u[3] - 0.5 * s[3], u[4] - 0.5 * s[4], u[5] - 0.5 * s[5])
        lost += dot(turn, mean)
        for m in range(3):
            lost += body.mass * s[m] * (u[m] - 0.5 * s[m])
        for m in range(6):
            u[m] -= s[m]
    if len(model.driven) == 0:
        taken = lost
    state.y[len(state.y) - 2] += taken - lost  # what drives put in against the contacts
    state.y[len(state.y) - 1] += taken
    position_rates(model.info[0].bodies, state.y, state.dy)
    return CONTINUE


@jit
def strike(model, state, work, settings):
    """Impact of all contacts that are closed at the state: changes its velocities, notes it; returns a code."""
    info = model.info[0]
    y, memory, shift = state.y, state.memory, 7 * (model.info[0].bodies - 1)
    dim, turns, t = info.dim, info.turns, state.clock[0].t
    evaluate_closed_rows(model, t, y, memory, work)
    soft = factorise(model, 0.0, work)
    evaluate_gaps(model, memory, work)
    find_gap_rates(model, work)
    near = NEAR * settings.tolerance
    # flights too short to be told apart
    reach, slow, fast = 0.0, 0.0, 0.0
    for c in range(len(model.contact)):
        k = work.touch[c]
        slot = memory[turns + SLOTS * c : turns + SLOTS * (c + 1)]
        if k.gap <= near and k.rate < 0.0:
            flight = t - slot[STRUCK_AT]
            way = max(slot[STRUCK_SPEED], -k.rate) * flight
            short = flight < SHORT * settings.step if settings.step > 0.0 else 0.25 * way < settings.atol
            if short and slot[STRUCK_SPEED] > 0.0:
                reach = max(reach, way, near)
                slow = max(slow, -k.rate)
            else:
                fast = max(fast, -k.rate)
    if reach > 0.0 and fast <= slow:
        return come_to_rest(model, reach, soft, state, work)
    fastest = 0.0
    for c in range(len(model.contact)):
        k, law = work.touch[c], model.contact[c]
        resting = memory[turns + SLOTS * c + HOLD] != 0.0  # closed, whatever rounding says of its gap
        # one that would strike a moment later strikes now: corners of one face hit together
        moment = -k.rate * TOGETHER * settings.step if settings.step > 0.0 else settings.atol
        next_up = k.rate < 0.0 and k.gap <= moment
        k.held = 1 if (k.gap <= near or resting or next_up) and law.brake == 0 else 0
        k.restitution = law.restitution
        if k.held:
            fastest = max(fastest, abs(k.rate))
    for b in range(1, info.bodies):
        for m in range(6):
            work.kin[b].accel[m] = y[shift + 6 * (b - 1) + m]
    find_impulses(model, 0.0, soft, work)
    apply_impulses(model, work)
    count = build_problem(model, soft, work)
    set_free(model, 0.0, 0.0, work)
    note_before(model, y[shift:], work)
    restitute(model, work)
    for a in range(dim * count):
        work.problem[ANSWER, a] = 0.0
    status, residual = solve_contacts(model, count, work)
    if status != 0:
        return blame(model, work, residual)
    spread(model, count, work)
    struck = False
    for c in range(len(model.contact)):
        struck = struck or (work.touch[c].place != NONE and work.touch[c].impulse[0] > 0.0)
    if not struck:
        return CONTINUE
    work.tally[IMPACTS] += 1
    lost, _ = work_of_contacts(model, -np.inf, work)
    y[len(y) - 2] += work_of_drives(model, soft, work)
    y[len(y) - 1] += lost
    for c in range(len(model.contact)):
        k = work.touch[c]
        slot = memory[turns + SLOTS * c : turns + SLOTS * (c + 1)]
        if k.place == NONE:
            continue
        after = free_velocity(model.contact[c], 0, work.kin, work.row)
        # a closed contact may also be thrown open by the impulse of another one
        slot[STRUCK_AT], slot[STRUCK_SPEED] = t, max(after, 0.0)
        slot[HOLD] = 1.0 if after <= 1e-9 * fastest + 1e-14 else 0.0
        if k.impulse[0] > 0.0:
            slot[IMPULSE] += k.impulse[0]
            note_event(model, c, t, work)
    for b in range(1, info.bodies):
        for m in range(6):
            y[shift + 6 * (b - 1) + m] = work.kin[b].accel[m]
    position_rates(info.bodies, y, state.dy)
    for c in range(len(model.contact)):
        work.touch[c].slack = 0.0  # speeds have jumped
    return CONTINUE
