"""What is where in a result file, and how far it is filled.

It comes from the seal (seal.py), with checksums, or from HDF5 (outline.py). Either way it may be wrong, so it is held
against the size of the file before anything is read: memory for a file is never more than the file itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO
from zlib import crc32

import numpy as np

KINDS = {"f8", "i8", "u1", "i2", "i4", "u4"}  # numbers, counts, bytes; codes and checksums of studies
BLOCK = 1 << 22  # bytes read at a time


def is_ours(kind: str) -> bool:
    """Whether results have arrays of this kind."""
    return kind[-2:] in KINDS and kind[:-2] in ("<", ">", "|", "=", "")


@dataclass(frozen=True)
class Place:
    """One array of a file."""

    offset: int
    kind: str  # as numpy writes it: "<f8"
    shape: tuple[int, ...]

    @property
    def line(self) -> int:
        """Bytes of one line."""
        return np.dtype(self.kind).itemsize * math.prod(self.shape[1:])

    @staticmethod
    def checked(name: str, raw: Any, size: int) -> Place:
        """A place inside a file of so many bytes, or ValueError."""
        offset, kind, shape = raw
        if not shape or not all(type(number) is int and number >= 0 for number in (offset, *shape)):
            raise ValueError(f"{name} has no size")
        place = Place(offset, kind, tuple(shape))
        if offset + place.line * shape[0] > size:
            raise ValueError(f"{name} is cut off")
        return place


def skeleton(stream: BinaryIO, places: Mapping[str, Place], end: int) -> int:
    """Checksum of all before ``end`` that belongs to no array: names, dimensions, attributes, book-keeping of HDF5."""
    found = begin = 0
    for place in (*sorted(places.values(), key=lambda place: place.offset), Place(end, "|u1", (0,))):
        stream.seek(begin)
        while begin < place.offset:
            block = stream.read(min(BLOCK, place.offset - begin))
            if not block:
                raise ValueError("it is cut off")
            found = crc32(block, found)
            begin += len(block)
        begin = max(begin, place.offset + place.line * place.shape[0])
    return found


@dataclass(frozen=True)
class Progress:
    """How far a file is filled."""

    saved: int = 0  # states
    slot: int = 0  # of the State
    events: int = 0  # impacts
    ended: int = 0  # 1 if the run has


@dataclass
class Contents:
    """All arrays of a file, how far they are filled, and the checksums of what is filled."""

    places: dict[str, Place]
    parts: tuple[tuple[str, str, int], ...] = ()  # of the State: name, kind, bytes
    progress: Progress = field(default_factory=Progress)
    sums: Mapping[str, int] = field(default_factory=dict)

    @staticmethod
    def places_of(arrays: Any, size: int) -> dict[str, Place]:
        """The places of arrays of our kinds, or ValueError."""
        ours = {str(name): raw for name, raw in arrays.items() if is_ours(raw[1])}
        return {name: Place.checked(name, raw, size) for name, raw in ours.items()}

    def read(self, stream: BinaryIO, name: str, lines: int | None = None, first: int = 0) -> np.ndarray:
        """An array, or so many of its lines; ValueError if they are not there or not what was written."""
        place = self._place(name)
        lines = place.shape[0] if lines is None else lines
        data = bytearray()
        for block in self._bytes(stream, name, first, lines):
            data += block
        return np.frombuffer(data, dtype=place.kind).reshape(lines, *place.shape[1:])

    def blocks(self, stream: BinaryIO, name: str, lines: int) -> Iterator[np.ndarray]:
        """The first lines of an array, some at a time."""
        place = self._place(name)
        for block in self._bytes(stream, name, 0, lines):
            yield np.frombuffer(block, dtype=place.kind).reshape(-1, *place.shape[1:])

    def _place(self, name: str) -> Place:
        if name not in self.places:
            raise ValueError(f"{name} is missing")
        return self.places[name]

    def _bytes(self, stream: BinaryIO, name: str, first: int, lines: int) -> Iterator[bytes]:
        place = self._place(name)
        if not 0 <= first <= first + lines <= place.shape[0]:
            raise ValueError(f"{name} has {place.shape[0]} lines, not {first + lines}")
        stream.seek(place.offset + first * place.line)
        found, at_once = 0, max(1, BLOCK // max(place.line, 1))
        for begin in range(0, lines, at_once):
            wanted = place.line * min(at_once, lines - begin)
            block = stream.read(wanted)
            if len(block) != wanted:
                raise ValueError(f"{name} is cut off")
            found = crc32(block, found)
            yield block
        if name in self.sums and found != self.sums[name]:
            raise ValueError(f"{name} does not agree with its checksum")
