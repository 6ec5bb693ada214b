"""Implicit: singly diagonally implicit Runge-Kutta of order 4, L-stable, error-controlled, projected after every step.

The scheme is ESDIRK4(3)6L[2]SA of Kennedy and Carpenter (Applied Numerical Mathematics 44 (2003) 139-181, the implicit
part of ARK4(3)6L[2]SA): six stages, the first explicit, stiffly accurate, with an embedded solution of order 3.

    Y_i = y_n + h sum_{j <= i} a_ij F(t_n + c_j h, Y_j),      a_ii = 1/4

on the same index-1 equations y' = F(t, y) that Explicit integrates. With s = h/4 a stage is solved for its velocities
alone, because its positions follow from them in closed form,

    r = r* + s v,      p = p* + s/2 Omega(w') p   =>   p = (p* + s/2 Omega p*) / (1 + s^2 |w'|^2 / 4)

and Newton's matrix M - s D - s^2 K with the closed rows (assemble/tangent.py) is formed and factorised once per step,
or at every iteration where stiff directions turn too far for that. It only steers the iteration: stages satisfy their
equations to a hundredth of the tolerance whatever it is. The rates of the new state are those of the last stage.

Error: h sum (b - b^)_i F_i, velocities filtered by the matrix so that stiff components do not exaggerate it, and the
dissipated energy beside the kinetic one where there are contacts, whose loss is missed before their motion is; the next
step is 0.9 |e|^(-1/4) times the present one. Saved states: cubic Hermite polynomial of the step, then one implicit
stage so that stiff forces are those of the motion and not of the polynomial's error, projected. Steps end where a
signal is not smooth and where a compliant contact begins or ends (methods/compliant_events.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..arrays import (
    CAP,
    CHANGES,
    CULPRIT,
    DETAIL,
    DY_NEW,
    DY_OUT,
    JACOBIANS,
    NEWTONS,
    REJECTIONS,
    STAGE,
    STEP_DONE,
    Y_NEW,
    Y_OUT,
    Y_TRY,
)
from ..assemble.dynamics import derivative
from ..assemble.kinematics import normalise
from ..assemble.projection import project
from ..assemble.sensing import sensed_stiffness
from ..assemble.states import (
    add_push_of_states,
    add_states_between,
    correct_states,
    error_of_states,
    fit_rates_of_states,
    largest,
)
from ..assemble.tangent import assemble_tangent, stiffness
from ..codes import Code, Regime
from ..numerics.jit import jit, link
from ..numerics.lu import factor_band, solve_band
from ..numerics.vec import copy
from .base import BOTH, Method
from .explicit import TURN, UNDERFLOW
from .explicit import begin as explicit_begin
from .stepping import ends_at, judge, next_break, save_state, set_pending, stepping
from .tape import END, END_RATES, OWN, SOLVE, START, START_RATES, Recorder, add_closing, add_stage, mix_cubic, weigh
from .verlet import interpolate

STAGES = 6
GAMMA = 0.25
C = (0.0, 1 / 2, 83 / 250, 31 / 50, 17 / 20, 1.0)
A = np.zeros((STAGES, STAGES))
A[1, :1] = 1 / 4
A[2, :2] = 8611 / 62500, -1743 / 31250
A[3, :3] = 5012029 / 34652500, -654441 / 2922500, 174375 / 388108
A[4, :4] = 15267082809 / 155376265600, -71443401 / 120774400, 730878875 / 902184768, 2285395 / 8070912
A[5, :5] = 82889 / 524892, 0.0, 15625 / 83664, 69875 / 102672, -2260 / 8211
B = np.append(A[5, :5], GAMMA)
EMBEDDED = np.array(
    [
        4586570599 / 29645900160,
        0.0,
        178811875 / 945068544,
        814220225 / 1159782912,
        -3700637 / 11593932,
        61727 / 225920,
    ]
)
ERROR = B - EMBEDDED

BASE, RIGHT, SCRATCH, LINES = 6, 7, 8, 18  # its lines of Work.stage: known part of a stage, right-hand side, scratch
SAFETY = 0.9
FIRST = 1e-3  # s: the first step of order 8 is too long for order 4
ENOUGH = 0.01  # of the tolerance: what a stage may leave unsolved
NEWTON = 10  # iterations of a stage
SLOW = 0.2  # convergence from which on the matrix is formed at every iteration
CONTINUE, STEP_UNDERFLOW, NOT_FINITE = int(Code.CONTINUE), int(Code.STEP_UNDERFLOW), int(Code.NOT_FINITE)


@jit
def place_stage(bodies, base, s, y):
    """Positions of a stage from its velocities in y; ``base`` is the known part."""
    shift = 7 * (bodies - 1)
    for b in range(bodies - 1):
        q, known = y[7 * b : 7 * b + 7], base[7 * b : 7 * b + 7]
        u = y[shift + 6 * b : shift + 6 * b + 6]
        for m in range(3):
            q[m] = known[m] + s * u[m]
        x, y_, z = 0.5 * s * u[3], 0.5 * s * u[4], 0.5 * s * u[5]
        f = 1.0 / (1.0 + x * x + y_ * y_ + z * z)
        p0, p1, p2, p3 = known[3], known[4], known[5], known[6]
        q[3] = f * (p0 - p1 * x - p2 * y_ - p3 * z)
        q[4] = f * (p1 + p0 * x + p2 * z - p3 * y_)
        q[5] = f * (p2 + p0 * y_ + p3 * x - p1 * z)
        q[6] = f * (p3 + p0 * z + p1 * y_ - p2 * x)


@link
def matrix_of(work):
    """Newton's matrix: all lines of Work.dense but the last, which is its right-hand side."""
    return work.dense[: len(work.dense) - 1]


@jit
def form_matrix(model, t, s, y, work):
    """Newton's matrix at a state whose rates have just been found, factorised; return False if it is singular."""
    work.tally[JACOBIANS] += 1
    scratch = work.stage[STAGE + SCRATCH : STAGE + SCRATCH + 10]
    assemble_tangent(model, t, s, y, work, scratch, matrix_of(work))
    if len(model.state) > 0:
        add_states_between(model, t, s, work.kin, work.row, work, scratch, work.slot, matrix_of(work))
    return factor_band(matrix_of(work), work.band)


@jit
def weigh_right(model, residual, row, slot, right):
    """Right-hand side of Newton's equations: -M R for the bodies, -W R for the closed rows."""
    bodies = model.info[0].bodies
    for b in range(1, bodies):
        c, left, at = model.body[b], residual[6 * (b - 1) : 6 * b], slot[b]
        for m in range(3):
            right[at + m] = -c.mass * left[m] if c.minv[m].real > 0.0 else 0.0 * left[m]
            right[at + 3 + m] = 0.0
            if c.Jinv[m, m].real > 0.0:
                for n in range(3):
                    if c.Jinv[n, n].real > 0.0:
                        right[at + 3 + m] -= c.J[m, n] * left[3 + n]
    for r in range(model.info[0].bilateral):
        fact, w = model.row[r], row[r].w
        total = 0.0 * w[0]
        for first, b in ((0, fact.i), (6, fact.j)):
            if b != 0:
                for m in range(6):
                    total += w[first + m] * residual[6 * (b - 1) + m]
        right[slot[bodies + r]] = -total


@jit
def advance_states(model, t, s, base, rates, y, work, right):
    """Correct the inner states of a stage in y, and add to Newton's right-hand side what forces make of that."""
    if model.info[0].inner > 0:
        correct_states(model, t, s, base, rates, y, work)
    if len(model.state) > 0:
        scratch = work.stage[STAGE + SCRATCH : STAGE + SCRATCH + 10]
        add_push_of_states(model, t, s, work.kin, work.row, work, scratch, work.slot, right)


@jit
def solve_stage(model, t, s, y, rates, memory, settings, work, right, eager):
    """Newton's method for one stage; returns the number of iterations, or -1 if it does not converge.

    With the matrix that is there it must converge fast. A stiff direction that has turned since the matrix was formed,
    by more than the root of M/(s^2 K), makes it diverge; ``eager`` forms it at every iteration.
    """
    bodies = model.info[0].bodies
    shift, n = 7 * (bodies - 1), 6 * (bodies - 1)
    base = work.stage[STAGE + BASE]
    residual = work.stage[STAGE + RIGHT]
    before, factor, beyond = 0.0, 0.0, settings.extra
    for iteration in range(NEWTON + settings.extra):
        place_stage(bodies, base, s, y)
        derivative(model, t, y, memory, work, rates)
        work.tally[NEWTONS] += 1
        if eager and not form_matrix(model, t, s, y, work):
            return -1
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
                size = max(size, abs(change) / (settings.atol + settings.rtol * abs(u[m])))
                u[m] += change
        if model.info[0].inner > 0:
            size = max(size, largest(work.inner[CHANGES], y[13 * (bodies - 1) :], settings.atol, settings.rtol))
        if not np.isfinite(size):
            return -1
        if iteration > 0:
            factor = size / before if before > 0.0 else 0.0
            if size > ENOUGH and ((factor > SLOW and not eager) or (factor >= 1.0 and iteration > 4)):
                return -1
        left = size if iteration == 0 else size * min(factor, 1.0) / max(1.0 - factor, 1e-3)
        if left <= ENOUGH and beyond > 0:  # a complex step: its imaginary part converges behind the real one
            beyond -= 1
        elif left <= ENOUGH:
            place_stage(bodies, base, s, y)
            if size > ENOUGH:  # power and loss of the place where it ended
                derivative(model, t, y, memory, work, rates)
            return iteration + 1
        before = size
    return -1


@jit
def attempt(model, t, h, last, state, settings, work, right):
    """All stages of one step; returns False if one of them could not be solved."""
    stage, y, size = work.stage[STAGE:], state.y, len(state.y)
    bodies = model.info[0].bodies
    shift, s = 7 * (bodies - 1), GAMMA * h
    copy(state.dy, stage[0])
    derivative(model, t, y, state.memory, work, stage[SCRATCH])
    if not form_matrix(model, t, s, y, work):
        return False
    trial, base = work.stage[Y_TRY], stage[BASE]
    eager = False
    for i in range(1, STAGES):
        copy(y, base)
        for j in range(i):
            f = h * A[i, j]
            for m in range(size):
                base[m] += f * stage[j, m]
        # start from the rates of the stage before
        copy(base, trial)
        for m in range(shift, size):
            trial[m] = base[m] + s * stage[i - 1, m]
        now = min(t + C[i] * h, last)
        done = solve_stage(model, now, s, trial, stage[i], state.memory, settings, work, right, eager)
        if done < 0 and not eager:
            # once more, now and for the rest of the step with matrices of the place where it is
            eager = True
            for m in range(shift, size):
                trial[m] = base[m] + s * stage[i - 1, m]
            done = solve_stage(model, now, s, trial, stage[i], state.memory, settings, work, right, eager)
        if done < 0:
            return False
        # rates that fit the stage exactly: velocities define accelerations, positions follow
        for m in range(13 * (bodies - 1)):
            stage[i, m] = (trial[m] - base[m]) / s
        fit_rates_of_states(model, s, base, trial, stage[i])
    copy(y, work.stage[Y_NEW])
    new = work.stage[Y_NEW]
    for i in range(STAGES):
        f = h * B[i]
        for m in range(size):
            new[m] += f * stage[i, m]
    return True


@jit
def error_norm(model, h, state, settings, work, right):
    """Error of the step relative to the tolerance: that of places and filtered velocities, or of the ledger."""
    stage, y, new = work.stage[STAGE:], state.y, work.stage[Y_NEW]
    bodies = model.info[0].bodies
    shift, n = 7 * (bodies - 1), 6 * (bodies - 1)
    error = stage[BASE]
    for m in range(len(y)):
        error[m] = 0.0
        for i in range(STAGES):
            error[m] += h * ERROR[i] * stage[i, m]
    weigh_right(model, error[shift:], work.row, work.slot, right)
    solve_band(matrix_of(work), work.band, right)
    total = 0.0
    for m in range(shift):
        scale = settings.atol + settings.rtol * max(abs(y[m]), abs(new[m]))
        total += (abs(error[m]) / scale) ** 2
    for m in range(n):
        scale = settings.atol + settings.rtol * max(abs(y[shift + m]), abs(new[shift + m]))
        filtered = right[work.slot[1 + m // 6] + m % 6]
        total += (min(abs(filtered), abs(error[shift + m])) / scale) ** 2
    if len(model.state) > 0:
        total += error_of_states(model, state.clock[0].t + h, GAMMA * h, error, y, new, settings, work)
    if len(model.pad) == 0:
        return np.sqrt(total / (shift + n))
    energy = abs(new[len(y) - 1])  # and about the kinetic one: a scale
    for b in range(1, bodies):
        c, u = model.body[b], new[shift + 6 * (b - 1) : shift + 6 * b]
        for m in range(3):
            energy += (0.5 * c.mass * u[m] * u[m] + 0.5 * c.J[m, m] * u[3 + m] * u[3 + m]).real
    ledger = abs(error[len(y) - 1]) / (settings.atol + settings.rtol * energy)
    return max(np.sqrt(total / (shift + n)), ledger)


@jit
def finish(model, end, state, work, settings):
    """Close the new state and find its rates; return a code."""
    new, rates = work.stage[Y_NEW], work.stage[DY_NEW]
    normalise(model.info[0].bodies, new)
    worst, which, rate, soft = project(model, end, new, state.memory, settings.tolerance, work)
    code = judge(worst, which, rate, settings, work.tally)
    if code == CONTINUE:
        # not F of the new state: a stiff force would magnify what the last stage left unsolved
        copy(work.stage[STAGE + STAGES - 1], rates)
    return code


@jit
def settle(model, t, state, work, right):
    """Bring the interpolated state to where stiff forces hold it; return False if that fails.

    A cubic misses the slow motion of a stiff force by its error e, and K e may be any force. One implicit stage leads
    back to it,

        Y - s F(t, Y) = y - s y',      s = h/4,      closed rows g(Y) = 0

    with y, y' of the cubic: where nothing is stiff Y differs from y by the error of the cubic. Newton's method goes on
    to rounding, with Euler parameters of unit length, because K magnifies all that is left.
    """
    bodies, h = model.info[0].bodies, work.tally[STEP_DONE]
    shift, n, s = 7 * (bodies - 1), 6 * (bodies - 1), GAMMA * h
    y, new, start, end = work.stage[Y_OUT], work.stage[Y_NEW], state.dy, work.stage[DY_NEW]
    x = (t - state.clock[0].t) / h
    base, residual, rates = work.stage[STAGE + BASE], work.stage[STAGE + RIGHT], work.stage[DY_OUT]
    a, b, c = 6.0 * x * (1.0 - x) / h, (1.0 - x) * (1.0 - 3.0 * x), x * (3.0 * x - 2.0)
    for m in range(len(y)):
        base[m] = y[m] - s * (a * (new[m] - state.y[m]) + b * start[m] + c * end[m])
    before = np.inf
    for iteration in range(NEWTON):
        place_stage(bodies, base, s, y)
        normalise(bodies, y)
        derivative(model, t, y, state.memory, work, rates)
        if not form_matrix(model, t, s, y, work):
            return False
        for m in range(n):
            residual[m] = y[shift + m] - base[shift + m] - s * rates[shift + m]
        weigh_right(model, residual, work.row, work.slot, right)
        for r in range(model.info[0].bilateral):
            right[work.slot[bodies + r]] = -work.row[r].g / s
        if len(model.state) > 0:
            advance_states(model, t, s, base, rates, y, work, right)
        solve_band(matrix_of(work), work.band, right)
        size = 0.0
        for k in range(1, bodies):
            u = y[shift + 6 * (k - 1) : shift + 6 * k]
            for m in range(6):
                change = right[work.slot[k] + m]
                size = max(size, abs(change))
                u[m] += change
        if not np.isfinite(size):
            return False
        if iteration > 2 and not size < 0.5 * before:
            break
        before = size
    place_stage(bodies, base, s, y)
    return True


@jit
def settle_stiff(model, t, state, work):
    """Settle the interpolated state where stiff forces need it; return True if that was done."""
    y = work.stage[Y_OUT]
    if model.info[0].force > model.info[0].bilateral or len(model.sense) > 0:
        derivative(model, t, y, state.memory, work, work.stage[DY_OUT])
        s = GAMMA * work.tally[STEP_DONE]
        stiff = stiffness(model, t, s, y, work)
        if len(model.sense) > 0:
            scratch = work.stage[STAGE + SCRATCH : STAGE + SCRATCH + 10]
            k, d = sensed_stiffness(model, t, work.kin, work.row, work.stack, scratch)
            stiff = max(stiff, s * s * k + s * d)
        if stiff > 1.0:
            if settle(model, t, state, work, work.dense[len(work.dense) - 1]):
                return True
            interpolate(model, state, work, (t - state.clock[0].t) / work.tally[STEP_DONE])
    return False


@jit
def save_settled(model, t, state, settings, work, out):
    """Channels of the interpolated state, settled where stiff forces need it; return a code."""
    settle_stiff(model, t, state, work)
    return save_state(model, t, state, settings, work, out)


@jit
def begin(model, state, work, settings):
    """A first step to try."""
    return min(explicit_begin(model, state, work, settings), FIRST)


@jit
def advance(model, state, work, settings):
    """Take one step into work.stage[Y_NEW] (accepted, projected, with its end rates); return a code."""
    clock, tally = state.clock[0], work.tally
    right = work.dense[len(work.dense) - 1]
    stop = min(next_break(model.breaks, clock.t), tally[CAP])
    rejected = False
    h_try = clock.h
    while True:
        h = min(h_try, settings.h_max, TURN / max(clock.spin, 1e-300))
        meets = clock.t + h * (1.0 + 1e-10) >= stop
        if meets:
            h = stop - clock.t
        last = stop * (1.0 - 1e-15) if meets else np.inf
        solved = attempt(model, clock.t, h, last, state, settings, work, right)
        error = error_norm(model, h, state, settings, work, right) if solved else np.inf
        if error < 1.0:
            grow = min(5.0, SAFETY * max(error, 1e-8) ** -0.25)
            h_next = max(h, h_try) if meets else h * (min(grow, 1.0) if rejected else grow)
            code = finish(model, min(clock.t + h, last), state, work, settings)
            if code == CONTINUE:
                set_pending(h, h_next, stop if meets else clock.t + h, tally)
                return code
            error = np.inf  # could not be closed: as good as a step that was too long
        tally[DETAIL], tally[CULPRIT] = h, -1
        rejected = True
        tally[REJECTIONS] += 1
        h_try = h * (max(0.2, SAFETY * error**-0.25) if np.isfinite(error) else 0.25)
        if not h_try >= UNDERFLOW * max(1.0, abs(clock.t)):
            return STEP_UNDERFLOW if np.isfinite(h) else NOT_FINITE


SETTLED = OWN + STAGES - 2  # slot of the rates of a saved state that was settled


@jit
def slot_of(i):
    """Slot of the tape (methods/tape.py) in which the rates of stage i stand; the last are those of the end."""
    return START_RATES if i == 0 else END_RATES if i == STAGES - 1 else OWN + i - 1


@jit
def record(model, state, work, settings, tape):
    """The stages of the pending step."""
    t, h, y, stage = state.clock[0].t, work.tally[STEP_DONE], state.y, work.stage[STAGE:]
    stop = next_break(model.breaks, t)
    last = stop * (1.0 - 1e-15) if ends_at(t + h, stop) else np.inf
    for i in range(1, STAGES + 1):
        if i < STAGES:
            n = add_stage(tape, SOLVE, min(t + C[i] * h, last), GAMMA * h, slot_of(i))
            weights, out = A[i], tape.y[n]
        else:
            n = add_closing(tape, min(t + h, last), y, work.stage[Y_NEW])
            weights, out = B, tape.before[n]
        copy(y, out)
        weigh(tape, n, START, 1.0)
        for j in range(min(i + 1, STAGES)):
            f = h * (GAMMA if j == i else weights[j])
            for m in range(len(y)):
                out[m] += f * stage[j, m]
            if j < i:
                weigh(tape, n, slot_of(j), f)


@jit
def express(model, t, x, state, settings, work, tape):
    """A saved state, settled where stiff forces need it, and its weights."""
    interpolate(model, state, work, x)
    h, mix = work.tally[STEP_DONE], tape.mix
    mix_cubic(h, x, mix)
    if settle_stiff(model, t, state, work):
        s = GAMMA * h
        slope = 6.0 * x * (1.0 - x) / h
        mix[START] += s * slope
        mix[END] -= s * slope
        mix[START_RATES] -= s * (1.0 - x) * (1.0 - 3.0 * x)
        mix[END_RATES] -= s * x * (3.0 * x - 2.0)
        n = add_stage(tape, SOLVE, t, s, SETTLED)
        tape.stage[n].unit = 1
        copy(work.stage[Y_OUT], tape.y[n])
        for m in range(len(mix)):
            weigh(tape, n, m, mix[m])
        mix[SETTLED] = s


_run = stepping(begin, advance, interpolate, save_settled, locates=True)


@jit
def run(model, state, work, record, settings):
    """Advance until the record is full or the budget is used; see methods/base.py."""
    return _run(model, state, work, record, settings)


@dataclass(frozen=True, repr=False)
class Implicit(Method):
    """Stiff scheme of order 4 with error control, for all that is not rigid contact.

    ``threshold`` (m or rad) is the penetration with which a compliant contact may begin.
    """

    key: ClassVar[str] = "implicit"
    order: ClassVar[int] = 4
    regimes: ClassVar[frozenset[Regime]] = BOTH
    run = staticmethod(run)
    stages: ClassVar[int] = LINES
    implicit: ClassVar[bool] = True
    recorder = Recorder(
        begin, advance, interpolate, record, express, SETTLED + 1, STAGES + 1, locates=True, iterates=True
    )

    rtol: float = 1e-7
    atol: float = 1e-9
    h_max: float = np.inf  # s
    threshold: float = 1e-9  # m or rad
