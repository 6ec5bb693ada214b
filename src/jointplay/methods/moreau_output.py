"""Saved states of nonsmooth methods: forces of contacts at an instant, then channels.

The state to be saved lies inside a smooth step. Contacts that passed a force on in that step are closed; their forces
at the instant follow from accelerations,

    a = a_free + replies . lambda,      0 <= w_N a + bias  orthogonal to  lambda_N >= 0,      lambda_T in the cone,

where a contact slides (lambda_T against its velocity) if it did so in the step, and else holds: w_T a + bias = 0. To
the solver a sliding velocity is a relative acceleration that nothing can stop: u_T / (h / 100).
"""

from __future__ import annotations

import numpy as np

from ..arrays import (
    ANSWER,
    DY_OUT,
    FORCE_N,
    FORCE_S,
    FORCE_T,
    FREE,
    IMPROVED,
    LAM,
    NONE,
    RHS,
    SLOTS,
    STEP_DONE,
    WORST_POSITION,
    WORST_VELOCITY,
    Y_OUT,
)
from ..assemble.closed import evaluate_closed_rows, factorise, impel, impels_at_once, solve_rows
from ..assemble.dynamics import accelerate, find_forces
from ..assemble.forces import acceleration_of
from ..assemble.kinematics import normalise_in
from ..assemble.observe import observe
from ..assemble.products import add_to_accelerations, free_accelerations
from ..assemble.projection import STALE, close_velocities
from ..assemble.rigid_contacts import (
    LOADS,
    build_problem,
    evaluate_gap,
    evaluate_gaps,
    look_at_near,
    press_brakes,
    rests,
    set_free,
    solve_contacts,
    stay_on_cone,
)
from ..codes import Code
from ..numerics.jit import jit
from .changeover import STICKING, inside_cone, light_along, note, spare_of
from .moreau_midpoint import braked, close_held, take_contacts
from .stepping import WORST, finite, judge

CONTINUE, NOT_FINITE, CONTACT_FAILED = int(Code.CONTINUE), int(Code.NOT_FINITE), int(Code.CONTACT_FAILED)
SLIDES = 1.0 - 1e-8  # of the cone


@jit
def evaluate_held(model, memory, work):
    """Rows of the held contacts at the bodies' present places."""
    for c in range(len(model.contact)):
        if work.touch[c].held:
            evaluate_gap(model, c, memory, work)


@jit
def close_state(model, t, y, memory, settings, work):
    """Joints and held contacts closed at the positions in y, then joints at its velocities; returns what judge needs.

    Rows and gaps at y are in place. Afterwards rows are those of the closed state, and so are factor and replies where
    contacts are held. Without them the factor may be that of the state before: closing has moved it by so little that
    one refinement brings it up to date. A new factor is cheaper than that where it is made in one pass.
    """
    soft = factorise(model, 0.0, work)
    count = build_problem(model, soft, work)
    closed = model.info[0].bilateral > 0
    found, which, worst, moved = close_held(model, t, y, (count, soft), settings.tolerance, memory, work)
    if moved:
        look_at_near(model, settings, memory, work)
    if found > settings.tolerance:  # it has moved
        evaluate_closed_rows(model, t, y, memory, work)
        if count > 0:
            evaluate_held(model, memory, work)
        if count > 0 or found > STALE * model.info[0].length or model.info[0].plain != 0:
            soft = factorise(model, 0.0, work)
            count = build_problem(model, soft, work)
    rate = 0.0
    if closed:
        rate, done = close_velocities(model, y, soft, work)
        if done:  # bias terms go with the velocities
            evaluate_closed_rows(model, t, y, memory, work)
            if count > 0:
                evaluate_held(model, memory, work)
    return worst, which, rate, soft, count


@jit
def hold_brakes(model, joints, count, work):
    """Contact problem at an instant, with brakes pressed by the reactions of that instant."""
    status, residual = 0, 0.0
    first = model.info[0].dim
    for _ in range(LOADS):
        for c in range(len(model.contact)):
            k = work.touch[c]
            if k.place != NONE and model.contact[c].brake:
                at = first * k.place
                work.problem[FREE, at] = -k.load * work.delassus[at, at]
        status, residual = solve_contacts(model, count, work)
        for c in range(len(model.contact)):  # sliding velocities are large numbers here, which leave errors behind
            k = work.touch[c]
            if k.place != NONE and model.contact[c].brake and k.stuck == 0:
                work.problem[ANSWER, first * k.place] = k.load
                stay_on_cone(model, k.place, work)
        if status != 0 or press_brakes(model, 1.0, joints, count, work) <= 1e-12:
            break
    return status, residual


@jit
def contact_forces(model, t, h, y, memory, soft, count, work):
    """Forces of the held contacts at the state, into row.lam of the SET rows; returns the solver's status.

    ``h`` is the size of a step: what slides goes on sliding for a hundredth of it.
    """
    info = model.info[0]
    for r in range(info.force, info.set):
        work.row[r].lam = 0.0
    if count == 0:
        return 0
    find_forces(model, t, y, memory, work)
    acceleration_of(info.planar, model.body, work.kin)
    fact = model.row[: info.bilateral]
    if impels_at_once(model, soft):
        impel(model, 0.0, 1.0, work)
    elif len(fact) > 0:
        free_accelerations(info.planar, model.place, fact, work.row, work.kin, work.vector[RHS])
        solve_rows(model, soft, work)
        add_to_accelerations(info.planar, model.place, fact, work.weighed, work.vector[LAM], work.kin)
    joints = work.echo[len(work.echo) - 1]
    for r in range(len(joints)):
        joints[r] = work.vector[LAM, r]
    set_free(model, 1.0, 1.0, work)
    h = 0.01 * h
    dim = info.dim
    for c in range(len(model.contact)):
        k, law = work.touch[c], model.contact[c]
        if k.place == NONE:
            continue
        normal = k.load if law.brake else k.force[0]
        drag = 0.0
        for m in range(1, dim):
            drag += k.force[m] ** 2
        for m in range(dim):
            work.problem[ANSWER, dim * k.place + m] = k.force[m]
            slides = k.stuck == 0 if law.brake else np.sqrt(drag) >= SLIDES * law.mu * normal
            if m > 0 and slides:
                a, b = work.kin[law.i], work.kin[law.j]
                w = work.row[law.row[m]].w
                for n in range(3):
                    work.problem[FREE, dim * k.place + m] += (
                        w[n] * a.v[n] + w[3 + n] * a.w[n] + w[6 + n] * b.v[n] + w[9 + n] * b.w[n]
                    ) / h
    if braked(model):
        status, _ = hold_brakes(model, work.echo[len(work.echo) - 1], count, work)
    else:
        status, _ = solve_contacts(model, count, work)
    for c in range(len(model.contact)):
        k, law = work.touch[c], model.contact[c]
        if k.place == NONE:
            continue
        for m in range(dim):
            if m > 0 or law.brake == 0:
                sign = law.sign if m == 0 else 1.0
                work.row[law.row[m]].lam += sign * work.problem[ANSWER, dim * k.place + m]
    return status


@jit
def held_fast(model, c, settings, work):
    """True if a contact with friction stuck throughout an improved step."""
    k, law = work.touch[c], model.contact[c]
    if settings.extrapolate == 0 or law.brake or k.mode != STICKING or k.carry == 0:
        return False
    return work.tally[IMPROVED] != 0.0 or inside_cone(law.mu, k.force[0], k.force[1], k.force[2])


@jit
def note_overrun(model, c, h, count, memory, work):
    """What a contact that stuck throughout a step lacks at its end, if it slipped on the way.

    It slips there with the acceleration a, which has grown from -b at the start, where friction was as much below mu N,
    along a straight line.
    """
    dim, k, law = model.info[0].dim, work.touch[c], model.contact[c]
    slot = memory[model.info[0].turns + SLOTS * c : model.info[0].turns + SLOTS * (c + 1)]
    along = (slip_of(model, c, 1, count, work), slip_of(model, c, 2, count, work) if dim == 3 else 0.0)
    slips = np.sqrt(along[0] * along[0] + along[1] * along[1])
    if slips > 0.0:
        light = light_along(model, k.place, along, work)
        spare = light * max(0.0, spare_of(law.mu, slot[FORCE_N], slot[FORCE_T], slot[FORCE_S]))
        x = max(spare / (spare + slips), 0.1)
        note(model, c, 0.5 * slips * (1.0 - x) * h, x, work)


@jit
def slip_of(model, c, m, count, work):
    """Component m of the acceleration of contact c under the forces in problem[ANSWER]."""
    a = model.info[0].dim * work.touch[c].place + m
    after = work.problem[FREE, a]
    for b in range(model.info[0].dim * count):
        after += work.delassus[a, b] * work.problem[ANSWER, b]
    return after


@jit
def overrun(model, span, y, memory, settings, work):
    """True if a brake that stuck throughout a step of size h cannot hold any more at its end t: it slipped on the way.

    span = (t, h). Of contacts what they lack is noted, and their forces at that instant: whether they still stick there
    must not be left to an extrapolation.
    """
    t, h = span
    sticking = False
    for c in range(len(model.contact)):
        k = work.touch[c]
        k.stuck = k.stay if model.contact[c].brake else 0
        sticking = sticking or k.stuck != 0 or held_fast(model, c, settings, work)
    if not sticking:
        return False
    for c in range(len(model.contact)):
        k = work.touch[c]
        k.held = 1 if k.carry or model.contact[c].brake else 0
    evaluate_closed_rows(model, t, y, memory, work)
    evaluate_gaps(model, memory, work)
    soft = factorise(model, 0.0, work)
    count = build_problem(model, soft, work)
    if contact_forces(model, t, h, y, memory, max(soft, 1), count, work) != 0:
        return False
    slips = False
    for c in range(len(model.contact)):
        if model.contact[c].brake and work.touch[c].stuck and not rests(model, c, work):
            slips = True
        k = work.touch[c]
        if held_fast(model, c, settings, work) and k.place != NONE:
            if not rests(model, c, work):
                note_overrun(model, c, h, count, memory, work)
            for m in range(model.info[0].dim):
                k.force[m] = work.problem[ANSWER, model.info[0].dim * k.place + m]
    return slips


@jit
def press_anew(model, h, soft, state, work):
    """Forces of closed contacts and accelerations at the state, for the step that follows: after an impact, at a start.

    Contacts slide if they move, and else hold what they can. The factor, which needs ``soft`` refinements, is that
    of the state; ``h`` is the step to try next, which a run that is continued knows as well. False if the contact
    problem has no answer.
    """
    take_contacts(model, state.memory, work)
    t = state.clock[0].t
    for c in range(len(model.contact)):
        k, law = work.touch[c], model.contact[c]
        k.force[0], k.force[1], k.force[2] = 1.0, law.mu, 0.0
    evaluate_closed_rows(model, t, state.y, state.memory, work)
    evaluate_held(model, state.memory, work)
    count = build_problem(model, soft, work)
    if contact_forces(model, t, h, state.y, state.memory, max(soft, 1), count, work) != 0:
        return False
    for c in range(len(model.contact)):
        k, slot = work.touch[c], model.info[0].turns + SLOTS * c
        if k.place != NONE and model.contact[c].brake == 0:
            for m in range(model.info[0].dim):
                state.memory[slot + FORCE_N + m] = work.problem[ANSWER, model.info[0].dim * k.place + m]
    accelerate(model, t, state.y, state.memory, max(soft, 1), work, state.dy)
    return True


@jit
def hold_overlaps(model, memory, settings, work):
    """Hold contacts that the interpolation has led through their walls, with their rows; True if there are any."""
    found = False
    for c in range(len(model.contact)):
        k = work.touch[c]
        if settings.located and k.held == 0 and k.gap < -settings.tolerance:
            k.held = 1
            found = True
            evaluate_gap(model, c, memory, work)
    return found


@jit
def mean_forces(model, work):
    """row.lam of the SET rows = forces averaged over the step, where contacts act over whole steps."""
    info = model.info[0]
    for r in range(info.force, info.set):
        work.row[r].lam = 0.0
    for c in range(len(model.contact)):
        law = model.contact[c]
        for m in range(info.dim):
            if m > 0 or law.brake == 0:
                work.row[law.row[m]].lam += (law.sign if m == 0 else 1.0) * work.touch[c].force[m]


@jit
def express(model, t, state, settings, work, out):
    """Close the state to be saved, find contact forces and accelerations, write its channels; return a code."""
    y = work.stage[Y_OUT]
    normalise_in(model.info[0].planar, model.info[0].bodies, y)
    for c in range(len(model.contact)):
        k = work.touch[c]
        k.held = 1 if (k.carry or model.contact[c].brake) and settings.located else 0
        k.stuck = k.stay if model.contact[c].brake else 0
    evaluate_closed_rows(model, t, y, state.memory, work)
    look_at_near(model, settings, state.memory, work)
    evaluate_held(model, state.memory, work)
    pierced = hold_overlaps(model, state.memory, settings, work)
    worst, which, rate, soft, count = close_state(model, t, y, state.memory, settings, work)
    for _ in range(3):  # closing some may lead others through their walls
        if not hold_overlaps(model, state.memory, settings, work):
            break
        pierced = True
        evaluate_held(model, state.memory, work)
        worst, which, rate, soft, count = close_state(model, t, y, state.memory, settings, work)
    if pierced:  # they were only to be pushed out: they carry no force
        for c in range(len(model.contact)):
            k = work.touch[c]
            k.held = 1 if (k.carry or model.contact[c].brake) and settings.located else 0
        count = build_problem(model, soft, work)
    soft = soft if model.info[0].plain != 0 else max(soft, 1)
    code = CONTINUE
    if worst <= WORST * settings.tolerance:
        work.tally[WORST_POSITION] = max(work.tally[WORST_POSITION], worst)
        work.tally[WORST_VELOCITY] = max(work.tally[WORST_VELOCITY], rate)
    else:
        code = judge(worst, which, rate, settings, work.tally)
    if code == CONTINUE:
        if settings.located == 0:
            evaluate_gaps(model, state.memory, work)
            mean_forces(model, work)
        elif contact_forces(model, t, work.tally[STEP_DONE], y, state.memory, soft, count, work) != 0:
            return CONTACT_FAILED
        accelerate(model, t, y, state.memory, soft, work, work.stage[DY_OUT])
        observe(model, t, y, state.memory, state.clock[0].energy0, work, out)
        if not finite(out):
            code = NOT_FINITE
    return code
