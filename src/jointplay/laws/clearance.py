"""Clearance: play in a closed direction of a joint.

The direction may move by ``gap`` (m) from its centred position: radially in a journal or a socket, on each side of a
guide. ``axial`` is the total play along the axis of a revolute joint (flanges); without it the axis stays closed.
The play of a coupling (gears, racks, screws, belts) may be given as an angle: see joints/coupling.py.
What happens at the wall is the ``contact`` law, along the wall the ``friction`` law. The joint kind knows which points
can touch (joints/play.py).

``contact`` decides the world: Rigid (impacts, Signorini's condition) or a compliant law (forces that grow with the
depth). A compliant bearing of some length is cut into ``strips``, each with its own contact and its share of the
stiffness (paper C eq. 42); a rigid one touches at its two ends. A compliant clearance may be zero: the parts then
touch in every position but the centred one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from ..codes import Regime
from .base import Law, Unilateral, Walls, nested, quantity
from .on_joint import OnJoint
from .rigid import Rigid
from .smooth import Smooth

STRIPS = 10  # of a compliant bearing, by default


@dataclass(frozen=True)
class Clearance(Law):
    """Play of size ``gap`` with a contact law at its end and friction along it."""

    key: ClassVar[str] = "clearance"
    closes: ClassVar[bool] = True

    gap: float | str = quantity("X", least=0.0, turn=True)
    axial: float | str | None = quantity("m", None, least=0.0)
    contact: Law = nested("contact", Rigid())
    friction: Law | None = nested("friction", None)
    strips: Any = quantity("", None, least=1.0)

    def __post_init__(self) -> None:
        for name, part in (("contact", self.contact), ("friction", self.friction)):
            if not isinstance(part, Law) and (part is not None or name == "contact"):
                example = "Hertz(...)" if name == "contact" else "Coulomb(...)"
                raise ValueError(f"'{name}' must be a law such as {example}, not {part!r}")
        if isinstance(self.friction, OnJoint) and self.friction.sizes_given():
            names = ", ".join(f"'{name}'" for name in self.friction.sizes_given())
            raise ValueError(
                f"{names} of the friction law describes how an ideal joint is pressed; leave it out in a contact"
            )
        if self.friction is not None and self.friction.regime is Regime.FORCE and not isinstance(self.friction, Smooth):
            raise ValueError(f"the friction law '{self.friction.key}' acts on ideal joints, not in a contact")
        if self.friction is not None and self.contact.anywhere:
            raise ValueError(
                f"the contact law '{self.contact.key}' acts at any gap, where nothing rubs; leave 'friction' out"
            )
        rigid = self.contact.regime is Regime.SET
        if rigid and getattr(self.friction, "static", None) is not None:
            raise ValueError("'static' of the friction law has no place in a rigid contact, which has one coefficient")
        if rigid and self.friction is not None and self.friction.regime is not Regime.SET:
            raise ValueError(
                f"the friction law '{self.friction.key}' is smooth and needs a compliant contact; rigid contact takes "
                "'coulomb'"
            )
        if rigid and self.strips is not None:
            raise ValueError("'strips' belong to a compliant contact; rigid parts touch at their ends")
        if isinstance(self.strips, float) and self.strips % 1.0 != 0.0:
            raise ValueError(f"strips must be a whole number, is {self.strips:g}")

    @property
    def regime(self) -> Regime:  # type: ignore[override]
        """That of the contact."""
        return self.contact.regime

    def unilateral(self) -> Unilateral:
        """A wall where the gap is used up."""
        mu = self.friction.unilateral().mu if self.friction else 0.0
        return replace(self.contact.unilateral(), walls=((1.0, 0.0),), mu=mu)

    def soft(self) -> Walls | None:
        """A compliant wall where the gap is used up."""
        if self.regime is Regime.SET:
            return None
        return Walls(((1.0, 0.0),), self.contact, self.friction.smooth() if self.friction else None)  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Backlash(Clearance):
    """The same of a coupling: its coordinate stays between two walls, a gap to either side. Made by the compiler."""

    @property
    def walls(self) -> tuple[tuple[float, float], ...]:
        """The lower wall and the upper one."""
        return ((1.0, -float(self.gap)), (-1.0, float(self.gap)))

    def unilateral(self) -> Unilateral:
        """Two walls."""
        return replace(super().unilateral(), walls=self.walls)

    def soft(self) -> Walls | None:
        """Two compliant walls."""
        return None if self.regime is Regime.SET else Walls(self.walls, self.contact)
