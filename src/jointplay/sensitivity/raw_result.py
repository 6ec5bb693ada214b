"""What a method of differentiation hands to the result."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..results.solution import Solution

Derivatives = dict[str, dict[str, Any]]  # target -> parameter -> array over time, or a number


@dataclass
class Found:
    """Values and derivatives, and what is to be known about them."""

    time: np.ndarray
    values: dict[str, Any]
    derivatives: Derivatives
    invalid: list[tuple[float, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    stats: dict[str, Any] = field(default_factory=dict)
    solution: Solution | None = None  # the nominal run, where the method made one
    sizes: dict[str, float] = field(default_factory=dict)  # of targets: largest value of all components over the run
    steps: dict[str, dict[str, float]] = field(default_factory=dict)  # of differences, SI
    errors: dict[str, dict[str, float]] = field(default_factory=dict)  # estimated, relative to the largest derivative
