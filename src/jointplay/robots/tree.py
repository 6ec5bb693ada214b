"""Links as a tree: every link but one has one parent, and all are reached from that one."""

from __future__ import annotations

from .ledger import Ledger
from .robot import Robot
from .xmltree import Node


class _Failing:
    """Notes problems after which nothing can be built."""

    def __init__(self, robot: Robot, ledger: Ledger) -> None:
        self.robot, self.ledger = robot, ledger

    def __call__(self, node: Node, message: str) -> None:
        self.robot.sound = False
        self.ledger.fail(node, message)


def in_order(robot: Robot, ledger: Ledger) -> None:
    """Put parents before their children; loops, second parents and second roots are problems."""
    fail = _Failing(robot, ledger)
    into: dict[str, list[int]] = {name: [] for name in robot.links}
    for k, connection in enumerate(robot.connections):
        into[connection.child].append(k)
        if connection.parent == connection.child:
            fail(connection.node, f"joins the link '{connection.child}' with itself")
    for name, ways in into.items():
        for k in ways[1:]:
            first, again = robot.connections[ways[0]], robot.connections[k]
            fail(
                again.node,
                f"the link '{name}' hangs on the joint '{first.name}' (line {first.node.line}) already; a link has "
                "one parent, so that this format cannot hold a loop",
            )
    roots = [name for name, ways in into.items() if not ways and name not in robot.orphans]
    for name in roots[1:]:
        fail(robot.links[name].node, f"hangs on no joint, like '{roots[0]}'; a robot has one such link")
    reached = [*roots, *robot.orphans]
    seen = set(reached)
    children: dict[str, list[int]] = {}
    for k, connection in enumerate(robot.connections):
        if connection.parent is not None:
            children.setdefault(connection.parent, []).append(k)
    order: list[int] = []
    for name in reached:  # grows while it is walked
        for k in children.get(name, []):
            child = robot.connections[k].child
            if child not in seen:
                seen.add(child)
                order.append(k)
                reached.append(child)
    lost = [name for name in robot.links if name not in seen]
    if lost:
        ring = ", ".join(f"'{name}'" for name in lost[:6]) + (", ..." if len(lost) > 6 else "")
        fail(robot.links[lost[0]].node, f"hangs in a ring of joints that nothing holds: {ring}")
    robot.links = {name: robot.links[name] for name in [*reached, *lost]}
    robot.connections = [robot.connections[k] for k in order]
