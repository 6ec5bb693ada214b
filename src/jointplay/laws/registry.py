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
from .own import own_answers, own_coefficient, own_rates, own_rub
from .pereira import Pereira
from .rigid import Rigid
from .servo import Servo
from .smooth import Smooth
from .spring import Spring
from .squeeze_film import SqueezeFilm
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
    SqueezeFilm,
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


# laws that users have written come behind the others (laws/own.py)
OWN_FORCE, OWN_CONTACT, OWN_FRICTION, OWN_RUB = len(_forces), len(_simple) + 1, len(_frictions), len(_rubs)
_OWN = {"force": OWN_FORCE, "contact": OWN_CONTACT, "friction": OWN_FRICTION, "rub": OWN_RUB}


def contact_kind(law: Law) -> int:
    """Number of the kernel of a compliant contact law."""
    return len(_simple) if isinstance(law, Blended) else _simple.index(type(law).normal)  # type: ignore[attr-defined]


def kind_and_numbers(law: Law, family: str) -> tuple[int, tuple[float, ...]]:
    """What a compiled model keeps of a law that acts as "force", "contact", "friction" or "rub"."""
    if law.is_own:
        return _OWN[family], law.numbers()
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
def evaluate_law(law, constant, g, rate, t, z, wanted):
    """lambda, d lambda/dg, d lambda/d rate, energy, dissipated power of law record ``law`` (see laws/base.py).

    Own laws give partial derivatives only where they are ``wanted``.
    """
    if law.kind == OWN_FORCE:
        return own_answers(numbers_of(law, constant), z[law.inner :], g, rate, t, wanted)
    return _force(law.kind, numbers_of(law, constant), g, rate, t, z[law.inner :])


@jit
def evaluate_rates(law, constant, g, rate, t, z, out):
    """Rates of the inner states of a law on a row; only own laws have any."""
    own_rates(numbers_of(law, constant), z[law.inner :], g, rate, t, out[law.inner : law.inner + law.states])


@jit
def evaluate_contact(law, constant, x, rate, onset, t, wanted):
    """N, dN/dx, dN/d rate, stored energy, dissipated power of law record ``law`` (see laws/compliant.py)."""
    p = numbers_of(law, constant)
    if law.kind == OWN_CONTACT:
        return own_answers(p, p[:0], x, rate, onset, wanted)
    return _contact(law.kind, p, x, rate, onset, t)


@jit
def evaluate_friction(law, constant, s, normal, t, wanted):
    """mu(s), d mu/ds and mu(s)/s of law record ``law`` at the sliding speed s (see laws/smooth.py)."""
    p = numbers_of(law, constant)
    if law.kind == OWN_FRICTION:
        return own_coefficient(p, s, normal, t, wanted)
    return _friction(law.kind, p, s, normal, t, p)


@jit
def evaluate_rub(law, constant, v0, v1, normal, t, z0, z1, z2):
    """F0, F1 and the rates of three inner states of law record ``law`` on an ideal joint (see laws/on_joint.py)."""
    if law.kind == OWN_RUB:
        zero = (z0 + z1 + z2) * 0.0
        f0, f1, d0, d1, d2 = own_rub(numbers_of(law, constant), v0, v1, normal, t)
        return f0 + zero, f1 + zero, d0 + zero, d1 + zero, d2 + zero
    return _rub(law.kind, numbers_of(law, constant), (v0, v1), normal, t, (z0, z1, z2))
