"""Shapes of URDF links for pictures, and where the files of meshes lie.

``package://name/path`` is looked for as ``name/path`` and ``path`` beside the file and in each folder around it, as
ROS packages lie; other names are relative to the file. A mesh that is not there is noted and stops nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .attributes import known, numbers, positive
from .ledger import Ledger
from .origins import one, pose
from .robot import Picture
from .xmltree import Node

DRAWN = (".stl",)  # what the animation can draw


@dataclass(frozen=True)
class MeshFiles:
    """Where meshes of a robot file may lie."""

    folder: Path

    def find(self, name: str) -> Path | None:
        """The file of this name, if it is there."""
        for scheme in ("package://", "file://", "model://"):
            if name.startswith(scheme):
                path = name.removeprefix(scheme)
                if scheme == "file://":
                    return Path(path) if Path(path).is_file() else None
                tails = [path, path.partition("/")[2]]
                around = [self.folder, *self.folder.resolve().parents]
                return next((f / tail for f in around for tail in tails if tail and (f / tail).is_file()), None)
        beside = self.folder / name
        return beside if beside.is_file() else None


def read_pictures(link: Node, ledger: Ledger, meshes: MeshFiles, colours: dict[str, Node]) -> list[Picture]:
    """The shapes of a link that can be drawn; no number of a run depends on them."""
    out = []
    for node in link.inside("visual"):
        found = _visual(node, ledger, meshes, colours)
        if found is not None:
            out.append(found)
    return out


def _visual(node: Node, ledger: Ledger, meshes: MeshFiles, colours: dict[str, Node]) -> Picture | None:
    position, rotation = pose(one(node, "origin", ledger), ledger)
    colour = _colour(node, ledger, colours)
    geometry = one(node, "geometry", ledger)
    shape = read_geometry(geometry, ledger, meshes) if geometry is not None else None
    if shape is None or not (np.isfinite(position).all() and np.isfinite(rotation).all()):
        ledger.ignored(node, "not drawn")
        if geometry is not None:
            ledger.ignored(geometry, "not drawn")
        return None
    assert geometry is not None
    ledger.converted(node, f"drawn as a {shape['type']}")
    ledger.used(geometry)
    return Picture(shape | ({"colour": colour} if colour else {}), position, rotation, node)


def read_geometry(geometry: Node, ledger: Ledger, meshes: MeshFiles) -> dict[str, Any] | None:
    """A shape as a System has it, or None if it cannot be drawn."""
    known(geometry, (), ledger)
    for node in geometry.children:
        reader = SHAPES.get(node.tag)
        if reader is not None:
            shape = reader(node, ledger, meshes)
            sizes = [value for value in shape.values() if not isinstance(value, str)] if shape else []
            return shape if all(np.isfinite(value).all() for value in sizes) else None
        ledger.ignored(node, f"there is no shape '{node.tag}' to draw")
    return None


def _box(node: Node, ledger: Ledger, meshes: MeshFiles) -> dict[str, Any] | None:
    known(node, ("size",), ledger)
    size = numbers(node, "size", 3, ledger)
    if not (size > 0.0).all() and np.isfinite(size).all():
        ledger.ignored(node, "has no thickness, and is not drawn")
        return None
    ledger.used(node)
    return {"type": "box", "size": size.tolist()}


def _round(node: Node, ledger: Ledger, meshes: MeshFiles) -> dict[str, Any] | None:
    keys = ("radius",) if node.tag == "sphere" else ("radius", "length")
    known(node, keys, ledger)
    ledger.used(node)
    return {"type": node.tag} | {key: positive(node, key, ledger) for key in keys}


def _mesh(node: Node, ledger: Ledger, meshes: MeshFiles) -> dict[str, Any] | None:
    known(node, ("filename", "scale"), ledger)
    name = node.attributes.get("filename", "")
    scale = numbers(node, "scale", 3, ledger, (1.0, 1.0, 1.0))
    path = meshes.find(name)
    if not name:
        ledger.fail(node, "'filename' is missing")
    elif path is None:
        ledger.ignored(node, f"the mesh '{name}' was not found; it is not drawn")
    elif path.suffix.lower() not in DRAWN:
        ledger.ignored(node, f"the mesh '{path}' is not drawn: pictures take STL")
    elif not (scale > 0.0).all() or np.ptp(scale) > 1e-12 * scale.max():
        ledger.ignored(node, f"the mesh '{path}' is not drawn: its scale differs between axes")
    else:
        ledger.used(node, f"'{path}'")
        return {"type": "mesh", "file": str(path), "unit": float(scale[0])}
    return None


SHAPES = {"box": _box, "cylinder": _round, "sphere": _round, "capsule": _round, "mesh": _mesh}


def _colour(node: Node, ledger: Ledger, colours: dict[str, Node]) -> str | None:
    """The colour of a visual, by itself or by the name of its material."""
    for material in node.inside("material"):
        found = material.inside("color") or (colours[material.name].inside("color") if material.name in colours else [])
        if found:
            for one in (material, found[0].parent, found[0]):
                ledger.used(one, "for pictures") if one is not None else None
            return hexadecimal(found[0].attributes.get("rgba", ""))
        ledger.ignored(material, "for pictures")
    return None


def hexadecimal(rgba: str) -> str | None:
    """'#rrggbb' from three or four numbers between 0 and 1."""
    try:
        parts = [min(max(float(part), 0.0), 1.0) for part in rgba.split()]
    except ValueError:
        return None
    return "#" + "".join(f"{round(255 * part):02x}" for part in parts[:3]) if len(parts) in (3, 4) else None
