"""The exact methods along runs of Index1: tangents beside the steps, complex runs, and backwards from checkpoints."""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import arrays
from ..arrays import State
from ..codes import Code
from ..compile.pack import Compiled
from ..compile.work import make_record, make_work
from ..errors import InputError, Problem
from ..methods.base import Method
from ..results.layout import layout_of
from ..tangent import adjoint as backwards
from ..tangent.closing import make_closing
from ..tangent.columns import make_column
from ..tangent.direct import Kit, run
from ..tangent.explicit import start
from ..tangent.flow import make_solver, make_tangents, make_wide
from ..tangent.imaginary import EXTRA
from ..tangent.imaginary import run as run_complex
from ..tangent.matrices import make_linear
from ..tangent.params import STEP, make_params, nothing
from ..tangent.saving import complex_model
from .answer import BUDGET, FAULTS, SINGULAR, Answer, Gradient, Tell, copied, ended, start_tangents
from .onsets import Watch
from .past import follows


def direct(
    compiled: Compiled, variations: list[Any], scheme: Method, times: np.ndarray, columns: np.ndarray, tell: Tell
) -> Answer:
    """Tangents beside the steps of Index1."""
    model = compiled.model._replace(info=compiled.model.info.copy())
    state = copied(compiled.state)
    scheme.prepare(model)
    count, channels = len(variations), layout_of(compiled).channels
    work, solver = make_work(model, state, scheme.stages, implicit=True), make_solver(model)
    kit = Kit(
        make_params(model, variations),
        make_work(model, state, scalar=complex),
        *(make_linear(model), make_column(model), solver, make_closing(model), make_wide(model, solver, count)),
    )
    past = follows(compiled, columns)
    old, tan = make_tangents(model, count, past), make_tangents(model, count, past)
    start_tangents(compiled, variations, old)
    settings = scheme.settings(float(model.info[0]["length"]))
    record = make_record(times, np.zeros((len(times), channels)))
    out = np.zeros((count, len(times), len(columns)))
    wanted = np.asarray(columns, dtype=np.int64)
    scratch = (np.zeros((5, len(state.y)), dtype=complex), np.zeros(channels, dtype=complex), wanted)
    spare = (np.zeros(len(state.y)), np.zeros(len(state.y)), np.ones(len(compiled.system.bodies)))
    began, code, watch = clock.perf_counter(), Code.CONTINUE, Watch(compiled)
    while record.next[0] < len(times) and code is Code.CONTINUE:
        settings[0]["budget"] = watch.steps(BUDGET)
        code = Code(run(model, state, work, record, settings, kit, (old, tan), scratch, spare, out))
        watch.look(state, work)
        if tell is not None:
            tell(float(state.clock[0]["t"]), float(times[-1]), clock.perf_counter() - began)
    done = int(record.next[0])
    invalid = [] if code is Code.CONTINUE else [(float(state.clock[0]["t"]), ended(code, compiled, state, work))]
    invalid += watch.invalid
    stats = {"steps": int(work.tally[arrays.STEPS]) + 1, "run_time": clock.perf_counter() - began}
    return Answer(record.channels[:done][:, wanted], out[:, :done], invalid, stats)


def complex_step(
    compiled: Compiled, variations: list[Any], scheme: Method, times: np.ndarray, columns: np.ndarray, tell: Tell
) -> Answer:
    """One complex run of Index1 per parameter."""
    if len(compiled.model.pad):
        message = "the speed at which a compliant contact begins is not followed on complex numbers"
        raise InputError(Problem("method", f"'complex-step' is not available here: {message}; 'direct' is"))
    model = compiled.model._replace(info=compiled.model.info.copy())
    scheme.prepare(model)
    P = make_params(model, variations)
    wanted = np.asarray(columns, dtype=np.int64)
    line = np.zeros(layout_of(compiled).channels, dtype=complex)
    out = np.zeros((len(variations), len(times), len(wanted)))
    began, reached = clock.perf_counter(), len(times)
    values = np.zeros((len(times), len(wanted)))
    invalid: list[tuple[float, str]] = []
    for k, one in enumerate(variations):
        at = compiled.state
        y = at.y + 1j * STEP * one.y
        state = State(at.clock.copy(), y, np.zeros_like(y), at.memory.copy())
        work = make_work(model, state, scheme.stages, scalar=complex, implicit=True)
        cmodel = complex_model(model, P, k)
        settings = scheme.settings(float(model.info[0]["length"]))
        settings[0]["extra"] = EXTRA
        record = make_record(times, np.zeros((len(times), len(wanted))))
        energy0 = complex(float(at.clock[0]["energy0"]), STEP * one.energy0)
        code = Code.CONTINUE
        while record.next[0] < len(times) and code is Code.CONTINUE:
            settings[0]["budget"] = BUDGET
            given = (), (line, wanted), (), out[k : k + 1]
            code = Code(run_complex(cmodel, state, work, record, settings, energy0, *given))
            if tell is not None:
                part = (k + float(state.clock[0]["t"]) / float(times[-1])) / len(variations)
                tell(part * float(times[-1]), float(times[-1]), clock.perf_counter() - began)
        values[:] = record.channels
        reached = min(reached, int(record.next[0]))
        if code is not Code.CONTINUE:
            invalid.append((float(state.clock[0]["t"]), ended(code, compiled, state, work)))
    stats = {"runs": len(variations), "run_time": clock.perf_counter() - began}
    return Answer(values[:reached], out[:, :reached], invalid, stats)


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
    model = compiled.model._replace(info=compiled.model.info.copy())
    state = copied(compiled.state)
    scheme.prepare(model)
    count, n = len(variations), 6 * len(compiled.system.bodies)
    solver = make_solver(model)
    kit = Kit(
        make_params(model, variations),
        make_work(model, state, scalar=complex),
        *(make_linear(model), make_column(model), solver, make_closing(model), make_wide(model, solver, count)),
    )
    old = make_tangents(model, count)
    start_tangents(compiled, variations, old)
    began = clock.perf_counter()
    work = make_work(model, state, scheme.stages, implicit=True)
    settings = scheme.settings(float(model.info[0]["length"]))
    channels, wanted = layout_of(compiled).channels, np.asarray(columns, dtype=np.int64)
    h, end = float(getattr(scheme, "step")), float(times[-1])  # noqa: B009
    chunk = int(np.clip(2.0 * np.sqrt(end / h), 32, 4096))
    record = make_record(times, np.zeros((len(times), channels)))
    checkpoints: list[tuple[State, int]] = []
    code, watch = Code.CONTINUE, Watch(compiled)
    while record.next[0] < len(times) and code is Code.CONTINUE:
        here = copied(state)
        settings[0]["budget"] = chunk
        before = work.tally[arrays.STEPS]
        code = Code(scheme.run(model, state, work, record, settings))
        steps = int(work.tally[arrays.STEPS] - before + work.tally[arrays.PENDING])
        checkpoints.append((here, steps))
        watch.look(state, work)
        if tell is not None:
            tell(0.3 * float(state.clock[0]["t"]), end, clock.perf_counter() - began)
    done = int(record.next[0])
    values = record.channels[:done][:, wanted]
    weights = np.ascontiguousarray(weigh(values), dtype=float)
    objectives = weights.shape[0]
    forward = clock.perf_counter() - began
    if code is not Code.CONTINUE:
        told = ended(code, compiled, state, work)
        invalid = [*watch.invalid, (float(state.clock[0]["t"]), told)]
        return Gradient(values, np.full((objectives, count), np.nan), invalid, {})

    size, slots, rows = len(state.y), len(state.memory), int(model.info[0]["bilateral"])
    lines = (
        *(np.zeros(chunk + 1), np.zeros((chunk + 1, size)), np.zeros((chunk + 1, size))),
        *(np.zeros((chunk + 1, size)), np.zeros((chunk + 1, slots))),
    )
    bars = make_tangents(model, objectives), make_tangents(model, objectives)
    spare = (work, (np.zeros(size), np.zeros(size), np.ones(len(compiled.system.bodies))))
    rooms = (np.zeros((objectives, 3, n)), np.zeros((objectives, 2, rows)), np.zeros((rows, 12)))
    seeds = (
        *(make_tangents(model, 1), make_params(model, [nothing(model)])),
        *(np.zeros((5, size), dtype=complex), np.zeros(channels, dtype=complex)),
    )
    gradient, last = np.zeros((objectives, count)), done - 1
    invalid = list(watch.invalid)
    energy0 = float(compiled.state.clock[0]["energy0"])
    work.tally[:] = 0.0
    for place in range(len(checkpoints) - 1, -1, -1):
        here, steps = checkpoints[place]
        again = copied(here)
        backwards.trace(model, again, work, settings, steps, lines)
        data = (times, wanted, weights, last)
        last, singular = backwards.sweep(
            model, kit, h, steps, lines, place == 0, data, energy0, bars, spare, rooms, seeds, gradient
        )
        if singular:
            invalid.append((float(here.clock[0]["t"]), FAULTS[SINGULAR]))
            break
        if tell is not None:
            tell(end * (1.0 - 0.7 * place / len(checkpoints)), end, clock.perf_counter() - began)
    start(model, kit, compiled.state, work, old, spare[1][1])
    for bar, tangent in zip(bars[0][:5], old[:5], strict=True):
        gradient += bar @ tangent.T
    stats = {
        "steps": sum(steps for _, steps in checkpoints),
        "checkpoints": len(checkpoints),
        "forward_time": forward,
        "run_time": clock.perf_counter() - began,
    }
    return Gradient(values, gradient, invalid, stats)
