"""Friction that changes over in a step: where the derivative of the step is not that of the motion.

A brake that comes to rest, or that gives way when the load has grown to its largest force, changes its force without a
jump of what matters: the active set of each step is all that counts. It is otherwise where the force itself jumps at an
instant that parameters move,

    breaks loose      it rested, and its force drops from static to mu times its load
    turns back        it slid one way and slides the other way, or does so after the one step in which it passed zero;
                      so does what slides along a wall

for then velocities after the instant change by (a_after - a_before) times its shift, which steps of fixed sizes do not
see. Such instants are told.
"""

from __future__ import annotations

import numpy as np

from ..arrays import HOLD, NONE, SLOTS, Y_NEW
from ..methods.moreau import slip
from ..numerics.jit import jit
from .contacts import HOLDS
from .impact import look_at_gaps
from .landing import BACK, LOOSE

GENTLE = 1e-3  # of the speed that friction takes away in a step: a brake that gives way slowly


@jit
def take_slips(model, y, memory, work, near, column):
    """near[:, column] = sliding speeds of brakes at a state."""
    look_at_gaps(model, y, memory, work)
    for c in range(len(model.contact)):
        if model.contact[c].brake:
            near[c, column] = slip(model.contact[c], work.kin, work.row)


@jit
def moves_off(model, c, after, work):
    """True if friction of brake c is overcome by more than a little."""
    k, dim = work.touch[c], model.info[0].dim
    if k.place == NONE:
        return False
    at = dim * k.place + 1
    return abs(after) > GENTLE * abs(k.impulse[1]) * work.delassus[at, at]


@jit
def turns_back(model, c, work, act):
    """True if friction of contact c acts against the way in which it acted before, without a rest; keeps that way."""
    law, k, rest = model.contact[c], work.touch[c], act.rests[c]
    if k.place == NONE or not k.impulse[0] > 0.0 or model.info[0].dim < 2:
        act.rests[c] = 0
        return False
    drag = np.sqrt(k.impulse[1] ** 2 + k.impulse[2] ** 2)
    if drag < HOLDS * law.mu * k.impulse[0] or drag == 0.0:
        act.rests[c] = 2 if rest == 1 else 3
        return False
    against = k.impulse[1] * act.drag[c, 0] + k.impulse[2] * act.drag[c, 1] < 0.0
    act.rests[c], act.drag[c, 0], act.drag[c, 1] = 1, k.impulse[1], k.impulse[2]
    return against and (rest == 1 or rest == 2)


@jit
def changes_over(model, state, work, act):
    """Reason why the derivative of the step just taken once more is not that of the motion, or 0; counts rests."""
    turns, reason, any_slides = model.info[0].turns, 0, False
    for c in range(len(model.contact)):
        any_slides = any_slides or (model.contact[c].brake and work.touch[c].stuck == 0)
    if any_slides:
        take_slips(model, state.y, state.memory, work, act.near, 0)
        take_slips(model, work.stage[Y_NEW], state.memory, work, act.near, 1)
    for c in range(len(model.contact)):
        law = model.contact[c]
        if law.brake == 0:
            reason = BACK if turns_back(model, c, work, act) else reason
            continue
        rested, last = state.memory[turns + SLOTS * c + HOLD] != 0.0, act.rests[c]
        if work.touch[c].stuck:
            act.rests[c] = 2 * last if abs(last) == 1 else 3
            continue
        before, after = act.near[c, 0], act.near[c, 1]
        if rested and abs(before) < 0.5 * abs(after):  # else an impact has set it in motion
            if law.static > law.mu:
                reason = LOOSE
            elif abs(last) == 2 and after * last < 0.0 and moves_off(model, c, after, work):
                reason = BACK
        elif not rested and before * after < 0.0:
            reason = BACK
        act.rests[c] = 1 if after > 0.0 else -1
    return reason
