"""The run loop that all one-step methods share: step, save what lies inside the step, commit.

A step stays *pending* until everything that lies inside it has been saved; only then does it become the State. So a
State is always the start of a step, and a run that goes on from it takes the very same step again.
"""

from __future__ import annotations

import numpy as np

from ..arrays import (
    CAP,
    CULPRIT,
    DENSE,
    DETAIL,
    DY_NEW,
    DY_OUT,
    EVENT_COUNT,
    HALT,
    LARGEST_TURN,
    MARKS,
    PENDING,
    STEP_DONE,
    STEP_END,
    STEP_NEXT,
    STEPS,
    WHOLE,
    WORST_POSITION,
    WORST_VELOCITY,
    Y_NEW,
    Y_OUT,
)
from ..assemble.compliant_contacts import find_pad_gap
from ..assemble.dynamics import accelerate, derivative, press
from ..assemble.kinematics import finite_in_plane, keep_in, normalise, place_bodies
from ..assemble.observe import observe, remember
from ..assemble.projection import project
from ..codes import Code
from ..numerics.jit import jit, part
from ..numerics.vec import copy
from .compliant_events import at_end, change_over, follow, side_of, start_gap, turn_over, waiting
from .events import watching
from .peaks import ALL, MOTION, NOW, keep_all, keep_motion

WORST = 1000.0  # of the tolerance: residuals that a step with redundant contacts may leave behind
COUNTED = 0.3  # rad, turn after which angles are looked at to count turns
CONTINUE, NOT_FINITE, PROJECTION_FAILED = int(Code.CONTINUE), int(Code.NOT_FINITE), int(Code.PROJECTION_FAILED)
HALTED = int(Code.HALTED)


@jit
def judge(worst, which, rate, settings, tally):
    """Code for a projection that left the residual ``worst`` in row ``which``; keeps the worst of all."""
    if not worst <= 100.0 * settings.tolerance:
        tally[CULPRIT] = which
        tally[DETAIL] = worst
        return PROJECTION_FAILED if np.isfinite(worst) else NOT_FINITE
    tally[WORST_POSITION] = max(tally[WORST_POSITION], worst)
    tally[WORST_VELOCITY] = max(tally[WORST_VELOCITY], rate)
    return CONTINUE


@jit
def set_pending(h, h_next, end, tally):
    """A step of size h until ``end`` lies in work.stage[Y_NEW] and [DY_NEW]; the next one may try h_next."""
    tally[PENDING] = 1
    tally[DENSE] = 0
    tally[WHOLE] = 1
    tally[STEP_DONE] = h
    tally[STEP_END] = end
    tally[STEP_NEXT] = h_next


@jit
def next_break(breaks, t):
    """First instant after t at which a signal is not smooth (infinity if there is none)."""
    after = t * (1.0 + 1e-14) + 1e-14
    low, high = 0, len(breaks)
    while low < high:
        middle = (low + high) // 2
        if breaks[middle] > after:
            high = middle
        else:
            low = middle + 1
    return breaks[low] if low < len(breaks) else np.inf


@jit
def ends_at(end, stop):
    """True if a step that ends at ``end`` was cut at the break ``stop``."""
    return stop < np.inf and abs(end - stop) <= 1e-14 * max(1.0, stop)


@jit
def break_at(breaks, t, end):
    """Number of the break at which a step from t that ends at ``end`` was cut; -1 if at none."""
    stop = next_break(breaks, t)
    if ends_at(end, stop):
        for k in range(len(breaks)):
            if breaks[k] == stop:
                return k
    return -1


@jit
def right_of(t):
    """An instant behind a break that no rounding takes back: t > 0.3 does not hold at 0.3 yet."""
    return t * (1.0 + 1e-15)


@jit
def finite(a):
    """True if all numbers are finite."""
    # 0 for finite numbers, else not a number; four sums that need not wait for each other
    p, q, r, s = 0.0, 0.0, 0.0, 0.0
    n = len(a) // 4
    for m in range(n):
        p += a[4 * m] * 0.0
        q += a[4 * m + 1] * 0.0
        r += a[4 * m + 2] * 0.0
        s += a[4 * m + 3] * 0.0
    for m in range(4 * n, len(a)):
        p += a[m] * 0.0
    return p + q + r + s == 0.0


@part
def step_is_finite(model, work):
    """True if the pending step ended with finite numbers."""
    new, rates, bodies = work.stage[Y_NEW], work.stage[DY_NEW], model.info[0].bodies
    if model.info[0].planar:
        return finite_in_plane(bodies, new) and finite_in_plane(bodies, rates)
    return finite(new) and finite(rates)


@jit
def save_state(model, t, state, settings, work, out):
    """Project the state to be saved, find its accelerations and write its channels; return a code."""
    y = work.stage[Y_OUT]
    normalise(model.info[0].bodies, y)
    worst, which, rate, soft = project(model, t, y, state.memory, settings.tolerance, work)
    code = judge(worst, which, rate, settings, work.tally)
    if code == CONTINUE:
        accelerate(model, t, y, state.memory, max(soft, 1), work, work.stage[DY_OUT])  # drift has moved the rows
        observe(model, t, y, state.memory, state.clock[0].energy0, work, out)
        if not finite(out):
            code = NOT_FINITE
    return code


@jit
def fastest_turn(bodies, y):
    """Bound of the angular velocity of all bodies, rad/s."""
    fastest = 0.0
    for b in range(bodies - 1):
        at = 7 * (bodies - 1) + 6 * b + 3
        fastest = max(fastest, abs(y[at]) + abs(y[at + 1]) + abs(y[at + 2]))
    return fastest


@jit
def commit(model, state, work, settings):
    """Make the pending step the state."""
    clock = state.clock[0]
    clock.step += int(work.tally[WHOLE])
    clock.h = work.tally[STEP_NEXT]
    clock.last = work.tally[STEP_DONE]
    work.tally[STEPS] += 1
    work.tally[PENDING] = 0
    at_break = ends_at(work.tally[STEP_END], next_break(model.breaks, clock.t))
    clock.t = work.tally[STEP_END]
    planar, bodies = model.info[0].planar, model.info[0].bodies
    keep_in(planar, bodies, work.stage[Y_NEW], state.y)
    keep_in(planar, bodies, work.stage[DY_NEW], state.dy)
    if at_break:  # seen from the right: a force or the speed of a drive may have jumped
        _, _, _, soft = project(model, right_of(clock.t), state.y, state.memory, settings.tolerance, work)
        press(model, state.memory, work)
        accelerate(model, right_of(clock.t), state.y, state.memory, soft, work, state.dy)
        for c in range(len(model.contact)):  # gaps have moved since the step ended
            work.touch[c].known, work.touch[c].slack = 0, 0.0
    if len(model.pad) > 0:
        update_pads(model, state, work, settings)
    turn = fastest_turn(model.info[0].bodies, state.y) * work.tally[STEP_DONE]
    work.tally[LARGEST_TURN] = max(work.tally[LARGEST_TURN], turn)
    clock.turned += max(clock.spin * work.tally[STEP_DONE], 2.0 * turn)
    if clock.turned > COUNTED or clock.step % 64 == 0:
        place_bodies(model.info[0].bodies, state.y, work.kin)
        clock.spin = remember(model, state.memory, work)
        clock.turned = 0.0


@jit
def update_pads(model, state, work, settings):
    """Compliant contacts at the new state: those that touch or leave change over, which changes the rates."""
    if settings.threshold == 0.0:
        follow(model, state, work)
    elif change_over(model, state, work):
        derivative(model, state.clock[0].t, state.y, state.memory, work, state.dy)


@jit
def nothing(model, state, work, settings):
    """What a method does that has nothing to do here."""
    return CONTINUE


ATTEMPTS = 30  # steps that may be taken again to meet the onset of a contact
SEARCH = 60  # iterations in which an instant is found on the interpolant
HALVINGS = 14  # and the place where a gap is least


def meeting(advance, interpolate):
    """Build the kernel that cuts the pending step where a compliant contact begins or ends (compliant_events.py)."""

    @part
    def gap_at(model, k, x, state, work):
        """Gap of pad k and its rate at the fraction x of the pending step, counted from the side where it is now."""
        interpolate(model, state, work, x)
        place_bodies(model.info[0].bodies, work.stage[Y_OUT], work.kin)
        z = work.stage[Y_OUT][13 * (model.info[0].bodies - 1) :]
        gap, rate = find_pad_gap(model.pad[k], model.relation, state.memory, z, work.kin, work.row)
        side = side_of(model, k, state.memory)
        return side * gap, side * rate

    @part
    def first_change(model, state, settings, work):
        """Fraction of the pending step at which the first pad changes over; 2 if none does."""
        threshold = settings.threshold
        at_end(model, state.memory, threshold, work)
        first = 2.0
        for k in range(len(model.pad)):
            high = work.press[k].hint
            if high < 0.0:
                continue
            through = side_of(model, k, state.memory) * work.press[k].end
            if high < 1.0:
                # the cubic only guesses where the gap is least: halve towards it until it is through, or not
                low, up = max(0.0, high - 0.25), min(1.0, high + 0.25)
                for _ in range(HALVINGS):
                    through, rate = gap_at(model, k, high, state, work)
                    if through < -threshold:
                        break
                    if rate < 0.0:
                        low = high
                    else:
                        up = high
                    high = 0.5 * (low + up)
                if through >= -threshold:
                    continue
            # between low (on its side) and high (through): a hundredth of the threshold beyond the wall, by regula
            # falsi; the end that stays twice counts half (Illinois)
            aim = -0.01 * threshold
            low, over = 0.0, side_of(model, k, state.memory) * start_gap(model, k, state.memory)
            over, through, stays = max(over, 0.0) - aim, through - aim, 0
            for iteration in range(SEARCH):
                x = low + (high - low) * over / (over - through)
                if iteration > 30 or not low < x < high:
                    x = 0.5 * (low + high)
                gap, _ = gap_at(model, k, x, state, work)
                if 2.0 * aim < gap < 0.0 or high - low <= 1e-15:
                    high = x
                    break
                if gap < aim:
                    high, through = x, gap - aim
                    over *= 0.5 if stays == 1 else 1.0
                    stays = 1
                else:
                    low, over = x, gap - aim
                    through *= 0.5 if stays == -1 else 1.0
                    stays = -1
            work.press[k].hint = high
            first = min(first, high)
        return first

    @part
    def meet(model, state, work, settings):
        """Take the pending step again, up to the first change, until no contact begins too deep; return a code.

        At most ATTEMPTS times; what is deeper then shows in tally[DEEPEST_ONSET].
        """
        code = CONTINUE
        for _ in range(ATTEMPTS):
            x = first_change(model, state, settings, work)
            h = work.tally[STEP_DONE]
            if x > 1.0:
                break
            instant = 1e-14 * max(1.0, state.clock[0].t)
            if x * h > instant:
                work.tally[CAP] = state.clock[0].t + min(x, 1.0 - 1e-6) * h
            else:  # at once: no step leads there
                turn_over(model, instant / h, state, work)
                derivative(model, state.clock[0].t, state.y, state.memory, work, state.dy)
            work.tally[PENDING] = 0
            code = advance(model, state, work, settings)
            work.tally[CAP] = np.inf
            if code != CONTINUE:
                break
        return code

    return meet


def stepping(begin, advance, interpolate, save=save_state, land=nothing, *, locates=False, here=None):
    """Build a run kernel from the kernels of a method.

    ``begin(model, state, work, settings)`` returns the first step to try; ``advance(model, state, work, settings)``
    leaves a pending step and returns a code; ``interpolate(model, state, work, x)`` fills work.stage[Y_OUT] at the
    fraction x of the pending step. Where it matters, ``save`` turns that into channels in its own way, and
    ``land(model, state, work, settings)`` acts on the state after the step (impacts); both return a code. A method that
    ``locates`` ends its steps at tally[CAP] if that comes first: there a compliant contact begins or ends. ``here`` is
    ``advance`` in a form that becomes part of the loop.
    """
    meet = meeting(advance, interpolate) if locates else nothing
    seek = watching(interpolate)
    take = here or advance

    @part
    def run(model, state, work, record, settings_array):
        settings = settings_array[0]
        clock = state.clock[0]
        tally = work.tally
        tally[CAP] = np.inf
        if tally[PENDING] == 0.0 and waiting(model, state.memory, settings.threshold):
            update_pads(model, state, work, settings)
        if clock.h == 0.0:
            clock.h = begin(model, state, work, settings)
        elif settings.step > 0.0 and clock.h != settings.step:  # a run of another step or method goes on
            clock.h, clock.origin, clock.step = settings.step, clock.t, 0
        budget = settings.budget
        while record.next[0] < len(record.times):
            if tally[PENDING] == 0.0:
                if budget == 0 or tally[EVENT_COUNT] > 0.5 * len(work.event) or tally[MARKS] > 0.5 * len(work.mark):
                    return CONTINUE
                budget -= 1
                code = take(model, state, work, settings)
                if code == CONTINUE and settings.threshold > 0.0 and len(model.pad) > 0:
                    code = meet(model, state, work, settings)
                if code == CONTINUE and not step_is_finite(model, work):
                    tally[PENDING] = 0
                    tally[CULPRIT] = -1
                    code = NOT_FINITE
                if code == CONTINUE and len(model.watch) > 0:
                    seek(model, state, work)
                if tally[STEP_END] > tally[HALT]:
                    pass  # the end of this step lies behind the end of the run
                elif code == CONTINUE and settings.peaks == ALL:
                    copy(work.stage[Y_NEW], work.stage[Y_OUT])
                    code = save(model, tally[STEP_END], state, settings, work, record.peaks[NOW])
                    if code == CONTINUE:
                        keep_all(model, tally[STEP_END], record.peaks, record.norms)
                elif code == CONTINUE and settings.peaks == MOTION:
                    keep_motion(model, tally[STEP_END], work.stage[Y_NEW], record.peaks)
                if code != CONTINUE:
                    return code
            # all saves that lie in the pending step, as far as there is room
            while record.next[0] < len(record.times):
                n = record.next[0]
                if record.times[n] > tally[HALT]:
                    return HALTED
                x = (record.times[n] - clock.t) / tally[STEP_DONE]
                if x > 1.0 + 1e-12:
                    break
                interpolate(model, state, work, x)
                code = save(model, record.times[n], state, settings, work, record.channels[n])
                if code != CONTINUE:
                    return code
                record.next[0] += 1
            if record.next[0] < len(record.times):
                commit(model, state, work, settings)
                code = land(model, state, work, settings)
                if code != CONTINUE:
                    return code
        return CONTINUE

    return run
