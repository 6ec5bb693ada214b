"""Places in URDF: ``origin`` elements, and elements of which there may be one.

frame = frame around . (xyz, R),   R = Rz(yaw) Ry(pitch) Rx(roll),   rpy about fixed axes [rad]
"""

from __future__ import annotations

from math import atan2, cos, hypot, sin

import numpy as np

from .attributes import known, numbers
from .ledger import Ledger
from .xmltree import Node


def pose(node: Node | None, ledger: Ledger) -> tuple[np.ndarray, np.ndarray]:
    """Position and rotation of an ``origin`` element; none means no displacement."""
    if node is None:
        return np.zeros(3), np.eye(3)
    known(node, ("xyz", "rpy"), ledger)
    ledger.used(node)
    return numbers(node, "xyz", 3, ledger, (0.0, 0.0, 0.0)), from_rpy(numbers(node, "rpy", 3, ledger, (0.0, 0.0, 0.0)))


def from_rpy(angles: np.ndarray) -> np.ndarray:
    """The rotation Rz(yaw) Ry(pitch) Rx(roll)."""
    a, b, c = angles.tolist()
    x = np.array([[1.0, 0.0, 0.0], [0.0, cos(a), -sin(a)], [0.0, sin(a), cos(a)]])
    y = np.array([[cos(b), 0.0, sin(b)], [0.0, 1.0, 0.0], [-sin(b), 0.0, cos(b)]])
    z = np.array([[cos(c), -sin(c), 0.0], [sin(c), cos(c), 0.0], [0.0, 0.0, 1.0]])
    return np.asarray(z @ y @ x)


def to_rpy(R: np.ndarray) -> np.ndarray:
    """Angles about fixed axes, R = Rz(yaw) Ry(pitch) Rx(roll)."""
    across = hypot(R[0, 0], R[1, 0])
    pitch = atan2(-R[2, 0], across)
    if across > 1e-9:
        return np.array([atan2(R[2, 1], R[2, 2]), pitch, atan2(R[1, 0], R[0, 0])]) + 0.0
    return np.array([0.0, pitch, atan2(-R[0, 1], R[1, 1])]) + 0.0  # roll and yaw turn about one axis


def one(node: Node, tag: str, ledger: Ledger) -> Node | None:
    """The child of this tag, of which there may be one."""
    found = node.inside(tag)
    for other in found[1:]:
        ledger.fail(other, f"'{node.tag}' has more than one '{tag}', the first in line {found[0].line}")
    return found[0] if found else None
