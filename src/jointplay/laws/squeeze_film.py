"""Squeeze film: a viscous layer between two faces, which resists approach and parting at any gap.

With the gap h = -x and the depth d = h_0 - h below the height h_0 at which the asperities of the faces meet,

    N = c(h) rate + K max(d, 0)^n,      rate = -dh/dt

    c(h) = C/h^3                         h >= h_0      Reynolds' equation, faces that stay parallel
    c(h) = C/h_0^3 (1 + 3 d/h_0)         h <  h_0      its tangent: what oil is left in the valleys

C in F s X^2: (3 pi/2) mu R^4 of a disc of radius R in a fluid of viscosity mu (``SqueezeFilm.disc``), mu L B^3 of a
long strip of length L and width B. N > 0 pushes the faces apart, N < 0 holds them together while they part. With
``film = "cavitating"`` the fluid cannot pull: c rate counts only while the faces approach.

Energy: V = K d^(n+1)/(n + 1) of the asperities; the film dissipates c(h) rate^2 >= 0. The force is continuous with its
slope in h at h = h_0; where a cavitating film turns from approach to parting it has a bend in the rate.

Range of validity: laminar, inertia of the fluid left out (rho h |rate|/mu < 1), rigid parallel faces, h small against
their size, constant viscosity. Under a load W a disc sinks from h_1 to h_2 in (C/(2 W))(1/h_2^2 - 1/h_1^2).
Source: B. J. Hamrock, Fundamentals of Fluid Film Lubrication, McGraw-Hill 1994, squeeze films.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import pi
from typing import Any, ClassVar, Self

from ..numerics.jit import jit
from .base import choice, quantity
from .compliant import FORCE_OF, Compliant, Sizes


@jit
def normal(p, x, rate, onset, t):
    """N, its partials, stored energy and dissipated power."""
    C, least, K, n, cavitates = p[0], p[1], p[2], p[3], p[4]
    zero = 0.0 * (K * x + rate)
    h, d = -x, x + least
    pressed, by_x, stored = zero, zero, zero
    if d.real <= 0.0:
        c = C / (h * h * h) + zero
        slope = 3.0 * c / h  # dc/dx
    else:
        c = C / (least * least * least) * (1.0 + 3.0 * d / least) + zero
        slope = 3.0 * C / (least * least * least * least) + zero
        pressed = K * d**n
        by_x, stored = n * pressed / d, pressed * d / (n + 1.0)
    if cavitates.real > 0.0 and rate.real < 0.0:
        c, slope = zero, zero
    return c * rate + pressed, slope * rate + by_x, c, stored, c * rate * rate


@dataclass(frozen=True)
class SqueezeFilm(Compliant):
    """A viscous film that acts at any gap, with asperities below the height ``least``."""

    key: ClassVar[str] = "squeeze_film"
    normal = staticmethod(normal)
    anywhere: ClassVar[bool] = True

    constant: Any = quantity("F*s*X^2", above=0.0)
    least: Any = quantity("X", above=0.0)
    stiffness: Any = quantity("F/X^{exponent}", above=0.0)
    exponent: float | str = quantity("", 1.5, least=1.0)
    film: str = choice("full", "cavitating")

    @classmethod
    def disc(cls, viscosity: float, radius: float, **others: Any) -> Self:
        """The film under a disc: viscosity in Pa s, radius in m."""
        if not (viscosity > 0.0 and radius > 0.0):
            raise ValueError(f"viscosity and radius must be greater than 0, are {viscosity:g} and {radius:g}")
        return cls(constant=1.5 * pi * viscosity * radius**4, **others)

    def resolved(self, sizes: Sizes) -> Self:
        """The law of one strip."""
        constant, stiffness = float(self.constant) / sizes.strips, float(self.stiffness) / sizes.strips
        return replace(self, constant=constant, stiffness=stiffness)

    def numbers(self) -> tuple[float, ...]:
        """C, h_0, K, n, 1 if the film cannot pull."""
        given = (self.constant, self.least, self.stiffness, self.exponent)
        return (*(float(one) for one in given), float(self.film == "cavitating"))

    def summary(self, x: str = "m") -> str:
        """Key and constants."""
        force = FORCE_OF[x]
        return (
            f"{self.key} ({self.film}), C = {float(self.constant):.6g} {force} s {x}^2, asperities below "
            f"{float(self.least):.6g} {x}, K = {float(self.stiffness):.6g} {force}/{x}^{float(self.exponent):.6g}"
        )
