"""A stage that is assembled once and carries tangents forwards or bars backwards: a list of linear assignments.

Small changes stand in registers, lines of numbers, with a column for each parameter (or, backwards, objective). A
stage lists what happens to them, to all columns at a time,

    PUT     line[i] += value line[j]               SET     line[i] = value line[j]
    SOLVE   line[i:] = A^-1 line[i:]               A: matrix of the stage (tangent/stage_matrix.py), factorised
    ROWS    line[i:] = N^-1 line[i:]               N = W M^-1 W^T of the closed rows
    NORMALS line[i:] = D^-1 line[i:]               D: replies of held contacts along their normals

and beside it what each parameter adds to registers that are zero before (``part``). Forwards the list is followed as it
stands. Backwards it is followed from its end, each assignment transposed,

    bar[j] += value bar[i];      bar[j] += value bar[i], bar[i] = 0 before;      A^-T, N^-1 and D^-1

and parts times bars join the gradient. So no transposed of a stage is written by hand.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import ANSWER, INDEX, LAM, RHS, Model
from ..assemble.closed import solve_rows
from ..assemble.rigid_contacts import solve_normals
from ..assemble.tangent import moves
from ..numerics.cones import BEST
from ..numerics.jit import jit, readable
from ..numerics.lu import BLOCK, add_line, set_line
from .matrices import pairs_of
from .parameter_sparsity import PLACE, ROW, touched
from .tangent_state import Solver, solve_unknowns, solve_unknowns_back, ways_of

PUT, SET, SOLVE, ROWS, NORMALS = range(5)
HERE, OTHER = 0, 1  # states that a stage may read; it changes the first
NOWHERE = -1  # the register of what is not wanted

entry_dtype = np.dtype([("op", INDEX), ("i", INDEX), ("j", INDEX), ("value", np.float64)], align=True)
part_dtype = np.dtype([("k", INDEX), ("i", INDEX), ("value", np.float64)], align=True)
_POINT = ("eta", "du", "da", "dz", "dw", "dt")
_OWN = ("e", "v", "z", "r", "x", "f", "s", "g", "w", "q", "late", "growth")
registers_dtype = np.dtype([*((name, np.int64, 2) for name in _POINT), *((name, np.int64) for name in _OWN)])


class Program(NamedTuple):
    """The list of a stage, and its registers."""

    entry: np.ndarray  # (most,)
    part: np.ndarray  # (most,) what parameters add: number of the parameter, register, value
    count: np.ndarray  # type: ignore[assignment]  # (3,) entries, parts, 1 if the other state is read
    line: np.ndarray  # (registers, columns): whole blocks of them (numerics/lu.py)
    sizes: np.ndarray  # (objectives,) bars of the size of a step
    gradient: np.ndarray  # (objectives, parameters)
    way: np.ndarray  # the ways in which a body can move, of six (tangent_state.py)
    at: np.ndarray  # (1,) where registers begin: of two states (tangent_state.py), then those of a stage:
    #   e, f, s (6 n) places, forces, scratch; v (6 n) velocities; z, r (inner); x (unknowns); g, w (closed rows);
    #   q (contacts); late, growth: shifts of the instant and of the size of the step


def make_program(model: Model, parameters: int, solver: Solver, objectives: int = 0) -> Program:
    """Room for the longest list that a stage may have."""
    info = model.info[0]
    n, inner, rows, c = int(info["bodies"]) - 1, int(info["inner"]), int(info["bilateral"]), len(model.contact)
    sizes = {"eta": 6 * n, "du": 6 * n, "da": 6 * n, "dz": inner, "dw": inner, "dt": 1}
    sizes |= {name: 6 * n for name in "evfs"} | {"z": inner, "r": inner, "x": len(solver.x)}
    sizes |= {"g": rows, "w": rows, "q": c, "late": 1, "growth": 1}
    at, last = np.zeros(1, dtype=registers_dtype), 0
    for which in (HERE, OTHER):
        for name in _POINT:
            at[name][0, which] = last
            last += sizes[name]
    for name in _OWN:
        at[name] = last
        last += sizes[name]
    pairs = len(pairs_of(model))
    most = 260 * n + 240 * pairs + 300 * rows + 6 * n * (inner + 8 * c) + inner * (13 * n + inner + rows + 4)
    most += c * (400 + rows) + 6 * n * len(model.rub) * 2 + 100
    parts = parameters * (24 * n + 6 * rows + inner + 6 * c)
    columns = BLOCK * -(-(objectives or parameters + 1) // BLOCK)
    return readable(
        Program(
            *(np.zeros(most, dtype=entry_dtype), np.zeros(parts, dtype=part_dtype)),
            *(np.zeros(3, dtype=np.int64), np.zeros((last, columns)), np.zeros(objectives)),
            *(np.zeros((objectives, parameters)), ways_of(model), at),
        )
    )


@jit
def start_list(prog, reads_other):
    """Nothing listed, no parameter has a part. ``reads_other``: a second state takes part in the stage."""
    prog.count[0], prog.count[1], prog.count[2] = 0, 0, 1 if reads_other else 0


@jit
def add_entry(prog, op, i, value, j):
    """One more entry. One that finds no room is counted all the same: ``fits`` tells."""
    n = prog.count[0]
    prog.count[0] = n + 1
    if n < len(prog.entry):
        c = prog.entry[n]
        c.op, c.i, c.j, c.value = op, i, j, value


@jit
def fits(prog):
    """True if all entries and parts have found room."""
    return prog.count[0] <= len(prog.entry) and prog.count[1] <= len(prog.part)


@jit
def put(prog, i, value, j):
    """line[i] += value line[j]; nothing stands at NOWHERE."""
    if value != 0.0 and j != NOWHERE:
        add_entry(prog, PUT, i, value, j)


@jit
def put_row(prog, i, factor, fact, w, j):
    """line[i] += factor w . (six numbers per body from j on)."""
    for first, b in ((0, fact.i), (6, fact.j)):
        if b != 0:
            for m in prog.way:
                put(prog, i, factor * w[first + m], j + 6 * (b - 1) + m)


@jit
def put_column(prog, i, factor, fact, w, j):
    """Six numbers per body from i on += factor w line[j]."""
    for first, b in ((0, fact.i), (6, fact.j)):
        if b != 0:
            for m in prog.way:
                put(prog, i + 6 * (b - 1) + m, factor * w[first + m], j)


@jit
def put_line(prog, i, factor, fact, a, j):
    """line[i] += factor a . (from j on), for a line ``a`` of six numbers per body with entries at those of a row."""
    for b in (fact.i, fact.j):
        if b != 0:
            for m in prog.way:
                at = 6 * (b - 1) + m
                put(prog, i, factor * a[at], j + at)


@jit
def put_lines(prog, i, factor, A, j):
    """From i on += factor A (from j on)."""
    for a in range(A.shape[0]):
        for b in range(A.shape[1]):
            put(prog, i + a, factor * A[a, b], j + b)


@jit
def put_blocks(prog, i, factor, pair, A, j):
    """From i on += factor A (from j on), for a matrix with blocks at pairs of bodies."""
    for n in range(len(pair)):
        for m in prog.way:
            a = 6 * (pair[n, 0] - 1) + m
            for o in prog.way:
                b = 6 * (pair[n, 1] - 1) + o
                put(prog, i + a, factor * A[a, b], j + b)


@jit
def put_weighed(model, prog, i, factor, j):
    """From i on += factor M^-1 (from j on)."""
    for b in range(1, len(model.body)):
        body, at = model.body[b], 6 * (b - 1)
        for m in range(3):
            put(prog, i + at + m, factor * body.minv[m], j + at + m)
            for n in range(3):
                put(prog, i + at + 3 + m, factor * body.Jinv[m, n], j + at + 3 + n)


@jit
def put_forces(model, prog, solver, factor, lin, A, j):
    """Equations of bodies += factor A (from j on), where they can move; blocks at pairs of bodies."""
    for n in range(len(lin.pair)):
        p, q = lin.pair[n, 0], lin.pair[n, 1]
        for m in prog.way:
            if moves(model.body[p], m):
                i, a = prog.at[0].x + solver.slot[p] + m, 6 * (p - 1) + m
                for o in prog.way:
                    b = 6 * (q - 1) + o
                    put(prog, i, factor * A[a, b], j + b)


@jit
def put_inner(model, prog, solver, factor, Z, j):
    """Equations of bodies += factor Z (from j on), where they can move."""
    if model.info[0].inner > 0:
        for b in range(1, len(model.body)):
            for m in prog.way:
                if moves(model.body[b], m):
                    i = prog.at[0].x + solver.slot[b] + m
                    for q in range(Z.shape[1]):
                        put(prog, i, factor * Z[6 * (b - 1) + m, q], j + q)


@jit
def put_mass(model, prog, solver, j):
    """Equations of bodies += M (from j on), where they can move."""
    for b in range(1, len(model.body)):
        body, at, i = model.body[b], j + 6 * (b - 1), prog.at[0].x + solver.slot[b]
        for m in prog.way:
            if not moves(body, m):
                continue
            if m < 3:
                put(prog, i + m, body.mass, at + m)
                continue
            for n in range(3):
                if moves(body, 3 + n):
                    put(prog, i + m, body.J[m - 3, n], at + 3 + n)


@jit
def set_bodies(model, prog, solver, i, value):
    """Six numbers per body from i on = value times the solution."""
    for b in range(1, len(model.body)):
        for m in prog.way:
            add_entry(prog, SET, i + 6 * (b - 1) + m, value, prog.at[0].x + solver.slot[b] + m)


@jit
def put_solve(prog, solver):
    """Unknowns = A^-1 of the right-hand sides."""
    add_entry(prog, SOLVE, prog.at[0].x, 0.0, len(solver.x))


@jit
def put_rows(model, prog, soft, i):
    """From i on = N^-1 of what stands there."""
    if model.info[0].bilateral > 0:
        add_entry(prog, ROWS, i, float(max(soft, 1)), model.info[0].bilateral)


@jit
def take_rows_back(model, prog, work, factor, j, i):
    """Six numbers per body from i on -= factor M^-1 W^T (from j on)."""
    for r in range(model.info[0].bilateral):
        put_column(prog, i, -factor, model.row[r], work.weighed[r], j + r)


@jit
def add_part(prog, k, i, value):
    """Parameter k adds ``value`` to register i."""
    if value == 0.0:
        return
    n = prog.count[1]
    prog.count[1] = n + 1
    if n < len(prog.part):
        c = prog.part[n]
        c.k, c.i, c.value = k, i, value


@jit
def add_force_parts(model, P, k, prog, solver, factor, F):
    """What parameter k adds to the equations of bodies: its forces, where they can move."""
    places = touched(P, k, PLACE)
    for q in range(len(places)):
        b = places[q]
        for m in range(6):
            if moves(model.body[b], m):
                add_part(prog, k, prog.at[0].x + solver.slot[b] + m, factor * F[6 * (b - 1) + m])


@jit
def add_closed_parts(P, k, prog, solver, bodies, factor, values):
    """What parameter k adds to the equations of closed rows, which follow those of so many bodies."""
    rows = touched(P, k, ROW)
    for q in range(len(rows)):
        add_part(prog, k, prog.at[0].x + solver.slot[bodies + 1 + rows[q]], factor * values[rows[q]])


@jit
def add_parts(prog, k, i, values):
    """What parameter k adds to registers from i on."""
    for m in range(len(values)):
        add_part(prog, k, i + m, values[m])


@jit
def take_state(prog, which, tan, first, last):
    """Registers of a state = lines ``first`` to ``last`` of tangents or bars, as columns; the last fills its block."""
    line, at = prog.line, prog.at[0]
    eta, du, da, dz, dw = at.eta[which], at.du[which], at.da[which], at.dz[which], at.dw[which]
    for c in range(BLOCK * blocks_of(last - first)):
        k = min(first + c, last - 1)
        for b in range(0, tan.eta.shape[1], 6):
            for m in prog.way:
                n = b + m
                line[eta + n, c], line[du + n, c], line[da + n, c] = tan.eta[k, n], tan.du[k, n], tan.da[k, n]
        for n in range(tan.dz.shape[1]):
            line[dz + n, c], line[dw + n, c] = tan.dz[k, n], tan.dw[k, n]
        line[at.dt[which], c] = tan.dt[k]


@jit
def give_state(prog, which, tan, first, last):
    """Lines ``first`` to ``last`` of tangents or bars = registers of a state."""
    line, at = prog.line, prog.at[0]
    eta, du, da, dz, dw = at.eta[which], at.du[which], at.da[which], at.dz[which], at.dw[which]
    for k in range(first, last):
        c = k - first
        for b in range(0, tan.eta.shape[1], 6):
            for m in prog.way:
                n = b + m
                tan.eta[k, n], tan.du[k, n], tan.da[k, n] = line[eta + n, c], line[du + n, c], line[da + n, c]
        for n in range(tan.dz.shape[1]):
            tan.dz[k, n], tan.dw[k, n] = line[dz + n, c], line[dw + n, c]
        tan.dt[k] = line[at.dt[which], c]


@jit
def blocks_of(columns):
    """In how many blocks columns stand."""
    return (columns + BLOCK - 1) // BLOCK


@jit
def open_registers(prog, other, tan, first, last):
    """Lines ``first`` to ``last`` of both states; all that a stage has of its own is zero."""
    line, columns = prog.line, BLOCK * blocks_of(last - first)
    take_state(prog, HERE, tan, first, last)
    if prog.count[2]:
        take_state(prog, OTHER, other, first, last)
    for i in range(prog.at[0].e, len(line)):
        for c in range(columns):
            line[i, c] = 0.0


@jit
def solve_closed(model, soft, i, size, columns, line, work):
    """Lines from i on = N^-1 of what stands there, column by column."""
    for c in range(columns):
        for r in range(size):
            work.vector[RHS, r] = line[i + r, c]
        solve_rows(model, soft, work)
        for r in range(size):
            line[i + r, c] = work.vector[LAM, r]


@jit
def push_normals(model, i, size, columns, line, work):
    """Lines from i on = D^-1 of what stands there, column by column."""
    for c in range(columns):
        for a in range(size):
            work.pivot[BEST, a] = line[i + a, c]
        solve_normals(model, size, work)
        for a in range(size):
            line[i + a, c] = work.problem[ANSWER, a]


@jit
def follow(model, prog, solver, columns, work):
    """All entries, forwards."""
    line, blocks = prog.line, blocks_of(columns)
    for n in range(prog.count[0]):
        entry = prog.entry[n]
        i, j, value = np.int64(entry.i), np.int64(entry.j), entry.value
        if entry.op == PUT:
            add_line(line, i, value, j, blocks)
        elif entry.op == SET:
            set_line(line, i, value, j, blocks)
        elif entry.op == SOLVE:
            solve_unknowns(solver, line[i : i + j], blocks)
        elif entry.op == ROWS:
            solve_closed(model, np.int64(value), i, j, columns, line, work)
        else:
            push_normals(model, i, j, columns, line, work)


@jit
def go_back(model, prog, solver, columns, work):
    """All entries transposed, from the last one on."""
    line, blocks = prog.line, blocks_of(columns)
    for q in range(prog.count[0]):
        entry = prog.entry[prog.count[0] - 1 - q]
        i, j, value = np.int64(entry.i), np.int64(entry.j), entry.value
        if entry.op == PUT:
            add_line(line, j, value, i, blocks)
        elif entry.op == SET:
            for c in range(columns):
                bar = line[i, c]
                line[i, c] = 0.0
                line[j, c] += value * bar
        elif entry.op == SOLVE:
            solve_unknowns_back(solver, line[i : i + j], blocks)
        elif entry.op == ROWS:
            solve_closed(model, np.int64(value), i, j, columns, line, work)
        else:
            push_normals(model, i, j, columns, line, work)


@jit
def carry(model, kit, columns, part, work, other, before, tan):
    """Tangents ``before`` of all parameters over the stage that is listed, to ``tan``.

    ``columns``: as many as parameters, or one more, which is that of the size of the step; ``part`` of it belongs to
    the stage.
    """
    prog, count = kit.prog, len(kit.P.energy0)
    open_registers(prog, other, before, 0, columns)
    if columns > count:
        prog.line[prog.at[0].growth, count] = part
    for n in range(prog.count[1]):
        prog.line[prog.part[n].i, prog.part[n].k] += prog.part[n].value
    follow(model, prog, kit.solver, columns, work)
    give_state(prog, HERE, tan, 0, columns)


@jit
def carry_one(model, kit, k, own, work, tan):
    """Line k of tangents alone over the stage that is listed, in column 0; ``own``: with the parts of parameter k."""
    prog = kit.prog
    open_registers(prog, tan, tan, k, k + 1)
    for n in range(prog.count[1] if own else 0):
        if prog.part[n].k == k:
            prog.line[prog.part[n].i, 0] += prog.part[n].value
    follow(model, prog, kit.solver, 1, work)
    give_state(prog, HERE, tan, k, k + 1)


@jit
def carry_back(model, kit, part, work, other, bar):
    """Bars of all objectives before the stage that is listed from those after it; those of the other state gain.

    prog.sizes gain the bars of the size of the step, of which ``part`` belongs to the stage.
    """
    prog, columns = kit.prog, len(bar.dt)
    open_registers(prog, other, bar, 0, columns)
    go_back(model, prog, kit.solver, columns, work)
    if prog.count[2]:
        give_state(prog, OTHER, other, 0, columns)
    give_state(prog, HERE, bar, 0, columns)
    for o in range(columns):
        prog.sizes[o] += part * prog.line[prog.at[0].growth, o]
        for n in range(prog.count[1]):
            prog.gradient[o, prog.part[n].k] += prog.part[n].value * prog.line[prog.part[n].i, o]
