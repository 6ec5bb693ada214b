"""Archard: a compliant contact whose wall wears where the bodies slide.

    N = N_c(x, rate),      x = -(gap + h),      dh/dt = a k_w p |v_t|,      p = N/A

h (X) is the worn height, an inner state of each contact; N_c the force of the contact law inside; v_t the sliding
velocity; A (X^2) the area on which one contact rests; k_w in X^2/F (m^2/N = m^3/(N m)) the volume that wears off per
unit of force and way, of both surfaces together; a >= 1 accelerates: one metre that is simulated wears like a metres.
The worn volume is A h = a k_w integral N |v_t| dt at any A, which is a k_w/mu times what Coulomb friction loses there.

Energy: with the potential V_c(x) of the contact inside, N rate = dV_c/dt + loss_c + V_c'(x) dh/dt. The last term, the
elastic energy of what is worn off, counts as dissipated; V_c' is N_c at rest, since loss_c vanishes there to second
order. It is h/l of the loss by friction, l the way slid.

Range of validity: mild wear, coefficient constant (it varies by factors in practice), area constant, h small against
the parts; the debris is gone. The contact stays at one place of the worn part: guides, not round joints.
Source: J. F. Archard, Journal of Applied Physics 24 (1953) 981-988.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from ..numerics.jit import link
from .base import LawState, nested, quantity
from .compliant import FORCE_OF, Compliant, Sizes

HEAD = 3  # constants before those of the contact inside


def make_evolve(normal_of: Callable[..., Any]) -> Any:
    """The kernel ``evolve`` of this law; ``normal_of(kind, p, x, rate, onset, t)`` runs that of the contact inside."""

    @link
    def evolve(p, x, rate, onset, s, t, z, out):
        """N, its partials, stored energy and dissipated power; the rate of the worn height."""
        kind, count = int(p[1].real), int(p[2].real)
        inside = p[HEAD : HEAD + count]
        N, by_x, by_rate, stored, lost = normal_of(kind, inside, x, rate, onset, t)
        still, _, _, _, _ = normal_of(kind, inside, x, 0.0 * rate, onset, t)
        grows = p[0] * N * s
        out[0] = grows + 0.0 * z[0]
        return N, by_x, by_rate, stored, lost + still * grows

    return evolve


@dataclass(frozen=True)
class Archard(Compliant):
    """A contact that wears: ``contact`` is the law of its force, ``area`` that of one contact."""

    key: ClassVar[str] = "archard"
    own_states: ClassVar[Mapping[str, LawState]] = {"wear": LawState("X", "worn")}
    recess: ClassVar[str] = "wear"
    slides: ClassVar[bool] = True
    make_evolve = staticmethod(make_evolve)

    contact: Compliant = nested("contact")
    coefficient: float | str = quantity("X^2/F", least=0.0)
    area: float | str = quantity("X^2", above=0.0)
    acceleration: float | str = quantity("", 1.0, above=0.0)
    worn: float | str = quantity("X", 0.0, least=0.0)

    def __post_init__(self) -> None:
        named = f"'{self.contact.key}'" if hasattr(self.contact, "key") else repr(self.contact)
        if not isinstance(self.contact, Compliant) or self.contact.inner:
            raise ValueError(f"'contact' must be a compliant contact law without states, such as hertz, not {named}")
        if self.contact.anywhere:
            raise ValueError(f"'contact' must act in touch alone, but {named} acts at any gap")

    def resolved(self, sizes: Sizes) -> Archard:
        """The law of one strip."""
        return replace(self, contact=self.contact.resolved(sizes), area=float(self.area) / sizes.strips)

    def numbers(self) -> tuple[float, ...]:
        """Not without the numbers of the kernel inside: ``numbers_with``."""
        raise NotImplementedError("the constants of Archard name the kernel of its contact: use numbers_with")

    def numbers_with(self, kind_and_numbers: Callable[..., tuple[int, tuple[float, ...]]]) -> tuple[float, ...]:
        """a k_w/A, kernel and count of the contact inside, then its constants."""
        kind, numbers = kind_and_numbers(self.contact, "contact")
        pace = float(self.acceleration) * float(self.coefficient) / float(self.area)
        return (pace, float(kind), float(len(numbers)), *numbers)

    def remark(self) -> str:
        """What is odd about the contact inside."""
        return str(getattr(self.contact, "remark", str)())

    def summary(self, x: str = "m") -> str:
        """Key, constants, and the contact inside."""
        fast = f", {float(self.acceleration):.6g} times as fast" if float(self.acceleration) != 1.0 else ""
        unit = f"{x}^2/({FORCE_OF[x]})" if x == "rad" else "m^2/N"
        return (
            f"{self.key}, k_w = {float(self.coefficient):.6g} {unit} on {float(self.area):.6g} {x}^2{fast}; "
            f"{self.contact.summary(x)}"
        )
