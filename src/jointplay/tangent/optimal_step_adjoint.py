"""Adjoint of a step of OptimalStep: what tangents went through (tangent/optimal.py), undone in reverse order.

Velocities that a drive changes at once, saved states, the correction at the end (tangent/contact_closing.py), the
rounds (tangent/rounds.py), each listed again and followed from its end (tangent/program.py). A round is undone where it
has just been solved; those before it are taken again for that, which are one or two in most steps.
"""

from __future__ import annotations

from ..arrays import STEP_DONE, Y_NEW, Y_OUT
from ..codes import Code
from ..methods.moreau_output import express
from ..methods.optimal_step import ROUNDS, OptimalStep, advance, begin, interpolate, land
from ..methods.stepping import commit
from ..numerics.jit import jit
from ..numerics.vec import copy
from .backwards import sweeping, tracing
from .contact_closing import shut, take_saved
from .impact import list_strike
from .loop import named
from .optimal import go_on, jumps, note_end, solve_round, start_again
from .program import carry_back
from .rounds import round_again
from .saves_adjoint import add_bars, clear_bars, make_unit, to_end, weigh_channels
from .seeds import is_weighed

CONTINUE = int(Code.CONTINUE)


@jit
def unsave(model, kits, t, state, settings, work, record, saves, rounds):
    """Bars at the ends of the pending step, from the weights of one saved instant on the straight line between them."""
    columns, weight = record
    if not is_weighed(weight):
        return
    x, base, closed = (t - state.clock[0].t) / work.tally[STEP_DONE], saves.base[0], saves.base[1]
    clear_bars(saves.here)
    interpolate(model, state, work, x)
    copy(work.stage[Y_OUT], base)
    make_unit(model.info[0].bodies, saves)
    express(model, t, state, settings, work, saves.channels)
    copy(base, closed)
    for m in range(7 * (model.info[0].bodies - 1)):
        closed[m] = work.stage[Y_OUT, m]
    weigh_channels(model, kits, t, closed, state, work, record, saves)
    copy(base, rounds.new)
    copy(closed, work.stage[Y_OUT])
    take_saved(model, t, settings.tolerance, state, work, rounds)
    shut(model, kits[0], t, 0, False, 0, state, work, saves.old, saves.here, rounds)
    to_end(model, state.y, (1.0 - x, 0.0, 1.0 - x), base, saves.size, saves.here, saves.old)
    to_end(model, work.stage[Y_NEW], (x, 0.0, x), base, saves.size, saves.here, saves.new)


@jit
def collect(model, kits, state, settings, work, record, saves, spare):
    """Bars that the instants saved in the pending step leave at its ends."""
    times, columns, weights, first, end = record
    note_end(model, work, spare.rounds)
    clear_bars(saves.old)
    clear_bars(saves.new)
    for n in range(first, end):
        unsave(model, kits, times[n], state, settings, work, (columns, weights[:, n]), saves, spare.saved)


@jit
def unjump(model, kit, state, settings, work, bars, spare):
    """Commit the pending step, and undo what a drive has changed at once at its end; False: singular."""
    before, (bar, saves, _) = spare.before, bars
    commit(model, state, work, settings)
    if not jumps(model, state, work, before):
        return True
    if not list_strike(model, kit, False, state.clock[0].t, before, state.y, state.memory, work):
        return False
    carry_back(model, kit, 0.0, work, saves.here, bar)
    return True


@jit
def unstep(model, kit, shifts, start, settings, work, bars, spare):
    """Bars at the start of a step from those at its end; False where a matrix is singular."""
    (bar, _, old), rounds, h, last = bars, spare.rounds, work.tally[STEP_DONE], 0
    clear_bars(old)
    soft = start_again(model, h, start, work, kit.half, rounds)
    for n in range(ROUNDS):
        last = n
        if not solve_round(model, h, n == 0, soft, start, work, rounds):
            return False
        if not go_on(model, h, start, settings, work, rounds):
            break
    shut(model, kit, start.clock[0].t + h, soft, True, 0, start, work, old, bar, rounds)
    for back in range(last + 1):
        this = last - back
        soft = start_again(model, h, start, work, kit.half, rounds)
        for n in range(this):
            solve_round(model, h, n == 0, soft, start, work, rounds)
            go_on(model, h, start, settings, work, rounds)
        solve_round(model, h, this == 0, soft, start, work, rounds)
        if not round_again(model, kit, h, this == 0, soft, start, work, rounds):
            return False
        carry_back(model, kit, 0.0, work, old, bar)
    add_bars(old, bar)
    return True


trace = named(tracing(begin, advance, land), OptimalStep)
sweep = named(sweeping(advance, collect, unjump, unstep), OptimalStep)
