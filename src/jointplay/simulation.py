"""simulate: compile a system, run a method over it, wrap the result.

The time loop is in the method's kernel; between chunks Python writes what was saved, shows progress and takes Ctrl-C.
"""

from __future__ import annotations

import logging
import time as clock
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from .arrays import State
from .codes import Code, Outcome
from .compile.build import compile_system
from .compile.doubts import doubtful_clearances, open_contacts
from .compile.pack import Compiled
from .compile.parts import compile_parts, join_states, split_state
from .compile.remarks import backlash_notes, contact_notes
from .compile.sharing import sharing_notes
from .errors import InputError, Problem
from .methods.base import Method
from .methods.parse import method_of
from .methods.registry import METHODS
from .model.foreign import own_laws, refuse_absent
from .model.shape import embedded
from .model.system import System
from .native.kernel import PLAIN
from .native.library import identity
from .numerics.jit import readable
from .quantities.units import QuantityError, si
from .results.file import FileSink, load, refuse_output
from .results.held import held
from .results.layout import layout_of
from .results.missed import missed_peaks
from .results.sink import MemorySink, Sink
from .results.solution import Solution
from .runlength import rare_saves, refuse_long_steps
from .running import SAME, Progress, Running, drive, extremes, hand_over
from .selection import choose_method, rates
from .stopping import refuse_true_at_start, watched
from .switching import Switchboard
from .trust import doubts_about, statistics

log = logging.getLogger("jointplay")


def seconds(field: str, given: Any) -> float:
    """A time in SI, or an InputError that names the argument."""
    try:
        return si(given, "s")
    except QuantityError as error:
        raise InputError(Problem(field, str(error))) from None


def save_times(save: Any, begin: float, until: float) -> np.ndarray:
    """Instants to save: a list of times, an interval, or None for 1,000 intervals (these two with the end).

    Intervals count from t = 0, so that a continued run saves at the very instants of an uninterrupted one.
    """
    if save is None:
        return np.linspace(begin, until, 1001)
    if isinstance(save, str) or np.ndim(save) == 0:
        interval = seconds("save", save if isinstance(save, str) else float(save))
        if not 0.0 < interval:
            raise InputError(Problem("save", f"the interval must be positive, got {interval:g} s"))
        first, last = int(np.ceil(begin / interval * (1.0 - 1e-12))), int(np.floor(until / interval * (1.0 + 1e-12)))
        if last - first > 50_000_000:
            raise InputError(
                Problem("save", f"an interval of {interval:g} s makes {last - first} saves; take a longer one")
            )
        times = interval * np.arange(first, last + 1)
        near = len(times) > 0 and abs(until - times[-1]) <= 1e-9 * interval
        return times if near else np.append(times, until)
    times = np.unique([seconds("save", one if isinstance(one, str) else float(one)) for one in np.ravel(save)])
    if len(times) == 0 or times[0] < begin or times[-1] > until * (1 + 1e-12):
        raise InputError(Problem("save", f"save times must lie between {begin:g} and {until:g} s"))
    return times


def default_method(system: System, until: float = 1.0) -> Method:
    """The method of a model whose file and caller name none (selection.py)."""
    return choose_method(compile_system(system, horizon=until), until)[0]


def refuse_unsuitable(method: Method, compiled: Compiled) -> None:
    """InputError where a method cannot take a law of the model."""
    for interaction in compiled.interactions:
        if interaction.law is None:
            continue
        law, name = type(interaction.law).__name__, type(method).__name__
        if interaction.regime not in method.regimes:
            suits = [one.__name__ for one in METHODS.values() if interaction.regime in one.regimes]
            raise InputError(
                Problem("method", f"{name} cannot take {law} on {interaction.name}; those that can: {', '.join(suits)}")
            )
        objection = method.objection(interaction.law)
        if objection:
            raise InputError(Problem("method", f"{name} cannot take {law} on {interaction.name}: it {objection}"))


def simulate(
    system: System,
    until: float | str,
    method: Method | str | None = None,
    save: Any = None,
    *,
    progress: bool | Progress = False,
    output: str | Path | None = None,
    start: State | Solution | None = None,
    max_steps: int | None = None,
    at_most: float | str | None = None,
    record: Any = None,
) -> Solution:
    """Run ``system`` until the given time, or until a condition becomes true.

    Args:
        system: what to simulate.
        until: end time (s, or a string with a unit), or a condition such as "slider.position[0] > 0.3".
        method: how to integrate; if omitted Moreau where there is rigid contact, Implicit where forces are stiff, else
            Explicit, each with its usual tolerances; the log names it and the reason.
        save: interval (counted from t = 0), list of times, or None for 1,000 equal intervals.
        progress: True for a bar on stderr, or a function of (time, end, wall time).
        output: NetCDF-4 file to write while running.
        start: an earlier solution, or its State, to go on from.
        max_steps: stop with an outcome after so many steps.
        at_most: latest end (s, or a string with a unit) of a run until a condition.
        record: conditions whose instants are noted in ``sol.events``: a text, a list of texts, or texts by name.
    """
    began = clock.perf_counter()
    if not isinstance(system, System):
        raise InputError(Problem("system", f"needs a System (load_model reads one from a file), not {system!r}"))
    refuse_absent(system)
    system, limit = watched(system, until, at_most, record)
    end = seconds("until" if limit is until else "at_most", limit)
    if isinstance(start, Solution):
        start = _state_of(start)
    if not (start is None or isinstance(start, State)):
        raise InputError(Problem("start", f"needs the State of a solution (sol.state), not {start!r}"))
    begin = 0.0 if start is None else float(start.clock[0]["reached"])
    if not end > begin:
        raise InputError(Problem("until", f"the end must lie after the start at {begin:g} s, got {end:g} s"))
    given = method
    if method is not None:
        method = method_of(method, lambda raw, unit: si(raw, unit))
    compiled = compile_system(system, horizon=end)
    if method is None:
        method, why = choose_method(compiled, end)
        compiled.notes.append(f"method: {type(method).__name__}, because {why}")
    refuse_long_steps(method, end, given)
    pieces = compile_parts(compiled, end)
    state = join_states([piece.state for piece in pieces])
    if start is not None:
        state = _continue_from(start, state)
    board = Switchboard(compiled, start, begin, end) if system.inputs else None
    refuse_true_at_start(compiled, state, board.values if board else {}, board.reported if board else ())
    times = save_times(save, begin, end)
    if start is not None:
        times = times[times > begin * (1 + 1e-12)]
    log.info("method: %s, order %d", method, method.order)
    refuse_unsuitable(method, compiled)
    wide = doubtful_clearances(system, float(compiled.model.info[0]["length"]))
    compiled.notes += [f"warning: {one}" for one in (*system.warnings, *wide)]
    compiled.notes += [f"warning: {one}" for one in (*rare_saves(save, begin, end), *_too_long(compiled, method))]
    compiled.notes += [*backlash_notes(system), *contact_notes(compiled)]
    compiled.notes += [*open_contacts(system), *sharing_notes(compiled)]
    for note in (*compiled.notes, *compiled.rank.note()):
        log.log(logging.WARNING if note.startswith("warning:") else logging.INFO, note)
    return run_pieces(
        compiled,
        pieces,
        state,
        method,
        end,
        times,
        begin=begin,
        progress=progress,
        output=output,
        max_steps=max_steps,
        began=began,
        board=board,
    )


def run_pieces(
    compiled: Compiled,
    pieces: list[Compiled],
    state: State,
    method: Method,
    end: float,
    times: np.ndarray,
    *,
    begin: float = 0.0,
    progress: bool | Progress = False,
    output: str | Path | None = None,
    max_steps: int | None = None,
    began: float | None = None,
    board: Switchboard | None = None,
) -> Solution:
    """Run a compiled system in its independent parts, whose States one after the other are ``state``; wrap it."""
    began = clock.perf_counter() if began is None else began
    layout = layout_of(compiled)
    meta = describe(compiled, method, end)
    if board is not None:
        meta["inputs"], meta["spent"] = board.history, sorted(board.spent)
    sink: Sink
    watches = compiled.system.watches
    if output is not None and watches:
        refuse_output(Path(output))
    in_memory = output is None or watches
    sink = MemorySink(layout, times) if in_memory else FileSink(Path(output), layout, times, meta, state)  # type: ignore[arg-type]
    states = split_state(state, [piece.state for piece in pieces])
    driven = board is not None and (board.active or board.moved)
    parts = [
        Running(piece, own, method, layout, compiled.contacts, driven=driven)
        for piece, own in zip(pieces, states, strict=True)
    ]
    if board is not None and board.moved:
        for part in parts:
            part.set_inputs(board.values)
    if board is not None and watches:
        parts[0].reported = {n: board.reported[one.text] for n, one in enumerate(watches) if one.text in board.reported}
    started = clock.perf_counter()
    with _progress(progress, end) as report:
        verdict = drive(parts, state, times, end, sink, report, max_steps, board)
    if board is not None and board.active:
        hand_over(parts[0], board)
    stats = statistics(parts) | {"run_time": clock.perf_counter() - started, "wall_time": clock.perf_counter() - began}
    ending = next((f"'{one.name}'" for one in watches if one.stops and not one.switch), "")
    if ending and verdict.code is Code.DONE:
        verdict.code = Code.NEVER_TRUE
    last = float(times[sink.saved - 1]) if sink.saved else begin
    reached = end if verdict.code in (Code.DONE, Code.NEVER_TRUE) else last
    outcome = Outcome.of(
        verdict.code,
        reached if verdict.time is None else verdict.time,
        detail=verdict.detail,
        where=verdict.where,
        reason=verdict.reason or ending,
        warnings=doubts_about(parts, method) if verdict.code in (Code.DONE, Code.HALTED) else (),
        own=own_laws(compiled.system) if verdict.code in (Code.NOT_FINITE, Code.STEP_UNDERFLOW) else "",
    )
    for warning in outcome.warnings:
        log.warning(warning)
    if watches:
        if ending:
            meta["ends"] = ending[1:-1]
        meta["record"] = {one.name: one.text for one in watches if not one.stops}
        # what a run that goes on from here would not find again (methods/events.py)
        last = max(outcome.time, float(state.clock[0]["reached"])) * (1.0 + SAME)
        marks = sorted(parts[0].marks, key=lambda mark: mark[0])
        meta["events"] = [[time, watches[n].name] for time, n in marks if time <= last]
    if board is not None:
        meta["inputs"], meta["spent"] = board.history, sorted(board.spent)
        if board.reported:
            meta["told"] = board.reported
        state = held(state, board.values, spent=sorted(board.spent), reported=board.reported)
    solution = sink.finish(outcome, stats, meta, state, extremes(parts, layout))
    if output is not None and watches:
        solution = load(solution.save(output))
    solution.failed_contact = verdict.problem
    for sentence in missed_peaks(solution) if output is None else ():  # of a file, the summary reports it
        log.info(sentence)
    return solution


def _too_long(compiled: Compiled, method: Method) -> list[str]:
    """A sentence if a fixed step cannot follow the stiffest force."""
    step = float(getattr(method, "step", 0.0))
    rate, name = max(rates(compiled), default=(0.0, "")) if step > 0.0 else (0.0, "")
    if rate * step <= 1.0:
        return []
    return [f"the step of {step:g} s is long for {name}, which answers within {1.0 / rate:.1g} s; results may be wrong"]


def _state_of(solution: Solution) -> State:
    """What a run goes on from."""
    if solution.state is None:
        raise InputError(Problem("start", "this result has no State to go on from; another version wrote it"))
    return solution.state


def _continue_from(start: State, fresh: State) -> State:
    if start.y.shape != fresh.y.shape or start.memory.shape != fresh.memory.shape:
        raise InputError(Problem("start", "this State belongs to a system with other bodies or joints"))
    return readable(State(*(part.copy() for part in start)))


def describe(compiled: Compiled, method: Method, end: float) -> dict[str, Any]:
    """Origin of a result."""
    import platform

    from . import __version__

    extra: dict[str, Any] = {}
    try:
        text = compiled.system.to_yaml()
    except ValueError as error:  # a Python function cannot be written down
        text = f"# not available: {error}"
        extra["sketch"] = compiled.system.sketch()
    meshes = embedded(compiled.system.bodies)
    if meshes:
        extra["meshes"] = meshes
    return {
        "name": compiled.system.name,
        "model": text,
        **extra,
        "method": repr(method),
        "until": end,
        "notes": [*compiled.notes, *compiled.rank.note()],
        "multipliers": "least norm (redundant constraints)" if compiled.rank.redundant else "unique",
        "versions": {
            "jointplay": __version__,
            "numpy": np.__version__,
            "kernels": "plain Python" if PLAIN else identity(),
            "python": platform.python_version(),
        },
    }


@contextmanager
def _progress(progress: bool | Progress, end: float) -> Iterator[Progress | None]:
    """The function to call after each chunk: the user's own, a bar on stderr, or none."""
    if progress is False:
        yield None
    elif callable(progress):
        yield progress
    else:
        from .progress import bar

        with bar(end) as report:
            yield report
