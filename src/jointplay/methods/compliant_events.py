"""Where compliant contacts begin and end: the instant is found in time, so that none starts deep and none is missed.

Within a step every pad is either open (no force, whatever the depth) or in touch (its law acts), by State.memory:
a step sees one smooth branch. Afterwards each pad is looked at:

    open, and its gap ends below -threshold, or dips there in between      it touches inside the step
    in touch, and its gap ends above +threshold, or rises there            it leaves inside the step

The instant follows from the interpolant of the step, and the step is taken again up to it; it is accepted only if no
contact begins deeper than the threshold (paper C sect. 2.1 demands the same of the step; here it is met by locating the
instant instead of by halving). At the accepted end pads change over, and one that touches keeps its speed, the onset
speed of laws with hysteresis.

The first step after a touch is no longer than a part of the time that the contact needs to turn the motion around:

    tau with N(v tau) tau = m v,      1/m = w M^-1 w

Pads whose law acts at any gap never change over: nothing begins or ends there.

Methods with fixed steps follow without locating: pads change over at the ends of steps.
"""

from __future__ import annotations

import numpy as np

from ..arrays import DEEPEST_ONSET, ONSET, ONSETS, PAD_GAP, PAD_RATE, PAD_SLOTS, SPARE, STEP_DONE, Y_NEW
from ..assemble.compliant_contacts import SLOW, answers_of, find_pad_gaps
from ..assemble.interactions import lightness
from ..assemble.kinematics import place_bodies
from ..numerics.jit import jit

PART = 0.25  # of the time that a contact takes, for its first step
NEARLY = 0.05  # of the change of a gap in a step: how near to the wall the cubic's minimum is looked at closely


@jit
def look(model, y, memory, work):
    """Gaps of all pads and their rates at the state y."""
    place_bodies(model.info[0].bodies, y, work.kin)
    z = y[13 * (model.info[0].bodies - 1) :]
    find_pad_gaps(model.pad, model.relation, memory, z, work.kin, work.row, work.press)


@jit
def lowest(g0, r0, g1, r1, h):
    """Minimum of the cubic through gaps and rates at both ends of a step: (fraction, value), or -1 if it is outside."""
    # g(x) = g0 + h r0 x + a x^2 + b x^3, and its minimum is where g'' = 2 root > 0
    rise = g1 - g0
    a, b = 3.0 * rise - h * (2.0 * r0 + r1), h * (r0 + r1) - 2.0 * rise
    square = a * a - 3.0 * b * h * r0
    if square < 0.0:
        return -1.0, g0
    root = np.sqrt(square)
    x = -h * r0 / (a + root) if a > 0.0 else (root - a) / (3.0 * b) if b != 0.0 else -1.0
    if not 0.0 < x < 1.0:
        return -1.0, g0
    return x, g0 + x * (h * r0 + x * (a + x * b))


@jit
def suspect(g0, r0, g1, r1, h, threshold):
    """Where a gap that should stay above -threshold may have gone below: 1 at the end, inside, or -1 nowhere."""
    if g1 < -threshold:
        return 1.0
    x, least = lowest(g0, r0, g1, r1, h)
    if x > 0.0 and least > NEARLY * (abs(g0) + abs(g1) + h * (abs(r0) + abs(r1))):
        return -1.0
    return x


@jit
def side_of(model, k, memory):
    """+1 for an open pad, -1 for one in touch."""
    return 1.0 if memory[model.info[0].pads + PAD_SLOTS * k + ONSET] < 0.0 else -1.0


@jit
def turn_time(model, k, speed, t, z, work):
    """Time in which the contact of pad k turns a motion of this speed around, as a free body would feel it."""
    c = model.pad[k]
    light = lightness(model.body, c.i, c.j, work.row[c.row[0]].w)
    tau = 1.0
    for _ in range(60):
        force, _, _, _, _ = answers_of(
            c, model.law, model.constant, speed * tau, 0.0 * speed, speed, 0.0, t, z, work.inner[SPARE], False
        )
        if force * tau * light <= speed:
            break
        tau *= 0.5
    return tau


@jit
def change_over(model, state, work):
    """Pads at the accepted state: remember gaps and rates, note what touches or leaves; return True if any did."""
    memory, first = state.memory, model.info[0].pads
    look(model, state.y, memory, work)
    changed = False
    for k in range(len(model.pad)):
        slot = memory[first + PAD_SLOTS * k : first + PAD_SLOTS * (k + 1)]
        gap, rate = work.press[k].gap, work.press[k].rate
        slot[PAD_GAP], slot[PAD_RATE] = gap, rate
        if model.pad[k].anywhere != 0:
            continue
        if slot[ONSET] <= 0.0 and gap <= 0.0:
            changed = True
            work.tally[ONSETS] += 1
            if slot[ONSET] < 0.0:  # else it is so from the start
                work.tally[DEEPEST_ONSET] = max(work.tally[DEEPEST_ONSET], -gap)
            slot[ONSET] = max(-rate, SLOW)
            if -rate > SLOW:
                z = state.y[13 * (model.info[0].bodies - 1) :]
                tau = turn_time(model, k, -rate, state.clock[0].t, z, work)
                state.clock[0].h = min(state.clock[0].h, PART * tau)
        elif slot[ONSET] >= 0.0 and gap > 0.0:
            changed = changed or slot[ONSET] > 0.0
            slot[ONSET] = -1.0
    return changed


@jit
def turn_over(model, least, state, work):
    """Let pads change over at the start of the pending step that would do so within its fraction ``least``."""
    for k in range(len(model.pad)):
        if 0.0 <= work.press[k].hint <= least:
            first = model.info[0].pads + PAD_SLOTS * k
            slot = state.memory[first : first + PAD_SLOTS]
            if slot[ONSET] < 0.0:
                slot[ONSET] = max(-slot[PAD_RATE], SLOW)
                work.tally[ONSETS] += 1
            else:
                slot[ONSET] = -1.0


@jit
def follow(model, state, work):
    """The same for methods that do not locate: open pads follow their depth."""
    memory, first = state.memory, model.info[0].pads
    look(model, state.y, memory, work)
    for k in range(len(model.pad)):
        slot = memory[first + PAD_SLOTS * k : first + PAD_SLOTS * (k + 1)]
        gap, rate = work.press[k].gap, work.press[k].rate
        slot[PAD_GAP], slot[PAD_RATE] = gap, rate
        if model.pad[k].anywhere != 0:
            continue
        if gap >= 0.0:
            slot[ONSET] = 0.0
        elif slot[ONSET] <= 0.0:
            slot[ONSET] = max(-rate, SLOW)
            work.tally[ONSETS] += 1
            work.tally[DEEPEST_ONSET] = max(work.tally[DEEPEST_ONSET], -gap)


@jit
def waiting(model, memory, threshold):
    """True if a pad has not been looked at yet in the way of the present method."""
    for k in range(len(model.pad)):
        onset = memory[model.info[0].pads + PAD_SLOTS * k + ONSET]
        if model.pad[k].anywhere == 0 and (onset == 0.0 if threshold > 0.0 else onset < 0.0):
            return True
    return False


@jit
def start_gap(model, k, memory):
    """Gap of pad k at the start of the step."""
    return memory[model.info[0].pads + PAD_SLOTS * k + PAD_GAP]


@jit
def at_end(model, memory, threshold, work):
    """Gaps at the end of the pending step, and where pads may have changed over on the way."""
    look(model, work.stage[Y_NEW], memory, work)
    h = work.tally[STEP_DONE]
    for k in range(len(model.pad)):
        slot = memory[model.info[0].pads + PAD_SLOTS * k : model.info[0].pads + PAD_SLOTS * (k + 1)]
        side, c = side_of(model, k, memory), work.press[k]
        c.end, c.hint = c.gap, -1.0
        if model.pad[k].anywhere != 0:
            continue
        c.hint = suspect(side * slot[PAD_GAP], side * slot[PAD_RATE], side * c.gap, side * c.rate, h, threshold)
