"""Complex-step sensitivities: the whole run of Index1 on complex numbers, one run per parameter (paper E eq. 19).

The very kernels of the method, with rho + i STEP in the compiled numbers and in the start. Newton's iterations go on
beyond the convergence of the real part, whose derivative follows one order behind.
"""

from __future__ import annotations

from ..arrays import DY_NEW, DY_OUT, PENDING, STEP_DONE, STEP_END, Y_NEW, Y_OUT
from ..assemble.dynamics import derivative
from ..assemble.projection import correct
from ..codes import Code
from ..methods.index1 import advance
from ..methods.stepping import finite
from ..methods.verlet import interpolate
from ..numerics.jit import jit
from ..numerics.vec import copy
from .params import STEP
from .saving import beyond_state, save_tangent

CONTINUE, NOT_FINITE = int(Code.CONTINUE), int(Code.NOT_FINITE)
EXTRA = 6  # iterations beyond convergence


@jit
def march(model, state, work, record, settings_array, energy0, line, columns, out):
    """Like the run kernel of the method, on complex numbers; ``out`` (times, wanted channels): imaginary parts."""
    settings, clock, tally = settings_array[0], state.clock[0], work.tally
    budget, whole = settings.budget, beyond_state(model, columns)
    while record.next[0] < len(record.times):
        if tally[PENDING] == 0.0:
            if budget == 0:
                return CONTINUE
            budget -= 1
            code = advance(model, state, work, settings)
            if code == CONTINUE and not finite(work.stage[Y_NEW]):
                code = NOT_FINITE
            if code != CONTINUE:
                return code
        while record.next[0] < len(record.times):
            n = record.next[0]
            x = (record.times[n] - clock.t) / tally[STEP_DONE]
            if x > 1.0 + 1e-12:
                break
            interpolate(model, state, work, x)
            y = work.stage[Y_OUT]
            save_tangent(model, record.times[n], y, state.memory, energy0, whole, work, work.stage[DY_OUT], line)
            for c in range(len(columns)):
                record.channels[n, c] = line[columns[c]].real
                out[n, c] = line[columns[c]].imag / STEP
            record.next[0] += 1
        if record.next[0] < len(record.times):
            clock.step += 1
            clock.t = tally[STEP_END]
            tally[PENDING] = 0
            copy(work.stage[Y_NEW], state.y)
            copy(work.stage[DY_NEW], state.dy)
    return CONTINUE


@jit
def first_rates(model, state, work):
    """Close the start and find its rates."""
    t = state.clock[0].t
    correct(model, t, state.y, state.memory, work)
    derivative(model, t, state.y, state.memory, work, state.dy)
