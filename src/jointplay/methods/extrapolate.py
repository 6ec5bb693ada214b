"""A controlled step of Moreau: one step of h and two of h/2 from the same start, whose leading errors cancel.

A midpoint step errs by C h^3, two halves of it by C h^3 / 4 (methods/moreau_midpoint.py). So a third of their
difference is the error of the halves; added to them, it leaves an error of h^4,

    y = y_halves + (y_halves - y_whole) / 3,      positions in the middle:  + (y_halves - y_whole) / 6

of order 3 over a run. Joints and closed contacts stay closed: what the two ends differ by is squared there.

The leading errors cancel only if C is the same for both. Two things would spoil that.

* A step meets the rates of joints and closed contacts at its end with rows of its middle, up to c h^2. Such a rate is
  no error of the motion, the next step meets it anew, but the positions of the second half would begin with it. So it
  is taken out between the halves, with the friction that goes with it. Then it shifts the ends of both steps in the
  ratio 4, and cancels too.
* Forces and joints look at the velocity in the middle, which is a guess from an acceleration: u_A + h/2 a. With a_1 and
  a_2, the means over the two halves, a = a_2 + (a_2 - a_1) / 2 for the whole step and the first half that follow, and
  a = 2 a_1 - a_A for the second half. Where the last step is no guide (after an impact, or a much shorter step) the
  mean that a first try of the whole step has found has to do, once.

A closed contact lets go where its force, a straight line through the means over both halves, falls to zero; steps end
there. So do they where friction turns back or gives way (methods/changeover.py).
Improved steps leave rates of order h^3 in joints and closed contacts; these are taken out where they would matter, as a
contact lets go and before an impact (clear_rates). Halves are left as they are where a contact begins to hold, to slide
or to turn back under way: what happens at one instant has no expansion in h. Nor are they improved in models where the
friction of joints follows their reactions.
"""

from __future__ import annotations

import numpy as np

from ..arrays import (
    ANSWER,
    CHANGES_OVER,
    DEFECT,
    DEFECT_MOST,
    DRIFT,
    DY_NEW,
    EARLY,
    FORCE_N,
    FORCE_S,
    FORCE_T,
    FREE,
    HOLD,
    IMPROVED,
    IMPULSE,
    LAM,
    MOVED,
    MOVED_TURN,
    NONE,
    SLOTS,
    STAGE,
    TOO_SOON,
    Y_NEW,
)
from ..assemble.closed import evaluate_closed_rows, factorise, look_at_closed_rows, worst_row
from ..assemble.kinematics import normalise, position_rates
from ..assemble.rigid_contacts import (
    build_problem,
    evaluate_gap,
    look_at_gap,
    note_gap,
    set_free,
    spread,
    work_of_drives,
)
from ..codes import Code
from ..numerics.cones import MATRIX
from ..numerics.jit import jit
from ..numerics.newton import solve_dense
from .changeover import (
    OPEN,
    SLIDING,
    STICKING,
    find_release,
    inside_cone,
    keep_early,
    keeps_turning,
    mode_of,
    note_halves,
    note_let_go,
    note_lost,
    press_on,
    stuck_before,
    turns_at_start,
    turns_back,
)
from .moreau_midpoint import apply_impulses, close_up, closing_of, find_impulses, glide, take_contacts
from .watch import NOTHING, keep_middle, passed

# Lines of Work.stage: the state in the middle of two half steps and its rates, that at the end of the whole step.
HALF, HALF_RATES, COARSE, COARSE_RATES = range(4)
CONTINUE = int(Code.CONTINUE)
REDUNDANT = 1e-10  # of a diagonal entry: contacts that depend on each other share what they hold
ROUNDING = 4e-16
SOON = 5.0  # of the last step: one that its acceleration is a guide for


@jit
def trusted(h, last):
    """1 if the last acceleration serves a step of size h; over a much shorter step it may be an impulse in disguise."""
    return 1.0 if h <= SOON * last else 0.0


@jit
def goes_on(model, c, h, later, memory, work):
    """True if contact c did in the last glide what it did in the step before: it sticks as it did, or slides that way.

    A contact that comes to rest, turns back or breaks loose does so at one instant of the step. One that turns back by
    its very start goes on from there, and what it loses until then is noted (methods/changeover.py). ``h``: size of the
    glide; ``later``: it is the second half, and follows the first.
    """
    stuck, mode = stuck_before(model, c, memory), mode_of(model, c, memory, work)
    if mode == STICKING or (mode == SLIDING and stuck):
        return stuck and mode == STICKING
    if later:
        return mode != SLIDING or keeps_turning(model, c, h, memory, work)
    return mode != SLIDING or not turns_back(model, c, memory, work) or turns_at_start(model, c, h, work)


@jit
def same_modes(model, h, later, memory, work):
    """True if every contact did in the last glide what it did in the whole step, and in the step before."""
    for c in range(len(model.contact)):
        if mode_of(model, c, memory, work) != work.touch[c].mode or not goes_on(model, c, h, later, memory, work):
            return False
    return True


@jit
def starts_anew(model, h, memory, work):
    """True if a contact has turned back at the start of the last glide: accelerations jumped there."""
    for c in range(len(model.contact)):
        if mode_of(model, c, memory, work) == SLIDING and not stuck_before(model, c, memory):
            if turns_back(model, c, memory, work) and turns_at_start(model, c, h, work):
                return True
    return False


@jit
def look_again(model, memory, work):
    """Take the contacts as they are at the start: another glide follows from there."""
    take_contacts(model, memory, work)
    for c in range(len(model.contact)):
        work.touch[c].slack = 0.0


@jit
def whole_step(model, span, state, settings, work):
    """The step of size h into the lines COARSE, with what contacts did in it; returns a code."""
    t, h = span
    tally, coarse, rates = work.tally, work.stage[STAGE + COARSE], work.stage[STAGE + COARSE_RATES]
    kept = tally[DRIFT]
    trust = trusted(h, state.clock[0].last)
    code = glide(model, (t, h, trust), (state.y, state.dy, coarse, rates), state.memory, settings, work)
    if trust != 0.0 and settings.extrapolate != 0 and code == CONTINUE and starts_anew(model, h, state.memory, work):
        # the last acceleration is none of this step; from here as if the run went on from a saved state
        state.clock[0].last, trust = 0.0, 0.0
        look_again(model, state.memory, work)
        tally[DRIFT] = kept
        code = glide(model, (t, h, trust), (state.y, state.dy, coarse, rates), state.memory, settings, work)
    if trust == 0.0 and settings.extrapolate != 0 and code == CONTINUE:
        look_again(model, state.memory, work)
        tally[DRIFT] = kept
        code = glide(model, (t, h, 1.0), (state.y, rates, coarse, rates), state.memory, settings, work)
    tally[DRIFT] = kept
    for c in range(len(model.contact)):
        k = work.touch[c]
        k.mode, k.rough, k.rough_known = mode_of(model, c, state.memory, work), k.gap, k.seen
        k.rough_amount = k.amount
    return code


@jit
def is_met(model, c, m, work):
    """True if component m of contact c has no velocity."""
    t, law = work.touch[c], model.contact[c]
    if t.place == NONE or (law.brake and m == 0):
        return False
    return m == 0 or t.mode == STICKING


@jit
def drag_of(model, c, m, work):
    """Friction along m for a normal impulse of 1; 0 where it sticks.

    In a plane as in the half step before. In space against the sliding velocity of the instant, which has turned since:
    rates of order h^2 times the turn would leave an error of order h^3 that the whole step does not have.
    """
    t, law, dim = work.touch[c], model.contact[c], model.info[0].dim
    if law.brake or t.mode != SLIDING or not t.impulse[0] > 0.0:
        return 0.0
    if dim == 3:
        u, v = work.problem[FREE, dim * t.place + 1], work.problem[FREE, dim * t.place + 2]
        speed = np.sqrt(u * u + v * v)
        if speed > 0.0:
            return -law.mu * (u if m == 1 else v) / speed
    return t.impulse[m] / t.impulse[0]


@jit
def hold_rates(model, count, work):
    """Impulses in problem[ANSWER] that take out the rates of closed contacts, along the wall too where they stick.

    Contacts that slide rub under them, as they do under all impulses of a step.
    """
    dim, lines, answer = model.info[0].dim, work.pivot, work.problem[ANSWER]
    for a in range(dim * count):
        for b in range(dim * count):
            lines[MATRIX + a, b] = 0.0
        lines[MATRIX + a, a], answer[a] = 1.0, 0.0
    for c in range(len(model.contact)):
        for m in range(dim):
            if is_met(model, c, m, work):
                a = dim * work.touch[c].place + m
                answer[a] = -work.problem[FREE, a]
                lines[MATRIX + a, a] = REDUNDANT * work.delassus[a, a]
                for d in range(len(model.contact)):
                    for n in range(dim):
                        if is_met(model, d, n, work):
                            b = dim * work.touch[d].place
                            lines[MATRIX + a, b + n] += work.delassus[a, b + n]
                            for o in range(1, dim if n == 0 else 1):
                                lines[MATRIX + a, b] += drag_of(model, d, o, work) * work.delassus[a, b + o]
    solved = solve_dense(dim * count, lines, MATRIX, answer)
    for a in range(dim * count):
        answer[a] = answer[a] if solved else 0.0
    for c in range(len(model.contact)):
        for m in range(1, dim):
            if work.touch[c].place != NONE and not is_met(model, c, m, work):
                a = dim * work.touch[c].place
                answer[a + m] = drag_of(model, c, m, work) * answer[a]


@jit
def take_rates(model, t, half, memory, work):
    """Take the rates of joints and closed contacts out of the velocities of a state (smallest change).

    The impulses that do so count like those of a step: in friction, in its losses, and in the work of drives.
    """
    bodies, shift = model.info[0].bodies, 7 * (model.info[0].bodies - 1)
    dim, last = model.info[0].dim, len(half) - 1
    evaluate_closed_rows(model, t, half, memory, work)
    soft = factorise(model, 0.0, work)
    for b in range(1, bodies):
        for m in range(6):
            work.kin[b].unknown[m] = half[shift + 6 * (b - 1) + m]
    find_impulses(model, 0.0, soft, work)
    apply_impulses(model, work)
    for k in range(len(model.driven)):
        half[last - 1] -= work.vector[LAM, model.driven[k]] * work.row[model.driven[k]].drift
    any_held = False
    for c in range(len(model.contact)):
        if work.touch[c].held:
            any_held = True
            slack = work.touch[c].slack
            evaluate_gap(model, c, memory, work)
            work.touch[c].slack = slack
    if any_held:
        count = build_problem(model, soft, work)
        set_free(model, 0.0, 0.0, work)
        hold_rates(model, count, work)
        spread(model, count, work)
        half[last - 1] += work_of_drives(model, soft, work)
        for c in range(len(model.contact)):
            k = work.touch[c]
            if k.place != NONE and model.contact[c].brake == 0:
                k.amount += k.impulse[0]
                for m in range(1, dim):
                    half[last] -= k.impulse[m] * work.problem[FREE, dim * k.place + m]
    for b in range(1, bodies):
        for m in range(6):
            half[shift + 6 * (b - 1) + m] = work.kin[b].unknown[m]


@jit
def clear_rates(model, state, work):
    """Take the rates of joints and closed contacts that the last step has left (of order h^3) out of the state.

    Over any ordinary step they are nothing. But a rate lets a closed contact fly for an instant if the step is short or
    the force about to vanish, and at an impact it would look like an approach.
    """
    turns = model.info[0].turns
    take_contacts(model, state.memory, work)
    for c in range(len(model.contact)):
        k, law = work.touch[c], model.contact[c]
        slot = state.memory[turns + SLOTS * c : turns + SLOTS * (c + 1)]
        stuck = k.stuck != 0 if law.brake else inside_cone(law.mu, slot[FORCE_N], slot[FORCE_T], slot[FORCE_S])
        k.mode = OPEN if k.held == 0 else STICKING if stuck else SLIDING
        k.place, k.known = NONE, 0
        for m in range(3):
            k.impulse[m] = slot[FORCE_N + m]
    take_rates(model, state.clock[0].t, state.y, state.memory, work)
    for c in range(len(model.contact)):
        state.memory[turns + SLOTS * c + IMPULSE] += work.touch[c].amount
    position_rates(model.info[0].bodies, state.y, state.dy)


@jit
def residual_of(model, state, work):
    """Residual of joints and closed contacts at the state (m)."""
    evaluate_closed_rows(model, state.clock[0].t, state.y, state.memory, work)
    worst, _ = worst_row(model, work)
    for c in range(len(model.contact)):
        k = model.contact[c]
        if k.brake == 0 and state.memory[model.info[0].turns + SLOTS * c + HOLD] != 0.0:
            evaluate_gap(model, c, state.memory, work)
            worst = max(worst, k.scale * abs(work.touch[c].gap))
    return worst


@jit
def can_improve(model):
    """False where friction follows reactions, which differ by c h between the steps: it would not cancel."""
    if model.info[0].rubs > 0:
        return False
    for c in range(len(model.contact)):
        if model.contact[c].rub != NONE:
            return False
    return True


@jit
def close_end(model, t, state, settings, work):
    """Close joints and held contacts at the end of the pair if they have drifted apart; gaps there follow.

    Rows and factor are those of the last half step.
    """
    new, count = work.stage[Y_NEW], 0
    look_at_closed_rows(model, t, new, state.memory, work)
    worst, _ = worst_row(model, work)
    for c in range(len(model.contact)):
        k = work.touch[c]
        if k.place != NONE:
            count += 1
        if k.seen:
            gap, rate = look_at_gap(model, c, state.memory, work)
            note_gap(k, gap, rate)
        if k.place != NONE and k.held and model.contact[c].brake == 0:
            worst = max(worst, model.contact[c].scale * abs(k.gap))
    limit = closing_of(model, settings)
    if worst > limit:
        close_up(model, t, new, (count, 1), 0.1 * limit, state.memory, work)
        position_rates(model.info[0].bodies, new, work.stage[DY_NEW])


@jit
def combine(model, h, state, work):
    """Improve the two halves by the whole step.

    Half the difference is the error of the middle where a step errs by C h^3 throughout. Work that drives and closed
    contacts do on the rates at the ends of steps is of order h^2, and the middle, whose rates are taken out, has none.
    """
    bodies, shift = model.info[0].bodies, 7 * (model.info[0].bodies - 1)
    half, first = work.stage[STAGE + HALF], work.stage[STAGE + HALF_RATES]
    new, second, coarse = work.stage[Y_NEW], work.stage[DY_NEW], work.stage[STAGE + COARSE]
    clean = len(model.driven) == 0
    for c in range(len(model.contact)):
        clean = clean and work.touch[c].place == NONE
    ledger, integrals = len(new) - 2, len(new) - model.info[0].integrals
    for m in range(len(new)):
        off = (new[m] - coarse[m]) / 3.0
        new[m] += off
        if m < shift or integrals <= m < ledger or (clean and m >= ledger):
            half[m] += 0.5 * off
    for m in range(shift, shift + 6 * (bodies - 1)):
        mean = (new[m] - half[m]) / (0.5 * h)
        second[m] = mean + 0.5 * (mean - first[m])
    normalise(bodies, half)
    normalise(bodies, new)
    position_rates(bodies, half, first)
    position_rates(bodies, new, second)
    for c in range(len(model.contact)):
        work.touch[c].amount += (work.touch[c].amount - work.touch[c].rough_amount) / 3.0


@jit
def error_of_positions(model, h, state, settings, work):
    """Largest difference of the positions to Simpson's rule for their rates, in tolerances: at least, at most.

    It is h/3 times the error of the pair's velocities; rates of joints and contacts that both steps leave behind do not
    show there.
    """
    y, dy, new, rates = state.y, state.dy, work.stage[Y_NEW], work.stage[DY_NEW]
    middle, length = work.stage[STAGE + HALF_RATES], model.info[0].length
    place, turn = settings.atol + settings.rtol * length, settings.atol / length + settings.rtol
    moved, turned = work.tally[MOVED], work.tally[MOVED_TURN]  # by closing joints and contacts under way: no error
    most, least = 0.0, 0.0
    for b in range(model.info[0].bodies - 1):
        for m in range(7):
            n = 7 * b + m
            off = abs(new[n] - y[n] - h / 6.0 * (dy[n] + 4.0 * middle[n] + rates[n])) - 8.0 * ROUNDING * abs(new[n])
            most = max(most, off / (place if m < 3 else turn))
            least = max(least, (off - moved) / place if m < 3 else (off - turned) / turn)
    return least, most


@jit
def judging_step(model, span, state, settings, work):
    """The whole step of an improved pair, which comes first; returns a code."""
    work.tally[IMPROVED], work.tally[EARLY], work.tally[CHANGES_OVER] = 0, 2.0, 2.0
    code = whole_step(model, span, state, settings, work)
    if code == CONTINUE:
        work.tally[TOO_SOON] = 0.0
        note_let_go(model, span[1], state.memory, work)
        note_lost(model, span[1], state.memory, work)
    return code


@jit
def two_halves(model, span, state, settings, work):
    """A controlled step into work.stage[Y_NEW]; its whole step stands in the lines COARSE if pairs are improved.

    Returns (code, fraction of the step by which the first wall is passed, or NOTHING).
    """
    t, h = span
    tally = work.tally
    tally[IMPROVED], tally[CHANGES_OVER], tally[TOO_SOON] = 0, 2.0, 0.0
    y, dy, memory = state.y, state.dy, state.memory
    half, half_rates = work.stage[STAGE + HALF], work.stage[STAGE + HALF_RATES]
    new, rates, mean = work.stage[Y_NEW], work.stage[DY_NEW], work.stage[STAGE + COARSE_RATES]
    trust, smooth, guess = trusted(h, state.clock[0].last), settings.extrapolate != 0, half_rates
    follows = trust != 0.0
    smooth = smooth and can_improve(model)
    if settings.extrapolate != 0:
        look_again(model, memory, work)
        if trust == 0.0:
            dy, trust = mean, 1.0
    code = glide(model, (t, 0.5 * h, trust), (y, dy, half, half_rates), memory, settings, work)
    if code != CONTINUE:
        return code, NOTHING
    x = passed(model, 0.5 * h, 0, (y, state.dy), (half, half_rates), settings, memory, work)
    if x <= 1.0:
        return code, 0.5 * x
    keep_middle(model, work)
    smooth = smooth and same_modes(model, 0.5 * h, 0, memory, work)
    if settings.extrapolate != 0:
        keep_early(model, work)
        note_halves(model, h, 0, memory, work)
    if smooth:
        note_lost(model, h, memory, work)
        take_rates(model, t + 0.5 * h, half, memory, work)
        guess = mean
        for m in range(7 * (model.info[0].bodies - 1), len(y)):
            if m < 13 * (model.info[0].bodies - 1):
                half_rates[m] = (half[m] - y[m]) / (0.5 * h)
            mean[m] = half_rates[m] + (half_rates[m] - dy[m] if follows else 0.0)
    code = glide(model, (t + 0.5 * h, 0.5 * h, 1.0), (half, guess, new, rates), memory, settings, work)
    if code != CONTINUE:
        return code, NOTHING
    if settings.extrapolate != 0:
        note_halves(model, h, 1, memory, work)
    if smooth and same_modes(model, 0.5 * h, 1, memory, work):
        tally[IMPROVED] = 1
        find_release(model, h, work)
        press_on(model, work)
        combine(model, h, state, work)
        tally[DEFECT], tally[DEFECT_MOST] = error_of_positions(model, h, state, settings, work)
    if settings.extrapolate != 0:
        close_end(model, t + h, state, settings, work)
    x = passed(model, 0.5 * h, 1, (half, half_rates), (new, rates), settings, memory, work)
    return code, 0.5 + 0.5 * x if x <= 1.0 else NOTHING
