"""Kelvin-Voigt: a linear spring and a damper, or a spring that is softer on the way out (paper C eq. 54).

Plain (``damping``):

    N = K x + c rate,      N >= 0

With ``limit`` the damper gives at most limit K x in either direction; limit = 1 is the rule of Modelica's ElastoGap:
the force starts from zero and cannot pull. Without a limit it jumps to c rate at first touch.
V = K x^2/2; dissipated (N - K x) rate. A mass m leaves a free impact (no limit) with the fraction

    e = exp(-2 zeta arccos(zeta)/sqrt(1 - zeta^2)),      zeta = c/(2 sqrt(K m)) < 1

of its speed: contact ends where N = 0, before the spring is back. So e depends on the mass, not on the speed.

Modified (``unloading`` c_e, 0 ... 1):

    N = K x (c_e + (1 - c_e)(3 r^2 - 2 r^3)),      r = rate/v_0, held within 0 ... 1            (54)

The stiffness is K while the bodies approach faster than v_0 and c_e K while they part. V = c_e K x^2/2, the part that
comes back; dissipated (N - c_e K x) rate. No damper acts: of an impact much faster than v_0 the share c_e of the energy
returns, so its restitution is sqrt(c_e), not c_e; slower ones lose less. At rest a load F lies at the depth F/(c_e K).

K in F/X, c in F s/X, v_0 in X/s. Range of validity: stops and soft layers with a force linear in depth; K, c, c_e are
fits of one stop, not constants of a material. Sources: W. Goldsmith, Impact, Arnold 1960 (plain); P. Flores et al.,
Kinematics and Dynamics of Multibody Systems with Imperfect Joints, Springer 2008, and paper C (modified).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from ..numerics.jit import jit
from .base import quantity
from .compliant import FORCE_OF, Compliant, Sizes

NONE = -1.0  # stands for None in the kernel


@jit
def normal(p, x, rate, onset, t):
    """N, its partials, stored energy and dissipated power."""
    K, c, c_e, v_0, limit = p[0], p[1], p[2], p[3], p[4]
    zero = 0.0 * (K * x + rate)
    if x.real <= 0.0:
        return zero, zero, zero, zero, zero
    spring = K * x
    if c_e.real >= 0.0:
        r = rate / v_0
        if r.real <= 0.0:
            r = zero
        elif r.real >= 1.0:
            r = zero + 1.0
        share = c_e + (1.0 - c_e) * r * r * (3.0 - 2.0 * r)
        force, back = spring * share, c_e * spring
        by_rate = spring * (1.0 - c_e) * 6.0 * r * (1.0 - r) / v_0  # vanishes at both ends by itself
        return force, K * share, by_rate, 0.5 * back * x, (force - back) * rate
    damper, by_rate, by_x = c * rate, c + zero, K + zero
    if limit.real >= 0.0:
        bound = limit * spring
        if damper.real > bound.real:
            damper, by_rate, by_x = bound, zero, K + limit * K + zero
        elif damper.real < -bound.real:
            damper, by_rate, by_x = -bound, zero, K - limit * K + zero
    force = spring + damper
    if force.real <= 0.0:  # would pull: the spring recovers alone and its energy is lost
        force, by_x, by_rate = zero, zero, zero
    return force, by_x, by_rate, 0.5 * spring * x, (force - spring) * rate


@dataclass(frozen=True)
class KelvinVoigt(Compliant):
    """Spring and damper, or a spring that returns the share ``unloading`` of its energy."""

    key: ClassVar[str] = "kelvin_voigt"
    normal = staticmethod(normal)

    stiffness: Any = quantity("F/X", None, above=0.0)
    damping: float | str = quantity("F*s/X", 0.0, least=0.0)
    unloading: Any = quantity("", None, least=0.0)
    v_0: float | str = quantity("X/s", 0.1, above=0.0)
    limit: Any = quantity("", None, least=0.0)

    def __post_init__(self) -> None:
        if self.stiffness is None:
            raise ValueError("needs 'stiffness'")
        if self.unloading is None:
            return
        if isinstance(self.unloading, (int, float)) and not 0.0 <= self.unloading <= 1.0:
            raise ValueError(f"unloading must lie between 0 and 1, is {self.unloading:g}")
        if self.damping != 0.0:
            raise ValueError("takes 'damping' or 'unloading', not both")
        if self.limit is not None:
            raise ValueError("takes 'limit' together with 'damping' only")

    def resolved(self, sizes: Sizes) -> Self:
        """The law of one strip."""
        stiffness, damping = float(self.stiffness) / sizes.strips, float(self.damping) / sizes.strips
        return replace(self, stiffness=stiffness, damping=damping)

    def numbers(self) -> tuple[float, ...]:
        """K, c, c_e, v_0, limit; -1 where there is no c_e or limit."""
        c_e, limit = (NONE if value is None else float(value) for value in (self.unloading, self.limit))
        return float(self.stiffness), float(self.damping), c_e, float(self.v_0), limit

    def summary(self, x: str = "m") -> str:
        """Key and constants."""
        force = FORCE_OF[x]
        text = f"{self.key}, K = {float(self.stiffness):.6g} {force}/{x}"
        if self.unloading is None:
            return f"{text}, c = {float(self.damping):.6g} {force} s/{x}"
        c_e = float(self.unloading)
        return (
            f"{text}, unloading {c_e:g} (restitution {c_e**0.5:.3f} of a fast impact), v_0 = {float(self.v_0):g} {x}/s"
        )
