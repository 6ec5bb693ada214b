"""Contacts of a mechanism with joints: gaps, replies to unit impulses, and the contact problem.

A unit impulse along a contact row changes the velocities of all bodies by its *reply*, joints kept closed:

    reply = M^-1 w + M^-1 W^T x,      N x = -W M^-1 w,      N = W M^-1 W^T      (W: closed rows)

With the replies of the rows that take part, the relative velocities after the impulses r are

    u = q + D r,      D_ab = w_a . reply_b      (Delassus matrix)

which is the problem of numerics/contact.py. Open contacts take no part and cost nothing but their gap.

Joints may close a direction along a wall (a pin with play in space that cannot slide along its axis). What is left of
its reply is rounding, and friction there is whatever noise makes it, up to all that the cone allows. So such a
direction moves nothing but itself, a little: it takes friction where a drive makes it slide, and next to none else.

Velocities under way stand in ``kin.unknown`` (six numbers per body), so that they meet the products with W that exist.
"""

from __future__ import annotations

import numpy as np

from ..arrays import (
    ANSWER,
    BEFORE,
    CONTACT_ITERATIONS,
    CONTACT_SOLVES,
    FORCE_N,
    FREE,
    LAM,
    MU,
    NONE,
    RHS,
    SLOTS,
    WORST_CONTACT,
)
from ..numerics.cones import BEST, LAST, LIMITS, TOLERANCE, VELOCITY
from ..numerics.contact import solve
from ..numerics.few_contacts import solve_one
from ..numerics.jit import jit, link
from .closed import solve_rows
from .interactions import evaluate_relation, look_at_relation, product, product_in
from .joint_friction import normal_force, reaction, soft_reaction
from .kinematics import place_in
from .plane_contacts import LOCKED, YIELDS, fill_in_plane, in_plane, lock, respond_both

FAR = 1e300  # gap of a brake, which has no wall
SURELY = 1.01  # of a bound: what rounding and the closing of joints may add to it
LOADS = 60  # rounds in which loads of brakes and impulses agree
STICKS = 1.0 - 1e-10  # of the cone
ENOUGH = 1e-5  # relative residual of a contact problem that will do, where the solver wanted more


@jit
def evaluate_gap(model, c, memory, work):
    """Rows and gap of contact c at the bodies' present places."""
    k = model.contact[c]
    evaluate_relation(model.relation[k.relation], memory, work.kin, work.row)
    if k.brake:
        note_gap(work.touch[c], FAR, 0.0)
    else:
        note_gap(work.touch[c], k.sign * (work.row[k.row[0]].g - k.limit), gap_rate(model, c, work))


@jit
def note_gap(touch, gap, rate):
    """Keep a gap and its rate with a contact."""
    touch.gap, touch.rate, touch.seen = gap, rate, 1


@jit
def count_from_here(touch):
    """From a gap and a rate that are those of the end of a step: the motion uses the gap up."""
    touch.slack, touch.pace = touch.gap, abs(touch.rate)


@jit
def evaluate_gaps(model, memory, work):
    """Rows and gaps of all contacts at the bodies' present places."""
    for c in range(len(model.contact)):
        evaluate_gap(model, c, memory, work)


@jit
def look_at_gap(model, c, memory, work):
    """Gap of contact c and its rate at the bodies' present places; neither its rows nor its record change."""
    k = model.contact[c]
    if k.brake:
        return FAR, 0.0
    look_at_relation(model.relation[k.relation], memory, work.kin, work.row)
    row = work.row[k.row[0]]
    return k.sign * (row.g - k.limit), k.sign * row.rate


@jit
def look_at_gaps(model, memory, work):
    """Gaps of all contacts and their rates at the bodies' present places; rows stay what they were."""
    for c in range(len(model.contact)):
        gap, rate = look_at_gap(model, c, memory, work)
        note_gap(work.touch[c], gap, rate)


@jit
def look_at_near(model, settings, memory, work):
    """The same, but for contacts that the pending step keeps out of reach: what is known of these is a bound."""
    for c in range(len(model.contact)):
        t = work.touch[c]
        if t.known == 0 and t.slack > settings.tolerance:
            t.gap, t.seen = t.slack, 0
            continue
        gap, rate = look_at_gap(model, c, memory, work)
        note_gap(t, gap, rate)


@jit
def look_at_held(model, memory, work):
    """The same for contacts that are held, or were in the last contact problem."""
    for c in range(len(model.contact)):
        t = work.touch[c]
        if t.place != NONE or t.held:
            gap, rate = look_at_gap(model, c, memory, work)
            note_gap(t, gap, rate)


@jit
def paces_of(planar, bodies, body, y, new):
    """Sizes of v and w of a body in a step from the state y to ``new``: both ends added up, and their changes."""
    if body == 0:
        return 0.0, 0.0, 0.0, 0.0
    at = 7 * (bodies - 1) + 6 * (body - 1)
    if planar:
        v, w = abs(y[at]) + abs(new[at]) + abs(y[at + 1]) + abs(new[at + 1]), abs(y[at + 5]) + abs(new[at + 5])
        return v, w, abs(new[at] - y[at]) + abs(new[at + 1] - y[at + 1]), abs(new[at + 5] - y[at + 5])
    v, w, dv, dw = 0.0, 0.0, 0.0, 0.0
    for m in range(3):
        v += abs(y[at + m]) + abs(new[at + m])
        w += abs(y[at + 3 + m]) + abs(new[at + 3 + m])
        dv += abs(new[at + m] - y[at + m])
        dw += abs(new[at + 3 + m] - y[at + 3 + m])
    return v, w, dv, dw


@jit
def watch_gaps(model, h, y, new, least, settled, memory, work):
    """Gaps after a step of size h from the state y to ``new``; of contacts out of reach only a lower bound.

    A gap changes at most by the way of its points. Twice the mean of the speeds at both ends covers what they are in
    between. Over a wall of the ground only the way along its normal counts: the rate of the gap was seen when it was
    looked at last, and changes with the velocities of the body, |dv| + l |dw|, and while it turns, by l w^2 h. A gap
    that may be below ``least`` is looked at; bodies are put in their new places only then. Where joints and contacts
    have been ``settled`` at the end of the step, bodies are in place, and so are gaps of held contacts.
    """
    bodies, placed = model.info[0].bodies, settled
    last, v, w, dv, dw = NONE, 0.0, 0.0, 0.0, 0.0
    for c in range(len(model.contact)):
        k, t = model.contact[c], work.touch[c]
        if settled and (t.place != NONE or t.held):
            count_from_here(t)
            continue
        if t.held == 0 and k.lever[0] < FAR:
            if k.j != last:  # contacts of one joint stand together
                last = k.j
                v, w, dv, dw = paces_of(model.info[0].planar, bodies, k.j, y, new)
            if k.steady:
                t.pace += dv + k.lever[1] * (dw + 0.5 * h * w * w)
                t.slack -= SURELY * h * t.pace
            else:
                v_i, w_i, _, _ = paces_of(model.info[0].planar, bodies, k.i, y, new)
                t.slack -= h * (v_i + k.lever[0] * w_i + v + k.lever[1] * w)
            if t.slack > least:
                t.gap = t.slack
                t.seen = 0
                continue
        if not placed:
            placed = True
            place_in(model.info[0].planar, bodies, new, work.kin)
        gap, rate = look_at_gap(model, c, memory, work)
        note_gap(t, gap, rate)
        count_from_here(t)


@jit
def gap_rate(model, c, work):
    """Rate of the gap of contact c, with rows and velocities in place (kin.v, kin.w)."""
    k = model.contact[c]
    w, a, b = work.row[k.row[0]].w, work.kin[k.i], work.kin[k.j]
    if model.info[0].planar:
        x = w[0] * a.v[0] + w[1] * a.v[1] + w[5] * a.w[2]
        return k.sign * (x + w[6] * b.v[0] + w[7] * b.v[1] + w[11] * b.w[2])
    rate = 0.0 * w[0]
    for m in range(3):
        rate += w[m] * a.v[m] + w[3 + m] * a.w[m] + w[6 + m] * b.v[m] + w[9 + m] * b.w[m]
    return k.sign * rate


@jit
def find_gap_rates(model, work):
    """Rates of all gaps, with rows and velocities in place (kin.v, kin.w)."""
    for c in range(len(model.contact)):
        if model.contact[c].brake == 0:
            work.touch[c].rate = gap_rate(model, c, work)


@jit
def along(planar, w, u, i, j):
    """w . (u of body i, u of body j) for a flat line of six velocities per body."""
    a, b = 6 * i, 6 * j
    if planar:
        return w[0] * u[a] + w[1] * u[a + 1] + w[5] * u[a + 5] + w[6] * u[b] + w[7] * u[b + 1] + w[11] * u[b + 5]
    total = w[0] * u[a] + w[6] * u[b]
    for m in range(1, 6):
        total += w[m] * u[a + m] + w[6 + m] * u[b + m]
    return total


@jit
def respond(model, c, m, soft, work, place):
    """Reply of all bodies to a unit impulse along component m of contact c, and its echo in the joints."""
    out = work.reply[place]
    k = model.contact[c]
    sign = k.sign if m == 0 else 1.0
    w = work.row[k.row[m]].w
    closed, planar = model.info[0].bilateral, model.info[0].planar
    for n in range(len(out)):
        out[n] = 0.0
    a, b, i, j = model.body[k.i], model.body[k.j], 6 * k.i, 6 * k.j
    if planar:
        out[i], out[i + 1], out[i + 5] = sign * a.minv[0] * w[0], sign * a.minv[1] * w[1], sign * a.Jinv[2, 2] * w[5]
        out[j], out[j + 1], out[j + 5] = sign * b.minv[0] * w[6], sign * b.minv[1] * w[7], sign * b.Jinv[2, 2] * w[11]
    for n in range(0 if planar else 3):
        out[i + n] = sign * a.minv[n] * w[n]
        out[i + 3 + n] = sign * (a.Jinv[n, 0] * w[3] + a.Jinv[n, 1] * w[4] + a.Jinv[n, 2] * w[5])
        out[j + n] = sign * b.minv[n] * w[6 + n]
        out[j + 3 + n] = sign * (b.Jinv[n, 0] * w[9] + b.Jinv[n, 1] * w[10] + b.Jinv[n, 2] * w[11])
    if closed == 0:
        return
    free = sign * along(planar, w, out, k.i, k.j)
    rhs, lam, echo = work.vector[RHS], work.vector[LAM], work.echo[place]
    for r in range(closed):
        rhs[r] = -along(planar, work.row[r].w, out, model.row[r].i, model.row[r].j)
    solve_rows(model, soft, work)
    for r in range(closed):
        echo[r] = lam[r]
        s, v, i, j = lam[r], work.weighed[r], 6 * model.row[r].i, 6 * model.row[r].j
        if planar:
            out[i] += s * v[0]
            out[i + 1] += s * v[1]
            out[i + 5] += s * v[5]
            out[j] += s * v[6]
            out[j + 1] += s * v[7]
            out[j + 5] += s * v[11]
            continue
        for n in range(6):
            out[i + n] += s * v[n]
            out[j + n] += s * v[6 + n]
    if m > 0 and k.brake == 0 and sign * along(planar, w, out, k.i, k.j) <= LOCKED * free:
        lock(place, work)


@jit
def build_problem(model, soft, work):
    """Replies, Delassus matrix and friction coefficients of the held contacts; return how many there are."""
    dim, flat = model.info[0].dim, in_plane(model)
    count, brakes = 0, False
    for c in range(len(model.contact)):
        t = work.touch[c]
        t.place = NONE
        if t.held:
            t.place = count
            brakes = brakes or model.contact[c].brake != 0
            whole = flat and model.contact[c].brake == 0
            if whole:
                respond_both(model, c, soft, dim * count, work)
            for m in range(dim if not whole else 0):
                if m > 0 or model.contact[c].brake == 0:
                    respond(model, c, m, soft, work, dim * count + m)
                else:  # the given normal force of a brake moves nothing
                    for n in range(work.reply.shape[1]):
                        work.reply[dim * count, n] = 0.0
                    for n in range(work.echo.shape[1]):
                        work.echo[dim * count, n] = 0.0
            work.problem[MU, count] = model.contact[c].static if t.stuck else model.contact[c].mu
            count += 1
    if flat and not brakes:
        fill_in_plane(model, work)
        return count
    for c in range(len(model.contact)):
        if work.touch[c].place != NONE:
            fill_rows(model, c, dim, work)
    return count


@jit
def fill_rows(model, c, dim, work):
    """Rows of the Delassus matrix that belong to contact c."""
    k = model.contact[c]
    first = dim * work.touch[c].place
    for m in range(dim):
        line = work.delassus[first + m]
        w, sign = work.row[k.row[m]].w, k.sign if m == 0 else 1.0
        for d in range(len(model.contact)):
            place = work.touch[d].place
            if place == NONE:
                continue
            for n in range(dim):
                column = dim * place + n
                apart = (k.brake and m == 0) or (model.contact[d].brake and n == 0)
                line[column] = 0.0 if apart else sign * along(model.info[0].planar, w, work.reply[column], k.i, k.j)
    for m in range(1, 1 if k.brake else dim):
        line = work.delassus[first + m]
        if line[first + m] == 0.0:  # joints have closed it
            for n in range(len(line)):
                line[n] = 0.0
            line[first + m] = YIELDS * work.delassus[first, first]
    if k.brake:
        # its normal force is given: a row of its own that no motion reaches, scaled like its tangent
        work.delassus[first, first] = work.delassus[first + 1, first + 1]


@jit
def velocity_of(model, c, m, work):
    """Relative velocity of component m of contact c at the velocities in kin.unknown."""
    k = model.contact[c]
    sign = k.sign if m == 0 else 1.0
    w = work.row[k.row[m]].w
    return sign * product_in(model.info[0].planar, w, work.kin[k.i].unknown, work.kin[k.j].unknown)


@jit
def set_free(model, h, ahead, work):
    """q of the problem: velocities without contact forces in kin.unknown, rows to be met ``ahead`` seconds later.

    Brakes get the impulse load h as their normal one.
    """
    dim = model.info[0].dim
    for c in range(len(model.contact)):
        t, k = work.touch[c], model.contact[c]
        if t.place == NONE:
            continue
        first = dim * t.place
        for m in range(dim):
            if k.brake and m == 0:
                work.problem[FREE, first] = -t.load * h * work.delassus[first, first]
                continue
            sign = k.sign if m == 0 else 1.0
            bias = sign * work.row[k.row[m]].bias
            work.problem[FREE, first + m] = velocity_of(model, c, m, work) + ahead * bias


@jit
def start_from(model, memory, h, work):
    """Warm start: the forces of the last step."""
    dim, turns = model.info[0].dim, model.info[0].turns
    for c in range(len(model.contact)):
        place = work.touch[c].place
        if place != NONE:
            for m in range(dim):
                work.problem[ANSWER, dim * place + m] = h * memory[turns + SLOTS * c + FORCE_N + m]


@jit
def solve_contacts(model, count, work):
    """Impulses of the held contacts; return status and relative residual of the problem."""
    work.tally[CONTACT_SOLVES] += 1
    problem = work.problem
    status, residual, iterations = solve(
        model.info[0].dim, count, work.delassus, problem[FREE], problem[MU], problem[ANSWER], work.pivot
    )
    work.tally[CONTACT_ITERATIONS] += iterations
    if residual <= ENOUGH:
        status = 0
    if status == 0:
        work.tally[WORST_CONTACT] = max(work.tally[WORST_CONTACT], residual)
    return status, residual


@link
def solve_in_plane(model, count, work):
    """``solve_contacts`` in a plane; one contact that presses by its closed form, as a part of the caller."""
    problem = work.problem
    if count == 1 and problem[FREE, 0] < 0.0:
        q, r = problem[FREE], problem[ANSWER]
        solved, residual = solve_one(work.delassus, q, problem[MU, 0], r, work.pivot[LIMITS, TOLERANCE])
        if solved:
            work.tally[CONTACT_SOLVES] += 1
            work.tally[CONTACT_ITERATIONS] += 1
            work.tally[WORST_CONTACT] = max(work.tally[WORST_CONTACT], residual)
            return 0, residual
    return solve_contacts(model, count, work)


@jit
def press_brakes(model, h, joints, count, work):
    """Loads of brakes under the reaction of their joint, at the impulses in problem[ANSWER]; largest relative change.

    ``joints``: impulses of the closed rows without contacts. Reaction, normal force: assemble/joint_friction.py.
    """
    dim, rows, worst = model.info[0].dim, model.info[0].bilateral, 0.0
    total = work.vector[RHS]
    for r in range(rows):
        total[r] = joints[r]
        for a in range(dim * count):
            total[r] += work.problem[ANSWER, a] * work.echo[a, r]
        total[r] /= h
    for c in range(len(model.contact)):
        k, t = model.contact[c], work.touch[c]
        if k.rub == NONE:
            continue
        record = model.rub[k.rub]
        joint = model.joint[record.joint]
        R = reaction(joint, total, model.row, work.row, work.kin)
        S = soft_reaction(joint, model.row, work.row, work.kin)
        R = (R[0] + S[0], R[1] + S[1], R[2] + S[2], R[3] + S[3], R[4] + S[4], R[5] + S[5])
        load = normal_force(record, R, work.gradient) * record.lever[0]
        worst = max(worst, abs(load - t.load) / max(load, 1e-300))
        t.load = load
    return worst


@jit
def rests(model, c, work):
    """True if a brake does not slide under the impulses in problem[ANSWER]."""
    dim, place = model.info[0].dim, work.touch[c].place
    normal, drag = work.problem[ANSWER, dim * place], 0.0
    for m in range(1, dim):
        drag += work.problem[ANSWER, dim * place + m] ** 2
    return np.sqrt(drag) < STICKS * work.problem[MU, place] * normal


@jit
def solve_with_brakes(model, h, ahead, joints, count, work):
    """Contact problem whose brakes are pressed by reactions, which the contacts change: solved again until both agree.

    A brake that was at rest holds up to its static coefficient; once it slides in this step the other one counts.
    """
    status, residual = 0, 0.0
    for iteration in range(LOADS):
        if iteration == 0:
            for a in range(model.info[0].dim * count):
                work.problem[ANSWER, a] = 0.0
            press_brakes(model, h, joints, count, work)
        set_free(model, h, ahead, work)
        status, residual = solve_contacts(model, count, work)
        if status != 0:
            return status, residual
        change = press_brakes(model, h, joints, count, work)
        slips = False
        for c in range(len(model.contact)):
            t = work.touch[c]
            if (
                t.place != NONE
                and t.stuck
                and model.contact[c].static > model.contact[c].mu
                and not rests(model, c, work)
            ):
                t.stuck, slips = 0, True
                work.problem[MU, t.place] = model.contact[c].mu
        if change <= 1e-12 and not slips:
            break
    for c in range(len(model.contact)):
        t = work.touch[c]
        if model.contact[c].brake and t.place != NONE and not rests(model, c, work):
            stay_on_cone(model, t.place, work)
    return status, residual


@jit
def note_rest(model, work):
    """Which brakes stick under the impulses in problem[ANSWER]."""
    for c in range(len(model.contact)):
        t = work.touch[c]
        if model.contact[c].brake and t.place != NONE:
            t.stuck = 1 if rests(model, c, work) else 0


@jit
def stay_on_cone(model, place, work):
    """Friction of a sliding brake is mu times its load, whatever the solver has left."""
    dim, answer = model.info[0].dim, work.problem[ANSWER]
    drag = 0.0
    for m in range(1, dim):
        drag += answer[dim * place + m] ** 2
    if drag > 0.0:
        scale = work.problem[MU, place] * answer[dim * place] / np.sqrt(drag)
        for m in range(1, dim):
            answer[dim * place + m] *= scale


@jit
def spread(model, count, work):
    """Add the replies to the impulses found to the velocities in kin.unknown, and note the impulses of each contact."""
    dim = model.info[0].dim
    for a in range(dim * count):
        r = work.problem[ANSWER, a]
        if r != 0.0:
            line = work.reply[a]
            for b in range(1, len(work.kin)):
                for m in range(6):
                    work.kin[b].unknown[m] += r * line[6 * b + m]
    for c in range(len(model.contact)):
        t = work.touch[c]
        for m in range(3):
            t.impulse[m] = 0.0
        if t.place != NONE:
            for m in range(dim):
                t.impulse[m] = work.problem[ANSWER, dim * t.place + m]


@jit
def work_of_contacts(model, least, work):
    """Energy that impulses take, -sum r (u before + u after) / 2 with problem[BEFORE]; and -sum r u after.

    Each contact counts with ``least`` at least: over a step, what a contact seems to give is the scheme's own error.
    """
    dim = model.info[0].dim
    lost, late = 0.0, 0.0
    for c in range(len(model.contact)):
        if work.touch[c].place == NONE:
            continue
        for m in range(dim):
            if m == 0 and model.contact[c].brake:
                continue
            a = dim * work.touch[c].place + m
            after = velocity_of(model, c, m, work)
            lost += max(least, -0.5 * work.problem[ANSWER, a] * (work.problem[BEFORE, a] + after))
            late += max(least, -work.problem[ANSWER, a] * after)
    return lost, late


@jit
def solve_normals(model, count, work):
    """problem[ANSWER] = D^-1 of the line BEST of the scratch, on the normal rows of the held contacts.

    By conjugate gradients: as many steps as there are contacts, also where they depend on each other. Uses up the
    scratch of the contact solver.
    """
    dim = model.info[0].dim
    x, left, way, turned = work.problem[ANSWER], work.pivot[BEST], work.pivot[LAST], work.pivot[VELOCITY]
    if count == 1:  # what is left of a brake is zero
        x[0] = left[0] / work.delassus[0, 0] if work.delassus[0, 0] > 0.0 else 0.0
        return
    size = 0.0
    for a in range(count):
        x[a], way[a] = 0.0, left[a]
        size += left[a] ** 2
    aim = 1e-30 * size
    for _ in range(2 * count + 2):
        if not size > aim:
            break
        bend = 0.0
        for c in range(len(model.contact)):
            t = work.touch[c]
            if t.place == NONE:
                continue
            turned[t.place] = 0.0
            if model.contact[c].brake == 0 and t.held != 0:
                for b in range(count):
                    turned[t.place] += work.delassus[dim * t.place, dim * b] * way[b]
                bend += way[t.place] * turned[t.place]
        if not bend > 0.0:
            break
        far, before = size / bend, size
        size = 0.0
        for a in range(count):
            x[a] += far * way[a]
            left[a] -= far * turned[a]
            size += left[a] ** 2
        for a in range(count):
            way[a] = left[a] + size / before * way[a]


@link
def push_one_out(model, work):
    """``push_out`` of a single contact in a plane."""
    D, answer, line = work.delassus[0, 0], work.problem[ANSWER], work.reply[0]
    answer[0] = 0.0
    for c in range(len(model.contact)):
        t, k = work.touch[c], model.contact[c]
        if t.place != NONE and k.brake == 0 and t.held != 0 and D > 0.0:
            slip = product_in(1, work.row[k.row[0]].w, work.kin[k.i].shift, work.kin[k.j].shift)
            answer[0] = (t.gap - k.sign * slip) / D
    x = answer[0]
    for b in range(1, len(work.kin)):
        s = work.kin[b].shift
        s[0], s[1], s[5] = s[0] + x * line[6 * b], s[1] + x * line[6 * b + 1], s[5] + x * line[6 * b + 5]


@jit
def push_out(model, count, work):
    """Add to kin.shift what closes the held gaps as well (held rows of the last problem, gaps at the new places).

    shift closes the joints already; x with D x = gap - w . shift on the normal rows.
    """
    dim, planar, left = model.info[0].dim, model.info[0].planar, work.pivot[BEST]
    if planar and count == 1:
        push_one_out(model, work)
        return
    for a in range(count):
        left[a] = 0.0
    for c in range(len(model.contact)):
        t, k = work.touch[c], model.contact[c]
        if t.place != NONE and k.brake == 0 and t.held != 0:
            w, here, there = work.row[k.row[0]].w, work.kin[k.i].shift, work.kin[k.j].shift
            left[t.place] = t.gap - k.sign * product_in(planar, w, here, there)
    solve_normals(model, count, work)
    for a in range(count):
        line, x = work.reply[dim * a], work.problem[ANSWER, a]
        for b in range(1, len(work.kin)):
            s = work.kin[b].shift
            if planar:
                s[0], s[1], s[5] = s[0] + x * line[6 * b], s[1] + x * line[6 * b + 1], s[5] + x * line[6 * b + 5]
                continue
            for m in range(6):
                s[m] += x * line[6 * b + m]


@jit
def work_of_drives(model, soft, work):
    """Work that drives put in against the impulses r of the contacts: -sum p drift with N p = -W M^-1 w^T r."""
    if len(model.driven) == 0:
        return 0.0
    fact, kin = model.row[: model.info[0].bilateral], work.kin
    for b in range(len(kin)):
        for m in range(6):
            kin[b].shift[m] = 0.0
    for c in range(len(model.contact)):
        k, law = work.touch[c], model.contact[c]
        if k.place == NONE:
            continue
        for m in range(law.brake, model.info[0].dim):
            w, r = work.row[law.row[m]].w, k.impulse[m] * (law.sign if m == 0 else 1.0)
            for first, b in ((0, law.i), (6, law.j)):
                body, shift = model.body[b], kin[b].shift
                for n in range(3):
                    shift[n] += r * body.minv[n] * w[first + n]
                    for o in range(3):
                        shift[3 + n] += r * body.Jinv[n, o] * w[first + 3 + o]
    for n in range(len(fact)):
        work.vector[RHS, n] = -product(work.row[n].w, kin[fact[n].i].shift, kin[fact[n].j].shift)
    solve_rows(model, soft, work)
    given = 0.0
    for n in range(len(model.driven)):
        given -= work.vector[LAM, model.driven[n]] * work.row[model.driven[n]].drift
    return given
