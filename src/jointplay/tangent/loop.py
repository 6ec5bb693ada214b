"""The run loop of derivatives that go with a run: step, follow it, save what lies inside of it with its derivatives.

The loop of methods/stepping.py, for all methods and kinds of derivative that march forwards.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..arrays import DY_NEW, PENDING, STEP_DONE, Y_NEW, Model
from ..codes import Code
from ..methods.base import Method
from ..methods.stepping import finite
from ..numerics.jit import jit, link
from .rounds import Rounds, make_rounds

CONTINUE, NOT_FINITE = int(Code.CONTINUE), int(Code.NOT_FINITE)


class Spare(NamedTuple):
    """Scratch of steps with contacts, forwards and backwards."""

    before: np.ndarray  # (6 n,) velocities before an impact
    dgap: np.ndarray  # (contacts, parameters) what is left of the change of each gap where a wall is met
    rounds: Rounds  # of the step
    saved: Rounds  # of a saved instant
    fault: np.ndarray  # (2,) from when on derivatives are not valid, and why (tangent/landing.py)


def make_spare(model: Model, parameters: int, size: int) -> Spare:
    """Zeros; ``size`` is that of the state."""
    gaps = np.zeros((len(model.contact), parameters))
    rooms = make_rounds(model, size), make_rounds(model, size)
    return Spare(np.zeros(6 * (len(model.body) - 1)), gaps, *rooms, np.zeros(2))


def named(kernel: Any, method: type[Method]) -> Any:
    """A kernel that Python calls, told apart from those of other methods by its name."""
    function = getattr(kernel, "py_func", kernel)
    function.__qualname__ = f"{method.key}.{function.__name__}"
    return jit(function)


def checked(advance):
    """Build the kernel that takes one step of a method, and refuses numbers that are none."""

    @link
    def take(model, state, work, settings):
        code = advance(model, state, work, settings)
        if code == CONTINUE and not (finite(work.stage[Y_NEW]) and finite(work.stage[DY_NEW])):
            work.tally[PENDING] = 0
            code = NOT_FINITE
        return code

    return take


def along(first, step, interpolate, save, land):
    """Build a run kernel of derivatives from five kernels; all but ``interpolate`` return a code.

    ``first(model, kit, state, settings, work, lines, spare)`` prepares the start, and sets the size of the first step;
    ``step(...)`` of the same arguments leaves a pending step and takes tangents over it; ``land(...)`` makes it the
    state. ``interpolate`` is that of the method; ``save(model, kit, t, state, settings, work, lines, scratch, spare,
    channels, out)`` writes the channels of an instant and derivatives of the wanted ones, one line of ``out`` each.
    lines = (old, mid, tan, flat) tangents; scratch = (room, line, columns).
    """

    @link
    def run(model, state, work, record, settings_array, kit, lines, scratch, spare, out):
        settings, clock, tally = settings_array[0], state.clock[0], work.tally
        if clock.h == 0.0:
            code = first(model, kit, state, settings, work, lines, spare)
            if code != CONTINUE:
                return code
        budget = settings.budget
        while record.next[0] < len(record.times):
            if tally[PENDING] == 0.0:
                if budget == 0:
                    return CONTINUE
                budget -= 1
                code = step(model, kit, state, settings, work, lines, spare)
                if code != CONTINUE:
                    return code
            while record.next[0] < len(record.times):
                n = record.next[0]
                t = record.times[n]
                x = (t - clock.t) / tally[STEP_DONE]
                if x > 1.0 + 1e-12:
                    break
                interpolate(model, state, work, x)
                channels = record.channels[n]
                code = save(model, kit, t, state, settings, work, lines, scratch, spare, channels, out[:, n])
                if code != CONTINUE:
                    return code
                record.next[0] += 1
            if record.next[0] < len(record.times):
                code = land(model, kit, state, settings, work, lines, spare)
                if code != CONTINUE:
                    return code
        return CONTINUE

    return run
