"""Runs that look for conditions: what ``until``, ``at_most`` and ``record`` of simulate request."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from .arrays import State
from .compile.pack import Compiled
from .compile.work import scratch
from .errors import InputError, Problem
from .methods.events import condition
from .model.conditions import by_name, is_condition
from .model.system import System
from .numerics.jit import readable
from .quantities.units import QuantityError, si

__all__ = ["is_condition", "refuse_true_at_start", "watched"]


def watched(system: System, until: Any, at_most: Any, record: Any) -> tuple[System, Any]:
    """The system with all conditions to look for, and the time at which the run ends at the latest, as given."""
    conditions = by_name(record)
    if conditions is None:
        message = f"needs conditions (a text, a list of texts, or texts by name), not {record!r}"
        raise InputError(Problem("record", message))
    ends = until.strip() if is_condition(until) else None
    if ends is None and at_most is not None:
        if isinstance(until, str) and not _is_time(until):
            message = f'{until!r} is neither a time nor a condition: that compares, as in "slider.position[0] > 0.3"'
            raise InputError(Problem("until", message))
        raise InputError(Problem("at_most", "goes with a condition in 'until', which is a time here"))
    if ends is not None:
        if at_most is None:
            message = f"is missing: give the longest time to wait until {ends!r} is true, such as at_most='5 s'"
            raise InputError(Problem("at_most", message))
        conditions[ends] = ends
    if not conditions and not system.switches:
        return system, until
    return system.watching(conditions, ends), until if ends is None else at_most


def _is_time(text: str) -> bool:
    try:
        si(text, "s")
    except QuantityError:
        return False
    return True


def refuse_true_at_start(
    compiled: Compiled, state: State, inputs: Mapping[str, float], reported: Collection[str] = ()
) -> None:
    """InputError where a condition that would end the run holds already; not if that ended the run that goes on."""
    number = compiled.model.number.copy()
    number[: len(inputs)] = list(inputs.values())
    model = readable(compiled.model._replace(number=number))
    for n, one in enumerate(compiled.system.watches):
        if not one.stops or one.switch or one.text in reported:
            continue
        with scratch(compiled) as work:
            true = condition(model, n, float(state.clock[0]["t"]), state.y, state.memory, work) > 0.0
        if true:
            raise InputError(Problem("until", f"'{one.name}' is true at the start: it cannot become true"))
