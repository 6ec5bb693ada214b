"""Do the times of a run suit each other: its end, the steps of its method, the interval of its saves."""

from __future__ import annotations

from typing import Any

import numpy as np

from .errors import InputError, Problem
from .methods.base import Method
from .quantities.units import si

STEPS = ("step", "h_min")  # options that a method may not go below
BARE = "a number without a unit is in seconds"


def refuse_long_steps(method: Method, end: float) -> None:
    """InputError where the shortest step of a method passes the whole run, of which it then sees nothing."""
    for option in STEPS:
        step = getattr(method, option, 0.0)
        if step > end:
            message = f"a step of {step:g} s is longer than the whole run of {end:g} s; {BARE}"
            raise InputError(Problem(f"method.{method.key}.{option}", message))


def rare_saves(save: Any, begin: float, end: float) -> list[str]:
    """A sentence where an interval of saves is longer than the run."""
    if save is None or np.ndim(save) > 0:
        return []
    interval = si(save, "s")
    if interval <= end - begin:
        return []
    return [f"the interval of saves, {interval:g} s, is longer than the run of {end - begin:g} s; {BARE}"]
