"""Gaps inside a step: no wall is passed and left again between the two ends at which a step looks at it.

After a glide every open contact within reach has its gap g and its rate r at both ends. A wall can have been passed in
between only if the gap fell at first and rises at the end; then, and where bodies turn so far that gaps may wind, the
interpolant of the glide is looked at: the turn is cut into pieces of a quarter of a radian, and where the rate changes
its sign from one end of a piece to the other, the minimum is searched by halving. In free flight the interpolant is
exact.
"""

from __future__ import annotations

from ..arrays import HOLD, SLOTS, Y_OUT
from ..assemble.kinematics import place_in
from ..assemble.rigid_contacts import look_at_gap
from ..numerics.hermite import cubic
from ..numerics.jit import jit, part
from .compliant_events import lowest
from .moreau_midpoint import closing_of

FINE = 0.01  # of the tolerance: a gap below minus this has gone through its wall
PIECE = 0.25  # rad, of a turn that is looked at as one piece
PIECES = 64  # most of them
HALVINGS = 40
NEARLY = 0.1  # of the change of a gap in a glide: how near to the wall the minimum of a cubic is looked at closely
NOTHING = 2.0  # fraction of a step at which nothing is met


@jit
def between(positions, h, x, start, end, out):
    """State at the fraction x between two states with their rates, h apart.

    Positions by the cubic through both ends, velocities linearly, the ledger with linear power.
    """
    y, _ = start
    new, rates = end
    cubic(positions, h, x, start, end, out)
    for m in range(positions, len(out) - 2):
        out[m] = (1.0 - x) * y[m] + x * new[m]
    for m in range(len(out) - 2, len(out)):
        # the ledger: power changes linearly; its mean and its end are known
        mean, late = new[m] - y[m], h * rates[m]
        if m == len(out) - 1:
            late = min(late, 2.0 * mean)  # what is lost never comes back
        out[m] = y[m] + x * (2.0 * mean - late) + x * x * (late - mean)


@jit
def gap_inside(model, c, h, x, start, end, memory, work):
    """Gap of contact c and its rate at the fraction x of a glide."""
    bodies = model.info[0].bodies
    between(7 * (bodies - 1), h, x, start, end, work.stage[Y_OUT])
    place_in(model.info[0].planar, bodies, work.stage[Y_OUT], work.kin)
    return look_at_gap(model, c, memory, work)


@jit
def turn_of(model, c, h, new):
    """Most that the bodies of contact c turn against each other in a step of size h (rad)."""
    shift = 7 * (model.info[0].bodies - 1)
    total = 0.0
    for b in (model.contact[c].i, model.contact[c].j):
        if b > 0:
            at = shift + 6 * (b - 1) + 3
            total += abs(new[at]) + abs(new[at + 1]) + abs(new[at + 2])
    return h * total


@jit
def may_dip(model, c, h, before, rise, known, end, work):
    """True if the gap of contact c may have been below its wall inside a glide that it ended above."""
    t = work.touch[c]
    if turn_of(model, c, h, end[0]) > 2.0 * PIECE:
        return True
    if t.rate <= 0.0:
        return False
    if not known:  # a gap that fell and rises has at least the height of its tangent at the end
        return t.gap < 2.0 * h * t.rate
    if rise >= 0.0:
        return False
    x, least = lowest(before, rise, t.gap, t.rate, h)
    return x > 0.0 and least < NEARLY * (abs(before) + abs(t.gap) + h * (abs(rise) + abs(t.rate)))


@jit
def dip(model, c, h, start, end, floor, memory, work):
    """Fraction of a glide by which the gap of contact c has gone below -floor; NOTHING if it has not."""
    pieces = min(PIECES, 1 + int(turn_of(model, c, h, end[0]) / PIECE))
    _, falls = gap_inside(model, c, h, 0.0, start, end, memory, work)
    low = 0.0
    for p in range(1, pieces + 1):
        x = p / pieces
        gap, rate = gap_inside(model, c, h, x, start, end, memory, work)
        if gap < -floor:
            return x
        if falls < 0.0 < rate:
            a, b = low, x
            for _ in range(HALVINGS):
                middle = 0.5 * (a + b)
                gap, slope = gap_inside(model, c, h, middle, start, end, memory, work)
                if gap < -floor:
                    return middle
                if gap - h * (b - a) * abs(slope) > -floor:
                    break
                if slope < 0.0:
                    a = middle
                else:
                    b = middle
        low, falls = x, rate
    return NOTHING


@part
def passed_here(model, h, halves, start, end, settings, memory, work):
    """Fraction of a glide by which the first open contact has gone through its wall, or NOTHING.

    ``halves``: 0 for a whole step and the first half of one, 1 for the second half: where gaps at its start stand. A
    wall that is passed at the end of the glide counts as 1. Gaps and rates at the end are left with the contacts.
    """
    if settings.located == 0:
        return NOTHING
    first = NOTHING
    for c in range(len(model.contact)):
        k, t = model.contact[c], work.touch[c]
        if k.brake or not t.seen or t.held:
            continue
        if t.gap < -t.floor:
            first = min(first, 1.0)
            continue
        if halves == 0:
            suspect = may_dip(model, c, h, t.before, t.rise, t.known, end, work)
        else:
            suspect = may_dip(model, c, h, t.middle, t.middle_rise, t.middle_known, end, work)
        if suspect:
            first = min(first, dip(model, c, h, start, end, t.floor, memory, work))
    return first


@jit
def passed(model, h, halves, start, end, settings, memory, work):
    """``passed_here``, for callers that are not in a hurry."""
    return passed_here(model, h, halves, start, end, settings, memory, work)


@part
def set_floor(model, c, left, memory, settings, work):
    """How deep contact c may be in this step: a held one, or one that was, begins where closing has left it."""
    t, k = work.touch[c], model.contact[c]
    sunk = left if memory[model.info[0].turns + SLOTS * c + HOLD] != 0.0 else 0.0
    if t.known and sunk == 0.0:
        sunk = max(0.0, -k.scale * t.before)
    t.floor = (FINE * settings.tolerance + sunk) / k.scale


@part
def left_by_closing(model, settings):
    """Depth in which closing may leave a held contact (m)."""
    return max(settings.tolerance, 2.0 * closing_of(model, settings))


@jit
def keep_middle(model, work):
    """Gaps after the first half of a step, for the second one."""
    for c in range(len(model.contact)):
        t = work.touch[c]
        t.middle, t.middle_rise, t.middle_known = t.gap, t.rate, t.seen


@jit
def keep_end(touch):
    """Gap after an accepted step, for the next one."""
    touch.before, touch.rise, touch.known = touch.gap, touch.rate, touch.seen
