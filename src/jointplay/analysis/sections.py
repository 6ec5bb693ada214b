"""Poincaré sections: the states of a motion at the instants of a clock or of a crossing.

    every T              t = t_0 + k T: the period of a drive
    a quantity s(t)      s = level + k every, crossed upwards (or downwards, or both): an angle at each turn

Instants of crossing, and states at any instant, are read off straight lines between saved states.
"""

from __future__ import annotations

import numpy as np

from ..errors import InputError, Problem

DIRECTIONS = ("up", "down", "both")


def crossings(
    time: np.ndarray, values: np.ndarray, level: float = 0.0, *, every: float | None = None, direction: str = "up"
) -> np.ndarray:
    """Instants at which ``values`` crosses ``level``, or any of ``level + k every``."""
    if direction not in DIRECTIONS:
        raise InputError(Problem("direction", f"must be {', '.join(DIRECTIONS[:-1])} or {DIRECTIONS[-1]}"))
    if every is not None and not every > 0.0:
        raise InputError(Problem("every", f"must be greater than zero, is {every:g}"))
    found: list[float] = []
    place = (values - level) / (every or 1.0)
    cell = np.floor(place) if every else (place >= 0.0).astype(float) - 1.0
    for k in np.flatnonzero(np.diff(cell)):
        a, b = place[k], place[k + 1]
        if (b > a and direction == "down") or (b < a and direction == "up"):
            continue
        marks = np.arange(np.floor(min(a, b)) + 1.0, np.floor(max(a, b)) + 1.0) if every else np.zeros(1)
        found += sorted(float(time[k] + (mark - a) / (b - a) * (time[k + 1] - time[k])) for mark in marks)
    return np.array(found)


def strokes(time: np.ndarray, period: float, start: float | None = None) -> np.ndarray:
    """Instants ``start + k period`` within the saved states."""
    if not period > 0.0:
        raise InputError(Problem("every", f"the period must be greater than zero, is {period:g} s"))
    begin = float(time[0]) if start is None else start
    first = np.ceil((time[0] - begin) / period - 1e-9)
    last = np.floor((time[-1] - begin) / period + 1e-9)
    return np.asarray(np.clip(begin + period * np.arange(first, last + 1.0), time[0], time[-1]))
