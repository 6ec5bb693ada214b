"""Reading URDF, strictly: links, joints, and what else stands in such files.

The frame of a joint is its ``origin`` in the frame of the parent (origins.py), and is the frame of the child; the axis
is in it. Numbers are in m, kg, s and rad.
"""

from __future__ import annotations

import numpy as np

from ..joints.frames import triad
from ..model.names import suggest
from .attributes import bound, known, number, numbers
from .ledger import Ledger
from .origins import one, pose
from .robot import HINGE, SLIDE, Connection, Freedom, Inertial, Link, Robot
from .tree import in_order
from .urdf_extras import EXTRAS, read_extra
from .urdf_geometry import MeshFiles, read_pictures
from .xmltree import Node

FREEDOMS = {  # of the types of joints: kinds of motion along or about the axis
    "revolute": (HINGE,),
    "continuous": (HINGE,),
    "prismatic": (SLIDE,),
    "planar": (SLIDE, SLIDE, HINGE),
    "fixed": (),
    "floating": (),
}
LIMITED = ("revolute", "prismatic")
INERTIA = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def read_urdf(root: Node, ledger: Ledger, meshes: MeshFiles) -> Robot:
    """The robot of a file; what is wrong is noted in the ledger."""
    known(root, ("name", "version"), ledger)
    ledger.used(root)
    robot = Robot(root.name or "robot", root)
    if not root.name:
        ledger.fail(root, "'name' is missing")
    macros = [node for node in root.all() if node.tag.startswith("xacro:")]
    if macros:
        ledger.fail(macros[0], "macros are not expanded here: run 'xacro FILE > robot.urdf' first, and read that")
    for node in macros:
        ledger.unread(node)
    colours = _colours(root)
    for node in root.children:
        if node.tag == "link":
            _add_link(node, robot, ledger, meshes, colours)
    seen: dict[str, Node] = {}  # joints by name
    for node in root.children:
        if node.tag == "joint":
            _add_joint(node, robot, ledger, seen)
        elif node.tag in EXTRAS:
            read_extra(node, ledger)
    if not root.inside("link"):
        ledger.fail(root, "has no link")
        robot.sound = False
    for node in root.inside("material"):
        if not ledger.spoken_of(node):
            ledger.ignored(node, "for pictures")
    in_order(robot, ledger)
    return robot


def _colours(root: Node) -> dict[str, Node]:
    """Materials that are defined for all links, by name."""
    return {node.name: node for node in root.all() if node.tag == "material" and node.inside("color") and node.name}


def _add_link(node: Node, robot: Robot, ledger: Ledger, meshes: MeshFiles, colours: dict[str, Node]) -> None:
    known(node, ("name", "type"), ledger)
    if not node.name:
        ledger.fail(node, "'name' is missing")
        return
    if node.name in robot.links:
        ledger.fail(node, f"there is another link of this name in line {robot.links[node.name].node.line}")
        return
    link = robot.links[node.name] = Link(node.name, node)
    ledger.used(node)
    inertial = one(node, "inertial", ledger)
    if inertial is not None:
        link.inertial = _inertial(inertial, ledger)
    link.pictures = read_pictures(node, ledger, meshes, colours)
    for child in node.children:
        if child.tag == "collision":
            ledger.lose(child, "contact between parts is not in a System", "collision", "contact")
        elif child.tag == "contact":
            ledger.lose(child, "contact between parts is not in a System", "contact")
        elif child.tag == "collision_checking":
            ledger.ignored(child, "settings of another program")


def _inertial(node: Node, ledger: Ledger) -> Inertial:
    ledger.used(node)
    known(node, (), ledger)
    position, rotation = pose(one(node, "origin", ledger), ledger)
    mass_node, inertia_node = one(node, "mass", ledger), one(node, "inertia", ledger)
    if mass_node is None or inertia_node is None:
        missing = [tag for tag, there in (("mass", mass_node), ("inertia", inertia_node)) if there is None]
        ledger.fail(node, f"has no {' and no '.join(missing)}")
        return Inertial(np.nan, position, np.full((3, 3), np.nan), node)
    known(mass_node, ("value",), ledger)
    known(inertia_node, INERTIA, ledger)
    ledger.used(mass_node)
    ledger.used(inertia_node)
    mass = number(mass_node, "value", ledger)
    if mass < 0.0:
        ledger.fail(mass_node, f"must not be negative, is {mass:g} kg")
    xx, xy, xz, yy, yz, zz = (number(inertia_node, key, ledger) for key in INERTIA)
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if mass == 0.0 and tensor.any():
        what = "has moments of inertia without a mass"
        ledger.lose(inertia_node, what, "inertia", partly=True, allowing="takes them as they stand")
    return Inertial(mass, position, rotation @ tensor @ rotation.T, inertia_node)


def _add_joint(node: Node, robot: Robot, ledger: Ledger, seen: dict[str, Node]) -> None:
    known(node, ("name", "type"), ledger)
    if not node.name:
        ledger.fail(node, "'name' is missing")
    elif seen.setdefault(node.name, node) is not node:
        ledger.fail(node, f"there is another joint of this name in line {seen[node.name].line}")
    kind = node.attributes.get("type", "")
    if kind not in FREEDOMS:
        what = f"there is no joint of type '{kind}'" if kind else "'type' is missing"
        ledger.fail(node, f"{what}{suggest(kind, FREEDOMS)}")
    ends = [_end(node, tag, robot, ledger) for tag in ("parent", "child")]
    position, rotation = pose(one(node, "origin", ledger), ledger)
    parent, child = ends
    if kind not in FREEDOMS or parent is None or child is None or not node.name:
        ledger.unread(node)
        robot.sound = False
        if child is not None:
            robot.orphans.add(child)
        return
    ledger.used(node)
    axis = _axis(node, kind, ledger)
    freedoms = tuple(
        Freedom(node.name, motion, node, along) for motion, along in zip(FREEDOMS[kind], _axes(kind, axis), strict=True)
    )
    robot.connections.append(
        Connection(node.name, parent, child, node, position, rotation, freedoms, kind == "floating")
    )
    if kind in LIMITED and not node.inside("limit"):
        ledger.approximated(node, f"a {kind} joint without the limit that the format wants: free to move without end")
    _rest(node, freedoms[0] if len(freedoms) == 1 else None, ledger)


def _end(node: Node, tag: str, robot: Robot, ledger: Ledger) -> str | None:
    found = one(node, tag, ledger)
    if found is None:
        ledger.fail(node, f"'{tag}' is missing")
        return None
    known(found, ("link",), ledger)
    ledger.used(found)
    name = found.attributes.get("link", "")
    if name not in robot.links:
        ledger.fail(found, f"there is no link '{name}'{suggest(name, robot.links)}")
        return None
    return name


def _axis(node: Node, kind: str, ledger: Ledger) -> np.ndarray:
    given = one(node, "axis", ledger)
    if given is None:
        return np.array([1.0, 0.0, 0.0])
    known(given, ("xyz",), ledger)
    if not FREEDOMS[kind]:
        ledger.ignored(given, f"a {kind} joint has no axis")
        return np.array([1.0, 0.0, 0.0])
    ledger.used(given)
    axis = numbers(given, "xyz", 3, ledger, (1.0, 0.0, 0.0))
    size = float(np.linalg.norm(axis))
    if size == 0.0:
        ledger.fail(given, "has no direction: all its components are 0")
        return np.array([1.0, 0.0, 0.0])
    return np.asarray(axis / size)


def _axes(kind: str, axis: np.ndarray) -> list[np.ndarray]:
    """The axes of the freedoms: those of a planar joint are two directions in the plane and its normal."""
    if kind != "planar":
        return [axis] * len(FREEDOMS[kind])
    h, t, b = triad(axis)
    return [h, t, b]


def _rest(node: Node, freedom: Freedom | None, ledger: Ledger) -> None:
    """Limits, damping and the like; without a freedom they have nothing to act on."""
    kind = node.attributes.get("type", "")
    for child in node.children:
        if child.tag == "calibration":
            ledger.ignored(child, "where sensors are calibrated")
        elif child.tag not in REST:
            continue
        elif freedom is not None:
            REST[child.tag](child, freedom, ledger)
        elif FREEDOMS.get(kind):
            ledger.lose(child, f"'{child.tag}' of a {kind} joint has no place in a System", child.tag)
        else:
            ledger.ignored(child, f"a {kind} joint has no coordinate for it")


def _limit(node: Node, freedom: Freedom, ledger: Ledger) -> None:
    known(node, ("lower", "upper", "effort", "velocity"), ledger)
    lower, upper = bound(node, "lower", ledger, 0.0), bound(node, "upper", ledger, 0.0)
    for key in ("effort", "velocity"):
        bound(node, key, ledger, 0.0)
    bounds = " and ".join(key for key in ("effort", "velocity") if key in node.attributes)
    if bounds:
        ledger.used(node, f"{bounds}: bounds for a controller, which the file does not have")
    if freedom.node.attributes["type"] == "continuous":
        ledger.ignored(node, "a continuous joint has no lower and upper limit")
        return
    if lower is None and upper is None:
        ledger.used(node, "so far away that it is none")
    elif lower is None or upper is None:
        freedom.lower, freedom.upper, freedom.limited_by = lower, upper, node
        ledger.converted(node, "a stop on one side, rigid, without rebound")
    elif lower > upper:
        ledger.fail(node, f"'lower' ({lower:g}) lies above 'upper' ({upper:g})")
    elif lower == upper:
        given = "are equal" if {"lower", "upper"} & set(node.attributes) else "are missing and both count as 0"
        ledger.lose(node, f"'lower' and 'upper' {given}: the joint could not move", "limit")
    elif np.isfinite([lower, upper]).all():
        freedom.lower, freedom.upper, freedom.limited_by = lower, upper, node
        ledger.converted(node, "stops, rigid, without rebound")


def _dynamics(node: Node, freedom: Freedom, ledger: Ledger) -> None:
    known(node, ("damping", "friction"), ledger)
    made = []
    for key, law in (("damping", "damper"), ("friction", "constant friction with true stick")):
        value = number(node, key, ledger, 0.0)
        if value < 0.0:
            ledger.fail(node, f"'{key}' must not be negative, is {value:g}")
        elif value > 0.0:
            setattr(freedom, key, value)
            made.append(law)
    freedom.pulled_by = node
    if made:
        ledger.converted(node, " and ".join(made) + " on the coordinate")
    else:
        ledger.used(node, "zero")


def _mimic(node: Node, freedom: Freedom, ledger: Ledger) -> None:
    known(node, ("joint", "multiplier", "offset"), ledger)
    ledger.lose(node, "a joint that follows another one has no place in a System: it moves by itself", "mimic")


def _safety(node: Node, freedom: Freedom, ledger: Ledger) -> None:
    known(node, ("soft_lower_limit", "soft_upper_limit", "k_position", "k_velocity"), ledger)
    gains = [number(node, key, ledger, 0.0) for key in ("k_position", "k_velocity")]
    if any(gains):
        ledger.lose(node, "a controller that keeps from limits has no place in a System", "safety_controller")
    else:
        ledger.ignored(node, "without gains it does nothing")


REST = {
    "limit": _limit,
    "dynamics": _dynamics,
    "mimic": _mimic,
    "safety_controller": _safety,
}
