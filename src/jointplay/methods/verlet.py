"""Verlet: kick, drift, kick with a fixed step, closed on positions and velocities; order 2, one factorisation a step.

    u_half = u_n + h/2 a_n
    q_new  = q_n moved by h u_half, then closed by the smallest change          (rotations by the exponential map)
    a_new  = a(q_new, u_n + h a_n)
    u_new  = u_half + h/2 a_new, then closed

The velocity in a_new is known to second order only, which is enough for order 2 of the whole. Positions and velocities
satisfy the joints after every step. A cheap scheme for comparisons at equal step and for long chains.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..arrays import DY_NEW, STEP_DONE, Y_NEW, Y_OUT
from ..assemble.dynamics import accelerate
from ..assemble.kinematics import turned
from ..assemble.projection import close_positions, close_velocities
from ..codes import Code, Regime
from ..numerics.hermite import cubic
from ..numerics.jit import jit
from ..numerics.vec import copy
from .base import BOTH, Method
from .stepping import judge, set_pending, stepping
from .tape import (
    END_RATES,
    OWN,
    PLACES,
    SOLVE,
    START,
    START_RATES,
    TURN,
    Recorder,
    add_closing,
    add_stage,
    expressed_by,
    weigh,
)

CONTINUE = int(Code.CONTINUE)


@jit
def drift(bodies, y, dy, h, new):
    """new = positions moved by h (u + h/2 a), velocities u + h a, the rest advanced by Euler's rule."""
    shift = 7 * (bodies - 1)
    for m in range(shift, len(y)):
        new[m] = y[m] + h * dy[m]
    for b in range(bodies - 1):
        at, u, w = 7 * b, shift + 6 * b, shift + 6 * b + 3
        for m in range(3):
            new[at + m] = y[at + m] + h * (y[u + m] + 0.5 * h * dy[u + m])
        half = (y[w] + 0.5 * h * dy[w], y[w + 1] + 0.5 * h * dy[w + 1], y[w + 2] + 0.5 * h * dy[w + 2])
        p = turned((y[at + 3], y[at + 4], y[at + 5], y[at + 6]), half, h)
        for m in range(4):
            new[at + 3 + m] = p[m]


@jit
def begin(model, state, work, settings):
    """The fixed step."""
    return settings.step


@jit
def advance(model, state, work, settings):
    """One step into work.stage[Y_NEW], with its rates; return a code."""
    bodies = model.info[0].bodies
    h = settings.step
    y, dy, new, rates = state.y, state.dy, work.stage[Y_NEW], work.stage[DY_NEW]
    t = state.clock[0].origin + (state.clock[0].step + 1) * h
    drift(bodies, y, dy, h, new)
    worst, which, soft = close_positions(model, t, new, state.memory, settings.tolerance, work)
    code = judge(worst, which, 0.0, settings, work.tally)
    if code != CONTINUE:
        return code
    accelerate(model, t, new, state.memory, soft, work, rates)
    # the second half kick: velocities, inner states and work integrals by the trapezoidal rule
    shift = 7 * (bodies - 1)
    for m in range(shift, len(y)):
        new[m] = y[m] + 0.5 * h * (dy[m] + rates[m])
    for b in range(1, bodies):
        for m in range(3):
            work.kin[b].v[m] = new[shift + 6 * (b - 1) + m]
            work.kin[b].w[m] = new[shift + 6 * (b - 1) + 3 + m]
    rate, _ = close_velocities(model, new, soft, work)
    set_pending(h, h, t, work.tally)
    return judge(worst, which, rate, settings, work.tally)


@jit
def interpolate(model, state, work, x):
    """Cubic Hermite polynomial through both ends of the step."""
    end = (work.stage[Y_NEW], work.stage[DY_NEW])
    cubic(len(state.y), work.tally[STEP_DONE], x, (state.y, state.dy), end, work.stage[Y_OUT])


@jit
def record(model, state, work, settings, tape):
    """The stages of the pending step: drift, closed places, accelerations, closed velocities."""
    bodies, h, t = (
        model.info[0].bodies,
        settings.step,
        state.clock[0].origin + (state.clock[0].step + 1) * settings.step,
    )
    y, dy, new, rates = state.y, state.dy, work.stage[Y_NEW], work.stage[DY_NEW]
    shift = 7 * (bodies - 1)
    moved, closed = OWN, OWN + 1
    n = add_stage(tape, TURN, t, h, moved)
    weigh(tape, n, START, 1.0)
    tape.weight[n, 1, START_RATES] = 0.5 * h
    for m in range(len(y)):
        tape.y[n, m] = y[m] + 0.5 * h * dy[m] if m >= shift else y[m]
    n = add_stage(tape, PLACES, t, 0.0, closed)
    drift(bodies, y, dy, h, tape.before[n])
    copy(tape.before[n], tape.y[n])
    for m in range(shift):
        tape.y[n, m] = new[m]
    tape.weight[n, 0, moved], tape.weight[n, 1, START], tape.weight[n, 1, START_RATES] = 1.0, 1.0, h
    n = add_stage(tape, SOLVE, t, 0.0, END_RATES)
    copy(tape.y[n - 1], tape.y[n])
    weigh(tape, n, closed, 1.0)
    n = add_closing(tape, t, new, new)
    for m in range(shift, len(y)):
        tape.before[n, m] = y[m] + 0.5 * h * (dy[m] + rates[m])
    tape.weight[n, 0, closed], tape.weight[n, 1, START] = 1.0, 1.0
    tape.weight[n, 1, START_RATES], tape.weight[n, 1, END_RATES] = 0.5 * h, 0.5 * h


_express = expressed_by(interpolate)


@jit
def express(model, t, x, state, settings, work, tape):
    """A saved state by the cubic, and its weights."""
    _express(model, t, x, state, settings, work, tape)


_run = stepping(begin, advance, interpolate)


@jit
def run(model, state, work, record, settings):
    """Advance until the record is full or the budget is used; see methods/base.py."""
    return _run(model, state, work, record, settings)


@dataclass(frozen=True, repr=False)
class Verlet(Method):
    """Fixed-step scheme of order 2 for ideal joints, springs and drives."""

    key: ClassVar[str] = "verlet"
    order: ClassVar[int] = 2
    regimes: ClassVar[frozenset[Regime]] = BOTH
    run = staticmethod(run)
    recorder = Recorder(begin, advance, interpolate, record, express, slots=OWN + 2, stages=4)

    step: float = 1e-3  # s
