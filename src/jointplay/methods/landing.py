"""An improved pair of half steps that ends at the first wall, for little more than the pair itself.

A try that passes a wall is one that was too long, and so is every other on the way to the instant of the impact. Here
whole steps look for it, which cost one factorisation each and come first anyway (methods/extrapolate.py); once they
agree about it to LANDS of the step, the halves are taken, and the end of the pair is moved to where the wall is met.
Velocities follow the parabola through start, middle and end, positions its integral. The parabola errs by

    v''' h^3 e (1 + e) (1/2 + e) / 6,      e = d/h, d the way of the end,

which is 8 e of the error of the pair that judges it, v''' h^3 / 96. The middle is moved by d/2, so that it stays one.

Gaps are looked at after every move, and the wall is met as finely as by tries of the whole step
(methods/impact_location.py), which do it where this way does not lead to the end: where a contact changes over within
the step, or where a wall is reached and left again.
"""

from __future__ import annotations

import numpy as np

from ..arrays import DY_NEW, EARLY, HOLD, IMPROVED, SLOTS, STAGE, Y_NEW, Y_TRY
from ..assemble.kinematics import move, normalise, place_bodies, position_rates
from ..assemble.rigid_contacts import evaluate_gap, look_at_gap
from ..codes import Code
from ..numerics.jit import jit
from .extrapolate import HALF, HALF_RATES, can_improve, close_end, judging_step, two_halves
from .impact_location import ROUNDING, attempt, first_guess, mark_met, next_guess, start_over, strikes_at_start
from .share import error_of_instants
from .watch import FINE, NOTHING, passed

CONTINUE = int(Code.CONTINUE)
LANDS = 0.02  # of a step: how far whole steps may disagree about the instant
WHOLES = 6  # steps that look for the instant
MOVES = 8  # of the end
SURELY = 2.0  # times the way at the rate of the start: farther away, no wall is foreseen


@jit
def goes_through(model, work):
    """True if an open contact is behind its wall at the end of the last glide."""
    for c in range(len(model.contact)):
        k = work.touch[c]
        if model.contact[c].brake == 0 and k.held == 0 and k.seen and k.gap < -k.floor:
            return True
    return False


@jit
def on_parabola(first, middle, last, x):
    """Value at the fraction x of a step, from those at its start, middle and end."""
    return (1.0 - x) * (1.0 - 2.0 * x) * first + 4.0 * x * (1.0 - x) * middle + x * (2.0 * x - 1.0) * last


@jit
def carry_on(model, h, span, state, place, out, work):
    """Move a state of the pair from the fraction a to b of its step of size h: positions by the mean velocity, exactly.

    span = (a, b); velocities are those of the parabola at b.
    """
    a, b = span
    bodies, shift = model.info[0].bodies, 7 * (model.info[0].bodies - 1)
    half, new, u = work.stage[STAGE + HALF], work.stage[Y_NEW], work.stage[Y_TRY]
    for m in range(shift, shift + 6 * (bodies - 1)):
        first, middle, last = state.y[m], half[m], new[m]
        ends = on_parabola(first, middle, last, a) + on_parabola(first, middle, last, b)
        u[m] = (ends + 4.0 * on_parabola(first, middle, last, 0.5 * (a + b))) / 6.0
    move(bodies, place, u[shift:], (b - a) * h, out)
    normalise(bodies, out)


@jit
def move_end(model, h, way, state, work):
    """Let an improved pair of size h end ``way`` seconds later (or earlier), and its middle stay the middle."""
    bodies, shift = model.info[0].bodies, 7 * (model.info[0].bodies - 1)
    half, first = work.stage[STAGE + HALF], work.stage[STAGE + HALF_RATES]
    new, second, size = work.stage[Y_NEW], work.stage[DY_NEW], len(work.stage[Y_NEW])
    x = way / h
    carry_on(model, h, (0.5, 0.5 + 0.5 * x), state, half, half, work)
    carry_on(model, h, (1.0, 1.0 + x), state, new, new, work)
    inner = 13 * (bodies - 1)
    for m in range(shift, size):
        if inner <= m < size - model.info[0].integrals:  # of friction that follows reactions: no improved pairs
            continue
        start, middle, last = state.y[m], half[m], new[m]
        half[m] = on_parabola(start, middle, last, 0.5 + 0.5 * x)
        # the ledger by its powers at the end
        new[m] = on_parabola(start, middle, last, 1.0 + x) if m < size - 2 else last + way * second[m]
    for m in range(shift, inner):
        before, mean = (half[m] - state.y[m]) / (0.5 * (h + way)), (new[m] - half[m]) / (0.5 * (h + way))
        first[m], second[m] = before, mean + 0.5 * (mean - before)
    position_rates(bodies, half, first)
    position_rates(bodies, new, second)
    for c in range(len(model.contact)):
        k = work.touch[c]
        if model.contact[c].brake == 0:
            k.amount += 2.0 * x * k.impulse[0]
        for m in range(3):  # over half a step
            k.impulse[m] *= 1.0 + x
        k.middle += 0.5 * way * k.middle_rise


@jit
def note_through(model, work):
    """Contacts that are behind their walls at the end of the last glide are looked for."""
    for c in range(len(model.contact)):
        k = work.touch[c]
        if model.contact[c].brake == 0 and k.held == 0 and k.seen and k.gap < -k.floor:
            k.far = k.gap


@jit
def falls_in(gap, rate, bend):
    """Time after which a gap has fallen to zero, by its rate and half its acceleration; infinite if it does not."""
    root = rate * rate - 4.0 * bend * gap
    if root < 0.0:
        return np.inf
    steep = 0.5 * (np.sqrt(root) + abs(rate))
    if rate > 0.0:
        return -steep / bend if bend < 0.0 else np.inf
    return gap / steep if steep > 0.0 else np.inf


@jit
def foresee(model, h, state, work):
    """Earliest instant within h at which an open contact meets its wall, by gap, rate and acceleration at the start.

    h if there is none. Contacts that do are looked for (far); gaps at the start stand with all contacts afterwards.
    """
    bodies, turns, placed = model.info[0].bodies, model.info[0].turns, False
    shift, first = 7 * (bodies - 1), h
    for c in range(len(model.contact)):
        k, law = work.touch[c], model.contact[c]
        k.far = 0.0
        if law.brake:
            continue
        if not k.known:
            if not placed:
                place_bodies(bodies, state.y, work.kin)
                placed = True
            k.before, k.rise = look_at_gap(model, c, state.memory, work)
            k.known = 1
        away = k.before + SURELY * h * k.rise > 0.0 and k.before > SURELY * h * k.rise
        if away or state.memory[turns + SLOTS * c + HOLD] != 0.0:
            continue
        if not placed:
            place_bodies(bodies, state.y, work.kin)
            placed = True
        evaluate_gap(model, c, state.memory, work)
        row, bend = work.row[law.row[0]], 0.5 * work.row[law.row[0]].bias
        for m in range(6):
            if law.i > 0:
                bend += 0.5 * row.w[m] * state.dy[shift + 6 * (law.i - 1) + m]
            if law.j > 0:
                bend += 0.5 * row.w[6 + m] * state.dy[shift + 6 * (law.j - 1) + m]
        s = falls_in(max(k.before, 0.0), k.rise, law.sign * bend)
        if s < h:
            k.far = -1.0
            first = min(first, s)
    return first


@jit
def find_instant(model, t, h, guess, taken, state, settings, work):
    """Instant at which the first wall is met, by whole steps; the last of them stands in the lines COARSE.

    ``taken``: size of the one that stands there already, or 0. Returns (code, size of the last); a size of 0: this is
    not the way.
    """
    s = guess
    for _ in range(WHOLES):
        if not ROUNDING * max(t, h) < s <= h:
            break
        if abs(s - taken) <= LANDS * s:
            return CONTINUE, taken
        taken = s
        start_over(model, (t, s), state, settings, work)
        code = judging_step(model, (t, s), state, settings, work)
        if code != CONTINUE:
            return code, 0.0
        if work.tally[EARLY] <= 1.0:
            break
        note_through(model, work)
        s = next_guess(model, s, False, work)
    return CONTINUE, 0.0


@jit
def touch_down(model, t, h, taken, state, settings, work):
    """Halves of a whole step of size ``taken``, then moves of their end until the first wall is just met.

    Returns (code, size, 1 if it ends at a wall); a size of 0: this is not the way.
    """
    code, cut = two_halves(model, (t, taken), state, settings, work)
    if code != CONTINUE or work.tally[IMPROVED] == 0.0 or cut < 1.0:
        return code, 0.0, 0
    half, new = work.stage[STAGE + HALF], work.stage[Y_NEW]
    rates, late = work.stage[STAGE + HALF_RATES], work.stage[DY_NEW]
    size = taken
    for _ in range(MOVES):
        if cut > 1.0 and mark_met(model, FINE * settings.tolerance, state, settings, work):
            return code, size, 1
        note_through(model, work)
        x = next_guess(model, size, False, work)
        if not (abs(x - taken) <= 2.0 * LANDS * taken and x <= h):
            # the wall is farther away than the whole step gave: an ordinary step up to here
            return code, (taken if cut > 1.0 and size == taken else 0.0), 0
        move_end(model, size, x - size, state, work)
        size = x
        close_end(model, t + size, state, settings, work)
        cut = passed(model, 0.5 * size, 1, (half, rates), (new, late), settings, state.memory, work)
        if cut < 1.0:
            break
    return code, 0.0, 0


@jit
def descend(model, t, h, guess, taken, state, settings, work):
    """A step up to the first wall, about ``guess`` away and at most h: (code, size, 1 if it ends at a wall).

    A size of 0: this is not the way.
    """
    code, taken = find_instant(model, t, h, guess, taken, state, settings, work)
    if code != CONTINUE or taken == 0.0:
        return code, 0.0, 0
    return touch_down(model, t, h, taken, state, settings, work)


@jit
def reach(model, span, releases, state, settings, work):
    """A controlled step, up to the first wall if its whole step passes one.

    Returns (code, fraction by which a wall is passed, or NOTHING, size, 1 if it ends at a wall). A step in which
    contacts let go is left after its whole step if it must be taken again: once their rates are cleared (``releases`` =
    0), or, with minus the fraction, up to that instant, if it loses too much and may be cut (``releases`` = 1).
    """
    t, h = span
    if not can_improve(model):
        code, cut = attempt(model, span, state, settings, work)
        return code, cut, h, 0
    guess = foresee(model, h, state, work)
    if guess < h:
        code, size, strikes = descend(model, t, h, guess, 0.0, state, settings, work)
        if code == CONTINUE and size > 0.0:
            return code, NOTHING, size, strikes
    start_over(model, span, state, settings, work)
    code = judging_step(model, span, state, settings, work)
    early = work.tally[EARLY]
    if code != CONTINUE or (early <= 1.0 and releases == 0):
        return code, NOTHING, h, 0
    if early < 1.0 and releases == 1 and error_of_instants(model, span, state, settings, work) > 1.0:
        return code, -early, h, 0
    if early <= 1.0 or not goes_through(model, work):
        code, cut = two_halves(model, span, state, settings, work)
        return code, cut, h, 0
    if strikes_at_start(model, state, settings, work):
        return code, 1.0, h, 0
    guess = first_guess(model, h, state, settings, work)
    code, size, strikes = descend(model, t, h, guess, h, state, settings, work)
    if code == CONTINUE and size > 0.0:
        return code, NOTHING, size, strikes
    code, cut = attempt(model, span, state, settings, work)
    return code, cut, h, 0
