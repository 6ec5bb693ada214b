"""What a law is: it ties a coordinate g, its rate and its force lambda, and knows no geometry.

Sign: lambda > 0 pushes the coordinate towards larger g. A law is a frozen dataclass whose fields carry units, written
with ``X`` for the unit of the coordinate (m or rad) and ``F`` for the unit of its force (N or N m): ``quantity("F/X")``
is N/m on a displacement and N m/rad on an angle. Fields may hold numbers in SI or strings with a unit; the model layer
replaces them by numbers once the coordinate is known.

A FORCE law has a kernel ``force(p, g, rate, t, z)`` that returns five numbers:

    lambda, d lambda/d g, d lambda/d rate, potential energy, dissipated power (>= 0)

where ``p`` are the numbers of ``LAW.numbers()`` in order and ``z`` its inner states. All partials are checked by
complex step in tests/gradients for every law of the registry.

A SET law gives in ``unilateral()`` what the contact solver needs: which sides of the coordinate are walls, how an
impact rebounds and what friction may do. A law that is a part of another one (the contact of a clearance) has it in
``role``; compliant contacts, smooth friction and friction of ideal joints have kernels of their own (laws/compliant.py,
laws/smooth.py, laws/on_joint.py).

Steps for a new law: write its file; add it to ``REGISTRY``; for a public name, to ``__init__.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, ClassVar, NamedTuple

from ..codes import Regime


def quantity(
    unit: str,
    default: Any = MISSING,
    *,
    least: float | None = None,
    above: float | None = None,
    by_name: bool = False,
    turn: bool = False,
) -> Any:
    """Declare a numeric field with its unit and, if wanted, its range (``least <= x`` or ``above < x``).

    ``{exponent}`` in a unit stands for the value of that field: the stiffness of K x^n is in F/X^n. ``turn``: on the
    coordinate of a coupling, a length, it may be given as the angle by which a wheel turns meanwhile.
    """
    metadata = {"unit": unit, "least": least, "above": above, "turn": turn}
    named = True if by_name else MISSING  # MISSING: as the class has it
    return field(default=default, metadata=metadata, kw_only=named)


def signal(unit: str, default: Any = MISSING) -> Any:
    """Declare a field that is a function of time: number, expression in t, callable or table."""
    metadata = {"signal": unit}
    return field(metadata=metadata) if default is MISSING else field(default=default, metadata=metadata)


def nested(role: str, default: Any = MISSING) -> Any:
    """Declare a field that is itself a law of the given role ("contact" or "friction")."""
    return field(metadata={"law": role}) if default is MISSING else field(default=default, metadata={"law": role})


def choice(*names: str) -> Any:
    """Declare a field that is one of a few words; the first is the usual one."""
    return field(default=names[0], metadata={"choice": names})


def pairs(x: str, y: str) -> Any:
    """Declare a field that is a curve: a list of points [x, y] in these units, x strictly rising; or None."""
    return field(default=None, metadata={"pairs": (x, y)})


def series(unit: str, *, by_name: bool = False) -> Any:
    """Declare a list of numbers, or None; ``{k}`` in the unit is the place of a number, counted from 1."""
    return field(default=None, metadata={"series": unit}, kw_only=by_name)


def material(*, by_name: bool = False) -> Any:
    """Declare what surfaces are made of: a name of laws/materials.py, {E: ..., nu: ...}, a pair of these; or None."""
    return field(default=None, metadata={"material": True}, kw_only=by_name)


class LawState(NamedTuple):
    """An inner state of a law: its unit, and its value at the start, a number in SI or the name of a field."""

    unit: str
    start: float | str = 0.0


@dataclass(frozen=True)
class Unilateral:
    """What a SET law requires of its row: walls at ``gap = sign (g - limit) >= 0``, impacts and friction.

    Without walls the row itself is a direction of friction under the normal force ``load``.
    """

    walls: tuple[tuple[float, float], ...] = ()  # (sign, limit)
    restitution: float = 0.0  # normal, Newton
    tangential: float = 0.0  # restitution along the wall
    bounded: bool = True  # restitution is lessened where an impact would make energy
    impact: int = 0  # law of impact, see laws/impacts.py
    mu: float = 0.0
    load: float = 0.0  # N
    static: float = 0.0  # coefficient at rest; 0: the same as mu


@dataclass(frozen=True)
class Walls:
    """What compliant walls require of their row: where they stand (see Unilateral), how they give way, how they rub."""

    walls: tuple[tuple[float, float], ...]  # (sign, limit)
    contact: Law
    friction: Law | None = None

    @property
    def slides(self) -> bool:
        """True if the sliding velocity matters: to friction, or to the inner states of the contact."""
        return self.friction is not None or self.contact.slides


class Law:
    """Base of all laws; see the module's text for the contract."""

    key: ClassVar[str]  # name in model files
    regime: ClassVar[Regime]
    effort: ClassVar[str] = ""  # recorded as JOINT.<effort>_force or JOINT.<effort>_torque
    closes: ClassVar[bool] = False  # may stand on a closed direction of a joint
    drives: ClassVar[bool] = False  # may stand on a free coordinate
    role: ClassVar[str] = ""  # "contact" or "friction": may stand inside another law
    anywhere: ClassVar[bool] = False  # a contact law that acts at any gap, not in touch alone (laws/compliant.py)
    inner: ClassVar[int] = 0  # inner states
    own_states: ClassVar[Mapping[str, LawState]] = {}  # their names
    slides: ClassVar[bool] = False  # their rates depend on the sliding speed of the contact
    is_own: ClassVar[bool] = False  # written by a user (laws/own_law.py)
    force: ClassVar[Callable[..., Any] | None] = None  # kernel of a FORCE law
    rub: ClassVar[Callable[..., Any] | None] = None  # kernel of friction on an ideal joint
    expressed: ClassVar[bool] = False  # its force is an expression, see laws/expressed.py

    def numbers(self) -> tuple[float, ...]:
        """The law's constants in SI, in the order of its fields."""
        return tuple(float(getattr(self, f.name)) for f in fields(self) if "unit" in f.metadata)  # type: ignore[arg-type]

    def unilateral(self) -> Unilateral:
        """Walls, restitution and friction of a SET law."""
        raise NotImplementedError(f"{type(self).__name__} is not a law of contact")

    def soft(self) -> Walls | None:
        """Compliant walls of a FORCE law, if it has any; without them the law has a kernel ``force``."""
        return None
