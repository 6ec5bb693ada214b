"""SOLVE: changes of the rates k of a state of a stage, k = J (x + s k) + c p (methods/tape.py), and the transposed.

With du = du* + s k_u the velocities of the stage, turns eta = e + B du (their Euler parameters follow in closed form),
e' = e + B du* and the matrices of tangent/linear.py

    (M - s D - s K B) k_u - (W^T + L) dlam - s Z k_z        = K e' + D du* + Z dz* + F
    (W + s Cu + s Cq B) k_u                                 = -(Cq e' + Cu du* + c)
    (1 - s Hz) k_z - s (Hu + Hq B) k_u - Hl dlam            = Hq e' + Hu du* + Hz dz* + H

For an evaluation (s = 0) the factor of N = W M^-1 W^T, which the evaluation itself has made, is all that is needed
(tangent/by_factor.py); else the matrix is factorised as a band.
"""

from __future__ import annotations

from ..assemble.dynamics import derivative
from ..assemble.kinematics import normalise
from ..assemble.tangent import moves
from ..numerics.jit import jit
from ..numerics.lu import factor_band
from .by_factor import solve_rates, solve_rates_back
from .onsets import add_onset_forces, add_onset_rates, collect_onset_rates, collect_onsets
from .parameter_columns import find_column
from .parameter_sparsity import INNER, PLACE, ROW, touched
from .params import STEP
from .products import (
    add_blocks,
    add_blocks_transposed,
    add_lines,
    add_lines_transposed,
    add_row_of,
    add_row_transposed,
    add_to,
    solve_wide,
    solve_wide_transposed,
    zero,
)
from .saving import model_of
from .stage_matrix import fill_matrix, quaternion, restore


@jit
def find_maps(bodies, s, y, room, solver):
    """P1, P2, T1 of Room and B (in solver.maps) of the state y of a stage."""
    for b in range(bodies - 1):
        at = 7 * (bodies - 1) + 6 * b + 3
        p = (y[7 * b + 3], y[7 * b + 4], y[7 * b + 5], y[7 * b + 6])
        back = (p[0], -p[1], -p[2], -p[3])
        square = p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]
        w = (0.0, y[at], y[at + 1], y[at + 2])
        f = 1.0 / (1.0 + 0.25 * s * s * (w[1] * w[1] + w[2] * w[2] + w[3] * w[3]))
        q = (f, 0.5 * s * f * w[1], 0.5 * s * f * w[2], 0.5 * s * f * w[3])
        for c in range(7):
            # Euler parameters that the stage reads, then spins: p = (p* + s/2 p w) has the inverse q
            e = (1.0 if c == 0 else 0.0, 1.0 if c == 1 or c == 4 else 0.0, 1.0 if c == 2 or c == 5 else 0.0)
            unit = (e[0], e[1], e[2], 1.0 if c == 3 or c == 6 else 0.0)
            turned = quaternion(p, unit)
            given = (
                unit if c < 4 else (0.5 * s * turned[0], 0.5 * s * turned[1], 0.5 * s * turned[2], 0.5 * s * turned[3])
            )
            dp = quaternion(given, q)
            rate, turn = quaternion(dp, w), quaternion(back, dp)
            for m in range(4):
                if c < 4:
                    room.P1[b, m, c] = 0.5 * rate[m]
                else:
                    room.P2[b, m, c - 4] = 0.5 * (rate[m] + turned[m])
            for m in range(3):
                if c < 4:
                    room.T1[b, m, c] = 2.0 * turn[1 + m] / square
                else:
                    solver.maps[2, b, m, c - 4] = 2.0 * turn[1 + m] / square


@jit
def find_columns(model, parts, t, memory, work):
    """What all parameters add to forces, rows and rates of inner states, at the state of a stage."""
    P, room = parts.P, parts.room
    restore(parts.solver, work)
    for k in range(len(P.energy0)):
        a = parts.solver.a
        find_column(model, P, k, t, room.y, a, a, 1.0, memory, work, parts.cw, parts.col)
        places, rows, inner = touched(P, k, PLACE), touched(P, k, ROW), touched(P, k, INNER)
        for n in range(len(places)):
            for m in range(6):
                i = 6 * (places[n] - 1) + m
                parts.F[i, k] = parts.col.F[i]
        for n in range(len(rows)):
            parts.c[rows[n], k] = parts.col.c[rows[n]]
        for n in range(len(inner)):
            parts.H[inner[n], k] = parts.col.H[inner[n]]


@jit
def factor_matrix(model, s, work, parts):
    """Factors of the whole matrix; returns False where it is singular."""
    fill_matrix(model, s, work, parts.lin, parts.solver)
    return factor_band(parts.solver.A, parts.solver.band)


@jit
def solve_forwards(model, parts, s, work):
    """Right-hand sides in room.X become solutions; returns False where the matrix is singular."""
    if s == 0.0:
        return solve_rates(model, parts, work)
    if not factor_matrix(model, s, work, parts):
        return False
    solve_wide(parts.solver.A, parts.solver.band, parts.room.X)
    return True


@jit
def solve_backwards(model, parts, s, work):
    """The same with the transposed matrix."""
    if s == 0.0:
        return solve_rates_back(model, parts, work)
    if not factor_matrix(model, s, work, parts):
        return False
    solve_wide_transposed(parts.solver.A, parts.solver.band, parts.room.X)
    return True


@jit
def hold_still(model, slot, X):
    """No change where a planar model cannot move."""
    for b in range(1, len(model.body)):
        for m in range(6):
            if not moves(model.body[b], m):
                for k in range(X.shape[1]):
                    X[slot[b] + m, k] = 0.0


@jit
def read_state(model, s, parts):
    """room.e = e', room.u = du* from what the stage reads."""
    room, B = parts.room, parts.solver.maps[2]
    n = model.info[0].bodies - 1
    x, e, u = room.x, room.e, room.u
    for b in range(n):
        for m in range(6):
            for k in range(x.shape[1]):
                u[6 * b + m, k] = x[7 * n + 6 * b + m, k]
        for m in range(3):
            for k in range(x.shape[1]):
                e[6 * b + m, k] = x[7 * b + m, k] + s * u[6 * b + m, k]
                e[6 * b + 3 + m, k] = 0.0
            for o in range(4):
                add_to(e, 6 * b + 3 + m, room.T1[b, m, o], x, 7 * b + 3 + o)
            for o in range(3):
                add_to(e, 6 * b + 3 + m, B[b, m, o], u, 6 * b + 3 + o)


@jit
def carry_rates(model, parts, t, s, y, unit, memory, work, out):
    """Changes of the rates of a stage by all parameters; its state y is linearised, room.x filled.

    ``unit``: Euler parameters of y were brought to unit length before they were used.
    """
    info, room, lin, solver = model.info[0], parts.room, parts.lin, parts.solver
    n, inner, slot, X = info.bodies - 1, info.inner, solver.slot, room.X
    x, e, u, f = room.x, room.e, room.u, room.f
    size = len(room.y)
    find_columns(model, parts, t, memory, work)
    read_state(model, s, parts)
    for i in range(6 * n):
        for k in range(f.shape[1]):
            f[i, k] = parts.F[i, k]
    add_blocks(lin.pair, lin.K, e, f)
    add_blocks(lin.pair, lin.D, u, f)
    z = x[13 * n : 13 * n + inner]
    add_lines(lin.Z, 1.0, z, f, 0)
    add_onset_forces(model, room, work, x[size:], f)
    zero(X)
    for b in range(n):
        for m in range(6):
            add_to(X, slot[b + 1] + m, 1.0, f, 6 * b + m)
    hold_still(model, slot, X)
    for r in range(info.bilateral):
        at, fact = slot[n + 1 + r], model.row[r]
        add_row_of(fact, lin.Cq, r, -1.0, e, X, at)
        add_row_of(fact, lin.Cu, r, -1.0, u, X, at)
        add_to(X, at, -1.0, parts.c, r)
    first = solver.base[0]
    add_lines(lin.Hq, 1.0, e, X, first)
    add_lines(lin.Hu, 1.0, u, X, first)
    add_lines(lin.Hz, 1.0, z, X, first)
    add_onset_rates(model, room, x[size:], X, first)
    for q in range(inner):
        add_to(X, first + q, 1.0, parts.H, q)
    if not solve_forwards(model, parts, s, work):
        return False
    zero(out)
    for b in range(n):
        for m in range(6):
            i = 7 * n + 6 * b + m
            add_to(out, i, 1.0, X, slot[b + 1] + m)
            add_to(u, 6 * b + m, s, X, slot[b + 1] + m)  # velocities of the stage
        for m in range(3):
            add_to(out, 7 * b + m, 1.0, u, 6 * b + m)
        for m in range(4):
            for o in range(4):
                add_to(out, 7 * b + 3 + m, room.P1[b, m, o], x, 7 * b + 3 + o)
            for o in range(3):
                add_to(out, 7 * b + 3 + m, room.P2[b, m, o], u, 6 * b + 3 + o)
    for q in range(inner):
        add_to(out, 13 * n + q, 1.0, X, first + q)
    if parts.past[0] != 0:
        sum_up(model, parts, t, s, y, unit, memory, out)
    return True


@jit
def sum_up(model, parts, t, s, y, unit, memory, out):
    """Rates of the integrals at the end of y, by an imaginary step through the accelerations of the stage."""
    room, P, cw = parts.room, parts.P, parts.cw
    cy, cdy = room.c[0], room.c[1]
    size, integrals = len(room.y), model.info[0].integrals
    first = size - integrals
    for k in range(len(P.energy0)):
        for m in range(size):
            cy[m] = complex(y[m], STEP * (room.x[m, k] + s * out[m, k]))
        if unit != 0:
            normalise(model.info[0].bodies, cy)
        derivative(model_of(model, P, k), t, cy, memory, cw, cdy)
        for m in range(integrals):
            out[first + m, k] = cdy[first + m].imag / STEP
        for n in range(len(model.pad)):
            dv = room.x[size + n, k]
            out[first + n, k] += model.pad[n].sign * room.onset[n, 0] * dv
            out[size - 1, k] += room.loss[n] * dv


@jit
def carry_rates_back(model, parts, t, s, memory, work, bar, gradient):
    """From bars of the rates (len(y) + pads, objectives) to those of what the stage has read, in room.x."""
    info, room, lin, solver = model.info[0], parts.room, parts.lin, parts.solver
    n, inner, slot, X = info.bodies - 1, info.inner, solver.slot, room.X
    x, e, u, a, B = room.x, room.e, room.u, room.f, solver.maps[2]
    size = len(room.y)
    find_columns(model, parts, t, memory, work)
    zero(x)
    zero(X)
    zero(e)
    zero(u)
    first = solver.base[0]
    for b in range(n):
        for m in range(3):
            add_to(u, 6 * b + m, 1.0, bar, 7 * b + m)
        for m in range(4):
            for o in range(4):
                add_to(x, 7 * b + 3 + o, room.P1[b, m, o], bar, 7 * b + 3 + m)
            for o in range(3):
                add_to(u, 6 * b + 3 + o, room.P2[b, m, o], bar, 7 * b + 3 + m)
        for m in range(6):
            add_to(X, slot[b + 1] + m, 1.0, bar, 7 * n + 6 * b + m)
            add_to(X, slot[b + 1] + m, s, u, 6 * b + m)
    hold_still(model, slot, X)
    for q in range(inner):
        add_to(X, first + q, 1.0, bar, 13 * n + q)
    if not solve_backwards(model, parts, s, work):
        return False
    hold_still(model, slot, X)
    zero(a)
    for b in range(n):
        for m in range(6):
            add_to(a, 6 * b + m, 1.0, X, slot[b + 1] + m)
    add_parts(model, parts, gradient)
    add_blocks_transposed(lin.pair, lin.K, a, e)
    add_blocks_transposed(lin.pair, lin.D, a, u)
    for r in range(info.bilateral):
        at, fact = slot[n + 1 + r], model.row[r]
        add_row_transposed(fact, lin.Cq, r, -1.0, X, at, e)
        add_row_transposed(fact, lin.Cu, r, -1.0, X, at, u)
    add_lines_transposed(lin.Hq, 1.0, X, first, e)
    add_lines_transposed(lin.Hu, 1.0, X, first, u)
    z = x[13 * n : 13 * n + inner]
    add_lines_transposed(lin.Z, 1.0, a, 0, z)
    add_lines_transposed(lin.Hz, 1.0, X, first, z)
    collect_onsets(model, room, work, a, x[size:])
    collect_onset_rates(model, room, X, first, x[size:])
    for b in range(n):
        for m in range(3):
            add_to(x, 7 * b + m, 1.0, e, 6 * b + m)
            add_to(u, 6 * b + m, s, e, 6 * b + m)
            for o in range(4):
                add_to(x, 7 * b + 3 + o, room.T1[b, m, o], e, 6 * b + 3 + m)
            for o in range(3):
                add_to(u, 6 * b + 3 + o, B[b, m, o], e, 6 * b + 3 + m)
        for m in range(6):
            add_to(x, 7 * n + 6 * b + m, 1.0, u, 6 * b + m)
    return True


@jit
def add_parts(model, parts, gradient):
    """The columns of all parameters times the solution of the transposed system; gradient (objectives, parameters)."""
    P, X, slot, base = parts.P, parts.room.X, parts.solver.slot, parts.solver.base[0]
    n = model.info[0].bodies
    for k in range(len(P.energy0)):
        places, rows, inner = touched(P, k, PLACE), touched(P, k, ROW), touched(P, k, INNER)
        for q in range(len(places)):
            b = places[q]
            for m in range(6):
                value = parts.F[6 * (b - 1) + m, k]
                for o in range(X.shape[1]):
                    gradient[o, k] += value * X[slot[b] + m, o]
        for q in range(len(rows)):
            value = parts.c[rows[q], k]
            for o in range(X.shape[1]):
                gradient[o, k] -= value * X[slot[n + rows[q]], o]
        for q in range(len(inner)):
            value = parts.H[inner[q], k]
            for o in range(X.shape[1]):
                gradient[o, k] += value * X[base + inner[q], o]
