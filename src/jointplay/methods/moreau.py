"""Moreau: midpoint time stepping with rigid contacts (paper B), impacts located in time, order 2 between them.

One step of size h from (q_A, u_A) evaluates everything at the middle, q_M = q_A moved by h/2 u_A:

    u_E = u_A + M^-1 (h f_M + W_M^T P),      q_E = q_M moved by h/2 u_E                   (paper B eq. 36 to 44)
    joints            W_M u_E + drift + h/2 bias_M = 0
    held contacts     0 <= w_N u_E + h/2 bias  orthogonal to  P_N >= 0,  P_T in Coulomb's cone

The term h/2 bias moves the condition from M to E, which paper B leaves out; with it joints and closed contacts drift by
O(h^3) a step, and the scheme has order 2. What is left is taken out by the smallest change of positions.

A contact that opens is let go when its impulse vanishes. One that would be pierced ends the step: its instant is found
to rounding, and Newton's law with friction acts there on all contacts that are closed,

    M (u+ - u-) = W^T Lambda,      0 <= u_N+ + e_N u_N-  orthogonal to  Lambda_N >= 0,  Lambda_T in the cone.

So there is no penetration to correct and no energy made by correcting it. Impacts that accumulate: a contact that
strikes again within one step of size h (or, with error control, after a flight lower than atol) does not rebound and
takes with it all contacts whose gaps are not larger than that flight.

``impacts="stepped"`` is the scheme as printed: contacts with g_M <= 0 act over the whole step with their restitution;
penetration of O(h |u_N|) stays.

Error control (``rtol``): two steps of h/2 against one of h; the difference over 3 is the error of the pair.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..arrays import (
    ANSWER,
    BEFORE,
    CULPRIT,
    DETAIL,
    DY_NEW,
    EVENT_COUNT,
    FORCE_N,
    FREE,
    HOLD,
    IMPACTS,
    IMPULSE,
    LAM,
    NONE,
    REJECTIONS,
    RHS,
    SLOTS,
    STAGE,
    STEP_DONE,
    STRIKES,
    STRUCK_AT,
    STRUCK_SPEED,
    WHOLE,
    WORST_GAP,
    Y_NEW,
    Y_OUT,
    Y_TRY,
)
from ..assemble.contacts import (
    build_problem,
    evaluate_gaps,
    find_gap_rates,
    free_velocity,
    push_out,
    set_free,
    solve_contacts,
    spread,
    start_from,
    work_of_contacts,
)
from ..assemble.dynamics import evaluate_closed_rows, factorise, find_forces, solve_rows, worst_row
from ..assemble.forces import acceleration_of, apply_loads
from ..assemble.interactions import add_accelerations, find_shifts, product
from ..assemble.kinematics import displace, move, normalise, position_rates
from ..codes import Code, Regime
from ..numerics.jit import jit
from ..numerics.vec import copy
from .base import Method
from .express import express
from .stepping import ends_at, finite, judge, next_break, set_pending, stepping

HALF, HALF_RATES, COARSE, LINES = 0, 1, 2, 3  # its lines of Work.stage
CONTINUE = int(Code.CONTINUE)
CONTACT_FAILED, ENDLESS, UNDERFLOW = int(Code.CONTACT_FAILED), int(Code.ENDLESS_IMPACTS), int(Code.STEP_UNDERFLOW)
SLACK = 10.0  # of the tolerance: residuals and gaps that are left alone
MOST_IMPACTS = 1000  # without a whole step between them
SHORT = 0.01  # of a fixed step: a flight that counts as none
SAFETY = 0.85


@jit
def take_contacts(model, memory, work):
    """Contacts that are closed at the start of a step, as the state remembers them; brakes always act."""
    turns = model.info[0].turns
    for c in range(len(model.contact)):
        t = work.touch[c]
        closed = memory[turns + SLOTS * c + HOLD] != 0.0
        t.held = 1 if closed or model.contact[c].brake else 0
        t.total = 0.0


@jit
def release(model, work):
    """Let go of contacts that pass no impulse on."""
    for c in range(len(model.contact)):
        t = work.touch[c]
        if t.held and t.impulse[0] <= 0.0:
            t.held = 0


@jit
def close_joints(model, ahead, soft, work):
    """Impulses of the joints that bring the velocities in kin.accel to W u + drift + ahead bias = 0."""
    fact = model.row[: model.info[0].bilateral]
    if len(fact) == 0:
        return
    rhs = work.vector[RHS]
    for r in range(len(fact)):
        c = work.row[r]
        meets = product(c.w, work.kin[fact[r].i].accel, work.kin[fact[r].j].accel)
        rhs[r] = -(meets + c.drift + ahead * c.bias)
    solve_rows(model, soft, work)
    add_accelerations(fact, work.weighed, work.vector[LAM], work.kin)


@jit
def note_before(model, u, work):
    """problem[BEFORE] = velocities of the held contacts at the velocities u (six per body, the ground not counted)."""
    dim = model.info[0].dim
    for b in range(1, len(work.kin)):
        for m in range(6):
            work.kin[b].shift[m] = u[6 * (b - 1) + m]
    for m in range(6):
        work.kin[0].shift[m] = 0.0
    for c in range(len(model.contact)):
        t, k = work.touch[c], model.contact[c]
        if t.place != NONE:
            for m in range(dim):
                sign = k.sign if m == 0 else 1.0
                value = product(work.row[k.row[m]].w, work.kin[k.i].shift, work.kin[k.j].shift)
                work.problem[BEFORE, dim * t.place + m] = sign * value


@jit
def restitute(model, work):
    """Add e u before to q: Newton's law along the normal, its like along the wall (paper B eq. 65, 66)."""
    dim = model.info[0].dim
    for c in range(len(model.contact)):
        t = work.touch[c]
        if t.place != NONE and model.contact[c].brake == 0:
            a = dim * t.place
            work.problem[FREE, a] += t.restitution * work.problem[BEFORE, a]
            for m in range(1, dim):
                work.problem[FREE, a + m] += model.contact[c].tangential * work.problem[BEFORE, a + m]


@jit
def blame(model, work, residual):
    """Name the contact that presses hardest as the place of a contact problem without answer."""
    dim = model.info[0].dim
    worst = -1.0
    for c in range(len(model.contact)):
        t = work.touch[c]
        if t.place != NONE and -work.problem[FREE, dim * t.place] > worst:
            worst = -work.problem[FREE, dim * t.place]
            work.tally[CULPRIT] = c
    work.tally[DETAIL] = residual
    return CONTACT_FAILED


@jit
def push(model, span, u, memory, soft, settings, work):
    """Contact impulses of a step with rows in place; changes kin.accel; returns (code, contacts, energy taken)."""
    ahead, h = span
    if settings.located == 0:
        evaluate_gaps(model, memory, work)
        for c in range(len(model.contact)):
            t = work.touch[c]
            t.held = 1 if t.gap <= 0.0 or model.contact[c].brake else 0
            t.restitution = model.contact[c].restitution
    any_held = False
    for c in range(len(model.contact)):
        if work.touch[c].held:
            any_held = True
        work.touch[c].place = NONE
        for m in range(3):
            work.touch[c].impulse[m] = 0.0
    if not any_held:
        return CONTINUE, 0, 0.0
    if settings.located != 0:
        evaluate_gaps(model, memory, work)
    count = build_problem(model, soft, work)
    set_free(model, h, ahead, work)
    note_before(model, u, work)
    if settings.located == 0:
        restitute(model, work)
    start_from(model, memory, h, work)
    status, residual = solve_contacts(model, count, work)
    if status != 0:
        return blame(model, work, residual), count, 0.0
    spread(model, count, work)
    return CONTINUE, count, work_of_contacts(model, count, work)


@jit
def settle(model, t, y, count, soft, memory, work):
    """Close joints and held contacts at the positions in y by the smallest change; gaps of all contacts follow.

    The factor and the replies are those of the middle of the step: corrections are tiny. Returns (worst residual, row).
    """
    fact = model.row[: model.info[0].bilateral]
    tolerance = work.stage[Y_TRY, 0] * 0.0 + 1e-12 * max(1.0, model.info[0].length) * SLACK
    normalise(model.info[0].bodies, y)
    worst, which = 0.0, 0
    for attempt in range(8):
        evaluate_closed_rows(model, t, y, memory, work)
        evaluate_gaps(model, memory, work)
        worst, which = worst_row(model, work)
        off = 0.0
        for c in range(len(model.contact)):
            if work.touch[c].place != NONE and work.touch[c].held:
                off = max(off, abs(work.touch[c].gap) if model.contact[c].brake == 0 else 0.0)
        if (worst <= tolerance and off <= tolerance) or not np.isfinite(worst + off) or attempt == 7:
            worst = max(worst, off)
            break
        for r in range(len(fact)):
            work.vector[RHS, r] = work.row[r].g
        if len(fact) > 0:
            solve_rows(model, max(soft, 1), work)
        find_shifts(fact, work.weighed, work.vector[LAM], work.kin)
        if off > 0.0:
            push_out(model, count, work)
        displace(y, work.kin)
    return worst, which


@jit
def work_rate_of_loads(model, t, u, work):
    """Power of the loads at the mean velocity of the step, which is what its displacement amounts to."""
    if len(model.load) == 0:
        return 0.0
    for b in range(1, len(work.kin)):
        k = work.kin[b]
        for m in range(3):
            k.v[m] = 0.5 * (u[6 * (b - 1) + m] + k.accel[m])
            k.w[m] = 0.5 * (u[6 * (b - 1) + 3 + m] + k.accel[3 + m])
    return apply_loads(model, t, work.kin, work.stack)


@jit
def glide(model, span, ends, memory, settings, work):
    """One midpoint step; ends = (y, rates, new, new rates); returns a code. Gaps are those at the end."""
    t, h = span
    y, dy, new, rates = ends
    info = model.info[0]
    bodies, shift, last = info.bodies, 7 * (info.bodies - 1), len(y) - 1
    trial = work.stage[Y_TRY]
    u = y[shift:]
    move(bodies, y, u, 0.5 * h, trial)
    for m in range(shift, len(y)):
        trial[m] = y[m] + 0.5 * h * dy[m]  # velocities at the middle, for forces that depend on them
    evaluate_closed_rows(model, t + 0.5 * h, trial, memory, work)
    soft = factorise(model, 0.0, work)
    _, loss = find_forces(model, t + 0.5 * h, trial, memory, work)
    acceleration_of(model.body, work.kin)
    for b in range(1, bodies):
        for m in range(6):
            work.kin[b].accel[m] = u[6 * (b - 1) + m] + h * work.kin[b].accel[m]
    close_joints(model, 0.5 * h, soft, work)
    given = 0.0
    for k in range(len(model.driven)):
        given -= work.vector[LAM, model.driven[k]] * work.row[model.driven[k]].drift
    code, count, taken = push(model, (0.5 * h, h), u, memory, soft, settings, work)
    if code != CONTINUE:
        return code
    given += h * work_rate_of_loads(model, t + 0.5 * h, u, work)
    for b in range(1, bodies):
        for m in range(6):
            new[shift + 6 * (b - 1) + m] = work.kin[b].accel[m]
            rates[shift + 6 * (b - 1) + m] = (work.kin[b].accel[m] - u[6 * (b - 1) + m]) / h
    for m in range(13 * (bodies - 1), last - 1):
        new[m] = y[m]
        rates[m] = 0.0
    new[last - 1] = y[last - 1] + given
    new[last] = y[last] + h * loss + taken
    rates[last - 1], rates[last] = given / h, loss + taken / h
    move(bodies, trial, new[shift:], 0.5 * h, new)
    for c in range(len(model.contact)):
        k = work.touch[c]
        k.total += 0.0 if model.contact[c].brake else k.impulse[0]
        for m in range(3):
            k.force[m] = k.impulse[m] / h
    if settings.located != 0:
        release(model, work)
    worst, which = settle(model, t + h, new, count if settings.located != 0 else 0, soft, memory, work)
    position_rates(bodies, new, rates)
    return judge(worst, which, 0.0, settings, work.tally)


@jit
def pierced(model, settings, work):
    """True if a contact that is not held has gone through its wall."""
    if settings.located == 0:
        return False
    for c in range(len(model.contact)):
        t = work.touch[c]
        if t.held == 0 and t.gap < -settings.tolerance:
            return True
    return False


@jit
def attempt(model, span, state, settings, work):
    """A whole step (fixed) or two half steps (controlled) into work.stage[Y_NEW]; returns a code.

    Of two half steps the first one may pierce a wall already: its gaps are then left for the search.
    """
    t, h = span
    take_contacts(model, state.memory, work)
    new, rates = work.stage[Y_NEW], work.stage[DY_NEW]
    if settings.step > 0.0:
        return glide(model, span, (state.y, state.dy, new, rates), state.memory, settings, work)
    half, half_rates = work.stage[STAGE + HALF], work.stage[STAGE + HALF_RATES]
    code = glide(model, (t, 0.5 * h), (state.y, state.dy, half, half_rates), state.memory, settings, work)
    if code != CONTINUE or pierced(model, settings, work):
        return code
    return glide(model, (t + 0.5 * h, 0.5 * h), (half, half_rates, new, rates), state.memory, settings, work)


@jit
def look_back(model, state, settings, work):
    """Gaps and their rates at the start of the step, for the first guess of an impact."""
    for c in range(len(model.contact)):
        work.touch[c].far = work.touch[c].gap
    evaluate_closed_rows(model, state.clock[0].t, state.y, state.memory, work)
    evaluate_gaps(model, state.memory, work)
    find_gap_rates(model, work)
    for c in range(len(model.contact)):
        work.touch[c].before, work.touch[c].rise = work.touch[c].gap, work.touch[c].rate


@jit
def first_guess(model, h, settings, work):
    """Earliest instant at which a parabola through gap, rate and end gap of a pierced contact meets its wall."""
    s = h
    for c in range(len(model.contact)):
        t = work.touch[c]
        if t.held or not t.far < -settings.tolerance:
            continue
        if t.before <= settings.tolerance and t.rise <= 0.0:
            return 0.0
        bend = (t.far - t.before - t.rise * h) / (h * h)
        root = t.rise * t.rise - 4.0 * bend * t.before
        x = h * t.before / (t.before - t.far)
        if root >= 0.0:
            # of the two roots the one at which the gap falls
            fall = 0.5 * (np.sqrt(root) + abs(t.rise))
            x = -fall / bend if t.rise > 0.0 else t.before / fall
        s = min(s, x if np.isfinite(x) and 0.0 < x <= h else h * t.before / (t.before - t.far))
    return max(0.0, s)


@jit
def locate(model, h, state, settings, work):
    """Shorten a step that pierces walls until the first of them is just met; returns (code, size of the step)."""
    look_back(model, state, settings, work)
    t = state.clock[0].t
    low, high = 0.0, h
    s = first_guess(model, h, settings, work)
    if s <= 1e-9 * h:
        return CONTINUE, 0.0
    side = 0
    for iteration in range(100):
        code = attempt(model, (t, s), state, settings, work)
        if code != CONTINUE:
            return code, s
        through, met = False, False
        for c in range(len(model.contact)):
            k = work.touch[c]
            if k.held == 0:
                through = through or k.gap < -settings.tolerance
                met = met or (k.gap <= settings.tolerance and (k.far < 0.0))
        if (met and not through) or high - low <= 4e-16 * max(t, h):
            return CONTINUE, s
        if through:
            high = s
        else:
            low = s
        # regula falsi, contact by contact; the end that stays twice counts half (Illinois)
        for c in range(len(model.contact)):
            k = work.touch[c]
            if through:
                k.far = k.gap
                k.before *= 0.5 if side == 1 else 1.0
            else:
                k.before = k.gap
                k.far *= 0.5 if side == -1 else 1.0
        side = 1 if through else -1
        s = high
        for c in range(len(model.contact)):
            k = work.touch[c]
            if k.held == 0 and k.far < 0.0:
                x = low + (high - low) * max(k.before, 0.0) / (max(k.before, 0.0) - k.far)
                s = min(s, x)
        if iteration > 20 or not low < s < high:
            s = 0.5 * (low + high)
    return CONTINUE, s


@jit
def strike(model, state, work, settings):
    """Impact of all contacts that are closed at the state: changes its velocities, notes it; returns a code."""
    info, clock = model.info[0], state.clock[0]
    y, memory, shift = state.y, state.memory, 7 * (model.info[0].bodies - 1)
    dim, turns, t = info.dim, info.turns, state.clock[0].t
    evaluate_closed_rows(model, t, y, memory, work)
    soft = factorise(model, 0.0, work)
    evaluate_gaps(model, memory, work)
    find_gap_rates(model, work)
    near = SLACK * settings.tolerance
    # flights too short to be told apart: the contacts within their reach close without rebound
    reach = 0.0
    for c in range(len(model.contact)):
        k = work.touch[c]
        slot = memory[turns + SLOTS * c : turns + SLOTS * (c + 1)]
        if k.gap <= near and k.rate < 0.0 and slot[STRUCK_SPEED] > 0.0:
            flight = t - slot[STRUCK_AT]
            height = 0.25 * slot[STRUCK_SPEED] * flight
            short = flight < SHORT * settings.step if settings.step > 0.0 else height < settings.atol
            if short:
                reach = max(reach, slot[STRUCK_SPEED] * flight, near)
    fastest = 0.0
    for c in range(len(model.contact)):
        k, law = work.touch[c], model.contact[c]
        k.held = 1 if k.gap <= max(near, reach) and law.brake == 0 else 0
        k.restitution = 0.0 if reach > 0.0 else law.restitution
        if k.held:
            fastest = max(fastest, abs(k.rate))
    for b in range(1, info.bodies):
        for m in range(6):
            work.kin[b].accel[m] = y[shift + 6 * (b - 1) + m]
    close_joints(model, 0.0, soft, work)
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
        k = work.touch[c]
        slot = memory[turns + SLOTS * c : turns + SLOTS * (c + 1)]
        if k.place == NONE:
            continue
        after = free_velocity(model, c, 0, work.kin, work.row)
        if k.impulse[0] > 0.0:
            slot[STRUCK_AT], slot[STRUCK_SPEED] = t, max(after, 0.0)
            slot[IMPULSE] += k.impulse[0]
            struck = True
        slot[HOLD] = 1.0 if after <= 1e-9 * fastest + 1e-14 else 0.0
    if struck:
        work.tally[IMPACTS] += 1
        for c in range(len(model.contact)):
            if work.touch[c].place != NONE and work.touch[c].impulse[0] > 0.0:
                note_event(model, c, t, work)
        y[len(y) - 1] += work_of_contacts(model, count, work)
    for b in range(1, info.bodies):
        for m in range(6):
            y[shift + 6 * (b - 1) + m] = work.kin[b].accel[m]
    position_rates(info.bodies, y, state.dy)
    return CONTINUE


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
    line[4] = free_velocity(model, c, 0, work.kin, work.row)
    lost = 0.0
    for m in range(dim):
        line[5 + m] = k.impulse[m]
        after = free_velocity(model, c, m, work.kin, work.row)
        lost -= 0.5 * k.impulse[m] * (work.problem[BEFORE, first + m] + after)
    for m in range(dim, 3):
        line[5 + m] = 0.0
    line[8] = lost
    work.tally[EVENT_COUNT] += 1


@jit
def error_of(model, span, state, settings, work):
    """Error of the pair of half steps: a third of its distance from one whole step, relative to the tolerance."""
    t, h = span
    y, coarse, rates = state.y, work.stage[STAGE + COARSE], work.stage[STAGE + HALF_RATES]
    take_contacts(model, state.memory, work)
    code = glide(model, span, (y, state.dy, coarse, rates), state.memory, settings, work)
    if code != CONTINUE:
        return np.inf
    new = work.stage[Y_NEW]
    total = 0.0
    n = len(y) - 2
    for m in range(n):
        scale = settings.atol + settings.rtol * max(abs(y[m]), abs(new[m]))
        total = max(total, abs(new[m] - coarse[m]) / (3.0 * scale))
    return total


@jit
def begin(model, state, work, settings):
    """A first step; contacts that are closed and not opening at the start are held."""
    evaluate_closed_rows(model, state.clock[0].t, state.y, state.memory, work)
    evaluate_gaps(model, state.memory, work)
    find_gap_rates(model, work)
    turns = model.info[0].turns
    for c in range(len(model.contact)):
        t = work.touch[c]
        resting = t.gap <= SLACK * settings.tolerance and abs(t.rate) <= 1e-12
        state.memory[turns + SLOTS * c + HOLD] = 1.0 if resting else 0.0
    if settings.step > 0.0:
        return settings.step
    return min(settings.h_max, 1e-4)


@jit
def keep_touch(model, work):
    """Keep what the pending step found out about the contacts: saves in between use the same scratch."""
    for c in range(len(model.contact)):
        work.touch[c].stay = work.touch[c].held


@jit
def advance(model, state, work, settings):
    """One step, or the part of it until walls are met; impacts at its very start are dealt with at once."""
    clock, tally = state.clock[0], work.tally
    fixed = settings.step > 0.0
    h_try = clock.h
    for _ in range(MOST_IMPACTS):
        stop = next_break(model.breaks, clock.t)
        end = clock.origin + (clock.step + 1) * settings.step if fixed else clock.t + min(h_try, settings.h_max)
        if not fixed and end * (1.0 + 1e-12) >= stop:
            end = stop
        h = end - clock.t
        code = attempt(model, (clock.t, h), state, settings, work)
        strikes = False
        size = h
        if code == CONTINUE and pierced(model, settings, work):
            code, size = locate(model, h, state, settings, work)
            strikes = True
            if code == CONTINUE and size == 0.0:
                code = strike(model, state, work, settings)
                if code != CONTINUE:
                    return code
                continue
        if fixed:
            if code != CONTINUE:
                return code
            keep_step(model, (size, settings.step, end if not strikes else clock.t + size), strikes, work)
            return CONTINUE
        keep_touch(model, work)
        error = error_of(model, (clock.t, size), state, settings, work) if code == CONTINUE else np.inf
        restore_touch(model, work)
        if error <= 1.0 or (size <= settings.h_min and code == CONTINUE):
            grow = min(4.0, max(0.3, SAFETY * max(error, 1e-10) ** (-1.0 / 3.0)))
            h_next = max(h_try, size * grow) if strikes and grow > 1.0 else size * grow
            keep_step(
                model, (size, max(h_next, settings.h_min), clock.t + size if strikes else end), strikes, work
            )
            tally[WHOLE] = 1
            return CONTINUE
        tally[REJECTIONS] += 1
        if code != CONTINUE and size <= settings.h_min:
            return code
        h_try = max(size * max(0.2, min(0.9, SAFETY * error ** (-1.0 / 3.0))) if np.isfinite(error) else 0.2 * size,
                    settings.h_min)
    tally[CULPRIT] = -1
    return ENDLESS


@jit
def restore_touch(model, work):
    """Contacts as the pending step left them."""
    for c in range(len(model.contact)):
        work.touch[c].held = work.touch[c].stay


@jit
def keep_step(model, step, strikes, work):
    """The step in work.stage[Y_NEW] is the pending one."""
    h, h_next, end = step
    keep_touch(model, work)
    set_pending(h, h_next, end, work.tally)
    work.tally[WHOLE] = 0 if strikes else 1
    work.tally[STRIKES] = 1 if strikes else 0
    for c in range(len(model.contact)):
        if model.contact[c].brake == 0:
            work.tally[WORST_GAP] = max(work.tally[WORST_GAP], -work.touch[c].gap)


@jit
def land(model, state, work, settings):
    """After a step: remember the contacts, then let those strike that have met their walls."""
    turns, memory = model.info[0].turns, state.memory
    for c in range(len(model.contact)):
        t = work.touch[c]
        slot = memory[turns + SLOTS * c : turns + SLOTS * (c + 1)]
        slot[HOLD] = t.stay if model.contact[c].brake == 0 else 0.0
        for m in range(3):
            slot[FORCE_N + m] = t.force[m]
        slot[IMPULSE] += t.total
    if work.tally[STRIKES] != 0.0:
        work.tally[STRIKES] = 0
        return strike(model, state, work, settings)
    return CONTINUE


@jit
def interpolate(model, state, work, x):
    """Positions by the cubic through both ends of the step, velocities and the ledger linearly."""
    h = work.tally[STEP_DONE]
    a = (1.0 + 2.0 * x) * (1.0 - x) * (1.0 - x)
    b = x * (1.0 - x) * (1.0 - x) * h
    c = x * x * (3.0 - 2.0 * x)
    d = x * x * (x - 1.0) * h
    new, rates, out = work.stage[Y_NEW], work.stage[DY_NEW], work.stage[Y_OUT]
    positions = 7 * (model.info[0].bodies - 1)
    for m in range(positions):
        out[m] = a * state.y[m] + b * state.dy[m] + c * new[m] + d * rates[m]
    for m in range(positions, len(out)):
        out[m] = (1.0 - x) * state.y[m] + x * new[m]


_run = stepping(begin, advance, interpolate, express, land)


@jit
def run(model, state, work, record, settings):
    """Advance until the record is full or the budget is used; see methods/base.py."""
    return _run(model, state, work, record, settings)


@dataclass(frozen=True, repr=False)
class Moreau(Method):
    """Time stepping with rigid contacts: a fixed ``step``, or steps chosen by the error (``rtol``, ``atol``)."""

    key: ClassVar[str] = "moreau"
    order: ClassVar[int] = 2
    regimes: ClassVar[frozenset[Regime]] = frozenset({Regime.BILATERAL, Regime.FORCE, Regime.SET})
    run = staticmethod(run)
    stages: ClassVar[int] = LINES

    step: float = 0.0  # s; 0: chosen by the error
    rtol: float = 1e-6
    atol: float = 1e-9  # m, m/s
    h_max: float = np.inf  # s
    h_min: float = 1e-9  # s
    impacts: str = "located"

    def __post_init__(self) -> None:
        if self.impacts not in ("located", "stepped"):
            raise ValueError(f"impacts must be 'located' or 'stepped', not {self.impacts!r}")
        if self.impacts == "stepped" and not self.step > 0.0:
            raise ValueError("impacts='stepped' needs a fixed step")

    def settings(self, length: float) -> np.ndarray:
        """The record that the run kernel reads."""
        record = super().settings(length)
        record[0]["located"] = self.impacts == "located"
        return record
