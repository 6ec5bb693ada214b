"""simulate: compile a system, run a method over it, wrap the result.

The time loop is in the method's kernel; between chunks Python writes what was saved, shows progress and takes Ctrl-C.
"""

from __future__ import annotations

import logging
import time as clock
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from . import arrays
from .arrays import Record, State
from .codes import Code, Outcome
from .compile.build import compile_system
from .compile.pack import Compiled
from .compile.remarks import contact_notes
from .compile.work import make_work
from .errors import InputError, Problem
from .methods.base import Method
from .methods.parse import method_of
from .methods.registry import METHODS
from .model.shape import embedded
from .model.system import System
from .quantities.units import QuantityError, si
from .results.file import FileSink
from .results.layout import layout_of
from .results.sink import MemorySink, Sink
from .results.solution import Solution
from .selection import choose_method, rates

log = logging.getLogger("jointplay")

CHUNK_BYTES = 4_000_000  # of saved channels between two writes
PATIENCE = 0.25  # s of wall time between two looks at Python

Progress = Callable[[float, float, float], None]  # simulated time, end, wall time


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
) -> Solution:
    """Run ``system`` until the given time.

    Args:
        system: what to simulate.
        until: end time (s, or a string with a unit).
        method: how to integrate; if omitted Moreau where there is rigid contact, Implicit where forces are stiff, else
            Explicit, each with its usual tolerances; the log says which and why.
        save: interval (counted from t = 0), list of times, or None for 1,000 equal intervals.
        progress: True for a bar on stderr, or a function of (time, end, wall time).
        output: NetCDF-4 file to write while running.
        start: an earlier solution, or its State, to go on from.
        max_steps: stop with an outcome after so many steps.
    """
    began = clock.perf_counter()
    if not isinstance(system, System):
        raise InputError(Problem("system", f"needs a System (load_model reads one from a file), not {system!r}"))
    end = seconds("until", until)
    if isinstance(start, Solution):
        start = start.state
    if not (start is None or isinstance(start, State)):
        raise InputError(Problem("start", f"needs the State of a solution (sol.state), not {start!r}"))
    begin = 0.0 if start is None else float(start.clock[0]["reached"])
    if not end > begin:
        raise InputError(Problem("until", f"the end must lie after the start at {begin:g} s, got {end:g} s"))
    if method is not None:
        method = method_of(method, lambda raw, unit: si(raw, unit))
    compiled = compile_system(system, horizon=end)
    if method is None:
        method, why = choose_method(compiled, end)
        compiled.notes.append(f"method: {type(method).__name__}, because {why}")
    state = compiled.state if start is None else _continue_from(start, compiled.state)
    times = save_times(save, begin, end)
    if start is not None:
        times = times[times > begin * (1 + 1e-12)]
    log.info("method: %s, order %d", method, method.order)
    refuse_unsuitable(method, compiled)
    compiled.notes += [f"warning: {one}" for one in (*system.warnings, *_too_long(compiled, method))]
    compiled.notes += contact_notes(compiled)
    for note in (*compiled.notes, *compiled.rank.note()):
        log.log(logging.WARNING if note.startswith("warning:") else logging.INFO, note)
    layout = layout_of(compiled)
    meta = _describe(compiled, method, end)
    sink: Sink = FileSink(Path(output), layout, times, meta, state) if output else MemorySink(layout, times)
    with _progress(progress, end) as tell:
        code, stats, where = _drive(compiled, state, method, times, end, sink, tell, max_steps)
    stats["wall_time"] = clock.perf_counter() - began
    reached = end if code is Code.DONE else float(times[sink.saved - 1]) if sink.saved else begin
    if code not in (Code.DONE, Code.INTERRUPTED, Code.OUTPUT_FAILED):
        reached = float(state.clock[0]["t"])
    outcome = Outcome.of(code, reached, detail=stats.pop("detail"), where=where, reason=stats.pop("reason", ""))
    problem = stats.pop("problem", None)
    solution = sink.finish(outcome, stats, meta, state)
    solution.failed_contact = problem
    return solution


def _too_long(compiled: Compiled, method: Method) -> list[str]:
    """A sentence if a fixed step cannot follow the stiffest force."""
    step = float(getattr(method, "step", 0.0))
    rate, name = max(rates(compiled), default=(0.0, "")) if step > 0.0 else (0.0, "")
    if rate * step <= 1.0:
        return []
    return [f"the step of {step:g} s is long for {name}, which answers within {1.0 / rate:.1g} s; results may be wrong"]


def _continue_from(start: State, fresh: State) -> State:
    if start.y.shape != fresh.y.shape or start.memory.shape != fresh.memory.shape:
        raise InputError(Problem("start", "this State belongs to a system with other bodies or joints"))
    return State(*(part.copy() for part in start))


def _describe(compiled: Compiled, method: Method, end: float) -> dict[str, Any]:
    """What a result says about where it came from."""
    import platform

    import numba

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
            "numba": numba.__version__,
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

        with bar(end) as tell:
            yield tell


def _drive(
    compiled: Compiled,
    state: State,
    method: Method,
    times: np.ndarray,
    end: float,
    sink: Sink,
    tell: Progress | None,
    max_steps: int | None,
) -> tuple[Code, dict[str, Any], str]:
    """Call the run kernel chunk by chunk until all is saved or it fails."""
    model = compiled.model
    method.prepare(model)
    work = make_work(model, state, method.stages, implicit=method.implicit)
    settings = method.settings(float(model.info[0]["length"]))
    budget = 50
    wanted = len(times)
    span = times if times[-1] >= end * (1.0 - 1e-12) else np.append(times, end)  # runs to the end, saved or not
    chunk = int(np.clip(CHUNK_BYTES // (8 * sink.layout.channels), 1, 4096))
    began = clock.perf_counter()
    code = Code.CONTINUE
    reason = ""
    try:
        for first in range(0, len(span), chunk):
            part = span[first : first + chunk]
            record = Record(part, np.empty((len(part), sink.layout.channels)), np.zeros(1, dtype=np.int64))
            written = 0
            while written < len(part):
                done = int(work.tally[arrays.STEPS] + work.tally[arrays.PENDING])
                settings[0]["budget"] = budget if max_steps is None else min(budget, max_steps - done)
                before = clock.perf_counter()
                code = Code(method.run(model, state, work, record, settings))
                spent = clock.perf_counter() - before
                # aim at a look every PATIENCE seconds, whatever a step costs
                budget = int(np.clip(budget * np.clip(PATIENCE / max(spent, 1e-6), 0.5, 4.0), 1, 10_000_000))
                ready = int(record.next[0])
                events = int(work.tally[arrays.EVENT_COUNT])
                if events:
                    sink.note(work.event[:events].copy())
                    work.tally[arrays.EVENT_COUNT] = 0
                if ready > written:
                    state.clock[0]["reached"] = part[ready - 1]
                    if sink.saved < wanted:
                        sink.write(record.channels[written:ready][: wanted - sink.saved], state)
                    written = ready
                if tell is not None:
                    tell(float(state.clock[0]["t"]), end, clock.perf_counter() - began)
                if code is not Code.CONTINUE:
                    break
                done = int(work.tally[arrays.STEPS] + work.tally[arrays.PENDING])
                if max_steps is not None and done >= max_steps and written < len(part):
                    code = Code.STEP_LIMIT
                    break
            if code is not Code.CONTINUE:
                break
        else:
            code = Code.DONE
    except KeyboardInterrupt:
        code = Code.INTERRUPTED
    except OSError as error:
        code, reason = Code.OUTPUT_FAILED, error.strerror or str(error)
    tally = work.tally
    row = int(tally[arrays.CULPRIT])
    of_contact = code in (Code.CONTACT_FAILED, Code.ENDLESS_IMPACTS, Code.STEP_UNDERFLOW)
    names = compiled.contacts if of_contact else compiled.row_names
    blamed = (of_contact or code in (Code.PROJECTION_FAILED, Code.NOT_FINITE)) and 0 <= row < len(names)
    stats = {
        "steps": int(tally[arrays.STEPS] + tally[arrays.PENDING]),
        "rejections": int(tally[arrays.REJECTIONS]),
        "evaluations": int(tally[arrays.EVALUATIONS]),
        "factorisations": int(tally[arrays.FACTORISATIONS]),
        "worst_position_residual": float(tally[arrays.WORST_POSITION]),
        "worst_velocity_residual": float(tally[arrays.WORST_VELOCITY]),
        "run_time": clock.perf_counter() - began,
        "detail": float(tally[arrays.DETAIL]),
        "reason": reason,
    }
    if len(model.contact):
        stats |= {
            "impacts": int(tally[arrays.IMPACTS]),
            "contact_problems": int(tally[arrays.CONTACT_SOLVES]),
            "contact_iterations": int(tally[arrays.CONTACT_ITERATIONS]),
            "worst_contact_residual": float(tally[arrays.WORST_CONTACT]),
            "worst_penetration": float(tally[arrays.WORST_GAP]),
        }
    if len(model.pad):
        stats |= {"onsets": int(tally[arrays.ONSETS]), "deepest_onset": float(tally[arrays.DEEPEST_ONSET])}
    if method.implicit:
        stats |= {"newton_iterations": int(tally[arrays.NEWTONS]), "jacobians": int(tally[arrays.JACOBIANS])}
    if model.info[0]["rubs"]:
        stats |= {
            "friction_iterations": int(tally[arrays.RUB_ITERATIONS]),
            "worst_friction_residual": float(tally[arrays.WORST_RUB]),
        }
    if tally[arrays.LOCAL_ERROR] > 0.0:
        stats |= {
            "worst_local_error": float(tally[arrays.LOCAL_ERROR]),
            "sum_of_local_errors": float(tally[arrays.ERROR_SUM]),
        }
    if code is Code.CONTACT_FAILED:
        stats["problem"] = _problem(compiled, work)
    return code, stats, names[row] if blamed else ""


def _problem(compiled: Compiled, work: arrays.Work) -> dict[str, Any]:
    """The contact problem that had no answer, as numerics.contact.write_problem takes it."""
    dim = int(compiled.model.info[0]["dim"])
    held = [c for c, place in enumerate(work.touch["place"]) if place != arrays.NONE]
    n = dim * len(held)
    return {
        "W": work.delassus[:n, :n].copy(),
        "q": work.problem[arrays.FREE, :n].copy(),
        "mu": work.problem[arrays.MU, : len(held)].copy(),
        "dim": dim,
        "note": ", ".join(compiled.contacts[c] for c in held),
    }
