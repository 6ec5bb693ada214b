"""Mean forces over a window: what a run with rigid contacts has in place of peaks.

Over a window from a to b the mean force is (P(b) - P(a)) / (b - a), with P the impulse since the start. For contacts of
clearances P is recorded and has the impacts in it; for stops it is the sum of their impacts and the integral of the
force between them. Reactions of other joints are known between impacts alone, at the saved instants: the impulses that
impacts send through them are not in their means. Windows begin and end at saved instants; the largest mean of all of
them is given.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .impulsive import impulsive, stop_walls, walls
from .peaks import joints_of

if TYPE_CHECKING:
    from .solution import Solution

SHARE = 0.01  # of the run, that a window has at least,
FLIGHTS = 20  # so many times the median time between two impacts of a contact,
SAVES = 5  # and so many of the longest interval between saved states


class Mean(NamedTuple):
    """The largest mean of a force over a window."""

    name: str  # of the joint, or of a stop's force
    unit: str
    force: float
    start: float  # s, of the window
    end: float
    impacts: bool  # whether impulses of impacts are in it


def default_window(solution: Solution) -> float:
    """Length of a window in s that holds many impacts and saved states; zero for fewer than two states."""
    time, impacts = solution.time, solution.impacts
    if len(time) < 2:
        return 0.0
    span = float(time[-1] - time[0])
    flights = [np.diff(impacts["time"][impacts["contact"] == name]) for name in walls(solution.layout)]
    flights = [one[one > 0.0] for one in flights if np.any(one > 0.0)]
    typical = float(np.median(np.concatenate(flights))) if flights else 0.0
    length = max(SHARE * span, FLIGHTS * typical, SAVES * float(np.max(np.diff(time))))
    return min(span, float(f"{length:.2g}"))


def largest_mean(time: np.ndarray, impulse: np.ndarray, window: float) -> tuple[float, float, float]:
    """The largest mean over windows of at least this length, of a number or of a vector (time, xyz); start and end."""
    last = np.searchsorted(time, time + window * (1.0 - 1e-9))
    first = np.flatnonzero(last < len(time))
    if window <= 0.0 or not len(first):
        return np.nan, np.nan, np.nan
    last = last[first]
    change = (impulse[last] - impulse[first]).reshape(len(first), -1)
    means = np.linalg.norm(change, axis=1) / (time[last] - time[first])
    k = int(np.argmax(means))
    return float(means[k]), float(time[first[k]]), float(time[last[k]])


def mean_loads(solution: Solution, window: float | None = None) -> list[Mean]:
    """Largest means of all forces that rigid contacts make, the largest first."""
    if not walls(solution.layout) or len(solution.time) < 2:
        return []
    length = default_window(solution) if window is None else window
    return sorted([*_joints(solution, length), *_stops(solution, length)], key=lambda one: -one.force)


def struck(impacts: np.ndarray, contact: str, times: np.ndarray) -> np.ndarray:
    """Sum of the normal impulses of a contact in a list of impacts, up to and with each of ``times``."""
    mine = impacts[impacts["contact"] == contact]
    sums = np.concatenate([[0.0], np.cumsum(mine["impulse"])])
    return np.asarray(sums[np.searchsorted(mine["time"], times, side="right")])


def _joints(solution: Solution, window: float) -> Iterator[Mean]:
    layout, time = solution.layout, solution.time
    for joint in joints_of(layout):
        peak = solution.peaks[f"|{joint}.force|"]
        if not peak.impulsive:
            continue
        contacts = f"{joint}.normal_force"
        whole = contacts in layout.names and impulsive(layout, contacts)
        if whole:
            impulse = solution[f"{joint}.normal_impulse"].sum(axis=1)
        else:
            impulse = _integral(time, solution[f"{joint}.force"])
        yield Mean(joint, "N", *largest_mean(time, impulse, window), impacts=whole)


def _stops(solution: Solution, window: float) -> Iterator[Mean]:
    time, impacts = solution.time, solution.impacts
    for name in solution.layout.names:
        if name.partition(".")[2].startswith("stop_") and impulsive(solution.layout, name):
            own = stop_walls(solution.layout, name)
            impulse = _integral(time, np.abs(solution[name])) + sum(struck(impacts, one, time) for one in own)
            yield Mean(name, solution.units[name], *largest_mean(time, impulse, window), impacts=True)


def _integral(time: np.ndarray, force: np.ndarray) -> np.ndarray:
    """Over time from the first instant on, by the trapezoidal rule."""
    steps = 0.5 * (force[1:] + force[:-1]) * np.diff(time).reshape(-1, *(1,) * (force.ndim - 1))
    return np.concatenate([np.zeros((1, *force.shape[1:])), np.cumsum(steps, axis=0)])
