"""Switches: inputs that get other values at the instants at which conditions become true.

    inputs:
      motor: {unit: N*m, value: 2}
    switches:
      cut off: {when: A.angle > 30 deg, set: {motor: 0}}
      start again: {when: A.angle < 10 deg, set: {motor: 2 N*m}}

Whatever uses an input changes with it: loads, force laws, targets of servos, rates of states. A switch sets
numbers: what follows time or the motion from then on is an expression of an input, where(mode > 0.5, a, b).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..quantities.grammar import parse
from ..quantities.nodes import names_in
from .conditions import read_condition
from .elements import Switch
from .entry import Entry, Field, Scene, kind_of
from .names import suggest

SWITCH: dict[str, Field] = {
    "when": Field(
        "text", "", "the condition, such as 'A.angle > 30 deg'; it acts where that becomes true", required=True
    ),
    "set": Field("parameters", "", "inputs and the values that they get", required=True),
    "once": Field("flag", "", "true: it acts the first time only"),
}


def read_switch(name: str, entry: Entry) -> Switch | None:
    """A switch, or None after a problem."""
    entry.keys(SWITCH)
    raw, scene = entry.raw, entry.scene
    signal = read_condition(raw["when"], ("when",), entry) if "when" in raw else None
    once = raw.get("once", False)
    if not isinstance(once, bool):
        entry.fail(("once",), f"must be true or false, not {kind_of(once)}")
    given, values = raw.get("set", {}), {}
    if "set" in raw and isinstance(given, Mapping) and not given:
        entry.fail(("set",), "sets nothing: give inputs with their values, such as {motor: 0}")
    elif not isinstance(given, Mapping):
        entry.fail(("set",), f"needs inputs with their values, such as {{motor: 0}}, not {kind_of(given)}")
        given = {}
    for key, value in given.items():
        if key not in scene.inputs:
            entry.fail(("set", str(key)), f"there is no input '{key}'{suggest(str(key), scene.inputs)}")
            continue
        if moves := _moving(value, scene):
            message = f"a switch sets inputs to numbers, and {moves} changes; let the expression where '{key}' is used "
            message += "use an input that the switch sets, such as where(mode > 0.5, a, b)"
            entry.fail(("set", str(key)), message)
            continue
        values[str(key)] = entry.scalar(value, ("set", str(key)), str(scene.inputs[key] or ""))
    if entry.problems or signal is None:
        entry.failed = True
        return None
    return Switch(name, signal, str(raw["when"]).strip(), values, once)


def _moving(value: Any, scene: Scene) -> str:
    """What in a value is no number: a function, or a name of time, of an input or of what is sensed; else empty."""
    if callable(value):
        return "a function"
    if not isinstance(value, str):
        return ""
    moving: dict[str, Any] = {"t": None, **scene.inputs, **scene.sensed}
    try:
        names = names_in(parse(value, {**moving, **scene.values}))
    except ValueError:
        return ""  # reported by whoever reads it as a number
    return next((f"'{name}'" for name in names if name in moving and name not in scene.values), "")
