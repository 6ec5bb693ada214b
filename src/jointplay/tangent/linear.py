"""The equations of motion linearised at a state: matrices that tangents (forwards) and adjoints (backwards) share.

Bodies move by eta (three displacements in global axes, three rotations in body axes, per body) and change their
velocities by du. Forces F = f(q, u, z, t) + W^T lam + friction and rows c = W x + alpha bias answer, x being fixed,

    dF = K eta + D du + Z dz + (W^T + L) dlam,      dc_r = Cq eta + Cu du
    dz' = Hq eta + Hu du + Hz dz + Hl dlam,         d(W u) = W du + T eta

x is the acceleration and alpha = 1 in index-1 equations, the new velocity and alpha = h/2 in Moreau's step, the
velocity that a law of impact speaks of and alpha = 0 in an impact.

With Dw[eta] = vary(eta), D_xi D_zeta g = vary(xi) . zeta, and left-invariant turns, whose commutator is the cross
product, the third derivatives in d bias follow from one more derivative of vary(u) along u (by a complex step):

    bias = vary(u) . u
    d bias / du = vary(.) . u + vary(u),      d bias / d eta = D_u vary(u) + (vary(u) + vary(.) . u) [eta, u]

where [eta, u] = (0, eta x w') per body. Directions that a planar model blocks are left to the solver of the system.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import LAM, NONE, Model, motion_dtype
from ..assemble.forces import component
from ..assemble.rubbing import TINY, local_reaction, normal_by_row
from ..laws.registry import evaluate_law, evaluate_rub
from ..numerics.jit import jit, readable
from ..numerics.vec import add, cross, load, mul, scale, tmul
from ..relations.registry import vary_rows
from .params import lifted


class Linear(NamedTuple):
    """Matrices of the linearised equations; rows of c are those of the model (closed, then others as needed)."""

    K: np.ndarray  # (6 n, 6 n)
    D: np.ndarray  # (6 n, 6 n)
    Z: np.ndarray  # (6 n, inner states)
    L: np.ndarray  # (6 n, closed rows)
    Cq: np.ndarray  # (rows, 6 n)
    Cu: np.ndarray  # (rows, 6 n)
    T: np.ndarray  # (rows, 6 n)
    Hq: np.ndarray  # (inner states, 6 n)
    Hu: np.ndarray  # (inner states, 6 n)
    Hz: np.ndarray  # (inner states, inner states)
    Hl: np.ndarray  # (inner states, closed rows)
    # corrections of a projection (tangent/closing.py): their multipliers (2, closed rows), and K with each of them
    fix: np.ndarray
    Kfix: np.ndarray  # (2, 6 n, 6 n)
    fixed: np.ndarray  # (1,) 1 if they are wanted
    # scratch of one relation: vary of the unit directions (12, 3, 12), derivatives of bias (6, 12), vary(u) at moved
    # bodies (3, 12), these bodies, a direction and the velocities (12 each), forces and partials (7, 3),
    # lines put aside (9, 6 n)
    V: np.ndarray
    bend: np.ndarray
    out: np.ndarray
    kin: np.ndarray
    eta: np.ndarray
    u: np.ndarray
    law: np.ndarray
    keep: np.ndarray
    cu: np.ndarray  # velocities as complex numbers
    relation: np.ndarray  # relations of the model with complex numbers


def make_linear(model: Model) -> Linear:
    """Zeros of the right sizes."""
    info = model.info[0]
    n, inner = 6 * (int(info["bodies"]) - 1), int(info["inner"])
    closed, rows = int(info["bilateral"]), int(info["measure"]) + 1
    z = np.zeros
    room = Linear(
        *(z((n, n)), z((n, n)), z((n, inner)), z((n, closed)), z((rows, n)), z((rows, n)), z((rows, n))),
        *(z((inner, n)), z((inner, n)), z((inner, inner)), z((inner, closed))),
        *(z((2, closed)), z((2, n, n)), np.zeros(1, dtype=np.int64)),
        *(z((12, 3, 12)), z((6, 12)), z((3, 12), dtype=complex), np.zeros(2, dtype=motion_dtype(complex))),
        *(z(12), z(12), z((7, 3)), z((9, n)), z(12, dtype=complex), lifted(model.relation)),
    )
    return readable(room)


@jit
def clear(closed, lin):
    """All matrices zero; Cq, Cu and T of the closed rows (those of contacts are cleared where they are filled)."""
    for A in (lin.K, lin.D, lin.Z, lin.L, lin.Hq, lin.Hu, lin.Hz, lin.Hl):
        for i in range(A.shape[0]):
            for j in range(A.shape[1]):
                A[i, j] = 0.0
    for i in range(closed):
        for j in range(lin.Cq.shape[1]):
            lin.Cq[i, j], lin.Cu[i, j], lin.T[i, j] = 0.0, 0.0, 0.0


@jit
def add_block(i, j, left, right, factor, A):
    """A += factor left right^T over the bodies i and j, 12 numbers each."""
    for a in range(12):
        b, m = (i, a) if a < 6 else (j, a - 6)
        if b == 0 or left[a] == 0.0:
            continue
        line, f = A[6 * (b - 1) + m], factor * left[a]
        for c in range(12):
            d, k = (i, c) if c < 6 else (j, c - 6)
            if d != 0:
                line[6 * (d - 1) + k] += f * right[c]


@jit
def add_line(i, j, right, factor, line):
    """Line += factor right over the bodies i and j."""
    for c in range(12):
        d, k = (i, c) if c < 6 else (j, c - 6)
        if d != 0:
            line[6 * (d - 1) + k] += factor * right[c]


@jit
def vary_all(c, kin, lin):
    """V[k] = change of the rows of relation c in the unit direction k; u = velocities of its bodies."""
    a, b, eta, u = kin[c.i], kin[c.j], lin.eta, lin.u
    for m in range(3):
        u[m], u[3 + m], u[6 + m], u[9 + m] = a.v[m], a.w[m], b.v[m], b.w[m]
    for m in range(12):
        eta[m] = 0.0
    for k in range(12):
        if (c.i == 0 and k < 6) or (c.j == 0 and k >= 6):
            for p in range(3):
                for m in range(12):
                    lin.V[k, p, m] = 0.0
            continue
        eta[k] = 1.0
        vary_rows(c, a, b, eta, lin.V[k])
        eta[k] = 0.0


@jit
def moved(body, out):
    """A complex copy of a body, moved by TINY times its velocity along the imaginary axis."""
    w = load(body.w)
    for m in range(3):
        out.r[m] = complex(body.r[m], TINY * body.v[m])
        line = cross((body.A[m, 0], body.A[m, 1], body.A[m, 2]), w)  # dA = A (w x .): its rows are A_m x w
        for n in range(3):
            out.A[m, n] = complex(body.A[m, n], TINY * line[n])
        out.v[m] = complex(body.v[m], 0.0)
        out.w[m] = complex(body.w[m], 0.0)


@jit
def find_bends(c, cc, kin, lin):
    """bend[p] = d bias_p / d eta and bend[3 + p] = d bias_p / du of relation c (complex: cc), once vary_all is done."""
    V, bend, out, u = lin.V, lin.bend, lin.out, lin.u
    for m in range(12):
        lin.cu[m] = complex(u[m], 0.0)
    moved(kin[c.i], lin.kin[0])
    moved(kin[c.j], lin.kin[1])
    vary_rows(cc, lin.kin[0], lin.kin[1], lin.cu, out)
    for p in range(c.count):
        for k in range(12):
            turn, along = 0.0, 0.0  # vary(e_k) . u and vary(u) . e_k
            for m in range(12):
                turn += V[k, p, m] * u[m]
                along += V[m, p, k] * u[m]
            bend[3 + p, k] = turn + along
            bend[p, k] = out[p, k].imag / TINY
        for half in (0, 6):
            # s . (eta x w) = eta . (w x s)
            turn_of = cross(load(u[half + 3 : half + 6]), load(bend[3 + p, half + 3 : half + 6]))
            for m in range(3):
                bend[p, half + 3 + m] += turn_of[m]


@jit
def add_rows(c, cc, row, x, alpha, kin, lin):
    """Lines of Cq, Cu and T of the rows of relation c; ``x`` has six numbers per body, the ground not counted."""
    if alpha != 0.0:
        find_bends(c, cc, kin, lin)
    for p in range(c.count):
        r = c.row[p]
        if r >= len(row) - 1:
            continue  # dropped
        for k in range(12):
            d, n = (c.i, k) if k < 6 else (c.j, k - 6)
            if d == 0:
                continue
            at, meets, turn = 6 * (d - 1) + n, 0.0, 0.0
            for m in range(12):
                b, o = (c.i, m) if m < 6 else (c.j, m - 6)
                turn += lin.V[k, p, m] * lin.u[m]
                if b != 0:
                    meets += lin.V[k, p, m] * x[6 * (b - 1) + o]
            lin.T[r, at] += turn
            lin.Cq[r, at] += meets
            if alpha != 0.0:
                lin.Cq[r, at] += alpha * lin.bend[p, k]
                lin.Cu[r, at] += alpha * lin.bend[3 + p, k]


@jit
def add_forces(c, row, lin):
    """K and D of a relation whose rows pass on forces: lam_p, d lam_p/d g_q and d lam_p/d rate_q stand in lin.law."""
    lam, by_g, by_v = lin.law[0], lin.law[1:4], lin.law[4:7]
    for p in range(c.count):
        if lam[p] != 0.0:
            for k in range(12):
                d, n = (c.i, k) if k < 6 else (c.j, k - 6)
                if d == 0:
                    continue
                for m in range(12):
                    b, o = (c.i, m) if m < 6 else (c.j, m - 6)
                    if b != 0:
                        lin.K[6 * (b - 1) + o, 6 * (d - 1) + n] += lam[p] * lin.V[k, p, m]
    for q in range(c.count):
        if not (by_v[0, q] != 0.0 or by_v[1, q] != 0.0 or by_v[2, q] != 0.0):
            if not (by_g[0, q] != 0.0 or by_g[1, q] != 0.0 or by_g[2, q] != 0.0):
                continue
        turned = lin.bend[0]
        for k in range(12):
            turned[k] = 0.0
            for m in range(12):
                turned[k] += lin.V[k, q, m] * lin.u[m]
        for p in range(c.count):
            w = row[c.row[p]].w
            if by_g[p, q] != 0.0:
                add_block(c.i, c.j, w, row[c.row[q]].w, by_g[p, q], lin.K)
            if by_v[p, q] != 0.0:
                add_block(c.i, c.j, w, turned, by_v[p, q], lin.K)
                add_block(c.i, c.j, w, row[c.row[q]].w, by_v[p, q], lin.D)


@jit
def gather_laws(model, c, t, z, row, lin):
    """Forces of the rows of a FORCE relation and their partials, from laws of their own, into lin.law."""
    for m in range(7):
        for p in range(3):
            lin.law[m, p] = 0.0
    info = model.info[0]
    for p in range(c.count):
        r = c.row[p]
        if r < info.bilateral or r >= info.force:
            continue
        lin.law[0, p] = row[r].lam
        if model.row[r].law != NONE:
            s = row[r]
            _, by_g, by_v, _, _ = evaluate_law(model.law[model.row[r].law], model.constant, s.g, s.rate, t, z)
            lin.law[1 + p, p], lin.law[4 + p, p] = by_g, by_v


@jit
def gather_pads(model, k, press, lin):
    """Add the partials of the pads on relation k to lin.law; their forces are in row.lam already."""
    for n in range(len(model.pad)):
        c, s = model.pad[n], press[n]
        if c.relation == k:
            for p in range(1 + c.tangents):
                lin.law[1 + p, 0] += s.by_gap[p]
                for q in range(1 + c.tangents):
                    lin.law[4 + p, q] += s.by_rate[p, q]


@jit
def add_bodies(model, kin, lin):
    """Gyroscopic moments J w x w: D."""
    for b in range(1, len(model.body)):
        c, at = model.body[b], 6 * (b - 1) + 3
        w = load(kin[b].w)
        h = mul(c.J, w)
        for n in range(3):
            e = (1.0 if n == 0 else 0.0, 1.0 if n == 1 else 0.0, 1.0 if n == 2 else 0.0)
            change = add(cross(mul(c.J, e), w), cross(h, e))
            for m in range(3):
                lin.D[at + m, at + n] += change[m]


@jit
def add_loads(model, t, kin, stack, lin):
    """Loads that turn with a body, or whose arm does: K."""
    for k in range(len(model.load)):
        c = model.load[k]
        A, at = kin[c.body].A, 6 * (c.body - 1)
        given = (component(model, c, 0, t, stack), component(model, c, 1, t, stack), component(model, c, 2, t, stack))
        for n in range(3):
            e = (1.0 if n == 0 else 0.0, 1.0 if n == 1 else 0.0, 1.0 if n == 2 else 0.0)
            if c.in_body_axes:
                # A given in global axes turns with the body, its moment in body axes does not change
                if not c.is_torque:
                    change = mul(A, cross(e, given))
                    for m in range(3):
                        lin.K[at + m, at + 3 + n] += change[m]
            else:
                turned = scale(-1.0, cross(e, tmul(A, given)))  # d(A^T x) = -eta x A^T x
                change = turned if c.is_torque else cross(load(c.point), turned)
                for m in range(3):
                    lin.K[at + 3 + m, at + 3 + n] += change[m]


@jit
def add_bundles(model, kin, row, lin):
    """Bushings with full matrices: partials across the relations of a joint."""
    for k in range(len(model.bundle)):
        c = model.bundle[k]
        for q in range(6):
            r = c.row[q]
            if r == model.info[0].measure:
                continue
            relation = model.relation[model.row[r].relation]
            vary_all(relation, kin, lin)
            place = np.int64(0)
            for p in range(relation.count):
                if relation.row[p] == r:
                    place = np.int64(p)  # mixed signed and unsigned indices would become floats
            turned = lin.bend[0]
            for m in range(12):
                turned[m] = 0.0
                for n in range(12):
                    turned[m] += lin.V[m, place, n] * lin.u[n]
            i, j = relation.i, relation.j
            for p in range(6):
                if c.row[p] == model.info[0].measure:
                    continue
                w = row[c.row[p]].w
                add_block(i, j, w, row[r].w, -c.stiffness[p, q], lin.K)
                add_block(i, j, w, turned, -c.damping[p, q], lin.K)
                add_block(i, j, w, row[r].w, -c.damping[p, q], lin.D)


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


@jit
def still(body, out):
    """The axes of a body as complex numbers."""
    for m in range(3):
        for n in range(3):
            out.A[m, n] = complex(body.A[m, n], 0.0)


@jit
def add_closed(c, cc, rows, x, alpha, lam, kin, lin):
    """All that a closed relation has: lines of Cq, Cu and T, and K with its multipliers and with those of corrections.

    One pass over its second derivatives: this is where most of the time goes.
    """
    if alpha != 0.0:
        find_bends(c, cc, kin, lin)
    low, high = (0 if c.i != 0 else 6), (12 if c.j != 0 else 6)
    at_i, at_j = 6 * (np.int64(c.i) - 1), 6 * (np.int64(c.j) - 1) - 6
    wanted = lin.fixed[0] != 0
    for p in range(c.count):
        r = c.row[p]
        if r >= rows:
            continue  # dropped
        force = lam[r]
        f, g = (lin.fix[0, r], lin.fix[1, r]) if wanted else (0.0, 0.0)
        for k in range(low, high):
            at = (at_i if k < 6 else at_j) + k
            v, meets, turn = lin.V[k, p], 0.0, 0.0
            for m in range(low, high):
                turn += v[m] * lin.u[m]
                to = (at_i if m < 6 else at_j) + m
                meets += v[m] * x[to]
                lin.K[to, at] += force * v[m]
                if wanted:
                    lin.Kfix[0, to, at] += f * v[m]
                    lin.Kfix[1, to, at] += g * v[m]
            lin.T[r, at] += turn
            lin.Cq[r, at] += meets
            if alpha != 0.0:
                lin.Cq[r, at] += alpha * lin.bend[p, k]
                lin.Cu[r, at] += alpha * lin.bend[3 + p, k]


@jit
def linearise(model, t, y, x, alpha, work, lin):
    """Fill all matrices at a state just evaluated (dynamics.derivative), or at rows and forces in place.

    Multipliers of the closed rows stand in work.vector[LAM]; forces of FORCE rows in row.lam.
    """
    info = model.info[0]
    z = y[13 * (info.bodies - 1) :]
    clear(info.bilateral, lin)
    if lin.fixed[0]:
        for i in range(lin.K.shape[0]):
            for j in range(lin.K.shape[1]):
                lin.Kfix[0, i, j], lin.Kfix[1, i, j] = 0.0, 0.0
    for k in range(info.force_relations):
        c = model.relation[k]
        vary_all(c, work.kin, lin)
        if k < info.bilateral_relations:
            add_closed(c, lin.relation[k], info.bilateral, x, alpha, work.vector[LAM], work.kin, lin)
        else:
            gather_laws(model, c, t, z, work.row, lin)
            gather_pads(model, k, work.press, lin)
            add_forces(c, work.row, lin)
    add_bodies(model, work.kin, lin)
    add_loads(model, t, work.kin, work.stack, lin)
    add_bundles(model, work.kin, work.row, lin)
    add_rubs(model, t, z, work, lin)
