"""Adjoint of a step of Moreau: what tangents went through (tangent/nonsmooth.py), undone in reverse order.

Closing, impact, saved states, the size of the step, its glides; each is listed again and followed from its end
(tangent/program.py). The derivative with respect to the size of a step counts where the step ends at a wall, or where
the one before it did: between two steps on the grid the instant does not move. What the size keeps zero, the gap of the
wall or the shift dt of the end, goes back as one more objective, the last one of the bars:

    size bar h = (bars after) . x_h,     c = (gap after) . x_h,      bars before -= (h/c) (bars of the gap before)
"""

from __future__ import annotations

from ..arrays import DY_NEW, HALVES, IMPACTS, STAGE, STEP_DONE, STRIKES, Y_NEW
from ..codes import Code
from ..methods.extrapolate import COARSE, COARSE_RATES, HALF, HALF_RATES
from ..methods.moreau import Moreau, advance, begin, land
from ..methods.moreau_midpoint import glide, take_contacts
from ..methods.stepping import commit
from ..numerics.jit import jit
from .backwards import sweeping, tracing
from .contact_closing import shut_glide, take_glide
from .impact import GRAZING, first_wall, list_closing, list_strike, own_gap
from .landing import mark_rest
from .loop import named
from .midpoint import glide_again, in_flight
from .nonsmooth import OFTEN
from .program import carry_back
from .saves import mean_rates
from .saves_adjoint import add_bars, at_fixed_time, clear_bars, unsave
from .tangent_state import add_scaled, clear_line

CONTINUE = int(Code.CONTINUE)


@jit
def begin_again(model, start, work):
    """Contacts as they are at the start of the step."""
    for c in range(len(model.contact)):
        work.touch[c].slack = 0.0
    take_contacts(model, start.memory, work)


@jit
def undo(model, kit, span, part, how, begins, ends, start, settings, work, bar, spare, rounds):
    """Bars over one glide, backwards: first over the correction at its end; False: singular."""
    for c in range(len(model.contact)):
        rounds.touch[1, c] = work.touch[c]
    if not glide_again(model, kit, span, how, begins, ends, start.memory, settings, work):
        return False
    if not how[0] and take_glide(model, span[1], ends[0], work, rounds):
        shut_glide(model, kit, span, 0, ends[0], start, work, bar, spare, rounds)
        for c in range(len(model.contact)):
            work.touch[c] = rounds.touch[1, c]
        if not glide_again(model, kit, span, how, begins, ends, start.memory, settings, work):
            return False
    carry_back(model, kit, part, work, spare, bar)
    return True


@jit
def begin_end(model, kit, met, new, memory, work, bar):
    """What the size of a step keeps zero, as one more objective: the gap of the wall that it meets, or else dt."""
    prog, last = kit.prog, len(bar.dt) - 1
    clear_line(bar, last)
    for k in range(prog.gradient.shape[1]):
        prog.gradient[last, k] = 0.0
    for o in range(len(prog.sizes)):
        prog.sizes[o] = 0.0
    c = first_wall(model, new, memory, work, kit.cw) if met else -1
    if c < 0:
        bar.dt[last] = 1.0
        return
    r = model.contact[c].row[0]
    for first, b in ((0, model.row[r].i), (6, model.row[r].j)):
        if b != 0:
            for m in range(6):
                bar.eta[last, 6 * (b - 1) + m] = model.contact[c].sign * work.row[r].w[first + m]
    for k in range(prog.gradient.shape[1]):
        prog.gradient[last, k] = own_gap(model, kit.P, k, c, memory, kit.cw)


@jit
def share_size(kit, bar):
    """The size of the step follows: bars less so much of those of what it keeps zero that none of it is left."""
    prog, last = kit.prog, len(bar.dt) - 1
    if not abs(prog.sizes[last]) > GRAZING:
        return
    for o in range(last):
        f = -prog.sizes[o] / prog.sizes[last]
        add_scaled(bar, last, f, o)
        for k in range(prog.gradient.shape[1]):
            prog.gradient[o, k] += f * prog.gradient[last, k]


@jit
def unstep(model, kit, shifts, start, settings, work, bars, spare):
    """Bars at the start of a step from those at its end, before any impact; False where a matrix is singular."""
    (bar, saves, _), rounds = bars, spare.rounds
    met, sized = shifts[0], shifts[0] or shifts[1]
    t, h, halves = start.clock[0].t, work.tally[STEP_DONE], work.tally[HALVES] != 0.0
    trust = 1.0 if h <= 5.0 * start.clock[0].last else 0.0
    whole, first, second = (t, h, trust), (t, 0.5 * h, trust), (t + 0.5 * h, 0.5 * h, 1.0)
    again = (work.stage[STAGE + COARSE], work.stage[STAGE + COARSE_RATES])
    middle = (work.stage[STAGE + HALF], work.stage[STAGE + HALF_RATES])
    begins, memory, here = (start.y, start.dy), start.memory, saves.here
    begin_end(model, kit, met, work.stage[Y_NEW], memory, work, bar)
    begin_again(model, start, work)
    if not halves:
        flies = in_flight(model, settings, work)
        if flies:
            again = (work.stage[Y_NEW], work.stage[DY_NEW])
        if not undo(model, kit, whole, 1.0, (flies, sized), begins, again, start, settings, work, bar, here, rounds):
            return False
    else:
        if glide(model, first, (start.y, start.dy, middle[0], middle[1]), memory, settings, work) != CONTINUE:
            return False
        if not undo(model, kit, second, 0.5, (False, sized), middle, again, start, settings, work, bar, here, rounds):
            return False
        add_bars(saves.mid, bar)
        begin_again(model, start, work)
        if not undo(model, kit, first, 0.5, (False, sized), begins, middle, start, settings, work, bar, here, rounds):
            return False
    if sized:
        share_size(kit, bar)
    else:
        for o in range(len(bar.dt)):
            bar.dt[o] = 0.0
    return True


@jit
def unland(model, kit, state, settings, work, bars, spare):
    """Commit the pending step and let it land; then undo, for the bars, the closing and the impact there."""
    before, (bar, saves, _), met = spare.before, bars, work.tally[STRIKES] != 0.0
    shift = 7 * (model.info[0].bodies - 1)
    commit(model, state, work, settings)
    impacts, jump = work.tally[IMPACTS], 0.0
    for m in range(len(before)):
        before[m] = state.y[shift + m]
    if land(model, state, work, settings) != CONTINUE:
        return False
    t, y = state.clock[0].t, state.y
    if (state.clock[0].step % OFTEN == 0 or met) and model.info[0].bilateral > 0:
        list_closing(model, kit, t, y, state.memory, work)
        carry_back(model, kit, 0.0, work, saves.here, bar)
    for m in range(len(before)):
        jump = max(jump, abs(y[shift + m] - before[m]))
    if not met or jump == 0.0:
        return True
    rebounds = work.tally[IMPACTS] != impacts
    if not rebounds:
        mark_rest(model, y, state.memory, work)
    if not list_strike(model, kit, rebounds, t, before, y, state.memory, work):
        return False
    carry_back(model, kit, 0.0, work, saves.here, bar)
    return True


@jit
def collect(model, kits, state, settings, work, record, saves, spare):
    """Bars that the instants saved in the pending step leave at its start, its middle and its end."""
    times, columns, weights, first, end = record
    clear_bars(saves.old)
    clear_bars(saves.mid)
    clear_bars(saves.new)
    for n in range(first, end):
        unsave(model, kits, times[n], state, settings, work, (columns, weights[:, n]), saves)
    middle, h, ahead = work.stage[STAGE + HALF], work.tally[STEP_DONE], work.stage[STAGE + COARSE_RATES]
    if work.tally[HALVES] != 0.0:
        mean_rates(0.5 * h, state.y, middle, ahead)
    else:
        mean_rates(h, state.y, work.stage[Y_NEW], ahead)
    at_fixed_time(model, state.y, ahead, saves.old)
    at_fixed_time(model, middle, work.stage[STAGE + HALF_RATES], saves.mid)
    at_fixed_time(model, work.stage[Y_NEW], work.stage[DY_NEW], saves.new)


trace, sweep = named(tracing(begin, advance, land), Moreau), named(sweeping(advance, collect, unland, unstep), Moreau)
