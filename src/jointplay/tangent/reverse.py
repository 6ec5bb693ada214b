"""Adjoint of a step of Index1: tangent/trapezoid.py and tangent/closing.py transposed and run backwards.

A bar marks the derivative of an objective with respect to a quantity. Given those of the new tangent, one solution with
the transposed matrix of the step gives those of the old one, and the part of each parameter is a product with its own
column: the cost of a step does not depend on the number of parameters, but for these products.
"""

from __future__ import annotations

from ..arrays import LAM, RHS, Model
from ..assemble.closed import solve_rows
from ..assemble.tangent import moves
from ..numerics.jit import jit
from ..numerics.lu import solve_transposed
from ..numerics.vec import cross, load
from .closing import closing_column, find_turns, prepare_closing
from .columns import find_column
from .flow import Tangents, make_tangents
from .touched import INNER, PLACE, ROW, touched
from .trapezoid import keep_column, prepare_step


def make_adjoints(model: Model, count: int) -> Tangents:
    """Bars of tangents, one line per objective."""
    return make_tangents(model, count)


@jit
def weigh(model, line, out):
    """out = M^-1 line."""
    for b in range(1, len(model.body)):
        body, at = model.body[b], 6 * (b - 1)
        for m in range(3):
            out[at + m] = body.minv[m] * line[at + m]
            out[at + 3 + m] = (
                body.Jinv[m, 0] * line[at + 3] + body.Jinv[m, 1] * line[at + 4] + body.Jinv[m, 2] * line[at + 5]
            )


@jit
def residual_bar(model, soft, line, scratch, work, out):
    """out = -N^-1 W M^-1 line: bar of the residual that a projection takes back, from the bar of what it leaves."""
    weigh(model, line, scratch)
    for r in range(len(out)):
        fact, w, total = model.row[r], work.row[r].w, 0.0
        for first, b in ((0, fact.i), (6, fact.j)):
            if b != 0:
                for m in range(6):
                    total += w[first + m] * scratch[6 * (b - 1) + m]
        work.vector[RHS, r] = -total
    solve_rows(model, max(soft, 1), work)
    for r in range(len(out)):
        out[r] = work.vector[LAM, r]


@jit
def add_row(fact, w, factor, line):
    """Line += factor w of one row."""
    for first, b in ((0, fact.i), (6, fact.j)):
        if b != 0:
            for m in range(6):
                line[6 * (b - 1) + m] += w[first + m] * factor


@jit
def add_rows_to(model, work, factor, line):
    """Line += W^T factor."""
    for r in range(len(factor)):
        add_row(model.row[r], work.row[r].w, factor[r], line)


@jit
def add_transposed(A, factor, scale, line):
    """Line += scale A^T factor."""
    for i in range(len(factor)):
        f = scale * factor[i]
        if f != 0.0:
            for j in range(len(line)):
                line[j] += f * A[i, j]


@jit
def unclose(model, bar, o, work, lin, end, room):
    """Bars before the projection from those after it, objective o; keeps what parameters are multiplied with.

    room: lines 0 to 3: scratch, y1 (with F of kappa), y2 (with F of sigma); rows: r_g, r_v.
    """
    lines, rows = room
    eta, du = bar.eta[o], bar.du[o]
    y1, y2, scratch = lines[0], lines[1], lines[2]
    r_g, r_v = rows[0], rows[1]
    if len(r_g) > 0:
        residual_bar(model, end.soft[0], du, scratch, work, r_v)
        add_rows_to(model, work, r_v, du)
        add_transposed(end.T, r_v, 1.0, eta)
    weigh(model, du, y2)
    add_transposed(lin.Kfix[1], y2, -1.0, eta)
    if len(r_g) > 0:
        residual_bar(model, end.soft[0], eta, scratch, work, r_g)
        add_rows_to(model, work, r_g, eta)
    weigh(model, eta, y1)
    for m in range(len(eta)):
        scratch[m] = eta[m]
    add_transposed(lin.Kfix[0], y1, -1.0, eta)
    for b in range(len(model.body) - 1):
        at = 6 * b + 3
        turn = cross(load(scratch[at : at + 3]), load(end.place[at : at + 3]))
        for m in range(3):
            eta[at + m] += turn[m]


@jit
def unsolve(model, s, bar, o, W, lin, solver):
    """Bars at the start of the step from those before its projection; solver.x: solution of the transposed system."""
    info, slot, maps, x = model.info[0], solver.slot, solver.maps, solver.x
    n, first = info.bodies - 1, solver.base[0]
    eta, du, da, dz, dw = bar.eta[o], bar.du[o], bar.da[o], bar.dz[o], bar.dw[o]
    e, b_bar = solver.e, solver.b
    for m in range(len(x)):
        x[m] = 0.0
    for b in range(n):
        for m in range(6):
            i = 6 * b + m
            total = du[i] + da[i] / s
            if m < 3:
                total += s * eta[i]
            else:
                for k in range(3):
                    total += maps[2, b, k, m - 3] * eta[6 * b + 3 + k]
            b_bar[i] = -da[i] / s
            x[slot[b + 1] + m] = total if moves(model.body[b + 1], m) else 0.0
            e[i] = eta[i]
    for q in range(info.inner):
        x[first + q] = dz[q] + dw[q] / s
        dz[q], dw[q] = -dw[q] / s, -dw[q]
    solve_transposed(solver.A, solver.band, x)
    for b in range(n):
        for m in range(6):
            if not moves(model.body[b + 1], m):
                x[slot[b + 1] + m] = 0.0
    for b in range(n):
        body = model.body[b + 1]
        for m in range(6):
            i, r = 6 * b + m, x[slot[b + 1] + m]
            if r == 0.0:
                continue
            if m < 3:
                b_bar[i] += body.mass * r
            else:
                for k in range(3):
                    if moves(body, 3 + k):
                        b_bar[6 * b + 3 + k] += body.J[m - 3, k] * r
            for j in range(6 * n):
                e[j] += s * r * lin.K[i, j]
    for r in range(info.bilateral):
        f = x[slot[n + 1 + r]]
        fact, w = model.row[r], W[r]
        for half, b in ((0, fact.i), (6, fact.j)):
            if b != 0:
                for m in range(6):
                    b_bar[6 * (b - 1) + m] += w[half + m] * f
        for j in range(6 * n):
            e[j] -= s * f * lin.Cq[r, j]
    for q in range(info.inner):
        f = x[first + q]
        dz[q] += f
        dw[q] += s * f
        for j in range(6 * n):
            e[j] += s * f * lin.Hq[q, j]
    for b in range(n):
        for m in range(3):
            i, j = 6 * b + m, 6 * b + 3 + m
            eta[i] = e[i]
            du[i] = s * e[i] + b_bar[i]
            turned, spun = 0.0, 0.0
            for k in range(3):
                turned += maps[0, b, k, m] * e[6 * b + 3 + k]
                spun += maps[1, b, k, m] * e[6 * b + 3 + k]
            eta[j] = turned
            du[j] = spun + b_bar[j]
    for m in range(6 * n):
        da[m] = s * b_bar[m]


@jit
def step_back(model, kit, t, h, ends, memory, work, bar, spare, rooms, gradient):
    """Bars of all objectives over one step, backwards, and the parameters' parts; returns False if it is singular.

    rooms = (lines (objectives, 3, 6 n), rows (objectives, 2, closed rows), rows w before the projection).
    """
    P, cw, lin, col, solver, end, wide = kit
    lines, rows, W = rooms
    s, before = 0.5 * h, spare[0]
    objectives, info, count = len(bar.dt), model.info[0], len(P.energy0)
    n = info.bodies - 1
    soft = prepare_step(model, t, h, ends, memory, work, cw, lin, solver, end, spare)
    if soft < 0:
        return False
    # what belongs to the state before the projection, while it is in place
    for k in range(count):
        find_column(model, P, k, t, before, solver.a, solver.a, 1.0, memory, work, cw, col)
        keep_column(P, k, col, wide)
    for r in range(info.bilateral):
        for m in range(12):
            W[r, m] = work.row[r].w[m]
    prepare_closing(model, t, ends[2], memory, work, cw, end)
    find_turns(model, work, lin, end)
    for o in range(objectives):
        unclose(model, bar, o, work, lin, end, (lines[o], rows[o]))
    for k in range(count):
        closing_column(model, P, k, t, memory, work, cw, lin, end)
        for o in range(objectives):
            gradient[o, k] += part_in_closing(P, k, lines[o], rows[o], end)
    for o in range(objectives):
        unsolve(model, s, bar, o, W, lin, solver)
        for k in range(count):
            gradient[o, k] += s * part_in_step(P, k, n, solver, wide)
    return True


@jit
def part_in_closing(P, k, lines, rows, end):
    """The closing column of parameter k times the bars that go with it."""
    total, places, closed = 0.0, touched(P, k, PLACE), touched(P, k, ROW)
    for q in range(len(places)):
        for m in range(6):
            i = 6 * (places[q] - 1) + m
            total -= lines[0, i] * end.F[0, i] + lines[1, i] * end.F[1, i]
    for q in range(len(closed)):
        r = closed[q]
        total += rows[0, r] * end.g[r] + rows[1, r] * end.v[r]
    return total


@jit
def part_in_step(P, k, n, solver, wide):
    """The column of parameter k times the solution of the transposed system."""
    total, x, slot = 0.0, solver.x, solver.slot
    places, rows, inner = touched(P, k, PLACE), touched(P, k, ROW), touched(P, k, INNER)
    for q in range(len(places)):
        b = places[q]
        for m in range(6):
            total += x[slot[b] + m] * wide.F[6 * (b - 1) + m, k]
    for q in range(len(rows)):
        total -= x[slot[n + 1 + rows[q]]] * wide.c[rows[q], k]
    for q in range(len(inner)):
        total += x[solver.base[0] + inner[q]] * wide.H[inner[q], k]
    return total
