"""Orbits: how the centre of a round member moves in its clearance.

A journal or socket records the place d' of one centre relative to the other, in axes h, t, b of the member that bears
the axis (``JOINT.offset``), and the gap g = c - rho, where rho is the distance of the centres across the axis of a
journal, or in space for a socket. The clearance c = g + rho follows from any saved instant. The orbit is

    x = d' / c,      |x| <= 1,      |x| = 1 in contact.

A journal with a length has an orbit at each end of its shorter member.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import InputError, Problem
from ..results.solution import Solution
from .contacts import contact_names

SAME = 1e-12  # m: by how much lengths of a contact may differ through rounding
TILTED = 0.05  # of the clearance: by how much the room of a strip may shrink because its pin is askew


@dataclass(frozen=True)
class Orbit:
    """Path of a centre in its clearance; lengths are relative to the clearance."""

    contact: str
    clearance: float  # m
    time: np.ndarray  # s
    path: np.ndarray  # (time, 2) along h and t for a journal, (time, 3) along h, t and b for a socket
    impact_times: np.ndarray  # s
    impact_points: np.ndarray  # (impacts, 2 or 3), on the circle or sphere

    @property
    def eccentricity(self) -> np.ndarray:
        """Distance from the centre, 1 in contact."""
        return np.asarray(np.linalg.norm(self.path, axis=1))

    @property
    def angle(self) -> np.ndarray:
        """Direction from h towards t, in rad, without jumps."""
        return np.asarray(np.unwrap(np.arctan2(self.path[:, 1], self.path[:, 0])))


def orbit(solution: Solution, joint: str) -> list[Orbit]:
    """Orbits of a joint with round clearance, one for each of its contacts.

    Points of impact are read between the saved instants before and after, so save often where they matter.
    """
    names = contact_names(solution, joint)
    gaps, offsets = solution[f"{joint}.gap"], solution[f"{joint}.offset"]
    found = []
    for k, name in enumerate(names):
        size = _clearance(gaps[:, k], offsets[:, k])
        if size is None:
            continue  # a wall: a flange of the same joint
        clearance, width = size
        path = offsets[:, k, :width] / clearance
        impacts = solution.impacts[solution.impacts["contact"] == name]
        times = np.array(impacts["time"])
        points = np.column_stack([np.interp(times, solution.time, x) for x in path.T])
        radii = np.linalg.norm(points, axis=1, keepdims=True)
        points = np.divide(points, radii, out=np.zeros_like(points), where=radii > 0.0)
        found.append(Orbit(name, clearance, solution.time, path, times, points))
    if not found:
        raise InputError(Problem("joint", f"the contacts of {joint!r} are flat; only round ones have an orbit"))
    return found


def _clearance(gap: np.ndarray, offset: np.ndarray) -> tuple[float, int] | None:
    """Clearance and number of coordinates of an orbit; None for a contact that is not round.

    Only of the right kind is g + rho the same at all instants. A centre that stays put shows no difference: it is taken
    for that of a journal. A strip of a compliant bearing has a little less room when its pin is askew.
    """
    if np.max(np.abs(gap - offset[:, 0])) <= SAME:
        return None  # a plane: the gap is the distance along its normal
    for width in (2, 3):
        size = gap + np.linalg.norm(offset[:, :width], axis=1)
        clearance = float(np.median(size))
        if clearance > 0.0 and np.ptp(size) <= SAME:
            return clearance, width
    room = gap + np.linalg.norm(offset[:, :2], axis=1)
    clearance = float(np.max(room))
    return (clearance, 2) if clearance > 0.0 and np.ptp(room) <= TILTED * clearance else None
