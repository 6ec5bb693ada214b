"""Lankarani-Nikravesh: Hertz contact with hysteresis damping for nearly elastic impacts (paper C eq. 43).

    N = K x^n (1 + 3 (1 - e^2)/4 rate/onset)

Derived by equating the loss of the damper with m (1 - e^2) v^2 / 2 under the assumption of an elastic path; good for
e near 1 (0.9 prescribed, 0.913 obtained); 0.5 prescribed gives 0.725, and no impact falls below 0.663
(docs/theory/laws/hysteresis.md). Range of validity: as Hertz; impacts so slow that nothing yields.
Source: H. M. Lankarani, P. E. Nikravesh, Nonlinear Dynamics 5 (1994) 193-207.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .hysteresis import Hysteresis


@dataclass(frozen=True)
class LankaraniNikravesh(Hysteresis):
    """Hertz contact with a damping of 3 (1 - e^2)/4 relative to the elastic force."""

    key: ClassVar[str] = "lankarani_nikravesh"

    def damping_factor(self) -> float:
        """3 (1 - e^2) / 4."""
        return 0.75 * (1.0 - float(self.restitution) ** 2)
