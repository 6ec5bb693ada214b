"""64 bits stirred: numbers that look random, of any index, at once and the same everywhere."""

from __future__ import annotations

from typing import Any

import numpy as np


def stirred(x: Any, key: Any) -> Any:
    """64 bits of x under a key (the finaliser of SplitMix64)."""
    with np.errstate(over="ignore"):
        z = np.asarray(x, np.uint64) + np.uint64(0x9E3779B97F4A7C15) * (np.asarray(key, np.uint64) | np.uint64(1))
        z ^= np.asarray(key, np.uint64) >> np.uint64(7)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))
