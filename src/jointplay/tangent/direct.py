"""Direct sensitivities along a run of Index1: after each step all tangents take it too (tangent/trapezoid.py)."""

from __future__ import annotations

from typing import NamedTuple

from ..arrays import DY_NEW, STEP_DONE, STEP_END, Y_NEW, Work
from ..codes import Code
from ..methods.index1 import advance
from ..methods.stepping import commit, save_state
from ..methods.verlet import interpolate
from ..numerics.hermite import cubic
from ..numerics.jit import jit
from .closing import Closing
from .columns import Column
from .explicit import start
from .flow import Solver, Wide, copy_tangents
from .loop import along, checked
from .matrices import Linear
from .params import STEP, Params
from .past import add_integrals, find_powers
from .saving import beyond_state, lift_state, model_of, save_tangent
from .trapezoid import close_all, follow

CONTINUE, SINGULAR = int(Code.CONTINUE), int(Code.STEP_UNDERFLOW)
_take = checked(advance)


class Kit(NamedTuple):
    """All that the kernels work with: parameters, complex scratch, matrices, a column, the solver, the projection."""

    P: Params
    cw: Work
    lin: Linear
    col: Column
    solver: Solver
    end: Closing
    wide: Wide


@jit
def save_tangents(model, kit, t, state, work, lines, scratch, out):
    """Derivatives of the wanted channels at an instant inside the pending step, all parameters."""
    P, cw = kit.P, kit.cw
    old, tan = lines
    room, energy, columns = scratch
    h, whole = work.tally[STEP_DONE], beyond_state(model, columns)
    x = (t - state.clock[0].t) / h
    for k in range(len(P.energy0)):
        lift_state(model, state.y, state.dy, old, k, room[0], room[1])
        lift_state(model, work.stage[Y_NEW], work.stage[DY_NEW], tan, k, room[2], room[3])
        cubic(len(room[0]), h, x, (room[0], room[1]), (room[2], room[3]), room[4])
        start_energy = complex(state.clock[0].energy0, STEP * P.energy0[k])
        save_tangent(model_of(model, P, k), t, room[4], state.memory, start_energy, whole, cw, room[1], energy)
        for c in range(len(columns)):
            out[k, c] = energy[columns[c]].imag / STEP


@jit
def first(model, kit, state, settings, work, lines, spare):
    """Tangents at the start."""
    state.clock[0].h = settings.step
    if not start(model, kit, state, work, lines[0], spare[1]):
        return SINGULAR
    find_powers(model, kit.P, kit.cw, state.clock[0].t, state.y, state.memory, lines[0])
    return CONTINUE


@jit
def step(model, kit, state, settings, work, lines, spare):
    """A step, with all tangents."""
    code = _take(model, state, work, settings)
    if code != CONTINUE:
        return code
    ends, end = (state.y, state.dy, work.stage[Y_NEW], work.stage[DY_NEW]), work.tally[STEP_END]
    if not follow(model, kit, end, settings.step, ends, state.memory, work, lines, spare):
        return SINGULAR
    find_powers(model, kit.P, kit.cw, end, spare[0], state.memory, lines[1])
    add_integrals(0.5 * settings.step, lines[0], lines[1])
    close_all(model, kit, end, ends[2], state.memory, work, lines[1])
    return CONTINUE


@jit
def save(model, kit, t, state, settings, work, lines, scratch, spare, channels, out):
    """Channels, and derivatives of the wanted ones."""
    code = save_state(model, t, state, settings, work, channels)
    if code == CONTINUE:
        save_tangents(model, kit, t, state, work, lines, scratch, out)
    return code


@jit
def land(model, kit, state, settings, work, lines, spare):
    """Make the pending step the state."""
    commit(model, state, work, settings)
    copy_tangents(lines[1], lines[0])
    return CONTINUE


_run = along(first, step, interpolate, save, land)


@jit
def run(model, state, work, record, settings, kit, lines, scratch, spare, out):
    """Like the run kernel of a method; ``out`` (parameters, times, wanted channels) goes with ``record``.

    lines = (old, new) tangents; scratch = (complex states, a line of channels, wanted channels); spare as in trapezoid.
    """
    return _run(model, state, work, record, settings, kit, lines, scratch, spare, out)
