"""Clearance: play in a closed direction of a joint.

The direction may move by ``gap`` (m) from its centred position: radially in a journal or a socket, on each side of a
guide. ``axial`` is the total play along the axis of a revolute joint (flanges); without it the axis stays closed.
What happens at the wall is the ``contact`` law, along the wall the ``friction`` law. The joint kind knows which points
can touch (joints/play.py).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from ..codes import Regime
from .base import Law, Unilateral, nested, quantity
from .rigid import Rigid


@dataclass(frozen=True)
class Clearance(Law):
    """Play of size ``gap`` with a contact law at its end and friction along it."""

    key: ClassVar[str] = "clearance"
    closes: ClassVar[bool] = True

    gap: float | str = quantity("X", above=0.0)
    axial: float | str | None = quantity("m", None, above=0.0)
    contact: Law = nested("contact", Rigid())
    friction: Law | None = nested("friction", None)

    @property
    def regime(self) -> Regime:  # type: ignore[override]
        """That of the contact."""
        return self.contact.regime

    def unilateral(self) -> Unilateral:
        """A wall where the gap is used up."""
        mu = self.friction.unilateral().mu if self.friction else 0.0
        return replace(self.contact.unilateral(), walls=((1.0, 0.0),), mu=mu)
