"""Rigid parts: links that fixed joints hold together are one body, with the mass properties of all.

    m = sum m_k,   c = sum m_k c_k / m,   J = sum R_k J_k R_k^T + m_k (|d_k|^2 I - d_k d_k^T),   d_k = c_k - c

in the frame of the first link, the one nearest to the root. Parts without mass cannot move by themselves: one between
two joints disappears into a joint with both motions, one at an end has no effect and is left out if that is allowed.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace

import numpy as np

from .ledger import Ledger
from .robot import Connection, Freedom, Robot


@dataclass
class Part:
    """A body of the System to be: links that do not move in each other; the ground has no name."""

    name: str | None
    links: list[str] = field(default_factory=list)
    mass: float = 0.0
    centre: np.ndarray = field(default_factory=lambda: np.zeros(3))  # m, frame of the first link
    inertia: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))  # about the centre, axes of the first link


@dataclass(frozen=True)
class Seat:
    """Where a link stands in its part."""

    part: Part
    position: np.ndarray
    rotation: np.ndarray


@dataclass
class Assembly:
    """Parts, where links are in them, and the connections between parts, parents first."""

    parts: list[Part]
    seats: dict[str | None, Seat]
    connections: list[Connection]

    def part(self, link: str | None) -> Part:
        """The part of a link, or the ground."""
        return self.seats[link].part


def assemble(robot: Robot, keep: Collection[str], ledger: Ledger) -> Assembly:
    """The parts of a robot; fixed joints named in ``keep`` stay joints."""
    ground = Part(None)
    out = Assembly([ground], {None: Seat(ground, np.zeros(3), np.eye(3))}, [])
    for connection in robot.connections:
        seat = out.seats[connection.parent]
        if connection.fixed and connection.name not in keep:
            if connection.node is not robot.links[connection.child].node:  # that of a joint
                what = "the ground" if seat.part.name is None else f"the body '{seat.part.name}'"
                ledger.converted(connection.node, f"rigid: '{connection.child}' is a part of {what}")
            position = seat.position + seat.rotation @ connection.position
            out.seats[connection.child] = Seat(seat.part, position, seat.rotation @ connection.rotation)
        else:
            part = Part(connection.child)
            out.parts.append(part)
            out.seats[connection.child] = Seat(part, np.zeros(3), np.eye(3))
            out.connections.append(connection)
        out.part(connection.child).links.append(connection.child)
    for part in out.parts:
        _weigh(part, out, robot)
    _without_mass(out, robot, ledger)
    return out


def _weigh(part: Part, assembly: Assembly, robot: Robot) -> None:
    """Mass properties of a part from those of its links."""
    found = []
    for name in part.links:
        given, seat = robot.links[name].inertial, assembly.seats[name]
        if given is not None and (given.mass != 0.0 or given.inertia.any()):
            R = seat.rotation
            found.append((given.mass, seat.position + R @ given.centre, R @ given.inertia @ R.T))
    part.mass = sum(mass for mass, _, _ in found)
    if len(found) == 1:
        part.mass, part.centre, part.inertia = found[0]
    elif part.mass != 0.0:
        part.centre = sum((mass * centre for mass, centre, _ in found), np.zeros(3)) / part.mass
        for mass, centre, inertia in found:
            d = centre - part.centre
            part.inertia = part.inertia + inertia + mass * (d @ d * np.eye(3) - np.outer(d, d))


def _without_mass(assembly: Assembly, robot: Robot, ledger: Ledger) -> None:
    """Take parts without mass out: into a joint with more motions, or altogether at the end of a chain."""
    for part in [part for part in reversed(assembly.parts) if part.name is not None and part.mass == 0.0]:
        into = next(one for one in assembly.connections if one.child == part.name)
        out = [one for one in assembly.connections if assembly.part(one.parent) is part]
        closed = [c for c in robot.closures for end in (c.first, c.second) if assembly.part(end) is part]
        node = robot.links[part.name].node  # type: ignore[index]
        if closed or len(out) > 1 or (out and (into.floating or out[0].floating)):
            ledger.fail(node, "moves, carries others and has no mass; give it an inertial element")
            continue
        if out:
            assembly.connections[assembly.connections.index(out[0])] = _joined(into, out[0], assembly)
            for name in part.links:
                ledger.converted(robot.links[name].node, "without mass: a joint with the motions of both its sides")
        elif ledger.lose(node, "a part that moves and has no mass: its motion is not defined", "massless"):
            ledger.ignored(into.node, f"holds the massless link '{part.name}'")
            for name in part.links:
                ledger.ignored(robot.links[name].node, "without mass")
        assembly.connections.remove(into)
        assembly.parts.remove(part)
        for name in part.links:
            del assembly.seats[name]


def _joined(first: Connection, second: Connection, assembly: Assembly) -> Connection:
    """Two connections with a part between them as one: origin_1 M_1 S_2 M_2 = (origin_1 S_2) (S_2^-1 M_1 S_2) M_2."""
    seat = assembly.seats[second.parent]
    position = seat.position + seat.rotation @ second.position
    rotation = seat.rotation @ second.rotation

    def moved(freedom: Freedom) -> Freedom:
        point = rotation.T @ (freedom.point - position)
        return replace(freedom, axis=rotation.T @ freedom.axis, point=point)

    return replace(
        second,
        parent=first.parent,
        position=first.position + first.rotation @ position,
        rotation=first.rotation @ rotation,
        freedoms=(*(moved(freedom) for freedom in first.freedoms), *second.freedoms),
    )
