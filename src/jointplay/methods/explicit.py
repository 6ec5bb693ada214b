"""Explicit: Runge-Kutta of order 8 on the index-1 equations, error-controlled, projected after every step.

    y' = F(t, y): r' = v, p' = G^T w'/2, M u' = f + W^T lam with W u' + bias = 0

Stages are evaluated near the manifold; after an accepted step positions and velocities are projected back on it
(assemble/projection.py), which keeps the order (Hairer, Lubich, Wanner, Geometric Numerical Integration, IV.4). The
error norm is that of DOP853, |e| = |e5|^2 / sqrt(|e5|^2 + 0.01 |e3|^2), with scale atol + rtol |y|; the next step is
0.8 |e|^(-1/8) times the present one. Saved states come from the dense output of order 7, projected as well.
Steps end where a signal is not smooth and where a compliant contact begins or ends (methods/compliant_events.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..arrays import CAP, CULPRIT, DENSE, DETAIL, DY_NEW, DY_OUT, REJECTIONS, STAGE, STEP_DONE, Y_NEW, Y_OUT, Y_TRY
from ..assemble.dynamics import accelerate, derivative
from ..assemble.kinematics import normalise
from ..assemble.projection import project
from ..codes import Code, Regime
from ..numerics.jit import jit
from ..numerics.vec import copy
from .base import BOTH, Method
from .dop853 import E3, E5, STAGES, A, B, C, D
from .stepping import ends_at, judge, next_break, set_pending, stepping
from .tape import END as AT_END
from .tape import END_RATES, OWN, SOLVE, START, START_RATES, Recorder, add_closing, add_stage, weigh

END, LINES = 12, 16  # its lines of Work.stage: rates at the end of the step, all
SAFETY = 0.8  # fewer rejections than the usual 0.9 where a mechanism passes a dead centre
TURN = 2.0  # rad, most that an angle may turn in a step: turns are counted from step to step
UNDERFLOW = 1e-14  # s, relative to 1 s or to the time reached
CONTINUE, STEP_UNDERFLOW, NOT_FINITE = int(Code.CONTINUE), int(Code.STEP_UNDERFLOW), int(Code.NOT_FINITE)


@jit
def combine(stage, weights, count, h, y, out):
    """out = y + h sum of weights k stage k; four sums at a time, in registers."""
    whole = len(y) // 4
    for n in range(whole):
        m = 4 * n
        p, q, r, s = y[m], y[m + 1], y[m + 2], y[m + 3]
        for k in range(count):
            if weights[k] != 0.0:
                f, line = h * weights[k], stage[k]
                p, q, r, s = p + f * line[m], q + f * line[m + 1], r + f * line[m + 2], s + f * line[m + 3]
        out[m], out[m + 1], out[m + 2], out[m + 3] = p, q, r, s
    for m in range(4 * whole, len(y)):
        p = y[m]
        for k in range(count):
            p += h * weights[k] * stage[k, m]
        out[m] = p


@jit
def error_norm(stage, h, y, y_new, integrals, settings):
    """Error of the step relative to the tolerance: root mean squares of the estimates of order 5 and 3, combined.

    The last entries of the state, integrals that nothing depends on, do not count.
    """
    n = len(y) - integrals
    five = 0.0
    three = 0.0
    for m in range(n):
        e5 = 0.0 * y[m]
        e3 = 0.0 * y[m]
        for k in range(STAGES):
            e5 += E5[k] * stage[k, m]
            e3 += E3[k] * stage[k, m]
        scale = settings.atol + settings.rtol * max(abs(y[m]), abs(y_new[m]))
        five += (abs(e5) / scale) ** 2
        three += (abs(e3) / scale) ** 2
    if five == 0.0 and three == 0.0:
        return 0.0
    return abs(h) * five / np.sqrt((five + 0.01 * three) * n)


@jit
def begin(model, state, work, settings):
    """A first step to try, from the sizes of y, y' and y'' (Hairer, Norsett, Wanner, sect. II.4)."""
    if settings.step > 0.0:
        return settings.step
    y, dy, t = state.y, state.dy, state.clock[0].t
    trial, rates = work.stage[Y_TRY], work.stage[DY_OUT]
    n = len(y) - model.info[0].integrals
    d0 = 0.0
    d1 = 0.0
    for m in range(n):
        scale = settings.atol + settings.rtol * abs(y[m])
        d0 += (abs(y[m]) / scale) ** 2
        d1 += (abs(dy[m]) / scale) ** 2
    h = 1e-6 if d0 < 1e-10 or d1 < 1e-10 else 0.01 * np.sqrt(d0 / d1)
    h = min(h, settings.h_max)
    for m in range(len(y)):
        trial[m] = y[m] + h * dy[m]
    derivative(model, t + h, trial, state.memory, work, rates)
    d2 = 0.0
    for m in range(n):
        scale = settings.atol + settings.rtol * abs(y[m])
        d2 += (abs(rates[m] - dy[m]) / scale) ** 2
    largest = max(np.sqrt(d1 / n), np.sqrt(d2 / n) / h)
    guess = max(1e-6, 1e-3 * h) if largest <= 1e-15 else (0.01 / largest) ** 0.125
    return min(100.0 * h, guess, settings.h_max)


@jit
def attempt(model, t, h, last, y, state, work):
    """The twelve stages and the new y for one step; stage times stay before ``last`` (a break seen from the left)."""
    stage = work.stage[STAGE:]
    copy(state.dy, stage[0])
    for k in range(1, STAGES):
        combine(stage, A[k], k, h, y, work.stage[Y_TRY])
        derivative(model, min(t + C[k] * h, last), work.stage[Y_TRY], state.memory, work, stage[k])
    combine(stage, B, STAGES, h, y, work.stage[Y_NEW])


@jit
def finish(model, end, state, work, settings):
    """Close the new state and find its rates; return a code."""
    new, rates = work.stage[Y_NEW], work.stage[DY_NEW]
    normalise(model.info[0].bodies, new)
    worst, which, rate, soft = project(model, end, new, state.memory, settings.tolerance, work)
    code = judge(worst, which, rate, settings, work.tally)
    if code == CONTINUE:
        # refined: a rate that does not quite fit its state would look like an error of the next step
        accelerate(model, end, new, state.memory, max(soft, 1), work, rates)
        copy(rates, work.stage[STAGE + END])
    return code


@jit
def advance(model, state, work, settings):
    """Take one step into work.stage[Y_NEW] (accepted, projected, with its end rates); return a code."""
    clock = state.clock[0]
    tally = work.tally
    y, new = state.y, work.stage[Y_NEW]
    fixed = settings.step > 0.0
    stop = min(next_break(model.breaks, clock.t), tally[CAP])
    rejected = False
    h_try = settings.step if fixed else clock.h  # the state keeps its own: a repeated step takes the same way
    h_next = settings.step
    while True:
        h = h_try if fixed else min(h_try, settings.h_max, TURN / max(clock.spin, 1e-300))
        meets = clock.t + h * (1.0 + 1e-10) >= stop and not fixed
        if meets:
            h = stop - clock.t
        last = stop * (1.0 - 1e-15) if meets else np.inf
        attempt(model, clock.t, h, last, y, state, work)
        error = 0.0 if fixed else error_norm(work.stage[STAGE:], h, y, new, model.info[0].integrals, settings)
        if error < 1.0:
            grow = min(5.0, SAFETY * error**-0.125) if error > 0.0 else 5.0
            # the step that a break cut short has no bearing on the next one
            h_next = h if fixed else max(h, h_try) if meets else h * (min(grow, 1.0) if rejected else grow)
            code = finish(model, min(clock.t + h, last), state, work, settings)
            if code == CONTINUE:
                end = clock.origin + (clock.step + 1) * h if fixed else stop if meets else clock.t + h
                set_pending(h, h_next, end, tally)
            if code == CONTINUE or fixed:
                return code
            error = np.nan  # could not be closed: as good as a step that was too long
        else:
            tally[DETAIL] = h
            tally[CULPRIT] = -1
            code = STEP_UNDERFLOW if np.isfinite(error) else NOT_FINITE
        rejected = True
        tally[REJECTIONS] += 1
        h_try = h * (max(0.2, SAFETY * error**-0.125) if np.isfinite(error) else 0.2)
        if not h_try >= UNDERFLOW * max(1.0, abs(clock.t)):
            return code


@jit
def interpolate(model, state, work, x):
    """The state at the fraction x of the step that is pending; the first call for a step finds the extra stages."""
    stage = work.stage[STAGE:]
    y, new, out = state.y, work.stage[Y_NEW], work.stage[Y_OUT]
    h = work.tally[STEP_DONE]
    t = state.clock[0].t
    if work.tally[DENSE] == 0.0:
        stop = next_break(model.breaks, t)
        last = stop * (1.0 - 1e-15) if ends_at(t + h, stop) else np.inf
        for k in range(STAGES + 1, LINES):
            combine(stage, A[k], k, h, y, work.stage[Y_TRY])
            derivative(model, min(t + C[k] * h, last), work.stage[Y_TRY], state.memory, work, stage[k])
        work.tally[DENSE] = 1
    for m in range(len(y)):
        # Hairer's nested form: y + x (F0 + (1-x) (F1 + x (F2 + (1-x) (F3 + x (F4 + (1-x) (F5 + x F6))))))
        change = new[m] - y[m]
        p = 0.0 * y[m]
        q, r, s = p, p, p
        for k in range(LINES):
            part = stage[k, m]
            p, q, r, s = p + D[3, k] * part, q + D[2, k] * part, r + D[1, k] * part, s + D[0, k] * part
        value = (((h * p * x + h * q) * (1.0 - x) + h * r) * x + h * s) * (1.0 - x)
        value += 2.0 * change - h * (stage[END, m] + stage[0, m])
        value *= x
        value += h * stage[0, m] - change
        value *= 1.0 - x
        value += change
        out[m] = y[m] + x * value


@jit
def slot_of(k):
    """Slot of the tape (methods/tape.py) in which the rates of stage k stand."""
    if k == 0:
        return START_RATES
    if k == END:
        return END_RATES
    return OWN + k - (1 if k < END else 2)


@jit
def record(model, state, work, settings, tape):
    """The stages of the pending step; those of the dense output if it was needed."""
    t, h, y, stage = state.clock[0].t, work.tally[STEP_DONE], state.y, work.stage[STAGE:]
    stop = next_break(model.breaks, t)
    last = stop * (1.0 - 1e-15) if ends_at(t + h, stop) else np.inf
    for k in range(1, LINES if work.tally[DENSE] != 0.0 else END + 1):
        if k == END:
            n = add_closing(tape, min(t + h, last), y, work.stage[Y_NEW])
            combine(stage, B, STAGES, h, y, tape.before[n])
            for j in range(STAGES):
                weigh(tape, n, slot_of(j), h * B[j])
            weigh(tape, n, START, 1.0)
        n = add_stage(tape, SOLVE, min(t + C[k] * h, last), 0.0, slot_of(k))
        if k == END:
            weigh(tape, n, AT_END, 1.0)
            copy(work.stage[Y_NEW], tape.y[n])
            continue
        combine(stage, A[k], k, h, y, tape.y[n])
        for j in range(k):
            weigh(tape, n, slot_of(j), h * A[k, j])
        weigh(tape, n, START, 1.0)


@jit
def express(model, t, x, state, settings, work, tape):
    """A saved state by the dense output, and its weights."""
    interpolate(model, state, work, x)
    h, mix, rest = work.tally[STEP_DONE], tape.mix, 1.0 - x
    for s in range(LINES):
        part = x * (rest * (x * D[3, s] + D[2, s]) + D[1, s])
        mix[slot_of(s)] = h * x * x * rest * rest * (part + D[0, s])
    change = x * (1.0 + rest * (2.0 * x - 1.0))
    mix[START_RATES] += h * x * rest * rest
    mix[END_RATES] -= h * x * x * rest
    mix[START], mix[AT_END] = 1.0 - change, change


_run = stepping(begin, advance, interpolate, locates=True)


@jit
def run(model, state, work, record, settings):
    """Advance until the record is full or the budget is used; see methods/base.py."""
    return _run(model, state, work, record, settings)


@dataclass(frozen=True, repr=False)
class Explicit(Method):
    """Runge-Kutta of order 8 with error control (or a fixed ``step``), for all that is not rigid contact.

    ``threshold`` (m or rad) is the penetration with which a compliant contact may begin.
    """

    key: ClassVar[str] = "explicit"
    order: ClassVar[int] = 8
    regimes: ClassVar[frozenset[Regime]] = BOTH
    run = staticmethod(run)
    stages: ClassVar[int] = LINES
    recorder = Recorder(begin, advance, interpolate, record, express, OWN + LINES - 2, LINES, locates=True)

    rtol: float = 1e-8
    atol: float = 1e-10
    step: float = 0.0  # s; 0: chosen by the error
    h_max: float = np.inf  # s
    threshold: float = 1e-9  # m or rad

    def settings(self, length: float) -> np.ndarray:
        """The record that the run kernel reads; fixed steps are not cut where contacts begin."""
        record = super().settings(length)
        if self.step > 0.0:
            record[0]["threshold"] = 0.0
        return record
