"""States: numbers beside the motion that have rates of their own, such as the integral of a controller or a current.

    states:
      current: {unit: A, rate: "(supply - resistance*current - k*motor.angle_rate)/inductance"}
      error: {unit: rad*s, rate: "reference - motor.angle", start: 0.1}

A rate is an expression like that of a force; it may name states, and forces may. A force law may bring states of its
own (laws/force_law.py), and so do actuators; the rest of the model knows these as JOINT.STATE.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain, count
from typing import Any

from ..laws.base import Law
from ..laws.expressed import Actuator, Expressed
from ..quantities.dimension import Dimension
from ..quantities.units import dimension_of
from .elements import Joint, StateVariable
from .entry import Entry, Field, Scene
from .inputs import OWN
from .parameters import name_problem
from .sensed import RATE

STATE: dict[str, Field] = {
    "unit": Field("unit", "", "unit of the state; a plain number if not given"),
    "rate": Field(
        "signal", "", "its rate: a number, an expression of time, motion and states, or a table", required=True
    ),
    "start": Field("quantity", "", "its value at the start; 0 if not given"),
}


def per_second(unit: str) -> str:
    """The unit of the rate of a state."""
    return f"({unit})/s" if unit else "1/s"


def unit_of(raw: Any) -> tuple[str, Dimension | None]:
    """The unit of a state as given, and its dimension; ValueError if it is none."""
    unit = raw.get("unit", "") if isinstance(raw, Mapping) else ""
    if not isinstance(unit, str):
        raise ValueError("needs a unit such as 'rad*s'")
    return unit, dimension_of(unit)


def sense_state(name: Any, raw: Any, scene: Scene) -> None:
    """Let expressions name a state, as it was given."""
    try:
        if isinstance(name, str):
            scene.sensed[name] = unit_of(raw)[1]
    except ValueError:
        pass  # reported when it is read


def read_state(name: str, entry: Entry) -> StateVariable | None:
    """A state, or None after a problem."""
    entry.keys(STATE)
    if message := name_problem(name, "a state"):
        entry.fail((), message)
    if name in OWN or name in entry.scene.values or name in entry.scene.inputs:
        what = "what a law calls its coordinate or rate" if name in OWN else "a parameter or an input"
        entry.fail((), f"'{name}' is {what} already and cannot name a state")
    try:
        unit, _ = unit_of(entry.raw)
    except ValueError as error:
        entry.fail(("unit",), str(error))
        return None
    start = entry.number("start", unit, 0.0)
    rate = entry.signal(entry.raw["rate"], ("rate",), per_second(unit)) if "rate" in entry.raw else None
    return None if entry.failed or rate is None else StateVariable(name, unit, rate, start)


def name_states(free: Mapping[str, tuple[Law, ...]], entry: Entry) -> None:
    """Give states of the laws of a joint names of their own.

    Those of actuators end in _2, _3, ... where another has the name already, as forces of laws do; a state that the
    user has named is noted as a problem then.
    """
    taken = {name: "a coordinate of the joint" for name in free}
    taken |= {f"{name}{RATE}": "the rate of a coordinate of the joint" for name in free}
    for coordinate, law in [(coordinate, law) for coordinate, laws in free.items() for law in laws]:
        if not isinstance(law, Expressed):
            continue
        for name in law.states:
            if name in taken and not isinstance(law, Actuator):
                entry.fail((coordinate,), f"the state '{name}' is called like {taken[name]}; choose another name")
        if isinstance(law, Actuator):
            own = {name: _free_name(name, taken) for name in law.states}
            object.__setattr__(law, "states", {k: replace(one, result=own[k]) for k, one in law.states.items()})
        taken |= {one.result or name: "a state of another law of the joint" for name, one in law.states.items()}


def _free_name(name: str, taken: Mapping[str, Any]) -> str:
    """The name, or the first of name_2, name_3, ... that nothing has."""
    return next(one for one in chain([name], (f"{name}_{k}" for k in count(2))) if one not in taken)


def states_of(joint: Joint) -> Iterator[StateVariable]:
    """States that the laws of a joint bring along, as the rest of the model names them."""
    for laws in joint.free.values():
        for law in laws:
            if isinstance(law, Expressed):
                names = law.names_of_states(joint.name)
                for name, own in law.states.items():
                    yield StateVariable(names[name], own.unit, own.rate, own.start)


def sense_states_of(joint: Joint, scene: Scene) -> None:
    """Let expressions name the states of the laws of a joint."""
    for one in states_of(joint):
        scene.sensed[one.name] = dimension_of(one.unit)
