"""Runs backwards, chunk by chunk: what adjoint derivatives through contacts share, whatever the method.

Only the states before the steps of one chunk are kept, taken again from a checkpoint; each step is then taken once more
as it was, and undone by the kernels of its method (tangent/moreau_adjoint.py, tangent/optimal_step_adjoint.py).
"""

from __future__ import annotations

from ..arrays import DRIFT, EVENT_COUNT, PENDING, STEP_DONE, STRIKES
from ..codes import Code
from ..methods.stepping import commit
from ..numerics.jit import jit, link
from .loop import checked
from .saves_adjoint import add_bars

CONTINUE = int(Code.CONTINUE)
NEXT, WALL = 0, 1  # columns of the marks of a trace: first instant not saved before a step; 1 if a wall was met there


@jit
def copy_state(a, b):
    """State b = a."""
    b.clock[0] = a.clock[0]
    for m in range(len(a.y)):
        b.y[m], b.dy[m] = a.y[m], a.dy[m]
    for m in range(len(a.memory)):
        b.memory[m] = a.memory[m]


@jit
def keep(n, state, work, lines):
    """Line n of a trace: the state before step n, and what the method knows of its drift."""
    clocks, y, dy, memory, drift = lines
    clocks[n] = state.clock[0]
    drift[n] = work.tally[DRIFT]
    for m in range(len(state.y)):
        y[n, m], dy[n, m] = state.y[m], state.dy[m]
    for m in range(len(state.memory)):
        memory[n, m] = state.memory[m]


@jit
def bring_back(n, lines, state, work):
    """The state before step n; gaps are to be looked at again."""
    clocks, y, dy, memory, drift = lines
    state.clock[0] = clocks[n]
    work.tally[DRIFT] = drift[n]
    work.tally[PENDING], work.tally[EVENT_COUNT] = 0.0, 0.0
    for m in range(len(state.y)):
        state.y[m], state.dy[m] = y[n, m], dy[n, m]
    for m in range(len(state.memory)):
        state.memory[m] = memory[n, m]
    for c in range(len(work.touch)):
        work.touch[c].slack = 0.0


def tracing(begin, advance, land):
    """Build the kernel that takes the steps of a chunk, from the kernels of a method (methods/stepping.py)."""
    take = checked(advance)

    @link
    def trace(model, state, work, settings_array, times, steps, lines, marks):
        """Take steps and keep the states before them; marks[0] is given, marks[n + 1] found."""
        settings, tally, clock = settings_array[0], work.tally, state.clock[0]
        if clock.h == 0.0:
            clock.h = begin(model, state, work, settings)
        for n in range(steps):
            keep(n, state, work, lines)
            for c in range(len(work.touch)):
                work.touch[c].slack = 0.0
            tally[EVENT_COUNT] = 0.0
            code = take(model, state, work, settings)
            if code != CONTINUE:
                return code
            after = marks[n, NEXT]
            while after < len(times) and (times[after] - clock.t) / tally[STEP_DONE] <= 1.0 + 1e-12:
                after += 1
            marks[n + 1, NEXT], marks[n + 1, WALL] = after, 1 if tally[STRIKES] != 0.0 else 0
            if n + 1 < steps:
                commit(model, state, work, settings)
                code = land(model, state, work, settings)
                if code != CONTINUE:
                    return code
        return CONTINUE

    return trace


def sweeping(advance, collect, unland, unstep):
    """Build the kernel that undoes the steps of a chunk, from the kernel that takes a step and three of its method.

    ``collect(model, kits, state, settings, work, record, saves, spare)`` leaves bars of the instants saved in the
    pending step in saves.old, mid and new; ``unland(model, kit, state, settings, work, bars, spare)`` makes that step
    the state and undoes what happens there; ``unstep(model, kit, shifts, start, settings, work, bars, spare)`` takes
    the bars to its start. The last two return False where that fails. kits = (all parameters, one that changes
    nothing); bars = (at present, saved ones, those at the start); record = (times, columns, weights, first instant,
    end of their range); shifts = (the step ends at a wall, the instant of its start moves).
    """

    @link
    def sweep(model, kits, steps, final, lines, marks, states, settings_array, work, record, bars, spare):
        """Backwards over the steps of a trace; returns the step that failed, or -1.

        ``final``: the run ends in its last; states = (this one, room for the one before its step); record = (times,
        columns, weights (objectives, times, columns)).
        """
        (times, columns, weights), (state, start), (bar, saves, _) = record, states, bars
        kit, settings = kits[0], settings_array[0]
        for back in range(steps):
            n = steps - 1 - back
            bring_back(n, lines, state, work)
            if advance(model, state, work, settings) != CONTINUE:
                return n
            shifts = (work.tally[STRIKES] != 0.0, n == 0 or marks[n, WALL] != 0)
            copy_state(state, start)
            data = (times, columns, weights, marks[n, NEXT], marks[n + 1, NEXT])
            collect(model, kits, state, settings, work, data, saves, spare)
            ends = final and back == 0
            if not ends and not unland(model, kit, state, settings, work, bars, spare):
                return n
            add_bars(saves.new, bar)
            if not unstep(model, kit, shifts, start, settings, work, bars, spare):
                return n
            add_bars(saves.old, bar)
        return -1

    return sweep
