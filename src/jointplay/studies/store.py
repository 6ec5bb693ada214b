"""Where rows of a study go: memory, or one NetCDF-4 file that is filled in place.

HDF5 gives every column its place when the file is made, under another name, and is closed before it takes its own (see
decision 0005). From then on plain writes fill columns at their offsets: values first, the status byte of each row last,
so that a row whose status is 1 is complete whatever happened to the writer. There is one writer; a lock says so.

    columns      inputs, outputs, gradients, outcome, time_reached, culprit, detail, impacts, impact_order, status
    texts        description (lines that decide a row), key, study (what a resumed study is read from), facts
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError, Problem
from ..results.lock import is_marked, mark
from ..writing import cannot_write, reason, refuse_ending, refuse_place
from .block import Block

FORMAT = 1
RESERVED = {
    "outcome": ("i2", "code of the run: 0 is well"),
    "time_reached": ("f8", "simulated time that the run reached"),
    "culprit": ("i2", "place in the list of culprits (facts), or -1"),
    "detail": ("f8", "a number for the sentence of an outcome"),
    "impacts": ("i4", "impacts of the run"),
    "impact_order": ("i8", "stands for the order in which contacts struck; equal numbers, equal orders"),
    "status": ("u1", "1: the row is complete"),
}
TEXT_ROOM = 65_536  # bytes for limits and the like, which may change
DONE = 1
SYNC = 0.5  # s of work in a block, above which it is handed to the disk before it counts


@dataclass(frozen=True)
class Column:
    """A column of rows."""

    name: str  # in the file
    kind: str
    unit: str
    meaning: str


def columns_of(inputs: Sequence[tuple[str, str]], outputs: Sequence[tuple[str, str]], gradients: bool) -> list[Column]:
    """Columns of a study; ``inputs`` and ``outputs`` are names with units."""
    taken = set(RESERVED)
    found: list[Column] = []

    def add(name: str, unit: str, meaning: str) -> None:
        name = name.replace("/", " per ").strip() or "value"
        while name in taken:
            name += "_"
        taken.add(name)
        found.append(Column(name, "f8", unit, meaning))

    for name, unit in inputs:
        add(name, unit, "input")
    for name, unit in outputs:
        add(name, unit, "output")
    if gradients:
        for name, unit in outputs:
            for other, per in inputs:
                add(f"d {name} by {other}", f"{unit or '1'} per {per or '1'}", "derivative")
    return [*found, *(Column(name, kind, "", meaning) for name, (kind, meaning) in RESERVED.items())]


class Rows:
    """Rows in memory."""

    path: Path | None = None

    def __init__(self, count: int, columns: list[Column]) -> None:
        self.count, self.columns = count, columns
        self._arrays = {one.name: np.zeros(count, dtype=one.kind) for one in columns}

    def column(self, name: str) -> np.ndarray:
        """All of a column."""
        return self._arrays[name]

    def put(self, rows: slice, points: np.ndarray, block: Block) -> None:
        """Fill in complete rows."""
        for name, data in laid_out(self.columns, points, block):
            self._put(name, rows, data)
        self._put("status", rows, np.full(len(points), DONE, dtype=np.uint8))

    def _put(self, name: str, rows: slice, data: np.ndarray) -> None:
        self._arrays[name][rows] = data

    def close(self) -> None:
        """Nothing to do."""


def laid_out(columns: list[Column], points: np.ndarray, block: Block) -> list[tuple[str, np.ndarray]]:
    """Columns of a block but for the status."""
    n = len(points)
    numbers = [*points.T, *block.values.T]
    if block.gradients is not None:
        numbers += list(block.gradients.reshape(n, -1).T)
    own = [one for one in columns if one.name not in RESERVED]
    found = [(one.name, data) for one, data in zip(own, numbers, strict=True)]
    rest = {
        "outcome": block.code,
        "time_reached": block.time,
        "culprit": block.culprit,
        "detail": block.detail,
        "impacts": block.impacts,
        "impact_order": block.order,
    }
    return found + list(rest.items())


class StudyFile(Rows):
    """Rows in a file that is being filled, or only read."""

    def __init__(self, path: Path, *, write: bool) -> None:
        """Open a file that is there; InputError with a sentence if it is none of a study."""
        self.path = path
        self._places, self.texts, self.count, kinds = _outline(path)
        self.columns = [Column(name, kind, unit, meaning) for name, kind, unit, meaning in kinds]
        self._descriptor = os.open(path, os.O_RDWR if write else os.O_RDONLY)
        if write:
            mark(self._descriptor)

    @staticmethod
    def create(path: Path, count: int, columns: list[Column], texts: dict[str, str]) -> None:
        """Make a file of full size, none of its rows complete; it takes its name when it is whole."""
        draft = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            _create(draft, count, columns, texts)
            os.replace(draft, path)
        except (OSError, RuntimeError) as error:
            raise cannot_write(path, reason(error)) from None
        finally:
            with suppress(OSError):
                draft.unlink()

    @property
    def facts(self) -> dict[str, Any]:
        """What the file says about itself."""
        return dict(json.loads(self.texts["facts"]))

    @property
    def lines(self) -> tuple[str, ...]:
        """The description."""
        return tuple(self.texts["description"].split("\n"))

    def column(self, name: str) -> np.ndarray:
        """All of a column, as it is in the file now."""
        offset, kind = self._places[name]
        if not self.count:
            return np.zeros(0, dtype=kind)
        assert self.path is not None
        return np.memmap(self.path, dtype=kind, mode="r", offset=offset, shape=(self.count,))

    def put(self, rows: slice, points: np.ndarray, block: Block) -> None:
        """Fill in rows, then make them count."""
        for name, data in laid_out(self.columns, points, block):
            self._put(name, rows, data)
        if block.seconds > SYNC:
            os.fdatasync(self._descriptor) if hasattr(os, "fdatasync") else os.fsync(self._descriptor)
        self._put("status", rows, np.full(len(points), DONE, dtype=np.uint8))

    def _put(self, name: str, rows: slice, data: np.ndarray) -> None:
        offset, kind = self._places[name]
        raw = memoryview(np.ascontiguousarray(data, dtype=kind).tobytes())
        place = offset + rows.start * np.dtype(kind).itemsize
        while raw:
            done = os.pwrite(self._descriptor, raw, place)
            raw, place = raw[done:], place + done

    def put_text(self, name: str, text: str) -> None:
        """Replace a text that may change."""
        raw = text.encode()
        if len(raw) > TEXT_ROOM:
            raise cannot_write(self.path, "its limits are too long")  # type: ignore[arg-type]
        offset, _ = self._places[name]
        os.pwrite(self._descriptor, raw.ljust(TEXT_ROOM), offset)
        self.texts[name] = text

    def close(self) -> None:
        """Hand everything to the disk."""
        with suppress(OSError):
            os.fsync(self._descriptor)
        os.close(self._descriptor)

    def resized(self, count: int) -> StudyFile:
        """The same file with another number of rows, which takes its place; this one is closed."""
        assert self.path is not None
        draft = self.path.with_name(f".{self.path.name}.resized.{os.getpid()}")
        try:
            _create(draft, count, self.columns, self.texts)
            other = StudyFile(draft, write=True)
            kept = min(count, self.count)
            for one in self.columns:
                for first in range(0, kept, 1 << 20):
                    last = min(first + (1 << 20), kept)
                    other._put(one.name, slice(first, last), self.column(one.name)[first:last])
            other.close()
            os.replace(draft, self.path)
        except (OSError, RuntimeError) as error:
            raise cannot_write(self.path, reason(error)) from None
        finally:
            with suppress(OSError):
                draft.unlink()
        self.close()
        return StudyFile(self.path, write=True)


def refuse_output(path: Path) -> None:
    """InputError where no study file may be written."""
    refuse_place(path)
    refuse_ending(path, (".nc",), "studies are NetCDF-4 files, NAME.nc")
    if path.exists() and is_marked(path):
        raise cannot_write(path, "another study is writing it")


def is_study(path: Path) -> bool:
    """Whether a file looks like that of a study; a quick look."""
    try:
        with path.open("rb") as stream:
            head = stream.read(1 << 16)
    except OSError:
        return False
    return head.startswith(b"\x89HDF\r\n\x1a\n") and b"jointplay_study" in head


def _create(path: Path, count: int, columns: list[Column], texts: dict[str, str]) -> None:
    import h5netcdf
    import h5py

    plan = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plan.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    room: dict[str, Any] = {"dcpl": plan, "fill_time": "never"}
    with h5netcdf.File(path, "w") as file:
        file.attrs["Conventions"] = "jointplay-study-1"
        file.attrs["jointplay_study"] = FORMAT
        file.dimensions["sample"] = count
        for name, text in texts.items():
            raw = text.encode()
            raw = raw.ljust(TEXT_ROOM) if name == "changing" else raw
            file.dimensions[f"{name}_bytes"] = len(raw)
            file.create_variable(name + "_text", (f"{name}_bytes",), data=np.frombuffer(raw, dtype=np.uint8))
        for one in columns:
            options = room if count else {}
            entry = file.create_variable(one.name, ("sample",), dtype=np.dtype(one.kind), **options)
            if one.unit:
                entry.attrs["units"] = one.unit
            entry.attrs["long_name"] = one.meaning


def _outline(path: Path) -> tuple[dict[str, tuple[int, str]], dict[str, str], int, list[tuple[str, str, str, str]]]:
    """Places of columns and texts of a study file."""
    import h5py

    def wrong(message: str) -> InputError:
        return InputError(Problem("", message, str(path)))

    if not path.exists():
        raise wrong("there is no such file")
    if not is_study(path):
        raise wrong("is not the file of a study")
    places: dict[str, tuple[int, str]] = {}
    texts: dict[str, str] = {}
    columns: list[tuple[str, str, str, str]] = []
    try:
        with h5py.File(path, "r") as file:
            if int(np.ravel(file.attrs["jointplay_study"])[0]) > FORMAT:
                raise wrong("was written by a newer jointplay; update to read it")
            count, size = 0, path.stat().st_size
            for name, entry in file.items():
                if not isinstance(entry, h5py.Dataset) or name.endswith("_bytes") or name == "sample":
                    continue
                offset, kind = int(entry.id.get_offset() or 0), entry.dtype.str
                if offset + entry.nbytes > size:
                    raise wrong(f"is cut off: {name} is not all there")
                if name.endswith("_text"):
                    texts[name.removesuffix("_text")] = bytes(entry[...].tobytes()).decode().rstrip()
                    places[name.removesuffix("_text")] = (offset, kind)
                else:
                    count = int(entry.shape[0])
                    places[name] = (offset, kind)
            order = json.loads(texts["facts"])["columns"]
            for name in order:
                entry = file[name]
                columns.append((name, places[name][1][-2:], _attribute(entry, "units"), _attribute(entry, "long_name")))
    except InputError:
        raise
    except (OSError, KeyError, ValueError, RuntimeError) as error:
        raise wrong(f"is damaged: {reason(error) if isinstance(error, OSError) else error}") from None
    return places, texts, count, columns


def _attribute(entry: Any, name: str) -> str:
    value = entry.attrs.get(name, "")
    return value.decode() if isinstance(value, bytes) else str(value)
