"""From a robot to a System: bodies, markers, joints with their laws, all as drawn at the start."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError
from ..laws.base import Law
from ..laws.constant_friction import ConstantFriction
from ..laws.spring import Spring
from ..laws.stop import Stop
from ..model.elements import GROUND
from ..model.geometry import euler_parameters
from ..model.system import System
from .imperfections import with_play
from .joint_kinds import Fit, fit
from .kinematics import GROUND_FRAME, Frame, moved
from .ledger import Ledger
from .naming import Names
from .possible import is_possible, nearest
from .rigid_parts import Assembly, Part
from .robot import Closure, Connection, Freedom, Robot
from .start import Given
from .xmltree import Node

CLOSED = 1e-6  # m and rad, by which a loop may be open as typed; its joint is closed exactly


@dataclass
class Builder:
    """What is needed while a System is built."""

    robot: Robot
    assembly: Assembly
    given: Given
    play: Mapping[str, Any]
    ledger: Ledger
    folder: Path | None = None  # of the model file to be written; meshes are named relative to it
    names: Names = field(default_factory=Names)
    frames: dict[str | None, Frame] = field(default_factory=lambda: {None: GROUND_FRAME})  # of links
    bodies: dict[str | None, str] = field(default_factory=lambda: {None: GROUND})  # names by the first link of a part

    def system(self, gravity: Any) -> System:
        """The System; what is wrong is noted in the ledger."""
        if gravity is None and self.robot.gravity is not None:
            gravity = self.robot.gravity.tolist()
        out = System(_title(self.robot.name), gravity=gravity)
        if self.folder is not None:
            out._scene.folder = str(self.folder)
        fits = self._place()
        for part in self.assembly.parts[1:]:
            self.bodies[part.name] = self._name(part.name or "", "body", self.robot.links[part.name or ""].node)
            self._body(out, part)
        for part in self.assembly.parts:
            self._markers(out, part)
        for connection, found in fits:
            self._joint(out, connection, found)
        for closure in self.robot.closures:
            self._closure(out, closure)
        return out

    def _name(self, wanted: str, what: str, node: Node) -> str:
        name = self.names.give(wanted, what)
        if name != wanted:
            self.ledger.converted(node, f"called '{name}'")
        return name

    def _place(self) -> list[tuple[Connection, tuple[Fit | None, list[float]]]]:
        """Frames of all links at the start, and the joint for each connection with the values of its coordinates."""
        out = []
        seats = self.assembly.seats
        for part in self.assembly.parts[:1]:
            self._links(part, GROUND_FRAME)
        for connection in self.assembly.connections:
            try:
                q, rate = self.given.values(connection, self.ledger), self.given.speeds(connection)
            except InputError as error:
                self.ledger.problems_of(error)
                continue
            if connection.parent is not None and connection.parent not in self.frames:
                continue  # reported already
            frame, lines = moved(self.frames[connection.parent], connection, q, rate)
            if not (np.isfinite(frame.x).all() and np.isfinite(frame.R).all()):
                continue  # numbers that could not be read are reported already
            self._links(seats[connection.child].part, frame)
            found = None
            if not connection.floating:
                kinds = [freedom.kind for freedom in connection.freedoms]
                found = fit(kinds, lines, frame.x)
                if found is None:
                    motions = ", ".join(kinds)
                    what = f"no joint has these motions one after the other: {motions}; give what lies between a mass"
                    self.ledger.fail(connection.node, what)
            out.append((connection, (found, [float(value[0]) for value in q])))
        return out

    def _links(self, part: Part, frame: Frame) -> None:
        for name in part.links:
            seat = self.assembly.seats[name]
            self.frames[name] = frame.placed(seat.position, seat.rotation)

    def _body(self, system: System, part: Part) -> None:
        assert part.name is not None
        if part.name not in self.frames:
            return
        frame, node = self.frames[part.name], self.robot.links[part.name].node
        inertia = self._inertia(part)
        if inertia is None:
            return
        centre = frame.point(part.centre)
        motion: dict[str, Any] = {}
        if self.given.rates:
            motion = {"velocity": frame.velocity(centre), "angular_velocity": frame.R.T @ frame.w}
        off = inertia - np.diag(np.diag(inertia))
        try:
            system.body(
                self.bodies[part.name],
                mass=part.mass,
                inertia=inertia if off.any() else np.diag(inertia),
                position=centre,
                orientation=euler_parameters(frame.R),
                shape=self._shapes(part) or None,
                **motion,
            )
        except InputError as error:
            self.ledger.adopt(node, error)

    def _inertia(self, part: Part) -> np.ndarray | None:
        """Its tensor, or the nearest that a body can have if that is allowed."""
        if not (np.isfinite(part.inertia).all() and np.isfinite(part.centre).all() and part.mass > 0.0):
            return None  # reported already
        links = [link for link in (self.robot.links[name] for name in part.links) if link.inertial is not None]
        wrong = [link for link in links if link.inertial.mass > 0.0 and not is_possible(link.inertial.inertia)]  # type: ignore[union-attr]
        if is_possible(part.inertia):
            for link in wrong:
                text = f"no body has these moments, but the body '{self.bodies[part.name]}' that it is a part of may"
                self.ledger.used(link.inertial.node, text)  # type: ignore[union-attr]
            return part.inertia
        moments = ", ".join(f"{value:.6g}" for value in np.linalg.eigvalsh(part.inertia))
        mended = nearest(part.inertia)
        ok = mended is not None
        for link in wrong or links:
            node = link.inertial.node  # type: ignore[union-attr]
            if mended is None:
                self.ledger.fail(node, "a body that turns needs moments of inertia, all of these are zero")
                continue
            what = f"no body has such moments of inertia ({moments} kg m2): each is at most the sum of the others"
            near = ", ".join(f"{value:.6g}" for value in np.linalg.eigvalsh(mended))
            takes = "takes the nearest possible ones"
            ok = self.ledger.lose(node, what, "inertia", partly=True, allowing=takes) and ok
            self.ledger.approximated(node, f"nearest possible: {near} kg m2") if ok else None
        return mended if ok else None

    def _shapes(self, part: Part) -> list[dict[str, Any]]:
        out = []
        for name in part.links:
            seat = self.assembly.seats[name]
            for picture in self.robot.links[name].pictures:
                shape = dict(picture.shape)
                if "file" in shape:
                    path = os.path.abspath(shape["file"])
                    shape["file"] = path if self.folder is None else os.path.relpath(path, self.folder)
                shape["position"] = (seat.position + seat.rotation @ picture.position - part.centre).tolist()
                turned = seat.rotation @ picture.rotation
                if not np.array_equal(turned, np.eye(3)):
                    shape["orientation"] = euler_parameters(turned).tolist()
                out.append(shape)
        return out

    def _markers(self, system: System, part: Part) -> None:
        """Links that are parts of a body go on as markers; those of the ground do not move and are not followed."""
        for name in part.links:
            node, seat = self.robot.links[name].node, self.assembly.seats[name]
            if part.name is None:
                self.ledger.converted(node, "part of the ground")
                weight = self.robot.links[name].inertial
                if weight is not None:
                    self.ledger.converted(weight.node, "of the ground, which does not move: without effect")
                for picture in self.robot.links[name].pictures:
                    self.ledger.ignored(picture.node, "the ground is not drawn")
            elif name != part.name:
                marker = self._name(name, "marker", node)
                self.ledger.converted(node, f"a marker on the body '{self.bodies[part.name]}'")
                try:
                    system.marker(
                        marker,
                        self.bodies[part.name],
                        position=seat.position - part.centre,
                        orientation=euler_parameters(seat.rotation),
                    )
                except InputError:  # the body has problems of its own
                    continue

    def _joint(self, system: System, connection: Connection, found: tuple[Fit | None, list[float]]) -> None:
        joint, values = found
        if joint is None:
            return
        fields: dict[str, Any] = dict(joint.geometry)
        for freedom, coordinate, value in zip(connection.freedoms, joint.coordinates, values, strict=True):
            laws = self._laws(freedom, value, 1.0 if coordinate is None else coordinate[1])
            if laws and coordinate is None:
                what = f"forces on this {freedom.kind} have no place in a {joint.kind} joint, which is what it becomes"
                self.ledger.lose(freedom.node, what, "forces", partly=True)
            elif laws and coordinate is not None:
                fields[coordinate[0]] = laws if len(laws) > 1 else laws[0]
        for name in dict.fromkeys([connection.name, *(freedom.name for freedom in connection.freedoms)]):
            if name in self.play:
                try:
                    fields = with_play(joint.kind, fields, self.play[name], name)
                except InputError as error:
                    self.ledger.problems_of(error)
                    return
        first, second = (self.bodies[self.assembly.part(end).name] for end in (connection.parent, connection.child))
        name = self._name(connection.name, "joint", connection.node)
        for freedom, coordinate in zip(connection.freedoms, joint.coordinates, strict=True):
            if len(connection.freedoms) > 1 and freedom.node is not connection.node:
                which = "a motion" if coordinate is None else f"'{coordinate[0]}'"
                self.ledger.converted(freedom.node, f"{which} of the {joint.kind} joint '{name}'")
        try:
            system.joint(joint.kind, name, first, second, **fields)
        except InputError as error:
            if all(name in (GROUND, *(body.name for body in system.bodies)) for name in (first, second)):
                self.ledger.adopt(connection.node, error)

    def _laws(self, freedom: Freedom, value: float, sign: float) -> list[Law]:
        """Laws on a coordinate, which is zero at the start."""
        out: list[Law] = []
        ends = [None if end is None else sign * (end - value) for end in (freedom.lower, freedom.upper)]
        lower, upper = ends if sign > 0.0 else ends[::-1]
        if lower is not None or upper is not None:
            if (lower is not None and lower > 0.0) or (upper is not None and upper < 0.0):
                what = f"the start of {value:.6g} {freedom.unit} lies outside these limits"
                self.ledger.fail(freedom.limited_by, what)
            else:
                out.append(Stop(lower, upper))
        if freedom.damping or freedom.stiffness:
            free = sign * (freedom.rest - value) if freedom.stiffness else 0.0
            out.append(Spring(freedom.stiffness, freedom.damping, free))
        if freedom.friction:
            out.append(ConstantFriction(freedom.friction))
        return out

    def _closure(self, system: System, closure: Closure) -> None:
        ends = (closure.first, closure.second)
        if any(end not in self.frames or end not in self.assembly.seats for end in ends):
            return  # reported already
        first, second = (self.frames[end] for end in ends)
        point = first.point(closure.point)
        gap = float(np.linalg.norm(second.point(closure.other) - point))
        tilt = 0.0 if closure.turn is None else float(np.abs(first.R @ closure.turn - second.R).max())
        if gap > CLOSED * max(1.0, float(np.abs(point).max())) or tilt > CLOSED:
            what = f"the loop is not closed at the start: a gap of {gap:.3g} m; give values that close it (start=)"
            self.ledger.fail(closure.node, what)
            return
        fields: dict[str, Any] = {"point": point}
        names = [self.bodies[self.assembly.part(end).name] for end in ends]
        try:
            if closure.name in self.play:
                fields = with_play(closure.kind, fields, self.play[closure.name], closure.name)
            system.joint(closure.kind, self._name(closure.name, "joint", closure.node), *names, **fields)
        except InputError as error:
            self.ledger.adopt(closure.node, error)


def _title(name: str) -> str:
    return "".join(c if c.isprintable() else " " for c in name)[:200]
