"""What happens between two steps, as stages of a tape (methods/tape.py).

At the start tangents are closed and rates found. Where a signal breaks, states are closed anew and rates are those of
the other side; where steps end at such instants, which may move, JUMP; where compliant contacts begin or end, CHANGE.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import ONSET, PAD_RATE, PAD_SLOTS, State
from ..methods.stepping import break_at, right_of
from ..methods.tape import CHANGE, JUMP, SOLVE, START, START_RATES, add_closing, add_stage, weigh
from ..numerics.jit import jit
from ..numerics.vec import copy
from .changing import gap_along

GRAZES, TOGETHER = 1, 2  # as in sensitivity/answer.py
NOTICED = 1e-6  # of the largest acceleration: forces that jump at a change


class Past(NamedTuple):
    """How the step before has ended."""

    y: np.ndarray
    rates: np.ndarray
    memory: np.ndarray  # in which it was taken
    flag: np.ndarray  # (2,) 0: there was none, 1: there was one; 1 + number of the break at which it ended


def make_past(state: State) -> Past:
    """Nothing before."""
    return Past(np.zeros_like(state.y), np.zeros_like(state.y), np.zeros_like(state.memory), np.zeros(2, np.int64))


@jit
def keep_past(model, state, end, new, rates, past):
    """The pending step is over."""
    copy(new, past.y)
    copy(rates, past.rates)
    copy(state.memory, past.memory)
    past.flag[0] = 1
    past.flag[1] = 1 + break_at(model.breaks, state.clock[0].t, end)


@jit
def close_again(t, before, y, tape):
    """Projection at the start of a step."""
    n = add_closing(tape, t, before, y)
    tape.stage[n].out = START
    weigh(tape, n, START, 1.0)


@jit
def add_jump(state, k, before, tape):
    """Rates jump at break k."""
    n = add_stage(tape, JUMP, state.clock[0].t, 0.0, START)
    tape.stage[n].pad = k
    copy(before, tape.before[n])
    copy(state.dy, tape.after[n])
    weigh(tape, n, START, 1.0)


@jit
def add_change(state, k, located, begins, before, tape):
    """Pad k begins or ends."""
    n = add_stage(tape, CHANGE, state.clock[0].t, 1.0 if located else 0.0, START)
    tape.stage[n].pad, tape.stage[n].unit = k, 1 if begins else 0
    copy(state.y, tape.y[n])
    copy(before, tape.before[n])
    copy(state.dy, tape.after[n])
    weigh(tape, n, START, 1.0)


@jit
def jumps(bodies, before, after):
    """True if accelerations jump."""
    most, change = 0.0, 0.0
    for m in range(7 * (bodies - 1), 13 * (bodies - 1)):
        most = max(most, abs(before[m]), abs(after[m]))
        change = max(change, abs(before[m] - after[m]))
    return change > NOTICED * most


@jit
def list_between(model, parts, state, settings, past, tape, fault):
    """Stages between the last step and the one from ``state``; fault = (time, number) of the first trouble."""
    first, located, t = model.info[0].pads, settings.threshold > 0.0, state.clock[0].t
    tape.count[0] = 0
    start = past.flag[0] == 0
    t = right_of(t) if past.flag[1] != 0 else t
    again = start or past.flag[1] != 0
    if again:
        close_again(t, state.y if start else past.y, state.y, tape)
    before = state.dy if start else past.rates
    if past.flag[1] != 0 and settings.step == 0.0:
        add_jump(state, past.flag[1] - 1, before, tape)
    changes = 0
    for k in range(len(model.pad)):
        slot = state.memory[first + PAD_SLOTS * k : first + PAD_SLOTS * (k + 1)]
        now, then = slot[ONSET] > 0.0, not start and past.memory[first + PAD_SLOTS * k + ONSET] > 0.0
        if now == then:
            continue
        changes += 1
        add_change(state, k, located and not start, now, before, tape)
        if located and not start:
            again = True
            _, bend = gap_along(model, parts, np.int64(-1), k, state.y, state.memory, before)
            if slot[PAD_RATE] ** 2 <= 2.0 * settings.threshold * abs(bend) and fault[1] == 0.0:
                fault[0], fault[1] = t, GRAZES
    if changes > 1 and located and not start and jumps(model.info[0].bodies, before, state.dy) and fault[1] == 0.0:
        fault[0], fault[1] = t, TOGETHER
    if again:
        n = add_stage(tape, SOLVE, t, 0.0, START_RATES)
        copy(state.y, tape.y[n])
        weigh(tape, n, START, 1.0)
