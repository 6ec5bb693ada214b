"""Do runs with slightly different parameters meet the same impacts in the same order, and which instants lie between?

Between two runs an impact moves in time. At a saved instant that it passes over one run has had the impact and the
other has not: their difference is the jump, and no derivative. Where the order itself changes, none exists from there
on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..results.solution import Solution


class Likeness(NamedTuple):
    """How runs compare with the first of them."""

    differs: float  # s, from which time on impacts are not the same; infinity if they are
    clear: np.ndarray  # saved instants before that over which no impact passes


def compare(time: np.ndarray, runs: Sequence[Solution]) -> Likeness:
    """Compare the impacts of runs; ``time`` are the instants that all of them saved."""
    # steps may run past the end: what happens there does not count
    tables = [run.impacts[run.impacts["time"] <= time[-1]] for run in runs]
    count = min(len(table) for table in tables)
    names = np.array([table["contact"][:count] for table in tables]) if count else np.zeros((len(tables), 0), dtype=str)
    same = count
    if count:
        unlike = np.flatnonzero((names != names[0]).any(axis=0))
        same = int(unlike[0]) if len(unlike) else count
    differs = min((float(table["time"][same]) for table in tables if len(table) > same), default=np.inf)
    clear = time < differs
    if same:
        times = np.array([table["time"][:same] for table in tables])
        for first, last in zip(times.min(axis=0), times.max(axis=0), strict=True):
            if last > first:
                clear &= (time < first) | (time > last)
    return Likeness(differs, clear)
