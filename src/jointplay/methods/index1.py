"""Index1: the implicit trapezoidal rule on the index-1 equations with a fixed step (paper E eq. 11, Algorithm 1).

    q_{n+1} = q_n + h/2 (q'_n + q'_{n+1}),      u_{n+1} = u_n + h/2 (a_n + a_{n+1})
    M a = f + W^T lam,      W a + bias = 0

Positions follow from velocities in closed form (methods/implicit.py), so a step is solved for its velocities, by
Newton's method with the matrix M - s D - s^2 K of the predicted state, s = h/2, down to ``tolerance``: derivatives
of the discrete motion exist and do not depend on how far an iteration went. The loop of Algorithm 1 runs while the
correction is larger than the tolerance (the paper prints the opposite). Friction that follows the reactions is found
with the multipliers, by Newton's method or, with ``coupling="fixed-point"``, by the paper's iteration.

Acceleration constraints alone let positions drift like t^2; after each step the state is led back to the closed rows.
Accelerations of the new state are those of the step, a_{n+1}.

There is no error control. What the steps leave is measured: the local error of the rule is h^3/12 of the third
derivative, taken from three successive rates; ``stats`` has the largest of all steps and their sum.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from ..arrays import (
    CHANGES,
    CULPRIT,
    DETAIL,
    DY_NEW,
    ERROR_SUM,
    LOCAL_ERROR,
    NEWTONS,
    STAGE,
    STEPS,
    Y_NEW,
    Model,
)
from ..assemble.dynamics import derivative
from ..assemble.kinematics import normalise, position_rates
from ..assemble.projection import correct, project
from ..assemble.states import largest
from ..codes import Code, Regime
from ..numerics.jit import jit
from ..numerics.lu import solve_band
from ..numerics.vec import copy
from .base import BOTH, Method
from .implicit import BASE, LINES, RIGHT, advance_states, form_matrix, matrix_of, place_stage, weigh_right
from .stepping import judge, set_pending, stepping
from .tape import (
    END,
    END_RATES,
    KINEMATIC,
    OWN,
    SOLVE,
    START,
    START_RATES,
    Recorder,
    add_closing,
    add_stage,
    expressed_by,
    weigh,
)
from .verlet import interpolate

BEFORE = 0  # its line of Work.stage: rates at the start of the step before
NEWTON = 40
SLOW = 0.1  # convergence from which on the matrix is formed anew
CONTINUE, NO_CONVERGENCE = int(Code.CONTINUE), int(Code.STEP_UNDERFLOW)


@jit
def solve_step(model, t, s, y, rates, memory, settings, work):
    """Newton's method for the new velocities in y; positions and inner states follow; return False if it fails."""
    bodies = model.info[0].bodies
    shift, n = 7 * (bodies - 1), 6 * (bodies - 1)
    base, residual, right = work.stage[STAGE + BASE], work.stage[STAGE + RIGHT], work.dense[len(work.dense) - 1]
    before, fresh, beyond = np.inf, True, settings.extra
    for iteration in range(NEWTON + settings.extra):
        place_stage(bodies, base, s, y)
        normalise(bodies, y)
        derivative(model, t, y, memory, work, rates)
        work.tally[NEWTONS] += 1
        if fresh and not form_matrix(model, t, s, y, work):
            return False
        for m in range(n):
            residual[m] = y[shift + m] - base[shift + m] - s * rates[shift + m]
        weigh_right(model, residual, work.row, work.slot, right)
        advance_states(model, t, s, base, rates, y, work, right)
        solve_band(matrix_of(work), work.band, right)
        size = 0.0
        for b in range(1, bodies):
            u = y[shift + 6 * (b - 1) : shift + 6 * b]
            for m in range(6):
                change = right[work.slot[b] + m]
                size = max(size, abs(change) / (1.0 + abs(u[m])))
                u[m] += change
        if model.info[0].inner > 0:
            size = max(size, largest(work.inner[CHANGES], y[13 * (bodies - 1) :], 1.0, 1.0))
        if not np.isfinite(size):
            return False
        # rounding decides at last: corrections that do not shrink any more are as small as they get
        if size <= settings.rtol or (iteration > 3 and size < 1e3 * settings.rtol and size >= 0.5 * before):
            beyond -= 1
            if beyond < 0:
                place_stage(bodies, base, s, y)
                normalise(bodies, y)
                return True
        fresh = size > SLOW * before
        before = size
    return False


@jit
def note_error(h, y, new, work, bodies):
    """Error of the step just taken: h/12 times the second difference of the rates of positions."""
    if work.tally[STEPS] == 0.0:
        return
    shift, worst = 7 * (bodies - 1), 0.0
    past = work.stage[STAGE + BEFORE]
    for m in range(6 * (bodies - 1)):
        worst = max(worst, abs(new[shift + m] - 2.0 * y[shift + m] + past[shift + m]) * h / 12.0)
    work.tally[LOCAL_ERROR] = max(work.tally[LOCAL_ERROR], worst)
    work.tally[ERROR_SUM] += worst


@jit
def begin(model, state, work, settings):
    """The fixed step."""
    return settings.step


@jit
def advance(model, state, work, settings):
    """One step into work.stage[Y_NEW], with its rates; return a code."""
    bodies, h = model.info[0].bodies, settings.step
    shift, s = 7 * (bodies - 1), 0.5 * settings.step
    y, dy, new, rates = state.y, state.dy, work.stage[Y_NEW], work.stage[DY_NEW]
    base = work.stage[STAGE + BASE]
    t = state.clock[0].origin + (state.clock[0].step + 1) * h
    for m in range(len(y)):
        base[m] = y[m] + s * dy[m]
        new[m] = y[m] + h * dy[m] if m >= shift else y[m]
    if not solve_step(model, t, s, new, rates, state.memory, settings, work):
        work.tally[DETAIL], work.tally[CULPRIT] = h, -1
        return NO_CONVERGENCE
    # rates that fit the step exactly: velocities define accelerations
    for m in range(13 * (bodies - 1)):
        rates[m] = (new[m] - base[m]) / s
    for m in range(13 * (bodies - 1), len(y)):
        new[m] = base[m] + s * rates[m]
    note_error(h, y, new, work, bodies)
    copy(y, work.stage[STAGE + BEFORE])
    normalise(bodies, new)
    if settings.extra:  # a complex step: its imaginary part drifts even where the real one does not
        correct(model, t, new, state.memory, work)
    worst, which, rate, _ = project(model, t, new, state.memory, settings.tolerance, work)
    position_rates(bodies, new, rates)
    set_pending(h, h, t, work.tally)
    return judge(worst, which, rate, settings, work.tally)


@jit
def record(model, state, work, settings, tape):
    """The pending step: one implicit stage, its projection, and rates of places that go with the closed state."""
    bodies, s, y, dy = model.info[0].bodies, 0.5 * settings.step, state.y, state.dy
    t = state.clock[0].origin + (state.clock[0].step + 1) * settings.step
    new, rates, base = work.stage[Y_NEW], work.stage[DY_NEW], work.stage[STAGE + BASE]
    n = add_stage(tape, SOLVE, t, s, END_RATES)
    tape.stage[n].unit = 1
    stage = tape.y[n]
    for m in range(len(y)):
        base[m] = y[m] + s * dy[m]
        stage[m] = base[m] + s * rates[m]
    place_stage(bodies, base, s, stage)
    weigh(tape, n, START, 1.0)
    weigh(tape, n, START_RATES, s)
    n = add_closing(tape, t, stage, new)
    weigh(tape, n, START, 1.0)
    weigh(tape, n, START_RATES, s)
    weigh(tape, n, END_RATES, s)
    n = add_stage(tape, KINEMATIC, t, 0.0, END_RATES)
    copy(new, tape.y[n])
    weigh(tape, n, END, 1.0)


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
class Index1(Method):
    """Implicit trapezoidal rule with a fixed step, for ideal joints with friction, and for exact sensitivities."""

    key: ClassVar[str] = "index1"
    order: ClassVar[int] = 2
    regimes: ClassVar[frozenset[Regime]] = BOTH
    run = staticmethod(run)
    stages: ClassVar[int] = LINES
    implicit: ClassVar[bool] = True
    recorder = Recorder(begin, advance, interpolate, record, express, OWN, stages=3, iterates=True)

    step: float = 1e-4  # s
    tolerance: float = 1e-12  # of the velocities, relative to 1 m/s or rad/s and to themselves
    coupling: str = field(default="newton", metadata={"choice": ("newton", "fixed-point")})

    def __post_init__(self) -> None:
        if self.coupling not in ("newton", "fixed-point"):
            raise ValueError(f"coupling must be 'newton' or 'fixed-point', not {self.coupling!r}")

    def settings(self, length: float) -> np.ndarray:
        """The record that the run kernel reads."""
        record = super().settings(length)
        record[0]["rtol"] = self.tolerance
        return record

    def prepare(self, model: Model) -> None:
        """Record how friction that follows reactions is found."""
        model.info["fixed_point"] = int(self.coupling == "fixed-point")
