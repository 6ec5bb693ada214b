"""The stages of a tape (methods/tape.py), forwards and backwards: one kernel each, whatever the method.

Forwards, slots hold changes of states or rates by all parameters, and each stage writes one. Backwards they hold bars,
derivatives of all objectives with respect to them; stages go from last to first, the bars of what a stage has written
become bars of what it has read, and its parameters' parts join the gradient.
"""

from __future__ import annotations

from ..assemble.closed import prepare
from ..assemble.kinematics import normalise, turned
from ..methods.tape import CLOSE, JUMP, KINEMATIC, PLACES, SOLVE, TURN
from ..numerics.jit import jit
from ..numerics.vec import copy
from .changing import carry_change, carry_change_back
from .closing import close_lines, closing_column, find_fixes, linearise_closing
from .jumping import carry_jump, carry_jump_back
from .linear import linearise
from .onsets import find_onset_forces
from .parameter_columns import lift
from .params import STEP
from .products import add_to, zero
from .rates import carry_rates, carry_rates_back, find_maps
from .reverse import part_in_closing, unclose
from .stage_matrix import evaluate, quaternion, restore


@jit
def same(a, b):
    """True if two states are the same to the last digit."""
    for m in range(len(a)):
        if a[m] != b[m]:
            return False
    return True


@jit
def place_of(tape, n):
    """The stage whose matrices stage n uses: itself, or the projection before it, if that led to the same state."""
    if n > 0 and tape.stage[n].kind == SOLVE and tape.stage[n].s == 0.0:
        before = tape.stage[n - 1].kind
        if (before == CLOSE or before == PLACES) and same(tape.y[n], tape.y[n - 1]):
            return n - 1
    return n


@jit
def only_closes(tape, q):
    """True if stage q is a projection whose matrices no evaluation uses."""
    return tape.stage[q].kind != SOLVE and (q + 1 == tape.count[0] or place_of(tape, q + 1) != q)


@jit
def linearise_stage(model, parts, memory, tape, n, work):
    """Evaluate and linearise the state of stage n, unless that is done; with corrections, where it is a projection."""
    room, lin, solver, end = parts.room, parts.lin, parts.solver, parts.end
    q = place_of(tape, n)
    c = tape.stage[q]
    if room.at[0] != q + 1:
        room.at[0] = q + 1
        closes = only_closes(tape, q)
        copy(tape.y[q], room.y)
        if c.unit != 0:
            normalise(model.info[0].bodies, room.y)
        if closes:
            soft = prepare(model, c.t, room.y, memory, work)
        else:
            soft = evaluate(model, c.t, room.y, memory, work, room.rates, solver)
        end.soft[0] = max(soft, 1)
        lin.fixed[0] = 0
        if c.kind != SOLVE:
            copy(tape.before[q], room.rates)
            normalise(model.info[0].bodies, room.rates)
            find_fixes(model, room.rates, room.y, soft, work, lin, end)
        lift(work.kin, parts.cw.kin)
        if closes:
            linearise_closing(model, work, lin)
        else:
            restore(solver, work)
            linearise(model, c.t, room.y, solver.a, 1.0, work, lin)
            find_onset_forces(model, c.t, memory, work, lin, room)
    if tape.stage[n].kind == SOLVE:
        find_maps(model.info[0].bodies, tape.stage[n].s, tape.y[n], room, solver)


@jit
def gather(model, tape, n, slots, x):
    """x = what stage n reads."""
    places = 7 * (model.info[0].bodies - 1)
    zero(x)
    for j in range(tape.weight.shape[2]):
        for part in range(2):
            f = tape.weight[n, part, j]
            if f != 0.0:
                low, high = (0, places) if part == 0 else (places, x.shape[0])
                for m in range(low, high):
                    add_to(x, m, f, slots[j], m)


@jit
def scatter(model, tape, n, x, slots):
    """Bars of slots += transposed of ``gather``."""
    places = 7 * (model.info[0].bodies - 1)
    for j in range(tape.weight.shape[2]):
        for part in range(2):
            f = tape.weight[n, part, j]
            if f != 0.0:
                low, high = (0, places) if part == 0 else (places, x.shape[0])
                for m in range(low, high):
                    add_to(slots[j], m, f, x, m)


@jit
def to_turn(p, dp0, dp1, dp2, dp3):
    """Turn that a change of Euler parameters means: 2 vec(p* dp) / |p|^2."""
    f = 2.0 / (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3])
    t = quaternion((p[0], -p[1], -p[2], -p[3]), (dp0, dp1, dp2, dp3))
    return f * t[1], f * t[2], f * t[3]


@jit
def carry_closing(model, parts, memory, tape, n, work, out):
    """CLOSE and PLACES: changes of the state before, in room.x, become those of the closed state."""
    room, c = parts.room, tape.stage[n]
    bodies, x, e, u = model.info[0].bodies - 1, room.x, room.e, room.u
    before, y = tape.before[n], tape.y[n]
    zero(out)
    for m in range(7 * bodies if c.kind == PLACES else 13 * bodies, x.shape[0]):
        add_to(out, m, 1.0, x, m)
    for b in range(bodies):
        q = before[7 * b + 3 : 7 * b + 7]
        for k in range(x.shape[1]):
            turn = to_turn(q, x[7 * b + 3, k], x[7 * b + 4, k], x[7 * b + 5, k], x[7 * b + 6, k])
            for m in range(3):
                e[6 * b + m, k], e[6 * b + 3 + m, k] = x[7 * b + m, k], turn[m]
            for m in range(6):
                u[6 * b + m, k] = x[7 * bodies + 6 * b + m, k]
    close_lines(model, parts, c.t, memory, work, e, u)
    for b in range(bodies):
        p = (y[7 * b + 3], y[7 * b + 4], y[7 * b + 5], y[7 * b + 6])
        for k in range(x.shape[1]):
            dp = quaternion(p, (0.0, e[6 * b + 3, k], e[6 * b + 4, k], e[6 * b + 5, k]))
            for m in range(3):
                out[7 * b + m, k] = e[6 * b + m, k]
            for m in range(4):
                out[7 * b + 3 + m, k] = 0.5 * dp[m]
            if c.kind == CLOSE:
                for m in range(6):
                    out[7 * bodies + 6 * b + m, k] = u[6 * b + m, k]


@jit
def carry_closing_back(model, parts, memory, tape, n, work, bar, bars, gradient):
    """The transposed of ``carry_closing``; ``bars`` = (eta, du) of all objectives."""
    room, end, lin, P, c = parts.room, parts.end, parts.lin, parts.P, tape.stage[n]
    bodies, x = model.info[0].bodies - 1, room.x
    before, y = tape.before[n], tape.y[n]
    zero(x)
    for m in range(13 * bodies, x.shape[0]):
        add_to(x, m, 1.0, bar, m)
    for o in range(x.shape[1]):
        eta, du = bars.eta[o], bars.du[o]
        for b in range(bodies):
            p = (y[7 * b + 3], -y[7 * b + 4], -y[7 * b + 5], -y[7 * b + 6])
            g = (bar[7 * b + 3, o], bar[7 * b + 4, o], bar[7 * b + 5, o], bar[7 * b + 6, o])
            turn = quaternion(p, g)  # dp = p eta / 2, a rotation of four numbers, whose transposed is its inverse
            for m in range(3):
                eta[6 * b + m], eta[6 * b + 3 + m] = bar[7 * b + m, o], 0.5 * turn[1 + m]
            for m in range(6):
                i = 7 * bodies + 6 * b + m
                du[6 * b + m] = bar[i, o] if c.kind == CLOSE else 0.0
                if c.kind == PLACES:
                    x[i, o] = bar[i, o]
        unclose(model, bars, o, work, lin, lin.T, end, (bars.lines[o], bars.rows[o]))
        for b in range(bodies):
            q = before[7 * b + 3 : 7 * b + 7]
            f = 2.0 / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
            e = (0.0, f * eta[6 * b + 3], f * eta[6 * b + 4], f * eta[6 * b + 5])
            dp = quaternion((q[0], q[1], q[2], q[3]), e)
            for m in range(3):
                x[7 * b + m, o] = eta[6 * b + m]
            for m in range(4):
                x[7 * b + 3 + m, o] = dp[m]
            if c.kind == CLOSE:
                for m in range(6):
                    x[7 * bodies + 6 * b + m, o] = du[6 * b + m]
    for k in range(len(P.energy0)):
        closing_column(model, P, k, c.t, memory, work, parts.cw, lin, end)
        for o in range(x.shape[1]):
            gradient[o, k] += part_in_closing(P, k, bars.lines[o], bars.rows[o], end)


@jit
def turn_slopes(y, shift, b, s, slope):
    """Derivatives (4, 7) of turned Euler parameters of body b by these (4) and by the spin (3), by imaginary steps."""
    p, w = y[7 * b + 3 : 7 * b + 7], y[shift + 6 * b + 3 : shift + 6 * b + 6]
    for c in range(7):
        i0, i1, i2, i3 = (1.0 if c == 0 else 0.0), (1.0 if c == 1 else 0.0), (1.0 if c == 2 else 0.0), 0.0
        if c == 3:
            i3 = 1.0
        q = (complex(p[0], STEP * i0), complex(p[1], STEP * i1), complex(p[2], STEP * i2), complex(p[3], STEP * i3))
        j0, j1, j2 = (1.0 if c == 4 else 0.0), (1.0 if c == 5 else 0.0), (1.0 if c == 6 else 0.0)
        v = (complex(w[0], STEP * j0), complex(w[1], STEP * j1), complex(w[2], STEP * j2))
        r = turned(q, v, s)
        slope[0, c], slope[1, c] = r[0].imag / STEP, r[1].imag / STEP
        slope[2, c], slope[3, c] = r[2].imag / STEP, r[3].imag / STEP


@jit
def carry_turn(model, tape, n, x, slope, transposed, out):
    """TURN: places moved by s times velocities; velocities and the rest as they are; or the transposed of it."""
    bodies, s, y = model.info[0].bodies - 1, tape.stage[n].s, tape.y[n]
    shift = 7 * bodies
    zero(out)
    for m in range(out.shape[0]):
        if m >= shift:
            add_to(out, m, 1.0, x, m)
    for b in range(bodies):
        turn_slopes(y, shift, b, s, slope)
        for m in range(3):
            add_to(out, 7 * b + m, 1.0, x, 7 * b + m)
            if transposed:
                add_to(out, shift + 6 * b + m, s, x, 7 * b + m)
            else:
                add_to(out, 7 * b + m, s, x, shift + 6 * b + m)
        for m in range(4):
            for c in range(7):
                i = 7 * b + 3 + c if c < 4 else shift + 6 * b + c - 1
                if transposed:
                    add_to(out, i, slope[m, c], x, 7 * b + 3 + m)
                else:
                    add_to(out, 7 * b + 3 + m, slope[m, c], x, i)


@jit
def carry_kinematic(model, tape, n, x, out):
    """KINEMATIC: rates of places in ``out`` are those of the state."""
    bodies, y = model.info[0].bodies - 1, tape.y[n]
    for b in range(bodies):
        at = 7 * bodies + 6 * b
        p, w = (y[7 * b + 3], y[7 * b + 4], y[7 * b + 5], y[7 * b + 6]), (0.0, y[at + 3], y[at + 4], y[at + 5])
        for k in range(x.shape[1]):
            dp = quaternion((x[7 * b + 3, k], x[7 * b + 4, k], x[7 * b + 5, k], x[7 * b + 6, k]), w)
            more = quaternion(p, (0.0, x[at + 3, k], x[at + 4, k], x[at + 5, k]))
            for m in range(3):
                out[7 * b + m, k] = x[at + m, k]
            for m in range(4):
                out[7 * b + 3 + m, k] = 0.5 * (dp[m] + more[m])


@jit
def carry_kinematic_back(model, tape, n, bar, x):
    """The transposed; the bars of rates of places are used up."""
    bodies, y = model.info[0].bodies - 1, tape.y[n]
    zero(x)
    for b in range(bodies):
        at = 7 * bodies + 6 * b
        p, w = (y[7 * b + 3], -y[7 * b + 4], -y[7 * b + 5], -y[7 * b + 6]), (0.0, -y[at + 3], -y[at + 4], -y[at + 5])
        for k in range(x.shape[1]):
            g = (0.5 * bar[7 * b + 3, k], 0.5 * bar[7 * b + 4, k], 0.5 * bar[7 * b + 5, k], 0.5 * bar[7 * b + 6, k])
            dp, more = quaternion(g, w), quaternion(p, g)
            for m in range(4):
                x[7 * b + 3 + m, k] += dp[m]
                bar[7 * b + 3 + m, k] = 0.0
            for m in range(3):
                x[at + m, k] += bar[7 * b + m, k]
                x[at + 3 + m, k] += more[1 + m]
                bar[7 * b + m, k] = 0.0


@jit
def forwards(model, parts, memory, tape, first, work, slots):
    """Changes of all parameters over the stages from ``first`` on; returns False where one is singular."""
    room = parts.room
    for n in range(first, tape.count[0]):
        c = tape.stage[n]
        out = slots[c.out]
        gather(model, tape, n, slots, room.x)
        if c.kind == SOLVE:
            linearise_stage(model, parts, memory, tape, n, work)
            if not carry_rates(model, parts, c.t, c.s, tape.y[n], c.unit, memory, work, out):
                return False
        elif c.kind == CLOSE or c.kind == PLACES:
            linearise_stage(model, parts, memory, tape, n, work)
            carry_closing(model, parts, memory, tape, n, work, out)
        elif c.kind == TURN:
            carry_turn(model, tape, n, room.x, room.slope, False, out)
        elif c.kind == KINEMATIC:
            carry_kinematic(model, tape, n, room.x, out)
        elif c.kind == JUMP:
            carry_jump(parts, tape, n, room.x, out)
        else:
            carry_change(model, parts, memory, tape, n, room.x, out)
    return True


@jit
def backwards(model, parts, memory, tape, first, work, slots, bars, gradient):
    """Bars of all objectives over the stages down to ``first``, and the parameters' parts of the gradient."""
    room = parts.room
    for back in range(tape.count[0] - first):
        n = tape.count[0] - 1 - back
        c = tape.stage[n]
        bar = slots[c.out]
        if c.kind == KINEMATIC:
            carry_kinematic_back(model, tape, n, bar, room.x)
            scatter(model, tape, n, room.x, slots)
            continue
        if c.kind == SOLVE:
            linearise_stage(model, parts, memory, tape, n, work)
            if not carry_rates_back(model, parts, c.t, c.s, memory, work, bar, gradient):
                return False
        elif c.kind == CLOSE or c.kind == PLACES:
            linearise_stage(model, parts, memory, tape, n, work)
            carry_closing_back(model, parts, memory, tape, n, work, bar, bars, gradient)
        elif c.kind == TURN:
            carry_turn(model, tape, n, bar, room.slope, True, room.x)
        elif c.kind == JUMP:
            carry_jump_back(parts, tape, n, bar, room.x, gradient)
        else:
            carry_change_back(model, parts, memory, tape, n, bar, room.x, gradient)
        zero(bar)  # what a stage writes, it writes anew
        scatter(model, tape, n, room.x, slots)
    return True
