"""Paths of one quantity over another, and where the pen is lifted.

Two things break a path: an angle that passes half a turn goes on at the other side, and an impact makes velocities
jump. The first is cut at the edge, the second kept apart to be drawn lightly. Nothing else lifts the pen, however fast
a quantity changes between two saved states.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

TURN = 2.0 * np.pi
JUMP = 0.02  # of its range: what changes less at an impact is drawn through,
STEEP = 3.0  # and so is what changes less than this many times the change before and after it


class Path(NamedTuple):
    """What is drawn, (points, 2) with rows of NaN where the pen is lifted; and the jumps at impacts, likewise."""

    line: np.ndarray
    jumps: np.ndarray


def turned(values: np.ndarray) -> np.ndarray:
    """Angles brought into one turn about zero."""
    return values - TURN * sheet(values)


def sheet(values: np.ndarray) -> np.ndarray:
    """In which turn an angle is."""
    return np.floor((values + np.pi) / TURN)


def path(points: np.ndarray, round_: Sequence[bool], struck: np.ndarray) -> Path:
    """The path through ``points`` (n, 2).

    Args:
        points: values of the two quantities, angles with their turns counted.
        round_: which of the two is an angle to be brought into one turn.
        struck: (n - 1,) true where an impact lies between a point and the next.
    """
    wraps = np.array(round_, dtype=bool)
    sheets = np.where(wraps, sheet(points), 0.0)
    shown = points - TURN * sheets
    over = np.any(np.diff(sheets, axis=0) != 0.0, axis=1)
    jump = struck & ~over & _jumps(shown)
    pieces = []
    start = 0
    for k in map(int, np.flatnonzero(over | jump)):
        pieces.append(shown[start : k + 1])
        pieces.append(_over_the_edge(points[k : k + 2], sheets[k : k + 2]) if over[k] else np.full((1, 2), np.nan))
        start = k + 1
    pieces.append(shown[start:])
    across = [np.vstack([shown[k : k + 2], np.full((1, 2), np.nan)]) for k in np.flatnonzero(jump)]
    return Path(np.vstack(pieces), np.vstack(across) if across else np.empty((0, 2)))


def _jumps(points: np.ndarray) -> np.ndarray:
    """True where a quantity changes far more than before and after."""
    if len(points) < 2:
        return np.zeros(0, dtype=bool)
    change = np.abs(np.diff(points, axis=0))
    around = np.pad(change, ((1, 1), (0, 0)))
    usual = np.maximum(around[:-2], around[2:])
    return np.any((change > JUMP * np.ptp(points, axis=0)) & (change > STEEP * usual), axis=1)


def _over_the_edge(ends: np.ndarray, sheets: np.ndarray) -> np.ndarray:
    """To the edge of one turn, a lift, and on from the edge of the other."""
    change = ends[1] - ends[0]
    crossed = sheets[0] != sheets[1]
    with np.errstate(divide="ignore", invalid="ignore"):
        side = np.sign(change) * np.pi
        leaves = np.where(crossed, (TURN * sheets[0] + side - ends[0]) / change, 1.0).min()
        enters = np.where(crossed, (TURN * sheets[1] - side - ends[0]) / change, 0.0).max()
    out = ends[0] + leaves * change - TURN * sheets[0]
    back = ends[0] + enters * change - TURN * sheets[1]
    return np.vstack([out, np.full(2, np.nan), back])
