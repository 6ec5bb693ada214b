"""Prismatic joint: translation along one axis (paper C eq. 9)."""

from __future__ import annotations

from ..relations.alignment import ALIGNMENT
from ..relations.base import Use
from ..relations.separation import SEPARATION
from .base import B, H, JointKind, T
from .frames import axis_frame
from .play import Play, guide
from .rubbing import Rubbing, translational

PRISMATIC = JointKind(
    key="prismatic",
    summary="translation along one axis",
    closed={
        "radial": (Use(SEPARATION, H), Use(SEPARATION, T)),
        "tilt": (Use(ALIGNMENT, H, B), Use(ALIGNMENT, T, B)),
        "twist": (Use(ALIGNMENT, H, T),),
    },
    free={"displacement": Use(SEPARATION, B)},
    arguments={"point": "m", "axis": ""},
    frame=axis_frame,
    clear={"radial": Play(guide, ("tilt", "twist"), "second", ("length", "section"), ("length",), spots=True)},
    rubs=Rubbing(("displacement",), translational, ("length", "width"), ("width",)),
)
