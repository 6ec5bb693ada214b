"""Brown-McPhee: smooth friction with a peak at rest and a lower level in motion (paper E eq. 4).

    mu(s) = mu_d tanh(4 y) + (mu_s - mu_d) y / (y^2/4 + 3/4)^2,      y = s / v_t

mu_s >= mu_d >= 0. The second term is largest at y = 1, where mu is within 0.07 % of mu_d from mu_s; for large y mu
tends to mu_d. The slope at rest is [4 mu_d + 16 (mu_s - mu_d)/9] / v_t.

In a contact N is the force of the contact. On a free coordinate of a joint it is the constant ``load``,

    lambda = -mu(dg/dt) load - viscous dg/dt,      loss = -lambda dg/dt >= 0

in N or N m, with v_t in m/s or rad/s and ``viscous`` in F s/X. On an ideal joint N follows from the reaction
(laws/on_joint.py), and the sliding velocity v at the surface may have two components:

    F = -[mu(s)/s N + viscous] v,      s = |v|      [N, v and v_t in m/s, viscous in N s/m]

The law creeps: it holds a load F < mu_s N at a speed
below v_t, never at rest, and the smaller v_t, the stiffer the equations (docs/theory/laws/brown_mcphee.md).
Source: P. Brown, J. McPhee, Journal of Computational and Nonlinear Dynamics 11 (2016) 054502.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..numerics.jit import jit
from .base import quantity
from .on_joint import OnJoint, check_order
from .smooth import Smooth


@jit
def coefficient(p, s, normal, t, z):
    """mu(s), its derivative and mu(s)/s."""
    mu_s, mu_d, v_t = p[0], p[1], p[2]
    y = s / v_t
    a = 4.0 * y
    # beyond 20 tanh is 1 to rounding, while the complex one overflows
    T = np.tanh(a) if abs(a.real) < 20.0 else 0.0 * a + (1.0 if a.real > 0.0 else -1.0)
    # tanh(a)/a without dividing by zero: the series is exact to rounding below 1e-4
    ratio = T / a if abs(a.real) > 1e-4 else 1.0 - a * a / 3.0
    D = 0.25 * y * y + 0.75
    bump = (mu_s - mu_d) / (D * D)
    mu = mu_d * T + bump * y
    slope = (4.0 * mu_d * (1.0 - T * T) + 0.75 * bump * (1.0 - y * y) / D) / v_t
    return mu, slope, (4.0 * mu_d * ratio + bump) / v_t


@jit
def force(p, g, rate, t, z):
    """lambda, its partials, energy and dissipated power under the constant load."""
    viscous, load = p[3], p[4]
    mu, slope, _ = coefficient(p, rate, load, t, z)
    lam = -mu * load - viscous * rate
    zero = 0.0 * (lam + g)
    return lam, zero, -slope * load - viscous, zero, -lam * rate


@jit
def rub(p, v0, v1, normal, t, z0, z1, z2):
    """F on an ideal joint; there are no inner states."""
    _, _, ratio = coefficient(p, np.sqrt(v0 * v0 + v1 * v1), normal, t, p)
    drag = ratio * normal + p[3]
    zero = 0.0 * (drag + z0 + z1 + z2)
    return -drag * v0, -drag * v1, zero, zero, zero


@dataclass(frozen=True)
class BrownMcPhee(OnJoint, Smooth):
    """Friction with static and dynamic coefficients, smooth through rest; ``load`` only on a free coordinate."""

    key: ClassVar[str] = "brown_mcphee"
    drives: ClassVar[bool] = True
    coefficient = staticmethod(coefficient)
    force = staticmethod(force)
    rub = staticmethod(rub)

    mu_s: float | str = quantity("", least=0.0)
    mu_d: float | str = quantity("", least=0.0)
    v_t: float | str = quantity("X/s", above=0.0)
    viscous: float | str = quantity("F*s/X", 0.0, least=0.0)
    load: float | str | None = quantity("F", None, least=0.0)

    def __post_init__(self) -> None:
        check_order(self, "mu_s", "mu_d")

    @property
    def creep(self) -> float:
        """The transition speed v_t."""
        return float(self.v_t)

    def smooth(self) -> BrownMcPhee:
        """Itself; a viscous part has no place in a contact, where it would act without a normal force."""
        if float(self.viscous) != 0.0:
            raise ValueError("'viscous' acts on a free coordinate or an ideal joint; leave it out in a contact")
        return self

    def numbers(self) -> tuple[float, ...]:
        """mu_s, mu_d, v_t, viscous, load."""
        return (float(self.mu_s), float(self.mu_d), float(self.v_t), float(self.viscous), float(self.load or 0.0))
