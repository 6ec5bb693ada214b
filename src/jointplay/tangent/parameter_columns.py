"""Partial derivatives of forces, rows and rates with respect to one parameter, at a fixed state and fixed multipliers.

    F = dF/d rho - (dM/d rho) a      forces, and inertia times the acceleration ``a`` that goes with them
    c = d(W x + alpha bias)/d rho,   g = dg/d rho,   v = d(W u + drift)/d rho      closed rows
    H = dz'/d rho                    inner states
    N = d(lever N)/d rho             loads of joints that stick under their own reaction

An imaginary step through the kernels of relations and laws (tangent/params.py); what does not depend on the parameter
is not evaluated.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import LAM, NONE, ONSET, PAD_SLOTS, RATES, Model
from ..assemble.compliant_contacts import press_pad
from ..assemble.interactions import evaluate_relation
from ..assemble.joint_friction import normal_force, reaction, soft_reaction
from ..assemble.sensing import sense
from ..laws.registry import evaluate_law, evaluate_rates, evaluate_rub
from ..numerics.jit import jit
from ..numerics.signals import evaluate_signal
from ..numerics.vec import cross, load, mul, tmul
from .parameter_sparsity import BODY, BUNDLE, CLOSED, DRIVEN, FORCE, INNER, LOAD, PLACE, ROW, RUB, RUB_LAW, touched
from .params import STEP


class Column(NamedTuple):
    """One parameter's column; see the module's text."""

    F: np.ndarray  # (6 n,)
    c: np.ndarray  # (rows,)
    g: np.ndarray  # (rows,)
    v: np.ndarray  # (rows,)
    H: np.ndarray  # (inner states,)
    N: np.ndarray  # (joints that rub,)
    last: np.ndarray  # (1,) parameter whose entries are filled, -1: there may be others


def make_column(model: Model) -> Column:
    """Zeros of the right sizes."""
    info = model.info[0]
    n, rows = 6 * (int(info["bodies"]) - 1), int(info["bilateral"])
    z = np.zeros
    return Column(z(n), z(rows), z(rows), z(rows), z(int(info["inner"])), z(len(model.rub)), np.full(1, -1))


@jit
def lift(kin, out):
    """Bodies as complex records, for all parameters at this state."""
    for b in range(len(kin)):
        a, c = kin[b], out[b]
        for m in range(3):
            c.r[m], c.v[m], c.w[m] = a.r[m], a.v[m], a.w[m]
            for n in range(3):
                c.A[m, n] = a.A[m, n]


@jit
def push_column(fact, w, lam, F):
    """F += Im(lam w) / STEP over the bodies of a row."""
    force, slope = lam.real / STEP, lam.imag / STEP
    for first, b in ((0, fact.i), (6, fact.j)):
        if b != 0:
            for m in range(6):
                F[6 * (b - 1) + m] += force * w[first + m].imag + slope * w[first + m].real


@jit
def rate_of(fact, w, kin):
    """w . u."""
    a, b = kin[fact.i], kin[fact.j]
    total = 0.0 * w[0]
    for m in range(3):
        total += w[m] * a.v[m] + w[3 + m] * a.w[m] + w[6 + m] * b.v[m] + w[9 + m] * b.w[m]
    return total


@jit
def rate_column(fact, w, kin):
    """Im(w) . u / STEP, with velocities u that no parameter moves."""
    a, b, total = kin[fact.i], kin[fact.j], 0.0
    for m in range(3):
        total += w[m].imag * a.v[m].real + w[3 + m].imag * a.w[m].real
        total += w[6 + m].imag * b.v[m].real + w[9 + m].imag * b.w[m].real
    return total / STEP


@jit
def body_column(model, P, k, a, work, col):
    """Weight, gyroscopic moment and inertia."""
    base, slope = model.info[0].gravity, P.info[k, 0].gravity
    bodies = touched(P, k, BODY)
    for q in range(len(bodies)):
        b = bodies[q]
        c, d, at = model.body[b], P.body[k, b], 6 * (b - 1)
        w = load(work.kin[b].w)
        mass = d.mass.imag / STEP
        turn = (0.0, 0.0, 0.0)
        J = (
            (d.J[0, 0].imag / STEP, d.J[0, 1].imag / STEP, d.J[0, 2].imag / STEP),
            (d.J[1, 0].imag / STEP, d.J[1, 1].imag / STEP, d.J[1, 2].imag / STEP),
            (d.J[2, 0].imag / STEP, d.J[2, 1].imag / STEP, d.J[2, 2].imag / STEP),
        )
        h = (
            J[0][0] * w[0] + J[0][1] * w[1] + J[0][2] * w[2],
            J[1][0] * w[0] + J[1][1] * w[1] + J[1][2] * w[2],
            J[2][0] * w[0] + J[2][1] * w[1] + J[2][2] * w[2],
        )
        turn = cross(h, w)
        for m in range(3):
            col.F[at + m] += mass * (base[m] - a[at + m]) + c.mass * slope[m].imag / STEP
            col.F[at + 3 + m] += turn[m] - (J[m][0] * a[at + 3] + J[m][1] * a[at + 4] + J[m][2] * a[at + 5])


@jit
def signal_column(model, P, k, s, t, stack):
    """Derivatives of (f, f', f'') of signal s with respect to parameter k; ``stack`` is complex."""
    f, f1, f2 = evaluate_signal(model.signal[s], P.code[k], P.number[k], stack, t)
    return f.imag / STEP, f1.imag / STEP, f2.imag / STEP


@jit
def closed_column(model, P, k, t, x, alpha, memory, work, cw, col):
    """Closed rows whose relation depends on the parameter, and targets that do."""
    info, relations, driven = model.info[0], touched(P, k, CLOSED), touched(P, k, DRIVEN)
    for q in range(len(relations)):
        c = P.relation[k, relations[q]]
        evaluate_relation(c, memory, cw.kin, cw.row)
        for p in range(c.count):
            r = c.row[p]
            if r >= info.bilateral:
                continue
            fact, row = model.row[r], cw.row[r]
            push_column(fact, row.w, work.vector[LAM, r], col.F)
            meets = alpha * row.bias.imag
            for first, b in ((0, fact.i), (6, fact.j)):
                if b != 0:
                    for m in range(6):
                        meets += row.w[first + m].imag * x[6 * (b - 1) + m]
            col.c[r] += meets / STEP
            col.g[r] += row.g.imag / STEP
            col.v[r] += rate_column(fact, row.w, cw.kin)
    for q in range(len(driven)):
        r = driven[q]
        f, f1, f2 = signal_column(model, P, k, model.row[r].target, t, cw.stack)
        col.g[r] -= f
        col.v[r] -= f1
        col.c[r] -= alpha * f2


@jit
def drift_column(model, P, k, t, cw, col):
    """Drives whose speed depends on the parameter: the drift of their rows joins col.c."""
    driven = touched(P, k, DRIVEN)
    for q in range(len(driven)):
        _, f1, _ = signal_column(model, P, k, model.row[driven[q]].target, t, cw.stack)
        col.c[driven[q]] -= f1


@jit
def law_rates_column(law, constant, row, t, z, rates, col):
    """Rates of the states that a law on a row brings along."""
    evaluate_rates(law, constant, row.g, row.rate, t, z, rates)
    for q in range(law.inner, law.inner + law.states):
        col.H[q] += rates[q].imag / STEP


@jit
def force_column(model, P, k, t, z, memory, work, cw, col):
    """FORCE rows: where the relation, the law, a pad or a bundle depends on the parameter."""
    info, relations, bundles = model.info[0], touched(P, k, FORCE), touched(P, k, BUNDLE)
    first = info.bilateral
    for o in range(len(relations)):
        n = relations[o]
        c = P.relation[k, n]
        evaluate_relation(c, memory, cw.kin, cw.row)
        for p in range(c.count):
            r = c.row[p]
            if r < first or r >= info.force:
                continue
            fact, row = model.row[r], cw.row[r]
            row.rate = rate_of(fact, row.w, cw.kin)
            row.lam = 0.0
            if fact.law != NONE:
                lam, _, _, _, _ = evaluate_law(model.law[fact.law], P.constant[k], row.g, row.rate, t, z, False)
                row.lam = lam
                if model.law[fact.law].states > 0:
                    law_rates_column(model.law[fact.law], P.constant[k], row, t, z, cw.inner[RATES], col)
            elif fact.target != NONE:
                lam, _, _ = evaluate_signal(model.signal[fact.target], P.code[k], P.number[k], cw.stack, t)
                row.lam = lam
        for m in range(len(model.pad)):
            if model.pad[m].relation == n:
                onset = memory[info.pads + PAD_SLOTS * m + ONSET]
                rates = cw.inner[RATES]
                press_pad(P.pad[k, m], model.law, P.constant[k], onset, t, z, cw.row, cw.press[m], rates, False)
                for q in range(model.pad[m].inner, model.pad[m].inner + model.pad[m].states):
                    col.H[q] += rates[q].imag / STEP
        for p in range(c.count):
            r = c.row[p]
            if first <= r < info.force:
                push_column(model.row[r], cw.row[r].w, cw.row[r].lam, col.F)
    for n in range(len(bundles)):
        c = P.bundle[k, bundles[n]]
        for p in range(6):
            r = c.row[p]
            lam = c.preload[p]
            for q in range(6):
                lam -= c.stiffness[p, q] * cw.row[c.row[q]].g + c.damping[p, q] * cw.row[c.row[q]].rate
            if r < info.force:
                push_column(model.row[r], cw.row[r].w, lam, col.F)


@jit
def take_row(model, P, k, r, work, cw):
    """Row r as complex numbers: evaluated by the columns before if it depends on parameter k, else copied."""
    if P.has_relation[k, model.row[r].relation] != 0:
        return
    a, c = work.row[r], cw.row[r]
    c.g, c.bias = a.g, a.bias
    for m in range(12):
        c.w[m] = a.w[m]


@jit
def rub_column(model, P, k, t, z, work, cw, col):
    """Friction of joints under their own reactions: what depends on the parameter is the normal force or the law."""
    pressed, by_law = touched(P, k, RUB), touched(P, k, RUB_LAW)
    for q in range(len(pressed)):
        n = pressed[q]
        c = P.rub[k, n]
        joint = P.joint[k, c.joint]
        for r in range(joint.first, joint.first + joint.count):
            take_row(model, P, k, r, work, cw)
            cw.vector[LAM, r] = work.vector[LAM, r]
        for r in range(joint.soft_first, joint.soft_first + joint.soft_count):
            fact, row = model.row[r], cw.row[r]
            take_row(model, P, k, r, work, cw)
            row.rate, row.lam = rate_of(fact, row.w, cw.kin), 0.0
            if fact.law != NONE:
                lam, _, _, _, _ = evaluate_law(model.law[fact.law], P.constant[k], row.g, row.rate, t, z, False)
                row.lam = lam
        one = reaction(joint, cw.vector[LAM], model.row, cw.row, cw.kin)
        two = soft_reaction(joint, model.row, cw.row, cw.kin)
        R = (one[0] + two[0], one[1] + two[1], one[2] + two[2], one[3] + two[3], one[4] + two[4], one[5] + two[5])
        N = normal_force(c, R, cw.gradient)
        if n >= model.info[0].rubs:  # it sticks: a brake under this load
            col.N[n] = (c.lever[0] * N).imag / STEP
            continue
        speed = cw.slide[n].speed
        for p in range(c.count):
            r = c.row[p]
            take_row(model, P, k, r, work, cw)
            speed[p] = c.lever[p] * rate_of(model.row[r], cw.row[r].w, cw.kin)
        push_friction(model, P, k, n, t, z, N, cw, col)
    for q in range(len(by_law)):
        n = by_law[q]
        if n < model.info[0].rubs:
            for p in range(model.rub[n].count):
                take_row(model, P, k, model.rub[n].row[p], work, cw)
                cw.slide[n].speed[p] = work.slide[n].speed[p]
            push_friction(model, P, k, n, t, z, work.slide[n].normal + 0.0 * P.rub[k, n].smoothing, cw, col)


@jit
def push_friction(model, P, k, n, t, z, N, cw, col):
    """Friction of rub record n by its law, at the speeds in cw.slide and the normal force N."""
    c = P.rub[k, n]
    law, speed = model.law[c.law], cw.slide[n].speed
    v1 = speed[1] if c.count > 1 else 0.0 * N
    z0, z1, z2 = 0.0, 0.0, 0.0
    if c.states > 0:
        z0, z1, z2 = z[law.inner], z[law.inner + 1], z[law.inner + 2]
    f0, f1, d0, d1, d2 = evaluate_rub(law, P.constant[k], speed[0], v1, N, t, z0, z1, z2)
    if c.states > 0:
        col.H[law.inner] += d0.imag / STEP
        col.H[law.inner + 1] += d1.imag / STEP
        col.H[law.inner + 2] += d2.imag / STEP
    for p in range(c.count):
        phi = f0 if p == 0 else f1
        push_column(model.row[c.row[p]], cw.row[c.row[p]].w, phi * c.lever[p], col.F)


@jit
def load_column(model, P, k, t, work, cw, col):
    """Loads: value, point, or a function of time."""
    loads = touched(P, k, LOAD)
    for q in range(len(loads)):
        c, d = model.load[loads[q]], P.load[k, loads[q]]
        slope = (complex(0.0, 0.0), complex(0.0, 0.0), complex(0.0, 0.0))
        for m in range(3):
            value = d.value[m]
            if c.signal[m] != NONE and len(model.sense) > 0:  # by its numbers, and by what is sensed
                value, _, _ = evaluate_signal(model.signal[c.signal[m]], P.code[k], P.number[k], cw.stack, t)
            elif c.signal[m] != NONE:
                f, _, _ = evaluate_signal(model.signal[c.signal[m]], model.code, model.number, work.stack, t)
                value = complex(f, 0.0)
                if P.has_signal[k, c.signal[m]] != 0:
                    df, _, _ = signal_column(model, P, k, c.signal[m], t, cw.stack)
                    value = complex(f, STEP * df)
            if m == 0:
                slope = (value, slope[1], slope[2])
            elif m == 1:
                slope = (slope[0], value, slope[2])
            else:
                slope = (slope[0], slope[1], value)
        body, at = cw.kin[c.body], 6 * (c.body - 1)
        if c.is_torque:
            moment = slope if c.in_body_axes else tmul(body.A, slope)
        else:
            pushed = mul(body.A, slope) if c.in_body_axes else slope
            moment = cross(load(d.point), tmul(body.A, pushed))
            for m in range(3):
                col.F[at + m] += pushed[m].imag / STEP
        for m in range(3):
            col.F[at + 3 + m] += moment[m].imag / STEP


@jit
def state_column(model, P, k, t, cw, col):
    """Rates of states that are signals, by their numbers and by what is sensed."""
    for n in range(len(model.state)):
        if model.state[n].rate != NONE:
            f, _, _ = signal_column(model, P, k, model.state[n].rate, t, cw.stack)
            col.H[model.state[n].inner] += f


@jit
def clear_column(col):
    """All zero, whoever filled it."""
    col.last[0] = -1
    for m in range(len(col.F)):
        col.F[m] = 0.0
    for m in range(len(col.c)):
        col.c[m], col.g[m], col.v[m] = 0.0, 0.0, 0.0
    for m in range(len(col.H)):
        col.H[m] = 0.0
    for m in range(len(col.N)):
        col.N[m] = 0.0


@jit
def wipe_column(P, col):
    """All zero, where the last parameter has entries."""
    k = col.last[0]
    if k < 0:
        clear_column(col)
        return
    places, rows, inner = touched(P, k, PLACE), touched(P, k, ROW), touched(P, k, INNER)
    for m in range(len(col.N)):
        col.N[m] = 0.0
    for n in range(len(places)):
        for m in range(6):
            col.F[6 * (places[n] - 1) + m] = 0.0
    for n in range(len(rows)):
        r = rows[n]
        col.c[r], col.g[r], col.v[r] = 0.0, 0.0, 0.0
    for n in range(len(inner)):
        col.H[inner[n]] = 0.0


@jit
def find_column(model, P, k, t, y, x, a, alpha, memory, work, cw, col):
    """Fill the column of parameter k at a state just evaluated; ``cw.kin`` must be lifted there."""
    z = y[13 * (model.info[0].bodies - 1) :]
    wipe_column(P, col)
    col.last[0] = k
    body_column(model, P, k, a, work, col)
    if len(model.sense) > 0:
        sense(model.sense, P.relation[k], model.row, memory, z, cw.kin, cw.row, cw.stack)
    closed_column(model, P, k, t, x, alpha, memory, work, cw, col)
    force_column(model, P, k, t, z, memory, work, cw, col)
    rub_column(model, P, k, t, z, work, cw, col)
    load_column(model, P, k, t, work, cw, col)
    state_column(model, P, k, t, cw, col)
