"""From the bytes of a result file to a Solution.

Nothing in a file is believed: places and checksums (places.py, seal.py), texts, counts and indices are checked before
they are used, so that a damaged or hand-made file ends with a sentence here, and not with a surprise later.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, BinaryIO
from zlib import crc32

import numpy as np

from ..arrays import EVENT_COLUMNS, State, clock_dtype
from ..codes import Code, Outcome
from .filedata import FileData, problem
from .held import held_by
from .layout import BODY, ENERGY, JOINT, Layout, Variable
from .metadata import checked
from .outline import outline
from .peaks import LINES, columns_of
from .places import Contents, Progress
from .seal import read_seal
from .solution import Solution
from .store import FORMAT, describe_parts

HDF5 = b"\x89HDF\r\n\x1a\n"  # first bytes of every NetCDF-4 file
TABLES: dict[str, tuple[str, ...]] = {  # quantities that each element of a dimension must have
    "body": tuple(name for name, *_ in BODY),
    "joint": tuple(name for name, *_ in JOINT),
    "contact": (),
    "rubbing": (),
    "marker": (),
}
EVERY_RUN = ("steps", "rejections", "run_time", "wall_time")  # has these statistics


def is_result(path: Path) -> bool:
    """Whether a file looks like a result, whole or not; a quick look, for those who would write over it."""
    with path.open("rb") as stream:
        head = stream.read(1 << 16)
    return head.startswith(HDF5) and b"jointplay_format" in head


def contents_of(stream: BinaryIO, path: Path) -> Contents:
    """What is where in a file: by its seal, or else by HDF5 in a process of its own."""
    size = os.fstat(stream.fileno()).st_size
    head = stream.read(64)
    if not head.startswith(HDF5):
        raise problem(path, "is not a result file, or is damaged")
    sealed = read_seal(stream, size)
    if sealed is not None:
        return sealed
    if head[8:9] == b"\0":  # a version of HDF5's head that holds the end of the file
        end = int.from_bytes(head[40:48], "little")
        if end != size:
            raise ValueError("its seal is broken" if end < size else "it is cut off")
    found = outline(path)
    if found["format"] < 1:
        raise problem(path, "is a NetCDF file, but not a result of jointplay")
    if found["format"] > FORMAT:
        raise problem(path, "was written by a newer jointplay; update to read it")
    contents = Contents(Contents.places_of(found["arrays"], size))
    saved, slot = (int(number) for number in contents.read(stream, "progress"))
    events = int(contents.read(stream, "impact_count")[0]) if "impact_count" in contents.places else 0
    contents.progress = Progress(saved, slot, events)
    contents.parts = tuple(
        (name, kind, int(count)) for (name, kind), count in zip(describe_parts(), found["sizes"], strict=False)
    )
    return contents


def read_solution(stream: BinaryIO, path: Path) -> Solution:
    """The Solution of an open file; its variables are read on access."""
    contents = contents_of(stream, path)
    layout = Layout.from_json(_json(contents, stream, "layout"))
    _refuse_partial(layout)
    for variable in layout.variables:
        _refuse_shape(contents, variable)
    saved = contents.progress.saved
    if contents.progress.slot not in (0, 1):
        raise ValueError("its slot of the State cannot be")
    times = contents.read(stream, "time")
    if not 0 <= saved <= len(times):
        raise ValueError("its count of saved states cannot be")
    times = times[:saved]
    if not (np.all(np.isfinite(times)) and np.all(np.diff(times) >= 0.0)):
        raise ValueError("its times are not in order")
    meta = checked(_json(contents, stream, "meta"))
    outcome, stats = _verdict(contents, stream, float(times[-1]) if len(times) else 0.0)
    return Solution(
        layout=layout,
        time=times,
        data=FileData(path, contents, layout),
        outcome=outcome,
        stats=stats,
        meta=meta,
        state=held_by(meta, _state(contents, stream)),
        path=path,
        events=_events(contents, stream, len(layout.contacts)),
        extremes=_extremes(contents, stream, columns_of(layout)) if stats else None,
    )


def _typed(value: Any, kind: type | tuple[type, ...], what: str) -> Any:
    if not isinstance(value, kind) or isinstance(value, bool):
        raise ValueError(f"its {what} is not what it should be")
    return value


def _json(contents: Contents, stream: BinaryIO, name: str) -> Any:
    try:
        return json.loads(contents.read(stream, name).tobytes().decode())
    except (UnicodeDecodeError, json.JSONDecodeError):
        raise ValueError(f"its {name} cannot be read") from None


def _refuse_partial(layout: Layout) -> None:
    """What summaries and pictures take for granted must be there: the ledger, and quantities of bodies and joints.

    All quantities of bodies are of the same bodies, and so for joints, contacts and markers.
    """
    known = {name for variable in layout.variables if not variable.grouped for name in variable.publics}
    wanted = [f"energy.{part}" for part, _ in ENERGY]
    for dimension, table in TABLES.items():
        found = [variable for variable in layout.variables if variable.dimension == dimension]
        owners = {tuple(name.rpartition(".")[0] for name in variable.publics) for variable in found}
        if len(owners) > 1 or len({variable.labels for variable in found}) > 1:
            raise ValueError(f"its layout has several lists of one dimension ({dimension})")
        wanted += [f"{label}.{name}" for variable in found[:1] for label in variable.labels for name in table]
    for name in wanted:
        if name not in known:
            raise ValueError(f"{name} is missing")


def _refuse_shape(contents: Contents, variable: Variable) -> None:
    if variable.name not in contents.places:
        raise ValueError(f"{variable.name} is missing")
    place = contents.places[variable.name]
    if place.kind[-2:] != "f8" or place.shape[1:] != variable.shape or place.shape[0] < contents.progress.saved:
        raise ValueError(f"{variable.name} has another shape than in its layout")


def _verdict(contents: Contents, stream: BinaryIO, reached: float) -> tuple[Outcome, dict[str, Any]]:
    """How the run ended, and its statistics."""
    if not contents.read(stream, "verdict").tobytes().strip():  # still running, or killed
        if contents.progress.ended:
            raise ValueError("its verdict is missing")
        return Outcome.of(Code.INTERRUPTED, reached), {}
    facts = _typed(_json(contents, stream, "verdict"), dict, "verdict")
    expected = facts.pop("sum", None)  # there is none in files of older versions
    if contents.sums and expected != crc32(json.dumps(facts).encode()):
        raise ValueError("its verdict does not agree with its checksum")
    number = (int, float)
    time, message = _typed(facts["time"], number, "end"), _typed(facts["message"], str, "outcome")
    stats = _typed(facts["stats"], dict, "statistics")
    for name in EVERY_RUN if stats else ():
        _typed(stats.get(name), number, f"statistic '{name}'")
    for name, value in stats.items():
        if name.startswith(("worst_", "deepest_")) or name in ("impacts", "onsets"):
            _typed(value, number, f"statistic '{name}'")
    warnings = tuple(str(one) for one in _typed(facts.get("warnings", []), list, "warnings"))
    return Outcome(Code(facts["code"]), float(time), message, warnings), stats


def _state(contents: Contents, stream: BinaryIO) -> State | None:
    """The State to go on from; None where there is none, or one of a version with another kind of State."""
    if "state" not in contents.places or not contents.parts:
        return None
    if [(name, kind) for name, kind, _ in contents.parts] != describe_parts():
        return None
    raw = contents.read(stream, "state", 1, first=contents.progress.slot).tobytes()
    counts = [count for _, _, count in contents.parts]
    if sum(counts) != len(raw) or min(counts) < 0:
        raise ValueError("the parts of its State do not fit")
    if counts[0] == 0 or counts[0] % clock_dtype.itemsize:  # a clock for each part that ran on its own
        return None
    parts, begin = [], 0
    for (name, _), count in zip(describe_parts(), counts, strict=True):
        kind = clock_dtype if name == "clock" else np.dtype(float)
        parts.append(np.frombuffer(raw[begin : begin + count], dtype=kind).copy())
        begin += count
    return State(*parts)


def _events(contents: Contents, stream: BinaryIO, contacts: int) -> np.ndarray | None:
    """The list of impacts."""
    if "impacts" not in contents.places:
        return None
    table = contents.read(stream, "impacts", contents.progress.events)
    if table.shape[1:] != (EVENT_COLUMNS,) or contents.places["impacts"].kind[-2:] != "f8":
        raise ValueError("its list of impacts has another shape")
    which = table[:, 1:3]
    whole = np.all((which >= 0) & (which < 2**53) & (which == np.floor(which)))
    if not (whole and np.all(which[:, 0] < contacts)):
        raise ValueError("its list of impacts names contacts that there are not")
    return table


def _extremes(contents: Contents, stream: BinaryIO, columns: int) -> np.ndarray | None:
    """Extremes over every step; None where they were not written: by older versions, or on a disk that was full."""
    if "extremes" not in contents.places or contents.sums.get("extremes") == 0:
        return None
    place = contents.places["extremes"]
    if place.kind[-2:] != "f8" or place.shape != (len(LINES), columns):
        raise ValueError("its extremes have another shape than in its layout")
    return contents.read(stream, "extremes")
