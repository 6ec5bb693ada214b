"""One NetCDF-4 file per run, written while the run goes on (by store.py), and read again on access.

While running the file is called ``NAME.part``; it takes its name when the run has ended, however it ended. A run that
is killed leaves the ``.part``, which opens like any other and holds every complete chunk. Nobody's work is written
over: a ``.part`` that is there is refused, and so is a ``NAME`` that is no result, at the start and again at the end.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from ..arrays import State
from ..codes import Code, Outcome
from ..errors import InputError, Problem
from ..writing import cannot_write, obstacle, reason, refuse_ending, refuse_place, writing
from .filedata import FileData, opened
from .layout import Layout
from .lock import is_marked
from .reading import is_result, read_solution
from .sink import cut
from .solution import Solution
from .store import MOST_EVENTS, Store

ATTEMPTS = 3  # to read a file that is being written
SPARE = 0.1  # share of a file that may stay empty; with more of it the file is copied to its true length


def refuse_output(path: Path) -> Path:
    """The ``.part`` of a result to be written, or an InputError with what would be lost."""
    refuse_place(path)
    part = part_of(path)
    if is_marked(part):
        raise cannot_write(path, "another run is writing it")
    if path.exists():
        try:
            ours = is_result(path) or path.stat().st_size == 0
        except OSError as error:
            raise cannot_write(path, f"it is there, and cannot be read: {reason(error)}") from None
        if not ours:
            message = f"{path} exists and is not a result; it would be lost. Choose another name"
            raise InputError(Problem("output", message))
    refuse_ending(path, (".nc",), "results are NetCDF-4 files, NAME.nc (sol.to_csv writes tables)")
    return part


def part_of(path: Path) -> Path:
    """What a file is called while it is written."""
    return path.with_name(path.name + ".part")


class FileSink:
    """Streams a run to a file."""

    def __init__(self, path: Path, layout: Layout, times: np.ndarray, meta: dict[str, Any], state: State) -> None:
        self.layout = layout
        self.saved = 0
        self._path = path
        self._part = refuse_output(path)
        self._before = _identity(path)
        self._times = len(times)
        self._slot = 0
        self._more: list[np.ndarray] = []  # impacts that found no room in the list
        try:
            self._store = Store(self._part, layout, times, meta, state, MOST_EVENTS)
        except FileExistsError:
            raise InputError(Problem("output", _in_the_way(path, self._part))) from None
        except OSError as error:
            raise cannot_write(path, reason(error)) from None

    def write(self, channels: np.ndarray, state: State) -> None:
        """Fill in the next states, then the restart State, then their number; raises OSError."""
        end, slot = self.saved + len(channels), 1 - self._slot
        for name, block in cut(channels, self.layout).items():
            self._store.put(name, self.saved, block)
        self._store.put_state(slot, state)
        self._store.put_progress(end, slot)
        self.saved, self._slot = end, slot

    def end_at(self, time: float) -> None:
        """Times stand in a file before the run begins: a run that a condition may end is written when it has ended."""
        raise NotImplementedError("such a run is kept in memory first")

    def note(self, events: np.ndarray) -> None:
        """Add impacts to the list; raises OSError."""
        kept = 0 if self._more else self._store.put_events(events)
        if kept < len(events):
            self._more.append(events[kept:])

    def finish(
        self,
        outcome: Outcome,
        stats: dict[str, Any],
        meta: dict[str, Any],
        state: State,
        extremes: np.ndarray | None = None,
    ) -> Solution:
        """Add outcome and statistics and give the file its name; one that is not full is cut to what it holds."""
        try:
            self._store.drop_unfinished()
            with suppress(OSError):  # on a full disk the verdict still finds its place
                self._store.put_extremes(extremes)
            self._store.put_verdict(outcome, stats)
            roomy = self.saved < self._times or self._store.spare > SPARE or bool(self._more)
            self._store.close()
            if _identity(self._path) != self._before:
                raise OSError(f"{self._path} was written by something else meanwhile")
            if not (roomy and outcome.code is not Code.OUTPUT_FAILED and self._shorten()):
                refuse_place(self._path)
                os.replace(self._part, self._path)
        except (OSError, InputError) as error:  # what was written stays under its temporary name
            solution = load(self._part)
            if outcome.ok:
                outcome = Outcome.of(Code.OUTPUT_FAILED, outcome.time, reason=reason(error))
            solution.outcome, solution.stats = outcome, stats
            return solution
        return load(self._path)

    def _shorten(self) -> bool:
        """Put a copy of the true length in place; False if there is no room for it: the long file shows its filling."""
        whole = load(self._part)
        whole._events = np.concatenate([whole._events, *self._more])
        try:
            _write(whole, self._path)
        except InputError:
            return False
        self._part.unlink()
        return True


def write_solution(solution: Solution, path: Path) -> Path:
    """Write a whole solution at once, under a temporary name first."""
    refuse_output(path)
    own = solution.path is not None and path.exists() and path.samefile(solution.path)
    _write(solution, path)
    if own:  # from now on its numbers are read from the new file
        solution._data = load(path)._data
    return path


def load(path: str | Path) -> Solution:
    """Open a result file; a file that a killed run left behind (``.part``) opens with what it holds."""
    path = Path(path)
    try:
        why = obstacle(path.stat().st_mode)
    except FileNotFoundError:
        part = part_of(path) if path.name else path
        hint = f"; the run was cut short, its results are in {part}" if part.exists() else ""
        raise InputError(Problem("", f"there is no such file{hint}", str(path))) from None
    except (OSError, ValueError) as error:
        raise InputError(Problem("", f"cannot be read: {reason(error)}", str(path))) from None
    if why:
        raise InputError(Problem("", f"is {why}, not a result file", str(path)))
    for attempt in range(ATTEMPTS):
        try:
            with opened(path) as stream:
                return read_solution(stream, path)
        except InputError:  # of a file that is being written, because it was looked at in the wrong moment
            if attempt == ATTEMPTS - 1 or not is_marked(path):
                raise
    raise AssertionError


def _write(solution: Solution, path: Path) -> Path:
    with writing(path) as draft:
        events = solution._events
        store = Store(draft, solution.layout, solution.time, solution.meta, solution.state, len(events))
        try:
            for variable in solution.layout.variables:
                first = 0
                for block in _blocks(solution, variable.name):
                    store.put(variable.name, first, block)
                    first += len(block)
            store.put_events(events)
            store.put_progress(len(solution.time), 0)
            store.put_extremes(solution._extremes)
            store.put_verdict(solution.outcome, solution.stats)
        finally:
            store.close()
    return path


def _blocks(solution: Solution, name: str) -> Iterator[np.ndarray]:
    data = solution._data
    return data.blocks(name) if isinstance(data, FileData) else iter([data[name]])


def _identity(path: Path) -> tuple[int, int, int] | None:
    """By which a file is known again; None if there is none."""
    try:
        facts = path.stat()
    except OSError:
        return None
    return facts.st_ino, facts.st_size, facts.st_mtime_ns


def _in_the_way(path: Path, part: Path) -> str:
    """What stands where the run would write, and what to do about it."""
    try:
        if is_marked(part):
            return f"cannot write {path}: another run is writing it"
        if not obstacle(part.lstat().st_mode) and is_result(part):
            return (
                f"{part} holds what an earlier run had saved when it was cut short; it would be lost. Rename or delete "
                f"it, or go on from it: simulate(..., start=jointplay.load({str(part)!r}).state) with another output"
            )
    except OSError:
        pass
    return f"{part} is in the way: results are written under that name first. Choose another name or remove it"
