"""Where rows of a study go: memory, or one NetCDF-4 file that is filled in place.

HDF5 gives every column its place when the file is made, under another name, and is closed before it takes its own (see
decision 0005). From then on plain writes fill columns at their offsets: values first, the status byte of each row last,
so that a row whose status is 1 is complete whatever happened to the writer. There is one writer; a lock marks it. Rows
that do not agree with their checksums (a lost write, a flipped byte) count as not done.

    columns      inputs, outputs, gradients, outcome, time_reached, culprit, detail, impacts, impact_order, checksum,
                 status
    texts        description (lines that decide a row), key, study (what a resumed study is read from), facts
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from ..results.lock import is_marked, mark
from ..writing import cannot_write, reason, refuse_ending, refuse_place
from .block import Block
from .checksums import row_sums
from .outline import CHANGING, Column, changing_bytes, create, is_study, outline

RESERVED = {
    "outcome": ("i2", "code of the run: 0 is well"),
    "time_reached": ("f8", "simulated time that the run reached"),
    "culprit": ("i2", "place in the list of culprits (facts), or -1"),
    "detail": ("f8", "a number for the sentence of an outcome"),
    "impacts": ("i4", "impacts of the run"),
    "impact_order": ("i8", "stands for the order in which contacts struck; equal numbers, equal orders"),
    "checksum": ("u4", "of the row (studies/checksums.py)"),
    "status": ("u1", "1: the row is complete"),
}
HIDDEN = ("checksum", "status")  # columns that are not about a sample
DONE = 1
CHECKED = 1 << 17  # rows whose checksums are looked at together
SYNC = 0.5  # s of work in a block, above which it is handed to the disk before it counts


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

    damaged = 0  # rows of a file that do not agree with their checksums

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
        found = outline(path)
        self._places, self.texts, self.columns, self.count = found.places, found.texts, found.columns, found.count
        self._descriptor = os.open(path, os.O_RDWR if write else os.O_RDONLY)
        if write:
            mark(self._descriptor)
        wrong = self._disagreeing()
        self.damaged = len(wrong)
        self._wrong = wrong if not write else wrong[:0]
        for i in wrong if write else ():  # they are run again
            self._put("status", slice(i, i + 1), np.zeros(1, dtype=np.uint8))

    def _disagreeing(self) -> np.ndarray:
        """Rows that are done and do not agree with their checksums."""
        found = []
        for first in range(0, self.count, CHECKED):
            rows = slice(first, min(first + CHECKED, self.count))
            done = self._raw("status")[rows] == DONE
            if done.any():
                summed = row_sums(first, (self._raw(one.name)[rows] for one in self.columns if one.name not in HIDDEN))
                found.append(first + np.flatnonzero(done & (summed != self._raw("checksum")[rows])))
        return np.concatenate(found) if found else np.zeros(0, dtype=np.int64)

    @staticmethod
    def create(path: Path, count: int, columns: list[Column], texts: dict[str, str]) -> None:
        """Make a file of full size, none of its rows complete; it takes its name when it is whole."""
        draft = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            create(draft, count, columns, texts)
            os.replace(draft, path)
        except (OSError, RuntimeError) as error:
            raise cannot_write(path, reason(error)) from None
        finally:
            with suppress(OSError):
                draft.unlink()

    @property
    def facts(self) -> dict[str, Any]:
        """Facts about the file itself."""
        return dict(json.loads(self.texts["facts"]))

    @property
    def lines(self) -> tuple[str, ...]:
        """The description."""
        return tuple(self.texts["description"].split("\n"))

    def column(self, name: str) -> np.ndarray:
        """All of a column, as it is in the file now; damaged rows are not done."""
        found = self._raw(name)
        if name == "status" and len(self._wrong):
            found = np.array(found)
            found[self._wrong] = 0
        return found

    def _raw(self, name: str) -> np.ndarray:
        place = self._places[name]
        if not self.count:
            return np.zeros(0, dtype=place.kind)
        assert self.path is not None
        return np.memmap(self.path, dtype=place.kind, mode="r", offset=place.offset, shape=(self.count,))

    def put(self, rows: slice, points: np.ndarray, block: Block) -> None:
        """Fill in rows, then make them count."""
        kinds = {one.name: one.kind for one in self.columns}
        written = [(name, np.asarray(data).astype(kinds[name])) for name, data in laid_out(self.columns, points, block)]
        for name, data in written:
            self._put(name, rows, data)
        self._put("checksum", rows, row_sums(rows.start, (data for _, data in written)))
        if block.seconds > SYNC:
            os.fdatasync(self._descriptor) if hasattr(os, "fdatasync") else os.fsync(self._descriptor)
        self._put("status", rows, np.full(len(points), DONE, dtype=np.uint8))

    def _put(self, name: str, rows: slice, data: np.ndarray) -> None:
        column = self._places[name]
        raw = memoryview(np.ascontiguousarray(data, dtype=column.kind).tobytes())
        place = column.offset + rows.start * column.line
        while raw:
            done = os.pwrite(self._descriptor, raw, place)
            raw, place = raw[done:], place + done

    def put_changing(self, text: str) -> None:
        """Replace the text that may change."""
        try:
            raw = changing_bytes(text)
        except ValueError as error:
            raise cannot_write(self.path, str(error)) from None  # type: ignore[arg-type]
        os.pwrite(self._descriptor, raw, self._places[CHANGING].offset)
        self.texts[CHANGING] = text

    def close(self) -> None:
        """Hand everything to the disk."""
        with suppress(OSError):
            os.fsync(self._descriptor)
        os.close(self._descriptor)

    def resized(self, count: int, texts: dict[str, str] | None = None) -> StudyFile:
        """The same file with another number of rows (and texts), which takes its place; this one is closed."""
        assert self.path is not None
        draft = self.path.with_name(f".{self.path.name}.resized.{os.getpid()}")
        try:
            create(draft, count, self.columns, self.texts if texts is None else texts)
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


__all__ = ["DONE", "HIDDEN", "RESERVED", "Column", "Rows", "StudyFile", "columns_of", "is_study", "refuse_output"]
