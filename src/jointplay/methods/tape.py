"""What a step has done, as a list of stages that are linear in small changes (docs/decisions/0035).

A stage reads a weighted sum of slots and writes one:

    x = sum over slots of weight times slot,      slot[out] = A x + (what the parameters add)

Slots hold small changes of a state or of its rates. The first four are the same for all methods: state and rates at
the start of the step, and at its end; the others are the method's own. Places (the first 7 numbers per body) and the
rest of a state may have weights of their own.

    SOLVE      rates k of the state y: k = J (x + s k); an evaluation for s = 0, an implicit stage for s > 0
    CLOSE      projection of the state ``before`` to y, places and velocities
    PLACES     the same for places alone
    TURN       places moved by s times the velocities, turns by the exponential map; y is the start
    KINEMATIC  rates of places that go with the state y, in place of those in the slot; the rest stays
    CHANGE     compliant contact ``pad`` begins or ends at the state y, whose rates change from ``before`` to ``after``
    JUMP       signals are not smooth at Model.breaks[pad], where rates change from ``before`` to ``after``

A method takes part in derivatives with two kernels, gathered in its class as a ``Recorder``:

    record(model, state, work, settings, tape)              lists the stages of the pending step
    express(model, t, x, state, settings, work, tape)       leaves the state saved at the fraction x, not projected yet,
                                                            in work.stage[Y_OUT], and its weights in tape.mix

Both read what the step has left in Work; a plain run calls neither.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..arrays import INDEX, STEP_DONE, State
from ..numerics.hermite import hermite
from ..numerics.jit import jit, link, readable
from ..numerics.vec import copy

SOLVE, CLOSE, PLACES, TURN, KINEMATIC, CHANGE, JUMP = range(7)
START, START_RATES, END, END_RATES, OWN = range(5)  # slots; those of the method follow

stage_dtype = np.dtype(
    [
        ("kind", INDEX),
        ("out", INDEX),  # slot that it writes
        ("pad", INDEX),  # of CHANGE; of JUMP the number of the break
        ("unit", INDEX),  # of SOLVE: 1 if Euler parameters were brought to unit length before they were used
        ("t", np.float64),  # s
        ("s", np.float64),  # s; of CHANGE 1 if the instant was located, 0 if the step was given
    ],
    align=True,
)


class Tape(NamedTuple):
    """Stages of one step, and how a saved state depends on its slots."""

    stage: np.ndarray  # (most,)
    weight: np.ndarray  # (most, 2, slots): of places, and of the rest
    y: np.ndarray  # (most, len(y)) state at which it is linear
    before: np.ndarray  # (most, len(y)) state or rates before it
    after: np.ndarray  # (most, len(y)) rates after it
    count: np.ndarray  # type: ignore[assignment]  # (1,) stages that are listed
    mix: np.ndarray  # (slots,) weights of a saved state


class Recorder(NamedTuple):
    """Kernels of a method that derivatives need, and the room that they take."""

    begin: Callable[..., Any]
    advance: Callable[..., Any]
    interpolate: Callable[..., Any]
    record: Callable[..., Any]
    express: Callable[..., Any]
    slots: int  # all of them
    stages: int  # most that a step has, a saved state included
    locates: bool = False  # compliant contacts begin and end at ends of steps
    iterates: bool = False  # a complex step needs iterations beyond convergence (settings.extra)


BETWEEN = 4  # stages between two steps: closing at a break, JUMP, rates after it, and one for each compliant contact


def make_tape(recorder: Recorder, state: State, pads: int) -> Tape:
    """Room for a step, and for what happens between two."""
    most, size, z = max(recorder.stages, BETWEEN + pads), len(state.y), np.zeros
    return readable(
        Tape(
            *(z(most, dtype=stage_dtype), z((most, 2, recorder.slots)), z((most, size)), z((most, size))),
            *(z((most, size)), z(1, dtype=np.int64), z(recorder.slots)),
        )
    )


@jit
def add_stage(tape, kind, t, s, out):
    """One more stage, whose weights are zero; returns its number."""
    n = tape.count[0]
    tape.count[0] = n + 1
    c = tape.stage[n]
    c.kind, c.out, c.pad, c.unit = kind, out, 0, 0
    c.t, c.s = t, s
    for m in range(tape.weight.shape[2]):
        tape.weight[n, 0, m], tape.weight[n, 1, m] = 0.0, 0.0
    return n


@jit
def weigh(tape, n, slot, factor):
    """Stage n reads ``factor`` times a slot, places and the rest."""
    tape.weight[n, 0, slot] = factor
    tape.weight[n, 1, slot] = factor


@jit
def add_closing(tape, t, before, after):
    """Projection of a state; its weights are to be set. Returns its number."""
    n = add_stage(tape, CLOSE, t, 0.0, END)
    copy(before, tape.before[n])
    copy(after, tape.y[n])
    return n


@jit
def mix_cubic(h, x, mix):
    """Weights of the cubic through both ends of a step at the fraction x."""
    for m in range(len(mix)):
        mix[m] = 0.0
    mix[START], mix[START_RATES], mix[END], mix[END_RATES] = hermite(h, x)


def expressed_by(interpolate):
    """Build ``express`` of a method that saves what its interpolation, a cubic, gives."""

    @link
    def express(model, t, x, state, settings, work, tape):
        interpolate(model, state, work, x)
        mix_cubic(work.tally[STEP_DONE], x, tape.mix)

    return express
