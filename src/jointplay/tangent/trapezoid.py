"""Tangent of a step of Index1: the trapezoidal rule on the linearised index-1 equations (paper E eq. 15 to 17).

This is the exact derivative of the discrete step (methods/index1.py).

With s = h/2, b = du_n + s da_n and the turn of each body eta' = e + B du' (e from the start of the step, both exact for
the quaternion rule of the step), the new tangent solves, mu = s dlam,

    (M - s D - s K B) du' - (W^T + L) mu - s Z dz' = M b + s (K e + F)
    (W + s Cu + s Cq B) du' = W b - s (Cq e + c)
    (1 - s Hz) dz' - s (Hu + Hq B) du' - Hl mu = dz + s dz'_n + s (Hq e + H)

with one factorisation for all parameters; then it is projected like the step itself.
"""

from __future__ import annotations

import numpy as np

from ..arrays import LAM
from ..assemble.closed import prepare
from ..assemble.dynamics import accelerate
from ..assemble.tangent import LEAST, moves
from ..numerics.jit import jit
from ..numerics.lu import BOTTOM, PIVOT, RIGHT, clear_band, factor_band
from .closing import close_tangent, closing_column, find_fixes, prepare_closing
from .columns import find_column, lift
from .linear import linearise
from .touched import INNER, PLACE, ROW, touched


@jit
def quaternion(a, b):
    """Product of two quaternions, scalar first."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@jit
def blend(a, f, b):
    """a + f b."""
    return (a[0] + f * b[0], a[1] + f * b[1], a[2] + f * b[2], a[3] + f * b[3])


@jit
def turn_maps(bodies, s, y, new, size, maps):
    """maps[0], [1], [2]: how the turn at the end follows turn and spin at the start, and the spin at the end.

    ``size``: length of the Euler parameters that the rule gave, before they were normalised.
    """
    shift = 7 * (bodies - 1)
    for b in range(bodies - 1):
        p = (y[7 * b + 3], y[7 * b + 4], y[7 * b + 5], y[7 * b + 6])
        q = (new[7 * b + 3], -new[7 * b + 4], -new[7 * b + 5], -new[7 * b + 6])
        at = shift + 6 * b + 3
        w, v = (0.0, y[at], y[at + 1], y[at + 2]), (0.0, new[at], new[at + 1], new[at + 2])
        f = 1.0 / (1.0 + 0.25 * s * s * (v[1] * v[1] + v[2] * v[2] + v[3] * v[3]))
        scaled = f / size[b]
        for n in range(3):
            e = (0.0, 1.0 if n == 0 else 0.0, 1.0 if n == 1 else 0.0, 1.0 if n == 2 else 0.0)
            half = quaternion(p, e)
            turned = blend(half, 0.5 * s, quaternion(half, w))  # 2 dp + s dp w, dp = p e / 2
            for k in range(2):
                x = turned if k == 0 else (s * half[0], s * half[1], s * half[2], s * half[3])
                out = quaternion(q, blend(x, 0.5 * s, quaternion(x, v)))
                for m in range(3):
                    maps[k, b, m, n] = scaled * out[1 + m]
            out = blend(e, 0.5 * s, quaternion(e, v))
            for m in range(3):
                maps[2, b, m, n] = f * s * out[1 + m]


@jit
def through(line, s, maps, out):
    """out = line (six numbers per body) times the map from new velocities to displacements at the end."""
    for b in range(len(line) // 6):
        at, B = 6 * b, maps[2, b]
        x, y, z = line[at + 3], line[at + 4], line[at + 5]
        for m in range(3):
            out[at + m] = s * line[at + m]
            out[at + 3 + m] = x * B[0, m] + y * B[1, m] + z * B[2, m]


@jit
def spread_line(n, slot, free, line, factor, target):
    """Target += factor line, at the places of unknowns that can move."""
    for d in range(n):
        o, at = slot[d + 1], 6 * d
        for k in range(6):
            target[o + k] += factor * line[at + k] * free[at + k]


@jit
def fill_matrix(model, s, work, lin, solver):
    """Matrix of the step, not factorised."""
    info, A, slot, maps, free = model.info[0], solver.A, solver.slot, solver.maps, solver.free
    n, rows, inner = np.int64(info.bodies) - 1, info.bilateral, info.inner
    clear_band(A, solver.band)
    first, moved = solver.base[0], solver.e
    for b in range(n):
        body = model.body[b + 1]
        for m in range(6):
            i, at = 6 * b + m, slot[b + 1] + m
            if free[i] == 0.0:
                A[at, at] = 1.0
                continue
            line = A[at]
            if s != 0.0:
                through(lin.K[i], s, maps, moved)
                for d in range(n):
                    o = slot[d + 1]
                    for k in range(6):
                        value = lin.D[i, 6 * d + k] + moved[6 * d + k]
                        if value != 0.0:
                            line[o + k] -= s * value * free[6 * d + k]
            if m < 3:
                line[at] += body.mass
            else:
                for k in range(3):
                    line[slot[b + 1] + 3 + k] += body.J[m - 3, k] * free[6 * b + 3 + k]
            if info.rubs > 0:
                for r in range(rows):
                    line[slot[n + 1 + r]] -= lin.L[i, r]
            for q in range(inner):
                line[first + q] -= s * lin.Z[i, q]
    for r in range(rows):
        fact, w, at = model.row[r], work.row[r].w, slot[n + 1 + r]
        weight = 0.0
        if s != 0.0:
            through(lin.Cq[r], s, maps, moved)
        for half, b in ((0, fact.i), (6, fact.j)):
            for k in range(6):
                weight += w[half + k] * work.weighed[r, half + k]
            if b == 0:
                continue
            o, p = slot[b], 6 * (np.int64(b) - 1)
            for k in range(6):
                if free[p + k] != 0.0:
                    A[o + k, at] -= w[half + k]
                    A[at, o + k] += w[half + k]
                    if s != 0.0:
                        A[at, o + k] += s * (lin.Cu[r, p + k] + moved[p + k])
        A[at, at] += LEAST * weight
    for q in range(inner):
        at = first + q
        for k in range(inner):
            A[at, first + k] -= s * lin.Hz[q, k]
        A[at, at] += 1.0
        if s != 0.0:
            through(lin.Hq[q], s, maps, moved)
            spread_line(n, slot, free, moved, -s, A[at])
            spread_line(n, slot, free, lin.Hu[q], -s, A[at])
        for r in range(rows):
            A[at, slot[n + 1 + r]] -= lin.Hl[q, r]


@jit
def dot_line(a, b):
    """a . b."""
    total = 0.0
    for m in range(len(b)):
        total += a[m] * b[m]
    return total


@jit
def start_of_step(model, s, k, eta, du, da, solver, wide):
    """e and b of tangent k (see the module's text) into its column."""
    for b in range(model.info[0].bodies - 1):
        for m in range(3):
            i = 6 * b + m
            wide.E[i, k] = eta[i] + s * du[i]
            total = 0.0
            for n in range(3):
                j = 6 * b + 3 + n
                total += solver.maps[0, b, m, n] * eta[j] + solver.maps[1, b, m, n] * du[j]
            wide.E[i + 3, k] = total
    for m in range(len(da)):
        wide.B[m, k] = du[m] + s * da[m]


@jit
def mass_times(body, b, m, line):
    """Line m of the mass matrix of body b times a line of six numbers per body."""
    if m < 3:
        return body.mass * line[6 * b + m]
    total = 0.0
    for n in range(3):
        if moves(body, 3 + n):
            total += body.J[m - 3, n] * line[6 * b + 3 + n]
    return total


@jit
def keep_column(P, k, col, wide):
    """Column k of all parameters; what it does not touch stays zero."""
    places, rows, inner = touched(P, k, PLACE), touched(P, k, ROW), touched(P, k, INNER)
    for n in range(len(places)):
        for m in range(6):
            i = 6 * (places[n] - 1) + m
            wide.F[i, k] = col.F[i]
    for n in range(len(rows)):
        wide.c[rows[n], k] = col.c[rows[n]]
    for n in range(len(inner)):
        wide.H[inner[n], k] = col.H[inner[n]]


@jit
def add_to(X, i, factor, B, j):
    """Line i of X += factor times line j of B."""
    if factor != 0.0:
        for k in range(X.shape[1]):
            X[i, k] += factor * B[j, k]


@jit
def solve_wide(A, band, X):
    """numerics.lu.solve_band for many right-hand sides at once, the columns of X."""
    n = band.shape[1]
    for k in range(n):
        p = band[PIVOT, k]
        if p != k:
            for c in range(X.shape[1]):
                X[k, c], X[p, c] = X[p, c], X[k, c]
        for i in range(k + 1, band[BOTTOM, k] + 1):
            add_to(X, i, -A[i, k], X, k)
    for m in range(n):
        k = n - 1 - m
        for j in range(k + 1, band[RIGHT, k] + 1):
            add_to(X, k, -A[k, j], X, j)
        inverse = 1.0 / A[k, k]
        for c in range(X.shape[1]):
            X[k, c] *= inverse


@jit
def solve_tangents(model, s, old, work, lin, solver, wide):
    """Right-hand sides of all parameters, then the solutions in wide.X."""
    info, X, slot = model.info[0], wide.X, solver.slot
    n, first = info.bodies - 1, solver.base[0]
    for m in range(X.shape[0]):
        for k in range(X.shape[1]):
            X[m, k] = 0.0
    for b in range(n):
        body = model.body[b + 1]
        for m in range(6):
            i, at = 6 * b + m, slot[b + 1] + m
            if not moves(body, m):
                continue
            if m < 3:
                add_to(X, at, body.mass, wide.B, i)
            else:
                for o in range(3):
                    if moves(body, 3 + o):
                        add_to(X, at, body.J[m - 3, o], wide.B, 6 * b + 3 + o)
            for j in range(6 * n):
                add_to(X, at, s * lin.K[i, j], wide.E, j)
            add_to(X, at, s, wide.F, i)
    for r in range(info.bilateral):
        fact, w, at = model.row[r], work.row[r].w, slot[n + 1 + r]
        for half, b in ((0, fact.i), (6, fact.j)):
            if b != 0:
                for m in range(6):
                    j = 6 * (b - 1) + m
                    add_to(X, at, w[half + m], wide.B, j)
                    add_to(X, at, -s * lin.Cq[r, j], wide.E, j)
        add_to(X, at, -s, wide.c, r)
    for q in range(info.inner):
        for k in range(X.shape[1]):
            X[first + q, k] = old.dz[k, q] + s * old.dw[k, q]
        for j in range(6 * n):
            add_to(X, first + q, s * lin.Hq[q, j], wide.E, j)
        add_to(X, first + q, s, wide.H, q)
    solve_wide(solver.A, solver.band, X)


@jit
def keep_tangent(model, k, s, old, new, solver, wide):
    """New tangent of parameter k from the solution."""
    slot = solver.slot
    for b in range(model.info[0].bodies - 1):
        for m in range(6):
            i = 6 * b + m
            new.du[k, i] = wide.X[slot[b + 1] + m, k]
            new.da[k, i] = (new.du[k, i] - wide.B[i, k]) / s
        for m in range(3):
            new.eta[k, 6 * b + m] = wide.E[6 * b + m, k] + s * new.du[k, 6 * b + m]
            total = wide.E[6 * b + 3 + m, k]
            for n in range(3):
                total += solver.maps[2, b, m, n] * new.du[k, 6 * b + 3 + n]
            new.eta[k, 6 * b + 3 + m] = total
    for q in range(old.dz.shape[1]):
        new.dz[k, q] = wide.X[solver.base[0] + q, k]
        new.dw[k, q] = (new.dz[k, q] - old.dz[k, q] - s * old.dw[k, q]) / s


@jit
def evaluate(model, t, y, memory, work, dy, solver):
    """Everything at a state: rows, factor, forces, multipliers and accelerations; returns refinements."""
    soft = prepare(model, t, y, memory, work)
    accelerate(model, t, y, memory, soft, work, dy)
    for r in range(len(solver.lam)):
        solver.lam[r] = work.vector[LAM, r]
    for b in range(1, len(work.kin)):
        for m in range(6):
            solver.a[6 * (b - 1) + m] = work.kin[b].accel[m]
    return soft


@jit
def restore(solver, work):
    """Multipliers of the state, after the scratch was used."""
    for r in range(len(solver.lam)):
        work.vector[LAM, r] = solver.lam[r]


@jit
def retrace(bodies, s, y, dy, new, rates, size, out):
    """out = the step before its projection, from its start and its rates; ``size`` of its Euler parameters."""
    shift, n = 7 * (bodies - 1), 13 * (bodies - 1)
    for m in range(n):
        out[m] = y[m] + s * dy[m]  # the known part of the rule
    for m in range(n, len(out)):
        out[m] = new[m]
    for m in range(shift, n):
        out[m] += s * rates[m]
    for b in range(bodies - 1):
        q, u = out[7 * b : 7 * b + 7], out[shift + 6 * b : shift + 6 * b + 6]
        for m in range(3):
            q[m] += s * u[m]
        p, w = (q[3], q[4], q[5], q[6]), (0.0, u[3], u[4], u[5])
        f = 1.0 / (1.0 + 0.25 * s * s * (w[1] * w[1] + w[2] * w[2] + w[3] * w[3]))
        p = blend(p, 0.5 * s, quaternion(p, w))
        size[b] = f * np.sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3])
        for m in range(4):
            q[3 + m] = f * p[m] / size[b]


@jit
def prepare_step(model, t, h, ends, memory, work, cw, lin, solver, end, spare):
    """Linearise at the end of a step, before its projection, and factorise; returns refinements, -1 if singular.

    ends = (y, dy, new, rates); spare = (state before the projection, its rates, sizes of Euler parameters).
    """
    s, bodies = 0.5 * h, model.info[0].bodies
    y, dy, new, rates = ends
    before, scratch, size = spare
    retrace(bodies, s, y, dy, new, rates, size, before)
    soft = evaluate(model, t, before, memory, work, scratch, solver)
    find_fixes(model, before, new, soft, work, lin, end)
    restore(solver, work)
    lift(work.kin, cw.kin)
    linearise(model, t, before, solver.a, 1.0, work, lin)
    turn_maps(bodies, s, y, before, size, solver.maps)
    fill_matrix(model, s, work, lin, solver)
    return soft if factor_band(solver.A, solver.band) else -1


@jit
def follow(model, kit, t, h, ends, memory, work, lines, spare):
    """Tangents of all parameters over a step, before its projection; returns False where the matrix is singular."""
    P, cw, lin, col, solver, end, wide = kit
    old, tan = lines
    s, before = 0.5 * h, spare[0]
    soft = prepare_step(model, t, h, ends, memory, work, cw, lin, solver, end, spare)
    if soft < 0:
        return False
    for k in range(len(P.energy0)):
        find_column(model, P, k, t, before, solver.a, solver.a, 1.0, memory, work, cw, col)
        keep_column(P, k, col, wide)
        start_of_step(model, s, k, old.eta[k], old.du[k], old.da[k], solver, wide)
    solve_tangents(model, s, old, work, lin, solver, wide)
    for k in range(len(P.energy0)):
        keep_tangent(model, k, s, old, tan, solver, wide)
    return True


@jit
def close_all(model, kit, t, new, memory, work, tan):
    """Tangents over the projection at the end of the step, which led to the state ``new``."""
    P, cw, lin, _, solver, end, _ = kit
    prepare_closing(model, t, new, memory, work, cw, end)
    for k in range(len(P.energy0)):
        closing_column(model, P, k, t, memory, work, cw, lin, end)
        close_tangent(model, tan.eta[k], tan.du[k], solver.e, work, lin, end)
