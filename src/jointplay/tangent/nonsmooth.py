"""Direct sensitivities along a run of Moreau: every step, impact and saved state carries its tangents with it.

Steps are taken by the method itself; each is then taken once more in its parts (methods/moreau_midpoint.py), so that
impulses and rows are at hand, and linearised. One more line of the tangents is the derivative with respect to the size
of the step. A step that ends on the grid undoes the shift dt of its start; one that ends at a wall has the size that
the wall asks for (tangent/impact.py).

Where the derivative does not exist, or is not followed, ``fault`` says so: its instant and a number,
1 a wall is grazed, 2 two contacts strike at once and parameters part them, 3 contacts too many to be told apart,
4 the linear system is singular, 6 a brake breaks loose that holds more at rest than in motion, 7 sliding turns back,
8 a rebound was lessened so that an impact makes no energy.
"""

from __future__ import annotations

from ..arrays import DY_NEW, FORCED_RESTS, HALVES, IMPACTS, RESTS, STAGE, STEP_DONE, STRIKES, Y_NEW
from ..codes import Code
from ..methods.extrapolate import COARSE, COARSE_RATES, HALF, HALF_RATES
from ..methods.moreau import Moreau, advance, begin, interpolate, land
from ..methods.moreau_midpoint import take_contacts
from ..methods.moreau_output import express
from ..methods.stepping import commit
from ..numerics.jit import jit
from .brakes import changes_over
from .contact_closing import shut_glide
from .explicit import start
from .impact import add_step, meet_wall, narrow_escape
from .integrals import add_glide
from .landing import CROWDED, GRAZED, PARTS, SINGULAR, blame, close_tangents, strike_all
from .loop import along, checked, named
from .midpoint import glide_again, in_flight
from .program import carry
from .saves import save_tangents
from .tangent_state import clear_line, copy_tangents

CONTINUE = int(Code.CONTINUE)
OFTEN = 32  # steps after which tangents are closed
_take = checked(advance)


@jit
def glide_tangents(model, kit, span, part, how, ends, state, settings, work, old, tan, rounds):
    """One glide once more, with all tangents; ``part`` of the size of the step is its own. ``how``: see glide_again."""
    start, end = ends
    flies, sized = how
    if not glide_again(model, kit, span, how, start, end, state.memory, settings, work):
        return False
    count = len(kit.P.energy0)
    columns = count + 1 if sized else count
    carry(model, kit, columns, part, work, old, old, tan)
    for k in range(columns):
        add_glide(model, kit, k, span, part if k == count else 0.0, start[0], end[0], state.memory, work, old, tan)
    if not flies:
        shut_glide(model, kit, span, columns, end[0], state, work, tan, old, rounds)
    return True


@jit
def follow(model, kit, state, settings, work, lines, spare):
    """All tangents over the pending step; its sizes dh found."""
    P, cw, act = kit.P, kit.cw, kit.act
    old, mid, tan, _ = lines
    dgap, rounds, fault = spare.dgap, spare.rounds, spare.fault
    t, h = state.clock[0].t, work.tally[STEP_DONE]
    trust = 1.0 if h <= 5.0 * state.clock[0].last else 0.0
    count = len(P.energy0)
    last = STAGE + COARSE
    again, rates = work.stage[last], work.stage[STAGE + COARSE_RATES]
    clear_line(old, count)
    sized = work.tally[STRIKES] != 0.0
    for k in range(count):
        sized = sized or old.dt[k] != 0.0
    take_contacts(model, state.memory, work)
    y, dy = state.y, state.dy
    flies = work.tally[HALVES] == 0.0 and in_flight(model, settings, work)
    if flies:
        again, rates = work.stage[Y_NEW], work.stage[DY_NEW]
    else:
        for c in range(len(model.contact)):
            work.touch[c].slack = 0.0
    if work.tally[HALVES] == 0.0:
        whole, ends = (t, h, trust), ((y, dy), (again, rates))
        done = glide_tangents(model, kit, whole, 1.0, (flies, sized), ends, state, settings, work, old, tan, rounds)
    else:
        middle, middle_rates = work.stage[STAGE + HALF], work.stage[STAGE + HALF_RATES]
        first, second = (t, 0.5 * h, trust), (t + 0.5 * h, 0.5 * h, 1.0)
        how, ends = (False, sized), ((y, dy), (middle, middle_rates))
        done = glide_tangents(model, kit, first, 0.5, how, ends, state, settings, work, old, mid, rounds)
        if done:
            ends = ((middle, middle_rates), (again, rates))
            done = glide_tangents(model, kit, second, 0.5, how, ends, state, settings, work, mid, tan, rounds)
    off = 0.0
    for m in range(13 * (model.info[0].bodies - 1)):
        off = max(off, abs(again[m] - work.stage[Y_NEW, m]) / (1.0 + abs(work.stage[Y_NEW, m])))
    if not done:
        blame(fault, t, SINGULAR)
    elif not off < 1e-6:
        blame(fault, t, CROWDED)
    reason = changes_over(model, state, work, act)
    if reason != 0:
        blame(fault, t, reason)
    met = work.tally[STRIKES] != 0.0
    if met and not meet_wall(model, P, work.stage[Y_NEW], state, work, cw, (mid, tan), dgap):
        blame(fault, t + h, GRAZED)
        met = False
    if not met:  # its end stays where it is
        for k in range(count):
            add_step((mid, tan), k, -tan.dt[k])
    if work.tally[STRIKES] == 0.0:
        missed = narrow_escape(model, t, h, state, work, act)
        if missed >= 0.0:
            blame(fault, missed, GRAZED)


@jit
def first(model, kit, state, settings, work, lines, spare):
    """Tangents at the start."""
    state.clock[0].h = begin(model, state, work, settings)
    start(model, kit, state, work, lines[0])
    return CONTINUE


@jit
def step(model, kit, state, settings, work, lines, spare):
    """A step, with all tangents."""
    dgap, fault = spare.dgap, spare.fault
    impacts, forced = work.tally[IMPACTS] + work.tally[RESTS], work.tally[FORCED_RESTS]
    code = _take(model, state, work, settings)
    if code != CONTINUE:
        return code
    if work.tally[FORCED_RESTS] != forced:
        blame(fault, state.clock[0].t, CROWDED)
    if work.tally[IMPACTS] + work.tally[RESTS] != impacts:  # at the very start of the step
        for c in range(dgap.shape[0]):
            for k in range(dgap.shape[1]):
                dgap[c, k] = 0.0
        blame(fault, state.clock[0].t, PARTS)
    follow(model, kit, state, settings, work, lines, spare)
    return CONTINUE


@jit
def save(model, kit, t, state, settings, work, lines, scratch, spare, channels, out):
    """Channels, and derivatives of the wanted ones."""
    code = express(model, t, state, settings, work, channels)
    if code == CONTINUE:
        save_tangents(model, kit, t, state, work, lines, scratch, out)
    return code


@jit
def land_tangents(model, kit, state, settings, work, lines, spare):
    """Make the pending step the state, and take the tangents over what happens there."""
    old, tan, before = lines[0], lines[2], spare.before
    commit(model, state, work, settings)
    copy_tangents(tan, old)
    for m in range(len(before)):
        before[m] = state.y[7 * (model.info[0].bodies - 1) + m]
    impacts, met = work.tally[IMPACTS], work.tally[STRIKES]
    code = land(model, state, work, settings)
    if code != CONTINUE:
        return code
    if met != 0.0:
        strike_all(model, kit, impacts, state, work, old, spare)
    if state.clock[0].step % OFTEN == 0 or met != 0.0:
        close_tangents(model, kit, state.clock[0].t, state.y, state.memory, work, old)
    return CONTINUE


run = named(along(first, step, interpolate, save, land_tangents), Moreau)
