"""Friction of an ideal joint, driven by the reaction of the joint itself.

    F = F(v, N, z),      dz/dt = Z(v, N, z),      F . v <= 0 once the inner states have settled

v (m/s) is the velocity of sliding at the surface: along the axis, around it, or both; N >= 0 (N) the effective normal
force that follows from the reaction and the sizes of the joint (docs/theory/joint_friction.md, paper E eq. 1 to 3); F
(N) acts on the coordinates that v is the rate of; z are inner states, at most two lengths (m) and a number.

A law of this family has a kernel ``rub(p, v0, v1, normal, t, z0, z1, z2)`` that returns five numbers,

    F0, F1, dz0/dt, dz1/dt, dz2/dt

where ``p`` are the numbers of ``numbers()``. v1 = 0 and z1 = 0 where there is one direction only. The kernel is generic
in the scalar and compares real parts, so that a complex step through it gives exact derivatives (tests/gradients). It
is finite at v = 0 and at N = 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from .base import Law, quantity


@dataclass(frozen=True, kw_only=True)
class OnJoint(Law):
    """What friction laws share that may stand on an ideal joint: how a reaction presses on the surfaces.

    length: distance a (m) between the two places, one behind the other on the axis, where the parts press on each
        other (eq. 2a to 2d). A torque across the axis is a couple of forces on this arm.
    width: distance b (m) that carries the torque about the axis of a translational joint: each of two forces is the
        torque over 2 b (eq. 2f).
    radius: effective radius r_e (m) at which round parts rub: the surface moves with r_e times the rate of turning,
        and a force F there is the torque r_e F.
    smoothing: the absolute value |x| of a force is taken as sqrt(x^2 + smoothing^2), in N (sect. 3.1). It rounds the
        corner where a force changes sign; a joint without any load rubs as if a few times this force pressed on it.
        None: a ten-millionth of the load of the joint at the start (compile/smoothing.py).

    They are facts of the joint, read when a model is compiled: the kernel of the law is given their result N. All are
    given by name. A contact and a free coordinate have a normal force of their own and no use for them.
    """

    role: ClassVar[str] = "friction"
    effort: ClassVar[str] = "friction"

    length: float | str | None = quantity("m", None, above=0.0)
    width: float | str | None = quantity("m", None, above=0.0)
    radius: float | str | None = quantity("m", None, above=0.0)
    smoothing: float | str | None = quantity("N", None, above=0.0)

    def sizes_given(self) -> tuple[str, ...]:
        """The names of those sizes of the joint that were given."""
        return tuple(name for name in ("length", "width", "radius") if getattr(self, name) is not None)

    def rubbing(self) -> OnJoint:
        """The law with a kernel ``rub`` that acts in smooth methods; ValueError (a sentence) if there is none."""
        return self


def check_order(law: Any, high: str, low: str) -> None:
    """Refuse a field ``high`` that is less than ``low``, by a sentence; strings are checked once they are numbers."""
    most, least = getattr(law, high), getattr(law, low)
    if isinstance(most, (int, float)) and isinstance(least, (int, float)) and most < least:
        raise ValueError(f"'{high}' must not be less than '{low}', but {most:g} is less than {least:g}")
