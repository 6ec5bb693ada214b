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
from ..assemble.interactions import apply_to_shifts, evaluate_relation
from ..numerics.jit import jit
from ..numerics.vec import cross, load
from .columns import lift, push_column, rate_of, signal_column
from .flow import over_bodies, take_back
from .linear import vary_all
from .params import STEP


class Closing(NamedTuple):
    """Corrections of a step, their multipliers, and what they do to tangents."""

    place: np.ndarray  # (6 n,) c
    speed: np.ndarray  # (6 n,) d
    kappa: np.ndarray  # (closed rows,)
    sigma: np.ndarray
    K: np.ndarray  # (2, 6 n, 6 n) with kappa and with sigma
    T: np.ndarray  # (closed rows, 6 n)
    F: np.ndarray  # (2, 6 n) the parameter's own part
    g: np.ndarray  # (closed rows,)
    v: np.ndarray  # (closed rows,)
    soft: np.ndarray  # (1,) refinements of solutions


def make_closing(model: Model) -> Closing:
    """Zeros."""
    n, rows = 6 * (int(model.info[0]["bodies"]) - 1), int(model.info[0]["bilateral"])
    z = np.zeros
    return Closing(
        *(z(n), z(n), z(rows), z(rows), z((2, n, n)), z((rows, n)), z((2, n)), z(rows), z(rows)),
        np.zeros(1, dtype=np.int64),
    )


@jit
def multipliers_of(model, soft, line, work, out):
    """out = N^-1 W line: the multipliers of a correction M^-1 W^T out = line."""
    fact = model.row[: model.info[0].bilateral]
    over_bodies(line, work.kin)
    apply_to_shifts(fact, work.row, work.kin, work.vector[RHS])
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
def prepare_closing(model, t, before, after, memory, soft, work, cw, lin, end):
    """Rows, factor and matrices at the corrected state; rows and factor of the state before must be in place."""
    rows = model.info[0].bilateral
    corrections(model.info[0].bodies, before, after, end.place, end.speed)
    if rows == 0:
        return
    multipliers_of(model, soft, end.place, work, end.kappa)
    evaluate_closed_rows(model, t, after, memory, work)
    end.soft[0] = factorise(model, 0.0, work)
    multipliers_of(model, end.soft[0], end.speed, work, end.sigma)
    lift(work.kin, cw.kin)
    n = end.K.shape[1]
    for i in range(n):
        for j in range(n):
            end.K[0, i, j], end.K[1, i, j] = 0.0, 0.0
    for r in range(rows):
        for i in range(n):
            end.T[r, i] = 0.0
    for k in range(model.info[0].bilateral_relations):
        c = model.relation[k]
        vary_all(c, work.kin, lin)
        for p in range(c.count):
            r = c.row[p]
            if r >= rows:
                continue
            for a in range(12):
                d, o = (c.i, a) if a < 6 else (c.j, a - 6)
                if d == 0:
                    continue
                at = 6 * (d - 1) + o
                for m in range(12):
                    value = lin.V[a, p, m]
                    end.T[r, at] += value * lin.u[m]
                    b, q = (c.i, m) if m < 6 else (c.j, m - 6)
                    if b != 0:
                        end.K[0, 6 * (b - 1) + q, at] += end.kappa[r] * value
                        end.K[1, 6 * (b - 1) + q, at] += end.sigma[r] * value


@jit
def closing_column(model, P, k, t, memory, work, cw, end):
    """The parameter's own part: turned rows, inertia, g and v."""
    rows = model.info[0].bilateral
    for m in range(end.F.shape[1]):
        end.F[0, m], end.F[1, m] = 0.0, 0.0
    for r in range(rows):
        end.g[r], end.v[r] = 0.0, 0.0
    for n in range(model.info[0].bilateral_relations):
        if P.has_relation[k, n] == 0:
            continue
        c = P.relation[k, n]
        evaluate_relation(c, memory, cw.kin, cw.row)
        for p in range(c.count):
            r = c.row[p]
            if r >= rows:
                continue
            row = cw.row[r]
            push_column(model.row[r], row.w, end.kappa[r], end.F[0])
            push_column(model.row[r], row.w, end.sigma[r], end.F[1])
            end.g[r] += row.g.imag / STEP
            end.v[r] += rate_of(model.row[r], row.w, cw.kin).imag / STEP
    for n in range(len(model.driven)):
        r = model.driven[n]
        s = model.row[r].target
        if P.has_signal[k, s] != 0:
            f, f1, _ = signal_column(model, P, k, s, t, work.stack)
            end.g[r] -= f
            end.v[r] -= f1
    for b in range(1, len(model.body)):
        if P.has_body[k, b] == 0:
            continue
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
def lighten(model, which, eta, line, end):
    """Line -= M^-1 (K eta + F)."""
    for b in range(1, len(model.body)):
        body, at = model.body[b], 6 * (b - 1)
        pull = (
            pulled(end, which, at, eta),
            pulled(end, which, at + 1, eta),
            pulled(end, which, at + 2, eta),
            pulled(end, which, at + 3, eta),
            pulled(end, which, at + 4, eta),
            pulled(end, which, at + 5, eta),
        )
        for m in range(3):
            line[at + m] -= body.minv[m] * pull[m]
            line[at + 3 + m] -= body.Jinv[m, 0] * pull[3] + body.Jinv[m, 1] * pull[4] + body.Jinv[m, 2] * pull[5]


@jit
def pulled(end, which, i, eta):
    """Entry i of K eta + F."""
    total = end.F[which, i]
    for j in range(len(eta)):
        total += end.K[which, i, j] * eta[j]
    return total


@jit
def close_tangent(model, eta, du, spare, work, end):
    """Tangent (eta, du) of the step becomes that of the corrected state; its column must be in ``end``."""
    rows = model.info[0].bilateral
    if rows == 0:
        return
    fact, left = model.row[:rows], work.vector[RHS]
    for m in range(len(eta)):
        spare[m] = eta[m]
    lighten(model, 0, spare, eta, end)
    for b in range(len(model.body) - 1):
        at = 6 * b + 3
        turn = cross(load(end.place[at : at + 3]), load(spare[at : at + 3]))
        for m in range(3):
            eta[at + m] += turn[m]
    over_bodies(eta, work.kin)
    apply_to_shifts(fact, work.row, work.kin, left)
    for r in range(rows):
        left[r] += end.g[r]
    take_back(model, end.soft[0], left, eta, work)
    lighten(model, 1, eta, du, end)
    over_bodies(du, work.kin)
    apply_to_shifts(fact, work.row, work.kin, left)
    for r in range(rows):
        left[r] += end.v[r]
        for m in range(len(eta)):
            left[r] += end.T[r, m] * eta[m]
    take_back(model, end.soft[0], left, du, work)
