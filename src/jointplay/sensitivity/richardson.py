"""Differences at falling steps, extrapolated to step zero; the best entry chosen by its own error (Ridders 1982).

    T[j][0] = difference with step h_j,
    T[j][k] = T[j][k-1] + (T[j][k-1] - T[j-1][k-1]) / ((h_{j-k}/h_j)^p - 1),

p = 2 for central differences, whose error is a series in h^2, and 1 for one-sided ones. An entry errs by about as much
as it differs from its two parents: while steps are long by the series, when they are short by rounding. So the entry
that differs least has the best step.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np


@dataclass(eq=False)
class Tableau:
    """Extrapolation of differences that are arrays; instants that a step cannot resolve are marked by NaN."""

    power: int
    steps: list[float] = field(default_factory=list)
    row: list[np.ndarray] = field(default_factory=list)

    def add(self, step: float, difference: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """The entries of the next row, each with its difference from its parents."""
        above, self.row = self.row, [difference]
        self.steps.append(step)
        for k, parent in enumerate(above, start=1):
            ratio = (self.steps[-1 - k] / step) ** self.power
            left = self.row[-1]
            entry = left + (left - parent) / (ratio - 1.0)
            self.row.append(entry)
            yield entry, np.maximum(np.abs(entry - left), np.abs(entry - parent))


class Best:
    """The best entry so far of one quantity, for each instant.

    Errors of a run add up, so an entry is as good at t as the worst that it has shown until then.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        """Begin with nothing, for histories of ``shape`` (nt, ...)."""
        self.value = np.full(shape, np.nan)
        self.error = np.full(shape[0], np.inf)
        self.step = np.full(shape[0], np.nan)

    def offer(self, entry: np.ndarray, off: np.ndarray, step: float) -> bool:
        """Take an entry where it is better; True if it is clearly so somewhere."""
        off = off.reshape(len(off), -1).max(axis=1)
        known = np.isfinite(off)
        error = np.maximum.accumulate(np.where(known, off, 0.0))
        better = known & (error < self.error)
        gain = bool((error[better] < 0.5 * self.error[better]).any())
        self.value[better], self.error[better], self.step[better] = entry[better], error[better], step
        return gain

    @property
    def known(self) -> np.ndarray:
        """Instants at which there is a value."""
        return np.isfinite(self.error)
