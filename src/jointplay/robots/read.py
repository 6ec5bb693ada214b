"""``jp.read``: a robot file becomes a System, and a report lists what became of every element."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal

from ..errors import InputError, Problem
from ..model.system import System
from .build import Builder
from .imperfections import check_names
from .ledger import Ledger
from .report import ImportReport, RobotFileError
from .rigid_parts import assemble
from .robot import Connection, Robot
from .solids import Material, weigh_meshes
from .start import Given
from .urdf import read_urdf
from .urdf_geometry import MeshFiles
from .xmltree import Node, read_xml

FORMATS = {"robot": "URDF", "mujoco": "MJCF"}
MODELS = (".yaml", ".yml", ".json")


def read(
    path: str | PathLike[str],
    *,
    play: Mapping[str, Any] | None = None,
    allow: Collection[str] | str = (),
    base: Literal["fixed", "floating"] | None = None,
    start: Mapping[str, Any] | None = None,
    rates: Mapping[str, Any] | None = None,
    keep: Collection[str] | str = (),
    gravity: Any = None,
    inertia_from: Literal["mesh"] | None = None,
    mesh_unit: Any = None,
    density: Any = None,
    folder: str | PathLike[str] | None = None,
) -> tuple[System, ImportReport]:
    """Read a robot file (URDF, or MJCF with ``pip install jointplay[mujoco]``).

    Args:
        path: the file.
        play: imperfections by the names of joints: a law, which goes where it belongs
            (``{"elbow": jp.Clearance("0.1 mm")}``), or a mapping of fields of the joint
            (``{"elbow": {"radial": jp.Clearance(...), "length": "20 mm"}}``).
        allow: names of physical things that may be left out: a tag ("transmission"), a topic ("contact", "massless")
            or the name of an element; "all" for everything. What is left out is in the report.
        base: of URDF: "fixed" on the ground (unless given), or "floating".
        start: values of coordinates by the names of joints; zero, or the middle of the limits where zero is outside.
        rates: of coordinates by the names of joints; left open unless given.
        keep: names of fixed joints that stay joints; the others make one body of what they hold together. That of an
            MJCF body without a joint is the name of the body and " joint".
        gravity: m/s2, instead of that of the file; URDF has none, and (0, 0, -9.81) is taken.
        inertia_from: "mesh": links without an inertial element get that of their meshes, filled with ``density``.
        mesh_unit: length of one unit in mesh files ("1 mm"); needed for ``inertia_from``.
        density: kg/m3; needed for ``inertia_from``.
        folder: where a model file made from the System will be written: meshes are named relative to it.

    Returns:
        The System, and the report with one row per element: used, converted, approximated or ignored. ``report.lost``
        are the rows of what was physical and left out.

    Raises:
        InputError: with all problems; where the file could be read, its ``report`` has what became of each element.
    """
    file = Path(path)
    if file.suffix.lower() in MODELS:
        raise InputError(Problem("", "is a model file: read it by jp.load_model", fspath(path)))
    root, data = read_xml(path)
    ledger = Ledger(root, fspath(path), _format(root, fspath(path)), allow)
    meshes = MeshFiles(file.parent)
    problems = _check_base(base, ledger)
    if ledger.format == "URDF":
        robot = read_urdf(root, ledger, meshes)
        _stand(robot, base or "fixed", ledger)
    else:
        from .mjcf import read_mjcf

        robot = read_mjcf(root, data, ledger, meshes)
    material = Material.of(inertia_from, mesh_unit, density, problems)
    if material is not None and ledger.format != "URDF":
        problems.append(Problem("inertia_from", "MuJoCo takes inertia from the geoms of MJCF by itself; leave it out"))
    given = Given(start or {}, rates or {})
    system = None
    if robot.sound:
        if material is not None:
            weigh_meshes(robot, material, meshes, ledger)
        held = {keep} if isinstance(keep, str) else set(keep)
        problems += _check_names(robot, given, play or {}, held)
        assembly = assemble(robot, held | set(play or {}), ledger)
        folder = Path(folder) if folder is not None else None
        system = Builder(robot, assembly, given, play or {}, ledger, folder).system(gravity)
    report = ledger.close(ImportReport)
    problems += ledger.problems
    if problems or system is None:
        raise RobotFileError(problems, report)
    return system, report


def _format(root: Node, file: str) -> str:
    """By the root element."""
    if root.tag in FORMATS:
        return FORMATS[root.tag]
    known = " or ".join(f"'{tag}' ({name})" for tag, name in FORMATS.items())
    hint = "; convert it to URDF" if root.tag == "sdf" else ""
    raise InputError(Problem("", f"is no robot file: its root is '{root.tag}', not {known}{hint}", file, root.line))


def _check_base(base: str | None, ledger: Ledger) -> list[Problem]:
    if base not in (None, "fixed", "floating"):
        return [Problem("base", f"must be 'fixed' or 'floating', not '{base}'")]
    if base is not None and ledger.format != "URDF":
        return [Problem("base", f"{ledger.format} defines what is free to move; leave it out")]
    return []


def _stand(robot: Robot, base: str, ledger: Ledger) -> None:
    """How the root link of a URDF stands on the ground, which the format does not define."""
    children = {connection.child for connection in robot.connections}
    root = next((name for name in robot.links if name not in children), None)
    if root is not None:
        connection = Connection("", None, root, robot.links[root].node, floating=base == "floating")
        robot.connections.insert(0, connection)
        how = "is fixed on the ground" if base == "fixed" else "floats"
        ledger.remark(f"the link '{root}' {how}: URDF does not define how a robot stands (base=)")


def _check_names(robot: Robot, given: Given, play: Mapping[str, Any], keep: set[str]) -> list[Problem]:
    names = {name for one in robot.connections for name in (one.name, *(f.name for f in one.freedoms)) if name}
    names |= {closure.name for closure in robot.closures}
    wrong = check_names(play, names) + given.check(robot.connections)
    fixed = {one.name for one in robot.connections if one.fixed}
    wrong += [Problem("keep", f"there is no fixed joint '{name}'") for name in sorted(keep - fixed)]
    return wrong
