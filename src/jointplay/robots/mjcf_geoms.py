"""Geoms of MuJoCo: which can touch another, and how they are drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..model.geometry import rotation_matrix
from .robot import Picture
from .urdf_geometry import hexadecimal
from .xmltree import Node

SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH = 2, 3, 4, 5, 6, 7  # mjtGeom


class Contacts:
    """Pairs of geoms that MuJoCo lets touch: by their masks, not within a body, nor with its parent, nor excluded."""

    def __init__(self, model: Any, off: set[str]) -> None:
        self.m = model
        self.off = bool(off & {"mjDSBL_CONTACT", "mjDSBL_CONSTRAINT"})
        self.parents = "mjDSBL_FILTERPARENT" not in off
        self.excluded = {int(one) for one in model.exclude_signature}
        self.paired = {int(g) for g in (*model.pair_geom1, *model.pair_geom2)}

    def possible(self, k: int) -> bool:
        """True if geom k may touch another one."""
        if self.off:
            return False
        return k in self.paired or any(self._pair(k, other) for other in range(self.m.ngeom) if other != k)

    def _pair(self, i: int, j: int) -> bool:
        m = self.m
        if not (m.geom_contype[i] & m.geom_conaffinity[j] or m.geom_contype[j] & m.geom_conaffinity[i]):
            return False
        a, b = int(m.geom_bodyid[i]), int(m.geom_bodyid[j])
        wa, wb = int(m.body_weldid[a]), int(m.body_weldid[b])
        if wa == wb or ((min(a, b) << 16) + max(a, b)) in self.excluded:
            return False
        above = [int(m.body_weldid[m.body_parentid[w]]) for w in (wa, wb)]
        return not (self.parents and wa and wb and (above[0] == wb or above[1] == wa))


def mesh_picture(spec: Any, model: Any, k: int, node: Node, folder: Path) -> Picture | None:
    """A geom that is a mesh in STL, as its file has it; None if it is none that can be drawn.

    MuJoCo turns meshes into their principal axes: x_body = p_g + R_g x', while a vertex of the file (times its scale)
    is p_m + R_m x'.
    """
    if int(model.geom_type[k]) != MESH:
        return None
    number = int(model.geom_dataid[k])
    mesh = spec.meshes[number]
    path = folder / spec.meshdir / (mesh.file or "")
    scale = np.asarray(mesh.scale)
    as_it_is = not np.any(mesh.refpos) and np.array_equal(mesh.refquat, [1.0, 0.0, 0.0, 0.0])
    if path.suffix.lower() != ".stl" or not as_it_is or not (scale > 0.0).all() or np.ptp(scale) > 1e-12 * scale.max():
        return None
    R = rotation_matrix(model.geom_quat[k]) @ rotation_matrix(model.mesh_quat[number]).T
    shape = {"type": "mesh", "file": str(path), "unit": float(scale[0])} | _colour(model, k)
    return Picture(shape, model.geom_pos[k] - R @ model.mesh_pos[number], R, node)


def _colour(model: Any, k: int) -> dict[str, str]:
    found = hexadecimal(" ".join(str(one) for one in model.geom_rgba[k]))
    return {"colour": found} if found else {}


def picture(model: Any, k: int, node: Node) -> Picture | None:
    """A geom as a shape of a System; None if there is none like it."""
    size = [float(one) for one in model.geom_size[k]]
    shapes: dict[int, dict[str, Any]] = {
        SPHERE: {"type": "sphere", "radius": size[0]},
        CAPSULE: {"type": "capsule", "radius": size[0], "length": 2.0 * size[1]},
        CYLINDER: {"type": "cylinder", "radius": size[0], "length": 2.0 * size[1]},
        BOX: {"type": "box", "size": [2.0 * one for one in size]},
    }
    shape = shapes.get(int(model.geom_type[k]))
    if shape is None or not all(np.min(one) > 0.0 for one in shape.values() if not isinstance(one, str)):
        return None
    rotation = rotation_matrix(model.geom_quat[k])
    return Picture(shape | _colour(model, k), model.geom_pos[k].copy(), rotation, node)
