"""Moreau: midpoint time stepping with rigid contacts (paper B), impacts located in time, order 2 between them.

One step of size h from (q_A, u_A) evaluates everything at the middle, q_M = q_A moved by h/2 u_A:

    u_E = u_A + M^-1 (h f_M + W_M^T P),      q_E = q_M moved by h/2 u_E                   (paper B eq. 36 to 44)
    joints            W_M u_E + drift + h/2 bias_M = 0
    held contacts     0 <= w_N u_E + h/2 bias  orthogonal to  P_N >= 0,  P_T in Coulomb's cone

The term h/2 bias moves the condition from M to E, which paper B leaves out; with it joints and closed contacts drift by
O(h^3) a step, and the scheme has order 2. What is left is taken out by the smallest change of positions.

A contact that opens is let go when its impulse vanishes. One that would be pierced ends the step: its instant is found
to rounding (methods/impact_location.py), and Newton's law with friction acts there (methods/impact.py),

    M (u+ - u-) = W^T Lambda,      0 <= u_N+ + e_N u_N-  orthogonal to  Lambda_N >= 0,  Lambda_T in the cone.

So there is no penetration to correct and no energy made by correcting it. Gaps are watched inside the step too
(methods/watch.py): a wall that is reached and left again between two ends is not missed.

``impacts="stepped"``: contacts with g_M <= 0 act over the whole step with their restitution, as in paper B; penetration
of O(h |u_N|) stays.

Error control (``rtol``): two steps of h/2 against one of h; a third of the difference is the error of the pair, and is
taken out of it (methods/extrapolate.py): order 3 between impacts. Errors of all steps add up, so each step gets its
share of the tolerance by the time that it covers,

    error <= SHARE max(h/(t + t0), EVENT) (atol + rtol size),      size: that of the mechanism for places, 1 for turns

which sums to SHARE times the logarithm of the time; t0 is the time in which the motion changes, so that the first steps
do not take all of it. The error of improved pairs is taken for h times that of the pair's velocities. Where a pair is
not improved, its own error counts; velocities are weighed with the step, and where friction or a contact changes over
with the time that they last: what happens at one instant is felt long after. Beside it the gap of an open contact may
be off by ROUGH sqrt(rtol) of its highest flight: play is small beside the mechanism. No body turns by more than a
radian in a step: turns are counted, and walls at angles are met. Steps follow loads and drives (methods/pace.py).

Impacts at one instant that find no end (parts wedged between walls) come to rest by force; if even that leaves them
striking, one step takes along all contacts that it meets without rebound, like OptimalStep. Both are counted, and a run
in which they occur reports that in its outcome.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import ClassVar

import numpy as np

from ..arrays import (
    CAP,
    CHANGES_OVER,
    CULPRIT,
    DEFECT,
    DEFECT_MOST,
    DRIFT,
    DY_NEW,
    EARLY,
    FORCED_LOSS,
    FORCED_RESTS,
    FORCED_STEPS,
    HALVES,
    HIGHEST,
    HOLD,
    IMPACTS,
    IMPROVED,
    MOVED,
    MOVED_TURN,
    REJECTIONS,
    RELEASE,
    RESTS,
    SLOTS,
    STAGE,
    STEP_DONE,
    STRIKES,
    TOO_SOON,
    WHOLE,
    WORST_GAP,
    Y_NEW,
    Y_OUT,
)
from ..assemble.closed import evaluate_closed_rows, factorise
from ..assemble.rigid_contacts import evaluate_gaps, find_gap_rates
from ..codes import Code, Regime
from ..laws.base import Law
from ..laws.impacts import NEWTON
from ..numerics.jit import jit, part
from .base import Method
from .changeover import OPEN
from .extrapolate import COARSE, HALF, HALF_RATES, clear_rates, look_again, residual_of, whole_step
from .impact import strike
from .impact_location import attempt, attempt_fixed, crowd, locate
from .landing import reach
from .moreau_midpoint import closing_of, glide_here, remember_contacts
from .moreau_output import express, overrun, press_anew
from .pace import follow_signals
from .share import IMPROVED_SHARE, error_of_instants, faintest, share_of
from .stepping import fastest_turn, next_break, set_pending, stepping
from .watch import NOTHING, between, keep_end

LINES = 4  # of Work.stage, methods/extrapolate.py
CONTINUE, ENDLESS = int(Code.CONTINUE), int(Code.ENDLESS_IMPACTS)
MANY = 1000  # impacts at one instant, after which contacts come to rest by force; twice as many: a crowd
TRIES = 5000  # attempts at one step
SAFETY = 0.8
STEADY = 0.5  # error after which an improved step is followed by one of its size
SOONEST = 0.003  # of a step: an instant before that is looked for in a shorter one
CUTS = 3  # of a step, to where contacts let go, give way or turn back
SHARE = 0.05  # of the tolerance
EASY = 50.0  # times ROUGH for these
ROUGH = 0.03  # of the highest flight of a contact, times the root of rtol: error of its gap
CLOSE = 10.0  # of the tolerance of the joints: a gap at the start that counts as closed
TURN = 1.0  # rad, in a controlled step
BEND = 11.0  # and times the fourth root of rtol
LONGEST = 0.01  # s, for the first step of all: later ones grow fourfold at most
ROUNDING = 4e-16


@jit
def note_motion(model, state):
    """Keep the largest speed and the largest acceleration, turns as the way of a point at the size of the mechanism."""
    bodies, length, clock = model.info[0].bodies - 1, model.info[0].length, state.clock[0]
    for b in range(bodies):
        for m in range(6):
            n, scale = 7 * bodies + 6 * b + m, 1.0 if m < 3 else length
            clock.speed = max(clock.speed, scale * abs(state.y[n]))
            clock.pull = max(clock.pull, scale * abs(state.dy[n]))


@jit
def changes(model, memory, work):
    """True if a contact opens or a brake begins to hold or to slide in the step that has just been kept."""
    turns = model.info[0].turns
    for c in range(len(model.contact)):
        held = memory[turns + SLOTS * c + HOLD] != 0.0
        if held != (work.touch[c].stay != 0):
            return True
    return False


@jit
def error_of_pair(model, span, state, settings, work):
    """Error of the pair of half steps, a third of its difference to the whole step, beside what it may contribute."""
    t, h = span
    coarse, new = work.stage[STAGE + COARSE], work.stage[Y_NEW]
    bodies, length = model.info[0].bodies - 1, model.info[0].length
    share = 3.0 * SHARE * share_of(model, span, state)
    # one scale for places (the size of the mechanism) and one for turns; velocities count by the way that they lead
    lasts = h
    if changes(model, state.memory, work):  # what happens at one instant is felt as long as a velocity lasts
        clock = state.clock[0]
        lasts = min(max(h, clock.speed / clock.pull if clock.pull > 0.0 else 0.0), t + h)
    place, turn = settings.atol + settings.rtol * length, settings.atol / length + settings.rtol
    # joints that were closed in one of them but not in the other: a correction of earlier drift, no error of the step
    moved, turned = work.tally[MOVED], work.tally[MOVED_TURN]
    faint = faintest(state) if settings.extrapolate != 0 else 0.0
    worst = 0.0
    for b in range(bodies):
        for m in range(7):
            off = abs(new[7 * b + m] - coarse[7 * b + m])
            noise = 8.0 * ROUNDING * abs(new[7 * b + m]) + (moved if m < 3 else turned)
            worst = max(worst, max(0.0, off - noise) / (share * (place if m < 3 else turn)))
        for m in range(6):
            n = 7 * bodies + 6 * b + m
            off = max(0.0, abs(new[n] - coarse[n]) - 8.0 * ROUNDING * abs(new[n]) - faint / (1.0 if m < 3 else length))
            worst = max(worst, lasts * off / (share * (place if m < 3 else turn)))
    return worst


@jit
def error_of(model, span, state, settings, work):
    """Error of a controlled step, relative to what it may contribute; and the power of the step that this goes with."""
    if work.tally[IMPROVED] != 0.0:
        # h times the error of the pair's velocities
        scale = 3.0 / (IMPROVED_SHARE * share_of(model, span, state))
        worst = scale * work.tally[DEFECT]
        if worst <= 1.0:  # corrections hide it: go on with steps of this size
            worst = max(worst, min(scale * work.tally[DEFECT_MOST], STEADY))
        power, easy = 3.0, EASY
    else:
        if settings.extrapolate == 0:
            look_again(model, state.memory, work)
            if whole_step(model, span, state, settings, work) != CONTINUE:
                return np.inf, 2.0
        worst, power, easy = error_of_pair(model, span, state, settings, work), 2.0, 1.0
    if settings.extrapolate != 0:
        worst = max(worst, error_of_instants(model, span, state, settings, work))
    noise = 2.0 * closing_of(model, settings)  # of gaps, where joints are closed so far
    for c in range(len(model.contact)):
        k, highest = work.touch[c], state.memory[model.info[0].turns + SLOTS * c + HIGHEST]
        if model.contact[c].brake == 0 and k.known and k.rough_known and k.mode == OPEN and k.last < highest:
            off = max(0.0, abs(k.rough - k.last) - noise / model.contact[c].scale)
            worst = max(worst, off / (3.0 * easy * ROUGH * np.sqrt(settings.rtol) * highest))
    return worst, power


@jit
def first_step(model, state, settings):
    """A step that moves little: a hundredth of the size of the mechanism, or of what its accelerations do to it."""
    bodies, length = model.info[0].bodies - 1, model.info[0].length
    fast, hard = 0.0, 0.0
    for b in range(bodies):
        for m in range(6):
            n = 7 * bodies + 6 * b + m
            scale = 1.0 if m < 3 else length
            fast, hard = max(fast, scale * abs(state.y[n])), max(hard, scale * abs(state.dy[n]))
    h = 1e-3
    if fast > 0.0 or hard > 0.0:
        h = 0.01 / max(fast / length, np.sqrt(hard / length))
    return min(settings.h_max, h, LONGEST)


@jit
def begin(model, state, work, settings):
    """A first step; contacts that are closed and not opening at the start are held."""
    note_motion(model, state)
    evaluate_closed_rows(model, state.clock[0].t, state.y, state.memory, work)
    evaluate_gaps(model, state.memory, work)
    find_gap_rates(model, work)
    turns = model.info[0].turns
    for c in range(len(model.contact)):
        t, k = work.touch[c], model.contact[c]
        # assembled to the tolerance of the joints, which is wider than what an impact is located to
        resting = k.scale * t.gap <= CLOSE * settings.tolerance and abs(t.rate) <= 1e-12
        if k.brake:
            resting = abs(slip(k, work.kin, work.row)) <= 1e-12
        else:
            state.memory[turns + SLOTS * c + HIGHEST] = max(t.gap, 0.0)
        state.memory[turns + SLOTS * c + HOLD] = 1.0 if resting else 0.0
    h = settings.step if settings.step > 0.0 else first_step(model, state, settings)
    if settings.extrapolate != 0:
        state.clock[0].drift = residual_of(model, state, work)
        state.clock[0].last = h if press_anew(model, h, factorise(model, 0.0, work), state, work) else 0.0
    return h


@jit
def slip(k, kin, row):
    """Sliding speed of a brake."""
    w, a, b, total = row[k.row[1]].w, kin[k.i], kin[k.j], 0.0
    for m in range(3):
        total += w[m] * a.v[m] + w[3 + m] * a.w[m] + w[6 + m] * b.v[m] + w[9 + m] * b.w[m]
    return total


@part
def keep_contact(model, c, often, work):
    """Keep what the pending step found out about contact c; its last part took 1 / often."""
    k = work.touch[c]
    k.stay, k.total = (k.stuck if model.contact[c].brake else k.held), k.amount
    for m in range(3):
        k.force[m] = k.impulse[m] * often
    k.carry = 1 if k.impulse[0] > 0.0 else 0
    k.last = k.gap
    keep_end(k)


@jit
def keep_touch(model, h, work):
    """Keep what the pending step (its last part of size h) found out: saves and the judging step use the scratch."""
    often = 1.0 / h
    for c in range(len(model.contact)):
        keep_contact(model, c, often, work)


@part
def note_depth(model, c, work):
    """How deep contact c is at the end of an accepted step."""
    if model.contact[c].brake == 0:
        work.tally[WORST_GAP] = max(work.tally[WORST_GAP], -work.touch[c].last)


@jit
def keep_step(model, h, h_next, end, strikes, work):
    """The step in work.stage[Y_NEW] is the pending one."""
    set_pending(h, h_next, end, work.tally)
    work.tally[STRIKES] = 1 if strikes else 0
    for c in range(len(model.contact)):
        note_depth(model, c, work)


@jit
def strike_clear(model, forced, state, work, settings):
    """Impact after an improved step: what is left of rates in closed contacts is no approach; returns a code."""
    for c in range(len(model.contact)):
        if model.contact[c].brake == 0 and state.memory[model.info[0].turns + SLOTS * c + HOLD] != 0.0:
            clear_rates(model, state, work)
            break
    code, soft = strike(model, forced, state, work, settings)
    state.clock[0].drift = residual_of(model, state, work)
    # accelerations jump with velocities
    h = state.clock[0].h
    state.clock[0].last = h if press_anew(model, h, soft, state, work) else 0.0
    return code


@jit
def strike_here(model, forced, state, work, settings):
    """Impact at the start of a step; contacts at their walls that nothing happens to are held."""
    turns = model.info[0].turns
    for c in range(len(model.contact)):
        work.touch[c].was_met = work.touch[c].met
    before = work.tally[IMPACTS] + work.tally[RESTS] + work.tally[FORCED_RESTS]
    if settings.extrapolate != 0:
        code = strike_clear(model, forced, state, work, settings)
    else:
        code, _ = strike(model, forced, state, work, settings)
    if work.tally[IMPACTS] + work.tally[RESTS] + work.tally[FORCED_RESTS] == before:
        for c in range(len(model.contact)):
            if work.touch[c].was_met:
                state.memory[turns + SLOTS * c + HOLD] = 1.0
                state.clock[0].last = 0.0 if settings.extrapolate != 0 else state.clock[0].last  # another acceleration
    return code


@jit
def size_of_try(model, h_try, grid, state, settings, work):
    """Size and end of the next try, and 1 if it ends on the grid of a fixed step."""
    clock = state.clock[0]
    if settings.step > 0.0:
        whole = h_try >= (1.0 - 1e-12) * (grid - clock.t)
        end = grid if whole else clock.t + h_try
        return end - clock.t, end, whole
    stop = min(next_break(model.breaks, clock.t), work.tally[CAP])
    spin = fastest_turn(model.info[0].bodies, state.y)
    # what is saved inside is interpolated: a cubic through Euler parameters errs by the fourth power of turns
    turn = min(TURN, BEND * np.sqrt(np.sqrt(settings.rtol)))
    end = clock.t + min(h_try, settings.h_max, turn / max(spin, 1e-300))
    if end * (1.0 + 1e-12) >= stop:
        end = stop
    h = end - clock.t
    followed = follow_signals(model, clock.t, h, work)
    if followed < h:
        end = clock.t + max(followed, 64.0 * ROUNDING * clock.t)
    return end - clock.t, end, False


@jit
def begin_try(tally):
    """Counters of a try."""
    tally[IMPROVED], tally[EARLY], tally[CHANGES_OVER], tally[TOO_SOON] = 0, 2.0, 2.0, 0.0


@jit
def advance(model, state, work, settings):
    """One step, or the part of it until walls are met; impacts at its very start are dealt with at once."""
    return advance_from(model, (False, CONTINUE, NOTHING), state, work, settings)


@part
def advance_here(model, state, work, settings):
    """``advance`` as a part of the run loop: most fixed steps meet no wall, and do not pass the whole model on."""
    clock = state.clock[0]
    tried, code, cut = False, CONTINUE, NOTHING
    end = clock.origin + (clock.step + 1) * settings.step
    size = end - clock.t
    if settings.step > 0.0 and size > 1e-9 * settings.step:
        begin_try(work.tally)
        code, cut = attempt_fixed(model, (clock.t, size), glide_here, state, settings, work)
        if code == CONTINUE and cut > 1.0:
            often = 1.0 / size
            for c in range(len(model.contact)):
                keep_contact(model, c, often, work)
                note_depth(model, c, work)
            set_pending(size, settings.step, end, work.tally)
            work.tally[STRIKES], work.tally[HALVES] = 0, 0
            return code
        tried = True
    return advance_from(model, (tried, code, cut), state, work, settings)


@jit
def advance_from(model, first, state, work, settings):
    """``advance`` after the first try of a fixed step: first = (True if it has been taken, its code, its cut)."""
    tried, code, cut = first
    clock, tally = state.clock[0], work.tally
    fixed = settings.step > 0.0
    grid = clock.origin + (clock.step + 1) * settings.step
    if fixed and grid - clock.t <= 1e-9 * settings.step:  # an impact at the very end of a step: go on with the next one
        clock.step += 1
        grid += settings.step
    h_try = grid - clock.t if fixed else clock.h
    least = 1e-7 * settings.step if fixed else max(settings.h_min, 64.0 * ROUNDING * (clock.t + h_try))
    at_once, cuts, cleared, wish = 0, 0, False, h_try
    for _ in range(TRIES):
        size, end, whole = size_of_try(model, h_try, grid, state, settings, work)
        strikes, crowded = 0, at_once > 2 * MANY
        if not tried:
            begin_try(tally)
            cut = NOTHING
        if crowded:
            code = crowd(model, (clock.t, size), state, settings, work)
            last = len(state.y) - 1
            tally[FORCED_RESTS] += 1
            tally[FORCED_LOSS] += work.stage[Y_NEW, last] - state.y[last]
        elif tried:
            tried = False
        elif fixed or settings.extrapolate == 0:
            code, cut = attempt(model, (clock.t, size), state, settings, work)
        else:
            releases = 0 if not cleared else 1 if cuts < CUTS else 2
            code, cut, size, strikes = reach(model, (clock.t, size), releases, state, settings, work)
            if strikes or size < end - clock.t:
                end, whole = clock.t + size, False
        lets_go = tally[EARLY] <= 1.0 or (tally[IMPROVED] != 0.0 and tally[RELEASE] < 1.0)
        if code == CONTINUE and lets_go and not cleared:  # by its force, not by a rate that the last step has left
            clear_rates(model, state, work)
            cleared = True
            tally[REJECTIONS] += 1
            continue
        if code == CONTINUE and cut < 0.0:  # it ends where a contact lets go
            cuts += 1
            tally[REJECTIONS] += 1
            h_try = max(-cut * size, least)
            continue
        if code == CONTINUE and cut <= 1.0 and tally[EARLY] < 1.0 and cuts < CUTS:  # it would go through its wall
            cuts += 1
            tally[REJECTIONS] += 1
            h_try = max(tally[EARLY] * size, least)
            continue
        if code == CONTINUE and cut <= 1.0:
            code, size, strikes = locate(model, cut, size, state, settings, work)
            end, whole = clock.t + size, False
            if code == CONTINUE and size == 0.0:
                at_once += 1
                code = strike_here(model, at_once > MANY, state, work, settings)
                if code != CONTINUE:
                    return code
                continue
            if code == CONTINUE and tally[EARLY] <= 1.0 and not cleared:  # let go in a step that is short
                clear_rates(model, state, work)
                cleared = True
                continue
        error, power = 0.0, 2.0
        if code == CONTINUE:
            keep_touch(model, size if fixed or crowded else 0.5 * size, work)
            if not fixed and not crowded:
                error, power = error_of(model, (clock.t, size), state, settings, work)
                if error <= 1.0 and size > least:
                    if overrun(model, (end, size), work.stage[Y_NEW], state.memory, settings, work):
                        error = np.inf
                    elif settings.extrapolate != 0:
                        error = max(error, error_of_instants(model, (clock.t, size), state, settings, work))
        released = tally[RELEASE] if tally[IMPROVED] != 0.0 else 1.0
        if code == CONTINUE and released < 1.0 and cuts < CUTS:  # where a contact begins to pull
            cuts += 1
            tally[REJECTIONS] += 1
            for c in range(len(model.contact)):
                work.touch[c].known = 0
            h_try = released * size
            continue
        grow = 1.0
        if not fixed:
            grow = SAFETY * max(error, 1e-4) ** (-1.0 / power) if np.isfinite(error) else 0.2
        if code == CONTINUE and (error <= 1.0 or size <= 2.0 * least):
            # a step that an impact or a change of contacts cut short is no reason against longer ones
            short = (strikes or cuts > 0) and grow > 1.0
            h_next = max(wish, size * min(4.0, grow)) if short else size * min(4.0, max(0.3, grow))
            keep_step(model, size, settings.step if fixed else max(h_next, least), end, strikes, work)
            tally[WHOLE] = 1 if whole or not fixed else 0
            tally[HALVES] = 0 if fixed or crowded else 1
            tally[FORCED_STEPS] += 0 if error <= 1.0 else 1
            return CONTINUE
        tally[REJECTIONS] += 1
        for c in range(len(model.contact)):
            work.touch[c].known = 0
        if size <= 2.0 * least:
            return code
        h_try = max(0.5 * size if code != CONTINUE else size * min(0.9, max(0.2, grow)), least)
        # an improved step whose error has nothing to do with that instant need not end there
        matters = tally[IMPROVED] == 0.0 or error_of_instants(model, (clock.t, size), state, settings, work) > 1.0
        if code == CONTINUE and matters and cuts < CUTS and 4.0 * least < tally[CHANGES_OVER] * size < size:
            # the instant follows from the mean force over the step, which may be far from the force at its start
            cuts += 1 if tally[CHANGES_OVER] >= SOONEST else 0
            h_try = max(tally[CHANGES_OVER], SOONEST) * size
        else:
            wish = h_try
    nearest = np.inf
    for c in range(len(model.contact)):
        if work.touch[c].gap < nearest:
            nearest = work.touch[c].gap
            tally[CULPRIT] = c
    return ENDLESS


@jit
def land(model, state, work, settings):
    """After a step: remember the contacts, then let those strike that have met their walls."""
    remember_contacts(model, state.memory, work)
    state.clock[0].drift = work.tally[DRIFT]
    if not settings.step > 0.0:
        note_motion(model, state)
    if work.tally[STRIKES] != 0.0:
        work.tally[STRIKES] = 0
        if settings.extrapolate == 0:
            return strike(model, False, state, work, settings)[0]
        return strike_clear(model, False, state, work, settings)
    return CONTINUE


@jit
def interpolate(model, state, work, x):
    """The state at the fraction x of the pending step; one that consists of two halves is taken half by half."""
    h, out, positions = work.tally[STEP_DONE], work.stage[Y_OUT], 7 * (model.info[0].bodies - 1)
    if work.tally[HALVES] == 0.0:
        between(positions, h, x, (state.y, state.dy), (work.stage[Y_NEW], work.stage[DY_NEW]), out)
        return
    half = (work.stage[STAGE + HALF], work.stage[STAGE + HALF_RATES])
    new = work.stage[Y_NEW]
    if x <= 0.5:
        between(positions, 0.5 * h, 2.0 * x, (state.y, state.dy), half, out)
    else:
        between(positions, 0.5 * h, 2.0 * x - 1.0, half, (new, work.stage[DY_NEW]), out)
    if work.tally[IMPROVED] != 0.0:  # velocities and integrals by the parabola through all three
        a, b, c = (1.0 - x) * (1.0 - 2.0 * x), 4.0 * x * (1.0 - x), x * (2.0 * x - 1.0)
        for m in range(positions, len(out)):
            first, middle, last = state.y[m], half[0][m], new[m]
            falls = -3.0 * first + 4.0 * middle - last < 0.0 or first - 4.0 * middle + 3.0 * last < 0.0
            inner = positions + 6 * (model.info[0].bodies - 1) <= m < len(out) - model.info[0].integrals
            if not inner and not (m == len(out) - 1 and falls):  # what is lost never comes back
                out[m] = a * first + b * middle + c * last


_run = stepping(begin, advance, interpolate, express, land, locates=True, here=advance_here)


@jit
def run(model, state, work, record, settings):
    """Advance until the record is full or the budget is used; see methods/base.py."""
    return _run(model, state, work, record, settings)


@dataclass(frozen=True, repr=False)
class Moreau(Method):
    """Time stepping with rigid contacts: a fixed ``step``, or steps chosen by the error (``rtol``, ``atol``).

    ``threshold`` (m or rad): penetration with which a compliant contact may begin; fixed steps do not look for it.
    """

    key: ClassVar[str] = "moreau"
    order: ClassVar[int] = 2
    regimes: ClassVar[frozenset[Regime]] = frozenset({Regime.BILATERAL, Regime.FORCE, Regime.SET})
    run = staticmethod(run)
    stages: ClassVar[int] = LINES

    step: float = 0.0  # s; 0: chosen by the error
    rtol: float = 1e-6
    atol: float = 0.0  # m
    h_max: float = np.inf  # s
    h_min: float = 0.0  # s
    threshold: float = 1e-9  # m or rad
    impacts: str = "located"
    extrapolate: bool = True  # error control: take the error of a pair of half steps out of it

    def __repr__(self) -> str:
        """The options that count, exact: a fixed step has no tolerances."""
        shown, more = ["rtol", "atol"], ["h_max", "h_min", "threshold", "extrapolate"]
        if self.step > 0.0:
            shown, more = ["step"], ["impacts"]
        default = {one.name: one.default for one in fields(self)}
        return self.written(shown + [name for name in more if getattr(self, name) != default[name]])

    def __post_init__(self) -> None:
        if self.impacts not in ("located", "stepped"):
            raise ValueError(f"impacts must be 'located' or 'stepped', not {self.impacts!r}")
        if self.impacts == "stepped" and not isinstance(self.step, str) and not self.step > 0.0:
            raise ValueError("impacts='stepped' needs a fixed step")

    def objection(self, law: Law) -> str:
        """Over whole steps contacts rebound by Newton's law."""
        if self.impacts == "stepped" and law.regime is Regime.SET and law.unilateral().impact != NEWTON:
            return "knows Newton's law of impact only while impacts='stepped'; located impacts follow the others too"
        return ""

    def differentiated(self) -> Moreau:
        """Derivatives go through pairs of half steps as they are."""
        return replace(self, extrapolate=False)

    def settings(self, length: float) -> np.ndarray:
        """The record that the run kernel reads."""
        record = super().settings(length)
        record[0]["located"] = self.impacts == "located"
        record[0]["extrapolate"] = self.extrapolate and not self.step > 0.0
        if self.step > 0.0:
            record[0]["threshold"] = 0.0
        else:
            record[0]["closing"] = min(record[0]["closing"], 1e-4 * self.rtol * length)
        return record
