"""Reading shapes: what a body looks like. They are for pictures only; no number of a run depends on them.

Shapes stand in body axes. A mesh is a file in STL, named relative to the model file; whether it is there is checked
when the model is read from a file or built in Python, and its triangles are read when a picture needs them.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from zlib import compress

import numpy as np

from .elements import Body, Shape
from .entry import Entry, Field, kind_of
from .names import suggest
from .orientation import ORIENTATION, read_orientation

COMMON: dict[str, Field] = {
    "type": Field("name", "", "box, cylinder, sphere, capsule or mesh", required=True),
    "position": Field("vector", "m", "of its centre, in body axes from the centre of mass"),
    "orientation": Field("orientation", "", ORIENTATION + "; relative to the body"),
    "colour": Field("colour", "", "such as '#4477aa'; chosen for you unless given"),
}
SHAPES: dict[str, dict[str, Field]] = {
    "box": {"size": Field("vector", "m", "full lengths along x, y, z", required=True)},
    "cylinder": {
        "radius": Field("quantity", "m", "radius", required=True),
        "length": Field("quantity", "m", "along its z axis", required=True),
    },
    "sphere": {"radius": Field("quantity", "m", "radius", required=True)},
    "capsule": {
        "radius": Field("quantity", "m", "radius", required=True),
        "length": Field("quantity", "m", "along its z axis, between the centres of its round ends", required=True),
    },
    "mesh": {
        "file": Field("text", "", "STL file, relative to the model file", required=True),
        "unit": Field("quantity", "m", "length of one unit of the file: 1 m unless given, often 1 mm"),
    },
}
COLOUR = re.compile(r"#[0-9a-fA-F]{6}\Z")


def read_shapes(entry: Entry) -> tuple[Shape, ...]:
    """The shapes of a body: one mapping, or a list of them."""
    raw = entry.raw.get("shape", [])
    many = isinstance(raw, list)
    out = []
    for k, one in enumerate(raw if many else [raw]):
        path = ("shape", k) if many else ("shape",)
        if not isinstance(one, Mapping):
            entry.fail(path, f"needs a mapping such as {{type: box, size: [...]}}, not {kind_of(one)}")
            continue
        inner = Entry(one, entry.scene)
        shape = _shape(inner)
        entry.adopt(inner, path)
        if shape is not None:
            out.append(shape)
    return tuple(out)


def _shape(entry: Entry) -> Shape | None:
    kind = entry.raw.get("type")
    if not isinstance(kind, str) or kind not in SHAPES:
        if "type" not in entry.raw:
            entry.fail((), f"'type' is missing{suggest('', SHAPES)}")
        elif isinstance(kind, str):
            entry.fail(("type",), f"there is no shape '{kind}'{suggest(kind, SHAPES)}")
        else:
            entry.fail(("type",), f"needs the name of a shape, not {kind_of(kind)}")
        return None
    entry.keys(COMMON | SHAPES[kind])
    lengths = {key: entry.number(key, "m", above=0.0) for key in ("radius", "length") if key in entry.raw}
    unit = entry.number("unit", "m", 1.0, above=0.0)
    size = _size(entry) if "size" in entry.raw else np.zeros(3)
    file, path = _file(entry) if kind == "mesh" and "file" in entry.raw else (None, None)
    position = _position(entry)
    p = read_orientation(entry, in_plane=False)
    colour = entry.raw.get("colour")
    if colour is not None and not (isinstance(colour, str) and COLOUR.match(colour)):
        entry.fail(("colour",), f"needs six digits such as '#4477aa', not {kind_of(colour)}")
    if entry.failed:
        return None
    radius, length = lengths.get("radius", 0.0), lengths.get("length", 0.0)
    return Shape(kind, size, radius, length, file, path, unit, position, p, colour)


def _position(entry: Entry) -> np.ndarray:
    """A place in space also in planar models: parts may lie before each other."""
    found = entry.numbers(entry.raw.get("position", [0.0, 0.0, 0.0]), ("position",), "m", (2, 3))
    return np.zeros(3) if found is None else np.append(found, 0.0)[:3]


def _size(entry: Entry) -> np.ndarray:
    """Lengths of a box; in planar models the depth may be left out (zero: the picture chooses it)."""
    found = entry.numbers(entry.raw["size"], ("size",), "m", (2, 3) if entry.scene.planar else (3,))
    if found is None:
        return np.zeros(3)
    for k, length in enumerate(found):
        if not length > 0.0:
            entry.fail(("size", k), f"must be greater than 0 m, is {length:.6g}")
    return np.append(found, 0.0)[:3]


def _file(entry: Entry) -> tuple[str | None, str | None]:
    """The name of a mesh as given, and as it can be opened from here if that is known."""
    name: Any = entry.raw["file"]
    if not isinstance(name, str) or not name.strip():
        entry.fail(("file",), f"needs the name of an STL file, not {kind_of(name)}")
        return None, None
    if not name.lower().endswith(".stl"):
        entry.fail(("file",), f"'{name}' is no STL file; export the mesh as STL")
        return None, None
    if entry.scene.folder is None:
        return name, None
    path = Path(entry.scene.folder) / name
    if not path.is_file():
        entry.fail(("file",), f"there is no file '{path}' (meshes are named relative to the model file)")
    return name, str(path)


def embedded(bodies: Iterable[Body]) -> dict[str, str]:
    """The files of all meshes as text, by the name given: a result then can be drawn without its model's folder."""
    found = {}
    for shape in (shape for body in bodies for shape in body.shapes):
        if shape.file is not None and shape.path is not None:
            try:
                found[shape.file] = b64encode(compress(Path(shape.path).read_bytes())).decode("ascii")
            except OSError:  # a picture less; the run goes on
                continue
    return found
