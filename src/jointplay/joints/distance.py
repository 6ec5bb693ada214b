"""Distance joint (rod): two points keep their distance, as two ball joints and a massless rod would."""

from __future__ import annotations

from ..relations.base import Use
from ..relations.distance import DISTANCE as LENGTH
from .base import JointKind
from .frames import line_frame

DISTANCE = JointKind(
    key="distance",
    summary="constant distance between two points",
    closed={"length": (Use(LENGTH),)},
    free={},
    arguments={"point_a": "m", "point_b": "m"},
    frame=line_frame,
)
