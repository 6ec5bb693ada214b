"""Runs backwards, chunk by chunk: what adjoint derivatives through contacts share, whatever the method.

Only the states before the steps of one chunk are kept, taken again from a checkpoint; each step is then taken once more
as it was, and undone by the kernel ``step_back`` of its method (tangent/moreau_adjoint.py,
tangent/optimal_step_adjoint.py).
"""

from __future__ import annotations

from ..arrays import DRIFT, EVENT_COUNT, PENDING, STEP_DONE, STRIKES
from ..codes import Code
from ..methods.stepping import commit
from ..numerics.jit import jit, link
from .loop import checked

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


def sweeping(step_back):
    """Build the kernel that undoes the steps of a chunk.

    ``step_back(model, kits, shifts, states, settings, work, record, bars, rooms)`` takes the bars of all
    objectives over one step, the state before it being in states[0], and returns False where that fails.
    kits = (all parameters, one that changes nothing); shifts = (the run ends in this step, the instant of its
    start moves); states = (this one, room for another); record = (times, columns, weights, first instant, end of their
    range); bars and rooms are the method's own.
    """

    @link
    def sweep(model, kits, steps, final, lines, marks, states, settings_array, work, record, bars, rooms):
        """Backwards over the steps of a trace; returns the step that failed, or -1.

        ``final``: the run ends in its last; record = (times, columns, weights (objectives, times, columns)).
        """
        times, columns, weights = record
        for back in range(steps):
            n = steps - 1 - back
            bring_back(n, lines, states[0], work)
            shifts = (final and back == 0, n == 0 or marks[n, WALL] != 0)
            data = (times, columns, weights, marks[n, NEXT], marks[n + 1, NEXT])
            if not step_back(model, kits, shifts, states, settings_array[0], work, data, bars, rooms):
                return n
        return -1

    return sweep
