"""How large things are drawn that have no size of their own: pins, links, springs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..model.elements import GROUND
from ..model.system import System
from .motion import Motion


@dataclass(frozen=True)
class Sizes:
    """Lengths in m."""

    span: float  # of the mechanism
    unit: float  # half the width of a link; all else is measured by it


def sizes_of(system: System, motion: Motion) -> Sizes:
    """Sizes that suit the distances between joints; a mechanism without any is measured by its motion."""
    points = [motion.r[0, 1:]]
    apart: list[float] = []
    for body in system.bodies:
        own = [
            marker.point
            for joint in system.joints
            for marker in (joint.first, joint.second)
            if marker.body == body.name and not joint.kind.key == "planar" and joint.kind.coupling is None
        ]
        reach = [float(np.linalg.norm(a - b)) for k, a in enumerate(own) for b in own[:k]]
        reach += [2.0 * float(np.linalg.norm(a)) for a in own]
        apart += [max(reach)] if reach and max(reach) > 0.0 else []
    for joint in system.joints:
        points += [motion.points(joint.first)[:1], motion.points(joint.second)[:1]]
        apart += [float(np.linalg.norm(points[-1] - points[-2]))] if "length" in joint.kind.closed else []
        apart += [float(joint.geometry[key]) for key in ("length", "width") if key in joint.geometry]
        apart += [2.0 * float(radius) for radius in joint.geometry.get("radii", ())]
        if joint.kind.coupling is not None and "radius" in joint.geometry:  # of a pinion, of a thread
            apart.append(2.0 * float(joint.geometry["radius"]))
    for spring in system.springs:
        points += [motion.points(marker)[:1] for marker in (spring.first, spring.second) if marker.body != GROUND]
    cloud = np.concatenate(points)
    span = float(np.linalg.norm(np.ptp(cloud, axis=0)))
    gyration = [float(np.sqrt(2.5 * np.trace(body.inertia) / 3.0 / body.mass)) for body in system.bodies]
    apart = [one for one in apart if one > 1e-3 * max(span, *apart)] if apart else []
    typical = float(np.median(apart)) if apart else 0.0
    span = max(span, typical) or max(2.0 * min(gyration, default=0.0), 1e-9)
    typical = typical or span
    return Sizes(span, 0.05 * float(np.clip(typical, 0.16 * span, 2.0 * span)))
