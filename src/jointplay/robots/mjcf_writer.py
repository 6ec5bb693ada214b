"""Writing MJCF: bodies inside each other, joints in them, sites for markers, equalities for loops.

Masses and inertias are written as they are; geoms are for pictures and touch nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..model.geometry import euler_parameters
from .ledger import Ledger
from .robot import BALL, HINGE, SLIDE, Closure, Connection, Freedom, Link, Picture, Robot
from .xmltree import Node
from .xmlwriter import element

KINDS = {"fixed", "revolute", "prismatic", "spherical", "cylindrical", "universal", "planar"}
WORLD = "world"
TYPES = {HINGE: "hinge", SLIDE: "slide", BALL: "ball"}
EQUALITIES = {"spherical": "connect", "fixed": "weld"}
NO_CONTACT = {"contype": 0, "conaffinity": 0, "mass": 0.0}


def mjcf(robot: Robot, ledger: Ledger) -> tuple[Node, dict[Node, Node]]:
    """The root element, and for elements of the System what they became."""
    root = element(None, "mujoco", model=robot.name)
    became = {ledger.root: root}
    element(root, "compiler", angle="radian", autolimits="true", inertiafromgeom="false")
    option = element(root, "option", gravity=robot.gravity)
    for node in ledger.root.inside("gravity"):
        ledger.used(node)
        became[node] = option
    places: dict[str | None, Node] = {None: element(root, "worldbody")}
    for connection in robot.connections:
        link = robot.links[connection.child]
        around = places[connection.parent]
        where = {"pos": connection.position + 0.0, "quat": euler_parameters(connection.rotation)}
        if link.inertial is None:  # a marker
            became[link.node] = element(around, "site", name=link.name, **where)
            continue
        name = body_name(link.name)
        if name != link.name:
            ledger.converted(link.node, f"called '{name}'")
        places[link.name] = became[link.node] = node = element(around, "body", name=name, **where)
        _inside(node, link, connection, ledger, became)
    _equalities(root, robot, ledger, became)
    return root, became


def body_name(name: str | None) -> str:
    """The name of a body in the file: the ground has that of MuJoCo's world, which no other body may have."""
    return WORLD if name is None else f"{name} body" if name == WORLD else name


def _inside(node: Node, link: Link, connection: Connection, ledger: Ledger, became: dict[Node, Node]) -> None:
    assert link.inertial is not None
    J = link.inertial.inertia
    six = [J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]]
    flat = not any(six[3:])
    inertia: dict[str, Any] = {"diaginertia": six[:3]} if flat else {"fullinertia": six}
    element(node, "inertial", pos=link.inertial.centre + 0.0, mass=link.inertial.mass, **inertia)
    if connection.floating:
        element(node, "freejoint", name=connection.name)
    for freedom in connection.freedoms:
        became.setdefault(freedom.node, _joint(node, freedom, ledger))
    for picture in link.pictures:
        _geom(node, picture, ledger)


def _joint(node: Node, freedom: Freedom, ledger: Ledger) -> Node:
    given: dict[str, Any] = {"name": freedom.name, "type": TYPES[freedom.kind], "pos": freedom.point + 0.0}
    if freedom.kind != BALL:
        given["axis"] = freedom.axis + 0.0
    if freedom.lower is not None or freedom.upper is not None:
        far = 1e4
        ends = [-far if freedom.lower is None else freedom.lower, far if freedom.upper is None else freedom.upper]
        given |= {"range": ends, "limited": "true"}
        assert freedom.limited_by is not None
        ledger.approximated(freedom.limited_by, "MuJoCo's limits give way")
    for key, value in (
        ("stiffness", freedom.stiffness),
        ("damping", freedom.damping),
        ("frictionloss", freedom.friction),
    ):
        if value:
            given[key] = value
    if freedom.stiffness:
        given["springref"] = freedom.rest
    return element(node, "joint", **given)


def _geom(node: Node, picture: Picture, ledger: Ledger) -> None:
    given = picture.shape
    half = 0.5 * given["length"]
    sizes: dict[str, list[float]] = {
        "box": [0.5 * one for one in given["size"]],
        "cylinder": [given["radius"], half],
        "capsule": [given["radius"], half],
        "sphere": [given["radius"]],
    }
    if given["type"] not in sizes:
        ledger.ignored(picture.node, "a mesh, which is not written; for pictures only")
        return
    colour = given["colour"]
    rgba = [int(colour[k : k + 2], 16) / 255.0 for k in (1, 3, 5)] + [1.0] if colour else None
    where = {"pos": picture.position + 0.0, "quat": euler_parameters(picture.rotation)}
    element(node, "geom", type=given["type"], size=sizes[given["type"]], **where, rgba=rgba, **NO_CONTACT)
    ledger.converted(picture.node, "a geom, for pictures only")


def _equalities(root: Node, robot: Robot, ledger: Ledger, became: dict[Node, Node]) -> None:
    """Loops: points that coincide, or frames that do not move in each other; MuJoCo's give way."""
    held = [closure for closure in robot.closures if closure.kind in EQUALITIES]
    for closure in robot.closures:
        if closure not in held:
            what = f"a {closure.kind} joint that closes a loop, or that is not of the format, has no place in MJCF"
            ledger.lose(closure.node, what, closure.kind, "loop")
    if not held:
        return
    around = element(root, "equality")
    for closure in held:
        ledger.approximated(closure.node, "an equality, which gives way")
        became[closure.node] = _equality(around, closure)


def _equality(around: Node, closure: Closure) -> Node:
    ends = {"body1": body_name(closure.first), "body2": body_name(closure.second)}
    tag = EQUALITIES[closure.kind]
    if tag == "connect":
        return element(around, tag, name=closure.name, **ends, anchor=closure.point + 0.0)
    assert closure.turn is not None
    # MuJoCo takes the pose of body2 in body1; the point that is held is the origin of body2
    position = closure.point - closure.turn @ closure.other
    pose = np.concatenate([position, euler_parameters(closure.turn)]) + 0.0
    return element(around, tag, name=closure.name, **ends, anchor=np.zeros(3), relpose=pose)
