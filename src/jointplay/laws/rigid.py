"""Rigid: hard contact, Signorini's condition with a law of impact, Newton's (paper B eq. 12, 32 to 34) or Poisson's.

    0 <= g  orthogonal to  lambda >= 0                                   between impacts
    0 <= u_N+ + e_N u_N-  orthogonal to  Lambda_N >= 0                   at an impact of a closed contact (g = 0)

u_N- and u_N+ are the rates of the gap before and after, 0 <= e_N <= 1 the coefficient of restitution. A contact that
takes no part in an impact (Lambda_N = 0) may leave faster than by Newton's law. Along the wall e_T acts in the same
way on u_T+ + e_T u_T-, within Coulomb's cone (eq. 33, 35).

With friction this law can make energy (a rod that strikes with its corner). ``impact="bounded"`` multiplies e_N and e_T
of the contacts that move each other by the largest factor 0 <= f <= 1 with which the impact makes none; f = 1 wherever
Newton's law makes none by itself. ``impact="newton"`` is the law as it stands; what it makes is reported.

``impact="poisson"`` relates impulses instead of velocities: a contact gives back e_N times the normal impulse that it
took in until nothing approached any more, with friction in both phases (methods/poisson_impact.py). It is bounded in
the same way. All contacts of a model follow either Newton or Poisson.

There is no rebound threshold: every approach, however slow, rebounds with e_N, and a sequence of rebounds that
accumulates ends where its flights vanish beside the first ones (docs/theory/methods/moreau.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..codes import Regime
from .base import Law, Unilateral, choice, quantity
from .impacts import IMPACT_LAWS


@dataclass(frozen=True)
class Rigid(Law):
    """Hard contact with a coefficient of restitution, by Newton's law of impact or by Poisson's."""

    key: ClassVar[str] = "rigid"
    regime: ClassVar[Regime] = Regime.SET
    role: ClassVar[str] = "contact"

    restitution: float | str = quantity("", 0.0, least=0.0)
    tangential: float | str = quantity("", 0.0, least=0.0)
    impact: str = choice(*IMPACT_LAWS)

    def __post_init__(self) -> None:
        if self.impact not in IMPACT_LAWS:
            *names, last = (repr(name) for name in IMPACT_LAWS)
            raise ValueError(f"impact must be {', '.join(names)} or {last}, is {self.impact!r}")
        for name in ("restitution", "tangential"):
            value = getattr(self, name)
            if isinstance(value, (int, float)) and value > 1.0:
                raise ValueError(f"{name} must not be greater than 1 (an impact cannot give energy), is {value:g}")
        if self.tangential != 0.0 and not IMPACT_LAWS[self.impact].tangential:
            raise ValueError(f"tangential goes with Newton's law, not with impact={self.impact!r}")

    def unilateral(self) -> Unilateral:
        """Its part of a contact: the coefficients of restitution."""
        return Unilateral(
            restitution=float(self.restitution),
            tangential=float(self.tangential),
            bounded=IMPACT_LAWS[self.impact].bounded,
            impact=IMPACT_LAWS[self.impact].kernel,
        )
