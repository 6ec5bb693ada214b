"""The run loop of derivatives that go with a run: step, follow it, save what lies inside of it with its derivatives.

The loop of methods/stepping.py, for all methods and kinds of derivative that march forwards.
"""

from __future__ import annotations

from ..arrays import DY_NEW, PENDING, STEP_DONE, Y_NEW
from ..codes import Code
from ..methods.stepping import finite
from ..numerics.jit import link

CONTINUE, NOT_FINITE = int(Code.CONTINUE), int(Code.NOT_FINITE)


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
    kit, lines (tangents), scratch and spare are the method's own.
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
