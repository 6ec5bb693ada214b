"""Adjoint derivatives of a run of Moreau: forwards with checkpoints, then backwards (tangent/backwards.py).

On the way forwards one tangent goes with the run, that of a mixture of all parameters, rho = sum w_k rho_k. It meets
walls that are only grazed and contacts that parameters would part, as each of them would, and in the end it checks the
gradient g: the derivative of an objective along the mixture is g . w.

Checkpoints are thinned out as the run goes on: with N steps about 256 of them and N/256 states of one chunk are kept.
"""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .. import arrays
from ..arrays import Record, State
from ..codes import Code
from ..compile.pack import Compiled
from ..compile.work import make_work
from ..methods.base import Method
from ..results.layout import layout_of
from ..tangent.backwards import sweep, trace
from ..tangent.columns import make_column
from ..tangent.contacts import make_active
from ..tangent.flow import Tangents, make_solver, make_tangents
from ..tangent.glide import Kit, make_halves
from ..tangent.linear import make_linear
from ..tangent.nonsmooth import run, start
from ..tangent.params import Params, make_params, nothing
from ..tangent.unsave import make_saves
from .exact import FAULTS, Gradient, Tell, ended, start_tangents
from .mixture import Mixture, mixture_of

CHUNK, MOST = 256, 256  # steps between two checkpoints at first, and checkpoints that are kept (an even number)
AGREES = 1e-5  # relative difference from the derivative along the mixture that is no error


class Checkpoint(NamedTuple):
    """State at the start of a chunk, first instant not saved before it, residual drift, and steps of the chunk."""

    state: State
    first: int
    drift: float
    steps: int


def copied(state: State) -> State:
    """A copy."""
    return State(*(part.copy() for part in state))


def thinned(checkpoints: list[Checkpoint]) -> list[Checkpoint]:
    """Half as many, of chunks twice as long."""
    pairs = zip(checkpoints[::2], checkpoints[1::2], strict=True)
    return [a._replace(steps=a.steps + b.steps) for a, b in pairs]


@dataclass(eq=False)
class Forward:
    """What the way forwards leaves behind."""

    checkpoints: list[Checkpoint]
    chunk: int
    values: np.ndarray  # (nt, nc)
    slope: np.ndarray  # (nt, nc) along the mixture
    code: Code
    invalid: list[tuple[float, str]]
    impacts: int


class Task(NamedTuple):
    """A run, its scratch, and what is asked of it."""

    compiled: Compiled
    scheme: Method
    settings: np.ndarray
    times: np.ndarray
    columns: np.ndarray
    work: arrays.Work
    scratch: tuple[Any, ...]  # of a Kit, behind its parameters


def task_of(compiled: Compiled, scheme: Method, times: np.ndarray, columns: np.ndarray) -> Task:
    """Scratch for both ways."""
    model, state = compiled.model, compiled.state
    solver = make_solver(model, int(model.info[0]["dim"]) * len(model.contact))
    scratch = (
        *(make_work(model, state, scalar=complex), make_linear(model), make_column(model), solver),
        *(make_active(model), make_halves(model)),
    )
    settings = scheme.settings(float(model.info[0]["length"]))
    wanted = np.asarray(columns, dtype=np.int64)
    return Task(compiled, scheme, settings, times, wanted, make_work(model, state, scheme.stages), scratch)


def go_forwards(task: Task, mixed: Mixture, tell: Callable[[float], None]) -> Forward:
    """The run with the tangent of a mixture beside it."""
    compiled, _, settings, times, columns, work, scratch = task
    model, state, channels = compiled.model, copied(compiled.state), layout_of(compiled).channels
    kit = Kit(make_params(model, [mixed]), *scratch)
    lines = tuple(make_tangents(model, 2) for _ in range(4))
    start_tangents(compiled, [mixed], lines[0])
    record = Record(times, np.zeros((len(times), channels)), np.zeros(1, dtype=np.int64))
    slope, fault = np.zeros((1, len(times), len(columns))), np.zeros(2)
    room = (np.zeros((5, len(state.y)), dtype=complex), np.zeros(channels, dtype=complex), columns)
    spare = (np.zeros(6 * len(compiled.system.bodies)), np.zeros((len(model.contact), 1)), fault)
    checkpoints: list[Checkpoint] = []
    code, chunk, tally = Code.CONTINUE, CHUNK, work.tally
    while record.next[0] < len(times) and code is Code.CONTINUE:
        if len(checkpoints) == MOST:
            checkpoints, chunk = thinned(checkpoints), 2 * chunk
        here, before = (
            Checkpoint(copied(state), int(record.next[0]), float(tally[arrays.DRIFT]), 0),
            tally[arrays.STEPS],
        )
        settings[0]["budget"] = chunk
        code = Code(run(model, state, work, record, settings, kit, lines, room, spare, slope))
        tally[arrays.EVENT_COUNT] = 0
        checkpoints.append(here._replace(steps=int(tally[arrays.STEPS] - before + tally[arrays.PENDING])))
        tell(float(state.clock[0]["t"]))
    done = int(record.next[0])
    invalid = [(float(fault[0]), FAULTS[int(fault[1])])] if fault[1] else []
    if code is not Code.CONTINUE:
        invalid.append((float(state.clock[0]["t"]), ended(code, compiled, state, work)))
    values = record.channels[:done][:, columns]
    return Forward(checkpoints, chunk, values, slope[0, :done], code, invalid, int(tally[arrays.IMPACTS]))


def go_backwards(
    task: Task, P: Params, forward: Forward, weights: np.ndarray, tell: Callable[[float], None]
) -> tuple[np.ndarray, Tangents, float | None]:
    """Gradient without the part of the start, bars at the start, and the instant at which it failed, or None."""
    compiled, _, settings, times, columns, work, scratch = task
    model, chunk = compiled.model, forward.chunk
    objectives, count, contacts = weights.shape[0], len(P.energy0), len(model.contact)
    size, slots, inner = len(compiled.state.y), len(compiled.state.memory), int(model.info[0]["inner"])
    none, still = Params(*(part[:0] for part in P)), make_params(model, [nothing(model)])
    # a column of its own for each: it knows by number which parameter has filled it
    kits = tuple(Kit(one, *scratch)._replace(col=make_column(model)) for one in (P, none, still))
    lines = (
        *(np.zeros(chunk, dtype=arrays.clock_dtype), np.zeros((chunk, size)), np.zeros((chunk, size))),
        *(np.zeros((chunk, slots)), np.zeros(chunk)),
    )
    marks, gradient = np.zeros((chunk + 1, 2), dtype=np.int64), np.zeros((objectives, count))
    saves = make_saves(model, objectives, count, size, layout_of(compiled).channels)
    bar = make_tangents(model, objectives)
    bars = (bar, saves, tuple(make_tangents(model, 1) for _ in range(3)))
    unknowns = len(kits[0].solver.x)
    rooms = (
        *(np.zeros(6 * len(compiled.system.bodies)), np.zeros((objectives, 2, int(model.info[0]["bilateral"])))),
        (np.zeros((objectives, unknowns)), np.zeros((objectives, contacts, 3)), np.zeros((objectives, inner))),
    )
    states, record = (copied(compiled.state), copied(compiled.state)), (times, columns, weights)
    for place in range(len(forward.checkpoints) - 1, -1, -1):
        here, final = forward.checkpoints[place], place == len(forward.checkpoints) - 1
        work.tally[:] = 0.0
        work.tally[arrays.DRIFT], marks[0] = here.drift, (here.first, 0)
        trace(model, copied(here.state), work, settings, times, here.steps, lines, marks)
        failed = sweep(
            model, kits, here.steps, final, lines, marks, states, settings, work, record, bars, rooms, gradient
        )
        if failed >= 0:
            return gradient, bar, float(lines[0][failed]["t"])
        tell(1.0 - place / len(forward.checkpoints))
    return gradient, bar, None


def adjoint_moreau(
    compiled: Compiled,
    variations: list[Any],
    scheme: Method,
    times: np.ndarray,
    columns: np.ndarray,
    weigh: Callable[[np.ndarray], np.ndarray],
    tell: Tell,
) -> Gradient:
    """Gradients of objectives through impacts."""
    began, end, count = clock.perf_counter(), float(times[-1]), len(variations)

    def told(reached: float) -> None:
        if tell is not None:
            tell(reached, end, clock.perf_counter() - began)

    task = task_of(compiled, scheme, times, columns)
    sizes = np.array([one.value or 1.0 for one in variations])
    mixture = sizes * np.random.default_rng(count).uniform(0.5, 1.5, count)
    forward = go_forwards(task, mixture_of(variations, mixture), lambda t: told(0.4 * t))
    weights, halfway = np.ascontiguousarray(weigh(forward.values), dtype=float), clock.perf_counter()
    invalid = forward.invalid
    if forward.code is not Code.CONTINUE:
        return Gradient(forward.values, np.full((len(weights), count), np.nan), invalid, {})
    P = make_params(compiled.model, variations)
    gradient, bar, failed = go_backwards(task, P, forward, weights, lambda part: told((0.4 + 0.6 * part) * end))
    if failed is not None:
        invalid.append((failed, FAULTS[4]))
        return Gradient(forward.values, np.full_like(gradient, np.nan), invalid, {})
    old = make_tangents(compiled.model, count)
    start_tangents(compiled, variations, old)
    start(compiled.model, Kit(P, *task.scratch), compiled.state, task.work, old, np.zeros(len(compiled.state.y)))
    for one, tangent in zip(bar[:5], old[:5], strict=True):
        gradient += one @ tangent.T
    off = np.abs(gradient @ mixture - np.einsum("otc,tc->o", weights, forward.slope))
    off = np.max(off / np.maximum(np.abs(gradient * mixture).sum(axis=1), 1e-300), initial=0.0)
    if not off < AGREES and not invalid:
        invalid.append((0.0, f"adjoint and direct derivatives along a mixture of all parameters differ by {off:.1g}"))
    stats = {
        "steps": sum(one.steps for one in forward.checkpoints),
        "impacts": forward.impacts,
        "checkpoints": len(forward.checkpoints),
        "agreement": float(off),
        "forward_time": halfway - began,
        "run_time": clock.perf_counter() - began,
    }
    return Gradient(forward.values, gradient, invalid, stats)
