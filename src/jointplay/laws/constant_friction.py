"""Constant friction: a friction force or torque of given size on a free coordinate, with true stick.

    |lambda| <= level;      lambda = -level Sgn(dg/dt)  where dg/dt != 0

level >= 0 in N, on an angle in N m: the drag of a seal or of a preloaded bearing, a brake set to a torque. It is the
relay of Coulomb's law with mu load = level.

It does not know how hard the joint is pressed. Friction that grows with the reaction of the joint is another thing: a
law given as ``friction`` of the joint (laws/on_joint.py, docs/theory/joint_friction.md). A joint may have both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..codes import Regime
from .base import Law, Unilateral, quantity


@dataclass(frozen=True)
class ConstantFriction(Law):
    """Friction of the constant size ``level``, whatever the reaction of the joint."""

    key: ClassVar[str] = "constant_friction"
    regime: ClassVar[Regime] = Regime.SET
    drives: ClassVar[bool] = True
    effort: ClassVar[str] = "friction"

    level: float | str = quantity("F", least=0.0)

    def unilateral(self) -> Unilateral:
        """A direction of friction with the coefficient 1 under the load ``level``."""
        return Unilateral(mu=1.0, load=float(self.level))
