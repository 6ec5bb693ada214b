"""Small helpers in space, over many frames at once."""

from __future__ import annotations

import numpy as np


def rotations(p: np.ndarray) -> np.ndarray:
    """A(p) of many Euler parameters (..., 4), scalar first; columns are body axes in global axes."""
    e0, e1, e2, e3 = np.moveaxis(np.asarray(p, dtype=float), -1, 0)
    rows = [
        [2.0 * (e0 * e0 + e1 * e1) - 1.0, 2.0 * (e1 * e2 - e0 * e3), 2.0 * (e1 * e3 + e0 * e2)],
        [2.0 * (e1 * e2 + e0 * e3), 2.0 * (e0 * e0 + e2 * e2) - 1.0, 2.0 * (e2 * e3 - e0 * e1)],
        [2.0 * (e1 * e3 - e0 * e2), 2.0 * (e2 * e3 + e0 * e1), 2.0 * (e0 * e0 + e3 * e3) - 1.0],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def steady(p: np.ndarray) -> np.ndarray:
    """Euler parameters over time with their sign chosen so that neighbours agree: p and -p are the same rotation."""
    if len(p) < 2:
        return p
    flips = np.sum(p[1:] * p[:-1], axis=-1) < 0.0
    signs = np.concatenate([np.ones((1, *flips.shape[1:])), np.where(flips, -1.0, 1.0)])
    return np.asarray(p * np.cumprod(signs, axis=0)[..., np.newaxis])
