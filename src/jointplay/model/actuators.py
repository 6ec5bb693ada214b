"""Actuators become expressions: what laws/servo.py and its like write down, with their fields put in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields

from ..laws.expressed import Actuator, Called, OwnState
from ..quantities.functions import FUNCTIONS, Function
from ..quantities.nodes import Call, Name, Node
from ..quantities.signal import Signal
from ..quantities.splice import splice
from .state import per_second


def express(law: Actuator, unit: Callable[[str], str]) -> None:
    """Give an actuator with fields in SI its ``value`` and ``states``; ``unit`` replaces X and F in a unit.

    ValueError if its fields do not fit together.
    """
    force, states = law.expressions()
    given = {part.name: getattr(law, part.name) for part in fields(law)}  # type: ignore[arg-type]
    _check_names(law, {name: one for name, one in given.items() if isinstance(one, Signal)}, states)
    parts = {name: one for name, one in given.items() if isinstance(one, float | Signal)}
    names = ("x", "v", *states)
    made = {}
    for name, one in states.items():
        own = unit(one.unit)
        made[name] = OwnState(own, splice(_tree(one.rate), per_second(own), parts, names), one.start)
    object.__setattr__(law, "value", splice(_tree(force), unit("F"), parts, names))
    object.__setattr__(law, "states", made)


def _tree(given: str | Called) -> str | Node:
    """A text as it is; a call as a tree, its function known by name from here on."""
    if isinstance(given, str):
        return given
    FUNCTIONS[given.name] = Function(len(given.arguments), given.address, given.value)
    return Call(given.name, tuple(Name(one) for one in given.arguments))


def _check_names(law: Actuator, given: dict[str, Signal], states: dict[str, OwnState]) -> None:
    """ValueError where the user's function names something that is called like a state of the law itself."""
    for field, one in given.items():
        for name in sorted(one.names & set(states)):
            raise ValueError(f"'{field}' names '{name}', which is a state of the law '{law.key}' itself; rename yours")
