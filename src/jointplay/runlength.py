"""Do the times of a run suit each other: its end, the steps of its method, the interval of its saves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from .errors import InputError, Problem
from .methods.base import Method
from .quantities.units import si, value_of

STEPS = ("step", "h_min")  # options that a method may not go below
BARE = "a number without a unit is in seconds"
SHORTER = {"us": 1e-6, "ms": 1e-3}  # units that may have been meant, in s


def refuse_long_steps(method: Method, end: float, given: Any = None) -> None:
    """InputError where the shortest step of a method passes the whole run, of which it then sees nothing.

    ``given`` is the method as the user wrote it, whose options may be texts.
    """
    for option, message in long_steps(method, end, given):
        raise InputError(Problem(f"method.{method.key}.{option}", message))


def long_steps(method: Method, end: float, given: Any = None) -> Iterator[tuple[str, str]]:
    """Options of a method that set steps longer than the whole run, each with a sentence."""
    for option in STEPS:
        step = getattr(method, option, 0.0)
        if step > end:
            message = f"a step of {step:g} s is longer than the whole run of {end:g} s"
            yield option, message + _hint(_written(given, option, step), end)


def _written(given: Any, option: str, value: float) -> Any:
    """An option as it was written: in a Method or in a tree such as {moreau: {step: "10"}}; else its value."""
    if isinstance(given, Mapping):
        options = next(iter(given.values()), None)
        return options.get(option, value) if isinstance(options, Mapping) else value
    return getattr(given, option, value)


def _hint(raw: Any, end: float) -> str:
    """The end of a sentence about a time that is too long: what was taken for seconds, and what may be meant."""
    try:
        found = value_of(raw)
    except ValueError:  # made of parameters
        return ""
    if found.dimension is not None:
        return ""
    text = raw.strip() if isinstance(raw, str) else f"{found.si:g}"
    read = f"; '{text}' was read as {found.si:g} s, because {BARE}" if isinstance(raw, str) else f"; {BARE}"
    meant = [f"'{found.si:g} {unit}'" for unit, size in SHORTER.items() if size * found.si < end]
    return f"{read}: did you mean {' or '.join(meant)}?" if meant else read


def rare_saves(save: Any, begin: float, end: float) -> list[str]:
    """A sentence where an interval of saves is longer than the run."""
    if save is None or np.ndim(save) > 0:
        return []
    interval = si(save, "s")
    if interval * (1.0 - 1e-9) <= end - begin:  # 0.06 - 0.05 is less than 0.01
        return []
    return [
        f"the interval of saves, {interval:g} s, is longer than the run of {end - begin:g} s{_hint(save, end - begin)}"
    ]
