"""Hertz: elastic contact of two curved surfaces, without loss (paper C eq. 43 with c_e = 1).

    N = K x^n

K > 0 in F/X^n; n = 3/2 for spheres, with K = 4/3 E* sqrt(R) from materials and radii (laws/materials.py). Energy
V = K x^(n+1)/(n + 1), nothing is dissipated: a free impact ends with the speed at which it began (restitution 1).

Range of validity: small strains, no yielding, a patch of contact that is small against the radii, impacts that last
long against the time of a wave through the body. Source: H. Hertz, Journal fuer die reine und angewandte Mathematik 92
(1882) 156-171.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .hysteresis import Elastic


@dataclass(frozen=True)
class Hertz(Elastic):
    """Elastic contact, N = K x^n."""

    key: ClassVar[str] = "hertz"
