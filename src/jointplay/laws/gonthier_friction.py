"""Gonthier friction: elastic bristles, a limit that grows while the surfaces rest (paper E eq. 5 to 7).

    s   = exp(-(|v|/v_s)^2)                                       1: sticking, 0: sliding
    f_C = mu_d N dir(v)                                           (5a)
    z'  = s v + (1 - s)(f_C/sigma_1 - sigma_0/sigma_1 z)          (5c)  mean deflection of the bristles, m
    w'  = (s - w)/tau_dw where w <= s, else (s - w)/tau_br        (6)   dwell state, 0 ... 1
    f   = sigma_0 z + sigma_1 z',      |f| <= N [mu_d + (mu_s - mu_d) w]      (7a, 7b)
    F   = -(f + sigma_2 v)                                        (7c)

dir(v) is v/|v|, with the smooth step 3/2 x - 1/2 x^3, x = |v|/v_e, in place of 1 where x < 1: as printed, (5b) is flat
at rest and has a corner at v_e. s and tau_br are not given in the paper; tau_br = sigma_1/sigma_0, the time in which
bristles settle, by default. All velocities are those of the surface, in m/s, and may have two components.

At rest (s = 1) the bristles are a spring sigma_0 with a damper sigma_1: a load below the limit is held at rest, after a
deflection F/sigma_0, without creep. In motion (s = 0) f = f_C at once, whatever z is. A joint that has rested for long
compared with tau_dw breaks loose at mu_s N, one that has rested briefly at little more than mu_d N.

mu_s >= mu_d >= 0; sigma_0, sigma_1 > 0; sigma_2 >= 0. F has a corner where f reaches its limit. The energy
sigma_0 |z|^2/2 is held by the bristles.
Source: Y. Gonthier, J. McPhee, C. Lange, J.-C. Piedboeuf, Multibody System Dynamics 11 (2004) 209-233.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..codes import Regime
from ..numerics.jit import jit
from .base import quantity
from .on_joint import OnJoint, check_order


@jit
def rub(p, v0, v1, normal, t, z0, z1, z2):
    """F and the rates of the bristles and of the dwell state."""
    mu_s, mu_d, sigma_0, sigma_1, sigma_2 = p[0], p[1], p[2], p[3], p[4]
    tau_dw, v_s, v_e, tau_br = p[5], p[6], p[7], p[8]
    square = v0 * v0 + v1 * v1
    s = np.exp(-square / (v_s * v_s))

    # dir(v) = direction v; below v_e |v| is not divided by, so nothing happens at v = 0
    if square.real < v_e.real * v_e.real:
        direction = (1.5 - 0.5 * square / (v_e * v_e)) / v_e
    else:
        direction = 1.0 / np.sqrt(square)
    pull = mu_d * normal * direction / sigma_1
    settle = sigma_0 / sigma_1
    dz0 = s * v0 + (1.0 - s) * (pull * v0 - settle * z0)
    dz1 = s * v1 + (1.0 - s) * (pull * v1 - settle * z1)
    dz2 = (s - z2) / (tau_dw if z2.real <= s.real else tau_br)

    # the force of the bristles, cut off at its limit; |f| > 0 wherever it is divided by
    f0, f1 = sigma_0 * z0 + sigma_1 * dz0, sigma_0 * z1 + sigma_1 * dz1
    limit = normal * (mu_d + (mu_s - mu_d) * z2)
    size = np.sqrt(f0 * f0 + f1 * f1)
    if size.real > limit.real:
        share = limit / size
        f0, f1 = share * f0, share * f1
    return -(f0 + sigma_2 * v0), -(f1 + sigma_2 * v1), dz0, dz1, dz2


@dataclass(frozen=True)
class GonthierFriction(OnJoint):
    """Friction of an ideal joint that truly sticks, in smooth methods; stronger the longer the joint has rested."""

    key: ClassVar[str] = "gonthier_friction"
    regime: ClassVar[Regime] = Regime.FORCE
    inner: ClassVar[int] = 3
    rub = staticmethod(rub)

    mu_s: float | str = quantity("", least=0.0)
    mu_d: float | str = quantity("", least=0.0)
    sigma_0: float | str = quantity("N/m", above=0.0)
    sigma_1: float | str = quantity("N*s/m", above=0.0)
    sigma_2: float | str = quantity("N*s/m", least=0.0)
    tau_dw: float | str = quantity("s", above=0.0)
    v_s: float | str = quantity("m/s", above=0.0)
    v_e: float | str = quantity("m/s", 1.5e-7, above=0.0, by_name=True)
    tau_br: Any = quantity("s", None, above=0.0, by_name=True)

    def __post_init__(self) -> None:
        check_order(self, "mu_s", "mu_d")

    def numbers(self) -> tuple[float, ...]:
        """mu_s, mu_d, sigma_0, sigma_1, sigma_2, tau_dw, v_s, v_e, tau_br."""
        sigma_0, sigma_1 = float(self.sigma_0), float(self.sigma_1)
        tau_br = sigma_1 / sigma_0 if self.tau_br is None else float(self.tau_br)
        return (
            *(float(self.mu_s), float(self.mu_d), sigma_0, sigma_1, float(self.sigma_2)),
            *(float(self.tau_dw), float(self.v_s), float(self.v_e), tau_br),
        )
