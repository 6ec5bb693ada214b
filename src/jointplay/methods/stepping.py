"""The run loop that all one-step methods share: step, save what lies inside the step, commit.

A step stays *pending* until everything that lies inside it has been saved; only then does it become the State. So a
State is always the start of a step, and a run that goes on from it takes the very same step again.
"""

from __future__ import annotations

import numpy as np

from ..arrays import CULPRIT, DENSE, DETAIL, PENDING, STEP_DONE, STEPS, WORST_POSITION, WORST_VELOCITY
from ..assemble.dynamics import accelerate, derivative
from ..assemble.kinematics import normalise
from ..assemble.observe import observe, remember
from ..assemble.projection import project
from ..codes import Code
from ..numerics.jit import jit, link
from ..numerics.vec import copy

CONTINUE, NOT_FINITE, PROJECTION_FAILED = int(Code.CONTINUE), int(Code.NOT_FINITE), int(Code.PROJECTION_FAILED)


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
def set_pending(h, tally):
    """A step of size h lies in work.y_new, work.dy_new."""
    tally[PENDING] = 1
    tally[DENSE] = 0
    tally[STEP_DONE] = h


@jit
def next_break(breaks, t):
    """First instant after t at which a signal is not smooth (infinity if there is none)."""
    for k in range(len(breaks)):
        if breaks[k] > t * (1.0 + 1e-14) + 1e-14:
            return breaks[k]
    return np.inf


@jit
def save_state(model, t, energy0, memory, settings, work, out):
    """Project work.y_out, find its accelerations and write its channels; return a code."""
    normalise(model.info[0].bodies, work.y_out)
    worst, which, rate, soft = project(model, t, work.y_out, memory, settings.tolerance, work)
    code = judge(worst, which, rate, settings, work.tally)
    if code == CONTINUE:
        accelerate(model, t, work.y_out, memory, soft, work, work.dy_out)
        observe(model, t, work.y_out, memory, energy0, work, out)
    return code


@jit
def commit(model, state, work, settings):
    """Make the pending step the state."""
    clock = state.clock[0]
    h = work.tally[STEP_DONE]
    clock.step += 1
    work.tally[STEPS] += 1
    work.tally[PENDING] = 0
    stop = next_break(model.breaks, clock.t)
    at_break = stop < np.inf and abs(clock.t + h - stop) <= 1e-14 * max(1.0, stop)
    if settings.step > 0.0:
        clock.t = clock.origin + clock.step * settings.step
    else:
        clock.t = stop if at_break else clock.t + h
    copy(work.y_new, state.y)
    copy(work.dy_new, state.dy)
    if at_break:  # seen from the right: a force or the speed of a drive may have jumped
        _, _, _, soft = project(model, clock.t, state.y, state.memory, settings.tolerance, work)
        accelerate(model, clock.t, state.y, state.memory, soft, work, state.dy)
    remember(model, state.memory, work)


def stepping(begin, advance, interpolate):
    """Build a run kernel from three kernels of a method.

    ``begin(model, state, work, settings)`` returns the first step to try; ``advance(model, state, work, settings)``
    leaves a pending step and returns a code; ``interpolate(model, state, work, x)`` fills work.y_out at the fraction x
    of the pending step.
    """

    @link
    def save(model, state, work, record, settings):
        clock = state.clock[0]
        h = work.tally[STEP_DONE]
        while record.next[0] < len(record.times):
            n = record.next[0]
            x = (record.times[n] - clock.t) / h
            if x > 1.0 + 1e-12:
                break
            interpolate(model, state, work, x)
            code = save_state(model, record.times[n], clock.energy0, state.memory, settings, work, record.channels[n])
            if code != CONTINUE:
                return code
            record.next[0] += 1
        return CONTINUE

    @link
    def run(model, state, work, record, settings_array):
        settings = settings_array[0]
        clock = state.clock[0]
        if clock.ready == 0:
            derivative(model, clock.t, state.y, state.memory, work, state.dy)
            clock.ready = 1
        if clock.h == 0.0:
            clock.h = begin(model, state, work, settings)
        budget = settings.budget
        while record.next[0] < len(record.times):
            if work.tally[PENDING] == 0.0:
                if budget == 0:
                    return CONTINUE
                budget -= 1
                code = advance(model, state, work, settings)
                if code != CONTINUE:
                    return code
            code = save(model, state, work, record, settings)
            if code != CONTINUE:
                return code
            if record.next[0] < len(record.times):
                commit(model, state, work, settings)
        return CONTINUE

    return run
