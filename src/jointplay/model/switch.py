"""Switches: inputs that get other values at the instants at which conditions become true.

    inputs:
      motor: {unit: N*m, value: 2}
    switches:
      cut off: {when: A.angle > 30 deg, set: {motor: 0}}
      start again: {when: A.angle < 10 deg, set: {motor: 2 N*m}}

Whatever uses an input changes with it: loads, drives' speeds, force laws, rates of states.
"""

from __future__ import annotations

from collections.abc import Mapping

from .conditions import read_condition
from .elements import Switch
from .entry import Entry, Field, kind_of
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
        values[str(key)] = entry.scalar(value, ("set", str(key)), str(scene.inputs[key] or ""))
    if entry.problems or signal is None:
        entry.failed = True
        return None
    return Switch(name, signal, str(raw["when"]).strip(), values, once)
