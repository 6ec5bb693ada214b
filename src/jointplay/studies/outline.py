"""What is where in a study file: made once by HDF5, then read from the seal at its end (results/seal.py).

The seal holds the places of all columns and texts, checksums of the texts and of all that belongs to no column. Rows
carry their own checksums (checksums.py), and so does the one text that may change. A file that another program has
rewritten has no seal; it is read by HDF5.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from ..errors import InputError, Problem
from ..results.places import Contents, Place, skeleton
from ..results.seal import Seal, read_seal
from ..writing import reason

FORMAT = 1
TEXT = "_text"  # behind the name of a text
CHANGING = "changing"
TEXT_ROOM = 65_536  # bytes for limits and the like, which may change


@dataclass(frozen=True)
class Column:
    """A column of rows."""

    name: str  # in the file
    kind: str
    unit: str
    meaning: str


@dataclass
class Outline:
    """Places of columns and texts, and the contents of the texts."""

    places: dict[str, Place]
    texts: dict[str, str]
    columns: list[Column]
    count: int


def changing_bytes(text: str) -> bytes:
    """The text that may change, behind its checksum, as it fills its room; ValueError where it does not fit."""
    raw = f"{crc32(text.encode()):08x} {text}".encode()
    if len(raw) > TEXT_ROOM:
        raise ValueError("its limits are too long")
    return raw.ljust(TEXT_ROOM)


def create(path: Path, count: int, columns: list[Column], texts: dict[str, str]) -> None:
    """Make a file with room for all rows; raises OSError and RuntimeError."""
    import h5netcdf
    import h5py

    plan = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plan.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    room: dict[str, Any] = {"dcpl": plan, "fill_time": "never"}
    raw = {name: changing_bytes(text) if name == CHANGING else text.encode() for name, text in texts.items()}
    with h5netcdf.File(path, "w") as file:
        file.attrs["Conventions"] = "jointplay-study-1"
        file.attrs["jointplay_study"] = FORMAT
        file.dimensions["sample"] = count
        for name, data in raw.items():
            file.dimensions[f"{name}_bytes"] = len(data)
            file.create_variable(name + TEXT, (f"{name}_bytes",), data=np.frombuffer(data, dtype=np.uint8))
        for one in columns:
            options = room if count else {}
            entry = file.create_variable(one.name, ("sample",), dtype=np.dtype(one.kind), **options)
            if one.unit:
                entry.attrs["units"] = one.unit
            entry.attrs["long_name"] = one.meaning
    sums = {name + TEXT: crc32(data) for name, data in raw.items() if name != CHANGING}
    _add_seal(path, sums)


def _add_seal(path: Path, sums: dict[str, int]) -> None:
    places = _places(path)
    with path.open("r+b") as stream:
        end = stream.seek(0, 2)
        index = {
            "skeleton": skeleton(stream, places, end),
            "arrays": {name: [place.offset, place.kind, list(place.shape)] for name, place in places.items()},
            "state": [],
            "sums": sums,
        }
        stream.seek(end)
        stream.write(Seal(end, index, []).whole())


def outline(path: Path) -> Outline:
    """What a study file holds; InputError with a sentence if it is none, or damaged."""

    def wrong(message: str) -> InputError:
        return InputError(Problem("", message, str(path)))

    if not path.exists():
        raise wrong("there is no such file")
    if not is_study(path):
        raise wrong("is not the file of a study")
    size = path.stat().st_size
    try:
        with path.open("rb") as stream:
            contents = read_seal(stream, size) or Contents(_places(path, size))
            return _read(contents, stream)
    except (OSError, KeyError, ValueError, RuntimeError, TypeError) as error:
        raise wrong(f"is damaged: {reason(error) if isinstance(error, OSError) else error}") from None


def _read(contents: Contents, stream: Any) -> Outline:
    texts = {}
    for name in contents.places:
        if name.endswith(TEXT):
            texts[name.removesuffix(TEXT)] = contents.read(stream, name).tobytes().decode().rstrip()
    checksum, _, text = texts[CHANGING].partition(" ")
    if checksum != f"{crc32(text.encode()):08x}":
        raise ValueError("its limits do not agree with their checksum")
    texts[CHANGING] = text
    columns = [Column(*one) for one in json.loads(texts["facts"])["columns"]]
    places = {one.name: contents.places[one.name] for one in columns}
    places[CHANGING] = contents.places[CHANGING + TEXT]
    (count,) = {place.shape[0] for name, place in places.items() if name != CHANGING}
    return Outline(places, texts, columns, count)


def _places(path: Path, size: int | None = None) -> dict[str, Place]:
    """Places as HDF5 knows them; ValueError where one of them is cut off, or of a newer format."""
    import h5py

    found = {}
    with h5py.File(path, "r") as file:
        if int(np.ravel(file.attrs["jointplay_study"])[0]) > FORMAT:
            raise ValueError("it was written by a newer jointplay; update to read it")
        for name, entry in file.items():
            if not isinstance(entry, h5py.Dataset) or name.endswith("_bytes") or name == "sample":
                continue
            raw = [int(entry.id.get_offset() or 0), entry.dtype.str, [int(n) for n in entry.shape]]
            found[name] = Place.checked(name, raw, path.stat().st_size if size is None else size)
    return found


def is_study(path: Path) -> bool:
    """Whether a file looks like that of a study; a quick look."""
    try:
        with path.open("rb") as stream:
            head = stream.read(1 << 16)
    except OSError:
        return False
    return head.startswith(b"\x89HDF\r\n\x1a\n") and b"jointplay_study" in head
