"""Flores et al.: Hertz contact with hysteresis damping for soft materials too.

    N = K x^n (1 + 8 (1 - e)/(5 e) rate/onset)

Derived from the balances of energy and of linear momentum, with the loss of compression and restitution estimated
separately; made for the whole range of e. A free impact ends up to 0.046 below the prescribed one (0.25, 0.205
obtained; 0.5, 0.470), ever closer towards 1 (docs/theory/laws/hysteresis.md). The damping grows without bound
towards e = 0, which is refused.

Range of validity: as Hertz. Source: P. Flores, M. Machado, M. T. Silva, J. M. Martins, On the continuous contact force
models for soft materials in multibody dynamics, Multibody System Dynamics 25 (2011) 357-375.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .hysteresis import Hysteresis


@dataclass(frozen=True)
class Flores(Hysteresis):
    """Hertz contact with a damping of 8 (1 - e)/(5 e) relative to the elastic force."""

    key: ClassVar[str] = "flores"
    positive: ClassVar[bool] = True

    def damping_factor(self) -> float:
        """8 (1 - e) / (5 e)."""
        e = float(self.restitution)
        return 1.6 * (1.0 - e) / e
