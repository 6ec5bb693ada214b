"""Spring: linear spring and damper on a coordinate.

    lambda = preload - k (g - g_free) - c dg/dt

k >= 0 in F/X, c >= 0 in F s/X, preload in F (positive pushes towards larger g; on a line: pushes the ends apart).
Energy: V = k (g - g_free)^2 / 2 - preload (g - g_free); dissipated power c (dg/dt)^2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..codes import Regime
from ..numerics.jit import jit
from .base import Law, quantity


@jit
def force(p, g, rate, t, z):
    """lambda, its partials, energy and dissipated power."""
    k, c, free, preload = p[0], p[1], p[2], p[3]
    x = g - free
    return preload - k * x - c * rate, -k, -c, 0.5 * k * x * x - preload * x, c * rate * rate


@dataclass(frozen=True)
class Spring(Law):
    """A linear spring-damper."""

    key: ClassVar[str] = "spring"
    regime: ClassVar[Regime] = Regime.FORCE
    effort: ClassVar[str] = "spring"
    drives: ClassVar[bool] = True
    closes: ClassVar[bool] = True
    force = staticmethod(force)

    stiffness: float | str = quantity("F/X", 0.0, least=0.0)
    damping: float | str = quantity("F*s/X", 0.0, least=0.0)
    free: float | str = quantity("X", 0.0)
    preload: float | str = quantity("F", 0.0)
