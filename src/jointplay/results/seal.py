"""The seal of a result file: what is where in it, how far it is filled, and checksums of all that is read again.

It stands behind the last byte that HDF5 knows of, where other programs do not look; one that rewrites the file drops
it. Reading by the seal needs no HDF5, which may hang or crash on a damaged file, and every number that it gives has
been checked. From its offset on:

    index    JSON: places of arrays, parts of the State, checksums of what never changes and of all outside of arrays
    records  two: number, states, slot, impacts, whether the run has ended, checksums of what was written, its own
    foot     magic, offset, length and checksum of the index, checksum of the foot

A record counts if its own checksum is right and its number is the greater one; the other is overwritten next. So a
process that is killed while it writes one leaves the one before. The checksum of an array that grows is that of all its
lines so far: CRC-32 goes on from the last one. The verdict carries its own checksum: it must be readable also where
nothing more can be written at the end of a file.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from dataclasses import astuple
from typing import Any, BinaryIO
from zlib import crc32

from .places import Contents, Progress, skeleton

MAGIC = b"jointplay seal 1"
FAMILY = MAGIC[:-1]  # of this version and others
FOOT = struct.Struct("<16sQQI")
SUM = struct.Struct("<I")


class Seal:
    """The seal of a file that is being written."""

    def __init__(self, offset: int, index: Mapping[str, Any], changing: list[str]) -> None:
        self._text = json.dumps({**index, "changing": changing}).encode()
        self.offset = offset
        self._form = _record(changing)
        self._counted = Progress(), dict.fromkeys(changing, 0)  # how far the file is filled, checksums of that
        self._fresh: dict[str, int] = {}  # checksums of what was written since, and does not count yet
        self._number = 0

    @property
    def progress(self) -> Progress:
        """How far the file is filled with what counts."""
        return self._counted[0]

    def whole(self) -> bytes:
        """All of it as it stands at the offset, with two records of nothing."""
        records = self.record()[1], self.record()[1]
        foot = FOOT.pack(MAGIC, self.offset, len(self._text), crc32(self._text))
        return b"".join((self._text, *reversed(records), foot, SUM.pack(crc32(foot))))

    def add(self, name: str, data: bytes, *, anew: bool = False) -> None:
        """Take in bytes behind the end of an array or (anew) in place of what was there; they do not count yet."""
        self._fresh[name] = crc32(data, 0 if anew else self._fresh.get(name, self._counted[1][name]))

    def forget(self) -> None:
        """Drop what a write left that was broken off."""
        self._fresh = {}

    def count(self, progress: Progress) -> None:
        """Make all that was written count, and with it how far the file is filled: in one assignment.

        Ctrl-C and a full disk break off a write anywhere. Sums and progress then are those of the write before.
        """
        self._counted = progress, self._counted[1] | self._fresh
        self._fresh = {}

    def record(self) -> tuple[int, bytes]:
        """Where to write the next record of what counts, and its bytes."""
        self._number += 1
        progress, sums = self._counted
        data = _summed(self._form.pack(self._number, *astuple(progress), *sums.values()))
        return self.offset + len(self._text) + (self._number % 2) * len(data), data


def read_seal(stream: BinaryIO, size: int) -> Contents | None:
    """The contents of the seal of a file; None if there is none; ValueError (and its like) if it is damaged."""
    length = FOOT.size + SUM.size
    stream.seek(max(0, size - length))
    raw = stream.read(length)
    if not raw.startswith(FAMILY) or len(raw) < length:
        return None
    if not raw.startswith(MAGIC):
        raise ValueError("its seal is of another version of jointplay, or broken")
    _, offset, many, expected = FOOT.unpack(_checked(raw, "its seal"))
    if offset + many > size:
        raise ValueError("its seal is broken")
    stream.seek(offset)
    text = stream.read(many)
    if crc32(text) != expected:
        raise ValueError("its index does not agree with its checksum")
    index = json.loads(text)
    form = _record(index["changing"])
    _, saved, slot, events, ended, *sums = _newest(stream.read(2 * (form.size + SUM.size)), form)
    places = Contents.places_of(index["arrays"], offset)
    if skeleton(stream, places, offset) != index["skeleton"]:
        raise ValueError("its names or its book-keeping do not agree with their checksum")
    return Contents(
        places=places,
        parts=tuple((str(name), str(kind), int(count)) for name, kind, count in index["state"]),
        progress=Progress(saved, slot, events, ended),
        sums=index["sums"] | dict(zip(index["changing"], sums, strict=True)),
    )


def _record(changing: list[str]) -> struct.Struct:
    return struct.Struct(f"<5q{len(changing)}I")


def _summed(data: bytes) -> bytes:
    return data + SUM.pack(crc32(data))


def _checked(raw: bytes, what: str) -> bytes:
    """Bytes without their checksum, or ValueError."""
    data, found = raw[: -SUM.size], raw[-SUM.size :]
    if SUM.pack(crc32(data)) != found:
        raise ValueError(f"{what} does not agree with its checksum")
    return data


def _newest(raw: bytes, form: struct.Struct) -> tuple[int, ...]:
    """Numbers of the latest of two records."""
    length, found = form.size + SUM.size, []
    for one in (raw[:length], raw[length:]):
        if len(one) == length and _summed(one[: form.size]) == one:
            found.append(form.unpack(one[: form.size]))
    if not found:
        raise ValueError("its records do not agree with their checksums")
    return max(found)
