"""One NetCDF-4 file per run, written while the run goes on (store.py says how), and read again when asked for.

While running the file is called ``NAME.part``; it takes its name when the run has ended, however it ended. A run that
is killed leaves the ``.part``, which opens like any other and holds every complete chunk.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from ..arrays import State
from ..codes import Code, Outcome
from ..errors import InputError, Problem
from .layout import Layout
from .sink import cut
from .solution import Solution
from .store import FORMAT, Store, read_events, read_state, reason

HDF5 = b"\x89HDF\r\n\x1a\n"  # first bytes of every NetCDF-4 file


def refuse_foreign(path: Path) -> None:
    """Never write over what is not a result: a model file, say."""
    if path.is_dir():
        raise InputError(Problem("output", f"cannot write {path}: it is a directory"))
    try:
        with path.open("rb") as file:
            head = file.read(8)
    except OSError:
        return  # not there, or not to be read: writing will tell
    if head and head != HDF5:
        raise InputError(Problem("output", f"{path} exists and is not a result; it would be lost. Choose another name"))


class FileSink:
    """Streams a run to a file."""

    def __init__(self, path: Path, layout: Layout, times: np.ndarray, meta: dict[str, Any], state: State) -> None:
        self.layout = layout
        self.saved = 0
        self._path = path
        self._part = path.with_name(path.name + ".part")
        self._times = len(times)
        self._slot = 0
        refuse_foreign(path)
        try:
            self._store = Store(self._part, layout, times, meta, state)
        except OSError as error:
            raise InputError(Problem("output", f"cannot write {path}: {reason(error)}")) from None

    def write(self, channels: np.ndarray, state: State) -> None:
        """Fill in the next states, then the restart State, then their number; raises OSError."""
        end, slot = self.saved + len(channels), 1 - self._slot
        for name, block in cut(channels, self.layout).items():
            self._store.put(name, self.saved, block)
        self._store.put_state(slot, state)
        self._store.put_progress(end, slot)
        self.saved, self._slot = end, slot

    def note(self, events: np.ndarray) -> None:
        """Add impacts to the list; raises OSError."""
        self._store.put_events(events)

    def finish(self, outcome: Outcome, stats: dict[str, Any], meta: dict[str, Any], state: State) -> Solution:
        """Add outcome and statistics and give the file its name; a run that stopped early is cut to what it saved."""
        try:
            self._store.put_verdict(outcome, stats)
            self._store.close()
            if self.saved < self._times and outcome.code is not Code.OUTPUT_FAILED:
                with suppress(InputError):  # no room for the shorter copy: the long file says how far it is filled
                    write_solution(load(self._part), self._path)
                    self._part.unlink()
                    return load(self._path)
            os.replace(self._part, self._path)
            return load(self._path)
        except OSError as error:  # what was written stays under its temporary name
            solution = load(self._part)
            if outcome.ok:
                outcome = Outcome.of(Code.OUTPUT_FAILED, outcome.time, reason=reason(error))
            solution.outcome, solution.stats = outcome, stats
            return solution


def write_solution(solution: Solution, path: Path) -> Path:
    """Write a whole solution at once, under a temporary name first."""
    refuse_foreign(path)
    part = path.with_name(path.name + ".new")
    try:
        store = Store(part, solution.layout, solution.time, solution.meta, solution.state)
        for variable in solution.layout.variables:
            store.put(variable.name, 0, solution._data[variable.name])
        store.put_events(solution._events)
        if solution.state is not None:
            store.put_state(0, solution.state)
        store.put_progress(len(solution.time), 0)
        store.put_verdict(solution.outcome, solution.stats)
        store.close()
        os.replace(part, path)
    except OSError as error:
        with suppress(OSError):
            part.unlink()
        raise InputError(Problem("output", f"cannot write {path}: {reason(error)}")) from None
    return path


class FileData(Mapping[str, np.ndarray]):
    """Variables of a file, read when they are asked for."""

    def __init__(self, path: Path, names: tuple[str, ...], saved: int) -> None:
        self._path, self._names, self._saved = path, names, saved
        self._cache: dict[str, np.ndarray] = {}

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._cache:
            import h5py  # opens many times faster than h5netcdf, which looks at every dimension first

            with h5py.File(self._path, "r") as file:
                self._cache[name] = np.asarray(file[name][: self._saved])
        return self._cache[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def load(path: str | Path) -> Solution:
    """Open a result file; a file that a killed run left behind (``.part``) opens with what it holds."""
    import h5netcdf

    path = Path(path)
    if not path.exists():
        part = path.with_name(path.name + ".part")
        hint = f"; the run was cut short, its results are in {part}" if part.exists() else ""
        raise InputError(Problem("", f"there is no such file{hint}", str(path)))
    if path.is_dir():
        raise InputError(Problem("", "is a directory, not a result file", str(path)))
    if not os.access(path, os.R_OK):
        raise InputError(Problem("", "cannot be read: permission denied", str(path)))
    try:
        with h5netcdf.File(path, "r") as file:
            if "jointplay_format" not in file.attrs:
                raise InputError(Problem("", "is a NetCDF file, but not a result of jointplay", str(path)))
            if int(file.attrs["jointplay_format"]) > FORMAT:
                raise InputError(Problem("", "was written by a newer jointplay; update to read it", str(path)))
            return _read(file, path)
    except InputError:
        raise
    except (OSError, RuntimeError):
        raise InputError(Problem("", "is not a result file, or is damaged", str(path))) from None
    except (KeyError, ValueError, TypeError, AttributeError, IndexError) as error:
        raise InputError(Problem("", f"is damaged: {error}", str(path))) from None


def _read(file: Any, path: Path) -> Solution:
    texts = {name: bytes(np.asarray(file.variables[name][...])).decode() for name in ("layout", "meta", "verdict")}
    layout = Layout.from_json(json.loads(texts["layout"]))
    saved, slot = (int(x) for x in file.variables["progress"][:])
    if not 0 <= saved <= len(file.variables["time"]) or slot not in (0, 1):
        raise ValueError("its count of saved states cannot be")
    missing = [variable.name for variable in layout.variables if variable.name not in file.variables]
    if missing:
        raise ValueError(f"{missing[0]} is missing")
    times = np.asarray(file.variables["time"][:saved])
    if texts["verdict"].strip():
        facts = json.loads(texts["verdict"])
        outcome, stats = Outcome(Code(facts["code"]), facts["time"], facts["message"]), facts["stats"]
    else:  # still running, or killed
        outcome, stats = Outcome.of(Code.INTERRUPTED, float(times[-1]) if saved else 0.0), {}
    return Solution(
        layout=layout,
        time=times,
        data=FileData(path, tuple(variable.name for variable in layout.variables), saved),
        outcome=outcome,
        stats=stats,
        meta=json.loads(texts["meta"]),
        state=read_state(file, slot),
        path=path,
        events=read_events(file),
    )
