"""What the figures of studies share."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ..prefixes import Scale, scale_of

LONG = 34  # letters of a label


def label_of(key: str) -> str:
    """An output as people write it: ``Peak('|B.force|')`` is peak of |B.force|."""
    found = re.fullmatch(r"(\w+)\('([^']*)'(?:, (.*))?\)", key)
    if not found:
        return key
    word = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", found[1]).lower()
    text = f"{word} of {found[2]}" if found[2] else word
    return f"{text} ({found[3]})" if found[3] else text


def scale_for(study: Any, name: str, values: np.ndarray) -> Scale:
    """Unit of the right size for values of a column."""
    finite = values[np.isfinite(values)]
    return scale_of(study.units[name], float(np.max(np.abs(finite), initial=0.0)))


def short(text: str, most: int = LONG) -> str:
    """A text that fits beside an axis."""
    return text if len(text) <= most else text[: most - 1] + "…"


def well(study: Any, key: str) -> np.ndarray:
    """Values of an output that are there."""
    values = np.asarray(study[key])
    return values[np.isfinite(values)]
