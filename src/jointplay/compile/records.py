"""Types of records, made once: NumPy takes longer to make one than to fill an array of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np


@cache
def of_type(make: Callable[[Any], np.dtype], scalar: type = float) -> np.dtype:
    """What ``make`` (a function of arrays.py) makes of ``scalar``."""
    return make(scalar)
