"""All laws. The number of a law's kernel in a compiled model is its place among the kernels of its family.

There are five families of kernels: forces on a row (``FORCE_LAWS``), compliant contacts, those with inner states
(``EVOLVING_LAWS``), smooth friction in them, and friction of ideal joints (``RUB_LAWS``). Laws that differ only in
their numbers share a kernel. Laws that consist of other contact laws have ``make_normal`` or ``make_evolve``, which is
given the kernel that runs a contact law by number, and ``numbers_with``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..numerics.jit import jit, link
from ..numerics.switch import switch
from .archard import Archard
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
from .own import own_answers, own_coefficient, own_evolve, own_rates, own_rub
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
    Archard,
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


def gathered(evolve: Callable[..., Any]) -> Any:
    """A kernel of a contact with inner states whose depth, rate, onset and sliding speed come as a tuple."""

    @link
    def call(p, motion, t, z, out):
        return evolve(p, motion[0], motion[1], motion[2], motion[3], t, z, out)

    return call


FORCE_LAWS: tuple[type[Law], ...] = tuple(law for law in REGISTRY if law.force is not None)
CONTACT_LAWS: tuple[type[Law], ...] = tuple(law for law in REGISTRY if hasattr(law, "normal"))
EVOLVING_LAWS: tuple[type[Law], ...] = tuple(law for law in REGISTRY if law.role == "contact" and law.inner > 0)
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


SHALLOW = 1e-30  # m or rad, as good as no depth

# laws that users have written come behind the others (laws/own.py)
OWN_FORCE, OWN_CONTACT, OWN_FRICTION, OWN_RUB = len(_forces), len(_simple) + 1, len(_frictions), len(_rubs)
OWN_EVOLVING = len(EVOLVING_LAWS)
_OWN = {"force": OWN_FORCE, "contact": OWN_CONTACT, "friction": OWN_FRICTION, "rub": OWN_RUB}


@link
def any_contact(kind, p, x, rate, onset, t):
    """A contact law without states by the number of its kernel: what laws that are made of others call."""
    if kind == OWN_CONTACT:
        return own_answers(p, p[:0], x, rate, onset, True)
    return _contact(kind, p, x, rate, onset, t)


def evolve_of(law: Any) -> Any:
    """The kernel of a contact law with inner states."""
    return law.make_evolve(any_contact) if hasattr(law, "make_evolve") else law.evolve


_evolve = switch(tuple(gathered(evolve_of(law)) for law in EVOLVING_LAWS))


def contact_kind(law: Law) -> int:
    """Number of the kernel of a compliant contact law."""
    return len(_simple) if isinstance(law, Blended) else _simple.index(type(law).normal)  # type: ignore[attr-defined]


def kind_and_numbers(law: Law, family: str) -> tuple[int, tuple[float, ...]]:
    """What a compiled model keeps of a law that acts as "force", "contact", "friction" or "rub"."""
    if law.is_own:
        return OWN_EVOLVING if family == "contact" and law.inner else _OWN[family], law.numbers()
    if family == "contact" and law.inner:
        composed = getattr(law, "numbers_with", None)
        numbers = composed(kind_and_numbers) if composed else law.numbers()
        return EVOLVING_LAWS.index(type(law)), numbers
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
def evolve_contact(law, constant, x, rate, onset, s, t, z, out, wanted):
    """The same of a law with inner states ``z`` at the sliding speed s, and the rates of its states in ``out``."""
    p = numbers_of(law, constant)
    if law.kind == OWN_EVOLVING:
        # fractional powers have no complex value at zero, where an open contact stands
        return own_evolve(p, x + SHALLOW if x.real == 0.0 else x, rate, s, z, out, wanted)
    return _evolve(law.kind, p, (x, rate, onset, s), t, z, out)


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
