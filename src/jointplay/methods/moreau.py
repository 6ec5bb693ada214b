"""Moreau: midpoint time stepping with rigid contacts (paper B), impacts located in time, order 2 between them.

One step of size h from (q_A, u_A) evaluates everything at the middle, q_M = q_A moved by h/2 u_A:

    u_E = u_A + M^-1 (h f_M + W_M^T P),      q_E = q_M moved by h/2 u_E                   (paper B eq. 36 to 44)
    joints            W_M u_E + drift + h/2 bias_M = 0
    held contacts     0 <= w_N u_E + h/2 bias  orthogonal to  P_N >= 0,  P_T in Coulomb's cone

The term h/2 bias moves the condition from M to E, which paper B leaves out; with it joints and closed contacts drift by
O(h^3) a step, and the scheme has order 2. What is left is taken out by the smallest change of positions.

A contact that opens is let go when its impulse vanishes. One that would be pierced ends the step: its instant is found
to rounding, and Newton's law with friction acts there on all contacts that are closed,

    M (u+ - u-) = W^T Lambda,      0 <= u_N+ + e_N u_N-  orthogonal to  Lambda_N >= 0,  Lambda_T in the cone.

So there is no penetration to correct and no energy made by correcting it. Impacts that accumulate: a contact that
strikes again within a hundredth of a step (or, with error control, after a flight lower than atol) does not rebound and
takes with it all contacts whose gaps are not larger than that flight.

``impacts="stepped"``: contacts with g_M <= 0 act over the whole step with their restitution, as in paper B; penetration
of O(h |u_N|) stays.

Where impacts do not come to rest in this way (parts wedged between walls, many contacts at once), one step takes along
all contacts that it meets without rebound, like OptimalStep.

Error control (``rtol``): two steps of h/2 against one of h; the difference over 3 is the error of the pair, and a
hundred of them may add up to the tolerance: atol + rtol times the size of the mechanism for places, atol + rtol for
turns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..arrays import (
    CULPRIT,
    DY_NEW,
    HALVES,
    HOLD,
    IMPACTS,
    REJECTIONS,
    SLOTS,
    STAGE,
    STEP_DONE,
    STRIKES,
    WHOLE,
    WORST_GAP,
    Y_NEW,
    Y_OUT,
)
from ..assemble.closed import evaluate_closed_rows
from ..assemble.contacts import evaluate_gaps, find_gap_rates
from ..codes import Code, Regime
from ..numerics.hermite import cubic
from ..numerics.jit import jit
from .base import Method
from .express import express, overrun
from .glide import glide, remember_contacts, take_contacts
from .impact import NEAR, strike
from .locate import HALF, HALF_RATES, attempt, crowd, locate, pierced
from .stepping import next_break, set_pending, stepping

COARSE, COARSE_RATES, LINES = 2, 3, 4  # its lines of Work.stage, after those of methods/locate.py
CONTINUE, ENDLESS = int(Code.CONTINUE), int(Code.ENDLESS_IMPACTS)
MANY = 20  # impacts at one instant that do not come to rest
CROWD = 300  # impacts within one step
SAFETY = 0.85
SUM = 100.0  # errors of so many steps may add up to the tolerance


@jit
def error_of(model, span, state, settings, work):
    """Error of the pair of half steps: a third of its distance from one whole step, relative to the tolerance."""
    t, h = span
    y, coarse, rates = state.y, work.stage[STAGE + COARSE], work.stage[STAGE + COARSE_RATES]
    take_contacts(model, state.memory, work)
    trust = 1.0 if h <= 5.0 * state.clock[0].last else 0.0
    code = glide(model, (t, h, trust), (y, state.dy, coarse, rates), state.memory, settings, work)
    if code != CONTINUE:
        return np.inf
    new = work.stage[Y_NEW]
    bodies = model.info[0].bodies - 1
    total = 0.0
    # one scale for places (the size of the mechanism) and one for turns; velocities count by the way that they lead
    place, turn = settings.atol + settings.rtol * model.info[0].length, settings.atol + settings.rtol
    for b in range(bodies):
        for m in range(7):
            off = abs(new[7 * b + m] - coarse[7 * b + m]) / (place if m < 3 else turn)
            total = max(total, off)
        for m in range(6):
            n = 7 * bodies + 6 * b + m
            total = max(total, h * abs(new[n] - coarse[n]) / (place if m < 3 else turn))
    return SUM * total / 3.0


@jit
def begin(model, state, work, settings):
    """A first step; contacts that are closed and not opening at the start are held."""
    evaluate_closed_rows(model, state.clock[0].t, state.y, state.memory, work)
    evaluate_gaps(model, state.memory, work)
    find_gap_rates(model, work)
    turns = model.info[0].turns
    for c in range(len(model.contact)):
        t = work.touch[c]
        resting = t.gap <= NEAR * settings.tolerance and abs(t.rate) <= 1e-12
        if model.contact[c].brake:
            resting = abs(slip(model.contact[c], work.kin, work.row)) <= 1e-12
        state.memory[turns + SLOTS * c + HOLD] = 1.0 if resting else 0.0
    if settings.step > 0.0:
        return settings.step
    return min(settings.h_max, 1e-4)


@jit
def slip(k, kin, row):
    """Sliding speed of a brake."""
    w, a, b, total = row[k.row[1]].w, kin[k.i], kin[k.j], 0.0
    for m in range(3):
        total += w[m] * a.v[m] + w[3 + m] * a.w[m] + w[6 + m] * b.v[m] + w[9 + m] * b.w[m]
    return total


@jit
def keep_touch(model, h, work):
    """Keep what the pending step (its last part of size h) found out: saves and the judging step use the scratch."""
    for c in range(len(model.contact)):
        k = work.touch[c]
        k.stay, k.total = (k.stuck if model.contact[c].brake else k.held), k.amount
        for m in range(3):
            k.force[m] = k.impulse[m] / h
        k.carry = 1 if k.impulse[0] > 0.0 else 0
        if model.contact[c].brake == 0:
            work.tally[WORST_GAP] = max(work.tally[WORST_GAP], -k.gap)


@jit
def keep_step(h, h_next, end, strikes, tally):
    """The step in work.stage[Y_NEW] is the pending one."""
    set_pending(h, h_next, end, tally)
    tally[WHOLE] = 0 if strikes else 1
    tally[STRIKES] = 1 if strikes else 0


@jit
def hold_pierced(model, memory, settings, work):
    """Hold contacts that leave so slowly that they are back before their gap can be told from none."""
    turns = model.info[0].turns
    for c in range(len(model.contact)):
        k = work.touch[c]
        if model.contact[c].brake == 0 and k.far < -settings.tolerance and k.before <= NEAR * settings.tolerance:
            memory[turns + SLOTS * c + HOLD] = 1.0


@jit
def advance(model, state, work, settings):
    """One step, or the part of it until walls are met; impacts at its very start are dealt with at once."""
    clock, tally = state.clock[0], work.tally
    fixed = settings.step > 0.0
    grid = clock.origin + (clock.step + 1) * settings.step
    if fixed and grid - clock.t <= 1e-9 * settings.step:  # an impact at the very end of a step: go on with the next one
        clock.step += 1
        grid += settings.step
    least = 1e-7 * settings.step if fixed else settings.h_min
    h_try = grid - clock.t if fixed else clock.h
    for strikes_here in range(10 * MANY):
        stop = next_break(model.breaks, clock.t)
        end = clock.t + min(h_try, settings.h_max)
        whole = fixed and h_try >= (1.0 - 1e-12) * (grid - clock.t)
        if whole:
            end = grid
        elif not fixed and end * (1.0 + 1e-12) >= stop:
            end = stop
        size = end - clock.t
        strikes, crowded = False, strikes_here > MANY or clock.strikes > CROWD
        if crowded:
            code = crowd(model, (clock.t, size), state, settings, work)
        else:
            code = attempt(model, (clock.t, size), state, settings, work)
        if code == CONTINUE and not crowded and pierced(model, settings, work):
            strikes = True
            code, size = locate(model, size, state, settings, work)
            end = clock.t + size
            if code == CONTINUE and size == 0.0:
                before = tally[IMPACTS]
                code = strike(model, state, work, settings)
                if code != CONTINUE:
                    return code
                if tally[IMPACTS] == before:
                    hold_pierced(model, state.memory, settings, work)
                continue
        error = 0.0
        if code == CONTINUE:
            keep_touch(model, size if fixed or crowded else 0.5 * size, work)
            if not fixed and not crowded:
                error = error_of(model, (clock.t, size), state, settings, work)
                if error <= 1.0 and size > least and overrun(model, end, work.stage[Y_NEW], state.memory, work):
                    error = np.inf
        grow = SAFETY * max(error, 1e-10) ** (-1.0 / 3.0) if np.isfinite(error) else 0.2
        if code == CONTINUE and (error <= 1.0 or size <= least):
            # a step that an impact cut short says nothing against longer ones
            h_next = max(h_try, size * min(4.0, grow)) if strikes and grow > 1.0 else size * min(4.0, max(0.3, grow))
            keep_step(size, settings.step if fixed else max(h_next, least), end, strikes, tally)
            tally[WHOLE] = 1 if (whole and not strikes) or not fixed else 0
            tally[HALVES] = 0 if fixed or crowded else 1
            clock.strikes = clock.strikes + 1 if strikes else 0 if whole or crowded or not fixed else clock.strikes
            return CONTINUE
        tally[REJECTIONS] += 1
        if size <= least:
            return code
        h_try = max(0.5 * size if code != CONTINUE else size * min(0.9, max(0.2, grow)), least)
    nearest = np.inf
    for c in range(len(model.contact)):
        if work.touch[c].gap < nearest:
            nearest = work.touch[c].gap
            tally[CULPRIT] = c
    return ENDLESS


@jit
def land(model, state, work, settings):
    """After a step: remember the contacts, then let those strike that have met their walls."""
    remember_contacts(model, state.memory, work)
    if work.tally[STRIKES] != 0.0:
        work.tally[STRIKES] = 0
        return strike(model, state, work, settings)
    return CONTINUE


@jit
def interpolate(model, state, work, x):
    """Positions by the cubic through both ends of the step, velocities linearly, the ledger with linear power.

    A step that consists of two halves is taken half by half.
    """
    h, out = work.tally[STEP_DONE], work.stage[Y_OUT]
    if work.tally[HALVES] == 0.0:
        between(7 * (model.info[0].bodies - 1), h, x, (state.y, state.dy), (work.stage[Y_NEW], work.stage[DY_NEW]), out)
        return
    half = (work.stage[STAGE + HALF], work.stage[STAGE + HALF_RATES])
    if x <= 0.5:
        between(7 * (model.info[0].bodies - 1), 0.5 * h, 2.0 * x, (state.y, state.dy), half, out)
    else:
        end = (work.stage[Y_NEW], work.stage[DY_NEW])
        between(7 * (model.info[0].bodies - 1), 0.5 * h, 2.0 * x - 1.0, half, end, out)


@jit
def between(positions, h, x, start, end, out):
    """State at the fraction x between two states with their rates, h apart."""
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


_run = stepping(begin, advance, interpolate, express, land)


@jit
def run(model, state, work, record, settings):
    """Advance until the record is full or the budget is used; see methods/base.py."""
    return _run(model, state, work, record, settings)


@dataclass(frozen=True, repr=False)
class Moreau(Method):
    """Time stepping with rigid contacts: a fixed ``step``, or steps chosen by the error (``rtol``, ``atol``)."""

    key: ClassVar[str] = "moreau"
    order: ClassVar[int] = 2
    regimes: ClassVar[frozenset[Regime]] = frozenset({Regime.BILATERAL, Regime.FORCE, Regime.SET})
    run = staticmethod(run)
    stages: ClassVar[int] = LINES

    step: float = 0.0  # s; 0: chosen by the error
    rtol: float = 1e-6
    atol: float = 1e-9  # m, m/s
    h_max: float = np.inf  # s
    h_min: float = 1e-9  # s
    impacts: str = "located"

    def __repr__(self) -> str:
        """The options that count: a fixed step has no tolerances."""
        if self.step > 0.0:
            return f"Moreau(step={self.step:g}{'' if self.impacts == 'located' else ', impacts=' + self.impacts})"
        return f"Moreau(rtol={self.rtol:g}, atol={self.atol:g})"

    def __post_init__(self) -> None:
        if self.impacts not in ("located", "stepped"):
            raise ValueError(f"impacts must be 'located' or 'stepped', not {self.impacts!r}")
        if self.impacts == "stepped" and not self.step > 0.0:
            raise ValueError("impacts='stepped' needs a fixed step")

    def settings(self, length: float) -> np.ndarray:
        """The record that the run kernel reads."""
        record = super().settings(length)
        record[0]["located"] = self.impacts == "located"
        return record
