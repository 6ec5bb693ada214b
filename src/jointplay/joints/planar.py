"""Planar joint: the second body slides in a plane of the first and turns about the plane's normal (the axis)."""

from __future__ import annotations

from ..relations.alignment import ALIGNMENT
from ..relations.angle import ANGLE
from ..relations.base import Use
from ..relations.separation import SEPARATION
from .base import B, H, JointKind, T
from .frames import axis_frame
from .play import Play, flanges

PLANAR = JointKind(
    key="planar",
    summary="sliding in a plane, turning about its normal",
    closed={"axial": (Use(SEPARATION, B),), "tilt": (Use(ALIGNMENT, H, B), Use(ALIGNMENT, T, B))},
    free={"displacement_h": Use(SEPARATION, H), "displacement_t": Use(SEPARATION, T), "angle": Use(ANGLE, B, H)},
    arguments={"point": "m", "axis": ""},
    frame=axis_frame,
    clear={"axial": Play(flanges)},
)
