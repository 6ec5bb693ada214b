"""Tangent of the projection that ends a step: how the smallest correction itself depends on the parameters.

A step leads to (Y, U); positions, then velocities are corrected by c = M^-1 W^T kappa and d = M^-1 W^T sigma. Both are
of the order h^3, and so are their derivatives, step after step: left out they would cost an error of the order h^2.

    eta' = eta + c x eta - M^-1 (d(W^T) kappa - dM c)   and then the smallest change to   W eta' + g = 0
    du'  = du - M^-1 (d(W^T) sigma - dM d)              and then                          W du' + T eta' + v = 0

with rows of the corrected state; d(W^T) kappa = K eta + the parameter's own part, K with the multipliers kappa. The
cross product concerns turns: the correction turns the axes in which they count.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import LAM, RHS, Model
from ..assemble.closed import evaluate_closed_rows, factorise, solve_rows
from ..assemble.interactions import evaluate_relation
from ..assemble.products import along_shifts
from ..assemble.tangent import moves
from ..numerics.jit import jit, link
from ..numerics.vec import cross, load
from .by_factor import push_lines, rows_times, solve_lines
from .matrices import add_corrections, add_line, turn_row, vary_here
from .parameter_columns import lift, push_column, rate_column, signal_column
from .parameter_sparsity import BODY, CLOSED, DRIVEN, PLACE, ROW, touched
from .params import STEP
from .products import add_blocks, add_row_of, clear_blocks, clear_row, zero
from .tangent_state import over_bodies


class Closing(NamedTuple):
    """Corrections of a step, and what they do to tangents."""

    place: np.ndarray  # (6 n,) c
    speed: np.ndarray  # (6 n,) d
    T: np.ndarray  # (closed rows, 6 n), on the way back only
    F: np.ndarray  # (2, 6 n) the parameter's own part
    g: np.ndarray  # (closed rows,)
    v: np.ndarray  # (closed rows,)
    last: np.ndarray  # (1,) parameter whose part stands in F, g and v
    soft: np.ndarray  # (1,) refinements of solutions


def make_closing(model: Model) -> Closing:
    """Zeros."""
    n, rows = 6 * (int(model.info[0]["bodies"]) - 1), int(model.info[0]["bilateral"])
    z = np.zeros
    soft = np.zeros(1, dtype=np.int64)
    return Closing(z(n), z(n), z((rows, n)), z((2, n)), z(rows), z(rows), np.full(1, -1), soft)


@jit
def multipliers_of(model, soft, line, work, out):
    """out = N^-1 W line: the multipliers of a correction M^-1 W^T out = line."""
    fact = model.row[: model.info[0].bilateral]
    over_bodies(line, work.kin)
    along_shifts(model.info[0].planar, model.place, fact, work.row, work.kin, work.vector[RHS])
    solve_rows(model, max(soft, 1), work)
    for r in range(len(fact)):
        out[r] = work.vector[LAM, r]


@jit
def corrections(bodies, before, after, place, speed):
    """c and d of a projection from ``before`` to ``after`` (displacements, turns in body axes, velocities)."""
    n = bodies - 1
    for b in range(n):
        p = (after[7 * b + 3], after[7 * b + 4], after[7 * b + 5], after[7 * b + 6])
        q = (before[7 * b + 3], before[7 * b + 4], before[7 * b + 5], before[7 * b + 6])
        turn = cross((p[1], p[2], p[3]), (q[1], q[2], q[3]))
        for m in range(3):
            place[6 * b + m] = before[7 * b + m] - after[7 * b + m]
            place[6 * b + 3 + m] = 2.0 * (p[0] * q[1 + m] - q[0] * p[1 + m] - turn[m])
        for m in range(6):
            speed[6 * b + m] = before[7 * n + 6 * b + m] - after[7 * n + 6 * b + m]


@jit
def find_fixes(model, before, after, soft, work, lin, end):
    """Corrections and their multipliers, with rows and factor of the state before (they are tiny)."""
    corrections(model.info[0].bodies, before, after, end.place, end.speed)
    if model.info[0].bilateral > 0:
        multipliers_of(model, soft, end.place, work, lin.fix[0])
        multipliers_of(model, soft, end.speed, work, lin.fix[1])
    lin.fixed[0] = 1


@jit
def prepare_closing(model, t, after, memory, work, cw, end):
    """Rows and factor at the corrected state."""
    if model.info[0].bilateral == 0:
        return
    evaluate_closed_rows(model, t, after, memory, work)
    end.soft[0] = factorise(model, 0.0, work)
    lift(work.kin, cw.kin)


@link
def add_turns(c, rows, lin, T):
    """Lines of T of a relation varied last."""
    for p in range(c.count):
        if c.row[p] < rows:
            turn_row(p, lin)
            add_line(c.i, c.j, lin.bend[p], 1.0, T[c.row[p]])


@jit
def find_turns(model, work, lin, end):
    """T at the corrected state."""
    rows = model.info[0].bilateral
    for r in range(rows):
        clear_row(model.row[r], end.T, r)
    for k in range(model.info[0].bilateral_relations):
        vary_here(model.relation[k], work.kin, lin)
        add_turns(model.relation[k], rows, lin, end.T)


@jit
def linearise_closing(model, work, lin):
    """T and Kfix: all that a projection needs of the linearised equations."""
    rows = model.info[0].bilateral
    clear_blocks(lin.pair, lin.Kfix[0])
    clear_blocks(lin.pair, lin.Kfix[1])
    for r in range(rows):
        clear_row(model.row[r], lin.T, r)
    for k in range(model.info[0].bilateral_relations):
        c = model.relation[k]
        vary_here(c, work.kin, lin)
        add_turns(c, rows, lin, lin.T)
        add_corrections(c, rows, lin)


@jit
def wipe_closing(P, end):
    """No parameter's part."""
    k = end.last[0]
    if k < 0:
        return
    places, rows = touched(P, k, PLACE), touched(P, k, ROW)
    for n in range(len(places)):
        for m in range(6):
            i = 6 * (places[n] - 1) + m
            end.F[0, i], end.F[1, i] = 0.0, 0.0
    for n in range(len(rows)):
        end.g[rows[n]], end.v[rows[n]] = 0.0, 0.0


@jit
def closing_column(model, P, k, t, memory, work, cw, lin, end):
    """The parameter's own part: turned rows, inertia, g and v."""
    rows = model.info[0].bilateral
    wipe_closing(P, end)
    end.last[0] = k
    relations, driven, bodies = touched(P, k, CLOSED), touched(P, k, DRIVEN), touched(P, k, BODY)
    for q in range(len(relations)):
        c = P.relation[k, relations[q]]
        evaluate_relation(c, memory, cw.kin, cw.row)
        for p in range(c.count):
            r = c.row[p]
            if r >= rows:
                continue
            row = cw.row[r]
            push_column(model.row[r], row.w, lin.fix[0, r], end.F[0])
            push_column(model.row[r], row.w, lin.fix[1, r], end.F[1])
            end.g[r] += row.g.imag / STEP
            end.v[r] += rate_column(model.row[r], row.w, cw.kin)
    for q in range(len(driven)):
        r = driven[q]
        f, f1, _ = signal_column(model, P, k, model.row[r].target, t, cw.stack)
        end.g[r] -= f
        end.v[r] -= f1
    for q in range(len(bodies)):
        b = bodies[q]
        d, at = P.body[k, b], 6 * (b - 1)
        for m in range(3):
            mass = d.mass.imag / STEP
            end.F[0, at + m] -= mass * end.place[at + m]
            end.F[1, at + m] -= mass * end.speed[at + m]
            for o in range(3):
                turn = d.J[m, o].imag / STEP
                end.F[0, at + 3 + m] -= turn * end.place[at + 3 + o]
                end.F[1, at + 3 + m] -= turn * end.speed[at + 3 + o]


@jit
def closing_columns(model, P, t, memory, work, parts, f):
    """Parts of all parameters: f += F of places, parts.F = that of velocities; rows: g in room.X, v in parts.c."""
    end, X, slot, n = parts.end, parts.room.X, parts.solver.slot, model.info[0].bodies
    for r in range(model.info[0].bilateral):
        for k in range(X.shape[1]):
            X[slot[n + r], k] = 0.0
    for k in range(len(P.energy0)):
        closing_column(model, P, k, t, memory, work, parts.cw, parts.lin, end)
        places, rows = touched(P, k, PLACE), touched(P, k, ROW)
        for q in range(len(places)):
            for m in range(6):
                i = 6 * (places[q] - 1) + m
                f[i, k] += end.F[0, i]
                parts.F[i, k] = end.F[1, i]
        for q in range(len(rows)):
            X[slot[n + rows[q]], k], parts.c[rows[q], k] = end.g[rows[q]], end.v[rows[q]]


@jit
def lighten(model, f, x):
    """x -= M^-1 f, six lines per body."""
    for b in range(1, len(model.body)):
        body, at = model.body[b], 6 * (b - 1)
        for k in range(x.shape[1]):
            p, q, r = f[at + 3, k], f[at + 4, k], f[at + 5, k]
            for m in range(3):
                x[at + m, k] -= body.minv[m] * f[at + m, k]
                x[at + 3 + m, k] -= body.Jinv[m, 0] * p + body.Jinv[m, 1] * q + body.Jinv[m, 2] * r


@jit
def project_lines(model, soft, work, slot, X, x):
    """The smallest change of x, six lines per body, to W x + (the lines of the closed rows in X) = 0."""
    for b in range(1, len(model.body)):
        for m in range(6):
            free = moves(model.body[b], m)
            for k in range(x.shape[1]):
                X[slot[b] + m, k] = x[6 * (b - 1) + m, k] if free else 0.0
    rows_times(model, 1.0, work, slot, X)
    solve_lines(model, soft, work, slot, X)
    push_lines(model, -1.0, work, slot, X)
    for b in range(1, len(model.body)):
        for m in range(6):
            if moves(model.body[b], m):
                for k in range(x.shape[1]):
                    x[6 * (b - 1) + m, k] = X[slot[b] + m, k]


@jit
def close_lines(model, parts, t, memory, work, e, u):
    """Changes (e, u) of a state by all parameters become those of the corrected state; T and Kfix stand in ``lin``."""
    lin, end, f, X = parts.lin, parts.end, parts.room.f, parts.room.X
    slot, bodies, rows = parts.solver.slot, len(model.body), model.info[0].bilateral
    if rows == 0:
        return
    zero(f)
    closing_columns(model, parts.P, t, memory, work, parts, f)
    add_blocks(lin.pair, lin.Kfix[0], e, f)
    for b in range(bodies - 1):
        at, place = 6 * b + 3, load(end.place[6 * b + 3 : 6 * b + 6])
        for k in range(e.shape[1]):
            turn = cross(place, (e[at, k], e[at + 1, k], e[at + 2, k]))
            for m in range(3):
                e[at + m, k] += turn[m]
    lighten(model, f, e)
    project_lines(model, end.soft[0], work, slot, X, e)
    for i in range(f.shape[0]):
        for k in range(f.shape[1]):
            f[i, k] = parts.F[i, k]
    add_blocks(lin.pair, lin.Kfix[1], e, f)
    lighten(model, f, u)
    for r in range(rows):
        for k in range(X.shape[1]):
            X[slot[bodies + r], k] = parts.c[r, k]
        add_row_of(model.row[r], lin.T, r, 1.0, e, X, slot[bodies + r])
    project_lines(model, end.soft[0], work, slot, X, u)
