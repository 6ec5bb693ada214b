"""Writing URDF: one link per body and marker; joints with several motions become joints with links without mass."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from .ledger import Ledger
from .origins import to_rpy
from .robot import BALL, HINGE, SLIDE, Connection, Freedom, Link, Picture, Robot
from .xmltree import Node
from .xmlwriter import element

KINDS = {"fixed", "revolute", "prismatic", "cylindrical", "universal", "planar"}  # of joints that a tree may have
FAR = 1e4  # m: where a prismatic joint without stops ends, since the format wants limits
WORLD = "world"


def urdf(robot: Robot, ledger: Ledger) -> tuple[Node, dict[Node, Node]]:
    """The root element, and for elements of the System what they became."""
    root = element(None, "robot", name=robot.name)
    became = {ledger.root: root}
    world = WORLD
    while world in robot.links:
        world += "_"
    element(root, "link", name=world)
    for link in robot.links.values():
        became[link.node] = _link(root, link, ledger)
    for connection in robot.connections:
        node = _chain(root, connection, connection.parent or world, ledger)
        became.setdefault(connection.node, node)
    for closure in robot.closures:
        what = f"a {closure.kind} joint that closes a loop, or that is not of the format, has no place in URDF"
        ledger.lose(closure.node, what, closure.kind, "loop")
    for node in ledger.root.inside("gravity"):
        ledger.ignored(node, "URDF has no place for it")
    return root, became


def _origin(around: Node, position: np.ndarray, rotation: np.ndarray) -> None:
    element(around, "origin", xyz=position + 0.0, rpy=to_rpy(rotation))


def _link(root: Node, link: Link, ledger: Ledger) -> Node:
    node = element(root, "link", name=link.name)
    if link.inertial is not None:
        inside = element(node, "inertial")
        _origin(inside, link.inertial.centre, np.eye(3))
        element(inside, "mass", value=link.inertial.mass)
        J = link.inertial.inertia
        element(inside, "inertia", ixx=J[0, 0], ixy=J[0, 1], ixz=J[0, 2], iyy=J[1, 1], iyz=J[1, 2], izz=J[2, 2])
    for picture in link.pictures:
        _visual(node, picture, ledger)
    return node


def _visual(node: Node, picture: Picture, ledger: Ledger) -> None:
    given = picture.shape
    sizes: dict[str, dict[str, Any]] = {
        "box": {"size": given["size"]},
        "cylinder": {"radius": given["radius"], "length": given["length"]},
        "sphere": {"radius": given["radius"]},
        "capsule": {"radius": given["radius"], "length": given["length"]},
        "mesh": {"filename": given["file"], "scale": [given["unit"]] * 3},
    }
    visual = element(node, "visual")
    _origin(visual, picture.position, picture.rotation)
    element(element(visual, "geometry"), given["type"], **sizes[given["type"]])
    if given["type"] == "mesh":
        name = str(given["file"])
        visual.children[-1].children[-1].attributes["filename"] = f"file://{Path(name).resolve()}"
    if given["colour"]:
        rgba = [int(given["colour"][k : k + 2], 16) / 255.0 for k in (1, 3, 5)]
        element(element(visual, "material", name=given["colour"]), "color", rgba=[*rgba, 1.0])
    ledger.converted(picture.node, "for pictures")


def _chain(root: Node, connection: Connection, parent: str, ledger: Ledger) -> Node:
    """The joint of a connection; with several motions a chain of joints, with links without mass between them."""
    if _is_planar(connection):
        return _joint(root, connection.name, "planar", connection, parent, connection.child, connection.freedoms[2])
    if len(connection.freedoms) < 2:
        freedom = connection.freedoms[0] if connection.freedoms else None
        kind = _kind(connection, freedom)
        node = _joint(root, connection.name, kind, connection, parent, connection.child, freedom)
        if freedom is not None:
            _forces(node, freedom, ledger)
        return node
    first = None
    for k, freedom in enumerate(connection.freedoms):
        last = k == len(connection.freedoms) - 1
        child = connection.child if last else f"{connection.name} {k + 1}"
        if not last:
            element(root, "link", name=child)
        node = _joint(
            root, freedom.name, _kind(connection, freedom), connection if not k else None, parent, child, freedom
        )
        _forces(node, freedom, ledger)
        parent, first = child, first or node
    assert first is not None
    return first


def _is_planar(connection: Connection) -> bool:
    kinds = [freedom.kind for freedom in connection.freedoms]
    forces = any(f.limited_by or f.damping or f.friction or f.stiffness for f in connection.freedoms)
    return kinds == [SLIDE, SLIDE, HINGE] and not forces


def _kind(connection: Connection, freedom: Freedom | None) -> str:
    if freedom is None:
        return "floating" if connection.floating else "fixed"
    if freedom.kind == HINGE:
        return "continuous" if freedom.lower is None and freedom.upper is None else "revolute"
    assert freedom.kind != BALL  # not among KINDS
    return "prismatic"


def _joint(
    root: Node, name: str, kind: str, place: Connection | None, parent: str, child: str, freedom: Freedom | None
) -> Node:
    node = element(root, "joint", name=name, type=kind)
    if place is not None:
        _origin(node, place.position, place.rotation)
    element(node, "parent", link=parent)
    element(node, "child", link=child)
    if freedom is not None:
        element(node, "axis", xyz=freedom.axis + 0.0)
    return node


def _forces(node: Node, freedom: Freedom, ledger: Ledger) -> None:
    kind = node.attributes["type"]
    if kind in ("revolute", "prismatic"):
        lower = -FAR if freedom.lower is None else freedom.lower
        upper = FAR if freedom.upper is None else freedom.upper
        element(node, "limit", lower=lower, upper=upper, effort=0.0, velocity=0.0)
        if freedom.limited_by is None:
            ledger.approximated(freedom.node, f"the format wants limits: {FAR:g} m both ways")
        elif freedom.lower is None or freedom.upper is None:
            ledger.approximated(freedom.limited_by, f"the format wants both limits: {FAR:g} for the other")
    if freedom.damping or freedom.friction:
        element(node, "dynamics", damping=freedom.damping, friction=freedom.friction)
    if freedom.stiffness and freedom.pulled_by is not None:
        ledger.lose(freedom.pulled_by, "stiffness of a joint has no place in URDF", "stiffness", partly=True)
