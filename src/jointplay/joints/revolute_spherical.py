"""Revolute-spherical composite: a massless link, hinged on the first body and ball-jointed to the second.

The link keeps its length and the angle that it makes with the hinge axis.
"""

from __future__ import annotations

from ..relations.base import Use
from ..relations.distance import DISTANCE as LENGTH
from ..relations.separation import SEPARATION
from .base import B, JointKind
from .frames import arm_frame

REVOLUTE_SPHERICAL = JointKind(
    key="revolute_spherical",
    summary="massless link with a hinge on the first body and a ball on the second",
    closed={"length": (Use(LENGTH),), "axial": (Use(SEPARATION, B),)},
    free={},
    arguments={"point_a": "m", "axis": "", "point_b": "m"},
    frame=arm_frame,
)
