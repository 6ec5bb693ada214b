"""Mass properties from meshes, on request: links without an inertial element, filled with one density."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import InputError, Problem
from ..meshes.obj import read_obj
from ..meshes.solid import solid
from ..meshes.stl import read_stl
from ..quantities.units import si
from .attributes import numbers
from .ledger import Ledger
from .origins import pose
from .robot import Inertial, Robot
from .urdf_geometry import MeshFiles
from .xmltree import Node

READERS = {".stl": read_stl, ".obj": read_obj}


@dataclass(frozen=True)
class Material:
    """What meshes are made of."""

    unit: float  # m
    density: float  # kg/m3

    @staticmethod
    def of(inertia_from: Any, mesh_unit: Any, density: Any, problems: list[Problem]) -> Material | None:
        """From arguments of the caller, whose problems are noted; None if nothing is requested."""
        if inertia_from is None:
            for key, value in (("mesh_unit", mesh_unit), ("density", density)):
                if value is not None:
                    problems.append(Problem(key, "has no use without inertia_from='mesh'"))
            return None
        if inertia_from != "mesh":
            problems.append(Problem("inertia_from", f"must be 'mesh', not {inertia_from!r}"))
            return None
        found = []
        for key, value, unit in (("mesh_unit", mesh_unit, "m"), ("density", density, "kg/m^3")):
            example = "'1 mm'" if key == "mesh_unit" else "'2700 kg/m^3'"
            if value is None:
                problems.append(Problem(key, f"is missing: inertia_from='mesh' needs it, such as {example}"))
                continue
            try:
                number = float(si(value, unit, {}))
                if not (number > 0.0 and np.isfinite(number)):
                    raise ValueError(f"must be greater than 0, is {number:g}")
                found.append(number)
            except (ValueError, TypeError) as error:
                problems.append(Problem(key, str(error)))
        return Material(*found) if len(found) == 2 else None


def weigh_meshes(robot: Robot, material: Material, meshes: MeshFiles, ledger: Ledger) -> None:
    """Give links without an inertial element the mass properties of their meshes."""
    for link in robot.links.values():
        if link.inertial is None:
            bodies = link.node.inside("collision") or link.node.inside("visual")
            found = [mesh for body in bodies for mesh in body.all() if mesh.tag == "mesh"]
            parts = [_weigh(mesh, material, meshes, ledger) for mesh in found]
            link.inertial = _sum([part for part in parts if part is not None], link.node)
            if link.inertial is not None:
                ledger.approximated(link.node, f"mass {link.inertial.mass:.6g} kg and inertia from its meshes")


def _weigh(mesh: Node, material: Material, meshes: MeshFiles, ledger: Ledger) -> Inertial | None:
    """Mass properties of one mesh in the frame of its link."""
    name = mesh.attributes.get("filename", "")
    path = meshes.find(name)
    if path is None:
        ledger.fail(mesh, f"the mesh '{name}' was not found; without it the link has no inertia")
        return None
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        ledger.fail(mesh, f"'{path}': inertia comes from meshes in {' or '.join(READERS)}")
        return None
    scale = numbers(mesh, "scale", 3, ledger, (1.0, 1.0, 1.0))
    body = mesh.parent.parent  # type: ignore[union-attr]
    origin = body.inside("origin") if body is not None else []
    position, R = pose(origin[0] if origin else None, ledger)
    try:
        whole = solid(reader(path) * scale * material.unit)
    except ValueError as error:  # InputError is one
        text = "; ".join(p.message for p in error.problems) if isinstance(error, InputError) else str(error)
        ledger.fail(mesh, f"the mesh '{path}' {text}")
        return None
    inertia = material.density * (R @ whole.inertia @ R.T)
    return Inertial(material.density * whole.volume, position + R @ whole.centre, inertia, mesh)


def _sum(parts: list[Inertial], node: Node) -> Inertial | None:
    if not parts:
        return None
    mass = sum(part.mass for part in parts)
    centre = sum((part.mass * part.centre for part in parts), np.zeros(3)) / mass
    inertia = np.zeros((3, 3))
    for part in parts:
        d = part.centre - centre
        inertia += part.inertia + part.mass * (d @ d * np.eye(3) - np.outer(d, d))
    return Inertial(mass, centre, inertia, node)
