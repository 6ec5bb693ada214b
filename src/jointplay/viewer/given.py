"""Shapes that the model gives, meshes read and reduced to what a page can hold."""

from __future__ import annotations

import zlib
from base64 import b64decode
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError
from ..meshes.stl import read_stl, stl_triangles
from ..model.elements import Body, Shape
from .pack import Pack

MOST_TRIANGLES = 60_000  # of one mesh; more are thinned by merging vertices on a grid


def given_shapes(
    body: Body, pack: Pack, kept: Mapping[str, str], folders: list[Path], notes: list[str]
) -> list[dict[str, Any]]:
    """Shapes of a body for the page; a mesh that cannot be found leaves a note."""
    out = []
    for k, shape in enumerate(body.shapes):
        frame = {"at": shape.position.tolist(), "p": shape.orientation.tolist(), "colour": shape.colour, "own": True}
        if shape.kind == "box":
            out.append({"type": "box", "size": shape.size.tolist(), **frame})
        elif shape.kind == "mesh":
            triangles = _triangles(shape, kept, folders)
            if triangles is None:
                notes.append(f"the mesh {shape.file} of {body.name} was not found; its joints are drawn instead")
                continue
            name = f"mesh.{body.name}.{k}"
            vertices, faces = welded(triangles * shape.unit)
            pack.add(f"{name}.vertices", vertices)
            pack.add_exact(f"{name}.faces", faces.ravel(), "u32")
            out.append({"type": "mesh", "block": name, **frame})
        else:
            out.append({"type": shape.kind, "radius": shape.radius, "length": shape.length, **frame})
    return out


def _triangles(shape: Shape, kept: Mapping[str, str], folders: list[Path]) -> np.ndarray | None:
    """From the file, from the copy in the result, or from a file of that name near by."""
    assert shape.file is not None
    if shape.path is not None:
        return read_stl(Path(shape.path))
    if shape.file in kept:
        return stl_triangles(zlib.decompress(b64decode(kept[shape.file])))
    for folder in folders:
        if (folder / shape.file).is_file():
            try:
                return read_stl(folder / shape.file)
            except InputError:
                continue
    return None


def welded(triangles: np.ndarray, most: int = MOST_TRIANGLES) -> tuple[np.ndarray, np.ndarray]:
    """Vertices, each once, and triangles by their numbers; a mesh that is too fine is put on a grid, ever coarser."""
    points = triangles.reshape(-1, 3)
    size = float(np.ptp(points, axis=0).max()) or 1.0
    cells = 16384.0  # finer than what 16 bits per coordinate would separate from the same point
    while True:
        cell = np.rint((points - points.min(axis=0)) / size * cells).astype(np.int64)
        key = (cell[:, 0] * (1 << 15) + cell[:, 1]) * (1 << 15) + cell[:, 2]
        _, first, number = np.unique(key, return_index=True, return_inverse=True)
        faces = number.reshape(-1, 3)
        whole = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
        faces = faces[whole]
        if len(faces) <= most or cells < 8.0:
            return points[first], faces
        cells /= 1.5
