"""Adjoint sensitivities along a run of Index1: forwards with checkpoints, then backwards chunk by chunk.

Objectives are weighted sums of saved channels, psi_o = sum w[o, t, c] channel[t, c] (sums over instants are integrals).
The way back needs the states of all steps; only those of one chunk are kept, taken again from its checkpoint. With
chunks of about sqrt(N) steps memory grows with sqrt(N), and each step is taken twice.
"""

from __future__ import annotations

from ..arrays import BODY_CHANNELS, DY_NEW, PENDING, Y_NEW
from ..codes import Code
from ..methods.index1 import advance
from ..methods.stepping import commit, finite
from ..numerics.hermite import cubic
from ..numerics.jit import jit
from .params import STEP
from .reverse import step_back
from .saving import lift_state, model_of, save_tangent

CONTINUE, NOT_FINITE = int(Code.CONTINUE), int(Code.NOT_FINITE)


@jit
def trace(model, state, work, settings_array, steps, lines):
    """Take steps and keep the states between them; lines = (times, y, dy, rates of each step, memory)."""
    settings = settings_array[0]
    times, y, dy, rates, memory = lines
    if state.clock[0].h == 0.0:
        state.clock[0].h = settings.step
    keep(0, state, times, y, dy, memory)
    for n in range(steps):
        code = advance(model, state, work, settings)
        if code == CONTINUE and not (finite(work.stage[Y_NEW]) and finite(work.stage[DY_NEW])):
            code = NOT_FINITE
        if code != CONTINUE:
            work.tally[PENDING] = 0
            return code
        for m in range(len(state.y)):
            rates[n, m] = work.stage[DY_NEW, m]
        commit(model, state, work, settings)
        keep(n + 1, state, times, y, dy, memory)
    return CONTINUE


@jit
def keep(n, state, times, y, dy, memory):
    """Line n of a trace."""
    times[n] = state.clock[0].t
    for m in range(len(state.y)):
        y[n, m], dy[n, m] = state.y[m], state.dy[m]
    for m in range(len(state.memory)):
        memory[n, m] = state.memory[m]


@jit
def plain(model, columns, weight):
    """True if all weighted channels are positions and velocities of bodies, which are the state itself."""
    bodies = BODY_CHANNELS * (model.info[0].bodies - 1)
    for o in range(weight.shape[0]):
        for c in range(len(columns)):
            if weight[o, c] != 0.0 and (columns[c] >= bodies or columns[c] % BODY_CHANNELS >= 13):
                return False
    return True


@jit
def seed_plain(model, y, columns, weight, bar):
    """Add the weights of channels that are the state itself to the bars at the end of a step."""
    for o in range(weight.shape[0]):
        for c in range(len(columns)):
            f = weight[o, c]
            if f == 0.0:
                continue
            b, m = columns[c] // BODY_CHANNELS, columns[c] % BODY_CHANNELS
            if m < 3:
                bar.eta[o, 6 * b + m] += f
            elif m >= 7:
                bar.du[o, 6 * b + m - 7] += f
            else:  # dp = p eta / 2
                p0, p1, p2, p3 = y[7 * b + 3], y[7 * b + 4], y[7 * b + 5], y[7 * b + 6]
                h = 0.5 * f
                at = 6 * b + 3
                if m == 3:
                    g = (-p1, -p2, -p3)
                elif m == 4:
                    g = (p0, -p3, p2)
                elif m == 5:
                    g = (p3, p0, -p1)
                else:
                    g = (-p2, p1, p0)
                bar.eta[o, at] += h * g[0]
                bar.eta[o, at + 1] += h * g[1]
                bar.eta[o, at + 2] += h * g[2]


@jit
def add_seed(columns, weight, line, out, at):
    """Weighted sum of the imaginary parts of a line of channels, to entry ``at`` of each objective."""
    for o in range(weight.shape[0]):
        total = 0.0
        for c in range(len(columns)):
            total += weight[o, c] * line[columns[c]].imag
        out[o, at] += total / STEP


@jit
def seed(model, kit, t, h, x, ends, energy0, memory, columns, weight, probe, nominal, scratch, old, new, gradient):
    """Bars of a saved instant: weights times derivatives of its channels, direction by direction, by imaginary steps.

    old, new: bars at both ends of the step. ``probe``: one tangent; ``nominal``: parameter lines without derivatives.
    """
    P, cw = kit.P, kit.cw
    y, dy, y_new, dy_new = ends
    room, line = scratch
    n, inner = 6 * (model.info[0].bodies - 1), model.info[0].inner
    still = model_of(model, nominal, 0)
    at_end = abs(x - 1.0) < 1e-9
    for side in range(1 if at_end else 0, 2):
        out = old if side == 0 else new
        for kind in range(5):
            if at_end and (kind == 2 or kind == 4):
                continue  # rates count inside a step only
            size = n if kind < 3 else inner
            for i in range(size):
                mark(probe, kind, i, 1.0)
                zero = side == 1
                lift_side(model, y, dy, probe, not zero, room[0], room[1])
                lift_side(model, y_new, dy_new, probe, zero, room[2], room[3])
                cubic(len(room[0]), h, x, (room[0], room[1]), (room[2], room[3]), room[4])
                save_tangent(still, t, room[4], memory, complex(energy0, 0.0), True, cw, room[1], line)
                mark(probe, kind, i, 0.0)
                if kind == 0:
                    add_seed(columns, weight, line, out.eta, i)
                elif kind == 1:
                    add_seed(columns, weight, line, out.du, i)
                elif kind == 2:
                    add_seed(columns, weight, line, out.da, i)
                elif kind == 3:
                    add_seed(columns, weight, line, out.dz, i)
                else:
                    add_seed(columns, weight, line, out.dw, i)
    for k in range(len(P.energy0)):
        lift_side(model, y, dy, probe, False, room[0], room[1])
        lift_side(model, y_new, dy_new, probe, False, room[2], room[3])
        cubic(len(room[0]), h, x, (room[0], room[1]), (room[2], room[3]), room[4])
        start = complex(energy0, STEP * P.energy0[k])
        save_tangent(model_of(model, P, k), t, room[4], memory, start, True, cw, room[1], line)
        add_seed(columns, weight, line, gradient, k)


@jit
def mark(probe, kind, i, value):
    """Set one entry of a tangent."""
    if kind == 0:
        probe.eta[0, i] = value
    elif kind == 1:
        probe.du[0, i] = value
    elif kind == 2:
        probe.da[0, i] = value
    elif kind == 3:
        probe.dz[0, i] = value
    else:
        probe.dw[0, i] = value


@jit
def lift_side(model, y, dy, probe, moving, cy, cdy):
    """Complex state of one end of a step, moved along the probe or not."""
    if moving:
        lift_state(model, y, dy, probe, 0, cy, cdy)
        return
    for m in range(len(y)):
        cy[m], cdy[m] = y[m], dy[m]


@jit
def sweep(model, kit, h, steps, lines, first, record, energy0, bars, spare, rooms, seeds, gradient):
    """Backwards over the steps of a trace; ``first``: it begins at the start of the run. Returns (last save, singular).

    record = (times, columns, weights (objectives, times, columns), place of the last save not yet met);
    bars = (at the later end, at the earlier end); seeds = (probe, nominal parameters, complex states, channels).
    """
    times, y, dy, rates, memory = lines
    saved, columns, weights, last = record
    bar, old = bars
    probe, nominal, room, line = seeds
    for back in range(steps):
        n = steps - 1 - back
        ends = (y[n], dy[n], y[n + 1], rates[n])
        for m in range(old.eta.shape[0]):
            for i in range(old.eta.shape[1]):
                old.eta[m, i], old.du[m, i], old.da[m, i] = 0.0, 0.0, 0.0
            for i in range(old.dz.shape[1]):
                old.dz[m, i], old.dw[m, i] = 0.0, 0.0
        while last >= 0 and (saved[last] > times[n] + 1e-9 * h or (first and n == 0)):
            x = (saved[last] - times[n]) / h
            weight = weights[:, last]
            if abs(x - 1.0) < 1e-9 and plain(model, columns, weight):
                seed_plain(model, y[n + 1], columns, weight, bar)
            elif is_weighed(weight):
                seed(
                    model,
                    kit,
                    saved[last],
                    h,
                    x,
                    ends,
                    energy0,
                    memory[n],
                    columns,
                    weight,
                    probe,
                    nominal,
                    (room, line),
                    old,
                    bar,
                    gradient,
                )
            last -= 1
        if not step_back(model, kit, times[n + 1], h, ends, memory[n], spare[0], bar, spare[1], rooms, gradient):
            return last, True
        for m in range(old.eta.shape[0]):
            for i in range(old.eta.shape[1]):
                bar.eta[m, i] += old.eta[m, i]
                bar.du[m, i] += old.du[m, i]
                bar.da[m, i] += old.da[m, i]
            for i in range(old.dz.shape[1]):
                bar.dz[m, i] += old.dz[m, i]
                bar.dw[m, i] += old.dw[m, i]
    return last, False


@jit
def is_weighed(weight):
    """True if a weight is not zero."""
    for o in range(weight.shape[0]):
        for c in range(weight.shape[1]):
            if weight[o, c] != 0.0:
                return True
    return False
