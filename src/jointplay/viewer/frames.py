"""Which saved states the page keeps: all of them, or an even choice of at most so many, with those around impacts."""

from __future__ import annotations

import numpy as np

MOST = 5000


def choose_frames(time: np.ndarray, impacts: np.ndarray, most: int = MOST) -> np.ndarray:
    """Indices of the states to keep, the first and the last among them.

    The states before and after an impact are kept, so that the picture does not glide through it; of many impacts as
    many as half of the room allows, spread over the run.
    """
    count = len(time)
    if count <= most:
        return np.arange(count)
    after = np.searchsorted(time, np.unique(impacts), side="right")
    around = np.unique(np.clip(np.concatenate([after - 1, after]), 0, count - 1)) if len(impacts) else np.zeros(0, int)
    if len(around) > most // 2:
        around = around[np.rint(np.linspace(0, len(around) - 1, most // 2)).astype(int)]
    even = np.rint(np.linspace(0, count - 1, most - len(around))).astype(int)
    return np.union1d(even, around)


def envelope(values: np.ndarray, kept: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Least and largest value of each column from a kept state up to the next one: no peak gets lost."""
    low, high = np.minimum.reduceat(values, kept), np.maximum.reduceat(values, kept)
    return low, high
