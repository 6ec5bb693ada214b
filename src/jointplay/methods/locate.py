"""Where a step meets its first wall: tries of a given size, the search, and the way out of a crowd of impacts.

The gap of each contact is a function of the step size; its first zero is found by regula falsi (Illinois), contact by
contact, from a parabola through gap, rate and end gap. Every try is a whole step from the same start.
"""

from __future__ import annotations

import numpy as np

from ..arrays import DY_NEW, STAGE, Y_NEW
from ..assemble.closed import evaluate_closed_rows
from ..assemble.contacts import evaluate_gaps, find_gap_rates
from ..codes import Code
from ..numerics.jit import jit
from .glide import glide, take_contacts

HALF, HALF_RATES = 0, 1  # lines of Work.stage: the state in the middle of two half steps, and its rates
CONTINUE = int(Code.CONTINUE)


@jit
def pierced(model, settings, work):
    """True if a contact that is not held has gone through its wall."""
    if settings.located == 0:
        return False
    for c in range(len(model.contact)):
        t = work.touch[c]
        if t.held == 0 and t.gap < -settings.tolerance:
            return True
    return False


@jit
def attempt(model, span, state, settings, work):
    """A whole step (fixed) or two half steps (controlled) into work.stage[Y_NEW]; returns a code.

    Of two half steps the first one may pierce a wall already: its gaps are then left for the search.
    """
    t, h = span
    # an acceleration over a much shorter step may be an impulse in disguise: it says nothing about this one
    trust = 1.0 if h <= 5.0 * state.clock[0].last else 0.0
    take_contacts(model, state.memory, work)
    if settings.step == 0.0 or h != settings.step:  # not simply the next step: look at every gap
        for c in range(len(model.contact)):
            work.touch[c].slack = 0.0
    new, rates = work.stage[Y_NEW], work.stage[DY_NEW]
    if settings.step > 0.0:
        return glide(model, (t, h, trust), (state.y, state.dy, new, rates), state.memory, settings, work)
    half, half_rates = work.stage[STAGE + HALF], work.stage[STAGE + HALF_RATES]
    code = glide(model, (t, 0.5 * h, trust), (state.y, state.dy, half, half_rates), state.memory, settings, work)
    if code != CONTINUE or pierced(model, settings, work):
        return code
    return glide(model, (t + 0.5 * h, 0.5 * h, 1.0), (half, half_rates, new, rates), state.memory, settings, work)


@jit
def crowd(model, span, state, settings, work):
    """A step that takes all contacts along which it meets: for impacts too many or too entangled to be told apart.

    Each joins with w u_E + gap / h >= 0 and no rebound, as in OptimalStep, until none is pierced; gaps are closed
    afterwards. Dissipative, of order 1, and always to be had.
    """
    t, h = span
    take_contacts(model, state.memory, work)
    evaluate_closed_rows(model, t, state.y, state.memory, work)
    evaluate_gaps(model, state.memory, work)
    for c in range(len(model.contact)):
        k = work.touch[c]
        k.before = max(k.gap, 0.0)
        k.far = 1.0 if k.held else 0.0  # takes part
    new, rates = work.stage[Y_NEW], work.stage[DY_NEW]
    code = CONTINUE
    for _ in range(10):
        for c in range(len(model.contact)):
            k = work.touch[c]
            k.held = 1 if k.far > 0.0 else 0
            k.leeway = 0.0 if model.contact[c].brake else k.before / h
            k.slack = 0.0
            k.amount = 0.0
        code = glide(model, (t, h, 0.0), (state.y, state.dy, new, rates), state.memory, settings, work)
        more = False
        for c in range(len(model.contact)):
            k = work.touch[c]
            if k.far == 0.0 and k.held == 0 and k.gap < -settings.tolerance:
                k.far = 1.0
                more = True
        if not more or code != CONTINUE:
            break
    for c in range(len(model.contact)):
        work.touch[c].leeway = 0.0
    return code


@jit
def look_back(model, state, settings, work):
    """Gaps and their rates at the start of the step, for the first guess of an impact."""
    for c in range(len(model.contact)):
        work.touch[c].far = work.touch[c].gap
    evaluate_closed_rows(model, state.clock[0].t, state.y, state.memory, work)
    evaluate_gaps(model, state.memory, work)
    find_gap_rates(model, work)
    for c in range(len(model.contact)):
        work.touch[c].before, work.touch[c].rise = work.touch[c].gap, work.touch[c].rate


@jit
def first_guess(model, h, settings, work):
    """Earliest instant at which a parabola through gap, rate and end gap of a pierced contact meets its wall."""
    s = h
    for c in range(len(model.contact)):
        t = work.touch[c]
        if t.held or not t.far < -settings.tolerance:
            continue
        if t.before <= settings.tolerance and t.rise <= 0.0:
            return 0.0
        bend = (t.far - t.before - t.rise * h) / (h * h)
        root = t.rise * t.rise - 4.0 * bend * t.before
        x = h * t.before / (t.before - t.far)
        if root >= 0.0:
            # of the two roots the one at which the gap falls
            fall = 0.5 * (np.sqrt(root) + abs(t.rise))
            x = -fall / bend if t.rise > 0.0 else t.before / fall
        s = min(s, x if np.isfinite(x) and 0.0 < x <= h else h * t.before / (t.before - t.far))
    return max(0.0, s)


@jit
def locate(model, h, state, settings, work):
    """Shorten a step that pierces walls until the first of them is just met; returns (code, size of the step)."""
    look_back(model, state, settings, work)
    t = state.clock[0].t
    low, high = 0.0, h
    s = first_guess(model, h, settings, work)
    if s <= 1e-9 * h:
        return CONTINUE, 0.0
    side = 0
    for iteration in range(100):
        code = attempt(model, (t, s), state, settings, work)
        if code != CONTINUE:
            return code, s
        through, met = False, False
        for c in range(len(model.contact)):
            k = work.touch[c]
            if k.held == 0:
                through = through or k.gap < -settings.tolerance
                met = met or (k.gap <= settings.tolerance and (k.far < 0.0))
        if (met and not through) or high - low <= 4e-16 * max(t, h):
            return CONTINUE, s
        if through:
            high = s
        else:
            low = s
        # regula falsi, contact by contact; the end that stays twice counts half (Illinois)
        for c in range(len(model.contact)):
            k = work.touch[c]
            if through:
                k.far = k.gap
                k.before *= 0.5 if side == 1 else 1.0
            else:
                k.before = k.gap
                k.far *= 0.5 if side == -1 else 1.0
        side = 1 if through else -1
        s = high
        for c in range(len(model.contact)):
            k = work.touch[c]
            if k.held == 0 and k.far < 0.0:
                x = low + (high - low) * max(k.before, 0.0) / (max(k.before, 0.0) - k.far)
                s = min(s, x)
        if iteration > 20 or not low < s < high:
            s = 0.5 * (low + high)
    return CONTINUE, s
