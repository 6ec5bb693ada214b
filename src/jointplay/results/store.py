"""The result file itself: a NetCDF-4 skeleton of full size whose data are then filled in place.

HDF5 gives every array its place when the file is made, and is closed again before the run begins. From then on plain
writes fill the arrays at their offsets, so that at every instant the file is a complete and valid one: a process that
is killed leaves nothing half-done in a cache, and a full disk is an OSError like any other (HDF5 does not survive one).
Places that are not filled yet take no room on disk. The order of writing is the contract:

1. the states, 2. the restart State, into the older of two slots, 3. ``progress`` = (number of states, slot).
"""

from __future__ import annotations

import errno
import json
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from ..arrays import EVENT_COLUMNS, State, clock_dtype
from ..codes import Outcome
from .layout import Layout, Variable

FORMAT = 1
COMPONENTS = {2: "tangent", 3: "xyz", 4: "euler"}
AXES = {"tangent": ("1", "2"), "xyz": ("x", "y", "z"), "euler": ("e0", "e1", "e2", "e3")}
MOST_EVENTS = 200_000  # lines of the list of impacts that have room
ROOM = 1_000_000  # bytes, for names, texts and the book-keeping of HDF5
VERDICT = 8_192  # bytes kept for the outcome and the statistics


def dims_of(variable: Variable) -> tuple[str, ...]:
    """Names of the dimensions of a variable."""
    component = (COMPONENTS[variable.width],) if variable.width > 1 else ()
    return ("time", *((variable.dimension,) if variable.dimension else ()), *component)


def reason(error: BaseException) -> str:
    """Why the system refused, without the inner life of the file format."""
    number = getattr(error, "errno", None)
    if number in (errno.EAGAIN, errno.EACCES) and "lock" in str(error):
        return "another run is writing it"
    if number:
        return os.strerror(number)
    found = re.search(r"error message = '([^']*)'", str(error))
    return found[1] if found else str(error).splitlines()[0] if str(error) else type(error).__name__


class Store:
    """A result file that is being filled; every method may raise OSError."""

    def __init__(
        self, path: Path, layout: Layout, times: np.ndarray, meta: dict[str, Any], state: State | None
    ) -> None:
        events = 8 * EVENT_COLUMNS * MOST_EVENTS if layout.contacts else 0
        size = events + 8 * (layout.channels + 1) * len(times) + 2 * sum(part.nbytes for part in state or ()) + ROOM
        _probe(path, size)
        try:
            _create(path, layout, times, meta, state)
        except RuntimeError as error:  # how HDF5 tells of some failures
            raise OSError(errno.EIO, reason(error)) from None
        self._offsets = _offsets(path)
        self._events = 0
        self._stream = path.open("r+b", buffering=0)
        _lock(self._stream.fileno())

    def put(self, name: str, first: int, block: np.ndarray) -> None:
        """Fill in lines of a variable, beginning with number ``first``."""
        data = np.ascontiguousarray(block)
        if data.size == 0:
            return
        line = data.itemsize * int(np.prod(data.shape[1:], dtype=np.int64))
        self._write(self._offsets[name] + first * line, data.tobytes())

    def put_state(self, slot: int, state: State) -> None:
        """Fill one of the two slots of the restart State."""
        self.put("state", slot, np.frombuffer(_bytes_of(state), dtype=np.uint8)[np.newaxis])

    def put_progress(self, saved: int, slot: int) -> None:
        """Make what was written count."""
        self.put("progress", 0, np.array([saved, slot], dtype=np.int64))

    def put_events(self, events: np.ndarray) -> None:
        """Add impacts to the list, then make them count; those that find no room are left out."""
        kept = events[: MOST_EVENTS - self._events]
        if len(kept):
            self.put("impacts", self._events, kept)
            self._events += len(kept)
            self.put("impact_count", 0, np.array([self._events], dtype=np.int64))

    def put_verdict(self, outcome: Outcome, stats: dict[str, Any]) -> None:
        """Say how the run ended."""
        facts = {"code": int(outcome.code), "time": outcome.time, "message": outcome.message[:2000], "stats": stats}
        text = json.dumps(facts).encode().ljust(VERDICT)
        self.put("verdict", 0, np.frombuffer(text[:VERDICT], dtype=np.uint8))

    def close(self) -> None:
        """Hand everything to the disk."""
        try:
            os.fsync(self._stream.fileno())
        finally:
            self._stream.close()

    def _write(self, offset: int, data: bytes) -> None:
        self._stream.seek(offset)
        rest = memoryview(data)
        while rest:
            rest = rest[self._stream.write(rest) :]


def read_state(file: Any, slot: int) -> State | None:
    """The restart State of an open file."""
    if "state" not in file.variables:
        return None
    raw = np.asarray(file.variables["state"][slot]).tobytes()
    sizes = [int(size) for size in np.atleast_1d(file.variables["state"].attrs["sizes"])]
    ends = np.cumsum([0, *sizes])
    clock, y, dy, memory = (raw[ends[k] : ends[k + 1]] for k in range(4))
    return State(
        clock=np.frombuffer(clock, dtype=clock_dtype).copy(),
        y=np.frombuffer(y).copy(),
        dy=np.frombuffer(dy).copy(),
        memory=np.frombuffer(memory).copy(),
    )


def read_events(file: Any) -> np.ndarray | None:
    """The list of impacts of an open file."""
    if "impact_count" not in file.variables:
        return None
    return np.asarray(file.variables["impacts"][: int(file.variables["impact_count"][0])])


def _bytes_of(state: State) -> bytes:
    return b"".join(part.tobytes() for part in state)


def _lock(descriptor: int) -> None:
    """Keep other runs out; a POSIX lock does not hinder readers, nor HDF5."""
    try:
        import fcntl
    except ImportError:  # no such locks on this system
        return
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise OSError(errno.EAGAIN, "locked by another run") from None


def _probe(path: Path, size: int) -> None:
    """Find out with plain writes whether the file can be made: HDF5 does not survive it if not."""
    new = not path.exists()
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        _lock(descriptor)
        os.ftruncate(descriptor, 0)
        try:
            rest = memoryview(bytes(ROOM))
            while rest:
                rest = rest[os.write(descriptor, rest) :]
            os.ftruncate(descriptor, size)
        except OSError:
            if new:
                with suppress(OSError):
                    path.unlink()
            raise
    finally:
        os.close(descriptor)


def _create(path: Path, layout: Layout, times: np.ndarray, meta: dict[str, Any], state: State | None) -> None:
    """The skeleton: dimensions, names, texts, and room for the data."""
    import h5netcdf
    import h5py

    plan = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plan.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    room = {"dcpl": plan, "fill_time": "never"}  # a place in the file at once, left unfilled
    lines = room if len(times) else {}  # HDF5 refuses to reserve nothing
    with h5netcdf.File(path, "w") as file:
        file.attrs["Conventions"] = "jointplay-1"
        file.attrs["jointplay_format"] = FORMAT
        file.attrs["title"] = meta.get("name") or "jointplay run"
        file.dimensions.update({"time": len(times), "progress": 2})
        file.create_variable("time", ("time",), data=times).attrs["units"] = "s"
        _text(file, "layout", json.dumps(layout.to_json()).encode())
        _text(file, "meta", json.dumps(meta).encode())
        _text(file, "verdict", b" " * VERDICT)
        file.create_variable("progress", ("progress",), data=np.zeros(2, dtype=np.int64))
        for dimension, labels in AXES.items():
            _labels(file, dimension, labels)
        for variable in layout.variables:
            if variable.dimension and variable.dimension not in file.dimensions:
                _labels(file, variable.dimension, variable.labels)
            entry = file.create_variable(variable.name, dims_of(variable), dtype=float, fillvalue=np.nan, **lines)
            units = set(variable.units)
            entry.attrs["units"] = units.pop() if len(units) == 1 else ", ".join(variable.units)
            entry.attrs["long_name"] = variable.summary
        if layout.contacts:
            file.dimensions.update({"impact": MOST_EVENTS, "impact_column": EVENT_COLUMNS, "one": 1})
            entry = file.create_variable("impacts", ("impact", "impact_column"), dtype=float, fillvalue=np.nan, **room)
            entry.attrs["columns"] = "time, contact, impact, speed before, speed after, impulses (3), energy loss"
            file.create_variable("impact_count", ("one",), data=np.zeros(1, dtype=np.int64))
        if state is not None:
            file.dimensions.update({"slot": 2, "state_bytes": sum(part.nbytes for part in state)})
            entry = file.create_variable("state", ("slot", "state_bytes"), dtype=np.uint8, **room)
            entry.attrs["sizes"] = [part.nbytes for part in state]


def _text(file: Any, name: str, text: bytes) -> None:
    """Long texts are stored as bytes: attributes have a size limit."""
    file.dimensions[f"{name}_bytes"] = len(text)
    file.create_variable(name, (f"{name}_bytes",), data=np.frombuffer(text, dtype=np.uint8))


def _labels(file: Any, dimension: str, labels: tuple[str, ...]) -> None:
    """A dimension whose places have names."""
    import h5py

    file.dimensions[dimension] = len(labels)
    file.create_variable(dimension, (dimension,), dtype=h5py.string_dtype())[:] = np.array(labels, dtype=object)


def _offsets(path: Path) -> dict[str, int]:
    """Where in the file each array begins."""
    import h5py

    with h5py.File(path, "r") as file:
        return {name: entry.id.get_offset() for name, entry in file.items() if isinstance(entry, h5py.Dataset)}
