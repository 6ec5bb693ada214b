"""Couplings in a sketch: pitch circles of gears, pinions and pulleys, pitch lines of racks, threads, strands of belts.

Each wheel carries a spoke, so that pictures of a run show how it turns. Teeth are not drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from ..model.elements import GROUND, Joint, Marker
from ..model.geometry import Pose

CORNERS = 73  # of a circle
REACH = 1.5  # of a rack, to either side of its pinion, in radii
TURNS = 5  # of a thread

Lines = list[tuple[str, np.ndarray]]  # body, points in global axes


def lines_of(joint: Joint, poses: Mapping[str, Pose]) -> Lines:
    """What a coupling looks like."""
    assert joint.kind.coupling is not None
    return LOOKS[joint.kind.coupling.look](joint, poses)


def middle_of(joint: Joint, poses: Mapping[str, Pose]) -> np.ndarray:
    """Where its name stands: the pitch point, or between both hubs."""
    one, two = (_out(poses, marker, marker.point) for marker in (joint.first, joint.second))
    radii = joint.geometry.get("radii")
    if radii is None or joint.kind.coupling is None or not joint.kind.coupling.rings:
        return 0.5 * (one + two)
    first, second = joint.weights["transmission_error"][:2]
    r1, r2 = float(radii[0]), float(radii[1])
    if first * second < 0.0:  # the smaller wheel runs in the larger one
        hub, other, radius = (one, two, r1) if r1 > r2 else (two, one, r2)
        return np.asarray(hub + radius * (other - hub) / np.linalg.norm(other - hub))
    return np.asarray(one + r1 / (r1 + r2) * (two - one))


def _out(poses: Mapping[str, Pose], marker: Marker, point: np.ndarray) -> np.ndarray:
    """A point of the body of a marker in global axes."""
    return point if marker.body == GROUND else poses[marker.body].point_out(point)


def _path(poses: Mapping[str, Pose], marker: Marker, along: np.ndarray) -> tuple[str, np.ndarray]:
    """A line whose points are given along the axes h, t, b of a marker, from its point."""
    return marker.body, np.array([_out(poses, marker, marker.point + one @ marker.axes) for one in along])


def _wheel(poses: Mapping[str, Pose], marker: Marker, radius: float, shift: float = 0.0) -> Lines:
    """A circle around the axis of a marker, and a spoke."""
    turn = np.linspace(0.0, 2.0 * np.pi, CORNERS)
    rim = np.column_stack([radius * np.cos(turn), radius * np.sin(turn), np.full(CORNERS, shift)])
    spoke = np.array([[0.0, 0.0, shift], [radius, 0.0, shift]])
    return [_path(poses, marker, rim), _path(poses, marker, spoke)]


def _wheels(joint: Joint, poses: Mapping[str, Pose]) -> Lines:
    """Of gears and belts."""
    pairs = zip((joint.first, joint.second), joint.geometry["radii"], strict=True)
    found = [line for marker, radius in pairs for line in _wheel(poses, marker, float(radius))]
    if joint.kind.coupling is not None and not joint.kind.coupling.rings:
        found += _strands(joint, poses)
    return found


def _strands(joint: Joint, poses: Mapping[str, Pose]) -> Lines:
    """The free strands of a belt: with the line of centres e, points r (k/d e +- sqrt(1 - k^2/d^2) n), k = r1 -+ r2."""
    one, two = (_out(poses, marker, marker.point) for marker in (joint.first, joint.second))
    axis = _out(poses, joint.first, joint.first.point + joint.first.axes[2]) - one
    r1, r2 = (float(radius) for radius in joint.geometry["radii"])
    first, second = joint.weights["transmission_error"][:2]
    side = 1.0 if first * second < 0.0 else -1.0  # -1: crossed
    way = two - one
    distance = float(np.linalg.norm(way))
    share = (r1 - side * r2) / distance
    if not abs(share) < 1.0:
        return []
    e, n = way / distance, np.cross(axis, way / distance)
    found = []
    for hand in (1.0, -1.0):
        out = share * e + hand * np.sqrt(1.0 - share * share) * n
        found.append((GROUND, np.array([one + r1 * out, two + side * r2 * out])))
    return found


def _cones(joint: Joint, poses: Mapping[str, Pose]) -> Lines:
    """Bevel gears: the pitch circles lie r tan(delta) before the tips of the back cones."""
    radii = [float(radius) for radius in joint.geometry["radii"]]
    axes = [
        _out(poses, marker, marker.point + marker.axes[2]) - _out(poses, marker, marker.point)
        for marker in (joint.first, joint.second)
    ]
    whole = float(np.arctan2(np.linalg.norm(np.cross(*axes)), axes[0] @ axes[1]))
    first = float(np.arctan2(np.sin(whole), radii[1] / radii[0] + np.cos(whole)))
    each = zip((joint.first, joint.second), radii, (first, whole - first), strict=True)
    return [line for marker, r, delta in each for line in _wheel(poses, marker, r, -r * float(np.tan(delta)))]


def _rack(joint: Joint, poses: Mapping[str, Pose]) -> Lines:
    """The pinion, and the pitch line where it rolls."""
    radius = float(joint.geometry["radius"])
    hub = _out(poses, joint.second, joint.second.point)
    origin = _out(poses, joint.first, joint.first.point)
    h, t = (_out(poses, joint.first, joint.first.point + joint.first.axes[k]) - origin for k in (0, 1))
    # a positive turn moves the rack along h: it lies at -t (b x (-t) = h)
    way = np.array([-REACH * radius, REACH * radius])
    return [*_wheel(poses, joint.second, radius), (joint.first.body, hub - radius * t + way[:, None] * h)]


def _screw(joint: Joint, poses: Mapping[str, Pose]) -> Lines:
    """A few turns of its thread about the nut."""
    lead = float(joint.geometry["lead"])
    radius = float(joint.geometry.get("radius", abs(lead)))
    turn = np.linspace(-np.pi * TURNS, np.pi * TURNS, TURNS * CORNERS)
    helix = np.column_stack([radius * np.cos(turn), radius * np.sin(turn), lead / (2.0 * np.pi) * turn])
    return [_path(poses, joint.second, helix)]


LOOKS: dict[str, Callable[[Joint, Mapping[str, Pose]], Lines]] = {
    "wheels": _wheels,
    "cones": _cones,
    "rack": _rack,
    "screw": _screw,
}
