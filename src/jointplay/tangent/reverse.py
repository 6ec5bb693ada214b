"""Projections transposed: tangent/closing.py run backwards.

A bar marks the derivative of an objective with respect to a quantity.
"""

from __future__ import annotations

from ..arrays import LAM, RHS
from ..assemble.closed import solve_rows
from ..numerics.jit import jit
from ..numerics.vec import cross, load
from .parameter_sparsity import PLACE, ROW, touched


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
def add_line_of(fact, a, factor, line):
    """Line += factor a, for a line ``a`` that has entries at the bodies of a row only."""
    for b in (fact.i, fact.j):
        if b != 0:
            for m in range(6 * (b - 1), 6 * b):
                line[m] += factor * a[m]


@jit
def take_blocks(lin, A, factor, line):
    """Line -= A^T factor, for a matrix with blocks at pairs of bodies."""
    for n in range(len(lin.pair)):
        i, j = 6 * (lin.pair[n, 0] - 1), 6 * (lin.pair[n, 1] - 1)
        for m in range(6):
            f = factor[i + m]
            for o in range(6):
                line[j + o] -= A[i + m, j + o] * f


@jit
def unclose(model, bar, o, work, lin, T, end, room):
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
        for r in range(len(r_v)):
            add_line_of(model.row[r], T[r], r_v[r], eta)
    weigh(model, du, y2)
    take_blocks(lin, lin.Kfix[1], y2, eta)
    if len(r_g) > 0:
        residual_bar(model, end.soft[0], eta, scratch, work, r_g)
        add_rows_to(model, work, r_g, eta)
    weigh(model, eta, y1)
    for m in range(len(eta)):
        scratch[m] = eta[m]
    take_blocks(lin, lin.Kfix[0], y1, eta)
    for b in range(len(model.body) - 1):
        at = 6 * b + 3
        turn = cross(load(scratch[at : at + 3]), load(end.place[at : at + 3]))
        for m in range(3):
            eta[at + m] += turn[m]


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
