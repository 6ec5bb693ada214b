"""CHANGE: a compliant contact begins or ends at the start of a step (methods/tape.py).

Where the instant was located it moves with the parameters. The steps that follow start there, with given sizes, and
move along; so changes are from there on those at an instant that is later by dt (the last entry of a slot):

    delta = -dgap / rate,      x+ = x + f- delta,      dt+ = dt + delta,      dv = -(drate + rate' delta)

with the rates f- of the state before and v = -rate, the speed of onset, which the contact remembers. At a fixed time
the change is x - f dt, which is what saved states need. To take the steps along matters: forces like depth^1.5 bend
without bound where a contact begins, and stages at fixed times would see them begin elsewhere. Where something depends
on time itself, changes stay at fixed times, x+ = x + (f- - f+) delta. Where steps are given delta = 0. All of it by
imaginary steps through the relation of the contact.
"""

from __future__ import annotations

from ..assemble.compliant_contacts import SLOW, find_pad_gap
from ..assemble.kinematics import place_bodies
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
    z = cy[13 * (model.info[0].bodies - 1) :]
    if k >= 0:
        gap, rate = find_pad_gap(P.pad[k, n], P.relation[k], memory, z, cw.kin, cw.row)
    else:
        gap, rate = find_pad_gap(model.pad[n], parts.lin.relation, memory, z, cw.kin, cw.row)
    return gap.imag / STEP, rate.imag / STEP


@jit
def change_of(model, parts, memory, tape, n):
    """Rate of the gap of stage n, its derivative along the motion, and True if the speed of onset is remembered."""
    c = tape.stage[n]
    rate, bend = gap_along(model, parts, -1, c.pad, tape.y[n], memory, tape.before[n])
    return rate, bend, c.unit != 0 and -rate > SLOW


@jit
def moves_along(model):
    """True if steps may start later without anything else: nothing depends on time itself."""
    return len(model.signal) == 0


@jit
def carry_change(model, parts, memory, tape, n, x, out):
    """Changes of all parameters."""
    c, room, y = tape.stage[n], parts.room, tape.y[n]
    size, last, along = len(y), x.shape[0] - 1, moves_along(model)
    rate, bend, kept = change_of(model, parts, memory, tape, n)
    for k in range(x.shape[1]):
        for m in range(size):
            room.rates[m] = x[m, k]
        dgap, drate = gap_along(model, parts, k, c.pad, y, memory, room.rates)
        delta = -dgap / rate if c.s != 0.0 else 0.0
        for m in range(size):
            f = tape.before[n, m] - (0.0 if along else tape.after[n, m])
            out[m, k] = x[m, k] + f * delta
        for m in range(size, last):
            out[m, k] = x[m, k]
        out[size + c.pad, k] = -(drate + bend * delta) if kept else 0.0
        out[last, k] = x[last, k] + (delta if along else 0.0)


@jit
def carry_change_back(model, parts, memory, tape, n, bar, x, gradient):
    """Bars before from bars after, and the parameters' parts."""
    c, room, y = tape.stage[n], parts.room, tape.y[n]
    size, last, along = len(y), x.shape[0] - 1, moves_along(model)
    rate, bend, kept = change_of(model, parts, memory, tape, n)
    zero(x)
    for m in range(x.shape[0]):
        if m != size + c.pad:
            add_to(x, m, 1.0, bar, m)
    for o in range(bar.shape[1]):
        # bars of delta and of the onset speed
        late, speed = (bar[last, o] if along else 0.0), (bar[size + c.pad, o] if kept else 0.0)
        for m in range(size):
            late += (tape.before[n, m] - (0.0 if along else tape.after[n, m])) * bar[m, o]
        late -= bend * speed
        room.weights[o, 0], room.weights[o, 1] = (-late / rate if c.s != 0.0 else 0.0), -speed
    for m in range(13 * (model.info[0].bodies - 1) + model.info[0].inner):
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
