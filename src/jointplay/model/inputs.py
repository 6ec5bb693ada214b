"""Inputs: named numbers that expressions use beside t, and that whoever drives a run may change while it goes on.

    inputs:
      motor: {unit: N*m, value: 0.2}
      brake: N                        # its unit alone; its value is 0 until someone sets it

An input keeps its value until it is set anew: a zero-order hold. A run without a driver keeps the ``value`` throughout.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..quantities.dimension import Dimension
from ..quantities.expression import Value
from ..quantities.units import dimension_of, si
from .entry import Path, kind_of
from .names import suggest
from .parameters import name_problem

KEYS = ("unit", "value")
OWN = ("x", "v")  # of a law on a coordinate


@dataclass(frozen=True)
class Input:
    """A number that a run may change: its unit as given, and its value at the start in SI."""

    name: str
    unit: str
    dimension: Dimension | None
    value: float = 0.0


def read_inputs(raw: Mapping[str, Any], values: Mapping[str, Value]) -> tuple[dict[str, Input], list[tuple[Path, str]]]:
    """All inputs that are right, and path and message for each that is not; ``values`` are the parameters."""
    found: dict[str, Input] = {}
    problems: list[tuple[Path, str]] = []
    for name, given in raw.items():
        message = name_problem(name, "an input")
        if not message and name in OWN:
            message = f"'{name}' stands for the coordinate or rate of a law and cannot name an input"
        if not message and name in values:
            message = "there is a parameter of that name already"
        if message:
            problems.append(((str(name),), message))
            continue
        facts = {} if given is None else {"unit": given} if isinstance(given, str) else given
        if not isinstance(facts, Mapping):
            problems.append(((name,), f"needs a unit, or {{unit: N*m, value: 0}}, not {kind_of(given)}"))
            continue
        for key in facts:
            if key not in KEYS:
                problems.append(((name, str(key)), f"unknown key '{key}'{suggest(str(key), KEYS)}"))
        unit = facts.get("unit", "")
        if not isinstance(unit, str):
            problems.append(((name, "unit"), f"needs a unit such as N*m, not {kind_of(unit)}"))
            continue
        key = "unit"
        try:
            dimension = dimension_of(unit)
            key = "value"
            found[name] = Input(name, unit, dimension, si(facts.get("value", 0.0), unit, values))
        except (ValueError, TypeError, OverflowError, ZeroDivisionError) as error:
            problems.append(((name, key), str(error)))
    return found, problems
