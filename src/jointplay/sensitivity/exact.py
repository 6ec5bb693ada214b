"""The exact methods: direct, adjoint and complex-step derivatives of a run, by the kernels of ``tangent``.

    direct(compiled, variations, scheme, times, columns, progress)          -> Answer
    complex_step(compiled, variations, scheme, times, columns, progress)    -> Answer
    adjoint(compiled, variations, scheme, times, columns, weigh, progress)  -> Gradient

A scheme takes part with an entry in ``DIRECT``, ``COMPLEX`` or ``ADJOINT``.
"""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import arrays
from ..arrays import ENERGY_CHANNELS, SOLVER_CHANNELS, Record, State
from ..codes import Code, Outcome
from ..compile.pack import Compiled
from ..compile.work import make_work
from ..errors import InputError, Problem
from ..methods.base import Method
from ..methods.index1 import Index1
from ..methods.moreau import Moreau
from ..methods.optimal_step import OptimalStep
from ..results.layout import layout_of
from ..tangent.closing import make_closing
from ..tangent.columns import make_column
from ..tangent.flow import Tangents, make_solver, make_tangents, make_wide
from ..tangent.linear import make_linear
from ..tangent.params import make_params

Tell = Callable[[float, float, float], None] | None

BUDGET = 2000  # steps between two looks at Python


@dataclass
class Answer:
    """Derivatives of channels."""

    values: np.ndarray  # (nt, nc)
    derivatives: np.ndarray  # (np, nt, nc)
    invalid: list[tuple[float, str]] = field(default_factory=list)  # from when on, and why
    stats: dict[str, Any] = field(default_factory=dict)


@dataclass
class Gradient:
    """Derivatives of objectives."""

    values: np.ndarray  # (nt, nc)
    gradient: np.ndarray  # (objectives, np)
    invalid: list[tuple[float, str]] = field(default_factory=list)
    stats: dict[str, Any] = field(default_factory=dict)


def start_tangents(compiled: Compiled, variations: list[Any], tan: Tangents) -> None:
    """Tangents of the start from d y / d rho."""
    n = len(compiled.system.bodies)
    y = compiled.state.y
    for k, one in enumerate(variations):
        for b in range(n):
            p, dp = y[7 * b + 3 : 7 * b + 7], one.y[7 * b + 3 : 7 * b + 7]
            tan.eta[k, 6 * b : 6 * b + 3] = one.y[7 * b : 7 * b + 3]
            # eta = 2 vec(p* dp)
            tan.eta[k, 6 * b + 3 : 6 * b + 6] = 2.0 * (p[0] * dp[1:] - dp[0] * p[1:] - np.cross(p[1:], dp[1:]))
            tan.du[k, 6 * b : 6 * b + 6] = one.y[7 * n + 6 * b : 7 * n + 6 * b + 6]
        inner = int(compiled.model.info[0]["inner"])
        tan.dz[k] = one.y[13 * n : 13 * n + inner]


def ended(code: Code, compiled: Compiled, state: State, work: arrays.Work) -> str:
    """The sentence of an outcome, where a run stopped early."""
    row = int(work.tally[arrays.CULPRIT])
    names = compiled.row_names
    where = names[row] if 0 <= row < len(names) else ""
    return Outcome.of(code, float(state.clock[0]["t"]), detail=float(work.tally[arrays.DETAIL]), where=where).message


def direct_index1(
    compiled: Compiled, variations: list[Any], scheme: Method, times: np.ndarray, columns: np.ndarray, tell: Tell
) -> Answer:
    """Tangents beside the steps of Index1."""
    from ..tangent.direct import Kit, run

    model = compiled.model._replace(info=compiled.model.info.copy())
    state = State(*(part.copy() for part in compiled.state))
    scheme.prepare(model)
    count, channels = len(variations), layout_of(compiled).channels
    work, solver = make_work(model, state, scheme.stages, implicit=True), make_solver(model)
    kit = Kit(
        make_params(model, variations),
        make_work(model, state, scalar=complex),
        *(make_linear(model), make_column(model), solver, make_closing(model), make_wide(model, solver, count)),
    )
    old, tan = make_tangents(model, count), make_tangents(model, count)
    start_tangents(compiled, variations, old)
    settings = scheme.settings(float(model.info[0]["length"]))
    record = Record(times, np.zeros((len(times), channels)), np.zeros(1, dtype=np.int64))
    out = np.zeros((count, len(times), len(columns)))
    wanted = np.asarray(columns, dtype=np.int64)
    scratch = (np.zeros((5, len(state.y)), dtype=complex), np.zeros(channels, dtype=complex), wanted)
    spare = (np.zeros(len(state.y)), np.zeros(len(state.y)), np.ones(len(compiled.system.bodies)))
    began, code = clock.perf_counter(), Code.CONTINUE
    while record.next[0] < len(times) and code is Code.CONTINUE:
        settings[0]["budget"] = BUDGET
        code = Code(run(model, state, work, record, settings, kit, (old, tan), scratch, spare, out))
        if tell is not None:
            tell(float(state.clock[0]["t"]), float(times[-1]), clock.perf_counter() - began)
    done = int(record.next[0])
    invalid = [] if code is Code.CONTINUE else [(float(state.clock[0]["t"]), ended(code, compiled, state, work))]
    stats = {"steps": int(work.tally[arrays.STEPS]) + 1, "run_time": clock.perf_counter() - began}
    return Answer(record.channels[:done][:, wanted], out[:, :done], invalid, stats)


FAULTS = {
    1: "a wall is only grazed here: the instant of contact has no derivative",
    2: "contacts strike at the same instant, and the parameters would change their order",
    3: "contacts too many or too entangled to be told apart were closed in one step",
    4: "the linearised equations are singular here",
    5: "the step is too long here: the correction that closes joints and gaps at its end is too large to be followed",
}


def _through_contacts(
    run: Callable[..., int],
    spare_of: Callable[[arrays.Model, int, int, int], tuple[Any, ...]],
    compiled: Compiled,
    variations: list[Any],
    scheme: Method,
    times: np.ndarray,
    columns: np.ndarray,
    tell: Tell,
) -> Answer:
    """Tangents beside the steps of a method with contacts: its kernel ``run`` of tangents, and scratch of its own.

    ``spare_of`` makes that scratch for a model, a number of parameters, of unknowns of a step, and of the state.
    """
    from ..tangent.contacts import make_active
    from ..tangent.glide import Kit, make_halves

    model, state = compiled.model, State(*(part.copy() for part in compiled.state))
    count, channels = len(variations), layout_of(compiled).channels
    work = make_work(model, state, scheme.stages)
    solver = make_solver(model, int(model.info[0]["dim"]) * len(model.contact))
    kit = Kit(
        make_params(model, variations),
        make_work(model, state, scalar=complex),
        *(make_linear(model), make_column(model), solver, make_active(model), make_halves(model)),
    )
    # one line more than there are parameters: the size of the step
    old, mid, tan, flat = (make_tangents(model, count + 1) for _ in range(4))
    start_tangents(compiled, variations, old)
    settings = scheme.settings(float(model.info[0]["length"]))
    record = Record(times, np.zeros((len(times), channels)), np.zeros(1, dtype=np.int64))
    out = np.zeros((count, len(times), len(columns)))
    wanted = np.asarray(columns, dtype=np.int64)
    scratch = (np.zeros((5, len(state.y)), dtype=complex), np.zeros(channels, dtype=complex), wanted)
    fault = np.zeros(2)
    spare = (*spare_of(model, count, len(solver.x), len(state.y)), fault)
    began, code = clock.perf_counter(), Code.CONTINUE
    while record.next[0] < len(times) and code is Code.CONTINUE:
        settings[0]["budget"] = BUDGET
        code = Code(run(model, state, work, record, settings, kit, (old, mid, tan, flat), scratch, spare, out))
        work.tally[arrays.EVENT_COUNT] = 0
        if tell is not None:
            tell(float(state.clock[0]["t"]), float(times[-1]), clock.perf_counter() - began)
    done = int(record.next[0])
    invalid = [(float(fault[0]), FAULTS[int(fault[1])])] if fault[1] else []
    if code is not Code.CONTINUE:
        invalid.append((float(state.clock[0]["t"]), ended(code, compiled, state, work)))
    stats = {
        "steps": int(work.tally[arrays.STEPS]) + 1,
        "impacts": int(work.tally[arrays.IMPACTS]),
        "run_time": clock.perf_counter() - began,
    }
    return Answer(record.channels[:done][:, wanted], out[:, :done], invalid, stats)


def direct_moreau(*given: Any) -> Answer:
    """Tangents through the steps and impacts of Moreau."""
    from ..tangent.nonsmooth import run

    def spare_of(model: arrays.Model, count: int, unknowns: int, size: int) -> tuple[Any, ...]:
        return np.zeros(6 * (len(model.body) - 1)), np.zeros((len(model.contact), count))

    return _through_contacts(run, spare_of, *given)


def direct_optimal_step(*given: Any) -> Answer:
    """Tangents through the steps of OptimalStep."""
    if given[2].reference:
        message = "'direct' derivatives are those of OptimalStep without reference=True, which takes the same steps"
        raise InputError(Problem("scheme", message))
    from ..tangent.optimal import run
    from ..tangent.rounds import make_rounds

    return _through_contacts(run, lambda *sizes: (make_rounds(*sizes),), *given)


DIRECT: dict[type[Method], Callable[..., Answer]] = {
    Index1: direct_index1,
    Moreau: direct_moreau,
    OptimalStep: direct_optimal_step,
}


def complex_index1(
    compiled: Compiled, variations: list[Any], scheme: Method, times: np.ndarray, columns: np.ndarray, tell: Tell
) -> Answer:
    """One complex run of Index1 per parameter."""
    if len(compiled.model.pad):
        message = "the speed at which a compliant contact begins is not followed on complex numbers"
        raise InputError(Problem("method", f"'complex-step' is not available here: {message}; 'direct' is"))
    from ..tangent.imaginary import EXTRA, first_rates, march
    from ..tangent.params import STEP
    from ..tangent.saving import complex_model

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
        start = compiled.state
        y = start.y + 1j * STEP * one.y
        state = State(start.clock.copy(), y, np.zeros_like(y), start.memory.copy())
        work = make_work(model, state, scheme.stages, scalar=complex, implicit=True)
        cmodel = complex_model(model, P, k)
        settings = scheme.settings(float(model.info[0]["length"]))
        settings[0]["extra"] = EXTRA
        first_rates(cmodel, state, work)
        record = Record(times, np.zeros((len(times), len(wanted))), np.zeros(1, dtype=np.int64))
        energy0 = complex(float(start.clock[0]["energy0"]), STEP * one.energy0)
        code = Code.CONTINUE
        while record.next[0] < len(times) and code is Code.CONTINUE:
            settings[0]["budget"] = BUDGET
            code = Code(march(cmodel, state, work, record, settings, energy0, line, wanted, out[k]))
            if tell is not None:
                part = (k + float(state.clock[0]["t"]) / float(times[-1])) / len(variations)
                tell(part * float(times[-1]), float(times[-1]), clock.perf_counter() - began)
        values[:] = record.channels
        reached = min(reached, int(record.next[0]))
        if code is not Code.CONTINUE:
            invalid.append((float(state.clock[0]["t"]), ended(code, compiled, state, work)))
    stats = {"runs": len(variations), "run_time": clock.perf_counter() - began}
    return Answer(values[:reached], out[:, :reached], invalid, stats)


def adjoint_index1(
    compiled: Compiled,
    variations: list[Any],
    scheme: Method,
    times: np.ndarray,
    columns: np.ndarray,
    weigh: Callable[[np.ndarray], np.ndarray],
    tell: Tell,
) -> Gradient:
    """Forwards with checkpoints, then backwards."""
    from ..tangent.adjoint import sweep, trace
    from ..tangent.direct import Kit, start
    from ..tangent.params import nothing

    model = compiled.model._replace(info=compiled.model.info.copy())
    state = State(*(part.copy() for part in compiled.state))
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
    record = Record(times, np.zeros((len(times), channels)), np.zeros(1, dtype=np.int64))
    checkpoints: list[tuple[State, int]] = []
    code = Code.CONTINUE
    while record.next[0] < len(times) and code is Code.CONTINUE:
        here = State(*(part.copy() for part in state))
        settings[0]["budget"] = chunk
        before = work.tally[arrays.STEPS]
        code = Code(scheme.run(model, state, work, record, settings))
        steps = int(work.tally[arrays.STEPS] - before + work.tally[arrays.PENDING])
        checkpoints.append((here, steps))
        if tell is not None:
            tell(0.3 * float(state.clock[0]["t"]), end, clock.perf_counter() - began)
    done = int(record.next[0])
    values = record.channels[:done][:, wanted]
    weights = np.ascontiguousarray(weigh(values), dtype=float)
    objectives = weights.shape[0]
    forward = clock.perf_counter() - began
    if code is not Code.CONTINUE:
        told = ended(code, compiled, state, work)
        return Gradient(values, np.full((objectives, count), np.nan), [(float(state.clock[0]["t"]), told)], {})

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
    invalid: list[tuple[float, str]] = []
    energy0 = float(compiled.state.clock[0]["energy0"])
    work.tally[:] = 0.0
    for place in range(len(checkpoints) - 1, -1, -1):
        here, steps = checkpoints[place]
        again = State(*(part.copy() for part in here))
        trace(model, again, work, settings, steps, lines)
        data = (times, wanted, weights, last)
        last, singular = sweep(
            model, kit, h, steps, lines, place == 0, data, energy0, bars, spare, rooms, seeds, gradient
        )
        if singular:
            invalid.append((float(here.clock[0]["t"]), FAULTS[4]))
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


def adjoint_moreau(*given: Any) -> Gradient:
    """Gradients through the steps and impacts of Moreau."""
    from .through_impacts import adjoint_moreau as run  # it needs this module

    return run(*given)


COMPLEX: dict[type[Method], Callable[..., Answer]] = {Index1: complex_index1}
ADJOINT: dict[type[Method], Callable[..., Gradient]] = {Index1: adjoint_index1, Moreau: adjoint_moreau}


def _scheme(table: dict[type[Method], Any], scheme: Method, what: str) -> Any:
    if type(scheme) not in table:
        able = ", ".join(one.__name__ for one in table)
        raise InputError(
            Problem(
                "scheme", f"'{what}' derivatives are not available for {type(scheme).__name__}; take one of: {able}"
            )
        )
    return table[type(scheme)]


def _refuse(compiled: Compiled, columns: np.ndarray) -> None:
    """InputError where an exact method would leave something out."""
    layout, problems = layout_of(compiled), []
    wanted = set(np.asarray(columns).tolist())
    for variable in layout.variables:
        if variable.name in ("normal_impulse", "onset_speed"):
            for public, own in zip(variable.publics, variable.columns, strict=True):
                if wanted & set(own):
                    problems.append(
                        Problem("of", f"{public} is a sum over the past, of which there are no exact derivatives")
                    )
    if len(compiled.model.contact) and np.any(compiled.model.contact["rub"] != arrays.NONE):
        message = "friction with true stick under a reaction has no exact derivatives; smooth it by 'creep'"
        problems.append(Problem("scheme", f"{message}, or take method='finite-difference'"))
    if problems:
        raise InputError(list(dict.fromkeys(problems)))


def _balance(compiled: Compiled, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Channels to follow and the matrix from them to the wanted ones: work integrals follow from the energy balance.

    Without loads and drives dissipated = start - kinetic - gravity - elastic; the column behind the last is the start.
    """
    wanted = np.asarray(columns, dtype=np.int64)
    first = layout_of(compiled).channels - SOLVER_CHANNELS - ENERGY_CHANNELS
    stored, input_, dissipated, error = range(first, first + 3), first + 3, first + 4, first + 5
    works = len(compiled.model.load) + len(compiled.model.driven)
    if works and set(wanted.tolist()) & {input_, dissipated, error}:
        message = (
            "no exact derivatives of work integrals where loads or drives do work; take method='finite-difference'"
        )
        raise InputError(Problem("of", message))
    kept = [c for c in wanted.tolist() if c not in (input_, dissipated, error)]
    follow = np.array(list(dict.fromkeys([*kept, *(stored if dissipated in wanted else ())])), dtype=np.int64)
    matrix = np.zeros((len(wanted), len(follow) + 1))
    for row, column in enumerate(wanted.tolist()):
        if column == dissipated:
            matrix[row, [follow.tolist().index(c) for c in stored]] = -1.0
            matrix[row, -1] = 1.0
        elif column in follow:
            matrix[row, follow.tolist().index(column)] = 1.0
    return follow, matrix


def _history(run: Callable[..., Answer], *given: Any) -> Answer:
    """Run an engine on what it can follow, and make the wanted channels of it."""
    compiled, variations, scheme, times, columns, progress = given
    _refuse(compiled, columns)
    follow, matrix = _balance(compiled, columns)
    answer = run(compiled, variations, scheme, times, follow, progress)
    start = np.array([one.energy0 for one in variations])[:, None, None]
    slopes = np.concatenate([answer.derivatives, np.broadcast_to(start, (*answer.derivatives.shape[:2], 1))], axis=2)
    answer.derivatives = slopes @ matrix.T
    energy = np.full((len(answer.values), 1), float(compiled.state.clock[0]["energy0"]))
    answer.values = np.concatenate([answer.values, energy], axis=1) @ matrix.T
    return answer


def direct(
    compiled: Compiled,
    variations: list[Any],
    scheme: Method,
    times: np.ndarray,
    columns: np.ndarray,
    progress: Tell = None,
) -> Answer:
    """Tangent linear equations, one factorisation for all parameters."""
    run = _scheme(DIRECT, scheme, "direct")
    return _history(run, compiled, variations, scheme, times, columns, progress)


def complex_step(
    compiled: Compiled,
    variations: list[Any],
    scheme: Method,
    times: np.ndarray,
    columns: np.ndarray,
    progress: Tell = None,
) -> Answer:
    """The same kernels on complex numbers, one run per parameter."""
    run = _scheme(COMPLEX, scheme, "complex-step")
    return _history(run, compiled, variations, scheme, times, columns, progress)


def adjoint(
    compiled: Compiled,
    variations: list[Any],
    scheme: Method,
    times: np.ndarray,
    columns: np.ndarray,
    weigh: Callable[[np.ndarray], np.ndarray],
    progress: Tell = None,
) -> Gradient:
    """Gradients of objectives at a cost that hardly depends on the number of parameters."""
    run = _scheme(ADJOINT, scheme, "adjoint")
    _refuse(compiled, columns)
    follow, matrix = _balance(compiled, columns)
    energy0 = float(compiled.state.clock[0]["energy0"])
    weights: list[np.ndarray] = []

    def values_of(values: np.ndarray) -> np.ndarray:
        return np.concatenate([values, np.full((len(values), 1), energy0)], axis=1) @ matrix.T

    def inner(values: np.ndarray) -> np.ndarray:
        weights.append(weigh(values_of(values)))
        return weights[0] @ matrix[:, :-1]

    gradient = run(compiled, variations, scheme, times, follow, inner, progress)
    constant = (weights[0] @ matrix[:, -1]).sum(axis=1)
    gradient.gradient = gradient.gradient + constant[:, None] * np.array([one.energy0 for one in variations])
    gradient.values = values_of(gradient.values)
    return gradient
