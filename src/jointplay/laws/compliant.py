"""Compliant contact: the force of two surfaces that press into each other by the depth x = -gap (paper C sect. 2.4.2).

A law of this family has a kernel ``normal(p, x, rate, onset, t)`` that returns five numbers for a contact in touch,

    N >= 0,  dN/dx,  dN/d rate,  stored energy,  dissipated power (>= 0)

where ``rate`` is dx/dt (positive while the bodies approach), ``onset`` > 0 the speed at which this contact began
(m/s or rad/s; kept in State, never in the law) and ``p`` the numbers of ``numbers()``. N never pulls: where a formula
would, N = 0. At x <= 0 all five are zero. Power balance: N rate = d(stored)/dt + dissipated.

A law with ``anywhere = True`` acts at any gap: its kernel is called at x <= 0 as well, where the gap is -x, and N
may be negative (a film that holds the surfaces together). Such a contact neither begins nor ends, so ``onset`` has no
meaning to it. The power balance holds at every x.

Inner states. A law may have numbers of its own at every contact, such as a worn height; it names in ``own_states`` what
they are called, with units and values at the start. Instead of ``normal`` it then has the kernel

    evolve(p, x, rate, onset, s, t, z, out)

which returns the same five numbers and leaves in ``out`` the rates of its states ``z`` (arrays of the same length).
``s`` >= 0 is the sliding speed (m/s) if the law has ``slides = True``, else 0; rates may depend on all arguments, N on
all but s. It is called in open contacts as well, at x = 0, where states may still change; the force has no effect
there. With ``recess`` a law names the state by which its wall recedes: the contact touches at gap + z = 0, and the x
that the kernel sees is -(gap + z). Power balance: N rate = d(stored)/dt + dissipated, where stored depends on x and z,
and dx/dt = rate - dz/dt of the recess. Partials by states, and of rates, are taken by the imaginary step.

A stiffness that is not given follows from what the surfaces are made of and how they are curved; the joint knows its
radius, play and length (``Sizes``), the law what to make of them (``resolved``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from ..codes import Regime
from .base import Law

FORCE_OF = {"m": "N", "rad": "N m"}


@dataclass(frozen=True)
class Sizes:
    """What a joint knows about a contact in its clearance, in m; None where it does not."""

    gap: float | None = None  # radial play, R_j - R_i
    radius: float | None = None  # of the inner member, R_i
    length: float | None = None  # axial engagement
    strips: int = 1  # equal parts of one bearing, each with its own contact (paper C eq. 42)


class Compliant(Law):
    """Base of compliant contact laws; see the module's text for the contract."""

    regime: ClassVar[Regime] = Regime.FORCE
    role: ClassVar[str] = "contact"
    normal: ClassVar[Callable[..., Any]]
    evolve: ClassVar[Callable[..., Any]]  # in its place, if there are inner states
    recess: ClassVar[str] = ""  # the state by which the wall recedes

    def __init_subclass__(cls, **given: Any) -> None:
        """Count the inner states."""
        super().__init_subclass__(**given)
        cls.inner = len(cls.own_states)

    def starts(self) -> tuple[float, ...]:
        """Inner states at the start, in SI."""
        given = (one.start for one in self.own_states.values())
        return tuple(float(getattr(self, start)) if isinstance(start, str) else float(start) for start in given)

    def resolved(self, sizes: Sizes) -> Compliant:
        """The law of one strip with its stiffness as a number; ValueError (a sentence) if something is missing."""
        raise NotImplementedError

    def summary(self, x: str = "m") -> str:
        """The law in the notes of a run, on a coordinate in ``x`` (m or rad)."""
        return repr(self)
