"""Contact with hysteresis damping: an elastic force, and a damping in proportion to it (paper C eq. 43, 44).

    N = K x^n (1 + a r),      r = rate / max(onset, v_floor), held within -1 ... 1,      N >= 0

K in F/X^n; a(e) is what distinguishes the laws of this family, each chosen so that a free impact that begins with the
speed ``onset`` ends with about e times that speed. The saturation of r and the floor keep the damping from growing
without bound where a contact begins slowly or is squeezed faster later (docs/theory/sources.md). An impact slower
than ``v_floor`` loses less than prescribed.

Energy: V = K x^(n+1) / (n + 1); dissipated power (N - K x^n) rate, which is never negative: N exceeds the elastic
force while the bodies approach and lies below it while they part.

How a(e) decides what comes out: on a free impact with w = rate/onset, m v dv = -N dx, and the depth is the same on the
way in (w from 1 to 0) and out (w from 0 to -e'). Hence for every K, n, m

    integral from -e' to 1 of w/(1 + a w) dw = 0,      that is      a (1 + e') = ln((1 + a) / (1 - a e'))

for the restitution e' that is obtained; a e' < 1, so N stays positive to the end (docs/theory/laws/hysteresis.md).
The relation is that of Y. Gonthier et al., Multibody System Dynamics 11 (2004) 209-233.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import expm1, log1p
from typing import Any, ClassVar, Self

from ..numerics.jit import jit
from .base import material, quantity, series
from .compliant import FORCE_OF, Compliant, Sizes
from .materials import stiffness_of


@jit
def normal(p, x, rate, onset, t):
    """N, its partials, stored energy and dissipated power."""
    K, n, a, floor = p[0], p[1], p[2], p[3]
    zero = 0.0 * (K * x + rate)
    if x.real <= 0.0:
        return zero, zero, zero, zero, zero
    elastic = K * x**n
    speed = onset if onset.real > floor.real else floor.real + 0.0 * onset  # complex in derivatives by the onset
    r, slope = rate / speed, 1.0 / speed
    if abs(r.real) > 1.0:
        r, slope = zero + (1.0 if r.real > 0.0 else -1.0), 0.0
    factor = 1.0 + a * r
    if factor.real <= 0.0:  # would pull
        factor, slope = zero, 0.0
    stored = elastic * x / (n + 1.0)
    force = elastic * factor
    return force, n * force / x, elastic * a * slope + zero, stored, elastic * (factor - 1.0) * rate


def _imbalance(a: float, e: float, s: float) -> float:
    """The integral of w/(1 + a w) over -e ... 1, with s = -ln(1 - a e); falls as a or e grows, zero for an impact."""
    if a < 0.1:  # the two terms below cancel: sum the powers of a instead
        return sum((-a) ** k * (1.0 - (-e) ** (k + 2)) / (k + 2) for k in range(18))
    return (1.0 + e - (log1p(a) + s) / a) / a


def _bisect(falling: Callable[[float], float], high: float) -> float:
    """The zero of a falling function between 0 and ``high``, to the last digit."""
    low = 0.0
    while low < (middle := 0.5 * (low + high)) < high:
        low, high = (middle, high) if falling(middle) > 0.0 else (low, middle)
    return high


def restitution_obtained(a: float) -> float:
    """e' of a free impact with the damping ``a`` >= 0: the root of a (1 + e') = ln((1 + a)/(1 - a e'))."""
    if a == 0.0:
        return 1.0

    def e(s: float) -> float:  # 1 - a e' = exp(-s): no digits are lost where a e' is close to 1
        return -expm1(-s) / a

    return e(_bisect(lambda s: _imbalance(a, e(s), s), a + min(a, 1.0)))


def damping_for(e: float) -> float:
    """The damping a of a free impact with the restitution 0 < e <= 1: the root of the same relation in a < 1/e."""
    if e == 1.0:
        return 0.0

    def a(s: float) -> float:
        return -expm1(-s) / e

    return a(_bisect(lambda s: _imbalance(a(s), e, s), (1.0 + e) / e))


def check_restitution(e: Any, *, positive: bool = False) -> None:
    """Refuse a restitution out of range, by a sentence; strings are checked once they are numbers."""
    if not isinstance(e, (int, float)):
        return
    if e > 1.0:
        raise ValueError(f"restitution must not be greater than 1 (an impact cannot give energy), is {e:g}")
    if e < 0.0:
        raise ValueError(f"restitution must not be negative, is {e:g}")
    if positive and e == 0.0:
        raise ValueError("restitution must be greater than 0 in this law, whose damping grows without bound there")


@dataclass(frozen=True)
class Elastic(Compliant):
    """What contacts with the elastic force K x^n share: the stiffness, given or found from materials and radii."""

    normal = staticmethod(normal)

    stiffness: Any = quantity("F/X^{exponent}", None, above=0.0)
    exponent: float | str = quantity("", 1.5, least=1.0)
    material: Any = material(by_name=True)
    radii: Any = series("m", by_name=True)

    def __post_init__(self) -> None:
        if self.stiffness is not None and self.material is not None:
            raise ValueError("takes 'stiffness' or 'material', not both")
        if self.stiffness is None and self.material is None:
            raise ValueError("needs 'stiffness', or 'material' to find it from the radii")
        if self.material is None and self.radii is not None:
            raise ValueError("takes 'radii' together with 'material' only")
        if self.material is not None and isinstance(self.exponent, (int, float)) and self.exponent != 1.5:
            raise ValueError("the stiffness from 'material' is that of exponent 1.5; give 'stiffness' for another one")

    def damping_factor(self) -> float:
        """a: damping relative to the elastic force, at the onset speed."""
        return 0.0

    def obtained(self) -> float:
        """The restitution that a free impact has with this law."""
        return restitution_obtained(self.damping_factor())

    def resolved(self, sizes: Sizes) -> Self:
        """The law of one strip, its stiffness a number."""
        whole = self.stiffness if self.stiffness is not None else stiffness_of(self.material, self.radii, sizes)
        return replace(self, stiffness=float(whole) / sizes.strips, material=None, radii=None)

    def numbers(self) -> tuple[float, ...]:
        """K, n, a, floor."""
        return (float(self.stiffness), float(self.exponent), self.damping_factor(), 1.0)

    def summary(self, x: str = "m") -> str:
        """Key and constants."""
        return f"{self.key}, K = {float(self.stiffness):.6g} {FORCE_OF[x]}/{x}^{float(self.exponent):.6g}"


@dataclass(frozen=True)
class Hysteresis(Elastic):
    """What the laws with hysteresis damping share."""

    positive: ClassVar[bool] = False  # restitution 0 has no damping in this law

    restitution: float | str = quantity("", 1.0, least=0.0)
    v_floor: float | str = quantity("X/s", 1e-3, above=0.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_restitution(self.restitution, positive=self.positive)

    def damping_factor(self) -> float:
        """a(e): damping relative to the elastic force, at the onset speed."""
        raise NotImplementedError

    def numbers(self) -> tuple[float, ...]:
        """K, n, a, floor."""
        return (float(self.stiffness), float(self.exponent), self.damping_factor(), float(self.v_floor))

    def summary(self, x: str = "m") -> str:
        """Key, constants, and the restitution that comes out."""
        return f"{super().summary(x)}, restitution {float(self.restitution):g} required, {self.obtained():.3f} obtained"
