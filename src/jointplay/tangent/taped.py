"""Runs with derivatives of any method whose steps are recorded (methods/tape.py): direct, adjoint, complex.

The kernels are made of those of the method, once for each.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ..arrays import CAP, DY_NEW, DY_OUT, EVENT_COUNT, PENDING, STEP_DONE, STEP_END, STEP_NEXT, Y_NEW, Y_OUT
from ..assemble.dynamics import derivative
from ..assemble.projection import correct
from ..codes import Code
from ..methods.base import Method
from ..methods.stepping import break_at, commit, finite, meeting, nothing, right_of, save_state, update_pads, waiting
from ..methods.tape import END, END_RATES, START, START_RATES, Recorder
from ..numerics.jit import jit, link
from ..numerics.vec import copy
from .between import keep_past, list_between
from .loop import named
from .params import STEP
from .products import zero
from .saved import save_changes, seed_saved
from .saving import beyond_state, save_tangent
from .stages import backwards, forwards

CONTINUE, NOT_FINITE, SINGULAR = int(Code.CONTINUE), int(Code.NOT_FINITE), int(Code.STEP_UNDERFLOW)


class Kernels(NamedTuple):
    """What Python calls for one method."""

    direct: Any
    trace: Any
    sweep: Any
    imaginary: Any


@jit
def move_slot(slots, a, b):
    """Slot b = slot a."""
    for m in range(slots.shape[1]):
        for k in range(slots.shape[2]):
            slots[b, m, k] = slots[a, m, k]


def taking(recorder: Recorder):
    """Build the kernel that takes one step as the run of a method does (methods/stepping.py)."""
    advance = recorder.advance
    meet = meeting(advance, recorder.interpolate) if recorder.locates else nothing

    @link
    def take(model, state, work, settings):
        work.tally[EVENT_COUNT] = 0.0
        code = advance(model, state, work, settings)
        if code == CONTINUE and settings.threshold > 0.0 and len(model.pad) > 0:
            code = meet(model, state, work, settings)
        if code == CONTINUE and not (finite(work.stage[Y_NEW]) and finite(work.stage[DY_NEW])):
            work.tally[PENDING] = 0
            code = NOT_FINITE
        return code

    return take


def beginning(recorder: Recorder):
    """Build the kernel that prepares the first step."""
    begin = recorder.begin

    @link
    def prepare(model, state, work, settings):
        work.tally[CAP] = np.inf
        if state.clock[0].h == 0.0:
            if waiting(model, state.memory, settings.threshold):
                update_pads(model, state, work, settings)
            state.clock[0].h = begin(model, state, work, settings)

    return prepare


def direct_of(recorder: Recorder):
    """Build the run with changes of all parameters beside it."""
    take, prepare = taking(recorder), beginning(recorder)
    record_step, express, interpolate = recorder.record, recorder.express, recorder.interpolate

    @link
    def direct(model, state, work, record, settings_array, parts, tape, slots, past, scratch, out, fault):
        """Like the run kernel of a method; ``out`` (parameters, times, wanted channels) goes with ``record``."""
        settings, clock, tally = settings_array[0], state.clock[0], work.tally
        prepare(model, state, work, settings)
        budget = settings.budget
        while record.next[0] < len(record.times):
            if tally[PENDING] == 0.0:
                if budget == 0:
                    return CONTINUE
                budget -= 1
                code = take(model, state, work, settings)
                if code != CONTINUE:
                    return code
                list_between(model, parts, state, settings, past, tape, fault)
                parts.room.at[0] = 0
                whole = forwards(model, parts, state.memory, tape, 0, work, slots)
                if (record.times[record.next[0]] - clock.t) / tally[STEP_DONE] <= 1.0 + 1e-12:
                    interpolate(model, state, work, 0.5)  # finds what only saved states need
                tape.count[0], parts.room.at[0] = 0, 0
                record_step(model, state, work, settings, tape)
                if not (whole and forwards(model, parts, state.memory, tape, 0, work, slots)):
                    return SINGULAR
            done = tape.count[0]
            while record.next[0] < len(record.times):
                n = record.next[0]
                t = record.times[n]
                x = (t - clock.t) / tally[STEP_DONE]
                if x > 1.0 + 1e-12:
                    break
                express(model, t, x, state, settings, work, tape)
                copy(work.stage[Y_OUT], scratch.y)
                parts.room.at[0] = 0
                if not forwards(model, parts, state.memory, tape, done, work, slots):
                    return SINGULAR
                tape.count[0] = done
                copy(scratch.y, work.stage[Y_OUT])
                code = save_state(model, t, state, settings, work, record.channels[n])
                if code != CONTINUE:
                    return code
                save_changes(model, parts, t, state, work, tape.mix, slots, scratch, out[:, n], fault)
                record.next[0] += 1
            if record.next[0] < len(record.times):
                keep_past(model, state, tally[STEP_END], work.stage[Y_NEW], work.stage[DY_NEW], past)
                commit(model, state, work, settings)
                move_slot(slots, END, START)
                move_slot(slots, END_RATES, START_RATES)
        return CONTINUE

    return direct


class Lines(NamedTuple):
    """Steps of a chunk: the states from which they were taken, and the one that follows."""

    clock: np.ndarray  # (steps + 1,)
    y: np.ndarray  # (steps + 1, len(y))
    dy: np.ndarray
    memory: np.ndarray
    h: np.ndarray  # (steps + 1,) s, size
    end: np.ndarray  # (steps + 1,) s
    first: np.ndarray  # (steps + 1,) first instant that is not saved before it


@jit
def keep_line(n, state, work, lines):
    """Line n: the state of the pending step."""
    lines.clock[n] = state.clock[0]
    copy(state.y, lines.y[n])
    copy(state.dy, lines.dy[n])
    copy(state.memory, lines.memory[n])
    lines.h[n], lines.end[n] = work.tally[STEP_DONE], work.tally[STEP_END]


@jit
def take_line(n, lines, state):
    """The state of line n."""
    state.clock[0] = lines.clock[n]
    copy(lines.y[n], state.y)
    copy(lines.dy[n], state.dy)
    copy(lines.memory[n], state.memory)


def trace_of(recorder: Recorder):
    """Build the kernel that takes the steps of a chunk again."""
    take, prepare = taking(recorder), beginning(recorder)

    @link
    def trace(model, state, work, settings_array, times, steps, lines):
        settings, clock = settings_array[0], state.clock[0]
        work.tally[PENDING] = 0
        prepare(model, state, work, settings)
        for n in range(steps):
            code = take(model, state, work, settings)
            if code != CONTINUE:
                return code
            keep_line(n, state, work, lines)
            after = lines.first[n]
            while after < len(times) and (times[after] - clock.t) / work.tally[STEP_DONE] <= 1.0 + 1e-12:
                after += 1
            lines.first[n + 1] = after
            if n + 1 < steps:
                commit(model, state, work, settings)
        return CONTINUE

    return trace


def sweep_of(recorder: Recorder):
    """Build the kernel that goes back over the steps of a chunk."""
    advance, interpolate = recorder.advance, recorder.interpolate
    record_step, express = recorder.record, recorder.express

    @link
    def sweep(model, states, work, settings_array, lines, span, given, parts, tape, slots, rooms, gradient, fault):
        """Backwards over ``span`` = (steps, 1 if a step follows, 1 if the run starts here).

        given = (times, columns, weights (objectives, times, columns)); states = (this one, room for the next);
        rooms = (past, bars, scratch).
        """
        settings, (state, other), tally = settings_array[0], states, work.tally
        (steps, follows, starts), (past, bars, scratch) = span, rooms
        times, columns, weights = given
        for back in range(steps):
            n = steps - 1 - back
            take_line(n, lines, state)
            state.clock[0].h, tally[CAP], tally[PENDING] = lines.h[n], lines.end[n], 0
            code = advance(model, state, work, settings)
            tally[CAP] = np.inf
            if code != CONTINUE:
                return code
            if n + 1 < steps or follows != 0:
                keep_past(model, state, lines.end[n], work.stage[Y_NEW], work.stage[DY_NEW], past)
                take_line(n + 1, lines, other)
                list_between(model, parts, other, settings, past, tape, fault)
                parts.room.at[0] = 0
                if not backwards(model, parts, other.memory, tape, 0, work, slots, bars, gradient):
                    return SINGULAR
                move_slot(slots, START, END)
                move_slot(slots, START_RATES, END_RATES)
            zero(slots[START])
            zero(slots[START_RATES])
            if lines.first[n + 1] > lines.first[n]:
                interpolate(model, state, work, 0.5)
            tape.count[0] = 0
            record_step(model, state, work, settings, tape)
            done = tape.count[0]
            for m in range(lines.first[n + 1] - lines.first[n]):
                i = lines.first[n + 1] - 1 - m
                x = (times[i] - state.clock[0].t) / tally[STEP_DONE]
                express(model, times[i], x, state, settings, work, tape)
                wanted = (columns, weights[:, i])
                seed_saved(model, parts, times[i], state, work, x, wanted, tape.mix, slots, scratch, gradient)
                parts.room.at[0] = 0
                if not backwards(model, parts, state.memory, tape, done, work, slots, bars, gradient):
                    return SINGULAR
                tape.count[0] = done
            parts.room.at[0] = 0
            if not backwards(model, parts, state.memory, tape, 0, work, slots, bars, gradient):
                return SINGULAR
        if starts != 0:
            past.flag[0] = 0
            take_line(0, lines, state)
            list_between(model, parts, state, settings, past, tape, fault)
            parts.room.at[0] = 0
            if not backwards(model, parts, state.memory, tape, 0, work, slots, bars, gradient):
                return SINGULAR
        return CONTINUE

    return sweep


def complex_of(recorder: Recorder):
    """Build the run on complex numbers, whose imaginary parts are derivatives (paper E eq. 19)."""
    begin, advance, interpolate = recorder.begin, recorder.advance, recorder.interpolate

    @link
    def imaginary(model, state, work, record, settings_array, energy0, scratch, out):
        """Like the run kernel, with the wanted channels; scratch = (a line, wanted channels, how breaks move)."""
        settings, clock, tally = settings_array[0], state.clock[0], work.tally
        line, columns, shifts = scratch
        new, saved = work.stage[Y_NEW], work.stage[Y_OUT]
        whole = beyond_state(model, columns)
        tally[CAP] = np.inf
        if clock.h == 0.0:
            correct(model, clock.t, state.y, state.memory, work)
            derivative(model, clock.t, state.y, state.memory, work, state.dy)
            clock.h = begin(model, state, work, settings)
        budget = settings.budget
        while record.next[0] < len(record.times):
            if tally[PENDING] == 0.0:
                if budget == 0:
                    return CONTINUE
                budget -= 1
                code = advance(model, state, work, settings)
                if code == CONTINUE and not (finite(new) and finite(work.stage[DY_NEW])):
                    code = NOT_FINITE
                if code != CONTINUE:
                    return code
                # the imaginary part drifts even where the real one does not
                correct(model, tally[STEP_END], new, state.memory, work)
            while record.next[0] < len(record.times):
                n = record.next[0]
                x = (record.times[n] - clock.t) / tally[STEP_DONE]
                if x > 1.0 + 1e-12:
                    break
                interpolate(model, state, work, x)
                save_tangent(
                    model, record.times[n], saved, state.memory, energy0, whole, work, work.stage[DY_OUT], line
                )
                for c in range(len(columns)):
                    record.channels[n, c] = line[columns[c]].real
                    out[n, c] = line[columns[c]].imag / STEP
                record.next[0] += 1
            at_break = break_at(model.breaks, clock.t, tally[STEP_END])
            clock.step += 1
            clock.t, clock.h = tally[STEP_END], tally[STEP_NEXT]
            tally[PENDING] = 0
            copy(new, state.y)
            copy(work.stage[DY_NEW], state.dy)
            if at_break >= 0:
                derivative(model, right_of(clock.t), state.y, state.memory, work, state.dy)
                shift = complex(0.0, STEP * shifts[at_break]) if settings.step == 0.0 else complex(0.0, 0.0)
                for m in range(len(new)):
                    state.y[m] += (work.stage[DY_NEW][m] - state.dy[m]).real * shift
                derivative(model, right_of(clock.t), state.y, state.memory, work, state.dy)
        return CONTINUE

    return imaginary


@cache
def kernels_of(method: type[Method]) -> Kernels:
    """All kernels of a method that records its steps."""
    recorder = method.recorder
    assert recorder is not None
    return Kernels(*(named(build(recorder), method) for build in (direct_of, trace_of, sweep_of, complex_of)))
