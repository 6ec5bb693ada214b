"""Smooth friction: a coefficient that is a function of the sliding speed, for contacts of the regime FORCE.

    friction = -mu(s) N v_t / s,      s = |v_t| >= 0

mu is odd and smooth in s with mu(0) = 0, so friction has a slope at rest instead of a jump. Therefore nothing sticks:
under a load that dry friction would hold, the bodies creep at a speed below ``creep``.

A law of this family has a kernel ``coefficient(p, s, normal, t, z)`` that returns three numbers,

    mu(s),  d mu/ds,  mu(s)/s      [-, s/m, s/m]

(the last one finite at s = 0), where ``p`` are the numbers of ``numbers()``, ``normal`` = N >= 0 in N and ``z`` its
inner states. mu(s) s >= 0, so friction never gives energy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from ..codes import Regime
from .base import Law


class Smooth(Law):
    """Base of smooth friction laws; see the module's text for the contract."""

    regime: ClassVar[Regime] = Regime.FORCE
    role: ClassVar[str] = "friction"
    coefficient: ClassVar[Callable[..., Any]]

    @property
    def creep(self) -> float:
        """Speed (m/s, on an angle rad/s) below which the contact creeps where dry friction would stick."""
        raise NotImplementedError

    def smooth(self) -> Smooth:
        """The law that acts in a compliant contact; ValueError (a sentence) if it cannot."""
        return self
