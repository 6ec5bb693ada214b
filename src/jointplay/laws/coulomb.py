"""Coulomb: dry friction with true stick (paper B eq. 13 to 17, 35).

    |lambda_T| <= mu lambda_N;      lambda_T = -mu lambda_N u_T / |u_T|  where u_T != 0

In a plane this is the relay -lambda_T in mu lambda_N Sgn(u_T), in space the cone (not a pyramid). Sticking means
u_T = 0, not a small velocity. Inside a clearance or stop lambda_N is the force of the contact; on a free coordinate of
a joint it is the constant ``load``, and the law is a brake with the largest force mu load (N, or N m for an angle).

In a compliant contact, whose normal force is a function of the state, the jump at u_T = 0 is smoothed:

    lambda_T = -mu lambda_N tanh(4 |u_T| / creep) u_T / |u_T|

(Brown-McPhee with mu_s = mu_d). There sticking becomes creeping: a load F < mu lambda_N moves the contact at
creep/4 artanh(F / (mu lambda_N)). In a rigid contact ``creep`` has no meaning.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..codes import Regime
from .base import Law, Unilateral, quantity
from .brown_mcphee import BrownMcPhee

CREEP = 1e-3  # m/s, of the smoothed form


@dataclass(frozen=True)
class Coulomb(Law):
    """Dry friction; ``load`` only on a free coordinate, ``creep`` only in compliant contacts."""

    key: ClassVar[str] = "coulomb"
    regime: ClassVar[Regime] = Regime.SET
    role: ClassVar[str] = "friction"
    drives: ClassVar[bool] = True
    effort: ClassVar[str] = "friction"

    mu: float | str = quantity("", least=0.0)
    load: float | str | None = quantity("F", None, least=0.0)
    creep: float | str | None = quantity("m/s", None, above=0.0)

    def unilateral(self) -> Unilateral:
        """Its part of a contact: the coefficient and, on a free coordinate, the load."""
        return Unilateral(mu=float(self.mu), load=float(self.load or 0.0))

    def smooth(self) -> BrownMcPhee:
        """Its smoothed form in a compliant contact."""
        mu = float(self.mu)
        return BrownMcPhee(mu_s=mu, mu_d=mu, v_t=CREEP if self.creep is None else float(self.creep))
