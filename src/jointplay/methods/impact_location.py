"""Where a step meets its first wall: tries of a given size, the search, and the way out of a crowd of impacts.

The gap of each contact is a function of the step size; its first zero is found by Newton's method, contact by contact,
within a bracket, from the cubic through gaps and rates at both ends; steps of it know the bend of the gap, so that each
leaves the third power of an error. Every try is a whole step from the same start, and gaps are watched inside of it as
well (methods/watch.py): a wall that another try meets earlier comes first.
"""

from __future__ import annotations

import numpy as np

from ..arrays import DRIFT, DY_NEW, HOLD, MOVED, MOVED_TURN, SLOTS, Y_NEW
from ..assemble.closed import evaluate_closed_rows
from ..assemble.kinematics import place_bodies
from ..assemble.rigid_contacts import evaluate_gaps, look_at_gap
from ..codes import Code
from ..numerics.jit import jit, link
from .extrapolate import judging_step, trusted, two_halves
from .moreau_midpoint import glide, take_contact, take_contacts
from .watch import FINE, NOTHING, left_by_closing, passed_here, set_floor

CONTINUE = int(Code.CONTINUE)
NEAR = 100.0  # of the finest gap: one that counts as closed
ROUNDING = 4e-16  # of the time
TRIES = 100
NEWTONS = 15  # tries after which the bracket is halved


@jit
def start_over(model, span, state, settings, work):
    """Contacts, counters and floors for a try of size h from the state."""
    tally, h = work.tally, span[1]
    tally[DRIFT], tally[MOVED], tally[MOVED_TURN] = state.clock[0].drift, 0.0, 0.0
    left = left_by_closing(model, settings)
    for c in range(len(model.contact)):
        take_contact(model, c, state.memory, work)
        set_floor(model, c, left, state.memory, settings, work)
    if settings.step == 0.0 or h < (1.0 - 1e-9) * settings.step:  # not simply the next step: look at every gap
        for c in range(len(model.contact)):
            work.touch[c].slack = 0.0


@link
def attempt_fixed(model, span, glide, state, settings, work):
    """``attempt`` of a fixed step, by ``glide``."""
    t, h = span
    start_over(model, span, state, settings, work)
    new, rates, trust = work.stage[Y_NEW], work.stage[DY_NEW], trusted(h, state.clock[0].last)
    code = glide(model, (t, h, trust), (state.y, state.dy, new, rates), state.memory, settings, work)
    if code != CONTINUE:
        return code, NOTHING
    return code, passed_here(model, h, 0, (state.y, state.dy), (new, rates), settings, state.memory, work)


@jit
def attempt(model, span, state, settings, work):
    """A whole step (fixed) or two half steps (controlled, methods/extrapolate.py) into work.stage[Y_NEW].

    Returns (code, fraction of the step by which the first wall is passed, or NOTHING).
    """
    if settings.step > 0.0:
        return attempt_fixed(model, span, glide, state, settings, work)
    start_over(model, span, state, settings, work)
    if settings.extrapolate != 0:
        code = judging_step(model, span, state, settings, work)
        if code != CONTINUE:
            return code, NOTHING
    return two_halves(model, span, state, settings, work)


@jit
def crowd(model, span, state, settings, work):
    """A step that takes all contacts along which it meets: for impacts too entangled to be resolved singly.

    Each joins with w u_E + gap / h >= 0 and no rebound, as in OptimalStep, until none is pierced; gaps are closed
    afterwards. Dissipative, of order 1, and always to be had.
    """
    t, h = span
    take_contacts(model, state.memory, work)
    evaluate_closed_rows(model, t, state.y, state.memory, work)
    evaluate_gaps(model, state.memory, work)
    for c in range(len(model.contact)):
        k = work.touch[c]
        k.before, k.known = max(k.gap, 0.0), 0
        k.joins = 1 if k.held else 0
    new, rates = work.stage[Y_NEW], work.stage[DY_NEW]
    code = CONTINUE
    for _ in range(10):
        for c in range(len(model.contact)):
            k = work.touch[c]
            k.held = k.joins
            k.leeway = 0.0 if model.contact[c].brake else k.before / h
            k.slack = 0.0
            k.amount = 0.0
        code = glide(model, (t, h, 0.0), (state.y, state.dy, new, rates), state.memory, settings, work)
        more = False
        for c in range(len(model.contact)):
            k = work.touch[c]
            if not k.joins and k.held == 0 and model.contact[c].scale * k.gap < -settings.tolerance:
                k.joins = 1
                more = True
        if not more or code != CONTINUE:
            break
    for c in range(len(model.contact)):
        work.touch[c].leeway = 0.0
    return code


@jit
def starts_closed(model, c, state, settings, work):
    """True if contact c, which is not held, begins the step at its wall without leaving it."""
    t = work.touch[c]
    held = state.memory[model.info[0].turns + SLOTS * c + HOLD] != 0.0
    closed = model.contact[c].scale * t.before <= NEAR * FINE * settings.tolerance
    return not held and closed and t.rise <= 0.0


@jit
def first_zero(before, rise, far, fall, h):
    """Instant at which the cubic through gaps and rates at both ends falls to zero; far < 0 <= before.

    From the parabola without the last rate, or the chord.
    """
    bend = (far - before - rise * h) / (h * h)
    root = rise * rise - 4.0 * bend * before
    x = before / (before - far)
    if root >= 0.0:
        # of the two roots the one at which the gap falls
        steep = 0.5 * (np.sqrt(root) + abs(rise))
        s = -steep / bend if rise > 0.0 else before / steep
        x = s / h if np.isfinite(s) and 0.0 < s <= h else x
    drop = far - before
    a, b = 3.0 * drop - h * (2.0 * rise + fall), h * (rise + fall) - 2.0 * drop
    low, high = 0.0, 1.0
    for _ in range(NEWTONS):
        value, slope = before + x * (h * rise + x * (a + x * b)), h * rise + x * (2.0 * a + 3.0 * b * x)
        if value > 0.0:
            low = x
        else:
            high = x
        better = x - value / slope if slope < 0.0 else 0.5 * (low + high)
        better = better if low < better < high else 0.5 * (low + high)
        if abs(better - x) <= 1e-12 * x:
            break
        x = better
    return x * h


@jit
def first_guess(model, h, state, settings, work):
    """Earliest instant at which a pierced contact meets its wall, by the cubic; h is where it is known to be through.

    Leaves gaps there (far) and at the start of the step, with their rates (before, rise).
    """
    place_bodies(model.info[0].bodies, state.y, work.kin)
    s = h
    for c in range(len(model.contact)):
        t = work.touch[c]
        if model.contact[c].brake:
            continue
        through, fall = t.held == 0 and t.seen and t.gap < -t.floor, t.rate
        t.far = t.gap if through else 0.0
        t.before, t.rise = look_at_gap(model, c, state.memory, work)
        t.known = 1
        if not through:
            continue
        if starts_closed(model, c, state, settings, work):
            s = 0.0
        elif state.memory[model.info[0].turns + SLOTS * c + HOLD] != 0.0:  # let go in this step, and back at the wall
            s = min(s, 0.5 * h)
        else:
            s = min(s, first_zero(max(t.before, 0.0), t.rise, t.far, fall, h))
    return max(0.0, s)


@jit
def mark_met(model, floor, state, settings, work):
    """Mark the contacts that are at their walls and were to go through them, and no others; True if there are any."""
    found = False
    for c in range(len(model.contact)):
        t = work.touch[c]
        t.met = 0  # of a step that was not taken
        if t.held == 0 and t.far < 0.0 and t.seen and t.rate < 0.0 and model.contact[c].scale * t.gap <= floor:
            t.met = 1
            found = True
    return found


@jit
def mark_start(model, instant, state, settings, work):
    """Mark the contacts that go through their walls at the very start of the step, or so soon that it is one."""
    for c in range(len(model.contact)):
        t = work.touch[c]
        soon = t.before <= instant * max(abs(t.rise), 1e-300) or model.contact[c].scale * t.before <= (
            NEAR * FINE * settings.tolerance
        )
        t.met = 1 if t.far < 0.0 and soon else 0


@jit
def next_guess(model, at, through, work):
    """First instant at which a contact that goes through its wall meets it, by Newton from gaps and rates at ``at``.

    Contacts that are not through any more are no longer looked for.
    """
    x = np.inf
    for c in range(len(model.contact)):
        k = work.touch[c]
        if through and not (k.seen and k.held == 0 and k.gap < -k.floor):
            k.far = 0.0
        elif through:
            k.far = k.gap
        if k.far < 0.0 and k.seen and k.held == 0 and k.rate < 0.0:
            off = k.gap / k.rate
            x = min(x, at - off * (1.0 + 0.5 * off * (k.rate - k.rise) / (at * k.rate)))
    return x


@jit
def strikes_at_start(model, state, settings, work):
    """Mark the contacts that are at their walls at the start and go on into them; True if there are any."""
    place_bodies(model.info[0].bodies, state.y, work.kin)
    found = False
    for c in range(len(model.contact)):
        t, k = work.touch[c], model.contact[c]
        t.met = 0
        if k.brake == 0 and (not t.known or k.scale * t.before <= NEAR * FINE * settings.tolerance):
            t.before, t.rise = look_at_gap(model, c, state.memory, work)
            t.known = 1
            if starts_closed(model, c, state, settings, work) and t.rise < 0.0:
                t.met, found = 1, True
    return found


@jit
def locate(model, cut, h, state, settings, work):
    """Shorten a step that passes a wall by its fraction ``cut`` until the first wall is just met.

    Returns (code, size of the step, 1 if it ends at a wall). A size of 0: walls are met at the start.
    """
    t = state.clock[0].t
    fine, instant = FINE * settings.tolerance, ROUNDING * max(t, h)
    if strikes_at_start(model, state, settings, work):
        return CONTINUE, 0.0, 1
    # a dip inside: step to where the gap is through, so that the end shows it; closer and closer if that is not first
    high = cut * h
    code = CONTINUE
    for _ in range(TRIES):
        if cut == 1.0 or (settings.step == 0.0 and cut == 0.5):
            break
        code, cut = attempt(model, (t, high), state, settings, work)
        if code != CONTINUE or cut > 1.0:
            return code, high, 0
        high *= cut
    low = 0.0
    s = first_guess(model, high, state, settings, work)
    for iteration in range(TRIES):
        if s <= instant:
            mark_start(model, instant, state, settings, work)
            return CONTINUE, 0.0, 1
        code, cut = attempt(model, (t, s), state, settings, work)
        if code != CONTINUE:
            return code, s, 0
        through = cut <= 1.0
        if not through and mark_met(model, fine, state, settings, work):
            return CONTINUE, s, 1
        if high - low <= 4.0 * instant:
            # the gap jumps over its wall within rounding of the time
            if not through:
                mark_met(model, np.inf, state, settings, work)
                return CONTINUE, s, 1
            s = low
            continue
        if through:
            high = cut * s
        else:
            low = s
        x = next_guess(model, high if through else s, through, work)
        s = x if iteration < NEWTONS and low < x < high else 0.5 * (low + high)
    mark_met(model, np.inf, state, settings, work)
    return CONTINUE, s, 1
