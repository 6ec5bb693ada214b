"""One NetCDF-4 file per run (h5netcdf), written while the run goes on.

All arrays have their place in the file from the start and are filled in place (the file is sparse until then), so that
after the first flush only raw data change: a process that is killed leaves a file that opens and holds every complete
chunk. The number of saved states is written after the states themselves; the restart State is kept twice, and the same
number says which copy is valid. While running the file is called ``NAME.part``; it takes its name when the run has
ended, and keeps the other one if not even that can be written.
"""

from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from ..arrays import State, clock_dtype
from ..codes import Code, Outcome
from ..errors import InputError, Problem
from .layout import Layout, Variable
from .sink import cut
from .solution import Solution

FORMAT = 1
COMPONENTS = {3: "xyz", 4: "euler"}
STATE_PARTS = ("clock", "y", "dy", "memory")


def _dims(variable: Variable) -> tuple[str, ...]:
    component = (COMPONENTS[variable.width],) if variable.width > 1 else ()
    return ("time", *((variable.dimension,) if variable.dimension else ()), *component)


def _text(file: Any, name: str, text: str) -> None:
    """Long texts are stored as bytes: attributes have a size limit."""
    raw = np.frombuffer(text.encode() or b" ", dtype=np.uint8)
    file.dimensions[f"{name}_bytes"] = len(raw)
    file.create_variable(name, (f"{name}_bytes",), data=raw)


def _bytes_of(state: State) -> list[np.ndarray]:
    return [np.frombuffer(part.tobytes(), dtype=np.uint8) for part in state]


def reason(error: BaseException) -> str:
    """Why the system refused, without the inner life of the file format."""
    number = getattr(error, "errno", None)
    if number == errno.EAGAIN:
        return "another process is writing it"
    if number:
        return os.strerror(number)
    found = re.search(r"error message = '([^']*)'", str(error))
    return found[1] if found else str(error).splitlines()[0] if str(error) else type(error).__name__


def _in_place() -> dict[str, Any]:
    """Options of a variable whose room is given at once, unfilled."""
    import h5py

    plan = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plan.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    return {"dcpl": plan, "fill_time": "never"}


def _create(path: Path, layout: Layout, times: np.ndarray, meta: dict[str, Any], state: State | None) -> Any:
    import h5netcdf
    import h5py

    file = h5netcdf.File(path, "w")
    file.attrs["Conventions"] = "jointplay-1"
    file.attrs["jointplay_format"] = FORMAT
    file.attrs["title"] = meta.get("name") or "jointplay run"
    file.dimensions.update({"time": len(times), "xyz": 3, "euler": 4, "progress": 2, "copy": 2})
    file.create_variable("time", ("time",), data=times).attrs["units"] = "s"
    _text(file, "layout", json.dumps(layout.to_json()))
    _text(file, "meta", json.dumps(meta))
    file.create_variable("progress", ("progress",), data=np.zeros(2, dtype=np.int64))
    for variable in layout.variables:
        if variable.dimension and variable.dimension not in file.dimensions:
            labels = list(variable.labels)
            file.dimensions[variable.dimension] = len(labels)
            names = file.create_variable(variable.dimension, (variable.dimension,), dtype=h5py.string_dtype())
            names[:] = np.array(labels, dtype=object)
        entry = file.create_variable(variable.name, _dims(variable), dtype=float, fillvalue=np.nan, **_in_place())
        units = set(variable.units)
        entry.attrs["units"] = units.pop() if len(units) == 1 else ", ".join(variable.units)
        entry.attrs["long_name"] = variable.summary
    if state is not None:
        for name, raw in zip(STATE_PARTS, _bytes_of(state), strict=True):
            file.dimensions[f"state_{name}_bytes"] = len(raw)
            file.create_variable(f"state_{name}", ("copy", f"state_{name}_bytes"), dtype=np.uint8, **_in_place())
    return file


def _read_state(file: Any, slot: int) -> State | None:
    if "state_y" not in file.variables:
        return None
    raw = {name: np.asarray(file.variables[f"state_{name}"][slot]).tobytes() for name in STATE_PARTS}
    return State(
        clock=np.frombuffer(raw["clock"], dtype=clock_dtype).copy(),
        y=np.frombuffer(raw["y"]).copy(),
        dy=np.frombuffer(raw["dy"]).copy(),
        memory=np.frombuffer(raw["memory"]).copy(),
    )


class FileSink:
    """Streams a run to a file."""

    def __init__(self, path: Path, layout: Layout, times: np.ndarray, meta: dict[str, Any], state: State) -> None:
        self.layout = layout
        self.saved = 0
        self._path = path
        self._part = path.with_name(path.name + ".part")
        self._slot = 0
        self._times = len(times)
        try:
            self._file = _create(self._part, layout, times, meta, state)
            self._file.flush()
        except (OSError, RuntimeError) as error:
            raise InputError(Problem("output", f"cannot write {path}: {reason(error)}")) from None

    def write(self, channels: np.ndarray, state: State) -> None:
        """Fill in the next states, then the restart State, then their number; raises OSError."""
        end = self.saved + len(channels)
        slot = 1 - self._slot
        try:
            for name, block in cut(channels, self.layout).items():
                self._file.variables[name][self.saved : end] = block
            for name, raw in zip(STATE_PARTS, _bytes_of(state), strict=True):
                self._file.variables[f"state_{name}"][slot] = raw
            self._file.flush()
            self._file.variables["progress"][:] = (end, slot)
            self._file.flush()
        except (OSError, RuntimeError) as error:
            raise OSError(getattr(error, "errno", None) or errno.EIO, reason(error)) from None
        self.saved, self._slot = end, slot

    def finish(self, outcome: Outcome, stats: dict[str, Any], meta: dict[str, Any], state: State) -> Solution:
        """Add outcome and statistics, cut to what was saved, and give the file its name."""
        try:
            if self.saved == self._times:
                _stamp(self._file, outcome, stats)
                self._file.close()
                os.replace(self._part, self._path)
                return load(self._path)
            self._file.close()
            partial = load(self._part)
            partial.outcome, partial.stats, partial.meta = outcome, stats, meta
            write_solution(partial, self._path)
            self._part.unlink()
            return load(self._path)
        except (OSError, RuntimeError, InputError) as error:
            return self._salvage(outcome, stats, error)

    def _salvage(self, outcome: Outcome, stats: dict[str, Any], error: Exception) -> Solution:
        """The disk refuses even the end: what was written stays under its temporary name."""
        with suppress(OSError, RuntimeError):
            self._file.close()
        solution = load(self._part)
        if outcome.ok:
            outcome = Outcome.of(Code.OUTPUT_FAILED, outcome.time, reason=reason(error))
        solution.outcome, solution.stats = outcome, stats
        return solution


def _stamp(file: Any, outcome: Outcome, stats: dict[str, Any]) -> None:
    file.attrs["outcome_code"] = int(outcome.code)
    file.attrs["outcome_time"] = outcome.time
    file.attrs["outcome_message"] = outcome.message
    file.attrs["stats"] = json.dumps(stats)


def write_solution(solution: Solution, path: Path) -> Path:
    """Write a whole solution at once, under a temporary name first."""
    part = path.with_name(path.name + ".part")
    if solution.path == part:
        part = path.with_name(path.name + ".cut")
    try:
        file = _create(part, solution.layout, solution.time, solution.meta, solution.state)
        with file:
            for variable in solution.layout.variables:
                file.variables[variable.name][...] = solution._data[variable.name]
            if solution.state is not None:
                for name, raw in zip(STATE_PARTS, _bytes_of(solution.state), strict=True):
                    file.variables[f"state_{name}"][0] = raw
            file.variables["progress"][:] = (len(solution.time), 0)
            _stamp(file, solution.outcome, solution.stats)
        os.replace(part, path)
    except (OSError, RuntimeError) as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise InputError(Problem("output", f"cannot write {path}: {reason(error)}")) from None
    return path


class FileData(Mapping[str, np.ndarray]):
    """Variables of a file, read when they are asked for."""

    def __init__(self, path: Path, names: tuple[str, ...], saved: int) -> None:
        self._path, self._names, self._saved = path, names, saved
        self._cache: dict[str, np.ndarray] = {}

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._cache:
            import h5netcdf

            with h5netcdf.File(self._path, "r") as file:
                self._cache[name] = np.asarray(file.variables[name][: self._saved])
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
    except (OSError, RuntimeError) as error:
        busy = getattr(error, "errno", None) == errno.EAGAIN
        why = "is being written by a run" if busy else "is not a result file, or is damaged"
        raise InputError(Problem("", why, str(path))) from None
    except InputError:
        raise
    except (KeyError, ValueError, TypeError, AttributeError, IndexError) as error:
        raise InputError(Problem("", f"is damaged: {error}", str(path))) from None


def _read(file: Any, path: Path) -> Solution:
    texts = {name: bytes(np.asarray(file.variables[name][...])).decode() for name in ("layout", "meta")}
    layout = Layout.from_json(json.loads(texts["layout"]))
    saved, slot = (int(x) for x in file.variables["progress"][:])
    if not 0 <= saved <= len(file.variables["time"]) or slot not in (0, 1):
        raise ValueError("its count of saved states cannot be")
    missing = [v.name for v in layout.variables if v.name not in file.variables]
    if missing:
        raise ValueError(f"{missing[0]} is missing")
    times = np.asarray(file.variables["time"][:saved])
    if "outcome_code" in file.attrs:
        code = Code(int(file.attrs["outcome_code"]))
        outcome = Outcome(code, float(file.attrs["outcome_time"]), str(file.attrs["outcome_message"]))
        stats = json.loads(str(file.attrs["stats"]))
    else:  # the process was killed
        outcome = Outcome.of(Code.INTERRUPTED, float(times[-1]) if saved else 0.0)
        stats = {}
    return Solution(
        layout=layout,
        time=times,
        data=FileData(path, tuple(v.name for v in layout.variables), saved),
        outcome=outcome,
        stats=stats,
        meta=json.loads(texts["meta"]),
        state=_read_state(file, slot),
        path=path,
    )
