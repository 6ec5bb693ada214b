"""Instants inside a controlled step at which contacts change over: they let go, give way, come to rest or turn back.

A glide lets the force of a contact act throughout, as if what holds at its end had held from its start. Whole step and
half steps agree about that, and their difference shows nothing. So the instants are looked for. Forces follow straight
lines: a contact presses with F at the start of a glide of size h, and has gained the speed u of its gap at the end,

    F - (F + 2 p) s/h,    p = u / (D h) the pull that it lacks in the mean,      zero at  s/h = F / (2 (F + p))

with D the gain of its gap for its own force: its entry of the Delassus matrix, or, where several contacts let go, what
all of them do to it in the proportions of their forces (two corners of one face share a load, and do not turn their
body as one of them alone would). The same holds along the wall for a contact that sticks: it has mu N - |T| to spare at
the start, and gives way where that has been used up. A contact that slides with speed u slows down by what friction of
all that slide does to it, less the pull of other forces, and stops after the time u over that. In space this last one
is looked for where there is one contact: several share friction in many ways, and creep to and fro by what each step
leaves.

tally[TOO_SOON] is the speed that is lost because a glide did not know the instant, tally[CHANGES_OVER] the first of
them as a fraction of the step: where steps end that lose too much.
"""

from __future__ import annotations

import numpy as np

from ..arrays import (
    BEFORE,
    CHANGES_OVER,
    EARLY,
    FORCE_N,
    FORCE_S,
    FORCE_T,
    HOLD,
    NONE,
    RELEASE,
    SLOTS,
    TOO_SOON,
)
from ..assemble.rigid_contacts import STICKS, velocity_of
from ..numerics.jit import jit

OPEN, LET_GO, SLIDING, STICKING = range(4)
PULLS = 0.02  # of its mean force: how much a closed contact may pull at the end of a step
LEAST_GAIN = 1e-3  # of that of a contact alone
AT_ONCE = 1e-2  # of its speed after: what a contact that turns back at the start of a glide slides with before
HOLDS = 0.999  # of the cone: friction of a contact that stuck throughout, where a straight line leads beyond


@jit
def before_glide(model, c, m, h, work):
    """Sliding velocity of contact c along m at the start of the last glide, of size h.

    Rows are those of its middle. A tangent that has turned there shows a velocity of the bodies that is no sliding.
    """
    place = model.info[0].dim * work.touch[c].place + m
    return work.problem[BEFORE, place] - 0.5 * h * work.row[model.contact[c].row[m]].bias


@jit
def after_glide(model, c, m, h, work):
    """The same at its end."""
    return velocity_of(model, c, m, work) + 0.5 * h * work.row[model.contact[c].row[m]].bias


@jit
def inside_cone(mu, normal, drag, across):
    """True if friction is less than it can be."""
    return np.sqrt(drag * drag + across * across) < STICKS * mu * normal


@jit
def spare_of(mu, normal, drag, across):
    """What friction could still add."""
    return mu * normal - np.sqrt(drag * drag + across * across)


@jit
def stuck_before(model, c, memory):
    """True if contact c, which is closed, stuck at the start of the step; a brake rests."""
    law, slot = model.contact[c], memory[model.info[0].turns + SLOTS * c : model.info[0].turns + SLOTS * (c + 1)]
    return slot[HOLD] != 0.0 if law.brake else inside_cone(law.mu, slot[FORCE_N], slot[FORCE_T], slot[FORCE_S])


@jit
def mode_of(model, c, memory, work):
    """What contact c did in the last glide: OPEN all along, LET_GO, SLIDING or STICKING."""
    t, law = work.touch[c], model.contact[c]
    if law.brake:
        return STICKING if t.stuck else SLIDING
    if t.held == 0:
        return LET_GO if memory[model.info[0].turns + SLOTS * c + HOLD] != 0.0 else OPEN
    return STICKING if inside_cone(law.mu, t.impulse[0], t.impulse[1], t.impulse[2]) else SLIDING


@jit
def light_along(model, place, along, work):
    """Entry of the Delassus matrix along the wall in the direction (a, b): 1 over the mass that a contact moves."""
    first, a, b = model.info[0].dim * place + 1, along[0], along[1]
    d = work.delassus
    total = a * a * d[first, first]
    if model.info[0].dim == 3:
        total += a * b * (d[first, first + 1] + d[first + 1, first]) + b * b * d[first + 1, first + 1]
    return total / (a * a + b * b)


@jit
def note(model, c, lost, instant, work):
    """Contact c changes over at a fraction of the step; a glide that does not know it loses a speed."""
    work.tally[TOO_SOON] = max(work.tally[TOO_SOON], model.contact[c].scale * lost)
    work.tally[CHANGES_OVER] = min(work.tally[CHANGES_OVER], instant)


@jit
def keep_early(model, work):
    """Keep the impulses of the first half of a step."""
    for c in range(len(model.contact)):
        for m in range(3):
            work.touch[c].early[m] = work.touch[c].impulse[m]


@jit
def gain_of(model, c, memory, work):
    """Speed of the gap of contact c for a normal impulse of 1, and those that go with it in others that are let go."""
    dim, turns, k = model.info[0].dim, model.info[0].turns, work.touch[c]
    first = dim * k.place
    own, total = memory[turns + SLOTS * c + FORCE_N], 0.0
    for d in range(len(model.contact)):
        other = work.touch[d]
        if other.place != NONE and other.held == 0:
            for m in range(dim):
                total += work.delassus[first, dim * other.place + m] * memory[turns + SLOTS * d + FORCE_N + m]
    alone = work.delassus[first, first]
    return total / own if own > 0.0 and LEAST_GAIN * alone * own < total else alone


@jit
def note_lost(model, h, memory, work):
    """What contacts may have lost that both the whole step and its first half let go.

    One that pressed with F at the start of the step, and pulls in the mean over its first half, would have gone on to
    press for h/4 at most.
    """
    turns = model.info[0].turns
    for c in range(len(model.contact)):
        k = work.touch[c]
        if k.mode == LET_GO and k.place != NONE:
            force = memory[turns + SLOTS * c + FORCE_N]
            lost = 0.125 * h * force * gain_of(model, c, memory, work)
            work.tally[TOO_SOON] = max(work.tally[TOO_SOON], model.contact[c].scale * lost)


@jit
def falls_to_zero(model, c, h, force, memory, work):
    """Fraction of a glide of size h by which the force of a contact that was let go vanishes; 1 if it did not press."""
    k, light = work.touch[c], gain_of(model, c, memory, work)
    pull = max(0.0, k.rate) / (light * h) if k.seen and light > 0.0 else 0.0
    return 0.5 * force / (force + pull) if force > 0.0 else 1.0


@jit
def note_let_go(model, h, memory, work):
    """tally[EARLY]: by which fraction of the step contacts begin to pull that the whole step has let go."""
    work.tally[EARLY] = 2.0
    for c in range(len(model.contact)):
        k = work.touch[c]
        if k.mode == LET_GO and k.place != NONE:
            force = memory[model.info[0].turns + SLOTS * c + FORCE_N]
            work.tally[EARLY] = min(work.tally[EARLY], falls_to_zero(model, c, h, force, memory, work))


@jit
def turns_are_noted(model, work):
    """False where several contacts in space share friction in many ways, and creep: what turns back there is noise."""
    count = 0
    for c in range(len(model.contact)):
        count += 1 if work.touch[c].place != NONE else 0
    return count == 1 or model.info[0].dim < 3


@jit
def note_halves(model, h, later, memory, work):
    """Changes in the last glide, which is the first or (``later`` = 1) the second half of a step of size h."""
    turns, noted = model.info[0].turns, turns_are_noted(model, work)
    for c in range(len(model.contact)):
        k, law = work.touch[c], model.contact[c]
        closed = memory[turns + SLOTS * c + HOLD] != 0.0
        if k.place == NONE or (law.brake == 0 and not closed):
            continue
        if k.held == 0:
            note_release(model, c, h, later, memory, work)
        elif law.mu > 0.0 and not stuck_before(model, c, memory):
            if noted:
                note_turn(model, c, 0.5 * h, 0.5 * later, memory, work)
        elif law.mu > 0.0 and law.brake == 0 and mode_of(model, c, memory, work) == SLIDING:
            if not later or inside_cone(law.mu, k.early[0], k.early[1], k.early[2]):
                note_slip(model, c, h, later, memory, work)


@jit
def note_release(model, c, h, later, memory, work):
    """Instant at which a contact begins to pull that was let go in a half of the step; if that loses too much."""
    force = memory[model.info[0].turns + SLOTS * c + FORCE_N]
    if later:  # on the straight line through the start and the mean over the first half
        force = max(0.0, 2.0 * work.touch[c].early[0] / (0.5 * h) - force)
    instant = 0.5 * later + 0.5 * min(falls_to_zero(model, c, 0.5 * h, force, memory, work), 0.5)
    work.tally[CHANGES_OVER] = min(work.tally[CHANGES_OVER], instant)


@jit
def note_slip(model, c, h, later, memory, work):
    """A contact that stuck at the start slides in a half of the step: where it gives way, and what that loses.

    The glide lets friction act in full although it has some to spare at first; or the contact gave way in the first
    half already, which stuck in the mean.
    """
    dim, k, law = model.info[0].dim, work.touch[c], model.contact[c]
    slot, half = memory[model.info[0].turns + SLOTS * c : model.info[0].turns + SLOTS * (c + 1)], 0.5 * h
    spare = spare_of(law.mu, slot[FORCE_N], slot[FORCE_T], slot[FORCE_S])
    along = (after_glide(model, c, 1, half, work), after_glide(model, c, 2, half, work) if dim == 3 else 0.0)
    speed = np.sqrt(along[0] * along[0] + along[1] * along[1])
    if not speed > 0.0:
        return
    light = light_along(model, k.place, along, work)
    if not light > 0.0:
        return
    if later:
        start = spare
        spare = 2.0 * spare_of(law.mu, k.early[0], k.early[1], k.early[2]) / half - start
        if spare < 0.0:
            x = start / (start - spare)
            note(model, c, -0.5 * light * spare * (1.0 - x) * half, 0.5 * x, work)
            return
    x = 0.5 * spare / (spare + speed / (light * half)) if spare > 0.0 else 0.0
    note(model, c, 0.5 * light * spare * x * half, 0.5 * later + 0.5 * x, work)


@jit
def slows_with(model, c, m, h, memory, work):
    """Acceleration of contact c along m by friction in a glide of size h: what it was, and what it was at the start.

    Of all contacts that slid there: those of one body stop together.
    """
    dim, line = model.info[0].dim, work.delassus[model.info[0].dim * work.touch[c].place + m]
    was, first = 0.0, 0.0
    for d in range(len(model.contact)):
        k, mu = work.touch[d], model.contact[d].mu
        if k.place == NONE or mu == 0.0 or not k.impulse[0] > 0.0 or stuck_before(model, d, memory):
            continue
        slides = 0.0
        for n in range(1, dim):
            slides += before_glide(model, d, n, h, work) ** 2
        for n in range(1, dim if slides > 0.0 else 1):
            along = before_glide(model, d, n, h, work) / np.sqrt(slides)
            was += line[dim * k.place + n] * k.impulse[n] / h
            first -= line[dim * k.place + n] * mu * k.impulse[0] * along / h
    return was, first


@jit
def note_turn(model, c, h, before, memory, work):
    """A contact that slid at the start of a glide of size h, and does so no more at its end, or another way.

    Before the contact stops, after the time tau, its friction has another sign; and one that sticks may have turned
    back in truth. ``before``: the fraction of the step before the glide, which is its half.
    """
    dim, k, law = model.info[0].dim, work.touch[c], model.contact[c]
    slides, _ = slides_of(model, c, h, work)
    if slides <= 0.0:
        return
    # along the way that it slides: friction; accelerations by friction as it was at first and by all that is not
    # friction; and the sizes of these, and of what friction changes by
    drag, brakes, pulls, most, other, changed = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for m in range(1, dim):
        at = before_glide(model, c, m, h, work)
        was, first = slows_with(model, c, m, h, memory, work)
        rest = (after_glide(model, c, m, h, work) - at) / h - was
        drag += k.impulse[m] * at / slides
        brakes, pulls = brakes - first * at / slides, pulls + rest * at / slides
        most, other, changed = most + first * first, other + rest * rest, changed + (was - first) ** 2
    if drag <= -STICKS * law.mu * k.impulse[0]:
        return
    slows = brakes - pulls
    tau = slides / slows if slows > 0.0 else h
    if tau < h:
        sticks = inside_cone(law.mu, k.impulse[0], k.impulse[1], k.impulse[2])
        lost = max(0.0, np.sqrt(other) - np.sqrt(most)) * (h - tau) if sticks else np.sqrt(changed) * tau
        note(model, c, lost, before + 0.5 * tau / h, work)


@jit
def turns_back(model, c, memory, work):
    """True if contact c, which slides, does so against the way that it slid before."""
    t, slot = work.touch[c], memory[model.info[0].turns + SLOTS * c : model.info[0].turns + SLOTS * (c + 1)]
    return t.impulse[1] * slot[FORCE_T] + t.impulse[2] * slot[FORCE_S] < 0.0


@jit
def turns_at_start(model, c, h, work):
    """True if contact c, which has turned back in the last glide, slid so slowly before that this was its start."""
    if work.touch[c].place == NONE or not turns_are_noted(model, work):
        return False
    before, after = slides_of(model, c, h, work)
    return before <= AT_ONCE * after


@jit
def slides_of(model, c, h, work):
    """Sliding speeds of contact c at the start and at the end of the last glide, of size h."""
    before, after = 0.0, 0.0
    for m in range(1, model.info[0].dim):
        before += before_glide(model, c, m, h, work) ** 2
        after += after_glide(model, c, m, h, work) ** 2
    return np.sqrt(before), np.sqrt(after)


@jit
def keeps_turning(model, c, h, memory, work):
    """True if contact c slides in the second half of a step as in the first.

    If it has turned back at the start, then at once, without sticking for a while: what drives it on, a straight line,
    leads to the speeds u at the middle and v at the end, and is positive at the start if v < 4 u.
    """
    k, slot = work.touch[c], memory[model.info[0].turns + SLOTS * c : model.info[0].turns + SLOTS * (c + 1)]
    if k.impulse[1] * k.early[1] + k.impulse[2] * k.early[2] < 0.0:
        return False
    if k.early[1] * slot[FORCE_T] + k.early[2] * slot[FORCE_S] >= 0.0:
        return True
    before, after = slides_of(model, c, h, work)
    return after < 4.0 * before


@jit
def excess_of(touch):
    """Impulse that each half of a step holds too much, and a whole step four times.

    It builds up the rate of the gap that a glide leaves at its end.
    """
    return (touch.rough_amount - touch.amount) / 3.0


@jit
def along_step(touch):
    """Normal impulses over both halves of a step, and what one would be at the force of its end."""
    b = excess_of(touch)
    first, second = touch.early[0] - b, touch.impulse[0] - b
    return first, second, second + 0.5 * (second - first)


@jit
def pulled(model, c, end, work):
    """Speed that the gap of contact c lacks because it pulls with ``end``, and the others that pull with theirs."""
    dim, first, total = model.info[0].dim, model.info[0].dim * work.touch[c].place, 0.0
    for d in range(len(model.contact)):
        k = work.touch[d]
        if k.mode >= SLIDING and k.place != NONE and model.contact[d].brake == 0 and k.impulse[0] > 0.0:
            _, _, pull = along_step(k)
            for m in range(dim if pull < 0.0 else 0):
                total -= pull * k.impulse[m] / k.impulse[0] * work.delassus[first, dim * k.place + m]
    alone = -end * work.delassus[first, first]
    return total if total > LEAST_GAIN * alone else alone


@jit
def find_release(model, h, work):
    """First fraction of the step at which a closed contact begins to pull: tally[RELEASE]. Forces at its end follow.

    Its force is a straight line through the means over both halves. What it pulls after that is noted.
    """
    work.tally[RELEASE] = 1.0
    for c in range(len(model.contact)):
        k = work.touch[c]
        if k.mode < SLIDING or k.place == NONE or model.contact[c].brake or not k.impulse[0] > 0.0:
            continue
        first, second, end = along_step(k)
        if end < 0.0:
            x = max(0.25 + 0.5 * first / (first - second), 0.25)
            note(model, c, (1.0 - x) * pulled(model, c, end, work), x, work)
            if end < -PULLS * max(first, second):
                work.tally[RELEASE] = min(work.tally[RELEASE], x)


@jit
def press_on(model, work):
    """Forces of contacts at the end of an improved pair, in place of those over its last half."""
    for c in range(len(model.contact)):
        k = work.touch[c]
        if k.mode >= SLIDING and model.contact[c].brake == 0 and k.impulse[0] > 0.0:
            grow = max(0.0, 1.5 - (0.5 * k.early[0] + excess_of(k)) / k.impulse[0])
            k.impulse[0], drag = k.impulse[0] * grow, 0.0
            for m in range(1, 3):
                k.impulse[m] = k.impulse[m] * grow if k.mode == SLIDING else 1.5 * k.impulse[m] - 0.5 * k.early[m]
                drag += k.impulse[m] ** 2
            most, drag = model.contact[c].mu * k.impulse[0], np.sqrt(drag)
            for m in range(1, 3):
                k.impulse[m] *= HOLDS * most / drag if k.mode == STICKING and drag > HOLDS * most else 1.0
