"""Fixed joint: no relative motion (paper C eq. 10)."""

from __future__ import annotations

from ..relations.alignment import ALIGNMENT
from ..relations.base import Use
from ..relations.separation import SEPARATION
from .base import B, H, JointKind, T
from .frames import axis_frame

FIXED = JointKind(
    key="fixed",
    summary="no relative motion",
    closed={
        "radial": (Use(SEPARATION, H), Use(SEPARATION, T)),
        "axial": (Use(SEPARATION, B),),
        "tilt": (Use(ALIGNMENT, H, B), Use(ALIGNMENT, T, B)),
        "twist": (Use(ALIGNMENT, H, T),),
    },
    free={},
    arguments={"point": "m", "axis": ""},
    frame=axis_frame,
)
