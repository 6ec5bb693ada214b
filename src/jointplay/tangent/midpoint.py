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
from ..assemble.kinematics import move_in, turned
from ..assemble.tangent import moves
from ..codes import Code
from ..methods.moreau_midpoint import glide
from ..numerics.jit import jit
from ..numerics.vec import cross
from .by_time import forces_by_time, rows_by_time
from .contacts import (
    STEP_OF_TIME,
    Active,
    add_contact_parts,
    add_contacts,
    contact_columns,
    list_contacts,
    press_active,
    take_active,
)
from .equations import add_equation_parts, factor_stage, list_equations
from .linear import linearise
from .matrices import Linear
from .parameter_columns import Column, drift_column, find_column, lift
from .params import Params
from .program import (
    HERE,
    NOWHERE,
    SET,
    Program,
    add_entry,
    fits,
    put,
    put_mass,
    put_solve,
    set_bodies,
    start_list,
)
from .stage_matrix import quaternion
from .tangent_state import Solver

CONTINUE = int(Code.CONTINUE)


class Halves(NamedTuple):
    """Scratch of a linearised midpoint step."""

    maps: np.ndarray  # (2, 2, n, 3, 3) for both halves: how turns follow turns and spins
    by_h: np.ndarray  # (2, n, 3) and the size of the step
    force: np.ndarray  # (6 n,) f
    # what depends on time itself (tangent/by_time.py)
    by_t: np.ndarray  # (6 n,) of f
    given_by_t: np.ndarray  # (6 n,) of the part of f whose power is input
    inner_by_t: np.ndarray  # (inner states,) of their rates
    rows_by_t: np.ndarray  # (rows,) of drift
    bends_by_t: np.ndarray  # (rows,) of bias


class Kit(NamedTuple):
    """All that the kernels of this folder work with: parameters, complex scratch, matrices, columns, the active set."""

    P: Params
    cw: Work
    lin: Linear
    col: Column
    solver: Solver
    act: Active
    half: Halves
    prog: Program


def make_halves(model: Model) -> Halves:
    """Zeros."""
    info = model.info[0]
    b, rows, z = int(info["bodies"]) - 1, int(info["measure"]) + 1, np.zeros
    return Halves(
        *(z((2, 2, b, 3, 3)), z((2, b, 3)), z(6 * b), z(6 * b), z(6 * b), z(int(info["inner"])), z(rows), z(rows))
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
def move_maps(planar, bodies, y, u, h, end, which, half):
    """Derivatives of a motion by h u from y to ``end`` (its turns only, in space): maps[which], by_h[which].

    A turn e before the motion is R^T e after it, R that of the rotation vector r = h w; a change of w counts with h
    times the right Jacobian of the exponential map:

        R^T = 1 - s [r] + b [r]^2,      J = 1 - b [r] + c [r]^2,      s = sin x/x, b = (1 - cos x)/x^2, x = |r|
    """
    maps = half.maps[which]
    for k in range(0 if planar else bodies - 1):
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
def list_motion(prog, bodies, h, u, size, eta, du, maps, by_h, out):
    """Registers of places from ``out`` on = displacements ``eta`` after a motion by h u; h is half of the step."""
    planar = len(prog.way) < 6
    for b in range(bodies - 1):
        for m in prog.way:
            if m < 3 or planar:  # turns in a plane add up
                i = 6 * b + m
                add_entry(prog, SET, out + i, 1.0, eta + i)
                put(prog, out + i, h, du + i)
                put(prog, out + i, 0.5 * u[i], size)
        at = 6 * b + 3
        for m in range(0 if planar else 3):  # not in place: all of a turn is read
            add_entry(prog, SET, out + at + m, maps[0, b, m, 0], eta + at)
            for n in range(3):
                if n > 0:
                    put(prog, out + at + m, maps[0, b, m, n], eta + at + n)
                put(prog, out + at + m, maps[1, b, m, n], du + at + n)
            put(prog, out + at + m, 0.5 * by_h[b, m], size)


@jit
def gather_forces(model, work, half):
    """half.force = f: forces of laws, in kin.force and row.lam, and friction of joints, which joins them."""
    for k in range(model.info[0].rubs):
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


@jit
def find_multipliers(model, h, u, new, soft, work):
    """LAM = P/h from the change of velocities in a step or an impact; other forces stand in kin.force."""
    info = model.info[0]
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
            work.kin[b].unknown[m] = (new[i] - u[i]) / h - work.kin[b].unknown[m]
    for m in range(6):
        work.kin[0].unknown[m] = 0.0
    if info.bilateral > 0:
        for r in range(info.bilateral):
            fact = model.row[r]
            work.vector[RHS, r] = product(work.row[r].w, work.kin[fact.i].unknown, work.kin[fact.j].unknown)
        solve_rows(model, max(soft, 1), work)


@jit
def prepare_glide(model, span, sized, y, new, memory, work, cw, lin, solver, act, half):
    """Linearise at the middle of a glide that has just been taken (its trial state in Y_TRY) and factorise.

    ``sized``: its size and its instant may move.
    """
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
    gather_forces(model, work, half)
    find_multipliers(model, h, u, u_new, soft, work)
    lift(work.kin, cw.kin)
    linearise(model, t + 0.5 * h, trial, u_new, 0.5 * h, work, lin)
    add_contacts(model, memory, h, 0.5 * h, STEP_OF_TIME, u, u_new, work, lin, act)
    for i in range(6 * (bodies - 1)):
        solver.a[i] = (u_new[i] - u[i]) / h
    if sized:
        forces_by_time(model, t + 0.5 * h, trial, work, lin, half)
        rows_by_time(model, t + 0.5 * h, h, work, half)
    move_maps(info.planar, bodies, y, u, 0.5 * h, trial, 0, half)
    move_maps(info.planar, bodies, trial, u_new, 0.5 * h, new, 1, half)
    press_active(model, t + 0.5 * h, trial, work, lin, act)
    return factor_stage(model, work, lin, solver, act)


@jit
def evaluate_active(model, memory, work):
    """Rows of the contacts that act, at the bodies' present places."""
    for c in range(len(model.contact)):
        if work.touch[c].place != NONE:
            evaluate_relation(model.relation[model.contact[c].relation], memory, work.kin, work.row)


@jit
def list_lateness(model, kit, h):
    """List what a later middle of the step does to forces, rates of inner states and rows that depend on time."""
    solver, half, prog = kit.solver, kit.half, kit.prog
    info, at = model.info[0], prog.at[0]
    n, late = info.bodies - 1, at.late
    put(prog, late, 1.0, at.dt[HERE])
    put(prog, late, 0.5, at.growth)
    for b in range(n):
        for m in prog.way:
            if moves(model.body[b + 1], m):
                put(prog, at.x + solver.slot[b + 1] + m, h * half.by_t[6 * b + m], late)
    for q in range(len(model.driven)):
        r = model.driven[q]
        put(prog, at.x + solver.slot[n + 1 + r], -half.rows_by_t[r] - 0.5 * h * half.bends_by_t[r], late)
    for q in range(info.inner):
        put(prog, at.r + q, half.inner_by_t[q], late)


@jit
def list_glide(model, kit, span, sized, y, dy, new, memory, work):
    """List the glide that has just been linearised (tangent/program.py), with the size of the step if ``sized``."""
    P, _, lin, _, solver, act, half, prog = kit
    (_, h, trust), info, at = span, model.info[0], prog.at[0]
    n, shift = info.bodies - 1, 7 * (info.bodies - 1)
    u, u_new, eta, du, da = y[shift:], new[shift:], at.eta[HERE], at.du[HERE], at.da[HERE]
    dz, dw, dt = at.dz[HERE], at.dw[HERE], at.dt[HERE]
    e, v, z, r_z = at.e, at.v, at.z, at.r
    size = at.growth if sized else NOWHERE
    start_list(prog, False)
    list_motion(prog, info.bodies, 0.5 * h, u, size, eta, du, half.maps[0], half.by_h[0], e)
    for b in range(n):
        for m in prog.way:
            i = 6 * b + m
            put(prog, v + i, 1.0, du + i)
            put(prog, v + i, 0.5 * trust * h, da + i)
            put(prog, v + i, 0.5 * trust * dy[shift + i], size)
    for q in range(info.inner):
        put(prog, z + q, 1.0, dz + q)
        put(prog, z + q, 0.5 * trust * h, dw + q)
        put(prog, z + q, 0.5 * trust * dy[13 * n + q], size)
    if sized:
        list_lateness(model, kit, h)
    put_mass(model, prog, solver, du)
    list_equations(model, prog, solver, h, lin, (e, v, z), r_z)
    for b in range(n):
        for m in prog.way:
            i, place = 6 * b + m, at.x + solver.slot[b + 1] + m
            if moves(model.body[b + 1], m):
                grows = half.force[i]
                if info.rubs > 0:
                    for r in range(info.bilateral):
                        grows -= lin.L[i, r] * work.vector[LAM, r]
                put(prog, place, grows, size)
    for r in range(info.bilateral):
        put(prog, at.x + solver.slot[n + 1 + r], -0.5 * work.row[r].bias, size)
    list_contacts(model, prog, h, STEP_OF_TIME, 0.0, (e, v, du), work, lin, solver, act)
    put_solve(prog, solver)
    set_bodies(model, prog, solver, da, 1.0 / h)
    for b in range(n):
        for m in prog.way:
            i = 6 * b + m
            put(prog, da + i, -1.0 / h, du + i)
            put(prog, da + i, -solver.a[i] / h, size)
    set_bodies(model, prog, solver, du, 1.0)
    list_motion(prog, info.bodies, 0.5 * h, u_new, size, e, du, half.maps[1], half.by_h[1], eta)
    for q in range(info.inner):
        for r in range(info.bilateral):
            put(prog, r_z + q, lin.Hl[q, r] / h, at.x + solver.slot[n + 1 + r])
            put(prog, r_z + q, -lin.Hl[q, r] * work.vector[LAM, r] / h, size)
        add_entry(prog, SET, dw + q, 1.0, r_z + q)
        put(prog, dz + q, h, r_z + q)
        put(prog, dz + q, (new[13 * n + q] - y[13 * n + q]) / h, size)
    put(prog, dt, 1.0, size)
    for k in range(len(P.energy0)):
        add_glide_parts(model, kit, k, span, u, u_new, memory, work)
    return fits(prog)


@jit
def add_glide_parts(model, kit, k, span, u, u_new, memory, work):
    """What parameter k adds to a glide."""
    P, cw, _, col, solver, act, _, prog = kit
    t, h, _ = span
    middle = t + 0.5 * h
    find_column(model, P, k, middle, work.stage[Y_TRY], u_new, solver.a, 0.5 * h, memory, work, cw, col)
    drift_column(model, P, k, middle, cw, col)
    if len(model.contact) > 0:
        contact_columns(model, P, k, h, 0.5 * h, STEP_OF_TIME, u, u_new, memory, work, cw, col, act)
        add_contact_parts(model, P, k, prog, h, solver, act)
    add_equation_parts(model, P, k, prog, solver, h, col, prog.at[0].r)


@jit
def in_flight(model, settings, work):
    """True if no contact takes part in a step that has just begun, and no friction of joints."""
    for c in range(len(model.contact)):
        if work.touch[c].held != 0 or settings.located == 0:
            return False
    return model.info[0].rubs == 0


@jit
def glide_again(model, kit, span, how, start, end, memory, settings, work):
    """Take a glide once more and list it, linearised; False where that fails.

    how = (flies: its end is known, and no contact takes part, so that all it takes is its middle; sized: the tangent of
    the size of the step is wanted).
    """
    flies, sized = how
    _, cw, lin, _, solver, act, half, _ = kit
    y, dy = start
    new, rates = end
    if flies:
        _, h, trust = span
        trial, bodies = work.stage[Y_TRY], model.info[0].bodies
        move_in(model.info[0].planar, bodies, y, y[7 * (bodies - 1) :], 0.5 * h, trial)
        for m in range(7 * (bodies - 1), len(y)):
            trial[m] = y[m] + 0.5 * trust * h * dy[m]
        for c in range(len(model.contact)):
            work.touch[c].place = NONE
    elif glide(model, span, (y, dy, new, rates), memory, settings, work) != CONTINUE:
        return False
    if not prepare_glide(model, span, sized, y, new, memory, work, cw, lin, solver, act, half):
        return False
    return list_glide(model, kit, span, sized, y, dy, new, memory, work)
