"""Moreau's midpoint step with joints and held contacts (paper B eq. 36 to 44); methods/moreau.py has how it is used.

Everything is evaluated at the middle of the step; velocities under way stand in ``kin.unknown``.
"""

from __future__ import annotations

import numpy as np

from ..arrays import (
    ANSWER,
    BEFORE,
    CULPRIT,
    DETAIL,
    DRIFT,
    FACTORISATIONS,
    FORCE_N,
    FREE,
    HOLD,
    IMPULSE,
    LAM,
    MOVED,
    MOVED_TURN,
    NONE,
    RATES,
    RHS,
    SLOTS,
    Y_TRY,
)
from ..assemble.closed import (
    evaluate_closed_rows,
    factorise,
    impel,
    impels_at_once,
    look_at_closed_rows,
    rows_in_place,
    solve_rows,
    worst_row,
)
from ..assemble.dynamics import find_forces
from ..assemble.forces import acceleration_of, apply_loads
from ..assemble.interactions import product_in
from ..assemble.joint_friction import rub_joints
from ..assemble.kinematics import arrive_in, displace_in, position_rates_in, set_out_in
from ..assemble.plane_contacts import build_in_plane, in_plane, pose, spread_in_plane
from ..assemble.products import add_to_accelerations, free_velocities, set_shifts
from ..assemble.rigid_contacts import (
    build_problem,
    evaluate_gap,
    evaluate_gaps,
    look_at_gaps,
    look_at_held,
    note_rest,
    push_out,
    rests,
    set_free,
    solve_contacts,
    solve_in_plane,
    solve_with_brakes,
    spread,
    start_from,
    watch_gaps,
    work_of_contacts,
    work_of_drives,
)
from ..assemble.sensing import power_of_controls
from ..assemble.states import rates_of_friction
from ..codes import Code
from ..numerics.jit import jit, part
from .stepping import WORST, judge

CONTINUE, CONTACT_FAILED, TOO_LONG = int(Code.CONTINUE), int(Code.CONTACT_FAILED), int(Code.STEP_UNDERFLOW)
TURN = 0.01  # rad squared
CLOSINGS = 12
SMALL = 1e-7  # of a clearance
LATER = 1.0  # of rtol and the size of the mechanism
NEARBY = 1e-6  # of the size of the mechanism: residuals for which rows of the middle of the step will do
FAST = 0.1  # of what was left before: corrections that need no rows of their own
LEAST = 3e-14  # of the size of the mechanism: what rounding leaves


@jit
def closing_of(model, settings):
    """Residual of joints and held contacts that a step may leave behind (m): small beside any clearance."""
    return max(min(settings.closing, SMALL * model.info[0].clearance), LEAST * model.info[0].length)


@part
def take_contact(model, c, memory, work):
    """Whether contact c is closed at the start of a step, as the state remembers it; brakes always act."""
    t, k = work.touch[c], model.contact[c]
    closed = memory[model.info[0].turns + SLOTS * c + HOLD] != 0.0
    t.held = 1 if closed or k.brake else 0
    t.amount = 0.0
    t.leeway = 0.0
    t.load = k.load
    t.stuck = 1 if closed and k.brake else 0


@jit
def take_contacts(model, memory, work):
    """``take_contact`` for all."""
    for c in range(len(model.contact)):
        take_contact(model, c, memory, work)


@jit
def remember_contacts(model, memory, work):
    """Keep in the state what the step has left: closed contacts, their forces, and the impulses so far."""
    turns = model.info[0].turns
    for c in range(len(model.contact)):
        t, slot = work.touch[c], turns + SLOTS * c
        memory[slot + HOLD] = t.stay  # of a brake: it rests
        for m in range(3):
            memory[slot + FORCE_N + m] = t.force[m]
        memory[slot + IMPULSE] += t.total


@jit
def find_impulses(model, ahead, soft, work):
    """LAM = impulses of the joints that would bring the velocities in kin.unknown to W u + drift + ahead bias = 0."""
    fact = model.row[: model.info[0].bilateral]
    if len(fact) == 0:
        return
    planar = model.info[0].planar
    free_velocities(planar, ahead, model.place, fact, work.row, work.kin, work.vector[RHS])
    solve_rows(model, soft, work)


@jit
def apply_impulses(model, work):
    """Change the velocities in kin.unknown by the impulses of the joints in LAM."""
    fact = model.row[: model.info[0].bilateral]
    if len(fact) > 0:
        add_to_accelerations(model.info[0].planar, model.place, fact, work.weighed, work.vector[LAM], work.kin)


@jit
def note_before(model, u, work):
    """problem[BEFORE] = velocities of the held contacts at the velocities u (six per body, the ground not counted)."""
    dim, planar = model.info[0].dim, model.info[0].planar
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
                value = product_in(planar, work.row[k.row[m]].w, work.kin[k.i].shift, work.kin[k.j].shift)
                work.problem[BEFORE, dim * t.place + m] = sign * value


@jit
def restitute(model, work):
    """Add e u before to q: Newton's law along the normal, its like along the wall (paper B eq. 65, 66)."""
    dim = model.info[0].dim
    for c in range(len(model.contact)):
        t = work.touch[c]
        if t.place != NONE and model.contact[c].brake == 0:
            a = dim * t.place
            work.problem[FREE, a] += t.rebound * model.contact[c].restitution * work.problem[BEFORE, a]
            for m in range(1, dim):
                back = t.rebound * model.contact[c].tangential
                work.problem[FREE, a + m] += back * work.problem[BEFORE, a + m]


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
def braked(model):
    """True if a brake is pressed by a reaction, or holds more at rest than in motion."""
    found = False
    for c in range(len(model.contact)):
        k = model.contact[c]
        found = found or (k.brake and (k.rub != NONE or k.static > k.mu))
    return found


@jit
def keeps_sliding(model, c, ahead, count, work):
    """True if contact c slides at the impulses in problem[ANSWER], and not against the way that it slid before."""
    dim, t, k = model.info[0].dim, work.touch[c], model.contact[c]
    if t.place == NONE or k.brake or not work.problem[ANSWER, dim * t.place] > 0.0 or rests(model, c, work):
        return False
    agree = 0.0
    for m in range(1, dim):
        a, after = dim * t.place + m, 0.0
        for b in range(dim * count):
            after += work.delassus[a, b] * work.problem[ANSWER, b]
        before = work.problem[BEFORE, a] - ahead * work.row[k.row[m]].bias  # rows are those of the middle
        agree += before * (work.problem[FREE, a] + after)
    return agree > 0.0


@jit
def turn_friction(model, ahead, count, work):
    """Friction in space along the mean sliding velocity of the step, which has order 2; along the last one it has 1.

    The law then acts on w (u_A + u_E), where the terms that shift rows in time cancel. Contacts that begin to hold
    under it keep the end of the step, where holding is decided. Returns status and residual.
    """
    dim, any_slides = model.info[0].dim, False
    for c in range(len(model.contact)):
        work.touch[c].slides = 1 if keeps_sliding(model, c, ahead, count, work) else 0
        any_slides = any_slides or work.touch[c].slides != 0
    status, residual = 0, 0.0
    if not any_slides:
        return status, residual
    for c in range(len(model.contact)):
        if work.touch[c].slides:
            shift_to_mean(model, c, ahead, 1.0, work)
    for _ in range(count):
        status, residual = solve_contacts(model, count, work)
        lost = False
        for c in range(len(model.contact)):
            t = work.touch[c]
            if t.slides and work.problem[ANSWER, dim * t.place] > 0.0 and rests(model, c, work):
                shift_to_mean(model, c, ahead, -1.0, work)
                t.slides, lost = 0, True
        if status != 0 or not lost:
            break
    return status, residual


@jit
def shift_to_mean(model, c, ahead, way, work):
    """Let the law of friction of contact c act on the sum of both velocities of the step (way 1), or not (-1)."""
    dim, k, place = model.info[0].dim, model.contact[c], work.touch[c].place
    for m in range(1, dim):
        a = dim * place + m
        work.problem[FREE, a] += way * (work.problem[BEFORE, a] - ahead * work.row[k.row[m]].bias)


@part
def push(model, span, u, memory, soft, settings, work):
    """Contact impulses of a step with rows in place; changes kin.unknown.

    Returns (code, contacts, energy that they take, the same at the rate of the end).
    """
    ahead, h = span
    if settings.located == 0:
        evaluate_gaps(model, memory, work)
        for c in range(len(model.contact)):
            t = work.touch[c]
            t.held = 1 if t.gap <= 0.0 or model.contact[c].brake else 0
            t.rebound = 1.0
    any_held, brakes = False, False
    for c in range(len(model.contact)):
        k = work.touch[c]
        any_held, brakes = any_held or k.held != 0, brakes or model.contact[c].brake != 0
        k.place, k.slides = NONE, 0
        k.impulse[0], k.impulse[1], k.impulse[2] = 0.0, 0.0, 0.0
    if not any_held:
        return CONTINUE, 0, 0.0, 0.0
    if settings.located != 0:
        for c in range(len(model.contact)):
            if work.touch[c].held:
                evaluate_gap(model, c, memory, work)
    joints = work.echo[len(work.echo) - 1]
    for r in range(len(joints)):
        joints[r] = work.vector[LAM, r]
    flat = in_plane(model) and not brakes
    if flat:
        count = build_in_plane(model, soft, work)
        pose(model, h, ahead, u, memory, work)
    else:
        count = build_problem(model, soft, work)
        set_free(model, h, ahead, work)
        note_before(model, u, work)
        start_from(model, memory, h, work)
    if settings.located == 0:
        restitute(model, work)
    else:
        for c in range(len(model.contact)):
            if work.touch[c].place != NONE:
                work.problem[FREE, model.info[0].dim * work.touch[c].place] += work.touch[c].leeway
    if brakes and braked(model):
        status, residual = solve_with_brakes(model, h, ahead, joints, count, work)
    elif flat:
        status, residual = solve_in_plane(model, count, work)
    else:
        status, residual = solve_contacts(model, count, work)
        if status == 0 and model.info[0].dim == 3 and settings.located != 0:
            status, residual = turn_friction(model, ahead, count, work)
    if status != 0:
        return blame(model, work, residual), count, 0.0, 0.0
    if flat:
        lost, late = spread_in_plane(model, count, work)
        return CONTINUE, count, lost, late
    note_rest(model, work)
    spread(model, count, work)
    lost, late = work_of_contacts(model, 0.0, work)
    return CONTINUE, count, lost, late


@jit
def note_shifts(planar, work):
    """Add the largest shift of a body to what closing has moved so far."""
    way, turn = 0.0, 0.0
    for b in range(1, len(work.kin)):
        s = work.kin[b].shift
        if planar:
            way, turn = max(way, abs(s[0]), abs(s[1])), max(turn, abs(s[5]))
            continue
        for m in range(3):
            way, turn = max(way, abs(s[m])), max(turn, abs(s[3 + m]))
    work.tally[MOVED] += way
    work.tally[MOVED_TURN] += turn


@jit
def settle(model, t, y, contacts, tolerance, memory, work):
    """Close joints and held contacts at the positions in y by the smallest change; gaps of all contacts follow.

    ``contacts`` is their number and the refinements that solutions need. Factor and replies, and of a first correction
    that is tiny the rows too, are those of the middle of the step. Returns (residual found, its row, residual left).
    """
    look_at_closed_rows(model, t, y, memory, work)
    look_at_gaps(model, memory, work)
    return close_up(model, t, y, contacts, tolerance, memory, work)


@jit
def close_up(model, t, y, contacts, tolerance, memory, work):
    """``settle`` for residuals and gaps that have just been found."""
    found, which, worst, moved = close_held(model, t, y, contacts, tolerance, memory, work)
    if moved:
        look_at_gaps(model, memory, work)
    return found, which, worst


@jit
def clear_shifts(planar, kin):
    """No shift of any body."""
    for b in range(len(kin)):
        s = kin[b].shift
        s[0], s[1], s[5] = 0.0, 0.0, 0.0
        if not planar:
            s[2], s[3], s[4] = 0.0, 0.0, 0.0


@part
def settle_held(model, t, y, contacts, tolerance, memory, work):
    """``settle``, where gaps of contacts that are neither held nor in the contact problem need not follow."""
    look_at_closed_rows(model, t, y, memory, work)
    look_at_held(model, memory, work)
    found, which, worst, _ = close_held(model, t, y, contacts, tolerance, memory, work)
    return found, which, worst


@part
def close_held(model, t, y, contacts, tolerance, memory, work):
    """``settle_held`` for residuals and gaps that have just been found; and True if y has moved."""
    count, soft = contacts
    found, before, left, moved = -1.0, np.inf, np.inf, False
    planar, size = model.info[0].planar, model.info[0].length
    fact = model.row[: model.info[0].bilateral]
    worst, which = 0.0, 0
    for attempt in range(CLOSINGS):
        if attempt > 0:
            look_at_closed_rows(model, t, y, memory, work)
            look_at_held(model, memory, work)
        worst, which = worst_row(model, work)
        # contacts that press are to be closed; those that cannot all be may stay open, but not pierced
        off, deep, pressed = 0.0, 0.0, False
        for c in range(len(model.contact) if count > 0 else 0):
            k = work.touch[c]
            if k.place != NONE and k.held and model.contact[c].brake == 0:
                gap, pressed = model.contact[c].scale * k.gap, True
                off, deep = max(off, abs(gap)), max(deep, -gap)
        found = max(worst, off) if found < 0.0 else found
        stuck = worst <= tolerance and deep <= tolerance and before > tolerance and off > 0.5 * before
        worst = max(worst, deep)
        if max(worst, off) <= tolerance or stuck or not np.isfinite(worst + off) or attempt == CLOSINGS - 1:
            break
        slow = max(worst, off) > FAST * left
        again = found > NEARBY * size or slow or attempt % 3 == 2
        before, left = off, max(worst, off)
        if again:
            evaluate_closed_rows(model, t, y, memory, work)
            for c in range(len(model.contact)):
                if work.touch[c].place != NONE or work.touch[c].held:
                    evaluate_gap(model, c, memory, work)
        if attempt % 3 == 2 and slow:  # the middle of the step is too far away
            soft = factorise(model, 0.0, work)
            count = build_problem(model, soft, work)
        for r in range(len(fact)):
            work.vector[RHS, r] = work.row[r].g
        if len(fact) > 0:
            solve_rows(model, max(soft, 1) if again else soft, work)
            set_shifts(planar, model.place, fact, work.weighed, work.vector[LAM], work.kin)
        else:
            clear_shifts(planar, work.kin)
        if pressed:  # also where gaps are exactly 0: closing the joints alone would open them
            push_out(model, count, work)
        note_shifts(planar, work)
        displace_in(planar, y, work.kin)
        moved = True
    return found, which, worst, moved


@jit
def work_rate_of_loads(model, t, u, work):
    """Power of the loads at the mean velocity of the step, which its displacement amounts to, and at its end."""
    if len(model.load) == 0 and len(model.control) == 0:
        return 0.0, 0.0
    for b in range(1, len(work.kin)):
        k = work.kin[b]
        for m in range(3):
            k.v[m] = 0.5 * (u[6 * (b - 1) + m] + k.unknown[m])
            k.w[m] = 0.5 * (u[6 * (b - 1) + 3 + m] + k.unknown[3 + m])
    mean = apply_loads(model, t, work.kin, work.stack) + power_of_controls(model, work.kin, work.row)
    for b in range(1, len(work.kin)):
        k = work.kin[b]
        for m in range(3):
            k.v[m] = k.unknown[m]
            k.w[m] = k.unknown[3 + m]
    return mean, apply_loads(model, t, work.kin, work.stack) + power_of_controls(model, work.kin, work.row)


@jit
def held_back(model, settings, work):
    """Hold contacts again that were let go but have not opened; True if there are any."""
    found = False
    for c in range(len(model.contact)):
        k = work.touch[c]
        if k.place != NONE and k.held == 0 and model.contact[c].scale * k.gap < -settings.tolerance:
            k.held = 1
            found = True
    return found


@jit
def expected(model, h, count, settings, work):
    """Residual of joints and pressing contacts at the end of a step, to second order, from the rows at its middle.

    g_E = g_M + h/2 (w u_E + drift) + h^2/8 bias, and w u_E + drift = -h/2 bias.

    Counts the impulses of contacts, and lets go of those that pass none on. Infinite if the normal of a pressing
    contact in a round clearance turns too far in this step (0.1 rad).
    """
    ahead = 0.125 * h * h
    worst = 0.0
    for r in range(model.info[0].bilateral):
        worst = max(worst, model.row[r].scale * abs(work.row[r].g - ahead * work.row[r].bias))
    for c in range(len(model.contact) if count > 0 else 0):
        k, t = model.contact[c], work.touch[c]
        pushes = t.impulse[0]
        if k.brake == 0:
            t.amount += pushes
        if pushes <= 0.0:
            t.held = 0 if settings.located != 0 else t.held
        elif k.brake == 0:
            bend = work.row[k.row[0]].bias
            clearance = model.relation[k.relation]["shape"][0]
            if clearance > 0.0 and abs(bend) * h * h > TURN * clearance:
                work.tally[CULPRIT], work.tally[DETAIL] = c, h
                return np.inf
            worst = max(worst, k.scale * abs(t.gap - ahead * k.sign * bend))
    return worst


@part
def only_weight(model):
    """True if nothing but weight acts on the bodies of a planar model."""
    info = model.info[0]
    some = len(model.load) > 0 or len(model.sense) > 0 or len(model.state) > 0
    return info.planar != 0 and info.force == info.bilateral and not some


@part
def fall_in_plane(model, h, u, kin):
    """Weights into kin.force, and velocities after the time h under them alone into kin.unknown."""
    gravity = model.info[0].gravity
    for b in range(len(model.body)):
        c, f, v, n = model.body[b], kin[b].force, kin[b].unknown, 6 * (b - 1)
        x, y = c.mass * gravity[0], c.mass * gravity[1]
        f[0], f[1], f[2] = x, y, c.mass * gravity[2]
        f[3], f[4], f[5] = 0.0, 0.0, 0.0
        if b == 0:
            v[0], v[1], v[5] = 0.0, 0.0, 0.0
        else:
            v[0], v[1], v[5] = u[n] + h * (c.minv[0] * x), u[n + 1] + h * (c.minv[1] * y), u[n + 5]


@part
def set_off(model, span, u, trial, memory, work):
    """Velocities without reactions at the end of a step into kin.unknown; returns the power that laws dissipate.

    span = (t, h); the middle of the step is ``trial``, whose rows are in place.
    """
    t, h = span
    if only_weight(model):
        fall_in_plane(model, h, u, work.kin)
        return 0.0
    _, loss = find_forces(model, t + 0.5 * h, trial, memory, work)
    planar = model.info[0].planar
    acceleration_of(planar, model.body, work.kin)
    for b in range(1, model.info[0].bodies):
        v, n = work.kin[b].unknown, 6 * (b - 1)
        if planar:
            v[0], v[1], v[5] = u[n] + h * v[0], u[n + 1] + h * v[1], u[n + 5] + h * v[5]
            continue
        for m in range(6):
            v[m] = u[n + m] + h * v[m]
    return loss


@part
def glide_here(model, span, ends, memory, settings, work):
    """One midpoint step; ends = (y, rates, new, new rates); returns a code. Gaps are those at the end.

    span = (t, h, trust): the velocity at the middle, for forces that depend on it, is u + trust h/2 times the last
    acceleration.
    """
    t, h, trust = span
    y, dy, new, rates = ends
    info = model.info[0]
    bodies, shift, last = info.bodies, 7 * (info.bodies - 1), len(y) - 1
    trial = work.stage[Y_TRY]
    u = y[shift:]
    planar = info.planar
    set_out_in(planar, bodies, (0.5 * h, 0.5 * trust * h), y, dy, trial, work.kin)
    soft = 0
    if info.bilateral > 0:
        rows_in_place(model, t + 0.5 * h, trial, len(work.kin), memory, work)
        soft = factorise(model, 0.0, work)
    else:
        work.tally[FACTORISATIONS] += 1  # of nothing: models are compared by these
    loss = set_off(model, (t, h), u, trial, memory, work)
    if impels_at_once(model, soft):
        impel(model, 1.0, 0.5 * h, work)
    else:
        if info.bilateral > 0:
            find_impulses(model, 0.5 * h, soft, work)
        if info.rubs > 0:  # what it does to the joints joins LAM
            loss += rub_joints(model, t + 0.5 * h, h, trial[13 * (bodies - 1) :], soft, work)
            rates_of_friction(model, work)
        apply_impulses(model, work)
    given = 0.0
    for k in range(len(model.driven)):
        given -= work.vector[LAM, model.driven[k]] * work.row[model.driven[k]].drift
    code, count, taken, late = push(model, (0.5 * h, h), u, memory, soft, settings, work)
    if code != CONTINUE:
        return code
    guess = expected(model, h, count, settings, work)
    if guess == np.inf:
        return TOO_LONG
    if count > 0 and len(model.driven) > 0:
        given += work_of_drives(model, soft, work)
    power, power_late = 0.0, 0.0
    if len(model.load) > 0 or len(model.control) > 0:
        power, power_late = work_rate_of_loads(model, t + 0.5 * h, u, work)
    arrive_in(planar, bodies, (h, 0.5 * h), u, trial, work.kin, new, rates)
    for m in range(13 * (bodies - 1), last - 1):
        new[m] = y[m]
        rates[m] = 0.0
    for m in range(info.inner):
        n = 13 * (bodies - 1) + m
        rates[n] = work.inner[RATES, m]
        new[n] = y[n] + h * rates[n]
    for k in range(len(model.pad)):
        m = len(y) - info.integrals + k
        new[m] = y[m] + h * work.press[k].force[0]
    new[last - 1] = y[last - 1] + given + h * power
    new[last] = y[last] + h * loss + taken
    rates[last - 1], rates[last] = given / h + power_late, loss + late / h
    limit = closing_of(model, settings)
    # in free flight an improved step closes its joints once, at its end (methods/extrapolate.py)
    later = LATER * settings.rtol * info.length if settings.extrapolate != 0 and count == 0 else 0.0
    if guess + work.tally[DRIFT] <= max(limit, later):
        watch_gaps(model, h, y, new, 2.0 * limit, False, memory, work)
        if count == 0 or settings.located == 0 or not held_back(model, settings, work):
            position_rates_in(planar, bodies, new, rates)
            return CONTINUE
    aim = 0.1 * limit
    held = (count if settings.located else 0, soft)
    moved, before = (work.tally[MOVED], work.tally[MOVED_TURN]), work.tally[DRIFT]
    which, worst = 0, 0.0
    for again in range(2):
        found, which, worst = settle_held(model, t + h, new, held, aim, memory, work)
        if again == 0:
            work.tally[DRIFT] = max(0.0, found - guess)
            if found > 2.0 * limit + before:  # not gathered drift, but what this one step did
                work.tally[MOVED], work.tally[MOVED_TURN] = moved
        if again or not settings.located or count == 0 or not held_back(model, settings, work):
            break
    if settings.step == 0.0:  # a controlled step is judged by its gaps as well
        for c in range(len(model.contact)):
            work.touch[c].slack = 0.0
    watch_gaps(model, h, y, new, 2.0 * limit, True, memory, work)
    position_rates_in(planar, bodies, new, rates)
    if worst <= WORST * settings.tolerance:
        return CONTINUE
    return judge(worst, which, 0.0, settings, work.tally)


@jit
def glide(model, span, ends, memory, settings, work):
    """``glide_here``, for callers that are not in a hurry: a call passes the whole model on, which costs time."""
    return glide_here(model, span, ends, memory, settings, work)
