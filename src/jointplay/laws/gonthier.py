"""Gonthier et al.: contact with hysteresis damping, a close approximation of the exact one.

    N = K x^n (1 + (1 - e^2)/e rate/onset)

(1 - e^2)/e approximates the root of a (1 + e) = ln((1 + a)/(1 - a e)), right in the limit e -> 0. A free
impact ends within 0.006 of the prescribed one for e <= 0.4, and up to 0.033 below it above (0.8 prescribed, 0.768
obtained). The damping grows without bound towards e = 0, which is refused.

Range of validity: as Hertz; the normal law only, its friction is GonthierFriction. Source: Y. Gonthier, J. McPhee,
C. Lange, J.-C. Piedboeuf, A regularized contact model with asymmetric damping and dwell-time dependent friction,
Multibody System Dynamics 11 (2004) 209-233.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .hysteresis import Hysteresis


@dataclass(frozen=True)
class Gonthier(Hysteresis):
    """Contact with a damping of (1 - e^2)/e relative to the elastic force."""

    key: ClassVar[str] = "gonthier"
    positive: ClassVar[bool] = True

    def damping_factor(self) -> float:
        """(1 - e^2) / e."""
        e = float(self.restitution)
        return (1.0 - e * e) / e
