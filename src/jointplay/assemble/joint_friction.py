"""Friction of joints under their own reactions (paper E eq. 1 to 3): multipliers on both sides of the equations.

Joint k slides with the velocity v_k = lever times rate of its free coordinates. Its effective normal force is a sum of
smoothed absolute values of linear forms of the reaction R_k = (F, T), in joint axes of its first body,

    N_k(R_k) = sum_t factor_t sqrt((a_t . R_k)^2 + (b_t . R_k)^2 + smoothing^2)        (docs/theory/joint_friction.md)

and a law gives the friction phi = F(v, N). R is linear in the multipliers, and these are linear in phi:

    lam = lam_0 + sum_f reply_f phi_f,      N_W reply_f = -W M^-1 w_f lever_f,      N_W = W M^-1 W^T

so phi is all that is to be found, one or two numbers per joint: phi = F(v, N(R_0 + sum_f r_f phi_f)) by Newton's
method, or by the fixed-point iteration of paper E, which converges where friction changes its own cause by less than
itself. Both start from the reaction without friction, so that a state decides its own bits.

Lines of ``Work.reflex``, f counting both components of every joint that rubs: reply_f over the closed rows; R_k to a
unit force f, six numbers per joint; Newton's matrix; lam_0.
"""

from __future__ import annotations

import numpy as np

from ..arrays import LAM, RHS, RUB_ITERATIONS, WORST_RUB
from ..laws.registry import evaluate_rub
from ..numerics.gauss import eliminate
from ..numerics.jit import jit
from ..numerics.vec import add, cross, load, mul, scale, sub, tmul
from .closed import solve_rows
from .interactions import product

TINY = 1e-30  # imaginary step of the derivative of a law
ENOUGH = 1e-14  # relative residual of friction forces


@jit
def reaction(c, lam, fact, row, kin):
    """Force and torque on the second body of joint record c at its joint point, joint axes of the first: six numbers.

    lam: multipliers of the closed rows.
    """
    a, b = kin[c.i], kin[c.j]
    force = scale(0.0, load(b.r))
    moment = force
    for r in range(c.first, c.first + c.count):
        w = row[r].w
        half = 6 if fact[r].j == c.j else 0
        force = add(force, scale(lam[r], load(w[half : half + 3])))
        moment = add(moment, scale(lam[r], load(w[half + 3 : half + 6])))
    return local_reaction(c, a.A, b.A, force, moment)


@jit
def soft_reaction(c, fact, row, kin):
    """The part of the reaction that bushings on closed directions give, whose forces are known: six numbers."""
    a, b = kin[c.i], kin[c.j]
    force = scale(0.0, load(b.r))
    moment = force
    for r in range(c.soft_first, c.soft_first + c.soft_count):
        w, lam = row[r].w, row[r].lam
        half = 6 if fact[r].j == c.j else 0
        force = add(force, scale(lam, load(w[half : half + 3])))
        moment = add(moment, scale(lam, load(w[half + 3 : half + 6])))
    return local_reaction(c, a.A, b.A, force, moment)


@jit
def local_reaction(c, A, B, force, moment):
    """Generalised force (force, moment) on the second body as force and torque at the joint point, in joint axes."""
    torque = mul(B, sub(moment, cross(load(c.sj), tmul(B, force))))
    F = mul(c.Ei, tmul(A, force))
    T = mul(c.Ei, tmul(A, torque))
    return (F[0], F[1], F[2], T[0], T[1], T[2])


@jit
def normal_force(c, R, gradient):
    """Effective normal force of rub record c under the reaction R; writes its gradient."""
    for m in range(6):
        gradient[m] = 0.0
    total = 0.0 * R[0]
    for t in range(c.terms):
        one, other = 0.0 * total, 0.0 * total
        for m in range(6):
            one += c.form[t, 0, m] * R[m]
            other += c.form[t, 1, m] * R[m]
        size = (one * one + other * other + c.smoothing * c.smoothing) ** 0.5
        total += c.factor[t] * size
        if size.real > 0.0:
            for m in range(6):
                gradient[m] += c.factor[t] * (one * c.form[t, 0, m] + other * c.form[t, 1, m]) / size
    return total


@jit
def apply_law(c, law, constant, t, z, slide):
    """Friction by the law at the present speed and normal force, its derivative and the rates of inner states."""
    v0, v1, N = slide.speed[0], slide.speed[1], slide.normal
    z0, z1, z2 = 0.0 * N, 0.0 * N, 0.0 * N
    if c.states > 0:
        z0, z1, z2 = z[law.inner], z[law.inner + 1], z[law.inner + 2]
    f0, f1, d0, d1, d2 = evaluate_rub(law, constant, v0, v1, N, t, z0, z1, z2)
    slide.law[0], slide.law[1] = f0, f1
    slide.rates[0], slide.rates[1], slide.rates[2] = d0, d1, d2
    step = complex(0.0, TINY)
    g0, g1, _, _, _ = evaluate_rub(law, constant, v0 + 0.0 * step, v1 + 0.0 * step, N + step, t, z0, z1, z2)
    slide.by_normal[0], slide.by_normal[1] = (g0 - f0).imag / TINY, (g1 - f1).imag / TINY


@jit
def rub_by_speed(c, law, constant, t, z, slide, p, q):
    """d phi_p / d v_q of rub record c at the state just evaluated."""
    step = complex(0.0, TINY)
    # of the real parts: a complex state carries a derivative of its own
    v0, v1, N = slide.speed[0].real + 0.0 * step, slide.speed[1].real + 0.0 * step, slide.normal.real + 0.0 * step
    if q == 0:
        v0 += step
    else:
        v1 += step
    z0, z1, z2 = 0.0 * N, 0.0 * N, 0.0 * N
    if c.states > 0:
        i = law.inner
        z0, z1, z2 = z[i].real + 0.0 * step, z[i + 1].real + 0.0 * step, z[i + 2].real + 0.0 * step
    f0, f1, _, _, _ = evaluate_rub(law, constant, v0, v1, N, t, z0, z1, z2)
    return (f0.imag if p == 0 else f1.imag) / TINY


@jit
def normal_by_row(c, r, gradient, fact, row, kin):
    """dN / d lam_r of joint record c, with the gradient dN/dR."""
    w = row[r].w
    half = 6 if fact[r].j == c.j else 0
    R = local_reaction(c, kin[c.i].A, kin[c.j].A, load(w[half : half + 3]), load(w[half + 3 : half + 6]))
    total = 0.0 * w[0]
    for m in range(6):
        total += gradient[m] * R[m]
    return total


@jit
def push(body, fact, w, factor, kin):
    """Shift += M^-1 w factor, for a row between two bodies."""
    for first, b in ((0, fact.i), (6, fact.j)):
        c, shift = body[b], kin[b].shift
        for n in range(3):
            shift[n] += factor * c.minv[n] * w[first + n]
            for o in range(3):
                shift[3 + n] += factor * c.Jinv[n, o] * w[first + 3 + o]


@jit
def find_replies(model, soft, work):
    """reply_f and the reactions to unit friction forces; returns the number of components f."""
    info = model.info[0]
    rows, joints = info.bilateral, info.rubs
    fact, kin, n = model.row[:rows], work.kin, 2 * np.int64(info.rubs)
    base = work.reflex[3 * n]
    for r in range(rows):
        base[r] = work.vector[LAM, r]
    for f in range(n):
        c = model.rub[f // 2]
        reply, answer = work.reflex[f], work.reflex[n + f]
        for r in range(rows):
            reply[r] = 0.0
        for m in range(6 * joints):
            answer[m] = 0.0
        if f % 2 >= c.count:
            continue
        r = c.row[f % 2]
        for b in range(len(kin)):
            for m in range(6):
                kin[b].shift[m] = 0.0
        push(model.body, model.row[r], work.row[r].w, c.lever[f % 2], kin)
        if rows == 0:
            continue
        for q in range(rows):
            work.vector[RHS, q] = -product(work.row[q].w, kin[fact[q].i].shift, kin[fact[q].j].shift)
        solve_rows(model, soft, work)
        for q in range(rows):
            reply[q] = work.vector[LAM, q]
        for k in range(joints):
            R = reaction(model.joint[model.rub[k].joint], reply, model.row, work.row, kin)
            for m in range(6):
                answer[6 * k + m] = R[m]
    return n


@jit
def evaluate_rubs(model, t, z, n, work):
    """Normal forces and friction by the law at the forces in slide.force; largest residual relative to them."""
    worst = 0.0
    for k in range(model.info[0].rubs):
        c, slide = model.rub[k], work.slide[k]
        R0, answers = slide.bare, work.reflex[n : 2 * n]
        R = (R0[0], R0[1], R0[2], R0[3], R0[4], R0[5])
        for f in range(n):
            phi, a = work.slide[f // 2].force[f % 2], answers[f]
            R = (
                R[0] + phi * a[6 * k],
                R[1] + phi * a[6 * k + 1],
                R[2] + phi * a[6 * k + 2],
                R[3] + phi * a[6 * k + 3],
                R[4] + phi * a[6 * k + 4],
                R[5] + phi * a[6 * k + 5],
            )
        slide.normal = normal_force(c, R, slide.gradient)
        apply_law(c, model.law[c.law], model.constant, t, z, slide)
        size = abs(slide.law[0]) + abs(slide.law[1]) + 1e-12 * abs(slide.normal)
        for m in range(2):
            if size > 0.0:
                worst = max(worst, abs(slide.law[m] - slide.force[m]) / size)
    return worst


@jit
def rub_joints(model, t, h, z, soft, work):
    """Find all friction forces; add their part to kin.unknown and to multipliers; return the power that they take.

    ``h`` is 1 where kin.unknown holds accelerations, and the step where it holds velocities and LAM impulses.
    """
    info, kin = model.info[0], work.kin
    rows = info.bilateral
    n = find_replies(model, soft, work)
    base = work.reflex[3 * n]
    for r in range(rows):
        work.vector[LAM, r] = base[r] / h
    for k in range(model.info[0].rubs):
        c, slide = model.rub[k], work.slide[k]
        R = reaction(model.joint[c.joint], work.vector[LAM], model.row, work.row, kin)
        S = soft_reaction(model.joint[c.joint], model.row, work.row, kin)
        for m in range(6):
            slide.bare[m] = R[m] + S[m]
        for m in range(2):
            slide.force[m] = 0.0
            slide.speed[m] = c.lever[m] * work.row[c.row[m]].rate if m < c.count else 0.0 * R[0]
    left, extra = 0.0, 1
    for _ in range(info.rub_iterations):
        left = evaluate_rubs(model, t, z, n, work)
        work.tally[RUB_ITERATIONS] += 1
        if not left > ENOUGH:
            extra -= 1
            if extra < 0:
                break
        if info.fixed_point:
            for k in range(model.info[0].rubs):
                for m in range(2):
                    work.slide[k].force[m] = work.slide[k].law[m]
            continue
        A, x = work.reflex[2 * n : 3 * n], work.reflex[3 * n + 1]
        for f in range(n):
            slide = work.slide[f // 2]
            x[f] = slide.law[f % 2] - slide.force[f % 2]
            for g in range(n):
                gain = 0.0 * x[f]
                for m in range(6):
                    gain += slide.gradient[m] * work.reflex[n + g, 6 * (f // 2) + m]
                A[f, g] = (1.0 if f == g else 0.0) - slide.by_normal[f % 2] * gain
        eliminate(A, x[:n])
        for f in range(n):
            work.slide[f // 2].force[f % 2] += x[f]
    work.tally[WORST_RUB] = max(work.tally[WORST_RUB], left)
    # what it does to the bodies and to the multipliers
    for r in range(rows):
        work.vector[LAM, r] = base[r]
    loss = 0.0 * kin[0].unknown[0]
    for b in range(len(kin)):
        for m in range(6):
            kin[b].shift[m] = 0.0
    for f in range(n):
        c, slide = model.rub[f // 2], work.slide[f // 2]
        if f % 2 >= c.count:
            continue
        phi, r = slide.force[f % 2], c.row[f % 2]
        work.row[r].lam = phi * c.lever[f % 2]
        push(model.body, model.row[r], work.row[r].w, h * phi * c.lever[f % 2], kin)
        for q in range(rows):
            work.vector[LAM, q] += h * phi * work.reflex[f, q]
        loss -= phi * slide.speed[f % 2]
    for b in range(1, len(kin)):
        for m in range(6):
            kin[b].unknown[m] += kin[b].shift[m]
    return loss
