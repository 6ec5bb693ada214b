"""A System as a robot: a tree of links from the ground, loops closed apart, and what no robot file can hold.

Joints that a tree can have are walked from the ground; the pose as drawn is the zero of all coordinates. A joint that
is walked from its second body to its first turns about the opposite axis, so that its coordinate keeps its sign. The
frame of a link stands in the point of the joint that leads to it, along the axes of the body.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..laws.base import Law
from ..laws.constant_friction import ConstantFriction
from ..laws.ideal import Ideal
from ..laws.rigid import Rigid
from ..laws.spring import Spring
from ..laws.stop import Stop
from ..model.elements import GROUND, Body, Joint, Marker
from ..model.geometry import Pose, rotation_matrix
from ..model.system import System
from .ledger import Ledger
from .robot import BALL, HINGE, SLIDE, Closure, Connection, Freedom, Inertial, Link, Picture, Robot
from .xmltree import Node


@dataclass(frozen=True)
class Motion:
    """A freedom of a joint kind: its coordinate, and which axis of which marker it has."""

    kind: str
    coordinate: str | None
    on_second: bool = False
    row: int = 2  # of h, t, b


MOTIONS: dict[str, tuple[Motion, ...]] = {  # by the kind of joint, from the first body to the second
    "fixed": (),
    "revolute": (Motion(HINGE, "angle"),),
    "prismatic": (Motion(SLIDE, "displacement"),),
    "spherical": (Motion(BALL, None),),
    "cylindrical": (Motion(SLIDE, "displacement"), Motion(HINGE, "angle")),
    "universal": (Motion(HINGE, "angle_a"), Motion(HINGE, "angle_b", on_second=True)),
    "planar": (Motion(SLIDE, "displacement_h", row=0), Motion(SLIDE, "displacement_t", row=1), Motion(HINGE, "angle")),
}
ONE_WAY = ("planar",)  # its displacements are along axes of the first body


def items(system: System) -> tuple[Node, dict[str, Node]]:
    """What a System is made of as elements to keep account of, and those that have a name by it."""
    root = Node("system", {"name": system.name}, 0)
    named: dict[str, Node] = {}

    def add(tag: str, name: str, around: Node = root) -> Node:
        node = Node(tag, {"name": name} if name else {}, 0, around)
        around.children.append(node)
        if name:
            named[name] = node
        return node

    add("gravity", "")
    for body in system.bodies:
        node = add("body", body.name)
        for _ in body.shapes:
            add("shape", "", node)
        if np.any(body.velocity) or np.any(body.angular_velocity):
            add("velocity", "", node)
    for marker in system.markers:
        add("marker", marker.name)
    for joint in system.joints:
        node = add("joint", joint.name)
        for laws in joint.free.values():
            for law in laws:
                add(law.key, "", node)
        for key in dict.fromkeys(law.key for law in joint.closed.values() if not isinstance(law, Ideal)):
            add(key, "", node)
        if joint.friction is not None:
            add("friction", "", node)
    for spring in system.springs:
        add("spring", spring.name)
    for load in system.loads:
        add("torque" if load.is_torque else "force", load.name)
    return root, named


class Walk:
    """A System while it is walked."""

    def __init__(self, system: System, named: dict[str, Node], ledger: Ledger, kinds: set[str]) -> None:
        self.system, self.named, self.ledger, self.kinds = system, named, ledger, kinds
        self.robot = Robot(system.name or "robot", ledger.root, gravity=system.gravity)
        self.frames: dict[str, Pose] = {GROUND: Pose(np.zeros(3), np.eye(3))}  # of links, as drawn
        self.bodies = {body.name: body for body in system.bodies}

    def read(self) -> Robot:
        """The robot; what it cannot hold is noted in the ledger."""
        self.ledger.used(self.ledger.root)
        loops = self._tree()
        for joint in loops:
            self._loop(joint)
        for marker in self.system.markers:
            self._marker(marker)
        for tag, things in (("spring", self.system.springs), ("load", self.system.loads)):
            for thing in things:
                self.ledger.lose(self.named[thing.name], f"a {tag} has no place in {self.ledger.format}", tag)
        return self.robot

    def _tree(self) -> list[Joint]:
        """Walk from the ground, then from each body that is left; the joints that were not walked."""
        left = list(self.system.joints)
        for start in [None, *self.system.bodies]:
            if start is not None:
                if start.name in self.frames:
                    continue
                self._link(start, Pose(start.position, rotation_matrix(start.orientation)))
                self.robot.connections.append(self._connection(f"{start.name} floats", GROUND, start.name, ()))
                self.robot.connections[-1].floating = True
            again = True
            while again:
                again = False
                for joint in list(left):
                    ends = [joint.first.body, joint.second.body]
                    here = [end in self.frames for end in ends]
                    one_way = joint.kind.key in ONE_WAY and not here[0]
                    if here[0] != here[1] and joint.kind.key in self.kinds and not one_way:
                        self._step(joint, reversed=here[1])
                        left.remove(joint)
                        again = True
        return left

    def _link(self, body: Body, frame: Pose) -> None:
        """A body as a link whose frame stands in a point of it."""
        node = self.named[body.name]
        self.ledger.used(node)
        self.frames[body.name] = frame
        link = self.robot.links[body.name] = Link(body.name, node)
        centre = frame.point_in(body.position)
        link.inertial = Inertial(body.mass, centre, body.inertia, node)
        for shape, item in zip(body.shapes, node.inside("shape"), strict=True):
            given = {"type": shape.kind, "size": shape.size.tolist(), "radius": shape.radius, "length": shape.length}
            given |= {"file": shape.path or shape.file, "unit": shape.unit, "colour": shape.colour}
            link.pictures.append(Picture(given, centre + shape.position, rotation_matrix(shape.orientation), item))
        for item in node.inside("velocity"):
            self.ledger.ignored(item, "a robot file has no start")

    def _connection(self, name: str, parent: str, child: str, freedoms: tuple[Freedom, ...]) -> Connection:
        above, below = self.frames[parent], self.frames[child]
        above_name = None if parent == GROUND else parent
        node = self.named.get(name, self.named[child])
        return Connection(name, above_name, child, node, above.point_in(below.r), above.A.T @ below.A, freedoms)

    def _step(self, joint: Joint, reversed: bool) -> None:
        """One joint further: the link behind it, and its freedoms in the frame of that link."""
        node = self.named[joint.name]
        near, far = (joint.second, joint.first) if reversed else (joint.first, joint.second)
        pose = self.system.poses[far.body]
        frame = Pose(pose.point_out(far.point), pose.A)
        self._link(self.bodies[far.body], frame)
        motions = MOTIONS[joint.kind.key]
        freedoms = []
        for motion in motions[::-1] if reversed else motions:
            marker = joint.second if motion.on_second else joint.first
            axis = self.system.poses[marker.body].axes_out(marker.axes)[motion.row]
            local = frame.A.T @ axis * (-1.0 if reversed else 1.0)
            name = joint.name if len(motions) == 1 else f"{joint.name} {motion.coordinate}"
            freedom = Freedom(name, motion.kind, node, local)
            for law, item in self._laws(joint, motion.coordinate):
                self._force(law, item, freedom)
            freedoms.append(freedom)
        self.ledger.used(node) if len(motions) < 2 else self.ledger.converted(node, "one joint after the other")
        self.robot.connections.append(self._connection(joint.name, near.body, far.body, tuple(freedoms)))
        self._imperfect(joint, node)

    def _laws(self, joint: Joint, coordinate: str | None) -> list[tuple[Law, Node]]:
        """Laws on a coordinate with their elements, which stand in the order of the coordinates."""
        found, k = [], 0
        for name, laws in joint.free.items():
            for law in laws:
                if name == coordinate:
                    found.append((law, self.named[joint.name].children[k]))
                k += 1
        return found

    def _force(self, law: Law, item: Node, freedom: Freedom) -> None:
        """A law on a coordinate, if a robot file can have it."""
        if isinstance(law, Stop):
            lower, upper = law.lower, law.upper
            freedom.lower = _tighter(freedom.lower, lower, max)
            freedom.upper = _tighter(freedom.upper, upper, min)
            freedom.limited_by = item
            soft = not isinstance(law.contact, Rigid) or float(law.contact.restitution) != 0.0
            if soft:
                self.ledger.lose(item, "give and rebound of a stop have no place", "stop", partly=True)
            self.ledger.converted(item, "limits")
        elif isinstance(law, Spring):
            total = freedom.stiffness + float(law.stiffness)
            if law.stiffness:
                pull = freedom.stiffness * freedom.rest + float(law.stiffness) * float(law.free) + float(law.preload)
                freedom.rest = pull / total
                freedom.stiffness = total
            elif law.preload:
                self.ledger.lose(item, "a constant force on a coordinate has no place", "preload", partly=True)
            freedom.damping += float(law.damping)
            freedom.pulled_by = item
            self.ledger.converted(item, "stiffness and damping of the joint")
        elif isinstance(law, ConstantFriction):
            freedom.friction += float(law.level)
            self.ledger.converted(item, "friction of the joint")
        else:
            self.ledger.lose(item, f"the law '{law.key}' has no place in {self.ledger.format}", law.key)

    def _imperfect(self, joint: Joint, node: Node) -> None:
        """Laws on closed directions, and friction under the reaction."""
        for law in {law.key for law in joint.closed.values() if not isinstance(law, Ideal)}:
            item = next(one for one in node.children if one.tag == law)
            self.ledger.lose(item, f"'{law}' on a closed direction has no place in {self.ledger.format}", law)
        for item in node.inside("friction"):
            what = f"friction under the reaction of a joint has no place in {self.ledger.format}"
            self.ledger.lose(item, what, "friction")

    def _loop(self, joint: Joint) -> None:
        """A joint that closes a loop, or that no tree can have."""
        node, names = self.named[joint.name], {joint.first.body: joint.first, joint.second.body: joint.second}
        ends = [None if name == GROUND else name for name in names]
        points = [self._inside(marker) for marker in (joint.first, joint.second)]
        first, second = self.frames[joint.first.body], self.frames[joint.second.body]
        self.robot.closures.append(
            Closure(joint.name, joint.kind.key, ends[0], ends[1], points[0], node, points[1], first.A.T @ second.A)
        )
        for laws in joint.free.values():
            for law in laws:
                item = next(one for one in node.children if one.tag == law.key)
                self.ledger.lose(
                    item, f"a law on a joint that closes a loop has no place in {self.ledger.format}", law.key
                )
        self._imperfect(joint, node)

    def _inside(self, marker: Marker) -> np.ndarray:
        """The point of a marker in the frame of its link."""
        return self.frames[marker.body].point_in(self.system.place(marker))

    def _marker(self, marker: Marker) -> None:
        node = self.named[marker.name]
        if marker.body == GROUND:
            self.ledger.ignored(node, "a point of the ground")
            return
        self.robot.links[marker.name] = Link(marker.name, node)
        axes = marker.axes.T  # columns, in body axes, which are those of the link
        self.robot.connections.append(
            Connection(f"{marker.name} on {marker.body}", marker.body, marker.name, node, self._inside(marker), axes)
        )
        self.ledger.converted(node, f"a frame on '{marker.body}'")


def _tighter(before: float | None, given: Any, choose: Any) -> float | None:
    if given is None:
        return before
    return float(given) if before is None else float(choose(before, float(given)))
