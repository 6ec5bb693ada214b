"""Forces that follow what expressions sense: coordinates and rates of joints, positions and velocities of bodies.

A sense is a scalar x_k(q, u). Its value stands in line SENSED + k of the stack of programs (numerics/signals.py), where
all signals find it: components of loads, and forces of *controlled* rows, FORCE rows whose force is a signal (the law
"force_law"). The sensed row of a coordinate is its row of MEASURE: a coordinate can be sensed whatever acts on it.

A signal f gives a generalised force a f, with a = w of its row, or the force and moment of a unit load. So its forces
change by

    dF = a sum_k (df/dx_k) (dx_k/deta eta + dx_k/du du)

    x_k          dx_k/deta              dx_k/du
    coordinate   w                      0
    rate         vary(.) . u            w
    position     unit vector            0
    velocity     0                      unit vector

Inner states are sensed as well; what follows from that is in assemble/states.py.

The partial derivatives of f are exact. At a kink they are those of the branch taken.
"""

from __future__ import annotations

import numpy as np

from ..arrays import COORDINATE, NONE, POSITION, RATE, SPIN, STATE, VELOCITY
from ..numerics.jit import jit
from ..numerics.signals import SENSED, evaluate_signal, senses, signal_partial
from ..numerics.vec import cross, load, mul, tmul
from ..relations.registry import evaluate_rows, vary_rows
from .interactions import look_at_relation


@jit
def sense(given, relation, fact, memory, z, kin, row, stack):
    """Put what is sensed (``given``) at a state with all bodies in place into the stack; their rows are looked at.

    ``z`` are the inner states.
    """
    last = NONE
    for k in range(len(given)):
        s = given[k]
        if s.kind <= RATE:
            c = relation[fact[s.at].relation]
            if fact[s.at].relation != last:
                look_at_relation(c, memory, kin, row)
                last = fact[s.at].relation
            stack[SENSED + k, 0] = row[s.at].g if s.kind == COORDINATE else row[s.at].rate
        elif s.kind == POSITION:
            stack[SENSED + k, 0] = kin[s.at].r[s.m]
        elif s.kind == VELOCITY:
            stack[SENSED + k, 0] = kin[s.at].v[s.m]
        elif s.kind == STATE:
            stack[SENSED + k, 0] = z[s.at]
        else:
            stack[SENSED + k, 0] = kin[s.at].w[s.m]


@jit
def control_rows(model, t, row, stack):
    """lam of the rows whose force is a signal; return its power, which counts as input."""
    power = 0.0 * row[0].g
    for n in range(len(model.control)):
        r = model.control[n]
        f, _, _ = evaluate_signal(model.signal[model.row[r].target], model.code, model.number, stack, t)
        row[r].lam = f
        power += f * row[r].rate
    return power


@jit
def power_of_controls(model, kin, row):
    """Power of controlled rows at the velocities in ``kin``, their forces being those found last."""
    power = 0.0 * row[0].g
    for n in range(len(model.control)):
        r = model.control[n]
        a, b, w = kin[model.row[r].i], kin[model.row[r].j], row[r].w
        rate = 0.0 * row[r].g
        for m in range(3):
            rate += w[m] * a.v[m] + w[3 + m] * a.w[m] + w[6 + m] * b.v[m] + w[9 + m] * b.w[m]
        power += row[r].lam * rate
    return power


@jit
def find_slopes(model, k, kin, row, scratch):
    """Bodies i and j of sense k; by_place (scratch[4]) and by_speed (scratch[5]): its slopes, 12 numbers each.

    ``scratch`` has seven lines of at least 12 numbers.
    """
    s = model.sense[k]
    eta, out, by_place, by_speed = scratch[0], scratch[1:4], scratch[4], scratch[5]
    for m in range(12):
        eta[m], by_place[m], by_speed[m] = 0.0, 0.0, 0.0
    if s.kind == STATE:
        return s.at * 0, s.at * 0
    if s.kind == POSITION:
        by_place[6 + s.m] = 1.0
        return s.at * 0, s.at
    if s.kind == VELOCITY:
        by_speed[6 + s.m] = 1.0
        return s.at * 0, s.at
    if s.kind == SPIN:
        by_speed[9 + s.m] = 1.0
        return s.at * 0, s.at
    c = model.relation[model.row[s.at].relation]
    a, b = kin[c.i], kin[c.j]
    g = row[s.at].g
    evaluate_rows(c, a, b, (0.0, 0.0), row)
    row[s.at].g = g  # turns are counted where it is sensed; w is the same on all of them
    w = row[s.at].w
    if s.kind == COORDINATE:
        for m in range(12):
            by_place[m] = w[m]
        return c.i, c.j
    which = np.int64(0)
    for p in range(c.count):
        if c.row[p] == s.at:
            which = np.int64(p)  # mixed signed and unsigned indices would become floats
    for n in range(12):
        by_speed[n] = w[n]
        eta[n] = 1.0
        vary_rows(c, a, b, eta, out)
        eta[n] = 0.0
        turn = 0.0 * w[n]
        for m in range(3):
            turn += out[which, m] * a.v[m] + out[which, 3 + m] * a.w[m]
            turn += out[which, 6 + m] * b.v[m] + out[which, 9 + m] * b.w[m]
        by_place[n] = turn
    return c.i, c.j


@jit
def find_lever(model, n, kin, row, lever):
    """Signal n of those that push, its bodies i and j, and force and moment per unit of it in ``lever`` (12 numbers).

    First come controlled rows, then three components of each load; NONE for a component that is constant.
    """
    rows = len(model.control)
    if n < rows:
        r = model.control[n]
        for m in range(12):
            lever[m] = row[r].w[m]
        return model.row[r].target, model.row[r].i, model.row[r].j
    c = model.load[(n - rows) // 3]
    m = (n - rows) % 3
    e = (1.0 if m == 0 else 0.0, 1.0 if m == 1 else 0.0, 1.0 if m == 2 else 0.0)
    A = kin[c.body].A
    for k in range(12):
        lever[k] = 0.0
    if c.is_torque:
        moment = e if c.in_body_axes else tmul(A, e)
        for k in range(3):
            lever[9 + k] = moment[k]
    else:
        pushed = mul(A, e) if c.in_body_axes else (e[0] + 0.0 * A[0, 0], e[1] + 0.0 * A[0, 0], e[2] + 0.0 * A[0, 0])
        moment = cross(load(c.point), tmul(A, pushed))
        for k in range(3):
            lever[6 + k], lever[9 + k] = pushed[k], moment[k]
    return c.signal[m], c.body * 0, c.body


@jit
def pushes(model):
    """How many signals may push (find_lever)."""
    return len(model.control) + 3 * len(model.load)


@jit
def can_move(body, m):
    """True if direction m (3 displacements, 3 rotations) of a body can move at all."""
    return body.minv[m].real > 0.0 if m < 3 else body.Jinv[m - 3, m - 3].real > 0.0


@jit
def spread(body, bodies, lever, ends, slope, factor, slot, A):
    """A += factor lever slope^T; ``lever`` over ``bodies``, ``slope`` over ``ends``, which need not be the same."""
    for a in range(12):
        b, m = (bodies[0], a) if a < 6 else (bodies[1], a - 6)
        if b == 0 or lever[a] == 0.0 or not can_move(body[b], m):
            continue
        line, f = A[slot[b] + m], factor * lever[a]
        for c in range(12):
            d, n = (ends[0], c) if c < 6 else (ends[1], c - 6)
            if d != 0 and slope[c] != 0.0 and can_move(body[d], n):
                line[slot[d] + n] += f * slope[c]


@jit
def add_sensed(model, t, kin, row, stack, scratch, factors, slot, by_place, by_speed):
    """by_place += factors[0] dF/deta and by_speed += factors[1] dF/du of all forces that follow what is sensed.

    At a state whose forces have just been found. ``slot`` has where the unknowns of each body begin.
    """
    lever = scratch[6]
    for k in range(len(model.sense)):
        used = False
        for n in range(len(model.signal)):
            used = used or senses(model.signal[n], model.code, k)
        if not used:
            continue
        i, j = find_slopes(model, k, kin, row, scratch)
        for n in range(pushes(model)):
            signal, a, b = find_lever(model, n, kin, row, lever)
            if signal == NONE or not senses(model.signal[signal], model.code, k):
                continue
            slope = signal_partial(model.signal[signal], model.code, model.number, stack, t, k)
            if slope != 0.0:
                spread(model.body, (a, b), lever, (i, j), scratch[4], factors[0] * slope, slot, by_place)
                spread(model.body, (a, b), lever, (i, j), scratch[5], factors[1] * slope, slot, by_speed)


@jit
def answer(body, bodies, lever, ends, slope):
    """slope . M^-1 lever: how fast a unit of a force changes what is sensed."""
    total = 0.0 * lever[0]
    for a in range(12):
        b, m = (bodies[0], a) if a < 6 else (bodies[1], a - 6)
        if b == 0:
            continue
        for c in range(12):
            d, n = (ends[0], c) if c < 6 else (ends[1], c - 6)
            if d != b:
                continue
            if m < 3 and n == m:
                total += slope[c] * body[b].minv[m] * lever[a]
            elif m >= 3 and n >= 3:
                total += slope[c] * body[b].Jinv[n - 3, m - 3] * lever[a]
    return total


@jit
def sensed_stiffness(model, t, kin, row, stack, scratch):
    """Largest (1/s2, 1/s) with which forces answer to displacements and to velocities that are sensed, both free."""
    lever = scratch[6]
    k_most, d_most = 0.0, 0.0
    for k in range(len(model.sense)):
        i, j = find_slopes(model, k, kin, row, scratch)
        for n in range(pushes(model)):
            signal, a, b = find_lever(model, n, kin, row, lever)
            if signal != NONE and senses(model.signal[signal], model.code, k):
                slope = signal_partial(model.signal[signal], model.code, model.number, stack, t, k)
                # a rate also changes with the place, by far less than with the speed
                if model.sense[k].kind == COORDINATE or model.sense[k].kind == POSITION:
                    k_most = max(k_most, -slope * answer(model.body, (a, b), lever, (i, j), scratch[4]))
                else:
                    d_most = max(d_most, -slope * answer(model.body, (a, b), lever, (i, j), scratch[5]))
    return k_most, d_most
