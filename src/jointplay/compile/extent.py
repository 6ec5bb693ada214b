"""How large a mechanism is: the length with which tolerances, angles and overlaps are measured."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..codes import Regime
from ..model.system import System
from .interactions import Interaction, interactions_of

FAR_AWAY = 1e-3  # of the distance from the origin: a mechanism counts as at least so large


def scale_of(given: Interaction, size: float) -> float:
    """m per unit of a coordinate: 1, or for an angle the size of the mechanism, at which it moves a point."""
    return 1.0 if given.use.relation.unit == "m" else size


def _sizes(system: System, interactions: list[Interaction]) -> Iterator[float]:
    """Lengths that a model names: of its joints, and of the ways between stops."""
    for joint in system.joints:
        for value in joint.geometry.values():
            if not isinstance(value, str):
                yield from np.abs(np.ravel(value)).tolist()
    for given in interactions:
        if given.law is not None and given.use.relation.unit == "m":
            if given.regime is Regime.SET:
                yield from (abs(limit) for _, limit in given.law.unilateral().walls)
            elif soft := given.law.soft():
                yield from (abs(limit) for _, limit in soft.walls)


def size_of(system: System, interactions: list[Interaction] | None = None) -> float:
    """Length scale of a mechanism: how far its joints, bodies and points lie from each other, and how large they are.

    1 m where nothing has a size.
    """
    if interactions is None:
        interactions = [one for each in interactions_of(system, None).values() for one in each]
    markers = [m for joint in system.joints for m in (joint.first, joint.second)]
    markers += [m for spring in system.springs for m in (spring.first, spring.second)]
    poses = [system.poses[marker.body] for marker in markers]
    points = np.array([body.position for body in system.bodies])
    if markers:
        places = np.array([pose.A for pose in poses]) @ np.array([marker.point for marker in markers])[:, :, None]
        points = np.concatenate([points, np.array([pose.r for pose in poses]) + places[:, :, 0]])
    spread = np.ptp(points, axis=0) if len(points) else np.zeros(3)
    extent = float(np.abs(points).max()) if len(points) else 0.0  # what numbers are rounded to
    return max(float(np.linalg.norm(spread)), FAR_AWAY * extent, *_sizes(system, interactions), 0.0) or 1.0
