"""Tangent of Moreau's midpoint step (methods/moreau_midpoint.py) with joints and held contacts, on its active set.

    q_M = q_A moved by h/2 u_A,   w = u_A + trust h/2 a_A,   q_E = q_M moved by h/2 u_E
    M (u_E - u_A) = h f(q_M, w, z_M, t_M) + W^T P + W_c^T r,      W u_E + drift + h/2 bias(w) = 0

Unknowns of the linearised step are du_E, dP and dr (tangent/contacts.py):

    M du_E - (W^T + L) dP - W_c^T dr = M du_A + h (K e_M + D dw + Z dz_M + F) + dh (f - L lam)
    W du_E = -(Cq e_M + Cu dw + c) - dh bias/2

K with the multipliers P/h. The size h of a step that ends at a wall depends on the parameters. So one more line of the
tangents is the derivative with respect to h itself; and time t_A counts where forces or drives depend on it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import LAM, NONE, RHS, Y_TRY, Model, Work
from ..assemble.closed import evaluate_closed_rows, factorise, solve_rows
from ..assemble.dynamics import find_forces
from ..assemble.forces import acceleration_of
from ..assemble.interactions import evaluate_relation, product
from ..assemble.kinematics import turned
from ..assemble.tangent import moves
from ..codes import Code
from ..methods.moreau_midpoint import glide
from ..numerics.jit import jit
from ..numerics.lu import factor_band, solve_band
from ..numerics.signals import evaluate_signal
from ..numerics.vec import cross, load, mul, tmul
from .contacts import (
    STEP_OF_TIME,
    Active,
    add_contacts,
    along,
    contact_columns,
    fill_contacts,
    press_active,
    right_of_contacts,
    speaks_of,
    take_active,
)
from .linear import linearise
from .matrices import Linear, pairs_of
from .parameter_columns import Column, clear_column, drift_column, find_column, lift
from .params import Params
from .products import row_times
from .stage_matrix import dot_line, fill_matrix, mass_times, quaternion
from .tangent_state import Solver

CONTINUE = int(Code.CONTINUE)


class Halves(NamedTuple):
    """Scratch of a linearised midpoint step."""

    maps: np.ndarray  # (2, 2, n, 3, 3) for both halves: how turns follow turns and spins
    by_h: np.ndarray  # (2, n, 3) and the size of the step
    e: np.ndarray  # (6 n,) displacements at the middle
    du: np.ndarray  # (6 n,) change of the velocity there
    force: np.ndarray  # (6 n,) f
    pull: np.ndarray  # (6 n,) M^-1 of what contacts and joints give
    by_t: np.ndarray  # (6 n,) df/dt
    rows_by_t: np.ndarray  # (rows,) of drift
    still: np.ndarray  # (contacts, 3) change of the velocities before that laws of contacts speak of
    dz: np.ndarray  # (inner,)
    push: np.ndarray  # (6 n,) forces of one tangent
    entry: np.ndarray  # (most, 2) lines and columns at which K or D have entries
    value: np.ndarray  # (most, 2) these
    count: np.ndarray  # type: ignore[assignment]  # (1,) how many there are


class Kit(NamedTuple):
    """All that the kernels of this folder work with: parameters, complex scratch, matrices, columns, the active set."""

    P: Params
    cw: Work
    lin: Linear
    col: Column
    solver: Solver
    act: Active
    half: Halves


def make_halves(model: Model) -> Halves:
    """Zeros."""
    info = model.info[0]
    b, rows = int(info["bodies"]) - 1, int(info["measure"]) + 1
    z, most = np.zeros, 36 * len(pairs_of(model))
    return Halves(
        *(z((2, 2, b, 3, 3)), z((2, b, 3)), z(6 * b), z(6 * b), z(6 * b), z(6 * b), z(6 * b)),
        *(z(rows), z((len(model.contact), 3)), z(int(info["inner"])), z(6 * b)),
        *(z((most, 2), dtype=np.int64), z((most, 2)), z(1, dtype=np.int64)),
    )


@jit
def turn_factors(square):
    """sin x/x, (1 - cos x)/x^2 and (x - sin x)/x^3 for ``square`` = x^2."""
    q = square
    if q < 0.01:
        return (
            1.0 - q * (1.0 / 6.0 - q * (1.0 / 120.0 - q * (1.0 / 5040.0 - q / 362880.0))),
            0.5 - q * (1.0 / 24.0 - q * (1.0 / 720.0 - q * (1.0 / 40320.0 - q / 3628800.0))),
            1.0 / 6.0 - q * (1.0 / 120.0 - q * (1.0 / 5040.0 - q * (1.0 / 362880.0 - q / 39916800.0))),
        )
    x = np.sqrt(q)
    half = np.sin(0.5 * x) / x
    return np.sin(x) / x, 2.0 * half * half, (x - np.sin(x)) / (q * x)


@jit
def seen_from(d, t, out):
    """out = a turn t seen from axes that differ by the quaternion d: vec(d t)."""
    c = cross((d[1], d[2], d[3]), t)
    for m in range(3):
        out[m] = d[0] * t[m] + c[m]


@jit
def move_maps(bodies, y, u, h, end, which, half):
    """Derivatives of a motion by h u from y to ``end`` (its turns only): maps[which], by_h[which].

    A turn e before the motion is R^T e after it, R that of the rotation vector r = h w; a change of w counts with h
    times the right Jacobian of the exponential map:

        R^T = 1 - s [r] + b [r]^2,      J = 1 - b [r] + c [r]^2,      s = sin x/x, b = (1 - cos x)/x^2, x = |r|
    """
    maps = half.maps[which]
    for k in range(bodies - 1):
        p = (y[7 * k + 3], y[7 * k + 4], y[7 * k + 5], y[7 * k + 6])
        q = (end[7 * k + 3], -end[7 * k + 4], -end[7 * k + 5], -end[7 * k + 6])
        w = (u[6 * k + 3], u[6 * k + 4], u[6 * k + 5])
        d = quaternion(q, turned(p, w, h))  # what came after the motion
        r = (h * w[0], h * w[1], h * w[2])
        s, b, c = turn_factors(r[0] * r[0] + r[1] * r[1] + r[2] * r[2])
        column = half.by_h[which, k]
        for n in range(3):
            e = (1.0 if n == 0 else 0.0, 1.0 if n == 1 else 0.0, 1.0 if n == 2 else 0.0)
            one = cross(r, e)
            two = cross(r, one)
            t = (e[0] - s * one[0] + b * two[0], e[1] - s * one[1] + b * two[1], e[2] - s * one[2] + b * two[2])
            seen_from(d, t, column)
            for m in range(3):
                maps[0, k, m, n] = column[m]
            t = (e[0] - b * one[0] + c * two[0], e[1] - b * one[1] + c * two[1], e[2] - b * one[2] + c * two[2])
            seen_from(d, t, column)
            for m in range(3):
                maps[1, k, m, n] = h * column[m]
        seen_from(d, w, column)


@jit
def find_entries(lin, half):
    """List the entries of K and D: each line of the tangents meets them, and most are zero."""
    count = 0
    for n in range(len(lin.pair)):
        first, second = 6 * (lin.pair[n, 0] - 1), 6 * (lin.pair[n, 1] - 1)
        for i in range(first, first + 6):
            for j in range(second, second + 6):
                if lin.K[i, j] != 0.0 or lin.D[i, j] != 0.0:
                    half.entry[count, 0], half.entry[count, 1] = i, j
                    half.value[count, 0], half.value[count, 1] = lin.K[i, j], lin.D[i, j]
                    count += 1
    half.count[0] = count


@jit
def moved(bodies, h, u, eta, du, dh, which, half, out):
    """out = displacements after a motion by h u."""
    for b in range(bodies - 1):
        for m in range(3):
            i, j = 6 * b + m, 6 * b + 3 + m
            out[i] = eta[i] + h * du[i] + dh * u[i]
            total = dh * half.by_h[which, b, m]
            for n in range(3):
                total += half.maps[which, 0, b, m, n] * eta[6 * b + 3 + n]
                total += half.maps[which, 1, b, m, n] * du[6 * b + 3 + n]
            out[j] = total


@jit
def find_multipliers(model, h, u, new, soft, work, half):
    """LAM = P/h from the change of velocities; half.force = f. Forces of laws stand in kin.force and row.lam."""
    info = model.info[0]
    for k in range(info.rubs):
        c, slide = model.rub[k], work.slide[k]
        for p in range(c.count):
            r = c.row[p]
            lam = slide.force[p] * c.lever[p]
            work.row[r].lam = lam
            for first, b in ((0, model.row[r].i), (6, model.row[r].j)):
                for m in range(6):
                    work.kin[b].force[m] += lam * work.row[r].w[first + m]
    for b in range(1, len(work.kin)):
        for m in range(6):
            half.force[6 * (b - 1) + m] = work.kin[b].force[m]
    for c in range(len(model.contact)):
        t, law = work.touch[c], model.contact[c]
        if t.place == NONE:
            continue
        for m in range(law.brake, info.dim):
            r, lam = law.row[m], t.impulse[m] * (law.sign if m == 0 else 1.0) / h
            for first, b in ((0, model.row[r].i), (6, model.row[r].j)):
                for n in range(6):
                    work.kin[b].force[n] += lam * work.row[r].w[first + n]
    acceleration_of(model.info[0].planar, model.body, work.kin)
    for b in range(1, len(work.kin)):
        for m in range(6):
            i = 6 * (b - 1) + m
            work.kin[b].accel[m] = (new[i] - u[i]) / h - work.kin[b].accel[m]
    for m in range(6):
        work.kin[0].accel[m] = 0.0
    if info.bilateral > 0:
        for r in range(info.bilateral):
            fact = model.row[r]
            work.vector[RHS, r] = product(work.row[r].w, work.kin[fact.i].accel, work.kin[fact.j].accel)
        solve_rows(model, max(soft, 1), work)


@jit
def time_parts(model, t, work, half):
    """Explicit time: df/dt of loads and d(drift)/dt of drives."""
    for m in range(len(half.by_t)):
        half.by_t[m] = 0.0
    for m in range(len(half.rows_by_t)):
        half.rows_by_t[m] = 0.0
    for k in range(len(model.load)):
        c = model.load[k]
        rates = (0.0, 0.0, 0.0)
        for m in range(3):
            if c.signal[m] != NONE:
                _, f1, _ = evaluate_signal(model.signal[c.signal[m]], model.code, model.number, work.stack, t)
                rates = (
                    f1 if m == 0 else rates[0],
                    f1 if m == 1 else rates[1],
                    f1 if m == 2 else rates[2],
                )
        A, at = work.kin[c.body].A, 6 * (c.body - 1)
        if c.is_torque:
            moment = rates if c.in_body_axes else tmul(A, rates)
        else:
            pushed = mul(A, rates) if c.in_body_axes else rates
            moment = cross(load(c.point), tmul(A, pushed))
            for m in range(3):
                half.by_t[at + m] += pushed[m]
        for m in range(3):
            half.by_t[at + 3 + m] += moment[m]
    for k in range(len(model.driven)):
        r = model.driven[k]
        _, _, f2 = evaluate_signal(model.signal[model.row[r].target], model.code, model.number, work.stack, t)
        half.rows_by_t[r] = -f2


@jit
def prepare_glide(model, span, y, new, memory, work, cw, lin, solver, act, half):
    """Linearise at the middle of a glide that has just been taken (its trial state in Y_TRY) and factorise."""
    t, h, _ = span
    info = model.info[0]
    bodies, shift = info.bodies, 7 * (info.bodies - 1)
    trial = work.stage[Y_TRY]
    u, u_new = y[shift:], new[shift:]
    take_active(model, work, act)
    evaluate_closed_rows(model, t + 0.5 * h, trial, memory, work)
    soft = factorise(model, 0.0, work)
    find_forces(model, t + 0.5 * h, trial, memory, work)
    evaluate_active(model, memory, work)
    find_multipliers(model, h, u, u_new, soft, work, half)
    lift(work.kin, cw.kin)
    linearise(model, t + 0.5 * h, trial, u_new, 0.5 * h, work, lin)
    add_contacts(model, memory, h, 0.5 * h, STEP_OF_TIME, u, u_new, work, lin, act)
    find_entries(lin, half)
    for i in range(6 * (bodies - 1)):
        solver.a[i] = (u_new[i] - u[i]) / h
    time_parts(model, t + 0.5 * h, work, half)
    move_maps(bodies, y, u, 0.5 * h, trial, 0, half)
    move_maps(bodies, trial, u_new, 0.5 * h, new, 1, half)
    fill_matrix(model, 0.0, work, lin, solver)
    if len(model.contact) > 0:
        press_active(model, t + 0.5 * h, trial, work, lin, act)
        fill_contacts(model, work, lin, solver, act)
    return factor_band(solver.A, solver.band)


@jit
def evaluate_active(model, memory, work):
    """Rows of the contacts that act, at the bodies' present places."""
    for c in range(len(model.contact)):
        if work.touch[c].place != NONE:
            evaluate_relation(model.relation[model.contact[c].relation], memory, work.kin, work.row)


@jit
def carry(model, kit, k, span, dh, y, dy, new, memory, work, old, tan):
    """Tangent line k over the glide; k = number of parameters: with respect to h alone."""
    P, cw, lin, col, solver, act, half = kit
    t, h, trust = span
    info, x, slot = model.info[0], solver.x, solver.slot
    n, shift = info.bodies - 1, 7 * (info.bodies - 1)
    u, u_new, e, du = y[shift:], new[shift:], half.e, half.du
    own = k < len(P.energy0)
    moved(info.bodies, 0.5 * h, u, old.eta[k], old.du[k], 0.5 * dh, 0, half, e)
    for i in range(6 * n):
        du[i] = old.du[k, i] + 0.5 * trust * (h * old.da[k, i] + dh * dy[shift + i])
    for q in range(info.inner):
        half.dz[q] = old.dz[k, q] + 0.5 * trust * (h * old.dw[k, q] + dh * dy[13 * n + q])
    if own:
        find_column(model, P, k, t + 0.5 * h, work.stage[Y_TRY], u_new, solver.a, 0.5 * h, memory, work, cw, col)
        drift_column(model, P, k, t + 0.5 * h, cw, col)
        if len(model.contact) > 0:
            contact_columns(model, P, k, h, 0.5 * h, STEP_OF_TIME, u, u_new, memory, work, cw, col, act)
    else:
        clear_column(col)
        for c in range(len(model.contact)):
            for m in range(3):
                act.column[c, m] = 0.0
    late = old.dt[k] + 0.5 * dh
    push = half.push
    for i in range(6 * n):
        push[i] = col.F[i] + half.by_t[i] * late
    for q in range(half.count[0]):
        i, j = half.entry[q, 0], half.entry[q, 1]
        push[i] += half.value[q, 0] * e[j] + half.value[q, 1] * du[j]
    for b in range(n):
        body = model.body[b + 1]
        for m in range(6):
            i = 6 * b + m
            if not moves(body, m):
                x[slot[b + 1] + m] = 0.0
                continue
            value = mass_times(body, b, m, old.du[k]) + dh * half.force[i]
            value += h * (push[i] + dot_line(lin.Z[i], half.dz))
            if dh != 0.0 and info.rubs > 0:
                for r in range(info.bilateral):
                    value -= dh * lin.L[i, r] * work.vector[LAM, r]
            x[slot[b + 1] + m] = value
    for r in range(info.bilateral):
        fact = model.row[r]
        value = row_times(fact, lin.Cq, r, e) + row_times(fact, lin.Cu, r, du) + col.c[r]
        value += 0.5 * dh * work.row[r].bias + late * half.rows_by_t[r]
        x[slot[n + 1 + r]] = -value
    for q in range(info.inner):
        x[solver.base[0] + q] = 0.0
    if len(model.contact) > 0:
        if dh != 0.0:
            for c in range(len(model.contact)):
                law = model.contact[c]
                for m in range(law.brake, info.dim):
                    if act.on[c]:
                        sign = law.sign if m == 0 else 1.0
                        _, f = speaks_of(c, m, STEP_OF_TIME, law, act)
                        act.column[c, m] += 0.5 * dh * f * sign * work.row[law.row[m]].bias
        for c in range(len(model.contact)):
            for m in range(1, info.dim):
                r = model.contact[c].row[m]
                half.still[c, m] = along(model.row[r], work.row[r].w, old.du[k]) if act.mean[c] else 0.0
        right_of_contacts(model, P, k if own else -1, h, dh, e, du, half.still, lin, solver, act)
    solve_band(solver.A, solver.band, x)
    for b in range(n):
        for m in range(6):
            i = 6 * b + m
            tan.du[k, i] = x[slot[b + 1] + m]
            tan.da[k, i] = (tan.du[k, i] - old.du[k, i] - dh * solver.a[i]) / h
    moved(info.bodies, 0.5 * h, u_new, e, tan.du[k], 0.5 * dh, 1, half, tan.eta[k])
    for q in range(info.inner):
        rate = dot_line(lin.Hq[q], e) + dot_line(lin.Hu[q], du) + dot_line(lin.Hz[q], half.dz) + col.H[q]
        for r in range(info.bilateral):
            rate += lin.Hl[q, r] * (x[slot[n + 1 + r]] - dh * work.vector[LAM, r]) / h
        tan.dw[k, q] = rate
        tan.dz[k, q] = old.dz[k, q] + h * rate + dh * (new[13 * n + q] - y[13 * n + q]) / h
    tan.dt[k] = old.dt[k] + dh


@jit
def glide_again(model, kit, span, start, end, memory, settings, work):
    """Take a glide once more and linearise it; False where that fails."""
    _, cw, lin, _, solver, act, half = kit
    y, dy = start
    new, rates = end
    if glide(model, span, (y, dy, new, rates), memory, settings, work) != CONTINUE:
        return False
    return prepare_glide(model, span, y, new, memory, work, cw, lin, solver, act, half)
