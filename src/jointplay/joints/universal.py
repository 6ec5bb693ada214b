"""Universal joint: two points coincide and an axis of each body stay at right angles (a massless cross).

``angle_a`` is the turn of the cross about the axis on the first body, ``angle_b`` the turn of the second body about
its own axis of the cross; both are zero as drawn.
"""

from __future__ import annotations

from ..relations.alignment import ALIGNMENT
from ..relations.angle import ANGLE
from ..relations.base import Use
from ..relations.point import POINT
from .base import B, JointKind
from .frames import cross_frame
from .play import Play, socket

UNIVERSAL = JointKind(
    key="universal",
    summary="rotation about two crossing axes, one on each body",
    closed={"radial": (Use(POINT),), "twist": (Use(ALIGNMENT, B, B),)},
    free={"angle_a": Use(ANGLE, B, B), "angle_b": Use(ANGLE, B, B, swapped=True)},
    arguments={"point": "m", "axis_a": "", "axis_b": ""},
    frame=cross_frame,
    clear={"radial": Play(socket, round=True)},
)
