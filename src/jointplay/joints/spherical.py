"""Spherical joint: two points coincide, all rotations are free."""

from __future__ import annotations

from ..relations.base import Use
from ..relations.point import POINT
from .base import JointKind
from .frames import point_frame
from .play import Play, socket

SPHERICAL = JointKind(
    key="spherical",
    summary="rotation about a point",
    closed={"radial": (Use(POINT),)},
    free={},
    arguments={"point": "m"},
    frame=point_frame,
    clear={"radial": Play(socket, round=True)},
)
