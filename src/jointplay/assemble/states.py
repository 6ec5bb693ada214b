"""Inner states: numbers beside positions and velocities that evolve by rates of their own, z' = f(t, q, u, z).

Those that have a name belong to expressions (``states`` of a model or of a force law): their rates are signals that
sense, and other signals sense them. Those of friction laws without a name follow their law
(assemble/joint_friction.py). All stand side by side in y, behind the velocities; every method advances them with the
rates in Work.inner[RATES].

Partial derivatives are exact (numerics/signals.py). With the senses x_k,

    dF = a sum_k (df/dx_k) dx_k          forces: matrix Z where x_k is a state
    dz' = sum_k (df/dx_k) dx_k           rates: matrices Hq, Hu where x_k is a place or a speed, Hz where it is a state
"""

from __future__ import annotations

from ..arrays import CHANGES, INNER_MATRIX, NONE, RATES, STATE
from ..numerics.gauss import eliminate
from ..numerics.jit import jit
from ..numerics.signals import evaluate_signal, senses, signal_partial
from .sensing import can_move, find_lever, find_slopes, pushes, spread


@jit
def find_rates_of_states(model, t, work):
    """Rates of the states whose rates are signals, at a state whose senses are in the stack."""
    for n in range(len(model.state)):
        c = model.state[n]
        if c.rate != NONE:
            f, _, _ = evaluate_signal(model.signal[c.rate], model.code, model.number, work.stack, t)
            work.inner[RATES, c.inner] = f


@jit
def rates_of_friction(model, work):
    """The same for friction laws of joints, once their forces are found."""
    for k in range(model.info[0].rubs):
        for m in range(model.rub[k].states):
            work.inner[RATES, model.law[model.rub[k].law].inner + m] = work.slide[k].rates[m]


@jit
def senses_line(model, signal, k):
    """True if a signal, which may be NONE, senses line k."""
    return signal != NONE and senses(model.signal[signal], model.code, k)


@jit
def partial(model, signal, k, t, stack):
    """Partial derivative of a signal by sense k."""
    return signal_partial(model.signal[signal], model.code, model.number, stack, t, k)


@jit
def add_forces_by_state(model, k, t, kin, row, stack, scratch, Z):
    """Z += dF/dz of all forces that sense the state of line k."""
    lever, q = scratch[6], model.sense[k].at
    for n in range(pushes(model)):
        signal, i, j = find_lever(model, n, kin, row, lever)
        if senses_line(model, signal, k):
            slope = partial(model, signal, k, t, stack)
            for m in range(12):
                b, o = (i, m) if m < 6 else (j, m - 6)
                if b != 0:
                    Z[6 * (b - 1) + o, q] += slope * lever[m]


@jit
def add_states(model, t, kin, row, stack, lin):
    """What states add to the linearised equations, at a state whose forces have just been found."""
    scratch = lin.sensed
    for k in range(len(model.sense)):
        of_state = model.sense[k].kind == STATE
        if of_state:
            add_forces_by_state(model, k, t, kin, row, stack, scratch, lin.Z)
        i, j = find_slopes(model, k, kin, row, scratch)
        for n in range(len(model.state)):
            c = model.state[n]
            if not senses_line(model, c.rate, k):
                continue
            slope = partial(model, c.rate, k, t, stack)
            if of_state:
                lin.Hz[c.inner, model.sense[k].at] += slope
            for m in range(12):
                b, o = (i, m) if m < 6 else (j, m - 6)
                if b != 0:
                    lin.Hq[c.inner, 6 * (b - 1) + o] += slope * scratch[4, m]
                    lin.Hu[c.inner, 6 * (b - 1) + o] += slope * scratch[5, m]


@jit
def solve_states(model, t, s, x, work):
    """Solve (I - s dz'/dz) x = x in place, at a state whose senses are in the stack; False if that is singular."""
    A = work.inner[INNER_MATRIX:]
    n = model.info[0].inner
    for a in range(n):
        for b in range(n):
            A[a, b] = 1.0 if a == b else 0.0
    for k in range(len(model.sense)):
        if model.sense[k].kind != STATE:
            continue
        for m in range(len(model.state)):
            c = model.state[m]
            if senses_line(model, c.rate, k):
                A[c.inner, model.sense[k].at] -= s * partial(model, c.rate, k, t, work.stack)
    return eliminate(A, x)


@jit
def correct_states(model, t, s, base, rates, y, work):
    """Newton's correction of an implicit stage z = base + s z'(z) into y; it stands in Work.inner[CHANGES].

    With I - s dz'/dz a fast state (the current of a motor) does not hold steps back. Velocities are corrected next,
    for the forces that follow (add_push_of_states), with the matrix that knows what comes back by way of states
    (add_states_between); states follow these velocities in the next iteration. So the iteration is Newton's.
    """
    info = model.info[0]
    first, change = 13 * (info.bodies - 1), work.inner[CHANGES]
    for m in range(info.inner):
        change[m] = base[first + m] + s * rates[first + m] - y[first + m]
    if len(model.state) > 0 and not solve_states(model, t, s, change, work):
        for m in range(info.inner):
            change[m] = base[first + m] + s * rates[first + m] - y[first + m]
    for m in range(info.inner):
        y[first + m] += change[m]


@jit
def add_push_of_states(model, t, s, kin, row, work, scratch, slot, right):
    """right += s dF, the forces that follow the corrections of states in Work.inner[CHANGES]."""
    lever, change = scratch[6], work.inner[CHANGES]
    for k in range(len(model.sense)):
        if model.sense[k].kind != STATE:
            continue
        for n in range(pushes(model)):
            signal, i, j = find_lever(model, n, kin, row, lever)
            if senses_line(model, signal, k):
                f = s * partial(model, signal, k, t, work.stack) * change[model.sense[k].at]
                for m in range(12):
                    b, o = (i, m) if m < 6 else (j, m - 6)
                    if b != 0 and can_move(model.body[b], o):
                        right[slot[b] + o] += f * lever[m]


@jit
def add_states_between(model, t, s, kin, row, work, scratch, slot, A):
    """A -= s Z (I - s Hz)^-1 s (Hu + s Hq): what velocities that last for a time s do to forces by way of states."""
    lever, slope, x = scratch[6], scratch[5], work.inner[CHANGES]
    for k in range(len(model.sense)):
        if model.sense[k].kind == STATE:
            continue
        i, j = find_slopes(model, k, kin, row, scratch)
        for m in range(12):
            slope[m] += s * scratch[4, m]
        for n in range(len(model.state)):
            c = model.state[n]
            if not senses_line(model, c.rate, k):
                continue
            for m in range(model.info[0].inner):
                x[m] = 0.0
            x[c.inner] = s * partial(model, c.rate, k, t, work.stack)
            if not solve_states(model, t, s, x, work):
                continue
            for q in range(len(model.sense)):
                if model.sense[q].kind != STATE or x[model.sense[q].at] == 0.0:
                    continue
                for p in range(pushes(model)):
                    signal, a, b = find_lever(model, p, kin, row, lever)
                    if senses_line(model, signal, q):
                        f = -s * partial(model, signal, q, t, work.stack) * x[model.sense[q].at]
                        spread(model.body, (a, b), lever, (i, j), slope, f, slot, A)


@jit
def fit_rates_of_states(model, s, base, y, rates):
    """Rates of named states that fit an implicit stage exactly: a fast one magnifies what the stage left unsolved."""
    for k in range(len(model.state)):
        m = 13 * (model.info[0].bodies - 1) + model.state[k].inner
        rates[m] = (y[m] - base[m]) / s


@jit
def error_of_states(model, t, s, error, y, new, settings, work):
    """Squares of the errors of named states relative to the tolerance.

    They are filtered as errors of velocities are: a fast state would exaggerate its error by s dz'/dz.
    """
    info = model.info[0]
    first, filtered = 13 * (info.bodies - 1), work.inner[CHANGES]
    for m in range(info.inner):
        filtered[m] = error[first + m]
    if not solve_states(model, t, s, filtered, work):
        for m in range(info.inner):
            filtered[m] = error[first + m]
    total = 0.0
    for k in range(len(model.state)):
        z = model.state[k].inner
        least = min(abs(filtered[z]), abs(error[first + z]))
        scale = settings.atol + settings.rtol * max(abs(y[first + z]), abs(new[first + z]))
        total += (least / scale) ** 2
    return total


@jit
def largest(change, z, absolute, relative):
    """Largest change of an inner state, relative to its tolerance."""
    most = 0.0
    for m in range(len(change)):
        most = max(most, abs(change[m]) / (absolute + relative * abs(z[m])))
    return most
