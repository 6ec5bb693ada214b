"""What friction of joints under their own reactions adds to the linearised equations (tangent/linear.py).

Only changes of rows along one direction x are needed, the velocities or the gradient of the normal force. One change
of w gives them all, as second derivatives commute but for turns: vary(e) . x = vary(x) . e + w . [e, x].
"""

from __future__ import annotations

from ..arrays import LAM, NONE
from ..assemble.joint_friction import TINY
from ..laws.registry import evaluate_rub
from ..numerics.jit import jit
from ..numerics.vec import add, cross, dot, load, mul, scale, sub, tmul
from ..relations.registry import vary_rows
from .force_jacobian import gather_laws
from .matrices import add_block, add_line


@jit
def rub_partials(c, law, constant, t, z, slide, which):
    """Derivatives of (phi_0, phi_1, z'_0, z'_1, z'_2) with respect to v_0, v_1, N, z_0, z_1 or z_2 (``which``)."""
    step = complex(0.0, TINY)
    none = 0.0 * step
    v0, v1, N = slide.speed[0] + none, slide.speed[1] + none, slide.normal + none
    z0, z1, z2 = none, none, none
    if c.states > 0:
        z0, z1, z2 = z[law.inner] + none, z[law.inner + 1] + none, z[law.inner + 2] + none
    if which == 0:
        v0 += step
    elif which == 1:
        v1 += step
    elif which == 2:
        N += step
    elif which == 3:
        z0 += step
    elif which == 4:
        z1 += step
    else:
        z2 += step
    f0, f1, d0, d1, d2 = evaluate_rub(law, constant, v0, v1, N, t, z0, z1, z2)
    return f0.imag / TINY, f1.imag / TINY, d0.imag / TINY, d1.imag / TINY, d2.imag / TINY


@jit
def answer(model, c, p, partial, right, factor, kinds, row, lin):
    """Enter d phi = partial (right . direction) of rub record c: kinds 0 eta, 1 du (right: 12 numbers)."""
    i, j = model.row[c.row[0]].i, model.row[c.row[0]].j
    A, H = (lin.K, lin.Hq) if kinds == 0 else (lin.D, lin.Hu)
    for q in range(c.count):
        w = row[c.row[q]].w
        if partial[q] != 0.0:
            add_block(i, j, w, right, factor * partial[q] * c.lever[q], A)
    first = model.law[c.law].inner
    for q in range(c.states):
        add_line(i, j, right, factor * partial[2 + q], H[first + q])


@jit
def turned_along(relation, a, b, x, lin):
    """bend[3 + p] = vary(x) of row p of a relation; with ``turned``, its changes vary(e) . x in all directions e."""
    vary_rows(relation, a, b, x, lin.bend[3:6])


@jit
def commuted(w, x, half):
    """What vary(e) . x has beyond vary(x) . e, for the three turns e of a body: s . (e x x) = e . (x x s)."""
    return cross(load(x[half + 3 : half + 6]), load(w[half + 3 : half + 6]))


@jit
def add_rubs(model, t, z, work, lin):
    """Friction of joints under their own reactions: through speed, normal force (place and multipliers), inner states.

    The geometric part phi lever Dw of its rows is entered with the other FORCE rows.
    """
    kin, row = work.kin, work.row
    for k in range(model.info[0].rubs):
        c, slide = model.rub[k], work.slide[k]
        joint, law = model.joint[c.joint], model.law[c.law]
        i, j = joint.i, joint.j
        for p in range(c.count):
            r = c.row[p]
            partial = rub_partials(c, law, model.constant, t, z, slide, p)
            answer(model, c, p, partial, row[r].w, c.lever[p], 1, row, lin)
            turned = lin.bend[0]
            for n in range(12):
                turned[n] = 0.0
            add_turned_rates(model, r, 0, 1.0, work, lin, turned)
            answer(model, c, p, partial, turned, c.lever[p], 0, row, lin)
        partial = rub_partials(c, law, model.constant, t, z, slide, 2)
        force, moment = normal_by_reaction(joint, slide.gradient, kin)
        # the normal force, through the multipliers
        for r in range(joint.first, joint.first + joint.count):
            half = 6 if model.row[r].j == joint.j else 0
            gain = dot(force, load(row[r].w[half : half + 3])) + dot(moment, load(row[r].w[half + 3 : half + 6]))
            for q in range(c.count):
                w, f = row[c.row[q]].w, partial[q] * gain * c.lever[q]
                for m in range(12):
                    b, o = (i, m) if m < 6 else (j, m - 6)
                    if b != 0:
                        lin.L[6 * (b - 1) + o, r] += f * w[m]
            for q in range(c.states):
                lin.Hl[law.inner + q, r] += partial[2 + q] * gain
        # and through place and speed, at fixed multipliers
        turned, spun = lin.bend[1], lin.bend[2]
        normal_by_state(model, joint, slide.gradient, t, z, work, lin, turned, spun)
        answer(model, c, 0, partial, turned, 1.0, 0, row, lin)
        answer(model, c, 0, partial, spun, 1.0, 1, row, lin)
        for s in range(c.states):
            partial = rub_partials(c, law, model.constant, t, z, slide, 3 + s)
            for q in range(c.count):
                w = row[c.row[q]].w
                for m in range(12):
                    b, o = (i, m) if m < 6 else (j, m - 6)
                    if b != 0:
                        lin.Z[6 * (b - 1) + o, law.inner + s] += partial[q] * c.lever[q] * w[m]
            for q in range(c.states):
                lin.Hz[law.inner + q, law.inner + s] += partial[2 + q]


@jit
def normal_by_reaction(joint, gradient, kin):
    """dN/dR, R in joint axes, as lines for force and moment on the second body (transposed of ``local_reaction``)."""
    A, B = kin[joint.i].A, kin[joint.j].A
    moment = tmul(B, mul(A, tmul(joint.Ei, load(gradient[3:6]))))
    return sub(mul(A, tmul(joint.Ei, load(gradient[0:3]))), mul(B, cross(moment, load(joint.sj)))), moment


@jit
def normal_by_state(model, joint, gradient, t, z, work, lin, out, speed):
    """Out = dN/d eta, speed = dN/du (12 numbers each) of a joint record, with the gradient dN/dR at fixed multipliers.

    Rows turn, and so do the axes of R; bushings on closed directions have forces of their own.
    """
    kin, x = work.kin, lin.eta
    by_force, by_moment = normal_by_reaction(joint, gradient, kin)
    for n in range(12):
        out[n], speed[n] = 0.0, 0.0
    # rows that turn: dN = by_force . d force + by_moment . d moment, relation by relation
    force, moment = scale(0.0, by_force), scale(0.0, by_force)
    last = NONE
    for s in range(joint.count + joint.soft_count):
        soft = s >= joint.count
        r = joint.soft_first + (s - joint.count) if soft else joint.first + s
        fact, w = model.row[r], work.row[r].w
        lam = work.row[r].lam if soft else work.vector[LAM, r]
        half = 6 if fact.j == joint.j else 0
        force = add(force, scale(lam, load(w[half : half + 3])))
        moment = add(moment, scale(lam, load(w[half + 3 : half + 6])))
        relation = model.relation[fact.relation]
        if fact.relation != last:
            for n in range(12):
                x[n] = 0.0
            for m in range(3):
                x[half + m], x[half + 3 + m] = by_force[m], by_moment[m]
            turned_along(relation, kin[fact.i], kin[fact.j], x, lin)
            last = fact.relation
        for p in range(relation.count):
            if relation.row[p] != r:
                continue
            for n in range(12):
                out[n if half == 6 else (n + 6) % 12] += lam * lin.bend[3 + p, n]
            more = commuted(w, x, half)
            for m in range(3):
                out[9 + m] += lam * more[m]
        if soft:
            gather_laws(model, relation, t, z, work.row, lin)
            for p in range(relation.count):
                if relation.row[p] == r:
                    gain = dot(by_force, load(w[half : half + 3])) + dot(by_moment, load(w[half + 3 : half + 6]))
                    by_g, by_v = gain * lin.law[1 + p, p], gain * lin.law[4 + p, p]
                    for n in range(12):
                        at = n if half == 6 else (n + 6) % 12
                        out[at] += by_g * w[n]
                        speed[at] += by_v * w[n]
                    add_turned_rates(model, r, 6 - half, by_v, work, lin, out)
                    last = NONE
    # axes that turn: A_i and A_j in R at the same generalised force
    A, B, s_j = kin[joint.i].A, kin[joint.j].A, load(joint.sj)
    pulled = tmul(B, force)
    arm = sub(moment, cross(s_j, pulled))
    by_turn_i = add(
        cross(tmul(joint.Ei, load(gradient[0:3])), tmul(A, force)),
        cross(tmul(joint.Ei, load(gradient[3:6])), tmul(A, mul(B, arm))),
    )
    by_turn_j = add(cross(arm, by_moment), cross(pulled, cross(by_moment, s_j)))
    for m in range(3):
        out[3 + m] += by_turn_i[m]
        out[9 + m] += by_turn_j[m]


@jit
def add_turned_rates(model, r, shift, factor, work, lin, out):
    """Out += factor times the changes of the rate of row r with places, 12 numbers; ``shift`` = 6 swaps the bodies."""
    fact, u = model.row[r], lin.u
    relation, a, b = model.relation[fact.relation], work.kin[fact.i], work.kin[fact.j]
    for m in range(3):
        u[m], u[3 + m], u[6 + m], u[9 + m] = a.v[m], a.w[m], b.v[m], b.w[m]
    turned_along(relation, a, b, u, lin)
    for p in range(relation.count):
        if relation.row[p] == r:
            for n in range(12):
                out[(n + shift) % 12] += factor * lin.bend[3 + p, n]
            for half in (0, 6):
                more = commuted(work.row[r].w, u, half)
                for m in range(3):
                    out[(half + 3 + m + shift) % 12] += factor * more[m]
