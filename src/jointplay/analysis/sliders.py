"""How a planar slider lies in its guide: its place across it, and its tilt.

The gaps of its four corners (0 and 1 at the upper wall, 2 and 3 at the lower one, back and front) give both,

    y = (g2 + g3 - g0 - g1) / 4          centre, from the middle of the guide towards the upper wall      [m]
    e = (g0 - g1 + g3 - g2) / 4          how much higher the front end lies than the centre               [m]
    c = (g0 + g1 + g2 + g3) / 4          clearance on each side

and what the walls allow is the rhombus |y| + |e| <= c: on an edge one corner touches, at the corners y = +-c a whole
face, at e = +-c two opposite corners. e is the tilt times half the length of the slider.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import InputError, Problem
from ..results.solution import Solution
from .contacts import closed, contact_names
from .modes import is_planar_slider


@dataclass(frozen=True)
class SliderPath:
    """Place and tilt of a slider in its guide over time."""

    clearance: float  # m
    time: np.ndarray  # s
    offset: np.ndarray  # y, m
    edge: np.ndarray  # e, m
    closed: np.ndarray  # number of closed corners


def slider_path(solution: Solution, joint: str) -> SliderPath:
    """How the slider of a planar prismatic joint with clearance moves in its guide."""
    names = contact_names(solution, joint)
    if not is_planar_slider(joint, names):
        raise InputError(
            Problem("joint", f"{joint!r} is no planar slider: it has {len(names)} contacts, not four corners")
        )
    g = solution[f"{joint}.gap"]
    return SliderPath(
        clearance=float(np.median(g.mean(axis=1))),
        time=solution.time,
        offset=(g[:, 2] + g[:, 3] - g[:, 0] - g[:, 1]) / 4.0,
        edge=(g[:, 0] - g[:, 1] + g[:, 3] - g[:, 2]) / 4.0,
        closed=closed(solution, joint).sum(axis=1),
    )
