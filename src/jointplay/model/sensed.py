"""What expressions may sense of a mechanism, by name: coordinates of joints and their rates, bodies.

    A.angle, A.angle_rate, C.displacement, C.displacement_rate, ...    as results call them
    slider.position[0], slider.velocity[1], slider.angular_velocity[2]

Positions and velocities are along global axes, angular velocities along body axes, as in results.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..joints.registry import KINDS
from ..quantities.units import dimension_of
from .entry import Scene

OF_BODY = {"position": "m", "velocity": "m/s", "angular_velocity": "rad/s"}
RATE = "_rate"


def sense_joint(name: Any, raw: Any, scene: Scene) -> None:
    """Let expressions name the coordinates of a joint, as it was given."""
    kind = KINDS.get(str(raw.get("type"))) if isinstance(raw, Mapping) else None
    if kind is None or not isinstance(name, str):
        return
    for coordinate, use in kind.free.items():
        unit = use.relation.unit
        scene.sensed[f"{name}.{coordinate}"] = dimension_of(unit)
        scene.sensed[f"{name}.{coordinate}{RATE}"] = dimension_of(f"{unit}/s")


def sense_body(name: str, scene: Scene) -> None:
    """Let expressions name the position and velocities of a body."""
    for quantity, unit in OF_BODY.items():
        for m in range(3):
            scene.sensed[f"{name}.{quantity}[{m}]"] = dimension_of(unit)
