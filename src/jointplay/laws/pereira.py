"""Pereira et al.: cylinders that touch along a line, from materials and sizes (paper C eq. 44 to 48).

    N = (a dR + b) L E* / (N_s dR) x^n (1 + 3 (1 - c_e^2)/4 rate/onset)            (44)

                 a        b         n                  dR
    internal     0.965    0.0965    Y dR^-0.005        R_j - R_i      pin in a bearing        (45 to 47)
    external     0.39     0.85      1.094              R_j + R_i      two rollers

    Y = 1.51 (ln 1000 dR)^-0.151          0.005 <= dR <= 0.34954
        0.0151 dR + 1.151                 0.34954 <= dR <= 10                      (48)

These are fits in mm and N/mm^2: x, dR, L in mm, E* in N/mm^2, N in N. Here all is in SI outside: K = 1000^n times the
factor of x^n. L/N_s is the length of one of N_s strips (eq. 42), E* the composite modulus (laws/materials.py).

Range of validity: internal dR from 0.005 to 10 mm, refused outside; (48) is continuous at 0.34954 mm. Elastic, long
cylinders with parallel axes, engineering metals. The range of external contact is not printed.
Restitution that comes out: as Lankarani-Nikravesh, good near 1 only.
Source: C. Pereira, A. Ramalho, J. Ambrosio, An enhanced cylindrical contact force model, Multibody System Dynamics 35
(2015) 277-298.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import log
from typing import Any, ClassVar, Self

from .base import choice, material, quantity, series
from .compliant import Compliant, Sizes
from .hysteresis import check_restitution, normal, restitution_obtained
from .materials import composite_modulus, read_material

MM = 1e3  # mm per m
LEAST, BEND, MOST = 0.005, 0.34954, 10.0  # mm, range of eq. 48


def exponent(dR: float, form: str) -> float:
    """n of eq. 47 and 48, dR in mm."""
    if form == "external":
        return 1.094
    Y = 1.51 * log(1000.0 * dR) ** -0.151 if dR <= BEND else 0.0151 * dR + 1.151
    return Y * dR**-0.005


def factor(dR: float, length: float, modulus: float, form: str) -> float:
    """(a dR + b) L E* / dR of eq. 44 in N/mm^n; lengths in mm, E* in N/mm^2."""
    a, b = (0.965, 0.0965) if form == "internal" else (0.39, 0.85)
    return (a * dR + b) * length * modulus / dR


@dataclass(frozen=True)
class Pereira(Compliant):
    """Line contact of a pin in its bearing, or of two rollers."""

    key: ClassVar[str] = "pereira"
    normal = staticmethod(normal)

    material: Any = material()
    form: str = choice("internal", "external")
    restitution: float | str = quantity("", 1.0, least=0.0)
    length: Any = quantity("m", None, above=0.0)
    radii: Any = series("m")
    v_floor: float | str = quantity("X/s", 1e-3, above=0.0)

    def __post_init__(self) -> None:
        if self.material is None:
            raise ValueError("needs 'material'")
        if self.form not in ("internal", "external"):
            raise ValueError(f"form must be 'internal' or 'external', is {self.form!r}")
        if isinstance(self.radii, (list, tuple)) and len(self.radii) != 2:
            raise ValueError(
                f"'radii' needs two numbers, those of the inner and the outer cylinder, not {len(self.radii)}"
            )
        check_restitution(self.restitution)

    def resolved(self, sizes: Sizes) -> Self:
        """The law of one strip, with radii and the length of the strip as numbers."""
        radii = self._radii(sizes)
        length = self.length if self.length is not None else sizes.length
        if length is None:
            raise ValueError("needs 'length', that of the line of contact, here or on the joint")
        dR = MM * _play(radii, self.form)
        if self.form == "internal" and not LEAST * (1.0 - 1e-6) <= dR <= MOST * (1.0 + 1e-6):
            raise ValueError(
                f"holds for R_j - R_i from {LEAST:g} to {MOST:g} mm, here it is {dR:.6g} mm; "
                "take another contact law with a 'stiffness'"
            )
        return replace(self, material=read_material(self.material), radii=radii, length=float(length) / sizes.strips)

    def _radii(self, sizes: Sizes) -> tuple[float, float]:
        """R_i and R_j in m."""
        if self.radii is not None:
            inner, outer = (float(radius) for radius in self.radii)
        elif self.form == "external":
            raise ValueError("needs 'radii', those of the two rollers")
        elif sizes.radius is None or sizes.gap is None:
            raise ValueError("needs 'radii' here, or the radius of a joint with clearance")
        else:
            inner, outer = sizes.radius, sizes.radius + sizes.gap
        if not (inner > 0.0 and outer > 0.0):
            raise ValueError("both 'radii' must be greater than 0; form: internal means that one lies in the other")
        if self.form == "internal" and self.radii is not None:
            if outer <= inner:
                raise ValueError("the second of 'radii', that of the bearing, must be the larger one")
            if sizes.gap is not None and abs(outer - inner - sizes.gap) > 1e-6 * outer:
                raise ValueError(
                    f"'radii' leave {MM * (outer - inner):.6g} mm of play, the clearance has {MM * sizes.gap:.6g} mm"
                )
        return inner, outer

    def damping_factor(self) -> float:
        """3 (1 - c_e^2) / 4."""
        return 0.75 * (1.0 - float(self.restitution) ** 2)

    def obtained(self) -> float:
        """The restitution that a free impact has with this law."""
        return restitution_obtained(self.damping_factor())

    def numbers(self) -> tuple[float, ...]:
        """K, n, a, floor."""
        law = self.resolved(Sizes())
        dR = MM * _play(law.radii, law.form)
        n = exponent(dR, law.form)
        K = factor(dR, MM * law.length, 1e-6 * composite_modulus(law.material), law.form)
        return K * MM**n, n, self.damping_factor(), float(self.v_floor)

    def summary(self, x: str = "m") -> str:
        """Key, constants, and the restitution that comes out."""
        K, n, _, _ = self.numbers()
        restitution = f"restitution {float(self.restitution):g} required, {self.obtained():.3f} obtained"
        return f"{self.key}, K = {K:.6g} N/m^{n:.6g}, {restitution}"


def _play(radii: Any, form: str) -> float:
    """dR: R_j - R_i inside, R_j + R_i outside (text below eq. 48)."""
    inner, outer = radii
    return outer - inner if form == "internal" else outer + inner
