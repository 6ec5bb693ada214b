"""``@law``: a law that a user writes as a plain Python function.

    @jp.law("contact", stiffness="F/X^1.5", restitution="", energy=True)
    def hunt_crossley(x, v, onset, stiffness, restitution):
        elastic = stiffness * x**1.5
        factor = max(1 + 1.5 * (1 - restitution) * v / onset, 0)
        return elastic * factor, 0.4 * elastic * x, elastic * (factor - 1) * v

    s.revolute("A", ..., radial=jp.Clearance("0.1 mm", contact=hunt_crossley("5e9 N/m^1.5", 0.8)))

Its place decides on the names of its parameters:

    "coordinate"   x, v, t         coordinate and rate; returns the force on it, positive towards larger x
    "contact"      x, v, onset     depth and its rate, and the speed at which the contact began; returns N >= 0;
                   x, v, s         with states: the sliding speed in place of the speed of onset
    "friction"     s, normal, t    sliding speed and normal force; returns mu(s), odd in s, zero at rest

All other parameters are numbers, named in the decorator with their units (X: unit of the coordinate, F: of its force),
or states of a law on a coordinate or of a contact, or what a law on a coordinate senses of the rest of the mechanism:

    @jp.law(kp="F/rad", kd="F*s/rad", senses={"angle": "rad", "rate": "rad/s"})
    def balance(kp, kd, angle, rate):
        return kp * angle + kd * rate

    s.prismatic("rail", ..., displacement=balance(60, 12, angle="P.angle", rate="P.angle_rate"))

Each of these is an expression where the law is used: a coordinate, an input, a state, any function of them.

States of a contact belong to each place that can touch; ``recess`` names the one by which its wall recedes, so that x
is the depth beyond it (laws/compliant.py). Such a law is called in open contacts as well, at x = 0, for the rates
alone:

    @jp.law("contact", k="F/X", wear="X/(F*X)", states={"h": "X"}, recess="h")
    def wearing(x, v, s, k, wear):
        return k * x, wear * k * x * s

With ``energy=True`` it returns (force, stored energy, dissipated power), which is checked; else what it takes counts as
dissipated, and all power of a law that senses as input. Rates of states follow. Partial derivatives come by the
imaginary step: the function must be smooth in the sense of complex numbers (compare real parts; no abs, min, max of its
arguments), and this is checked too, when the law is first used.

From kernels the function is called by address (laws/own.py): nothing of the package is compiled again.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import MISSING, field, make_dataclass
from types import FunctionType
from typing import Any, ClassVar

import numpy as np

from ..codes import Regime
from ..native.kernel import KernelError
from ..numerics.by_address import call_at
from .base import Law, LawState, quantity
from .compliant import Compliant, Sizes
from .expressed import Actuator, Called, OwnState
from .on_joint import OnJoint
from .own_check import check, check_control
from .own_code import Shape, library_of
from .own_trial import trial
from .smooth import Smooth


class Own(Law):
    """What own laws have in common."""

    is_own: ClassVar[bool] = True
    function: ClassVar[Callable[..., Any]]
    shape: ClassVar[Shape]
    named: ClassVar[tuple[str, ...]]  # numbers, in order

    def numbers(self) -> tuple[float, ...]:
        """Addresses of its machine code, then its constants in SI; ValueError (a sentence) if there is no code."""
        return (*code_of(type(self), self.values()), *self.values())

    def values(self) -> tuple[float, ...]:
        """Its constants in SI."""
        return tuple(float(getattr(self, name)) for name in self.named)

    @classmethod
    def doubt(cls, addresses: list[float], values: tuple[float, ...]) -> str:
        """What its machine code shows to be wrong, in a sentence; empty if nothing is."""
        return check(cls.shape, addresses, values)


_libraries: dict[type[Own], tuple[list[float], Any]] = {}  # which must stay loaded


_checked: set[tuple[type[Own], tuple[float, ...]]] = set()


def _library(law: type[Own], values: tuple[float, ...]) -> tuple[list[float], Any]:
    """Machine code of a law, which is checked at its numbers when it is first used with them."""
    if (law, values) in _checked:
        return _libraries[law]
    found = trial(law.function, law.shape, values, tuple(law.own_states))
    message = found.form
    if not message:
        try:
            if law not in _libraries:
                _libraries[law] = library_of(law.function, law.shape)
            message = law.doubt(_libraries[law][0], values)
            if message and found.raised:
                message += f"; called in Python {found.raised}"
        except KernelError as error:
            message = f"{found.raised} wherever it was tried" if found.raised else str(error)
    if message:
        raise ValueError(f"the law '{law.key}': {message}")
    _checked.add((law, values))
    return _libraries[law]


def code_of(law: type[Own], values: tuple[float, ...]) -> list[float]:
    """Addresses of the machine code of a law."""
    return _library(law, values)[0]


class OwnForce(Own):
    """On a coordinate, or on a closed direction of a joint."""

    regime: ClassVar[Regime] = Regime.FORCE
    effort: ClassVar[str] = "law"
    drives: ClassVar[bool] = True
    closes: ClassVar[bool] = True


class OwnControl(Own, Actuator):
    """On a coordinate, with a force that depends on others as well: a call in an expression (laws/expressed.py)."""

    effort: ClassVar[str] = "law"
    parameters: ClassVar[tuple[str, ...]]  # of the function, in order

    def numbers(self) -> tuple[float, ...]:
        """None: they stand in its expressions. ValueError (a sentence) if there is no code, or something is wrong."""
        _library(type(self), self.values())
        return ()

    @classmethod
    def doubt(cls, addresses: list[float], values: tuple[float, ...]) -> str:
        """As ``check_control`` finds it."""
        places = [values[place] if kind == "number" else None for kind, place in cls.shape.call]
        return check_control(cls.shape, addresses, places, cls.parameters)

    def expressions(self) -> tuple[Any, dict[str, OwnState]]:
        """Calls of the function: the first value is the force, the others are rates of states."""
        addresses, library = _library(type(self), self.values())
        calls = [
            Called(
                f"{self.key} {library.path.stem} {k}",
                address,
                _value(self.function, k, self.shape.returns),
                self.parameters,
            )
            for k, address in enumerate(addresses)
        ]
        rates = zip(self.own_states.items(), calls[1:], strict=True)
        return calls[0], {name: OwnState(one.unit, rate, float(one.start)) for (name, one), rate in rates}


def _value(function: Callable[..., Any], k: int, returns: int) -> Callable[..., Any]:
    """Value k that a function returns."""
    return (lambda *arguments: function(*arguments)[k]) if returns > 1 else function


class OwnContact(Own, Compliant):
    """A compliant contact."""

    def resolved(self, sizes: Sizes) -> OwnContact:
        """As it is: it has all its numbers."""
        return self

    def damping_factor(self) -> float:
        """Not zero if the force depends on the speed of onset."""
        return float(not self.inner and ("argument", 2) in self.shape.call)


class OwnFriction(Own, OnJoint, Smooth):
    """Friction in a compliant contact, or of an ideal joint."""

    @property
    def creep(self) -> float:
        """Speed at which friction would be as large as at 1 m/s if it went on as at rest."""
        addresses, own, none = code_of(type(self), self.values()), np.array(self.values()), np.zeros(0)
        swift = call_at(addresses[0], own, none, 1.0, 1.0, 0.0)[0]
        at_rest = call_at(addresses[0], own, none, 0.0, 1.0, 0.0)[2]
        return swift / at_rest if at_rest > 0.0 else 0.0


MADE: dict[str, type[Own]] = {}  # all laws of this process, by key
FAMILIES: dict[str, tuple[type[Own], tuple[str, ...]]] = {
    "coordinate": (OwnForce, ("x", "v", "t")),
    "contact": (OwnContact, ("x", "v", "onset")),
    "friction": (OwnFriction, ("s", "normal", "t")),
}
WITH_STATES = ("x", "v", "s")  # of a contact


def law(
    on: str = "coordinate",
    *,
    states: Mapping[str, Any] | None = None,
    senses: Mapping[str, str] | None = None,
    energy: bool = False,
    anywhere: bool = False,
    recess: str = "",
    **units: str,
) -> Callable[[Callable[..., Any]], type[Own]]:
    """Make a law of a Python function; see the module's text.

    Args:
        on: "coordinate", "contact" or "friction".
        states: states of a law on a coordinate or of a contact by name: unit, or (unit, value at the start).
        senses: what a law on a coordinate needs to know of the rest of the mechanism by name, each with its unit.
        energy: True if the function returns (force, stored energy in J, dissipated power in W), not the force alone.
        anywhere: True if a contact law acts at any gap; x is negative where the gap is open, and onset means nothing.
        recess: of a contact law, the state by which its wall recedes; x is the depth beyond it.
        **units: numbers of the law by name, each with its unit; X is that of the coordinate, F of its force.

    Raises ValueError with a sentence if the function and this do not fit together.
    """
    if callable(on):  # @law without brackets
        return law()(on)  # type: ignore[return-value]
    if on not in FAMILIES:
        raise ValueError(f"a law stands on one of {', '.join(FAMILIES)}, not on {on!r}")

    for word, given in (("senses", senses), ("states", states)):
        if not (given is None or isinstance(given, Mapping)):
            raise ValueError(f"{word} needs a mapping from names to units, not {given!r}")

    def made(function: Callable[..., Any]) -> type[Own]:
        if not isinstance(function, FunctionType):
            raise ValueError(f"a law is made of a Python function, not of {function!r}")
        own = {k: _state(v) for k, v in (states or {}).items()}
        return _law(function, on, own, dict(senses or {}), (energy, anywhere, recess), units)

    return made


def _state(given: Any) -> LawState:
    return LawState(given) if isinstance(given, str) else LawState(*given)


def _law(
    function: Callable[..., Any],
    on: str,
    states: Mapping[str, LawState],
    senses: Mapping[str, str],
    flags: tuple[bool, bool, str],
    units: Mapping[str, str],
) -> type[Own]:
    base, arguments = FAMILIES[on]
    energy, anywhere, recess = flags
    on_contact = base is OwnContact
    arguments = WITH_STATES if states and on_contact else arguments
    key = f"{function.__module__}:{function.__qualname__}"
    if states and base is OwnFriction:
        raise ValueError(f"the law '{key}': only a law on a coordinate or of a contact may have states")
    if recess and not (on_contact and recess in states):
        raise ValueError(f"the law '{key}': 'recess' names a state of a contact law, and {recess!r} is none")
    if states and on_contact and "onset" in inspect.signature(function).parameters:
        raise ValueError(f"the law '{key}' has states: it takes x, v, s, the sliding speed in place of 'onset'")
    if anywhere and base is not OwnContact:
        raise ValueError(f"the law '{key}': only a contact law may act at any gap ('anywhere')")
    if anywhere and "onset" in inspect.signature(function).parameters:
        raise ValueError(f"the law '{key}' acts at any gap: it does not begin, so it cannot take 'onset'")
    if energy and base is OwnFriction:
        raise ValueError(f"the law '{key}': friction returns its coefficient alone")
    if senses and base is not OwnForce:
        raise ValueError(f"the law '{key}': only a law on a coordinate may sense others")
    if senses and energy:
        raise ValueError(f"the law '{key}': all power of a law that senses counts as input; it returns the force alone")
    if senses:
        base = OwnControl
    known = {name: ("argument", k) for k, name in enumerate(arguments)}
    known |= {name: ("number", k) for k, name in enumerate(units)}
    known |= {name: ("state", k) for k, name in enumerate(states)}
    known |= {name: ("sense", k) for k, name in enumerate(senses)}
    parameters = inspect.signature(function).parameters
    strange = [name for name in parameters if name not in known]
    taken = [name for name in (*units, *states, *senses) if hasattr(base, name)]
    named = [*units, *states, *senses]
    unused = [name for name in named if name not in parameters and name != recess]
    twice = [name for name in dict.fromkeys(named) if name in arguments or named.count(name) > 1]
    if strange or unused or twice or taken:
        reasons = [f"'{name}' has no unit: give {name}=\"...\" in the decorator" for name in strange]
        reasons += [f"the function has no parameter '{name}'" for name in unused]
        reasons += [f"'{name}' stands for something else already" for name in dict.fromkeys((*twice, *taken))]
        raise ValueError(f"the law '{key}' takes {', '.join(arguments)}, its numbers and states; {'; '.join(reasons)}")
    if any(one.kind not in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD) for one in parameters.values()):
        raise ValueError(f"the law '{key}' must name each of its parameters; no *args, no keywords only")
    fields = []
    for name, unit in units.items():
        default = parameters[name].default
        fields.append((name, Any, quantity(unit, MISSING if default is inspect.Parameter.empty else default)))
    for name, unit in senses.items():
        fields.append((name, Any, field(kw_only=True, metadata={"signal": unit, "senses": True, "plain": True})))
    space = {
        "key": key,
        "anywhere": anywhere,
        "inner": 0 if senses else len(states),
        "slides": bool(states) and on_contact and "s" in parameters,
        "recess": recess,
        "function": staticmethod(function),
        "shape": Shape(
            "control" if senses else on, tuple(known[name] for name in parameters), len(states), energy, anywhere
        ),
        "named": tuple(units),
        "parameters": tuple(parameters),
        "own_states": dict(states),
        "__doc__": function.__doc__,
        "__module__": function.__module__,
        "__qualname__": function.__qualname__,
    }
    MADE[key] = make_dataclass(function.__name__, fields, bases=(base,), namespace=space, frozen=True)
    return MADE[key]
