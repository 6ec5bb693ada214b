"""Impacts of the contacts that are closed, by Newton's or Poisson's law with friction (methods/rebounds.py).

    M (u+ - u-) = W^T Lambda

Joints pass their impulses on. Each contact that takes part is
noted with its speeds, impulses and its share -sum Lambda (u- + u+) / 2 of the energy that is lost.

Contacts whose impulses move each other (W M^-1 W^T, joints kept closed) form a **cluster**. What happens is decided
cluster by cluster, so that contacts which have nothing to do with an impact take no part in it:

* **Energy.** With friction laws of impact can make energy. Where one would, the restitutions of the cluster are
  multiplied by the largest factor with which none is made (there is one: without rebound impacts only lose energy).
  ``Rigid(impact="newton")`` leaves them as they are, and the gain is reported.
* **Rest.** Rebounds accumulate: infinitely many in a finite time. A contact whose last flight was so low, and that
  comes back so slowly, that both vanish beside what it has done before does not rebound,

      flight <= LOW highest flight  and  speed <= sqrt(LOW) fastest approach,

  nor does one that has struck REPEATED times at what is one instant: corners of a face chatter in that way, whose
  flights vanish long before their speeds do. A cluster comes to rest if all of its contacts that strike are of these
  kinds.
  Nothing but the contact's own past counts, neither other parts of the model nor units. Each rest is counted with the
  energy that it takes. A contact that never loses speed (e = 1) never comes to rest.
"""

from __future__ import annotations

import numpy as np

from ..arrays import (
    ANSWER,
    BEFORE,
    EVENT_COUNT,
    FASTEST,
    FORCED_LOSS,
    FORCED_RESTS,
    FREE,
    GAIN,
    HIGHEST,
    HOLD,
    IMPACTS,
    IMPULSE,
    LESSENED,
    NONE,
    REPEATS,
    REST_LOSS,
    RESTS,
    SLOTS,
    STRUCK_AT,
    STRUCK_SPEED,
)
from ..assemble.closed import evaluate_closed_rows, factorise
from ..assemble.interactions import product
from ..assemble.kinematics import position_rates
from ..assemble.rigid_contacts import (
    build_problem,
    evaluate_gaps,
    find_gap_rates,
    push_out,
    set_free,
    spread,
    velocity_of,
    work_of_contacts,
    work_of_drives,
)
from ..codes import Code
from ..numerics.jit import jit
from ..numerics.vec import dot, load, mul
from .impact_location import NEAR
from .moreau_midpoint import apply_impulses, blame, closing_of, find_impulses, note_before
from .rebounds import solve_law
from .watch import FINE

CONTINUE = int(Code.CONTINUE)
TOGETHER = 1e-4  # of a fixed step: impacts that count as one
SHORT = 0.01  # of a fixed step: a flight that counts as none, if it is low as well
LOW = 1e-12  # of the highest flight: one that counts as none
LOW_BY_ERROR = 1e-4  # the same beside rtol in a controlled step
LOW_BY_STEP = 1e-4  # the same for flights that are short beside a fixed step
CAN_TELL = 4.0  # of the finest gap: a flight that is seen as one
REPEATED = 100  # flights in sequence that are not
ROUNDING = 4e-16
NOISE = 1e-9  # of the speeds of its bodies: a rate at which a closed contact does not strike
COUPLED = 1e-13  # of the own entries of the Delassus matrix: contacts that move each other
FAINT = 1e-10  # of the largest impulse: not worth a line in the list of impacts
FACTORS = 40  # of the restitutions that are tried
LOSSLESS = 1e-12  # of the energies in an impact: what it may lose if it must not make any


@jit
def note_event(model, c, t, work):
    """Add a line to the list of impacts: one contact of one impact."""
    n = int(work.tally[EVENT_COUNT])
    if n >= len(work.event):
        return
    dim = model.info[0].dim
    k, line = work.touch[c], work.event[n]
    first = dim * k.place
    line[0], line[1], line[2] = t, c, work.tally[IMPACTS]
    line[3] = work.problem[BEFORE, first]
    line[4] = velocity_of(model, c, 0, work)
    lost = 0.0
    for m in range(dim):
        line[5 + m] = k.impulse[m]
        after = velocity_of(model, c, m, work)
        lost -= 0.5 * k.impulse[m] * (work.problem[BEFORE, first + m] + after)
    for m in range(dim, 3):
        line[5 + m] = 0.0
    line[8] = lost
    work.tally[EVENT_COUNT] += 1


@jit
def coupled(dim, a, b, delassus):
    """True if impulses at place b move the contact at place a."""
    for m in range(dim):
        for n in range(dim):
            i, j = dim * a + m, dim * b + n
            if abs(delassus[i, j]) > COUPLED * np.sqrt(delassus[i, i] * delassus[j, j]):
                return True
    return False


@jit
def find_clusters(model, work):
    """Give contacts of the problem that move each other, directly or by others, the same label."""
    dim, contacts = model.info[0].dim, len(model.contact)
    for c in range(contacts):
        work.touch[c].cluster = c
    for _ in range(contacts):
        changed = False
        for c in range(contacts):
            a = work.touch[c]
            for d in range(c):
                b = work.touch[d]
                if a.place == NONE or b.place == NONE or a.cluster == b.cluster:
                    continue
                if coupled(dim, a.place, b.place, work.delassus):
                    least = min(a.cluster, b.cluster)
                    a.cluster, b.cluster = least, least
                    changed = True
        if not changed:
            break


@jit
def speeds_near(k, length, kin):
    """Size of the velocities of the two bodies of a contact (m/s)."""
    total = 0.0
    for b in (k.i, k.j):
        for m in range(3):
            total += abs(kin[b].v[m]) + length * abs(kin[b].w[m])
    return total


@jit
def approaches(model, c, resting, work):
    """True if a closed contact strikes."""
    k, t = model.contact[c], work.touch[c]
    if not t.rate < 0.0:
        return False
    return not resting or -k.scale * t.rate > NOISE * speeds_near(k, model.info[0].length, work.kin)


@jit
def leaves(model, c, resting, speed, work):
    """True if a closed contact is opening: it takes no part in the impact of others, and strikes after them if it must.

    So corners that hit one by one do so down to the finest flights; but roundings of the largest ``speed`` so far are
    none, in bodies that hang at rest.
    """
    k, t = model.contact[c], work.touch[c]
    least = max(NOISE * speeds_near(k, model.info[0].length, work.kin), ROUNDING * speed)
    return not resting and k.scale * t.rate > least


@jit
def last_flight(model, c, t, memory, work):
    """Height and time of the flight that ends at contact c now; infinite if it has not rebounded before."""
    slot = memory[model.info[0].turns + SLOTS * c : model.info[0].turns + SLOTS * (c + 1)]
    if slot[STRUCK_SPEED] <= 0.0:
        return np.inf, np.inf
    flight = t - slot[STRUCK_AT]
    return 0.25 * max(slot[STRUCK_SPEED], -work.touch[c].rate) * flight, flight


@jit
def is_calm(model, c, t, memory, settings, work):
    """True if the rebounds of a contact that strikes have become too small to be distinguished."""
    slot = memory[model.info[0].turns + SLOTS * c : model.info[0].turns + SLOTS * (c + 1)]
    height, flight = last_flight(model, c, t, memory, work)
    if slot[REPEATS] >= REPEATED:
        return True
    low = LOW if settings.step > 0.0 else max(LOW, min(1e-8, LOW_BY_ERROR * settings.rtol))
    if flight < SHORT * settings.step:
        low = LOW_BY_STEP
    return height <= low * slot[HIGHEST] and -work.touch[c].rate <= np.sqrt(low) * slot[FASTEST]


@jit
def come_to_rest(model, cluster, soft, state, work):
    """End of an accumulation of impacts: closed contacts of a cluster are held from here on, like joints that close.

    Their rates are taken out by the smallest change of velocities (kinetic norm): energy can only be lost. Those that
    leave faster than the others come, and take no part in a chatter, are let go. Returns the energy that is lost.
    """
    turns, shift = model.info[0].turns, 7 * (model.info[0].bodies - 1)
    slow = 0.0
    for c in range(len(model.contact)):
        k = work.touch[c]
        if k.place != NONE and k.cluster == cluster:
            slow = max(slow, -k.rate)
    for c in range(len(model.contact)):
        k = work.touch[c]
        slot = state.memory[turns + SLOTS * c : turns + SLOTS * (c + 1)]
        k.held = 1 if k.place != NONE and k.cluster == cluster and (k.rate <= slow or slot[REPEATS] > 0.0) else 0
        if k.held:
            slot[HOLD], slot[REPEATS] = 1.0, 0.0
    count = build_problem(model, soft, work)
    for c in range(len(model.contact)):
        work.touch[c].gap = work.touch[c].rate
    for b in range(len(work.kin)):
        for m in range(6):
            work.kin[b].shift[m] = 0.0
    push_out(model, count, work)
    lost, taken = 0.0, 0.0
    for c in range(len(model.contact)):
        k, law = work.touch[c], model.contact[c]
        if k.place != NONE and law.brake == 0:
            slowed = law.sign * product(work.row[law.row[0]].w, work.kin[law.i].shift, work.kin[law.j].shift)
            taken += work.problem[ANSWER, k.place] * (k.rate - 0.5 * slowed)
    for b in range(1, len(work.kin)):
        u, s, body = state.y[shift + 6 * (b - 1) : shift + 6 * b], work.kin[b].shift, model.body[b]
        turn, mean = mul(body.J, load(s[3:6])), (u[3] - 0.5 * s[3], u[4] - 0.5 * s[4], u[5] - 0.5 * s[5])
        lost += dot(turn, mean)
        for m in range(3):
            lost += body.mass * s[m] * (u[m] - 0.5 * s[m])
        for m in range(6):
            u[m] -= s[m]
    if len(model.driven) == 0:
        taken = lost
    state.y[len(state.y) - 2] += taken - lost  # what drives put in against the contacts
    state.y[len(state.y) - 1] += taken
    position_rates(model.info[0].bodies, state.y, state.dy)
    return taken


@jit
def loss_of(model, cluster, work):
    """Energy that the impulses in problem[ANSWER] take in a cluster, and the size of its parts."""
    dim, problem = model.info[0].dim, work.problem
    lost, size = 0.0, 0.0
    for c in range(len(model.contact)):
        t = work.touch[c]
        if t.place == NONE or t.cluster != cluster:
            continue
        for m in range(dim):
            a = dim * t.place + m
            after = problem[FREE, a]
            for d in range(len(model.contact)):
                if work.touch[d].place != NONE:
                    for n in range(dim):
                        b = dim * work.touch[d].place + n
                        after += work.delassus[a, b] * problem[ANSWER, b]
            lost -= 0.5 * problem[ANSWER, a] * (problem[BEFORE, a] + after)
            size += abs(problem[ANSWER, a]) * (abs(problem[BEFORE, a]) + abs(after))
    return lost, size


@jit
def solve_rebounds(model, count, work):
    """The law of impact with the factors of restitution of the contacts, from the start in problem[ANSWER].

    All contacts of a model have the same one (compile/pack.py). Returns status and residual.
    """
    law = 0
    for c in range(len(model.contact)):
        if work.touch[c].place != NONE:
            law = model.contact[c].impact
    return solve_law(law, model, count, work.problem, work.delassus, work)


@jit
def lessen(model, cluster, count, work):
    """Largest factor of the restitutions of a cluster with which its impact makes no energy: a search in a bracket."""
    # regula falsi, by turns with halving; the loss is a quadratic function of the factor while no contact changes over
    low, at_low = 0.0, 0.0
    high = 1.0
    at_high, size = loss_of(model, cluster, work)
    status, residual = 0, 0.0
    for iteration in range(FACTORS + 1):
        factor = low
        if 0 < iteration < FACTORS:
            factor = 0.5 * (low + high)
            if iteration % 2 and at_low > 0.0:
                factor = low + (high - low) * min(max(at_low / (at_low - at_high), 1e-3), 1.0 - 1e-3)
        for c in range(len(model.contact)):
            if work.touch[c].place != NONE and work.touch[c].cluster == cluster:
                work.touch[c].rebound = factor
        status, residual = solve_rebounds(model, count, work)
        if status != 0:
            break
        lost, _ = loss_of(model, cluster, work)
        if 0.0 <= lost <= LOSSLESS * size or high - low <= 1e-15:
            break
        if lost >= 0.0:
            low, at_low = factor, lost
        else:
            high, at_high = factor, lost
    return status, residual


@jit
def impact_of(model, count, work):
    """Impulses of all clusters in problem[ANSWER]: the law of impact, bounded where it would make energy."""
    for c in range(len(model.contact)):
        work.touch[c].rebound = 1.0
    for a in range(model.info[0].dim * count):
        work.problem[ANSWER, a] = 0.0
    status, residual = solve_rebounds(model, count, work)
    for label in range(len(model.contact)):
        members, bounded = False, False
        for c in range(len(model.contact)):
            if work.touch[c].place != NONE and work.touch[c].cluster == label:
                members, bounded = True, bounded or model.contact[c].bounded != 0
        if not members or status != 0:
            continue
        lost, size = loss_of(model, label, work)
        if lost < -1e-12 * size:
            if bounded:
                work.tally[LESSENED] += 1
                status, residual = lessen(model, label, count, work)
            else:
                work.tally[GAIN] -= lost
    return status, residual


@jit
def closed_contacts(model, state, settings, work):
    """Hold the contacts that are closed at the state, with its rows, gaps and rates in place."""
    turns, near = model.info[0].turns, NEAR * FINE * settings.tolerance
    for c in range(len(model.contact)):
        k, law = work.touch[c], model.contact[c]
        resting = state.memory[turns + SLOTS * c + HOLD] != 0.0  # closed, whatever rounding makes of its gap
        # one that would strike a moment later strikes now: corners of one face hit together
        moment = -law.scale * k.rate * TOGETHER * settings.step
        next_up = k.rate < 0.0 and law.scale * k.gap <= max(moment, 2.0 * closing_of(model, settings))
        closed = law.scale * k.gap <= near or resting or next_up or k.met
        k.held = 1 if closed and law.brake == 0 else 0
        k.met = 0


@jit
def judge_clusters(model, forced, state, settings, work):
    """Which clusters strike; returns (True if any rebounds, label of one that comes to rest or -1).

    Contacts keep k.joins = 1 if their cluster rebounds.
    """
    turns, t = model.info[0].turns, state.clock[0].t
    rebounds, rests = False, -1
    for c in range(len(model.contact)):
        work.touch[c].joins = 0
    for label in range(len(model.contact)):
        strikes, calm = False, True
        for c in range(len(model.contact)):
            k = work.touch[c]
            if k.place == NONE or k.cluster != label:
                continue
            resting = state.memory[turns + SLOTS * c + HOLD] != 0.0
            if approaches(model, c, resting, work):
                strikes = True
                calm = calm and is_calm(model, c, t, state.memory, settings, work)
        if strikes and (calm or forced):
            rests = label
        elif strikes:
            rebounds = True
            for c in range(len(model.contact)):
                resting = state.memory[turns + SLOTS * c + HOLD] != 0.0
                if work.touch[c].place != NONE and work.touch[c].cluster == label:
                    work.touch[c].joins = 0 if leaves(model, c, resting, state.clock[0].speed, work) else 1
    return rebounds, rests


@jit
def remember_impact(model, t, state, settings, work):
    """After an impact: when and how fast contacts rebound, whether they stay closed, and their lines in the list."""
    turns, largest, fastest = model.info[0].turns, 0.0, 0.0
    for c in range(len(model.contact)):
        k = work.touch[c]
        if k.place != NONE:
            largest, fastest = max(largest, k.impulse[0]), max(fastest, abs(k.rate))
    for c in range(len(model.contact)):
        k = work.touch[c]
        slot = state.memory[turns + SLOTS * c : turns + SLOTS * (c + 1)]
        if k.place == NONE:
            continue
        after = velocity_of(model, c, 0, work)
        height, _ = last_flight(model, c, t, state.memory, work)
        slot[HIGHEST] = max(slot[HIGHEST], height if height < np.inf else 0.0)
        slot[FASTEST] = max(slot[FASTEST], -k.rate)
        # a closed contact may also be thrown open by the impulse of another one
        slot[STRUCK_AT], slot[STRUCK_SPEED] = t, max(after, 0.0)
        slot[HOLD] = 1.0 if after <= NOISE * fastest else 0.0
        if k.impulse[0] > 0.0:
            unseen = model.contact[c].scale * height <= CAN_TELL * FINE * settings.tolerance
            slot[REPEATS] = slot[REPEATS] + 1.0 if unseen else 0.0
            slot[IMPULSE] += k.impulse[0]
            if k.impulse[0] > FAINT * largest:
                note_event(model, c, t, work)


@jit
def strike(model, forced, state, work, settings):
    """Impact of the contacts that are closed at the state: changes its velocities, notes it.

    ``forced``: rebounds are taken out, whatever they are. Returns a code, and how many refinements solutions with the
    factor need, which is that of this place; tally[IMPACTS] and tally[RESTS] count what happened.
    """
    info = model.info[0]
    y, shift, t = state.y, 7 * (model.info[0].bodies - 1), state.clock[0].t
    evaluate_closed_rows(model, t, y, state.memory, work)
    soft = factorise(model, 0.0, work)
    evaluate_gaps(model, state.memory, work)
    find_gap_rates(model, work)
    closed_contacts(model, state, settings, work)
    build_problem(model, soft, work)
    find_clusters(model, work)
    rebounds, rests = judge_clusters(model, forced, state, settings, work)
    for c in range(len(model.contact)):  # speeds jump
        work.touch[c].slack, work.touch[c].known, work.touch[c].slides = 0.0, 0, 0
    if not rebounds and rests >= 0:
        lost = come_to_rest(model, rests, soft, state, work)
        work.tally[FORCED_RESTS if forced else RESTS] += 1
        work.tally[FORCED_LOSS if forced else REST_LOSS] += lost
        return CONTINUE, soft
    if not rebounds:
        return CONTINUE, soft
    for c in range(len(model.contact)):
        work.touch[c].held = work.touch[c].joins
    for b in range(1, info.bodies):
        for m in range(6):
            work.kin[b].unknown[m] = y[shift + 6 * (b - 1) + m]
    find_impulses(model, 0.0, soft, work)
    apply_impulses(model, work)
    count = build_problem(model, soft, work)
    set_free(model, 0.0, 0.0, work)
    note_before(model, y[shift:], work)
    status, residual = impact_of(model, count, work)
    if status != 0:
        return blame(model, work, residual), soft
    spread(model, count, work)
    work.tally[IMPACTS] += 1
    lost, _ = work_of_contacts(model, -np.inf, work)
    y[len(y) - 2] += work_of_drives(model, soft, work)
    y[len(y) - 1] += lost
    remember_impact(model, t, state, settings, work)
    for b in range(1, info.bodies):
        for m in range(6):
            y[shift + 6 * (b - 1) + m] = work.kin[b].unknown[m]
    position_rates(info.bodies, y, state.dy)
    return CONTINUE, soft
