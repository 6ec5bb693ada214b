"""What friction of joints under their own reactions adds to the linearised equations (tangent/linear.py)."""

from __future__ import annotations

from ..arrays import LAM, NONE
from ..assemble.joint_friction import TINY, local_reaction, normal_by_row
from ..laws.registry import evaluate_rub
from ..numerics.jit import jit
from ..numerics.vec import add, cross, load, scale
from .force_jacobian import gather_laws
from .matrices import add_block, add_line, still, vary_all


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
            vary_all(model.relation[model.row[r].relation], kin, lin)
            turned = lin.bend[0]
            for m in range(12):
                turned[m] = 0.0
                for n in range(12):
                    turned[m] += lin.V[m, 0, n] * lin.u[n]
            answer(model, c, p, partial, turned, c.lever[p], 0, row, lin)
        partial = rub_partials(c, law, model.constant, t, z, slide, 2)
        # the normal force, through the multipliers
        for r in range(joint.first, joint.first + joint.count):
            gain = normal_by_row(joint, r, slide.gradient, model.row, row, kin)
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
def normal_by_state(model, joint, gradient, t, z, work, lin, out, speed):
    """Out = dN/d eta, speed = dN/du (12 numbers each) of a joint record, with the gradient dN/dR at fixed multipliers.

    Rows turn, and so do the axes of R; bushings on closed directions have forces of their own.
    """
    kin = work.kin
    a, b = kin[joint.i], kin[joint.j]
    for n in range(12):
        out[n], speed[n] = 0.0, 0.0
    # rows that turn: dR = local(d force, d moment), relation by relation
    force, moment = scale(0.0, load(b.r)), scale(0.0, load(b.r))
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
            vary_all(relation, kin, lin)
            last = fact.relation
        for p in range(relation.count):
            if relation.row[p] != r:
                continue
            for n in range(12):
                v = lin.V[n, p]
                R = local_reaction(joint, a.A, b.A, load(v[half : half + 3]), load(v[half + 3 : half + 6]))
                at = n if half == 6 else (n + 6) % 12
                for m in range(6):
                    out[at] += lam * gradient[m] * R[m]
            if soft:
                gather_laws(model, relation, t, z, work.row, lin)
                gain = normal_by_row(joint, r, gradient, model.row, work.row, kin)
                by_g, by_v = gain * lin.law[1 + p, p], gain * lin.law[4 + p, p]
                for n in range(12):
                    at = n if half == 6 else (n + 6) % 12
                    out[at] += by_g * w[n]
                    speed[at] += by_v * w[n]
                    for m in range(12):
                        out[at] += by_v * lin.V[n, p, m] * lin.u[m]
    # axes that turn: A_i and A_j in R at the same generalised force
    none = complex(0.0, 0.0)
    for half in range(2):
        for n in range(3):
            still(a, lin.kin[0])
            still(b, lin.kin[1])
            body, moving = (a, lin.kin[0]) if half == 0 else (b, lin.kin[1])
            e = (1.0 if n == 0 else 0.0, 1.0 if n == 1 else 0.0, 1.0 if n == 2 else 0.0)
            for m in range(3):
                line = cross((body.A[m, 0], body.A[m, 1], body.A[m, 2]), e)
                for o in range(3):
                    moving.A[m, o] = complex(body.A[m, o], TINY * line[o])
            f = (force[0] + none, force[1] + none, force[2] + none)
            g = (moment[0] + none, moment[1] + none, moment[2] + none)
            R = local_reaction(joint, lin.kin[0].A, lin.kin[1].A, f, g)
            for m in range(6):
                out[6 * half + 3 + n] += gradient[m] * R[m].imag / TINY
