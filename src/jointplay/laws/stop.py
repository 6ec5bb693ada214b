"""Stop: a range that a free coordinate cannot leave.

    lower <= g <= upper,      gaps g - lower and upper - g      [m or rad]

with a ``contact`` law at each end, rigid or compliant. One end may be left out. lambda is positive at the lower stop
(it pushes towards larger g) and negative at the upper one. The stiffness of a compliant stop on an angle is in
N m/rad^n, and its speeds are in rad/s.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from ..codes import Regime
from .base import Law, Unilateral, Walls, nested, quantity
from .rigid import Rigid


@dataclass(frozen=True)
class Stop(Law):
    """Walls at ``lower`` and ``upper`` of a coordinate, which is zero as drawn."""

    key: ClassVar[str] = "stop"
    drives: ClassVar[bool] = True
    effort: ClassVar[str] = "stop"

    lower: float | str | None = quantity("X", None)
    upper: float | str | None = quantity("X", None)
    contact: Law = nested("contact", Rigid())

    def __post_init__(self) -> None:
        if getattr(self.contact, "slides", False):
            raise ValueError(
                f"nothing slides along a stop, and the contact law '{self.contact.key}' depends on sliding; "
                "it may stand in the clearance of a guide"
            )
        if self.lower is None and self.upper is None:
            raise ValueError("needs 'lower', 'upper' or both")
        low, high = self.lower, self.upper
        if isinstance(low, (int, float)) and isinstance(high, (int, float)) and not low < high:
            raise ValueError(f"'lower' must lie below 'upper', but {low:g} does not lie below {high:g}")

    @property
    def regime(self) -> Regime:  # type: ignore[override]
        """That of the contact."""
        return self.contact.regime

    @property
    def walls(self) -> tuple[tuple[float, float], ...]:
        """A wall at each end that is given."""
        ends = ((1.0, self.lower), (-1.0, self.upper))
        return tuple((sign, float(x)) for sign, x in ends if x is not None)

    def unilateral(self) -> Unilateral:
        """Rigid walls."""
        return replace(self.contact.unilateral(), walls=self.walls)

    def soft(self) -> Walls | None:
        """Compliant walls."""
        return None if self.regime is Regime.SET else Walls(self.walls, self.contact)
