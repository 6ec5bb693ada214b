"""Complex-step sensitivities: the whole run of Index1 on complex numbers, one run per parameter (paper E eq. 19).

The very kernels of the method, with rho + i STEP in the compiled numbers and in the start. Newton's iterations go on
beyond the convergence of the real part, whose derivative follows one order behind.
"""

from __future__ import annotations

from ..arrays import DY_NEW, DY_OUT, PENDING, STEP_END, Y_NEW, Y_OUT
from ..assemble.dynamics import derivative
from ..assemble.projection import correct
from ..codes import Code
from ..methods.index1 import advance
from ..methods.verlet import interpolate
from ..numerics.jit import jit
from ..numerics.vec import copy
from .loop import along, checked
from .params import STEP
from .saving import beyond_state, save_tangent

CONTINUE = int(Code.CONTINUE)
EXTRA = 6  # iterations beyond convergence
_take = checked(advance)


@jit
def first(model, kit, state, settings, work, lines, spare):
    """Close the start and find its rates."""
    t = state.clock[0].t
    state.clock[0].h = settings.step
    correct(model, t, state.y, state.memory, work)
    derivative(model, t, state.y, state.memory, work, state.dy)
    return CONTINUE


@jit
def step(model, kit, state, settings, work, lines, spare):
    """A step: its derivative is its imaginary part."""
    return _take(model, state, work, settings)


@jit
def save(model, energy0, t, state, settings, work, lines, scratch, spare, channels, out):
    """Wanted channels: real parts, and imaginary ones."""
    line, columns = scratch
    whole = beyond_state(model, columns)
    save_tangent(model, t, work.stage[Y_OUT], state.memory, energy0, whole, work, work.stage[DY_OUT], line)
    for c in range(len(columns)):
        channels[c] = line[columns[c]].real
        out[0, c] = line[columns[c]].imag / STEP
    return CONTINUE


@jit
def land(model, kit, state, settings, work, lines, spare):
    """Make the pending step the state."""
    state.clock[0].step += 1
    state.clock[0].t = work.tally[STEP_END]
    work.tally[PENDING] = 0
    copy(work.stage[Y_NEW], state.y)
    copy(work.stage[DY_NEW], state.dy)
    return CONTINUE


_run = along(first, step, interpolate, save, land)


@jit
def run(model, state, work, record, settings, energy0, lines, scratch, spare, out):
    """Like the run kernel of the method, on complex numbers; record and out (1, times, ...) have the wanted channels.

    scratch = (a line of channels, wanted channels); lines and spare are not needed.
    """
    return _run(model, state, work, record, settings, energy0, lines, scratch, spare, out)
