"""What a Stepper keeps of the instants that it reached: channels, inputs, impacts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .results.solution import Solution
from .running import number_impacts

FIRST = 256  # lines; room doubles when it is full


class History:
    """Lines of channels in one array that grows."""

    def __init__(self, channels: int) -> None:
        """Room for lines of so many channels."""
        self._times, self._lines = np.empty(FIRST), np.empty((FIRST, channels))
        self.clear()

    def clear(self) -> None:
        """Begin anew."""
        self._count = 0
        self._impacts: list[tuple[int, np.ndarray]] = []
        self.inputs: list[list[float | str]] = []  # time, name, value

    def add(self, time: float, line: np.ndarray, impacts: list[tuple[int, np.ndarray]]) -> None:
        """Append an instant; impacts by the part of the model that they belong to."""
        if self._count == len(self._times):
            self._times = np.concatenate([self._times, np.empty_like(self._times)])
            self._lines = np.concatenate([self._lines, np.empty_like(self._lines)])
        self._times[self._count], self._lines[self._count] = time, line
        self._count += 1
        self._impacts += impacts

    def solution(self, wrap: Callable[[np.ndarray, np.ndarray, np.ndarray | None], Solution]) -> Solution:
        """All of it."""
        impacts = number_impacts(self._impacts, {}) if self._impacts else None
        found = wrap(self._times[: self._count].copy(), self._lines[: self._count].copy(), impacts)
        found.meta["inputs"] = [list(one) for one in self.inputs]
        return found
