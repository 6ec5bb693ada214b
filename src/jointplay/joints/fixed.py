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
    # small rotations: h.b_j = +turn about t, t.b_j = -turn about h, h.t_j = -turn about b
    coupled=(
        ("radial", 0, 1.0),
        ("radial", 1, 1.0),
        ("axial", 0, 1.0),
        ("tilt", 1, -1.0),
        ("tilt", 0, 1.0),
        ("twist", 0, -1.0),
    ),
)
