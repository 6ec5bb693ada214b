"""Normal forces averaged over stated windows, impulses included; finite forces and impulses kept apart.

A rigid contact has no force at the instant of an impact, so the mean of a force curve misses what impacts transmit.
The impulse does not: with P(t) the normal impulse since the start (recorded as ``JOINT.normal_impulse``),

    mean force over [a, b] = (P(b) - P(a)) / (b - a)            [N]

P is a sum of two parts. The impacts make steps, at instants and of sizes that the list of impacts gives. The finite
forces make the rest, which is continuous and taken as a straight line between saved instants. So a window may begin and
end anywhere; its impacts are counted exactly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import InputError, Problem
from ..quantities.units import QuantityError, si
from ..results.means import struck
from ..results.solution import Solution
from .contacts import contact_names


@dataclass(frozen=True)
class ImpulseParts:
    """Normal impulses since the first saved instant, in N s, of shape (time, contacts)."""

    time: np.ndarray
    contacts: tuple[str, ...]
    finite: np.ndarray  # by forces between impacts
    impacts: np.ndarray  # by impacts


@dataclass(frozen=True)
class WindowMeans:
    """Mean normal forces over the windows from ``start`` to ``end`` (s), in N, of shape (windows, contacts)."""

    start: np.ndarray
    end: np.ndarray
    contacts: tuple[str, ...]
    force: np.ndarray  # all
    impacts: np.ndarray  # the part of it that impacts make

    @property
    def time(self) -> np.ndarray:
        """Middle of each window, in s."""
        return np.asarray(0.5 * (self.start + self.end))

    @property
    def finite(self) -> np.ndarray:
        """The part that finite forces make, in N."""
        return self.force - self.impacts


def impulse_parts(solution: Solution, joint: str) -> ImpulseParts:
    """The normal impulses of a joint's contacts, taken apart: finite forces here, impacts there."""
    names, time = contact_names(solution, joint), solution.time
    total = solution[f"{joint}.normal_impulse"]
    listed = solution.impacts
    steps = np.column_stack([struck(listed, name, time) for name in names])
    impacts = steps - steps[0]
    return ImpulseParts(time, names, total - total[0] - impacts, impacts)


def _means(solution: Solution, joint: str, start: np.ndarray, end: np.ndarray) -> WindowMeans:
    parts, listed = impulse_parts(solution, joint), solution.impacts
    length = end - start
    force, impacts = np.empty((2, len(start), len(parts.contacts)))
    for k, name in enumerate(parts.contacts):
        finite = np.interp(end, parts.time, parts.finite[:, k]) - np.interp(start, parts.time, parts.finite[:, k])
        impacts[:, k] = (struck(listed, name, end) - struck(listed, name, start)) / length
        force[:, k] = finite / length + impacts[:, k]
    return WindowMeans(start, end, parts.contacts, force, impacts)


def _seconds(solution: Solution, joint: str, window: float | str) -> float:
    """The length of a window, which the saved instants must be able to fill."""
    contact_names(solution, joint)
    try:
        length = si(window, "s")
    except QuantityError as error:
        raise InputError(Problem("window", str(error))) from None
    span = float(solution.time[-1] - solution.time[0])
    if not 0.0 < length <= span * (1.0 + 1e-12):
        raise InputError(Problem("window", f"must be longer than 0 s and not longer than the run, {span:g} s"))
    widest = float(np.max(np.diff(solution.time)))
    if length < widest * (1.0 - 1e-9):
        message = f"of {length:g} s is shorter than the interval of saved states, {widest:g} s; save more often"
        raise InputError(Problem("window", message))
    return length


def mean_force(solution: Solution, joint: str, window: float | str) -> WindowMeans:
    """Mean normal forces over windows that follow each other from the first saved instant on.

    A rest at the end that does not fill a window is left out.

    Args:
        solution: a run with contacts.
        joint: name of a joint with clearance.
        window: length of a window (s, or a text with a unit).
    """
    length = _seconds(solution, joint, window)
    first, last = float(solution.time[0]), float(solution.time[-1])
    edges = first + length * np.arange(int((last - first) / length * (1.0 + 1e-9)) + 1)
    edges = np.minimum(edges, last)
    return _means(solution, joint, edges[:-1], edges[1:])


def moving_force(solution: Solution, joint: str, window: float | str) -> WindowMeans:
    """Moving average of the normal forces: a window about each saved instant, cut off where the run begins and ends.

    Args:
        solution: a run with contacts.
        joint: name of a joint with clearance.
        window: length of a window (s, or a text with a unit).
    """
    half, time = 0.5 * _seconds(solution, joint, window), solution.time
    return _means(solution, joint, np.maximum(time - half, time[0]), np.minimum(time + half, time[-1]))
