"""OptimalStep: the time step of paper A as a small contact problem, with its step size chosen in [h_min, h_max].

Semi-implicit Euler with gaps inside the equations (paper A eq. 22 to 26; signs as in docs/theory/sources.md):

    u_E = u_A + h M^-1 (f_A + W_A^T lambda),      q_E = q_A moved by h u_E
    joints     g + h (W u_E + drift) = 0
    contacts   0 <= g + h w u_E  orthogonal to  lambda >= 0

For a fixed h the NLP (25) is a convex QP whose velocities are those of this complementarity problem, and the problem's
forces are complementary too, which those of (25) need not be (two opposite walls may squeeze). Gaps are linearised anew
at the end of the step until they hold exactly, because one linearisation of a journal's gap lets a large step through
the wall. Contacts are inelastic; friction acts on the velocities u_E.

Step size: (25) also minimises J(h) = lambda^T N lambda over h. J vanishes while nothing is met and is flat while
contacts stay closed, so that h is not determined there. Rule: the largest h in [h_min, h_max] among those with the
least J. This is not a control of accuracy; Moreau(rtol=...) has one.

``reference=True`` solves (25) with SciPy's SLSQP (methods/reference.py): thousands of times slower, for validation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..arrays import (
    ANSWER,
    DY_NEW,
    FREE,
    HOLD,
    IMPACTS,
    LAM,
    NONE,
    RATES,
    RHS,
    SLOTS,
    STAGE,
    WORST_GAP,
    Y_NEW,
    Y_OUT,
)
from ..assemble.closed import evaluate_closed_rows, factorise, solve_rows
from ..assemble.dynamics import find_forces
from ..assemble.forces import acceleration_of
from ..assemble.interactions import product
from ..assemble.kinematics import move, place_bodies, position_rates
from ..assemble.products import add_to_accelerations
from ..assemble.rigid_contacts import (
    build_problem,
    evaluate_gaps,
    find_gap_rates,
    solve_contacts,
    spread,
    start_from,
    velocity_of,
    work_of_contacts,
    work_of_drives,
)
from ..codes import Code, Regime
from ..laws.base import Law
from ..laws.on_joint import OnJoint
from ..numerics.jit import jit
from .base import Method
from .impact import note_event
from .moreau_midpoint import blame, note_before, remember_contacts, settle, work_rate_of_loads
from .moreau_output import express
from .stepping import judge, next_break, right_of, set_pending, stepping

FREE_ACCEL, FREE_SPEED, LINES = 0, 1, 2  # its lines of Work.stage: accelerations without contacts, velocities so
CONTINUE = int(Code.CONTINUE)
ROUNDS = 12  # linearisations in one step
CLOSE = 10.0  # of the tolerance: a gap that counts as closed
CLOSINGS = 3  # rounds in which joints and contacts are closed at its end
SAME = 1e-6  # relative difference of J that counts as none: J is flat to about 1e-8 while contacts stay closed


@jit
def open_step(model, state, work):
    """Rows, factor and forces at the start of the step; returns (refinements of solutions, power that laws lose)."""
    t, y = right_of(state.clock[0].t), state.y
    evaluate_closed_rows(model, t, y, state.memory, work)
    soft = factorise(model, 0.0, work)
    _, loss = find_forces(model, t, y, state.memory, work)
    acceleration_of(model.info[0].planar, model.body, work.kin)
    line = work.stage[STAGE + FREE_ACCEL]
    for b in range(1, len(work.kin)):
        for m in range(6):
            line[6 * (b - 1) + m] = work.kin[b].unknown[m]
    return soft, loss


@jit
def fly(model, h, state, soft, work):
    """Velocities at the end of a step of size h without contacts, joints closed: kin.unknown and a line of the stage.

    Returns the work that drives put in.
    """
    shift = 7 * (model.info[0].bodies - 1)
    accel, speed = work.stage[STAGE + FREE_ACCEL], work.stage[STAGE + FREE_SPEED]
    for b in range(1, len(work.kin)):
        for m in range(6):
            n = 6 * (b - 1) + m
            work.kin[b].unknown[m] = state.y[shift + n] + h * accel[n]
    fact, lam = model.row[: model.info[0].bilateral], work.vector[LAM]
    if len(fact) > 0:
        for r in range(len(fact)):
            c = work.row[r]
            meets = product(c.w, work.kin[fact[r].i].unknown, work.kin[fact[r].j].unknown)
            work.vector[RHS, r] = -(meets + c.drift + c.g / h)
        solve_rows(model, soft, work)
        add_to_accelerations(model.info[0].planar, model.place, fact, work.weighed, lam, work.kin)
    given = 0.0
    for k in range(len(model.driven)):
        given -= lam[model.driven[k]] * work.row[model.driven[k]].drift
    for b in range(1, len(work.kin)):
        for m in range(6):
            speed[6 * (b - 1) + m] = work.kin[b].unknown[m]
    return given


@jit
def set_velocities(line, kin):
    """kin.unknown = a line of six velocities per body."""
    for b in range(1, len(kin)):
        for m in range(6):
            kin[b].unknown[m] = line[6 * (b - 1) + m]


@jit
def begin_contacts(model, h, state, work):
    """Gaps at the start; contacts that were closed or would be pierced take part. touch.apart: constant of its row."""
    turns = model.info[0].turns
    place_bodies(model.info[0].bodies, state.y, work.kin)
    evaluate_gaps(model, state.memory, work)
    find_gap_rates(model, work)
    for c in range(len(model.contact)):
        k, law = work.touch[c], model.contact[c]
        k.before, k.rise = k.gap, k.rate
        k.apart = k.gap / h
        k.load = law.load
        closed = state.memory[turns + SLOTS * c + HOLD] != 0.0
        if law.brake:
            k.held = 1
        else:
            k.held = 1 if closed or velocity_of(model, c, 0, work) + k.apart < 0.0 else 0


@jit
def set_conditions(model, h, work):
    """q of the contact problem at free velocities (kin.unknown): w u + gap / h along normals, w u along tangents."""
    dim = model.info[0].dim
    for c in range(len(model.contact)):
        k, law = work.touch[c], model.contact[c]
        if k.place == NONE:
            continue
        first = dim * k.place
        for m in range(dim):
            if law.brake and m == 0:
                work.problem[FREE, first] = -law.load * h * work.delassus[first, first]
            else:
                shift = k.apart if m == 0 else 0.0
                work.problem[FREE, first + m] = velocity_of(model, c, m, work) + shift


@jit
def arrive(model, h, state, work):
    """New velocities and positions from kin.unknown, then all gaps there; returns the worst violation.

    A violation is a pierced wall, or a gap under a contact that presses.
    """
    bodies, new = model.info[0].bodies, work.stage[Y_NEW]
    shift = 7 * (bodies - 1)
    for b in range(1, bodies):
        for m in range(6):
            new[shift + 6 * (b - 1) + m] = work.kin[b].unknown[m]
    move(bodies, state.y, new[shift:], h, new)
    place_bodies(bodies, new, work.kin)
    evaluate_gaps(model, state.memory, work)
    worst = 0.0
    for c in range(len(model.contact)):
        k = work.touch[c]
        if model.contact[c].brake == 0:
            worst = max(worst, -k.gap, k.gap if k.held and k.impulse[0] > 0.0 else 0.0)
    return worst


@jit
def linearise(model, h, work):
    """Rows of the contacts are now those at the end: gap + h w (u - u_E) >= 0; pierced contacts join in."""
    for c in range(len(model.contact)):
        k = work.touch[c]
        if model.contact[c].brake == 0:
            if k.gap < 0.0:
                k.held = 1
            k.apart = k.gap / h - velocity_of(model, c, 0, work)


@jit
def objective(model, count, h, work):
    """J = lambda^T N lambda of paper A eq. 19, from the impulses r = h lambda."""
    n = model.info[0].dim * count
    total = 0.0
    for a in range(n):
        for b in range(n):
            total += work.problem[ANSWER, a] * work.delassus[a, b] * work.problem[ANSWER, b]
    return total / (h * h)


@jit
def push_apart(model, h, first, state, soft, work):
    """Contact problem with the rows in place: impulses, and velocities at the end in kin.unknown; returns (code, J).

    ``first``: True while rows are those of the start.
    """
    set_velocities(work.stage[STAGE + FREE_SPEED], work.kin)
    count = build_problem(model, soft, work)
    for c in range(len(model.contact)):
        for m in range(3):
            work.touch[c].impulse[m] = 0.0
    if count == 0:
        return CONTINUE, 0.0
    set_conditions(model, h, work)
    if first:
        start_from(model, state.memory, h, work)
    else:
        start_at_rest(model, work)
    status, residual = solve_contacts(model, count, work)
    if status != 0:
        return blame(model, work, residual), 0.0
    spread(model, count, work)
    return CONTINUE, objective(model, count, h, work)


@jit
def step_of(model, h, state, soft, settings, work):
    """One step of size h into work.stage[Y_NEW]; returns (code, J, work of drives without contacts)."""
    closed = model.relation[: model.info[0].bilateral_relations]
    given = fly(model, h, state, soft, work)
    begin_contacts(model, h, state, work)
    cost = 0.0
    for iteration in range(ROUNDS):
        code, cost = push_apart(model, h, iteration == 0, state, soft, work)
        if code != CONTINUE:
            return code, cost, given
        worst = arrive(model, h, state, work)
        if worst <= settings.tolerance or len(closed) + len(model.contact) == 0:
            break
        linearise(model, h, work)
    return CONTINUE, cost, given


@jit
def start_at_rest(model, work):
    """Start the search for impulses at zero: places in the problem may have changed."""
    dim = model.info[0].dim
    for c in range(len(model.contact)):
        k = work.touch[c]
        if k.place != NONE:
            for m in range(dim):
                work.problem[ANSWER, dim * k.place + m] = 0.0


@jit
def choose(model, state, soft, settings, work):
    """Step size by the rule above; returns (code, h)."""
    low, high = settings.h_min, settings.h_max
    if not low < high:
        return CONTINUE, high
    code, at_high, _ = step_of(model, high, state, soft, settings, work)
    if code != CONTINUE or at_high == 0.0:
        return code, high
    code, at_low, _ = step_of(model, low, state, soft, settings, work)
    if code != CONTINUE:
        return code, low
    if at_high <= at_low * (1.0 + SAME):
        return CONTINUE, high  # flat, or falling with h
    # J rises with h: its least value is at h_min; go to the largest h that still has it
    for _ in range(12):
        middle = 0.5 * (low + high)
        code, cost, _ = step_of(model, middle, state, soft, settings, work)
        if code != CONTINUE:
            return code, middle
        if cost <= at_low * (1.0 + SAME):
            low = middle
        else:
            high = middle
    return CONTINUE, low


@jit
def finish_step(model, h, known, state, soft, settings, work):
    """Ledger, rates, impacts and closed joints of the step in work.stage[Y_NEW]; leaves it pending; returns a code.

    ``known`` is the work of the drives without contacts, and what laws of force have lost.
    """
    driven, lost = known
    y, new, rates = state.y, work.stage[Y_NEW], work.stage[DY_NEW]
    bodies, t = model.info[0].bodies, state.clock[0].t
    shift, last, count = 7 * (bodies - 1), len(y) - 1, 0
    note_before(model, y[shift:], work)
    taken, _ = work_of_contacts(model, 0.0, work)
    driven += work_of_drives(model, soft, work)
    given, _ = work_rate_of_loads(model, right_of(t), y[shift:], work)
    given = h * given + driven
    for m in range(13 * (bodies - 1), last - 1):
        new[m] = y[m]
    for m in range(model.info[0].inner):
        n = 13 * (bodies - 1) + m
        rates[n] = work.inner[RATES, m]
        new[n] = y[n] + h * rates[n]
    for k in range(len(model.pad)):
        m = len(y) - model.info[0].integrals + k
        new[m] = y[m] + h * work.press[k].force[0]
        rates[m] = 0.0
    new[last - 1], new[last] = y[last - 1] + given, y[last] + taken + lost
    rates[last - 1], rates[last] = given / h, (taken + lost) / h
    for m in range(shift, 13 * (bodies - 1)):
        rates[m] = (new[m] - y[m]) / h
    note_impacts(model, t + h, state, work)
    for c in range(len(model.contact)):
        k, law = work.touch[c], model.contact[c]
        pressing = k.impulse[0] > 0.0
        k.carry = 1 if pressing and k.before <= CLOSE * settings.tolerance else 0
        k.stay = 1 if pressing and law.brake == 0 else 0
        k.total = 0.0 if law.brake else k.impulse[0]
        k.held = 1 if pressing else 0
        for m in range(3):
            k.force[m] = k.impulse[m] / h
    limit = 10.0 * settings.tolerance
    which, worst = 0, 0.0
    for _ in range(CLOSINGS):
        # only pressing contacts are to be closed; closing joints may push others through their walls
        if len(model.contact) > 0:
            count = build_problem(model, soft, work)
        _, which, worst = settle(model, t + h, new, (count, soft), limit, state.memory, work)
        if not hold_pierced(model, limit, work):
            break
    for c in range(len(model.contact)):
        if model.contact[c].brake == 0:
            work.tally[WORST_GAP] = max(work.tally[WORST_GAP], -work.touch[c].gap)
    position_rates(bodies, new, rates)
    set_pending(h, h, t + h, work.tally)
    return judge(worst, which, 0.0, settings, work.tally)


@jit
def hold_pierced(model, limit, work):
    """Hold contacts that have gone through their walls by more than ``limit``; True if there are any."""
    found = False
    for c in range(len(model.contact)):
        k = work.touch[c]
        if k.held == 0 and model.contact[c].brake == 0 and k.gap < -limit:
            k.held = 1
            found = True
    return found


@jit
def note_impacts(model, t, state, work):
    """List the contacts that were open and approaching and now press."""
    struck = False
    turns = model.info[0].turns
    for c in range(len(model.contact)):
        k = work.touch[c]
        open_before = state.memory[turns + SLOTS * c + HOLD] == 0.0 and model.contact[c].brake == 0
        if k.place != NONE and open_before and k.impulse[0] > 0.0 and k.rise < 0.0:
            if not struck:
                work.tally[IMPACTS] += 1
                struck = True
            note_event(model, c, t, work)


@jit
def begin(model, state, work, settings):
    """The longest step that is allowed."""
    return settings.h_max


@jit
def advance(model, state, work, settings):
    """One step of the size that the rule gives; steps end where a signal is not smooth."""
    t = state.clock[0].t
    soft, loss = open_step(model, state, work)
    code, h = choose(model, state, soft, settings, work)
    if code != CONTINUE:
        return code
    h = min(h, next_break(model.breaks, t) - t)
    code, _, given = step_of(model, h, state, soft, settings, work)
    if code != CONTINUE:
        return code
    return finish_step(model, h, (given, h * loss), state, soft, settings, work)


@jit
def land(model, state, work, settings):
    """After a step: remember the contacts."""
    remember_contacts(model, state.memory, work)
    return CONTINUE


@jit
def interpolate(model, state, work, x):
    """The way from start to end is straight, as in the step: a cubic would swing through walls that are met in it."""
    new, out = work.stage[Y_NEW], work.stage[Y_OUT]
    for m in range(len(out)):
        out[m] = (1.0 - x) * state.y[m] + x * new[m]


_run = stepping(begin, advance, interpolate, express, land)


@jit
def run(model, state, work, record, settings):
    """Advance until the record is full or the budget is used; see methods/base.py."""
    return _run(model, state, work, record, settings)


@dataclass(frozen=True, repr=False)
class OptimalStep(Method):
    """The scheme of paper A: gaps inside the equations, inelastic contacts, h between ``h_min`` and ``h_max``."""

    key: ClassVar[str] = "optimal_step"
    order: ClassVar[int] = 1
    regimes: ClassVar[frozenset[Regime]] = frozenset({Regime.BILATERAL, Regime.FORCE, Regime.SET})
    stages: ClassVar[int] = LINES

    h_min: float = 1e-3  # s
    h_max: float = 1e-3  # s
    reference: bool = False

    def __post_init__(self) -> None:
        if self.h_min > self.h_max:
            raise ValueError(f"h_min must not be greater than h_max, but {self.h_min:g} s > {self.h_max:g} s")

    @property
    def run(self) -> Callable[..., Any]:  # type: ignore[override]
        """The kernel, or the loop around SLSQP."""
        if self.reference:
            from .reference import run as slow

            return slow
        return run

    def settings(self, length: float) -> np.ndarray:
        """The record that the run kernel reads."""
        record = super().settings(length)
        record[0]["located"] = True
        return record

    def objection(self, law: Law) -> str:
        """The gap condition at the end of a step leaves no rebound, and the NLP knows no friction."""
        if isinstance(law, OnJoint) and getattr(law, "load", None) is None:
            return "takes no friction that follows the reaction of a joint; Moreau and the smooth methods do"
        if law.regime is not Regime.SET:
            return ""
        if law.unilateral().static > law.unilateral().mu:
            return "knows one coefficient of friction only; Moreau takes 'static'"
        if law.unilateral().restitution > 0.0:
            return "takes inelastic contacts only (restitution 0); Moreau takes the others"
        if self.reference and law.unilateral().mu > 0.0:
            return "takes contacts without friction only while reference=True; without it, it takes friction too"
        return ""
