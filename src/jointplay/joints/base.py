"""What a joint kind is: facts. Which relations it closes, by group, and which coordinates it leaves free.

A kind names its closed groups (``radial``, ``axial``, ``tilt``, ``twist``, ``length``) and, for each, the relations
that vanish when the group is ideal; and its free coordinates, each one relation that a spring, drive, stop or friction
law may act on and that is always recorded. ``clear`` lists which groups may have clearance and what can touch then
(joints/play.py), ``rubs`` how friction follows the reaction (joints/rubbing.py), ``coupling`` how sizes become the
ratio of a gear, a rack, a screw or a belt (joints/coupling.py). Its ``frame`` turns the user's points and axes (global,
as drawn) into the two marker frames. Nothing else anywhere knows the kind.

Steps for a new kind: write its file (about 25 lines of facts); add it to ``KINDS``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..relations.base import Use
from .coupling import Coupling
from .play import Play
from .rubbing import Rubbing

H, T, B = 0, 1, 2  # axes of a joint frame: two normals and the joint axis


@dataclass(frozen=True)
class Frames:
    """The joint frame on each body, in global axes as drawn: points (3,) and axes (3, 3) with rows h, t, b."""

    first_point: np.ndarray
    first_axes: np.ndarray
    second_point: np.ndarray
    second_axes: np.ndarray


@dataclass(frozen=True)
class JointKind:
    """Facts about a kind of joint."""

    key: str  # name in model files and of the System method
    summary: str
    closed: dict[str, tuple[Use, ...]]  # group -> relations that vanish
    free: dict[str, Use]  # coordinate -> relation
    arguments: dict[str, str]  # geometry arguments of the System method and their unit ("m", or "" for a direction)
    frame: Callable[[dict[str, Any]], Frames]
    clear: dict[str, Play] = field(default_factory=dict)  # closed group -> what can touch if it has clearance
    rubs: Rubbing | None = None  # how it rubs under its own reaction
    # for bushings with full matrices: group, place in it and sign of the three displacements along h, t, b and the
    # three small rotations about them
    coupled: tuple[tuple[str, int, float], ...] = ()
    coupling: Coupling | None = None  # of gears, racks, screws and belts: their sizes, and coefficients from these

    def is_round(self, group: str) -> bool:
        """True if a closed group surrounds a pin or a ball: its displacement has one size and any direction."""
        return group in self.clear and self.clear[group].round

    @property
    def spans(self) -> bool:
        """True if closed coordinates keep the value they were drawn with: of points apart, and of couplings."""
        return "point_b" in self.arguments or self.coupling is not None
