"""Instants at which conditions become true, located on the interpolant of the step in which they do.

A condition is a function c(t, x) of time and of what is sensed; it is true where c > 0. In each pending step one looks
at c in SAMPLES + 1 equally spaced instants. Where it becomes positive between two of them, the instant is found by
regula falsi (Illinois) until rounding of the time is all that is left: in Explicit on the dense output of order 7, in
other methods on theirs. A condition that is true for less than a SAMPLES-th of a step may be missed; give ``h_max``.

A condition that becomes true by a jump (an impact, an input) does so at the state at which the next step begins.
"""

from __future__ import annotations

import numpy as np

from ..arrays import HALT, MARKS, STEP_DONE, Y_OUT
from ..assemble.kinematics import place_bodies
from ..assemble.sensing import sense
from ..numerics.jit import jit, part
from ..numerics.signals import evaluate_signal
from ..numerics.vec import copy

SAMPLES = 4
SEARCH = 100  # iterations in which an instant is found
SWIFT = 40  # of them by regula falsi, then by bisection


@jit
def condition(model, n, t, y, memory, work):
    """c of condition n at a state."""
    bodies = model.info[0].bodies
    place_bodies(bodies, y, work.kin)
    z = y[13 * (bodies - 1) :]
    sense(model.sense, model.relation, model.row, memory, z, work.kin, work.row, work.stack)
    f, _, _ = evaluate_signal(model.signal[model.watch[n].signal], model.code, model.number, work.stack, t)
    return f.real


@jit
def mark(model, n, t, state, work):
    """Note that condition n became true at t, unless that was reported before a run that now goes on."""
    tally, reached = work.tally, state.clock[0].reached
    if reached > 0.0 and t <= reached * (1.0 + 1e-15):
        return
    if tally[MARKS] < len(work.mark):
        line = work.mark[int(tally[MARKS])]
        line[0], line[1] = t, n
        tally[MARKS] += 1
    if model.watch[n].stops:
        tally[HALT] = min(tally[HALT], t)


def watching(interpolate):
    """Build the piece that looks for conditions in the pending step."""

    @part
    def look(model, n, x, state, work):
        """c of condition n at the fraction x of the pending step."""
        interpolate(model, state, work, x)
        t = state.clock[0].t + x * work.tally[STEP_DONE]
        return condition(model, n, t, work.stage[Y_OUT], state.memory, work)

    @part
    def first(model, n, low, high, under, over, state, work):
        """Fraction of the step, between low (not true) and high (true), at which condition n becomes true."""
        stays = 0
        for iteration in range(SEARCH):
            x = low + (high - low) * under / (under - over)
            if iteration > SWIFT or not low < x < high:
                x = 0.5 * (low + high)
            if not low < x < high or (high - low) * work.tally[STEP_DONE] <= 1e-16 * state.clock[0].t:
                break
            c = look(model, n, x, state, work)
            if c > 0.0:
                high, over = x, c
                under *= 0.5 if stays == 1 else 1.0
                stays = 1
            else:
                low, under = x, c
                over *= 0.5 if stays == -1 else 1.0
                stays = -1
        return high

    @part
    def seek(model, state, work):
        """Mark the conditions that become true in the pending step, or did at its start, and the end of the run."""
        clock = state.clock[0]
        work.tally[HALT] = np.inf
        for n in range(len(model.watch)):
            copy(state.y, work.stage[Y_OUT])
            left = condition(model, n, clock.t, work.stage[Y_OUT], state.memory, work)
            if left > 0.0 and work.holds[n] == 0:  # by a jump
                mark(model, n, clock.t, state, work)
            for m in range(SAMPLES):
                low, high = m / SAMPLES, (m + 1) / SAMPLES
                right = look(model, n, high, state, work)
                if right > 0.0 and not left > 0.0:
                    x = first(model, n, low, high, left, right, state, work)
                    mark(model, n, clock.t + x * work.tally[STEP_DONE], state, work)
                left = right
            work.holds[n] = 1 if left > 0.0 else 0

    return seek
