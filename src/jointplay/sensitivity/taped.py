"""Exact derivatives along runs of methods that record their steps (methods/tape.py): direct, adjoint, complex.

Adjoint ones go forwards with checkpoints, a plain run; then backwards, chunk by chunk, whose steps are taken again.
"""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import arrays
from ..arrays import Model, State, Work
from ..codes import Code
from ..compile.pack import Compiled
from ..compile.work import make_record, make_work
from ..errors import InputError, Problem
from ..methods.base import Method
from ..methods.tape import make_tape
from ..numerics.jit import readable
from ..results.layout import layout_of
from ..tangent.between import make_past
from ..tangent.params import STEP, Params, make_params, nothing
from ..tangent.room import make_bars, make_parts, make_slots
from ..tangent.saved import make_scratch
from ..tangent.saving import complex_model
from ..tangent.taped import Lines, kernels_of
from .answer import BUDGET, FAULTS, SINGULAR, Answer, Gradient, Tell, copied, ended, faults_of
from .integral_channels import follows

CHUNK = 256  # steps between two checkpoints
EXTRA = 6  # iterations of a complex step beyond convergence


def start_changes(compiled: Compiled, variations: list[Any], start: np.ndarray) -> None:
    """Changes of the state at the start; integrals and onset speeds begin with none."""
    size = len(compiled.state.y) - int(compiled.model.info[0]["integrals"])
    for k, one in enumerate(variations):
        start[:size, k] = one.y[:size]


class Run:
    """A model, its start, the method, and room for what its kernels need."""

    def __init__(self, compiled: Compiled, scheme: Method, columns: np.ndarray) -> None:
        assert scheme.recorder is not None
        self.compiled, self.scheme, self.recorder = compiled, scheme, scheme.recorder
        self.kernels = kernels_of(type(scheme))  # type: ignore[arg-type]
        self.model: Model = compiled.model._replace(info=compiled.model.info.copy())
        scheme.prepare(self.model)
        self.state = copied(compiled.state)
        self.settings = scheme.settings(float(self.model.info[0]["length"]))
        self.channels, self.columns = layout_of(compiled).channels, np.asarray(columns, dtype=np.int64)
        self.fault = np.zeros(2)

    def work(self, scalar: type = float) -> Work:
        """Scratch of the method; a matrix for the linearised stages goes with it."""
        return make_work(self.model, self.state, self.scheme.stages, scalar, implicit=True)

    def parts(self, P: Params, columns: int, past: bool = False) -> Any:
        """What the stages of a tape work with."""
        return make_parts(self.model, self.state, P, make_work(self.model, self.state, scalar=complex), columns, past)

    def scratch(self, objectives: int) -> Any:
        """Of saved states."""
        P = make_params(self.model, [nothing(self.model)])
        return make_scratch(self.model, self.state, self.channels, self.columns, objectives, P)


def direct(
    compiled: Compiled, variations: list[Any], scheme: Method, times: np.ndarray, columns: np.ndarray, tell: Tell
) -> Answer:
    """Changes of all parameters beside the run."""
    run, count = Run(compiled, scheme, columns), len(variations)
    model, state, work = run.model, run.state, run.work()
    parts = run.parts(make_params(run.model, variations), count, follows(compiled, columns))
    tape, slots = make_tape(run.recorder, state, len(model.pad)), make_slots(run.recorder, model, state, count)
    start_changes(compiled, variations, slots[0])
    record = make_record(times, np.zeros((len(times), run.channels)))
    out = np.zeros((count, len(times), len(columns)))
    past, scratch = make_past(state), run.scratch(1)
    code, began = Code.CONTINUE, clock.perf_counter()
    while record.next[0] < len(times) and code is Code.CONTINUE:
        run.settings[0]["budget"] = BUDGET
        given = model, state, work, record, run.settings, parts, tape, slots, past, scratch, out, run.fault
        code = Code(run.kernels.direct(*given))
        if tell is not None:
            tell(float(state.clock[0]["t"]), float(times[-1]), clock.perf_counter() - began)
    done = int(record.next[0])
    invalid = faults_of(run.fault, code, compiled, state, work)
    stats = {"steps": int(work.tally[arrays.STEPS]) + 1, "run_time": clock.perf_counter() - began}
    return Answer(record.channels[:done][:, run.columns], out[:, :done], invalid, stats)


def complex_step(
    compiled: Compiled, variations: list[Any], scheme: Method, times: np.ndarray, columns: np.ndarray, tell: Tell
) -> Answer:
    """One complex run per parameter."""
    if np.any(compiled.model.pad["anywhere"] == 0):
        message = "the speed at which a compliant contact begins is not followed on complex numbers"
        raise InputError(Problem("derivative", f"'complex-step' is not available here: {message}; 'direct' is"))
    run, began, reached = Run(compiled, scheme, columns), clock.perf_counter(), len(times)
    P, at, wanted = make_params(run.model, variations), compiled.state, run.columns
    out, values = np.zeros((len(variations), len(times), len(wanted))), np.zeros((len(times), len(wanted)))
    line, invalid = np.zeros(run.channels, dtype=complex), []
    run.settings[0]["extra"] = EXTRA if run.recorder.iterates else 0
    for k, one in enumerate(variations):
        y = at.y + 1j * STEP * one.y
        state = State(at.clock.copy(), y, np.zeros_like(y), at.memory.copy())
        work, cmodel, scratch = run.work(complex), complex_model(run.model, P, k), (line, wanted, P.shifts[k])
        record = make_record(times, np.zeros((len(times), len(wanted))))
        energy0 = complex(float(at.clock[0]["energy0"]), STEP * one.energy0)
        code = Code.CONTINUE
        while record.next[0] < len(times) and code is Code.CONTINUE:
            run.settings[0]["budget"] = BUDGET
            code = Code(run.kernels.imaginary(cmodel, state, work, record, run.settings, energy0, scratch, out[k]))
            if tell is not None:
                part = (k + float(state.clock[0]["t"]) / float(times[-1])) / len(variations)
                tell(part * float(times[-1]), float(times[-1]), clock.perf_counter() - began)
        values[:] = record.channels
        reached = min(reached, int(record.next[0]))
        if code is not Code.CONTINUE:
            invalid.append((float(state.clock[0]["t"]), ended(code, compiled, state, work)))
    stats = {"runs": len(variations), "run_time": clock.perf_counter() - began}
    return Answer(values[:reached], out[:, :reached], invalid, stats)


def make_lines(state: State, steps: int) -> Lines:
    """Room for a chunk."""
    size, z = len(state.y), np.zeros
    return readable(
        Lines(
            *(z(steps + 1, dtype=state.clock.dtype), z((steps + 1, size)), z((steps + 1, size))),
            *(z((steps + 1, len(state.memory))), z(steps + 1), z(steps + 1), z(steps + 1, dtype=np.int64)),
        )
    )


def adjoint(
    compiled: Compiled,
    variations: list[Any],
    scheme: Method,
    times: np.ndarray,
    columns: np.ndarray,
    weigh: Callable[[np.ndarray], np.ndarray],
    tell: Tell,
) -> Gradient:
    """Forwards with checkpoints, then backwards."""
    run, count = Run(compiled, scheme, columns), len(variations)
    model, state, work, end = run.model, run.state, run.work(), float(times[-1])
    P = make_params(model, variations)
    began = clock.perf_counter()
    record = make_record(times, np.zeros((len(times), run.channels)))
    checkpoints: list[tuple[State, int, int]] = []  # state, first instant not saved before it, steps
    code = Code.CONTINUE
    while record.next[0] < len(times) and code is Code.CONTINUE:
        here, first = copied(state), int(record.next[0])
        run.settings[0]["budget"], before = CHUNK, work.tally[arrays.STEPS]
        code = Code(scheme.run(model, state, work, record, run.settings))
        steps = int(work.tally[arrays.STEPS] - before + work.tally[arrays.PENDING])
        checkpoints.append((here, first, steps))
        if tell is not None:
            tell(0.3 * float(state.clock[0]["t"]), end, clock.perf_counter() - began)
    values = record.channels[: int(record.next[0])][:, run.columns]
    weights = np.ascontiguousarray(weigh(values), dtype=float)
    objectives, forward = len(weights), clock.perf_counter() - began
    if code is not Code.CONTINUE:
        invalid = [(float(state.clock[0]["t"]), ended(code, compiled, state, work))]
        return Gradient(values, np.full((objectives, count), np.nan), invalid, {})

    parts, bars, scratch = run.parts(P, objectives), make_bars(model, objectives), run.scratch(objectives)
    tape, slots = make_tape(run.recorder, state, len(model.pad)), make_slots(run.recorder, model, state, objectives)
    lines, past, gradient = make_lines(state, CHUNK), make_past(state), np.zeros((objectives, count))
    invalid = []
    for place in range(len(checkpoints) - 1, -1, -1):
        here, first, steps = checkpoints[place]
        last = place == len(checkpoints) - 1
        if not last:  # the first line of the chunk behind is what follows this one
            for line in lines[:4]:
                line[steps] = line[0]
        lines.first[0] = first
        again = copied(here)
        code = Code(run.kernels.trace(model, again, work, run.settings, times, steps, lines))
        if code is Code.CONTINUE:
            span, given = (steps, int(not last), int(place == 0)), (times, run.columns, weights)
            states = again, copied(here)
            room = parts, tape, slots, (past, bars, scratch), gradient, run.fault
            code = Code(run.kernels.sweep(model, states, work, run.settings, lines, span, given, *room))
        if code is not Code.CONTINUE:
            invalid.append((float(here.clock[0]["t"]), FAULTS[SINGULAR]))
            break
        if tell is not None:
            tell(end * (1.0 - 0.7 * place / len(checkpoints)), end, clock.perf_counter() - began)
    start = np.zeros((slots.shape[1], count))
    start_changes(compiled, variations, start)
    gradient += slots[0].T @ start
    if run.fault[1]:
        invalid.append((float(run.fault[0]), FAULTS[int(run.fault[1])]))
    stats = {
        "steps": sum(steps for _, _, steps in checkpoints),
        "checkpoints": len(checkpoints),
        "forward_time": forward,
        "run_time": clock.perf_counter() - began,
    }
    return Gradient(values, gradient, invalid, stats)
