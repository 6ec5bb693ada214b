"""Adjoint of a step of Moreau: what tangents went through (tangent/nonsmooth.py), undone in reverse order.

Closing, impact, saved states, the size of the step, its glides. The derivative with respect to the size of a step
counts where the step ends at a wall, or where the one before it did: between two steps on the grid the instant does not
move.
"""

from __future__ import annotations

from ..arrays import DY_NEW, HALVES, IMPACTS, STAGE, STEP_DONE, STRIKES, Y_NEW
from ..codes import Code
from ..methods.extrapolate import COARSE, COARSE_RATES, HALF, HALF_RATES
from ..methods.moreau import advance, begin, land
from ..methods.moreau_midpoint import glide, take_contacts
from ..methods.stepping import commit
from ..numerics.jit import jit
from .backwards import copy_state, sweeping, tracing
from .closing_adjoint import unshut
from .contact_closing import look_before, take_glide
from .impact_adjoint import stay_on_grid, unclose_all, unmeet, unstrike
from .landing import mark_rest
from .midpoint_adjoint import unglide
from .midpoint_tangent import carry, glide_again
from .nonsmooth import OFTEN
from .saves_adjoint import add_bars, at_fixed_time, clear_bars, start_at_fixed_time, unsave

CONTINUE = int(Code.CONTINUE)


@jit
def carry_size(model, bare, spans, start, settings, work, ends, sizes):
    """Derivatives of the end of the step with respect to its size, into sizes[2]; the last glide stays linearised.

    spans = (whole) or (first half, second half), by ``ends``; sizes = tangents of one line: zeros, middle, end.
    """
    nought, mid, new = sizes
    whole, first, second, halves = spans
    again, middle = ends
    if not halves:
        if not glide_again(model, bare, whole, (start.y, start.dy), again, start.memory, settings, work):
            return False
        carry(model, bare, 0, whole, 1.0, start.y, start.dy, again[0], start.memory, work, nought, new)
        return True
    if not glide_again(model, bare, first, (start.y, start.dy), middle, start.memory, settings, work):
        return False
    carry(model, bare, 0, first, 0.5, start.y, start.dy, middle[0], start.memory, work, nought, mid)
    if not glide_again(model, bare, second, middle, again, start.memory, settings, work):
        return False
    carry(model, bare, 0, second, 0.5, middle[0], middle[1], again[0], start.memory, work, mid, new)
    return True


@jit
def begin_again(model, start, work):
    """Contacts as they are at the start of the step."""
    for c in range(len(model.contact)):
        work.touch[c].slack = 0.0
    take_contacts(model, start.memory, work)


@jit
def undo(model, kit, span, begins, ends, start, settings, work, bar, rooms, gradient):
    """Bars of all objectives over one glide, backwards: first over the correction at its end; False: singular."""
    t, h, _ = span
    rounds, room, answers = rooms
    for c in range(len(model.contact)):
        rounds.touch[c] = work.touch[c]
    if not glide_again(model, kit, span, begins, ends, start.memory, settings, work):
        return False
    if take_glide(model, h, ends[0], work, rounds):
        soft = look_before(model, t + h, start, work, rounds)
        unshut(model, kit, t + h, soft, False, start, work, bar, bar, rounds, room, gradient)
        for c in range(len(model.contact)):
            work.touch[c] = rounds.touch[c]
        if not glide_again(model, kit, span, begins, ends, start.memory, settings, work):
            return False
    unglide(model, kit, span, begins[0], ends[0], start.memory, work, bar, answers, gradient)
    return True


@jit
def unstep(model, kits, shifts, start, settings, work, bar, saves, sizes, rooms, gradient):
    """Bars at the start of a step from those at its end, before any impact; False where a matrix is singular.

    kits = (all parameters, none); shifts = (it ends at a wall, the instant of its start moves).
    """
    kit, bare = kits
    met, moving = shifts
    t, h, halves = start.clock[0].t, work.tally[STEP_DONE], work.tally[HALVES] != 0.0
    trust = 1.0 if h <= 5.0 * start.clock[0].last else 0.0
    whole, first, second = (t, h, trust), (t, 0.5 * h, trust), (t + 0.5 * h, 0.5 * h, 1.0)
    again = (work.stage[STAGE + COARSE], work.stage[STAGE + COARSE_RATES])
    middle = (work.stage[STAGE + HALF], work.stage[STAGE + HALF_RATES])
    memory = start.memory
    begin_again(model, start, work)
    if met or moving:
        if not carry_size(model, bare, (whole, first, second, halves), start, settings, work, (again, middle), sizes):
            return False
        if not met or not unmeet(model, kit, t + h, work.stage[Y_NEW], memory, work, bar, sizes[2], gradient):
            stay_on_grid(bar, sizes[2])
        begin_again(model, start, work)
    else:
        for o in range(len(bar.dt)):
            bar.dt[o] = 0.0
    begins = (start.y, start.dy)
    if not halves:
        return undo(model, kit, whole, begins, again, start, settings, work, bar, rooms, gradient)
    if glide(model, first, (start.y, start.dy, middle[0], middle[1]), memory, settings, work) != CONTINUE:
        return False
    if not undo(model, kit, second, middle, again, start, settings, work, bar, rooms, gradient):
        return False
    add_bars(saves.mid, bar)
    begin_again(model, start, work)
    return undo(model, kit, first, begins, middle, start, settings, work, bar, rooms, gradient)


@jit
def unland(model, kit, met, state, settings, work, before, bar, rows, rooms, gradient):
    """Commit the pending step and let it land; then undo, for the bars, the closing and the impact there."""
    shift = 7 * (model.info[0].bodies - 1)
    commit(model, state, work, settings)
    impacts, jump = work.tally[IMPACTS], 0.0
    for m in range(len(before)):
        before[m] = state.y[shift + m]
    if land(model, state, work, settings) != CONTINUE:
        return False
    t, y = state.clock[0].t, state.y
    if state.clock[0].step % OFTEN == 0 or met:
        unclose_all(model, kit, t, y, state.memory, work, bar, rows, gradient)
    for m in range(len(before)):
        jump = max(jump, abs(y[shift + m] - before[m]))
    if not met or jump == 0.0:
        return True
    rebounds = work.tally[IMPACTS] != impacts
    if not rebounds:
        mark_rest(model, y, state.memory, work)
    return unstrike(model, kit, rebounds, t, before, y, state.memory, work, bar, rooms, gradient)


@jit
def collect(model, kits, state, settings, work, record, saves, gradient):
    """Bars that the instants saved in the pending step leave at its start, its middle and its end.

    record = (times, columns, weights, first instant, end of their range).
    """
    times, columns, weights, first, end = record
    clear_bars(saves.old)
    clear_bars(saves.mid)
    clear_bars(saves.new)
    for n in range(first, end):
        unsave(model, kits, times[n], state, settings, work, (columns, weights[:, n]), saves, gradient)
    middle, h = work.stage[STAGE + HALF], work.tally[STEP_DONE]
    if work.tally[HALVES] != 0.0:
        start_at_fixed_time(model, 0.5 * h, state.y, middle, saves.old)
    else:
        start_at_fixed_time(model, h, state.y, work.stage[Y_NEW], saves.old)
    at_fixed_time(model, middle, work.stage[STAGE + HALF_RATES], saves.mid)
    at_fixed_time(model, work.stage[Y_NEW], work.stage[DY_NEW], saves.new)


@jit
def step_back(model, kits, shifts, states, settings, work, record, bars, rooms, gradient):
    """Bars of all objectives over one step backwards (tangent/backwards.py).

    bars = (at present, saved ones, those of the size of a step); rooms = (velocities before, closed rows,
    (Rounds, Unshut, solutions)).
    """
    kit, bare, still = kits
    final, moving = shifts
    state, start = states
    bar, saves, sizes = bars
    before, rows, glides = rooms
    if advance(model, state, work, settings) != CONTINUE:
        return False
    met = work.tally[STRIKES] != 0.0
    copy_state(state, start)
    collect(model, (kit, still), state, settings, work, record, saves, gradient)
    if not final and not unland(model, kit, met, state, settings, work, before, bar, rows, glides[2], gradient):
        return False
    add_bars(saves.new, bar)
    if not unstep(model, (kit, bare), (met, moving), start, settings, work, bar, saves, sizes, glides, gradient):
        return False
    add_bars(saves.old, bar)
    return True


_trace, _sweep = tracing(begin, advance, land), sweeping(step_back)


@jit
def trace(model, state, work, settings_array, times, steps, lines, marks):
    """Steps of a chunk (tangent/backwards.py)."""
    return _trace(model, state, work, settings_array, times, steps, lines, marks)


@jit
def sweep(model, kits, steps, final, lines, marks, states, settings_array, work, record, bars, rooms, gradient):
    """And backwards over them."""
    return _sweep(model, kits, steps, final, lines, marks, states, settings_array, work, record, bars, rooms, gradient)
