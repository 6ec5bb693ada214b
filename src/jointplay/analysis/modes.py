"""Contact modes: which contacts of a joint are closed, from when to when.

The four corners of a planar slider (joints/play.py numbers them; 0 and 1 at the upper wall, 2 and 3 at the lower one)
make the modes of paper B, fig. 8:

    none      one corner      two adjacent corners {0, 1} or {2, 3}      two opposite corners {0, 3} or {1, 2}

Of any other joint a mode is the set of its closed contacts.

A mode begins at the instant of the impact that closed its contact, if one did, else at the saved instant that shows it
first. A contact that closes and opens again between two saved instants is not seen here; its impact is in the list of
impacts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ..results.solution import Solution
from .contacts import closed, contact_names, own_name

NONE = "none"
FACES = ({0, 1}, {2, 3})
DIAGONALS = ({0, 3}, {1, 2})


@dataclass(frozen=True)
class Mode:
    """A stretch of time (s) with the same contacts closed."""

    start: float
    end: float
    label: str
    contacts: tuple[str, ...]

    @property
    def duration(self) -> float:
        """How long it lasted, in s."""
        return self.end - self.start


def contact_modes(solution: Solution, joint: str, tolerance: float | None = None) -> list[Mode]:
    """The modes of a joint in the order of time; one ends where the next begins.

    Args:
        solution: a run with contacts.
        joint: name of a joint with clearance.
        tolerance: gap (m) that counts as none (unless given, that of ``closed``).
    """
    names, held, time = contact_names(solution, joint), closed(solution, joint, tolerance), solution.time
    changes = np.flatnonzero(np.any(held[1:] != held[:-1], axis=1)) + 1
    struck = solution.impacts[solution.impacts["joint"] == joint]
    bounds = [float(time[0])]
    for k in changes:
        new = [name for name, now, before in zip(names, held[k], held[k - 1], strict=True) if now and not before]
        inside = (struck["time"] > time[k - 1]) & (struck["time"] <= time[k]) & np.isin(struck["contact"], new)
        bounds.append(float(struck["time"][inside][-1]) if inside.any() else float(time[k]))
    bounds.append(float(time[-1]))
    corners = is_planar_slider(joint, names)
    modes = []
    for n, k in enumerate((0, *changes)):
        places = [int(place) for place in np.flatnonzero(held[k])]
        touching = tuple(names[place] for place in places)
        label = _corners(places) if corners else ", ".join(map(own_name, touching)) or NONE
        modes.append(Mode(bounds[n], bounds[n + 1], label, touching))
    return modes


def mode_shares(modes: Iterable[Mode]) -> dict[str, float]:
    """Share of the time that each mode holds, the longest first; 1 in all."""
    spent: dict[str, float] = {}
    for mode in modes:
        spent[mode.label] = spent.get(mode.label, 0.0) + mode.duration
    total = sum(spent.values()) or 1.0
    return {label: one / total for label, one in sorted(spent.items(), key=lambda pair: -pair[1])}


def is_planar_slider(joint: str, names: tuple[str, ...]) -> bool:
    """Four contacts in the radial group: journals have one or two there, polygonal guides twelve or more."""
    return names == tuple(f"{joint}.radial[{k}]" for k in range(4))


def _corners(places: list[int]) -> str:
    """What paper B calls the mode with these corners closed."""
    if not places:
        return NONE
    if len(places) == 1:
        return "one corner"
    if set(places) in FACES:
        return "two adjacent corners"
    if set(places) in DIAGONALS:
        return "two opposite corners"
    return f"{('two', 'three', 'four')[len(places) - 2]} corners"  # wedged between the walls
