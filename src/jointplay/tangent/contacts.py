"""Rigid contacts in linearised steps: rows of the contacts that pass an impulse on, on the active set that was found.

With the relative velocity v = W x + alpha bias that the step or the impact speaks of, an active contact obeys

    normal       dv_N = 0                                       (closed, or rebounding with its restitution)
    holds        dv_T = 0
    slides       r_T = -mu r_N d,  d = v_T/s,  s = |v_T|:   dr_T + mu d dr_N + mu r_N/s (1 - d d^T) dv_T = -r_N d dmu

In a step in space friction acts against the mean sliding velocity: v_T = W (u_A + u_E), where the bias cancels.

where dv = W dx + Cq eta + Cu du + (restitution, its derivative, and the parameter's own part). The impulses dr are
unknowns beside those of the joints. A brake has no normal row: its r_N is load times h. Where the reaction of its joint
presses it, load = lever N(P/h, q, u) with the impulses P of the joints in the same step, which are unknowns as well:

    dr_N = lever (dN/dlam dP + h (dN/dq eta + dN/du du) + (N - dN/dlam P/h) dh) + h d(lever N)/drho
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import LAM, NONE, Model
from ..assemble.interactions import evaluate_relation
from ..assemble.joint_friction import TINY, normal_by_row, normal_force, reaction, soft_reaction
from ..assemble.tangent import moves
from ..numerics.jit import jit, link
from ..numerics.vec import cross, load
from ..relations.registry import vary_rows
from .friction_jacobian import normal_by_state
from .matrices import moved, vary_all
from .parameter_columns import push_column
from .params import STEP
from .program import add_part, put, put_line, put_row
from .tangent_state import ways_of

HOLDS = 1.0 - 1e-9  # of the cone
INSTANT, IMPACT, STEP_OF_TIME, LATER_ROUND = 0, 1, 2, 3  # what contacts are linearised in


class Active(NamedTuple):
    """Contacts of a linearised step, one line each; rows of Solver beyond the closed ones."""

    on: np.ndarray  # 1 if it passes an impulse on
    slides: np.ndarray
    mean: np.ndarray  # 1 if friction of a step acts against the sum of its velocities
    clings: np.ndarray  # 1 if the coefficient of a brake at rest counts
    rests: np.ndarray  # by the way a brake slid last: 1 or -1 it slides, 2 or -2 rests for a step, 3 for more; of a
    # wall the same without signs, 0 where nothing presses
    r: np.ndarray  # (contacts, 3) impulses along its rows, the normal one positive
    v: np.ndarray  # (contacts, 3) velocities of the law
    before: np.ndarray  # (contacts, 3) relative velocities before an impact
    column: np.ndarray  # (contacts, 3) parameter's own part of dv
    near: np.ndarray  # (contacts, 2) gaps and their rates at the start of a step; of brakes: speeds at both ends
    x: np.ndarray  # (12,) velocities of two bodies that a row meets
    # load of a brake that slides under the reaction of its joint: by multipliers of the closed rows, by place and
    # speed of the two bodies (12 each), without what is linear in the multipliers, by the parameter
    by_lam: np.ndarray  # (contacts, closed rows)
    by_state: np.ndarray  # (contacts, 2, 12)
    still: np.ndarray  # (contacts,)
    load: np.ndarray  # (contacts,)
    drag: np.ndarray  # (contacts, 2) friction of a wall when something slid there last
    way: np.ndarray  # the ways in which a body can move, of six (tangent_state.py)


def make_active(model: Model) -> Active:
    """Zeros."""
    c, z, rows = len(model.contact), np.zeros, int(model.info[0]["bilateral"])
    return Active(
        *(z(c, np.int64), z(c, np.int64), z(c, np.int64), z(c, np.int64), z(c, np.int64)),
        *(z((c, 3)), z((c, 3)), z((c, 3)), z((c, 3)), z((c, 2)), z(12), z((c, rows)), z((c, 2, 12)), z(c), z(c)),
        *(z((c, 2)), ways_of(model)),
    )


@jit
def along(fact, w, x):
    """w . x for a line of six numbers per body, the ground not counted."""
    total = 0.0
    for first, b in ((0, fact.i), (6, fact.j)):
        if b != 0:
            for m in range(6):
                total += w[first + m] * x[6 * (b - 1) + m]
    return total


@jit
def take_active(model, work, act):
    """Which contacts pass an impulse on, and which of them slide, from the answer of the last contact problem."""
    dim = model.info[0].dim
    found = 0
    for c in range(len(model.contact)):
        t, k = work.touch[c], model.contact[c]
        act.on[c], act.slides[c], act.clings[c], act.mean[c] = 0, 0, 0, 0
        for m in range(3):
            act.r[c, m] = t.impulse[m] if t.place != NONE and m < dim else 0.0
        if t.place == NONE or not act.r[c, 0] > 0.0:
            continue
        act.on[c] = 1
        found += 1
        drag = act.r[c, 1] ** 2 + act.r[c, 2] ** 2
        mu = k.static if t.stuck else k.mu
        act.slides[c] = 1 if dim > 1 and not np.sqrt(drag) < HOLDS * mu * act.r[c, 0] else 0
        act.mean[c] = 1 if act.slides[c] and t.slides else 0
    return found


@jit
def speaks_of(c, m, when, k, act):
    """What the law of component m of contact c speaks of: W (new + e u) + f alpha bias; returns (e, f)."""
    if when == IMPACT:
        return k.restitution if m == 0 else k.tangential, 1.0
    if when == STEP_OF_TIME and m > 0 and act.mean[c]:
        return 1.0, 0.0
    if when == LATER_ROUND and m == 0:
        return -1.0, 1.0
    return 0.0, 1.0


@jit
def add_contacts(model, memory, scale, alpha, when, u, new, work, lin, act):
    """Matrices of the active contacts: forces r/scale, rows with x = new + e u, and the velocities of their laws.

    ``when``: INSTANT, IMPACT, STEP_OF_TIME or LATER_ROUND, of which ``u`` are the velocities before.
    """
    for c in range(len(model.contact)):
        if act.on[c] == 0:
            continue
        k = model.contact[c]
        relation = model.relation[k.relation]
        evaluate_relation(relation, memory, work.kin, work.row)
        vary_all(relation, work.kin, lin)
        if alpha != 0.0:
            find_bends(relation, lin.relation[k.relation], work.kin, lin)
        for m in range(k.brake, model.info[0].dim):
            sign = k.sign if m == 0 else 1.0
            for p in range(relation.count):
                if relation.row[p] == k.row[m]:
                    place = np.int64(p)  # mixed signed and unsigned indices would become floats
            add_component(c, m, place, sign, scale, alpha, when, relation, k, u, new, work, lin, act)


@jit
def find_bends(relation, lifted, kin, lin):
    """out = vary(u) of the relation varied last, and in imaginary parts its derivative along u."""
    moved(kin[relation.i], lin.kin[0])
    moved(kin[relation.j], lin.kin[1])
    for m in range(12):
        lin.cu[m] = complex(lin.u[m], 0.0)
    vary_rows(lifted, lin.kin[0], lin.kin[1], lin.cu, lin.out)


@link
def add_component(c, m, p, sign, scale, alpha, when, relation, k, u, new, work, lin, act):
    """Row p of its relation, component m of contact c: what its force adds to K, and its lines of Cq and Cu."""
    r, force, x = k.row[m], sign * act.r[c, m] / scale, act.x
    fact, w, (e, f) = relation, work.row[r].w, speaks_of(c, m, when, k, act)
    before, after = 0.0, 0.0
    for half, b in ((0, fact.i), (6, fact.j)):
        at = 6 * (np.int64(b) - 1)
        for o in act.way:
            x[half + o] = 0.0
            if b != 0:
                x[half + o] = new[at + o] + e * u[at + o]
                before += w[half + o] * u[at + o]
                after += w[half + o] * x[half + o]
    act.before[c, m] = sign * before
    act.v[c, m] = sign * (after + f * alpha * work.row[r].bias)
    for first, d in ((0, fact.i), (6, fact.j)):
        if d == 0:
            continue
        at = 6 * (np.int64(d) - 1)
        for o in act.way:
            V, meets, turns = lin.V[first + o, p], 0.0, 0.0
            for half, b in ((0, fact.i), (6, fact.j)):
                if b != 0:
                    to = 6 * (np.int64(b) - 1)
                    for n in act.way:
                        value = V[half + n]
                        meets += value * x[half + n]
                        turns += value * lin.u[half + n]
                        lin.K[to + n, at + o] += force * value
            lin.Cq[r, at + o], lin.Cu[r, at + o] = meets, 0.0
            if alpha != 0.0:
                lin.bend[p, first + o] = turns + lin.out[p, first + o].real
                lin.Cq[r, at + o] += f * alpha * lin.out[p, first + o].imag * (1.0 / TINY)
                lin.Cu[r, at + o] = f * alpha * lin.bend[p, first + o]
        if alpha != 0.0 and len(act.way) == 6:  # s . (eta x w) = eta . (w x s)
            turn = cross(load(lin.u[first + 3 : first + 6]), load(lin.bend[p, first + 3 : first + 6]))
            for o in range(3):
                lin.Cq[r, at + 3 + o] += f * alpha * turn[o]


@jit
def slide_factor(c, m, n, act, mu, dim):
    """mu r_N/s (1 - d d^T) between tangents m and n."""
    s = np.sqrt(act.v[c, 1] ** 2 + act.v[c, 2] ** 2)
    if dim < 3 or not s > 0.0:
        return 0.0
    d = act.v[c, m] * act.v[c, n] / (s * s)
    return mu * act.r[c, 0] / s * ((1.0 if m == n else 0.0) - d)


@jit
def direction(c, m, act, k):
    """d along tangent m: of the sliding velocity, or against the impulse where that vanishes."""
    size = np.sqrt(act.r[c, 1] ** 2 + act.r[c, 2] ** 2)
    return -act.r[c, m] / size if size > 0.0 else 0.0


@jit
def grip(c, law, act):
    """Friction coefficient that counts."""
    return law.static if act.clings[c] else law.mu


@jit
def grip_column(c, slope, act):
    """Its derivative, from the record of a parameter."""
    return (slope.static.imag if act.clings[c] else slope.mu.imag) / STEP


@jit
def is_pressed(c, law, act):
    """True if contact c is a brake that slides under the reaction of its joint."""
    return act.on[c] != 0 and act.slides[c] != 0 and law.brake != 0 and law.rub != NONE


@jit
def press_active(model, t, y, work, lin, act):
    """How the loads of brakes follow the reactions of their joints; multipliers of the closed rows stand in LAM."""
    z = y[13 * (model.info[0].bodies - 1) :]
    for c in range(len(model.contact)):
        law = model.contact[c]
        if not is_pressed(c, law, act):
            continue
        record = model.rub[law.rub]
        joint, lever, gradient = model.joint[record.joint], record.lever[0], work.gradient
        one = reaction(joint, work.vector[LAM], model.row, work.row, work.kin)
        two = soft_reaction(joint, model.row, work.row, work.kin)
        R = (one[0] + two[0], one[1] + two[1], one[2] + two[2], one[3] + two[3], one[4] + two[4], one[5] + two[5])
        act.still[c] = lever * normal_force(record, R, gradient)
        for r in range(act.by_lam.shape[1]):
            act.by_lam[c, r] = 0.0
        for r in range(joint.first, joint.first + joint.count):
            act.by_lam[c, r] = lever * normal_by_row(joint, r, gradient, model.row, work.row, work.kin)
            act.still[c] -= act.by_lam[c, r] * work.vector[LAM, r]
        normal_by_state(model, joint, gradient, t, z, work, lin, act.by_state[c, 0], act.by_state[c, 1])
        for m in range(12):
            act.by_state[c, 0, m] *= lever
            act.by_state[c, 1, m] *= lever


@jit
def fill_contacts(model, work, lin, solver, act):
    """Columns W_c^T and rows of the active contacts in the matrix."""
    dim, A, slot, first = model.info[0].dim, solver.A, solver.slot, solver.base[1]
    for c in range(len(model.contact)):
        k = model.contact[c]
        for m in range(dim):
            at = first + dim * c + m
            if act.on[c] == 0 or (k.brake and m != 1):  # a brake has one direction
                continue
            r, sign = k.row[m], k.sign if m == 0 else 1.0
            fact, w = model.row[r], work.row[r].w
            for half, b in ((0, fact.i), (6, fact.j)):
                if b == 0:
                    continue
                for i in act.way:
                    if moves(model.body[b], i):
                        A[slot[b] + i, at] -= sign * w[half + i]
                        if m == 0 or act.slides[c] == 0:
                            A[at, slot[b] + i] += sign * w[half + i]
            if m > 0 and act.slides[c] != 0:
                mu = grip(c, k, act)
                A[at, at] += 1.0
                if k.brake == 0:
                    A[at, first + dim * c] += mu * direction(c, m, act, k)
                elif k.rub != NONE:
                    for q in range(act.by_lam.shape[1]):
                        A[at, slot[len(model.body) + q]] += mu * direction(c, m, act, k) * act.by_lam[c, q]
                for n in range(1, dim):
                    f = slide_factor(c, m, n, act, mu, dim)
                    if f != 0.0:
                        q = k.row[n]
                        for half, b in ((0, model.row[q].i), (6, model.row[q].j)):
                            if b != 0:
                                for i in act.way:
                                    if moves(model.body[b], i):
                                        A[at, slot[b] + i] += f * work.row[q].w[half + i]


@jit
def contact_columns(model, P, k, h, alpha, when, u, new, memory, work, cw, col, act):
    """The parameter's own part: forces of turned rows into col.F (times h), dv into act.column."""
    dim = model.info[0].dim
    for c in range(len(model.contact)):
        for m in range(3):
            act.column[c, m] = 0.0
        if act.on[c] == 0:
            continue
        law, slope = model.contact[c], P.contact[k, c]
        n = law.relation
        act.load[c] = col.N[law.rub] if law.rub != NONE else 0.0
        if P.has_relation[k, n] != 0:
            evaluate_relation(P.relation[k, n], memory, cw.kin, cw.row)
        for m in range(law.brake, dim):
            r, sign = law.row[m], law.sign if m == 0 else 1.0
            e, f = speaks_of(c, m, when, law, act)
            de = 0.0
            if when == IMPACT:
                de = (slope.restitution.imag if m == 0 else slope.tangential.imag) / STEP
            act.column[c, m] = de * act.before[c, m]
            if P.has_relation[k, n] != 0:
                row, total = cw.row[r], 0.0
                push_column(model.row[r], row.w, sign * act.r[c, m] / h, col.F)
                for half, b in ((0, model.row[r].i), (6, model.row[r].j)):
                    if b != 0:
                        for i in range(6):
                            j = 6 * (b - 1) + i
                            total += row.w[half + i].imag / STEP * (new[j] + e * u[j])
                act.column[c, m] += sign * (total + f * alpha * row.bias.imag / STEP)


@jit
def list_contacts(model, prog, h, when, gap, places, work, lin, solver, act):
    """Right-hand sides of the contacts' rows, without what parameters add.

    places = registers (place, velocity) at which rows are evaluated, and of the velocity before; ``gap``: 1/h where a
    normal speaks of its gap as well.
    """
    dim, first = model.info[0].dim, prog.at[0].x + solver.base[1]
    for c in range(len(model.contact)):
        law = model.contact[c]
        for m in range(law.brake, dim):
            at = first + dim * c + m
            if act.on[c] == 0 or (law.brake and m != 1):
                continue
            if m == 0 or act.slides[c] == 0:
                list_change(model, prog, at, -1.0, c, m, when, gap, places, work, lin, act)
                continue
            mu, d = grip(c, law, act), direction(c, m, act, law)
            if law.brake:
                list_load(model, prog, at, -mu * d, h, c, places, act)
            for n in range(1, dim):
                f = slide_factor(c, m, n, act, mu, dim)
                if f != 0.0:
                    list_change(model, prog, at, -f, c, n, when, gap, places, work, lin, act)


@jit
def list_change(model, prog, at, factor, c, m, when, gap, places, work, lin, act):
    """Change of the velocity of component m of contact c that does not come from the new velocities."""
    law, (eta, du, before) = model.contact[c], places
    r, sign = law.row[m], law.sign if m == 0 else 1.0
    fact, (e, f) = model.row[r], speaks_of(c, m, when, law, act)
    put_line(prog, at, factor * sign, fact, lin.Cq[r], eta)
    put_line(prog, at, factor * sign, fact, lin.Cu[r], du)
    if e != 0.0:
        put_row(prog, at, factor * sign * e, fact, work.row[r].w, before)
    if gap != 0.0 and m == 0:
        put_row(prog, at, factor * sign * gap, fact, work.row[r].w, eta)
    if when == STEP_OF_TIME:  # alpha = h/2
        put(prog, at, factor * sign * 0.5 * f * work.row[r].bias, prog.at[0].growth)


@jit
def list_load(model, prog, at, factor, h, c, places, act):
    """Change of the normal impulse of brake c over a time h that does not come from the impulses of the joints."""
    law, (eta, du, _) = model.contact[c], places
    if law.rub == NONE:
        put(prog, at, factor * law.load, prog.at[0].growth)
        return
    joint = model.joint[model.rub[law.rub].joint]
    for half, b in ((0, joint.i), (6, joint.j)):
        if b != 0:
            for m in range(6):
                i = 6 * (b - 1) + m
                put(prog, at, factor * h * act.by_state[c, 0, half + m], eta + i)
                put(prog, at, factor * h * act.by_state[c, 1, half + m], du + i)
    put(prog, at, factor * act.still[c], prog.at[0].growth)


@jit
def add_contact_parts(model, P, k, prog, h, solver, act):
    """What parameter k adds to these right-hand sides; its column stands in act.column and act.load."""
    dim, first = model.info[0].dim, prog.at[0].x + solver.base[1]
    for c in range(len(model.contact)):
        law, slope = model.contact[c], P.contact[k, c]
        for m in range(law.brake, dim):
            at = first + dim * c + m
            if act.on[c] == 0 or (law.brake and m != 1):
                continue
            if m == 0 or act.slides[c] == 0:
                add_part(prog, k, at, -act.column[c, m])
                continue
            mu, total = grip(c, law, act), grip_column(c, slope, act) * act.r[c, 0]
            if law.brake:
                total += mu * h * (slope.load.imag / STEP if law.rub == NONE else act.load[c])
            total *= direction(c, m, act, law)
            for n in range(1, dim):
                total += slide_factor(c, m, n, act, mu, dim) * act.column[c, n]
            add_part(prog, k, at, -total)
