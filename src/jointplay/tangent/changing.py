"""CHANGE: a compliant contact begins or ends at the start of a step (methods/tape.py).

Where the instant was located it moves with the parameters, and a change x of the state at a fixed time becomes

    dt = -dgap / rate,      x+ = x + (f- - f+) dt,      dv = -(drate + rate' dt)

with the rates f of the state on both sides and v = -rate, the speed of onset, which the contact remembers. Where steps
are given dt = 0. All of it by imaginary steps through the relation of the contact.
"""

from __future__ import annotations

from ..assemble.kinematics import place_bodies
from ..assemble.pads import SLOW, find_pad_gap
from ..numerics.jit import jit
from .params import STEP
from .products import add_to, zero


@jit
def gap_along(model, parts, k, n, y, memory, line):
    """Derivatives of gap and rate of pad n along a change ``line`` of the state and parameter k (-1: of none)."""
    room, cw, P = parts.room, parts.cw, parts.P
    cy = room.c[0]
    for m in range(len(y)):
        cy[m] = complex(y[m], STEP * line[m])
    place_bodies(model.info[0].bodies, cy, cw.kin)
    if k >= 0:
        gap, rate = find_pad_gap(P.pad[k, n], P.relation[k], memory, cw.kin, cw.row)
    else:
        gap, rate = find_pad_gap(model.pad[n], parts.lin.relation, memory, cw.kin, cw.row)
    return gap.imag / STEP, rate.imag / STEP


@jit
def change_of(model, parts, memory, tape, n):
    """Rate of the gap of stage n, its derivative along the motion, and True if the speed of onset is remembered."""
    c = tape.stage[n]
    rate, bend = gap_along(model, parts, -1, c.pad, tape.y[n], memory, tape.before[n])
    return rate, bend, c.unit != 0 and -rate > SLOW


@jit
def carry_change(model, parts, memory, tape, n, x, out):
    """Changes of all parameters."""
    c, room, y = tape.stage[n], parts.room, tape.y[n]
    size = len(y)
    rate, bend, kept = change_of(model, parts, memory, tape, n)
    for k in range(x.shape[1]):
        for m in range(size):
            room.rates[m] = x[m, k]
        dgap, drate = gap_along(model, parts, k, c.pad, y, memory, room.rates)
        dt = -c.s * dgap / rate if c.s != 0.0 else 0.0
        for m in range(size):
            out[m, k] = x[m, k] + (tape.before[n, m] - tape.after[n, m]) * dt
        for m in range(size, x.shape[0]):
            out[m, k] = x[m, k]
        out[size + c.pad, k] = -(drate + bend * dt) if kept else 0.0


@jit
def carry_change_back(model, parts, memory, tape, n, bar, x, gradient):
    """Bars before from bars after, and the parameters' parts."""
    c, room, y = tape.stage[n], parts.room, tape.y[n]
    size = len(y)
    rate, bend, kept = change_of(model, parts, memory, tape, n)
    zero(x)
    for m in range(x.shape[0]):
        if m != size + c.pad:
            add_to(x, m, 1.0, bar, m)
    for o in range(bar.shape[1]):
        # bars of dt and of the onset speed
        late, speed = 0.0, bar[size + c.pad, o] if kept else 0.0
        for m in range(size):
            late += (tape.before[n, m] - tape.after[n, m]) * bar[m, o]
        late -= bend * speed
        by_gap = -c.s * late / rate if c.s != 0.0 else 0.0
        room.weights[o, 0], room.weights[o, 1] = by_gap, -speed
    for m in range(13 * (model.info[0].bodies - 1)):
        for i in range(size):
            room.rates[i] = 0.0
        room.rates[m] = 1.0
        dgap, drate = gap_along(model, parts, -1, c.pad, y, memory, room.rates)
        for o in range(bar.shape[1]):
            x[m, o] += room.weights[o, 0] * dgap + room.weights[o, 1] * drate
    for i in range(size):
        room.rates[i] = 0.0
    for k in range(len(parts.P.energy0)):
        dgap, drate = gap_along(model, parts, k, c.pad, y, memory, room.rates)
        for o in range(bar.shape[1]):
            gradient[o, k] += room.weights[o, 0] * dgap + room.weights[o, 1] * drate
