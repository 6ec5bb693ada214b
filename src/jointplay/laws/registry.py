"""All laws. The number of a law's kernel in a compiled model is its place among the kernels of its family.

There are four families of kernels: forces on a row (``FORCE_LAWS``), compliant contacts, smooth friction in them, and
friction of ideal joints (``RUB_LAWS``). Laws that differ only in their numbers share a kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..numerics.jit import jit, link
from ..numerics.switch import switch
from .base import Law
from .blended import Blended, make_normal
from .brown_mcphee import BrownMcPhee
from .bushing import Bushing
from .clearance import Clearance
from .constant_friction import ConstantFriction
from .coulomb import Coulomb
from .dc_motor import DCMotor
from .drive import Drive
from .flores import Flores
from .force_law import ForceLaw
from .gonthier import Gonthier
from .gonthier_friction import GonthierFriction
from .hertz import Hertz
from .hunt_crossley import HuntCrossley
from .ideal import Ideal
from .kelvin_voigt import KelvinVoigt
from .lankarani_nikravesh import LankaraniNikravesh
from .pereira import Pereira
from .rigid import Rigid
from .servo import Servo
from .smooth import Smooth
from .spring import Spring
from .stop import Stop
from .torque_curve import TorqueCurve

REGISTRY: tuple[type[Law], ...] = (
    Ideal,
    Clearance,
    Bushing,
    Stop,
    Drive,
    Spring,
    ForceLaw,
    Servo,
    DCMotor,
    TorqueCurve,
    Rigid,
    Hertz,
    KelvinVoigt,
    HuntCrossley,
    LankaraniNikravesh,
    Flores,
    Gonthier,
    Pereira,
    Blended,
    Coulomb,
    BrownMcPhee,
    GonthierFriction,
    ConstantFriction,
)


def kernels(family: str, laws: tuple[type[Law], ...]) -> tuple[Callable[..., Any], ...]:
    """Kernels of some laws, each once."""
    return tuple(dict.fromkeys(getattr(law, family) for law in laws))


def grouped(rub: Callable[..., Any]) -> Any:
    """A kernel of joint friction whose velocities and inner states come as tuples: a switch passes five arguments."""

    @link
    def call(p, v, normal, t, z):
        return rub(p, v[0], v[1], normal, t, z[0], z[1], z[2])

    return call


FORCE_LAWS: tuple[type[Law], ...] = tuple(law for law in REGISTRY if law.force is not None)
CONTACT_LAWS: tuple[type[Law], ...] = tuple(law for law in REGISTRY if hasattr(law, "normal"))
FRICTION_LAWS: tuple[type[Law], ...] = tuple(law for law in REGISTRY if issubclass(law, Smooth))
RUB_LAWS: tuple[type[Law], ...] = tuple(law for law in REGISTRY if law.rub is not None)

_forces = kernels("force", FORCE_LAWS)
_simple = kernels("normal", tuple(law for law in CONTACT_LAWS if law is not Blended))
_frictions = kernels("coefficient", FRICTION_LAWS)
_rubs = kernels("rub", RUB_LAWS)

_force = switch(_forces)
_plain_contact = switch(_simple)
# a blended contact consists of two others: its kernel calls theirs by number
_contact = switch((*_simple, make_normal(_plain_contact)))
_friction = switch(_frictions)
_rub = switch(tuple(grouped(kernel) for kernel in _rubs))


def contact_kind(law: Law) -> int:
    """Number of the kernel of a compliant contact law."""
    return len(_simple) if isinstance(law, Blended) else _simple.index(type(law).normal)  # type: ignore[attr-defined]


def kind_and_numbers(law: Law, family: str) -> tuple[int, tuple[float, ...]]:
    """What a compiled model keeps of a law that acts as "force", "contact", "friction" or "rub"."""
    if family == "contact":
        numbers = law.numbers_with(contact_kind) if isinstance(law, Blended) else law.numbers()
        return contact_kind(law), numbers
    if family == "friction":
        return _frictions.index(type(law).coefficient), law.numbers()  # type: ignore[attr-defined]
    if family == "rub":
        return _rubs.index(law.rub), law.numbers()
    return _forces.index(law.force), law.numbers()


@link
def numbers_of(law, constant):
    """The numbers of law record ``law``."""
    return constant[law.first : law.first + law.count]


@jit
def evaluate_law(law, constant, g, rate, t, z):
    """lambda, d lambda/dg, d lambda/d rate, energy, dissipated power of law record ``law`` (see laws/base.py)."""
    return _force(law.kind, numbers_of(law, constant), g, rate, t, z[law.inner :])


@jit
def evaluate_contact(law, constant, x, rate, onset, t):
    """N, dN/dx, dN/d rate, stored energy, dissipated power of law record ``law`` (see laws/compliant.py)."""
    return _contact(law.kind, numbers_of(law, constant), x, rate, onset, t)


@jit
def evaluate_friction(law, constant, s, normal, t):
    """mu(s), d mu/ds and mu(s)/s of law record ``law`` at the sliding speed s (see laws/smooth.py)."""
    p = numbers_of(law, constant)
    return _friction(law.kind, p, s, normal, t, p)


@jit
def evaluate_rub(law, constant, v0, v1, normal, t, z0, z1, z2):
    """F0, F1 and the rates of three inner states of law record ``law`` on an ideal joint (see laws/on_joint.py)."""
    return _rub(law.kind, numbers_of(law, constant), (v0, v1), normal, t, (z0, z1, z2))
