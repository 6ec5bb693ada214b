"""Revolute joint: rotation about one axis (paper C eq. 8, with b.d instead of d.d: docs/theory/sources.md)."""

from __future__ import annotations

from ..relations.alignment import ALIGNMENT
from ..relations.angle import ANGLE
from ..relations.base import Use
from ..relations.separation import SEPARATION
from .base import B, H, JointKind, T
from .frames import axis_frame
from .play import Play, flanges, journal
from .rubbing import Rubbing, revolute

REVOLUTE = JointKind(
    key="revolute",
    summary="rotation about one axis",
    closed={
        "radial": (Use(SEPARATION, H), Use(SEPARATION, T)),
        "axial": (Use(SEPARATION, B),),
        "tilt": (Use(ALIGNMENT, H, B), Use(ALIGNMENT, T, B)),
    },
    free={"angle": Use(ANGLE, B, H)},
    arguments={"point": "m", "axis": ""},
    frame=axis_frame,
    clear={"radial": Play(journal, covers=("tilt",), round=True), "axial": Play(flanges)},
    rubs=Rubbing(("angle",), revolute, ("length", "radius"), ("length",), turns=("angle",)),
)
