"""Compliant contacts and coupled bushings: forces on several rows at once, and their partials.

A pad is a wall that gives way: with the gap of its normal row and x = -gap, the contact law gives N(x, dx/dt) and
friction opposes the sliding velocity v_T of the tangent rows,

    lam_N = sign N,      lam_T = -mu(s)/s N v_T,      s = |v_T|.

The law of a pad may have inner states (laws/compliant.py), which stand in y for each pad on its own. One of them may be
its recess: the gap is then that of the normal row plus the recess.

Whether it is in touch is decided by the method, not by rounding: while State.memory has "held open" there is no force,
so that a step sees one smooth branch of the law and the instant of touch can be found in time
(methods/compliant_events.py).
A law that acts at any gap (a film) is evaluated always: nothing begins or ends, and memory is not read.

A bundle is a bushing with full matrices on the six directions of a joint, lam = preload - K g - C rate.
"""

from __future__ import annotations

import numpy as np

from ..arrays import NONE, ONSET, PAD_SLOTS
from ..laws.registry import evaluate_contact, evaluate_friction, evolve_contact
from ..numerics.jit import jit
from .interactions import evaluate_relation

SLOW = 1e-12  # m/s, speed of a contact that begins at rest


@jit
def clear_press(press):
    """No force, no partials."""
    press.closed, press.fresh, press.onset, press.stored = 0, 0, 0.0, 0.0
    for m in range(3):
        press.force[m] = 0.0
        press.by_gap[m] = 0.0
        for n in range(3):
            press.by_rate[m, n] = 0.0


@jit
def sliding_speed(c, row):
    """Size of the sliding velocity of a pad."""
    square = 0.0 * row[c.row[0]].rate
    for m in range(1, 1 + c.tangents):
        square += row[c.row[m]].rate ** 2
    return np.sqrt(square)


@jit
def answers_of(c, law, constant, x, rate, onset, s, t, z, out, wanted):
    """N, its partials, stored energy and dissipated power of the law of pad c, and rates of its states in ``out``.

    ``z`` and ``out`` are lines of all inner states.
    """
    if c.states == 0:
        return evaluate_contact(law[c.law], constant, x, rate, onset, t, wanted)
    last = c.inner + c.states
    return evolve_contact(law[c.law], constant, x, rate, onset, s, t, z[c.inner : last], out[c.inner : last], wanted)


@jit
def press_pad(c, law, constant, onset, t, z, row, press, rates, wanted):
    """Forces of one pad, added to the rows' lam, and their partials; returns the power that it dissipates.

    Rates of its inner states join the line ``rates``. Partials of laws that users have written are there only if they
    are ``wanted``.
    """
    normal = row[c.row[0]]
    gap, rate = c.sign * (normal.g - c.limit), c.sign * normal.rate
    if c.recess != NONE:
        gap = gap + z[c.recess]
    press.gap, press.rate = gap, rate
    clear_press(press)
    opened = c.anywhere == 0 and (onset < 0.0 or gap.real >= 0.0)
    if opened and c.states == 0:
        return 0.0 * gap
    began = onset if onset > 0.0 else max(-rate.real, SLOW)
    press.onset, press.fresh = began, 0 if onset > 0.0 else 1
    if c.states == 0:
        N, by_x, by_rate, stored, lost = evaluate_contact(law[c.law], constant, -gap, -rate, began, t, wanted)
    else:
        x, s = 0.0 * gap if opened else -gap, sliding_speed(c, row)
        N, by_x, by_rate, stored, lost = answers_of(c, law, constant, x, -rate, began, s, t, z, rates, wanted)
        if opened:
            press.stored = stored
            return lost
    press.closed = 1
    press.force[0], press.stored = N, stored
    press.by_gap[0], press.by_rate[0, 0] = -by_x, -by_rate
    normal.lam += c.sign * N
    if c.friction != NONE:
        # dN along the coordinate and its rate, then the quotient mu(s)/s of the friction
        by_g, by_g_rate = -c.sign * by_x, -c.sign * by_rate
        square = 0.0 * N
        for m in range(1, 1 + c.tangents):
            square += row[c.row[m]].rate ** 2
        s = np.sqrt(square)
        mu, by_s, quotient = evaluate_friction(law[c.friction], constant, s, N, t, wanted)
        bend = 0.0 * s
        if s.real > 0.0:
            bend = (by_s - quotient) / square
        for m in range(1, 1 + c.tangents):
            v = row[c.row[m]].rate
            drag = -quotient * N * v
            press.force[m] = drag
            row[c.row[m]].lam += drag
            press.by_gap[m] = -quotient * v * by_g
            press.by_rate[m, 0] = -quotient * v * by_g_rate
            for n in range(1, 1 + c.tangents):
                press.by_rate[m, n] = -N * bend * v * row[c.row[n]].rate
            press.by_rate[m, m] -= N * quotient
        lost += mu * N * s
    return lost


@jit
def press_pads(pad, law, constant, t, memory, z, row, press, rates, wanted):
    """Forces of all pads, and ``rates`` of their inner states; ``memory`` begins with their slots.

    Returns the power that they dissipate.
    """
    lost = 0.0 * row[0].g
    for k in range(len(pad)):
        onset = memory[PAD_SLOTS * k + ONSET]
        lost += press_pad(pad[k], law, constant, onset, t, z, row, press[k], rates, wanted)
    return lost


@jit
def push_bundles(bundle, row):
    """Forces of coupled bushings, added to the rows' lam; returns the power that they dissipate."""
    lost = 0.0 * row[0].g
    for k in range(len(bundle)):
        c = bundle[k]
        for m in range(6):
            lam = c.preload[m]
            for n in range(6):
                lam -= c.stiffness[m, n] * row[c.row[n]].g + c.damping[m, n] * row[c.row[n]].rate
                lost += c.damping[m, n] * row[c.row[m]].rate * row[c.row[n]].rate
            row[c.row[m]].lam += lam
    return lost


@jit
def stored_in_bundles(bundle, row):
    """Elastic energy of coupled bushings."""
    total = 0.0 * row[0].g
    for k in range(len(bundle)):
        c = bundle[k]
        for m in range(6):
            g = row[c.row[m]].g
            total -= c.preload[m] * g
            for n in range(6):
                total += 0.5 * c.stiffness[m, n] * g * row[c.row[n]].g
    return total


@jit
def find_pad_gap(c, relation, memory, z, kin, row):
    """Gap of one pad and its rate at the bodies' present places and velocities, and inner states ``z``."""
    evaluate_relation(relation[c.relation], memory, kin, row)
    w, a, b = row[c.row[0]].w, kin[c.i], kin[c.j]
    rate = 0.0 * w[0]
    for m in range(3):
        rate += w[m] * a.v[m] + w[3 + m] * a.w[m] + w[6 + m] * b.v[m] + w[9 + m] * b.w[m]
    gap = c.sign * (row[c.row[0]].g - c.limit)
    if c.recess != NONE:
        gap = gap + z[c.recess]
    return gap, c.sign * rate


@jit
def find_pad_gaps(pad, relation, memory, z, kin, row, press):
    """Gaps of all pads and their rates at the bodies' present places and velocities, and inner states ``z``."""
    for k in range(len(pad)):
        press[k].gap, press[k].rate = find_pad_gap(pad[k], relation, memory, z, kin, row)
