"""Coulomb: dry friction with true stick (paper B eq. 13 to 17, 35).

    |lambda_T| <= mu lambda_N;      lambda_T = -mu lambda_N u_T / |u_T|  where u_T != 0

In a plane this is the relay -lambda_T in mu lambda_N Sgn(u_T), in space the cone (not a pyramid). Sticking means
u_T = 0, not a small velocity. Inside a clearance or stop lambda_N is the force of the contact; on a free coordinate of
a joint it is the constant ``load``, and the law is a brake with the largest force mu load (N, or N m for an angle). On
an ideal joint it is the effective normal force that follows from the reaction (laws/on_joint.py). ``static`` >= mu is
the coefficient at rest: the largest force that holds is static lambda_N, and mu lambda_N acts once the surfaces move.

In a compliant contact, whose normal force is a function of the state, and on an ideal joint in a smooth method, where
``creep`` must be given, the jump at u_T = 0 is smoothed:

    lambda_T = -mu lambda_N tanh(4 |u_T| / creep) u_T / |u_T|

(Brown-McPhee with mu_s = mu_d, or mu_s = static). There sticking becomes creeping: a load F < mu lambda_N moves the
contact at creep/4 artanh(F / (mu lambda_N)). In a rigid contact ``creep`` has no meaning.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..codes import Regime
from .base import Unilateral, quantity
from .brown_mcphee import BrownMcPhee
from .on_joint import OnJoint, check_order

CREEP = 1e-3  # m/s, of the smoothed form


@dataclass(frozen=True)
class Coulomb(OnJoint):
    """Dry friction; ``load`` only on a free coordinate, ``creep`` only where the jump at rest is smoothed."""

    key: ClassVar[str] = "coulomb"
    regime: ClassVar[Regime] = Regime.SET
    drives: ClassVar[bool] = True

    mu: float | str = quantity("", least=0.0)
    load: float | str | None = quantity("F", None, least=0.0)
    creep: float | str | None = quantity("m/s", None, above=0.0)
    static: float | str | None = quantity("", None, least=0.0)

    def __post_init__(self) -> None:
        check_order(self, "static", "mu")

    def unilateral(self) -> Unilateral:
        """Its part of a contact: the coefficients and, on a free coordinate, the load."""
        return Unilateral(mu=float(self.mu), load=float(self.load or 0.0), static=float(self.static or 0.0))

    def rubbing(self) -> BrownMcPhee:
        """Its smoothed form on an ideal joint, where no usual speed of creep is taken for granted."""
        if self.creep is None:
            raise ValueError("the law 'coulomb' sticks, which a smooth method cannot do: give 'creep' to smooth it")
        return self.smooth()

    def smooth(self) -> BrownMcPhee:
        """Its smoothed form, with the sizes of the joint it stands on."""
        return BrownMcPhee(
            mu_s=float(self.mu if self.static is None else self.static),
            mu_d=float(self.mu),
            v_t=CREEP if self.creep is None else float(self.creep),
            length=self.length,
            width=self.width,
            radius=self.radius,
            smoothing=self.smoothing,
        )
