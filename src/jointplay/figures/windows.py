"""Parts of runs: the saved states between two instants, which runs are meant, and what to call them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import InputError, Problem
from ..quantities.units import QuantityError, si
from ..results.solution import Solution
from .style import literal


def runs_of(given: Solution | Sequence[Solution]) -> list[Solution]:
    """One or several solutions as a list; an InputError if there is nothing to draw."""
    runs = [given] if isinstance(given, Solution) else list(given)
    wrong = [one for one in runs if not isinstance(one, Solution)]
    if wrong or not runs:
        raise InputError(
            Problem("solution", f"needs a Solution or a list of them, not {wrong[0] if wrong else runs!r}")
        )
    if not any(len(run.time) for run in runs):
        raise InputError(Problem("", "there is nothing to draw: no state was saved"))
    return runs


def seconds(field: str, given: Any) -> float | None:
    """An instant in s; None if not given."""
    if given is None:
        return None
    try:
        return si(given, "s")
    except QuantityError as error:
        raise InputError(Problem(field, str(error))) from None


def within(solution: Solution, start: Any = None, end: Any = None) -> np.ndarray:
    """Which saved states lie between ``start`` and ``end`` (s, or texts with a unit; open where not given)."""
    first, last = seconds("start", start), seconds("end", end)
    time = solution.time
    inside = np.ones(len(time), dtype=bool)
    slack = 1e-12 * (1.0 + (float(np.max(np.abs(time))) if len(time) else 0.0))
    if first is not None:
        inside &= time >= first - slack
    if last is not None:
        inside &= time <= last + slack
    if not inside.any() and len(time):
        shown = f"from {time[0]:g} to {time[-1]:g} s"
        raise InputError(Problem("window", f"no state was saved in it; this run has states {shown}"))
    return inside


def run_labels(runs: Sequence[Solution], given: Sequence[str] = ()) -> list[str]:
    """What to call each run: as given, or by the first of file, name and method that distinguishes all of them."""
    if given:
        if len(given) != len(runs):
            raise InputError(Problem("labels", f"there are {len(runs)} runs and {len(given)} labels"))
        return [str(one) for one in given]
    files = [run.path.stem if run.path is not None else "" for run in runs]
    names = [str(run.meta.get("name") or "") for run in runs]
    methods = [str(run.meta.get("method") or "") for run in runs]
    for one in (files, names, methods):
        if all(one) and len(set(one)) == len(runs):
            return [literal(text) for text in one]
    return [f"run {k + 1}" for k in range(len(runs))]


def title_of(solution: Solution) -> str:
    """The name of the model, or of the file."""
    name = str(solution.meta.get("name") or "")
    return literal(name or (solution.path.stem if solution.path is not None else ""))
