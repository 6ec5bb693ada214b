"""Matrix of implicit methods: how forces answer to a change of velocities that lasts for a time s.

With velocities changed by d (six per body) and positions therefore by s d, Newton's method for u = u* + s a(q, u) needs

    (M - s D - s^2 K) d - W^T m = b,      W d = c

D and K are the derivatives of the applied forces with respect to velocities and positions. They are exact for the laws
of FORCE rows, pads and bundles, from the laws' own partials: with lam(g, rate) on rows w,

    D d   = sum w_a (d lam_a / d rate_b) w_b . d
    K eta = sum w_a ((d lam_a / d g_b) w_b . eta + (d lam_a / d rate_b) (Dw_b[eta]) . u) + lam_a Dw_a[eta]

and for gyroscopic moments. What changes slowly (loads that turn with a body, the curvature of closed rows) is left out:
it would only speed up an iteration whose result does not depend on it. W are the closed rows. ``slot`` has where the
unknowns of each body and of each closed row stand (compile/envelope.py).
"""

from __future__ import annotations

from ..arrays import NONE
from ..laws.registry import evaluate_law
from ..numerics.jit import jit
from ..numerics.lu import clear_band
from ..relations.registry import vary_rows
from .interactions import lightness
from .joint_friction import normal_by_row, rub_by_speed
from .sensing import add_sensed

LEAST = 1e-13  # regularisation of dependent closed rows, relative to their weight


@jit
def moves(body, m):
    """True if direction m (3 displacements, 3 rotations) of a body can move at all."""
    return body.minv[m].real > 0.0 if m < 3 else body.Jinv[m - 3, m - 3].real > 0.0


@jit
def add_inertia(body, kin, s, slot, A):
    """M - s D of gyroscopic moments; the identity where a planar model cannot move."""
    for b in range(1, len(body)):
        c, w, o = body[b], kin[b].w, slot[b]
        for m in range(3):
            A[o + m, o + m] = c.mass if moves(c, m) else 1.0
            if not moves(c, 3 + m):
                A[o + 3 + m, o + 3 + m] = 1.0
                continue
            for n in range(3):
                if moves(c, 3 + n):
                    A[o + 3 + m, o + 3 + n] = c.J[m, n]
        # moment = J w x w: its change is J d x w + J w x d
        if moves(c, 3) and moves(c, 4) and moves(c, 5):
            h0 = c.J[0, 0] * w[0] + c.J[0, 1] * w[1] + c.J[0, 2] * w[2]
            h1 = c.J[1, 0] * w[0] + c.J[1, 1] * w[1] + c.J[1, 2] * w[2]
            h2 = c.J[2, 0] * w[0] + c.J[2, 1] * w[1] + c.J[2, 2] * w[2]
            for n in range(3):
                j0, j1, j2 = c.J[0, n], c.J[1, n], c.J[2, n]
                d0, d1, d2 = (1.0 if n == 0 else 0.0), (1.0 if n == 1 else 0.0), (1.0 if n == 2 else 0.0)
                A[o + 3, o + 3 + n] -= s * (j1 * w[2] - j2 * w[1] + h1 * d2 - h2 * d1)
                A[o + 4, o + 3 + n] -= s * (j2 * w[0] - j0 * w[2] + h2 * d0 - h0 * d2)
                A[o + 5, o + 3 + n] -= s * (j0 * w[1] - j1 * w[0] + h0 * d1 - h1 * d0)


@jit
def add_outer(i, j, left, right, factor, body, slot, A):
    """A -= factor left right^T for 12 numbers each, over the bodies i and j; blocked directions stay out."""
    for a in range(12):
        b, m = (i, a) if a < 6 else (j, a - 6)
        if b == 0 or left[a] == 0.0 or not moves(body[b], m):
            continue
        line = A[slot[b] + m]
        f = factor * left[a]
        for c in range(12):
            d, n = (i, c) if c < 6 else (j, c - 6)
            if d != 0 and moves(body[d], n):
                line[slot[d] + n] -= f * right[c]


@jit
def add_geometry(c, lam, by_rate, s, kin, row, body, scratch, slot, A):
    """Terms of a relation whose rows turn: lam_a Dw_a[eta], and rates that change with the place.

    lam: forces of its rows; by_rate: their partials with respect to its rates.
    """
    a, b = kin[c.i], kin[c.j]
    eta, out, left, right = scratch[0], scratch[1:4], scratch[4], scratch[5]
    for k in range(12):
        d, n = (c.i, k) if k < 6 else (c.j, k - 6)
        if d == 0 or not moves(body[d], n):
            continue
        for m in range(12):
            eta[m] = 0.0
            right[m] = 0.0
        eta[k] = 1.0
        right[k] = 1.0
        vary_rows(c, a, b, eta, out)
        for m in range(12):
            left[m] = 0.0
        for p in range(c.count):
            for m in range(12):
                left[m] += lam[p] * out[p, m]
            turn = 0.0 * lam[p]
            for m in range(3):
                turn += out[p, m] * a.v[m] + out[p, 3 + m] * a.w[m] + out[p, 6 + m] * b.v[m] + out[p, 9 + m] * b.w[m]
            for q in range(c.count):
                if by_rate[q, p] != 0.0:
                    for m in range(12):
                        left[m] += by_rate[q, p] * turn * row[c.row[q]].w[m]
        add_outer(c.i, c.j, left, right, s * s, body, slot, A)


@jit
def add_laws(model, t, s, z, kin, row, scratch, slot, A):
    """FORCE rows with laws of their own, and those whose force is a signal: its partials come by ``add_sensed``."""
    info = model.info[0]
    lam, by_rate = scratch[6], scratch[7:10]
    for r in range(info.bilateral, info.force):
        fact, c = model.row[r], row[r]
        if fact.law == NONE and fact.target == NONE:
            continue
        force, by_g, by_v = c.lam, 0.0 * c.lam, 0.0 * c.lam
        if fact.law != NONE:
            force, by_g, by_v, _, _ = evaluate_law(model.law[fact.law], model.constant, c.g, c.rate, t, z, True)
            add_outer(fact.i, fact.j, c.w, c.w, s * by_v + s * s * by_g, model.body, slot, A)
        relation = model.relation[fact.relation]
        for p in range(3):
            lam[p] = 0.0
            for q in range(3):
                by_rate[p, q] = 0.0
        for p in range(relation.count):
            if relation.row[p] == r:
                lam[p], by_rate[p, p] = force, by_v
        if force != 0.0 or by_v != 0.0:
            add_geometry(relation, lam, by_rate, s, kin, row, model.body, scratch, slot, A)


@jit
def add_pads(model, s, kin, row, press, scratch, slot, A):
    """Compliant contacts."""
    lam, by_rate = scratch[6], scratch[7:10]
    for k in range(len(model.pad)):
        c, p = model.pad[k], press[k]
        if p.force[0] == 0.0 and p.by_gap[0] == 0.0 and p.by_rate[0, 0] == 0.0:
            continue
        for m in range(1 + c.tangents):
            w = row[c.row[m]].w
            add_outer(c.i, c.j, w, row[c.row[0]].w, s * s * p.by_gap[m], model.body, slot, A)
            for n in range(1 + c.tangents):
                if p.by_rate[m, n] != 0.0:
                    add_outer(c.i, c.j, w, row[c.row[n]].w, s * p.by_rate[m, n], model.body, slot, A)
        for m in range(3):
            lam[m] = (c.sign if m == 0 else 1.0) * p.force[m]
            for n in range(3):
                by_rate[m, n] = p.by_rate[m, n]
        add_geometry(model.relation[c.relation], lam, by_rate, s, kin, row, model.body, scratch, slot, A)


@jit
def add_bundles(model, s, kin, row, scratch, slot, A):
    """Coupled bushings; each of their rows is a relation of its own."""
    eta, out, left, right = scratch[0], scratch[1:4], scratch[4], scratch[5]
    for k in range(len(model.bundle)):
        c = model.bundle[k]
        for m in range(6):
            r = c.row[m]
            if r == model.info[0].measure:
                continue  # a planar model cannot move it
            fact = model.row[r]
            relation = model.relation[fact.relation]
            a, b = kin[fact.i], kin[fact.j]
            for n in range(6):
                factor = -s * c.damping[m, n] - s * s * c.stiffness[m, n]
                if factor != 0.0:
                    add_outer(fact.i, fact.j, row[r].w, row[c.row[n]].w, factor, model.body, slot, A)
            for e in range(12):  # the row turns: its own force, and its rate in the forces of all six
                for n in range(12):
                    eta[n] = 0.0
                    right[n] = 0.0
                eta[e] = 1.0
                right[e] = 1.0
                vary_rows(relation, a, b, eta, out)
                w = out[0]
                turn = 0.0 * w[0]
                for n in range(3):
                    turn += w[n] * a.v[n] + w[3 + n] * a.w[n] + w[6 + n] * b.v[n] + w[9 + n] * b.w[n]
                for n in range(12):
                    left[n] = row[r].lam * w[n]
                    for q in range(6):
                        left[n] -= c.damping[q, m] * turn * row[c.row[q]].w[n]
                add_outer(fact.i, fact.j, left, right, s * s, model.body, slot, A)


@jit
def stiffness(model, t, s, y, work):
    """Largest s^2 k m + s c m, m = w M^-1 w, of all laws of force at a state just evaluated: above 1 they are stiff."""
    info, body, row = model.info[0], model.body, work.row
    z, most = y[13 * (info.bodies - 1) :], 0.0
    for r in range(info.bilateral, info.force):
        fact, c = model.row[r], row[r]
        if fact.law != NONE:
            _, k, d, _, _ = evaluate_law(model.law[fact.law], model.constant, c.g, c.rate, t, z, True)
            most = max(most, -(s * s * k + s * d) * lightness(body, fact.i, fact.j, c.w))
    for n in range(len(model.pad)):
        c, p = model.pad[n], work.press[n]
        if p.force[0] != 0.0 or p.by_rate[0, 0] != 0.0:
            light = lightness(body, c.i, c.j, row[c.row[0]].w)
            most = max(most, -(s * s * p.by_gap[0] + s * p.by_rate[0, 0]) * light)
    for n in range(len(model.bundle)):
        c = model.bundle[n]
        for m in range(6):
            fact = model.row[c.row[m]]
            light = lightness(body, fact.i, fact.j, row[c.row[m]].w)
            most = max(most, (s * s * c.stiffness[m, m] + s * c.damping[m, m]) * light)
    return most


@jit
def add_closed(model, row, weighed, slot, A):
    """-W^T and W of the closed rows, with a touch of regularisation."""
    info = model.info[0]
    for r in range(info.bilateral):
        fact, w, at = model.row[r], row[r].w, slot[info.bodies + r]
        weight = 0.0
        for m in range(12):
            b, n = (fact.i, m) if m < 6 else (fact.j, m - 6)
            weight += w[m] * weighed[r, m]
            if b != 0 and moves(model.body[b], n):
                A[slot[b] + n, at] -= w[m]
                A[at, slot[b] + n] += w[m]
        A[at, at] = LEAST * weight


@jit
def add_rubs(model, t, s, y, kin, row, slides, slot, A):
    """Friction of joints under their own reactions: with the sliding speed, and through the normal force.

    d phi = F_v lever w . d + F_N (dN/dR) dR; m = s d lam, so the last term stands in the columns of the multipliers.
    """
    info = model.info[0]
    z = y[13 * (info.bodies - 1) :]
    for k in range(info.rubs):
        c, slide = model.rub[k], slides[k]
        joint, law = model.joint[c.joint], model.law[c.law]
        for p in range(c.count):
            left = row[c.row[p]].w
            fact = model.row[c.row[p]]
            for q in range(c.count):
                by_v = rub_by_speed(c, law, model.constant, t, z, slide, p, q)
                add_outer(
                    fact.i, fact.j, left, row[c.row[q]].w, s * by_v * c.lever[p] * c.lever[q], model.body, slot, A
                )
            for r in range(joint.first, joint.first + joint.count):
                gain = slide.by_normal[p] * normal_by_row(joint, r, slide.gradient, model.row, row, kin) * c.lever[p]
                at = slot[info.bodies + r]
                for m in range(12):
                    b, n = (fact.i, m) if m < 6 else (fact.j, m - 6)
                    if b != 0 and moves(model.body[b], n):
                        A[slot[b] + n, at] -= gain * left[m]


@jit
def assemble_tangent(model, t, s, y, work, scratch, A):
    """Fill A at a state whose accelerations have just been found; ``scratch`` has ten lines of at least 12 numbers."""
    slot = work.slot
    clear_band(A, work.band)
    add_inertia(model.body, work.kin, s, slot, A)
    add_laws(model, t, s, y[13 * (model.info[0].bodies - 1) :], work.kin, work.row, scratch, slot, A)
    add_pads(model, s, work.kin, work.row, work.press, scratch, slot, A)
    add_bundles(model, s, work.kin, work.row, scratch, slot, A)
    if len(model.sense) > 0:
        add_sensed(model, t, work.kin, work.row, work.stack, scratch, (-s * s, -s), slot, A, A)
    add_closed(model, work.row, work.weighed, slot, A)
    if model.info[0].rubs > 0:
        add_rubs(model, t, s, y, work.kin, work.row, work.slide, slot, A)
