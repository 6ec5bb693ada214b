"""The result file itself: a NetCDF-4 skeleton of full size whose data are then filled in place.

HDF5 gives every array its place when the file is made, and is closed again before the run begins. From then on plain
writes fill the arrays at their offsets, so that at every instant the file is a complete and valid one: a process that
is killed leaves nothing half-done in a cache, and a full disk is an OSError like any other (HDF5 does not survive one).
Places that are not filled yet take no room on disk. The order of writing is the contract:

1. the states, 2. the restart State, into the older of two slots, 3. the seal's record of how far that is (seal.py),
4. ``progress`` = (number of states, slot), for readers that know HDF5 alone.
"""

from __future__ import annotations

import errno
import json
import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, cast
from zlib import crc32

import numpy as np

from ..arrays import EVENT_COLUMNS, State, clock_dtype
from ..codes import Outcome
from ..writing import reason
from .layout import Layout, Variable
from .lock import mark
from .peaks import LINES, columns_of
from .places import Place, is_ours, skeleton
from .seal import Seal

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


class Store:
    """A result file that is being filled; every method may raise OSError."""

    def __init__(
        self,
        path: Path,
        layout: Layout,
        times: np.ndarray,
        meta: dict[str, Any],
        state: State | None,
        room: int,
    ) -> None:
        """Make the file, which must not be there yet; ``room`` is that of the list of impacts, in lines."""
        texts = {"layout": json.dumps(layout.to_json()).encode(), "meta": json.dumps(meta).encode()}
        room = room if layout.contacts else 0
        lines = 8 * (layout.channels + 1) * len(times) + 8 * len(LINES) * columns_of(layout)
        sizes = (8 * EVENT_COLUMNS * room, lines, 2 * len(_bytes_of(state)))
        self._stream = _claim(path, sum(sizes) + sum(map(len, texts.values())) + ROOM)
        try:
            _create(path, layout, times, meta, texts, state, room)
            self._places = _places(path)
            end = os.fstat(self._stream.fileno()).st_size
            index = {
                "skeleton": skeleton(self._stream, self._places, end),
                "arrays": {name: [place.offset, place.kind, list(place.shape)] for name, place in self._places.items()},
                "state": [[*kind, part.nbytes] for kind, part in zip(describe_parts(), state or (), strict=False)],
                "sums": {"time": crc32(times.tobytes())} | {name: crc32(text) for name, text in texts.items()},
            }
            self._growing = [variable.name for variable in layout.variables]
            changing = ["state", "impacts", "extremes", *self._growing]
            self._seal = Seal(end, index, changing)
            self._write(self._seal.offset, self._seal.whole())
            if state is not None:
                self.put_state(0, state)
                self.put_progress(0, 0)
        except BaseException as error:
            self._stream.close()
            with suppress(OSError):
                path.unlink()
            if isinstance(error, RuntimeError):  # how HDF5 reports some failures
                raise OSError(errno.EIO, reason(error)) from None
            raise

    def put(self, name: str, first: int, block: np.ndarray) -> None:
        """Fill in the next lines of a variable, beginning with number ``first``."""
        data = np.ascontiguousarray(block).tobytes()
        if data:
            self._fill(name, first, data)
            self._seal.add(name, data)

    def put_state(self, slot: int, state: State) -> None:
        """Fill one of the two slots of the restart State."""
        data = _bytes_of(state)
        self._fill("state", slot, data)
        self._seal.add("state", data, anew=True)

    def put_progress(self, saved: int, slot: int) -> None:
        """Make what was written count."""
        self._count(saved=saved, slot=slot)
        self._fill("progress", 0, np.array([saved, slot], dtype=np.int64).tobytes())

    def put_events(self, events: np.ndarray) -> int:
        """Add impacts to the list, then make them count; how many found room."""
        count = self._seal.progress.events
        kept = events[: self._places["impacts"].shape[0] - count] if "impacts" in self._places else events[:0]
        if len(kept):
            self.put("impacts", count, kept)
            self._count(events=count + len(kept))
            self._fill("impact_count", 0, np.array([count + len(kept)], dtype=np.int64).tobytes())
        return len(kept)

    def drop_unfinished(self) -> None:
        """Go back to what counts, after a write that was broken off."""
        self._seal.forget()

    def put_extremes(self, extremes: np.ndarray | None) -> None:
        """Fill in the extremes over every step; they count with the verdict."""
        if extremes is not None:
            self.put("extremes", 0, extremes)

    def put_verdict(self, outcome: Outcome, stats: dict[str, Any]) -> None:
        """Write how the run ended."""
        message = outcome.message
        while len(text := verdict_text(outcome, message, stats)) > VERDICT and message:
            message = message[:-100]
        self._fill("verdict", 0, text.ljust(VERDICT)[:VERDICT])
        self._count(ended=1)
        self._write(*self._seal.record())  # both records hold the end

    @property
    def spare(self) -> float:
        """Share of the file that is not filled."""
        progress = self._seal.progress
        filled = {"impacts": progress.events} | dict.fromkeys(self._growing, progress.saved)
        places = [(self._places[name], lines) for name, lines in filled.items() if name in self._places]
        unused = sum(place.line * (place.shape[0] - lines) for place, lines in places)
        return unused / os.fstat(self._stream.fileno()).st_size

    def close(self) -> None:
        """Hand everything to the disk."""
        try:
            os.fsync(self._stream.fileno())
        finally:
            self._stream.close()

    def _count(self, **filled: int) -> None:
        """Make what was written count: the file is now filled so far."""
        self._seal.count(replace(self._seal.progress, **filled))
        self._write(*self._seal.record())

    def _fill(self, name: str, first: int, data: bytes) -> None:
        place = self._places[name]
        self._write(place.offset + first * place.line, data)

    def _write(self, offset: int, data: bytes) -> None:
        self._stream.seek(offset)
        rest = memoryview(data)
        while rest:
            rest = rest[self._stream.write(rest) :]


def verdict_text(outcome: Outcome, message: str, stats: dict[str, Any]) -> bytes:
    """The end of a run as JSON, with its own checksum inside."""
    facts = {
        "code": int(outcome.code),
        "time": outcome.time,
        "message": message,
        "warnings": list(outcome.warnings),
        "stats": stats,
    }
    return json.dumps(facts | {"sum": crc32(json.dumps(facts).encode())}).encode()


def describe_parts() -> list[tuple[str, str]]:
    """Parts of a State with their kinds, by which a version knows its own."""
    return [(name, str(clock_dtype.descr) if name == "clock" else "<f8") for name in State._fields]


def _bytes_of(state: State | None) -> bytes:
    return b"".join(part.tobytes() for part in state or ())


def _claim(path: Path, size: int) -> BinaryIO:
    """Make a file that was not there, marked as being written; find out with plain writes whether there is room for it.

    HDF5 does not survive it if there is none. FileExistsError if the name is taken.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    stream = cast(BinaryIO, os.fdopen(descriptor, "r+b", buffering=0))
    try:
        mark(descriptor)
        rest = memoryview(bytes(ROOM))
        while rest:
            rest = rest[stream.write(rest) :]
        os.ftruncate(descriptor, size)
    except BaseException:
        stream.close()
        with suppress(OSError):
            path.unlink()
        raise
    return stream


def _create(
    path: Path,
    layout: Layout,
    times: np.ndarray,
    meta: dict[str, Any],
    texts: dict[str, bytes],
    state: State | None,
    events: int,
) -> None:
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
        for name, text in (texts | {"verdict": b" " * VERDICT}).items():
            _text(file, name, text)
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
        file.dimensions["extreme_column"] = columns_of(layout)
        _labels(file, "extreme", ("least", "its time", "greatest", "its time"))
        entry = file.create_variable("extremes", ("extreme", "extreme_column"), dtype=float, fillvalue=np.nan, **room)
        entry.attrs["columns"] = "channels of the layout, then magnitudes of force and torque of each joint"
        entry.attrs["long_name"] = "extremes over every step; not a number where only saved states are known"
        if layout.contacts:
            file.dimensions.update({"impact": events, "impact_column": EVENT_COLUMNS, "one": 1})
            lines = room if events else {}
            entry = file.create_variable("impacts", ("impact", "impact_column"), dtype=float, fillvalue=np.nan, **lines)
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


def _places(path: Path) -> dict[str, Place]:
    """Where in the file each array of numbers is."""
    import h5py

    found = {}
    with h5py.File(path, "r") as file:
        for name, entry in file.items():
            if isinstance(entry, h5py.Dataset) and is_ours(entry.dtype.str):
                found[name] = Place(entry.id.get_offset() or 0, entry.dtype.str, entry.shape)
    return found
