"""Exact derivatives through the steps and impacts of methods with contacts: direct, and adjoint.

Direct derivatives go with the run. Adjoint ones go forwards with checkpoints, then backwards; on the way forwards one
tangent goes with the run, that of a mixture of all parameters, rho = sum w_k rho_k. It meets walls that are only grazed
and contacts that parameters would part, as each of them would, and in the end it checks the gradient g: the derivative
of an objective along the mixture is g . w.

Checkpoints are thinned out as the run goes on: with N steps about 256 of them and N/256 states of one chunk are kept.
"""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .. import arrays
from ..arrays import State
from ..codes import Code
from ..compile.pack import Compiled
from ..compile.work import make_record, make_work
from ..methods.base import Method
from ..results.layout import layout_of
from ..tangent.contacts import make_active
from ..tangent.loop import make_spare
from ..tangent.matrices import make_linear
from ..tangent.midpoint import Kit, make_halves
from ..tangent.parameter_columns import make_column
from ..tangent.params import Params, make_params, nothing
from ..tangent.program import make_program
from ..tangent.saves_adjoint import make_saves
from ..tangent.tangent_state import Tangents, make_solver, make_tangents
from .answer import BUDGET, FAULTS, SINGULAR, Answer, Gradient, Tell, copied, faults_of, start_tangents
from .integral_channels import follows
from .mixture import mixture_of
from .onsets import Watch
from .schemes import WAYS, Way

CHUNK, MOST = 256, 256  # steps between two checkpoints at first, and checkpoints that are kept (an even number)
AGREES = 1e-5  # relative difference from the derivative along the mixture that is no error
ROUNDING = 1e-7  # relative to the largest derivative of a saved quantity, SI units


class Checkpoint(NamedTuple):
    """State at the start of a chunk, first instant not saved before it, residual drift, and steps of the chunk."""

    state: State
    first: int
    drift: float
    steps: int


def thinned(checkpoints: list[Checkpoint]) -> list[Checkpoint]:
    """Half as many, of chunks twice as long."""
    pairs = zip(checkpoints[::2], checkpoints[1::2], strict=True)
    return [a._replace(steps=a.steps + b.steps) for a, b in pairs]


class Task(NamedTuple):
    """A run, its scratch, and what is asked of it."""

    compiled: Compiled
    way: Way
    settings: np.ndarray
    times: np.ndarray
    columns: np.ndarray
    work: arrays.Work
    scratch: tuple[Any, ...]  # of a Kit: complex work, matrices, solver, active contacts, maps

    def kit(self, P: Params, objectives: int = 0) -> Kit:
        """All that kernels work with, for these parameters.

        A column of its own for each: it knows by number which parameter has filled it.
        """
        (work, lin, solver, act, half), model = self.scratch, self.compiled.model
        program = make_program(model, len(P.energy0), solver, objectives)
        return Kit(P, work, lin, make_column(model), solver, act, half, program)


def task_of(compiled: Compiled, scheme: Method, times: np.ndarray, columns: np.ndarray) -> Task:
    """Scratch for both ways."""
    scheme = scheme.differentiated()
    model, state = compiled.model, compiled.state
    solver = make_solver(model, int(model.info[0]["dim"]) * len(model.contact))
    scratch = (
        *(make_work(model, state, scheme.stages, complex), make_linear(model), solver),
        *(make_active(model), make_halves(model)),
    )
    settings, wanted = scheme.settings(float(model.info[0]["length"])), np.asarray(columns, dtype=np.int64)
    work = make_work(model, state, scheme.stages)
    return Task(compiled, WAYS[type(scheme)], settings, times, wanted, work, scratch)


class March:
    """A run with tangents of some parameters beside it, as far as it has come."""

    def __init__(self, task: Task, variations: list[Any]) -> None:
        compiled, count, times = task.compiled, len(variations), task.times
        model, channels = compiled.model, layout_of(compiled).channels
        self.task, self.state, self.code = task, copied(compiled.state), Code.CONTINUE
        self.kit = task.kit(make_params(model, variations))
        # one line more than there are parameters: the size of the step
        past = follows(compiled, task.columns)
        self.lines = tuple(make_tangents(model, count + 1, past) for _ in range(4))
        start_tangents(compiled, variations, self.lines[0])
        self.record = make_record(times, np.zeros((len(times), channels)))
        self.out = np.zeros((count, len(times), len(task.columns)))
        size = len(self.state.y)
        self.room = np.zeros((5, size), dtype=complex), np.zeros(channels, dtype=complex), task.columns
        self.spare = make_spare(model, count, size)
        self.watch = Watch(compiled)

    @property
    def goes_on(self) -> bool:
        """True before the end."""
        return int(self.record.next[0]) < len(self.task.times) and self.code is Code.CONTINUE

    @property
    def time(self) -> float:
        """s, reached so far."""
        return float(self.state.clock[0]["t"])

    def go(self, steps: int) -> None:
        """Take so many steps."""
        task = self.task
        task.settings[0]["budget"] = steps
        given = task.compiled.model, self.state, task.work, self.record, task.settings
        self.code = Code(task.way.run(*given, self.kit, self.lines, self.room, self.spare, self.out))
        task.work.tally[arrays.EVENT_COUNT] = 0
        self.watch.look(self.state, task.work)

    @property
    def values(self) -> np.ndarray:
        """(nt, nc)."""
        return self.record.channels[: int(self.record.next[0])][:, self.task.columns]

    @property
    def slopes(self) -> np.ndarray:
        """(parameters, nt, nc)."""
        return self.out[:, : int(self.record.next[0])]

    @property
    def invalid(self) -> list[tuple[float, str]]:
        """From when on derivatives are not valid, and why."""
        faults = faults_of(self.spare.fault, self.code, self.task.compiled, self.state, self.task.work)
        return faults + self.watch.invalid


def direct(
    compiled: Compiled, variations: list[Any], scheme: Method, times: np.ndarray, columns: np.ndarray, tell: Tell
) -> Answer:
    """Tangents beside the steps of a method with contacts."""
    task, began = task_of(compiled, scheme, times, columns), clock.perf_counter()
    march = March(task, variations)
    while march.goes_on:
        march.go(march.watch.steps(BUDGET))
        if tell is not None:
            tell(march.time, float(times[-1]), clock.perf_counter() - began)
    stats = {
        "steps": int(task.work.tally[arrays.STEPS]) + 1,
        "impacts": int(task.work.tally[arrays.IMPACTS]),
        "run_time": clock.perf_counter() - began,
    }
    return Answer(march.values, march.slopes, march.invalid, stats)


@dataclass(eq=False)
class Forward:
    """What the way forwards leaves behind."""

    checkpoints: list[Checkpoint]
    chunk: int
    march: March
    impacts: int


def go_forwards(task: Task, mixed: Any, tell: Callable[[float], None]) -> Forward:
    """The run with the tangent of a mixture beside it."""
    march, tally = March(task, [mixed]), task.work.tally
    checkpoints: list[Checkpoint] = []
    chunk = CHUNK
    while march.goes_on:
        if len(checkpoints) == MOST:
            checkpoints, chunk = thinned(checkpoints), 2 * chunk
        here = Checkpoint(copied(march.state), int(march.record.next[0]), float(tally[arrays.DRIFT]), 0)
        before = tally[arrays.STEPS]
        march.go(chunk)
        checkpoints.append(here._replace(steps=int(tally[arrays.STEPS] - before + tally[arrays.PENDING])))
        tell(march.time)
    return Forward(checkpoints, chunk, march, int(tally[arrays.IMPACTS]))


def go_backwards(
    task: Task, P: Params, forward: Forward, weights: np.ndarray, tell: Callable[[float], None]
) -> tuple[np.ndarray, Tangents, float | None]:
    """Gradient without the part of the start, bars at the start, and the instant at which it failed, or None."""
    compiled, way, settings, times, columns, work, _ = task
    model, chunk, size, slots = compiled.model, forward.chunk, len(compiled.state.y), len(compiled.state.memory)
    objectives = weights.shape[0] + 1  # the last is what the size of a step keeps zero
    kit = task.kit(P, objectives)
    still = kit._replace(P=make_params(model, [nothing(model)]), col=make_column(model))
    lines = (
        *(np.zeros(chunk, dtype=arrays.clock_dtype), np.zeros((chunk, size)), np.zeros((chunk, size))),
        *(np.zeros((chunk, slots)), np.zeros(chunk)),
    )
    marks, gradient = np.zeros((chunk + 1, 2), dtype=np.int64), kit.prog.gradient
    saves = make_saves(model, objectives, len(P.energy0), size, layout_of(compiled).channels)
    bar = make_tangents(model, objectives)
    bars, spare = (bar, saves, make_tangents(model, objectives)), make_spare(model, 0, size)
    states, record = (copied(compiled.state), copied(compiled.state)), (times, columns, weights)
    for place in range(len(forward.checkpoints) - 1, -1, -1):
        here, final = forward.checkpoints[place], place == len(forward.checkpoints) - 1
        work.tally[:] = 0.0
        work.tally[arrays.CAP] = np.inf
        work.tally[arrays.DRIFT], marks[0] = here.drift, (here.first, 0)
        way.trace(model, copied(here.state), work, settings, times, here.steps, lines, marks)
        given = here.steps, final, lines, marks, states, settings, work, record
        failed = way.sweep(model, (kit, still), *given, bars, spare)
        if failed >= 0:
            return gradient[:-1], bar, float(lines[0][failed]["t"])
        tell(1.0 - place / len(forward.checkpoints))
    return gradient[:-1], bar, None


def _disagreement(parts: np.ndarray, weights: np.ndarray, slope: np.ndarray) -> float:
    """Of the derivatives of objectives along the mixture, relative to its parts; rounding of the run counts as none."""
    off = np.abs(parts.sum(axis=1) - np.einsum("otc,tc->o", weights, slope))
    rounding = ROUNDING * (1.0 + np.max(np.abs(slope), initial=0.0)) * np.abs(weights).sum(axis=(1, 2))
    size = np.maximum(np.abs(parts).sum(axis=1), rounding)
    return float(np.max(np.divide(off, size, out=np.zeros_like(off), where=size > 0.0), initial=0.0))


def adjoint(
    compiled: Compiled,
    variations: list[Any],
    scheme: Method,
    times: np.ndarray,
    columns: np.ndarray,
    weigh: Callable[[np.ndarray], np.ndarray],
    tell: Tell,
) -> Gradient:
    """Gradients of objectives, backwards."""
    began, end, count = clock.perf_counter(), float(times[-1]), len(variations)

    def told(reached: float) -> None:
        if tell is not None:
            tell(reached, end, clock.perf_counter() - began)

    task = task_of(compiled, scheme, times, columns)
    sizes = np.array([one.value or 1.0 for one in variations])
    mixture = sizes * np.random.default_rng(count).uniform(0.5, 1.5, count)
    forward = go_forwards(task, mixture_of(variations, mixture), lambda t: told(0.4 * t))
    march, halfway = forward.march, clock.perf_counter()
    values, slope, invalid = march.values, march.slopes[0], march.invalid
    weights = np.ascontiguousarray(weigh(values), dtype=float)
    if march.code is not Code.CONTINUE:
        return Gradient(values, np.full((len(weights), count), np.nan), invalid, {})
    P = make_params(compiled.model, variations)
    gradient, bar, failed = go_backwards(task, P, forward, weights, lambda part: told((0.4 + 0.6 * part) * end))
    if failed is not None:
        invalid.append((failed, FAULTS[SINGULAR]))
        return Gradient(values, np.full_like(gradient, np.nan), invalid, {})
    old = make_tangents(compiled.model, count)
    start_tangents(compiled, variations, old)
    task.way.start(compiled.model, task.kit(P), compiled.state, task.work, old)
    for one, tangent in zip(bar[:5], old[:5], strict=True):
        gradient += one[:-1] @ tangent.T
    off = _disagreement(gradient * mixture, weights, slope)
    if not off < AGREES and not invalid:
        invalid.append((0.0, f"adjoint and direct derivatives along a mixture of all parameters differ by {off:.1g}"))
    stats = {
        "steps": sum(one.steps for one in forward.checkpoints),
        "impacts": forward.impacts,
        "checkpoints": len(forward.checkpoints),
        "agreement": off,
        "forward_time": halfway - began,
        "run_time": clock.perf_counter() - began,
    }
    return Gradient(values, gradient, invalid, stats)
