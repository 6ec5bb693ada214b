"""Cylindrical joint: rotation about and translation along one axis (paper C eq. 7)."""

from __future__ import annotations

from ..relations.alignment import ALIGNMENT
from ..relations.angle import ANGLE
from ..relations.base import Use
from ..relations.separation import SEPARATION
from .base import B, H, JointKind, T
from .frames import axis_frame
from .play import Play, journal
from .rubbing import Rubbing, cylindrical

CYLINDRICAL = JointKind(
    key="cylindrical",
    summary="rotation about and translation along one axis",
    closed={
        "radial": (Use(SEPARATION, H), Use(SEPARATION, T)),
        "tilt": (Use(ALIGNMENT, H, B), Use(ALIGNMENT, T, B)),
    },
    free={"angle": Use(ANGLE, B, H), "displacement": Use(SEPARATION, B)},
    arguments={"point": "m", "axis": ""},
    frame=axis_frame,
    clear={"radial": Play(journal, covers=("tilt",), round=True)},
    rubs=Rubbing(("displacement", "angle"), cylindrical, ("length", "radius"), turns=("angle",)),
)
