"""Adjoint of what is saved inside a step with contacts: from weights of channels to bars at both ends of the step.

A saved state is the cubic (positions) or the line (velocities) between two states, closed by the smallest change:

    q~ = f0 q_A + f1 q'_A + f2 q_B + f3 q'_B,      turn of the body between:  2 vec(q* dq~)/|q~|,   q = q~/|q~|

Both ends count at fixed instants, eta - dt u and du - dt u'. Positions and velocities of bodies are the state itself;
its closing is that of tangent/closing.py. Other channels, forces of contacts among them, are taken direction by
direction, by imaginary steps through the very kernels that write them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import DY_NEW, HALVES, STAGE, STEP_DONE, Y_NEW, Model
from ..assemble.closed import evaluate_closed_rows, factorise
from ..assemble.kinematics import normalise
from ..assemble.projection import correct
from ..assemble.tangent import moves
from ..methods.extrapolate import HALF, HALF_RATES
from ..methods.moreau import between, interpolate
from ..methods.moreau_output import express
from ..numerics.hermite import hermite
from ..numerics.jit import jit
from .closing import Closing, closing_column, find_fixes, find_turns, make_closing, prepare_closing
from .impact import linearise_rows
from .products import clear_blocks
from .reverse import part_in_closing, unclose
from .saves import prepare_forces, write_line
from .saving import lift_state
from .seeds import add_seed, is_weighed, mark, plain, seed_plain
from .stage_matrix import dot_line, quaternion
from .tangent_state import Tangents, make_tangents


class Saves(NamedTuple):
    """Scratch of saved instants, and the bars that they leave at the start, the middle and the end of a step."""

    old: Tangents
    mid: Tangents
    new: Tangents
    here: Tangents  # at the saved instant
    probe: Tangents  # one direction
    flat: Tangents
    end: Closing
    base: np.ndarray  # (3, len(y)) state between the steps, the same closed, zeros
    size: np.ndarray  # (bodies,) lengths of Euler parameters
    lines: np.ndarray  # (objectives, 3, 6 n) of the closing
    rows: np.ndarray  # (objectives, 2, closed rows)
    room: np.ndarray  # (2, len(y)) complex
    channels: np.ndarray  # a line of channels
    line: np.ndarray  # the same, complex


def make_saves(model: Model, objectives: int, parameters: int, size: int, channels: int) -> Saves:
    """Zeros."""
    n, rows = 6 * (int(model.info[0]["bodies"]) - 1), int(model.info[0]["bilateral"])
    z = np.zeros
    old, mid, new, here = (make_tangents(model, objectives) for _ in range(4))
    return Saves(
        *(old, mid, new, here, make_tangents(model, 1), make_tangents(model, max(parameters, 1)), make_closing(model)),
        *(z((3, size)), z(n // 6), z((objectives, 3, n)), z((objectives, 2, rows))),
        *(z((2, size), dtype=complex), z(channels), z(channels, dtype=complex)),
    )


@jit
def clear_bars(bar):
    """Zeros."""
    for o in range(len(bar.dt)):
        bar.dt[o] = 0.0
        for m in range(bar.eta.shape[1]):
            bar.eta[o, m], bar.du[o, m], bar.da[o, m] = 0.0, 0.0, 0.0
        for m in range(bar.dz.shape[1]):
            bar.dz[o, m], bar.dw[o, m] = 0.0, 0.0


@jit
def add_bars(a, bar):
    """Bar += a."""
    for o in range(len(bar.dt)):
        bar.dt[o] += a.dt[o]
        for m in range(bar.eta.shape[1]):
            bar.eta[o, m] += a.eta[o, m]
            bar.du[o, m] += a.du[o, m]
            bar.da[o, m] += a.da[o, m]
        for m in range(bar.dz.shape[1]):
            bar.dz[o, m] += a.dz[o, m]
            bar.dw[o, m] += a.dw[o, m]


@jit
def at_fixed_time(model, y, dy, bar):
    """Bars of dt: tangents counted at a fixed instant (saves.fixed_time)."""
    n = model.info[0].bodies - 1
    u, a, w = y[7 * n :], dy[7 * n :], dy[13 * n :]
    for o in range(len(bar.dt)):
        bar.dt[o] -= dot_line(u, bar.eta[o]) + dot_line(a, bar.du[o]) + dot_line(w, bar.dz[o])


@jit
def to_end(model, y, factors, base, size, here, out):
    """Add the bars of the state between to those of one end y; factors of its place, its rates, and its velocity."""
    f, g, x = factors
    n = model.info[0].bodies - 1
    for b in range(n):
        at = 6 * b + 3
        p = (y[7 * b + 3], y[7 * b + 4], y[7 * b + 5], y[7 * b + 6])
        w = (0.0, y[7 * n + at], y[7 * n + at + 1], y[7 * n + at + 2])
        back = (base[7 * b + 3], -base[7 * b + 4], -base[7 * b + 5], -base[7 * b + 6])
        for m in range(3):
            e = (0.0, 1.0 if m == 0 else 0.0, 1.0 if m == 1 else 0.0, 1.0 if m == 2 else 0.0)
            dp = quaternion(back, quaternion(p, e))  # of a unit turn or spin, times 2
            spun = quaternion(dp, w)
            turn = (f * dp[1] + 0.5 * g * spun[1], f * dp[2] + 0.5 * g * spun[2], f * dp[3] + 0.5 * g * spun[3])
            for o in range(len(out.dt)):
                eta, du = here.eta[o], here.du[o]
                a, c, d = eta[at] / size[b], eta[at + 1] / size[b], eta[at + 2] / size[b]
                out.eta[o, 6 * b + m] += f * eta[6 * b + m]
                out.du[o, 6 * b + m] += g * eta[6 * b + m] + x * du[6 * b + m]
                out.eta[o, at + m] += turn[0] * a + turn[1] * c + turn[2] * d
                out.du[o, at + m] += g * (dp[1] * a + dp[2] * c + dp[3] * d) + x * du[at + m]
    for o in range(len(out.dt)):
        for q in range(here.dz.shape[1]):
            out.dz[o, q] += x * here.dz[o, q]


@jit
def to_ends(model, h, x, y, new, saves, a, b):
    """Bars of the state at the fraction x between y and ``new`` to those of both."""
    f0, f1, f2, f3 = hermite(h, x)
    to_end(model, y, (f0, f1, 1.0 - x), saves.base[0], saves.size, saves.here, a)
    to_end(model, new, (f2, f3, x), saves.base[0], saves.size, saves.here, b)


@jit
def take_between(model, h, x, start, end, saves):
    """saves.base[0] = the state between."""
    between(7 * (model.info[0].bodies - 1), h, x, start, end, saves.base[0])
    make_unit(model.info[0].bodies, saves)


@jit
def make_unit(bodies, saves):
    """Euler parameters of saves.base[0] become unit ones; saves.size = their lengths before."""
    base = saves.base[0]
    for b in range(bodies - 1):
        p = base[7 * b + 3 : 7 * b + 7]
        saves.size[b] = np.sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3])
    normalise(bodies, base)


@jit
def fix_rows(model, before, after, soft, work, lin, end):
    """Corrections from one state to the other, and K with their multipliers; rows and factor are those before."""
    find_fixes(model, before, after, soft, work, lin, end)
    clear_blocks(lin.pair, lin.Kfix[0])
    clear_blocks(lin.pair, lin.Kfix[1])
    linearise_rows(model, before[7 * (model.info[0].bodies - 1) :], 0.0, work, lin)
    lin.fixed[0] = 0  # of use here only


@jit
def weigh_state(model, kit, t, memory, work, record, saves):
    """Bars of a saved instant at which only positions and velocities of bodies count."""
    P, cw, lin, gradient = kit.P, kit.cw, kit.lin, kit.prog.gradient
    columns, weight = record
    base, after, here, end = saves.base[0], saves.base[1], saves.here, saves.end
    for m in range(len(base)):
        after[m] = base[m]
    correct(model, t, after, memory, work)
    seed_plain(model, after, columns, weight, here)
    if model.info[0].bilateral == 0:
        return
    evaluate_closed_rows(model, t, base, memory, work)
    fix_rows(model, base, after, factorise(model, 0.0, work), work, lin, end)
    prepare_closing(model, t, after, memory, work, cw, end)
    find_turns(model, work, lin, end)
    for o in range(gradient.shape[0]):
        unclose(model, here, o, work, lin, end.T, end, (saves.lines[o], saves.rows[o]))
    for k in range(len(P.energy0)):
        closing_column(model, P, k, t, memory, work, cw, lin, end)
        for o in range(gradient.shape[0]):
            gradient[o, k] += part_in_closing(P, k, saves.lines[o], saves.rows[o], end)


@jit
def weigh_channels(model, kits, t, base, state, work, record, saves):
    """Bars of a saved instant for any channels, at the state ``base``; it must just have been saved."""
    kit, still = kits
    columns, weight = record
    gradient = kit.prog.gradient
    nought, here, probe = saves.base[2], saves.here, saves.probe
    cy, cdy, line = saves.room[0], saves.room[1], saves.line
    pressed = prepare_forces(model, kit, t, state, work)
    n, inner = 6 * (model.info[0].bodies - 1), model.info[0].inner
    for kind in (0, 1, 3):
        for i in range(n if kind < 3 else inner):
            if kind < 3 and not moves(model.body[1 + i // 6], i % 6):
                continue
            mark(probe, kind, i, 1.0)
            lift_state(model, base, nought, probe, 0, cy, cdy)
            mark(probe, kind, i, 0.0)
            write_line(model, still, 0, False, t, cy, pressed, state, work, saves.flat, cdy, line)
            add_seed(columns, weight, line, here.eta if kind == 0 else here.du if kind == 1 else here.dz, i)
    for k in range(gradient.shape[1]):
        for m in range(len(base)):
            cy[m] = complex(base[m], 0.0)
        write_line(model, kit, k, True, t, cy, pressed, state, work, saves.flat, cdy, line)
        add_seed(columns, weight, line, gradient, k)


@jit
def unsave(model, kits, t, state, settings, work, record, saves):
    """Bars at the ends of the pending step, and parts of the parameters, from the weights of one saved instant."""
    columns, weight = record
    if not is_weighed(weight):
        return
    h = work.tally[STEP_DONE]
    x = (t - state.clock[0].t) / h
    clear_bars(saves.here)
    y, dy, new, rates = state.y, state.dy, work.stage[Y_NEW], work.stage[DY_NEW]
    a, b = saves.old, saves.new
    if work.tally[HALVES] != 0.0:
        middle, middle_rates = work.stage[STAGE + HALF], work.stage[STAGE + HALF_RATES]
        h = 0.5 * h
        if x <= 0.5:
            new, rates, b, x = middle, middle_rates, saves.mid, 2.0 * x
        else:
            y, dy, a, x = middle, middle_rates, saves.mid, 2.0 * x - 1.0
    if plain(model, columns, weight):
        take_between(model, h, x, (y, dy), (new, rates), saves)
        weigh_state(model, kits[0], t, state.memory, work, record, saves)
    else:
        interpolate(model, state, work, (t - state.clock[0].t) / work.tally[STEP_DONE])
        express(model, t, state, settings, work, saves.channels)
        take_between(model, h, x, (y, dy), (new, rates), saves)
        weigh_channels(model, kits, t, saves.base[0], state, work, record, saves)
    to_ends(model, h, x, y, new, saves, a, b)
