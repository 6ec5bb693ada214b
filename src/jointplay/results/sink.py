"""Where saved states go while a run is under way: memory, or a file (results/file.py)."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from ..arrays import State
from ..codes import Outcome
from .layout import Layout
from .solution import Solution


class Sink(Protocol):
    """Takes chunks of channels and makes a Solution of them in the end."""

    layout: Layout
    saved: int

    def write(self, channels: np.ndarray, state: State) -> None:
        """Take the next saved states; ``state`` is where a restart would go on."""

    def end_at(self, time: float) -> None:
        """The next state to be written is the last one, at this time instead of the requested one."""

    def note(self, events: np.ndarray) -> None:
        """Take the next impacts (lines of arrays.EVENT_COLUMNS numbers)."""

    def finish(
        self,
        outcome: Outcome,
        stats: dict[str, Any],
        meta: dict[str, Any],
        state: State,
        extremes: np.ndarray | None = None,
    ) -> Solution:
        """Close and wrap; ``extremes`` are those over every step (peaks.py)."""


def cut(channels: np.ndarray, layout: Layout) -> dict[str, np.ndarray]:
    """Channels (n, all) as variables: (n,), (n, elements) or (n, elements, components)."""
    found = {}
    for variable in layout.variables:
        columns = np.array(variable.columns, dtype=np.intp)
        block = channels[:, columns]
        if variable.width == 1:
            block = block[:, :, 0]
        found[variable.name] = block if variable.dimension else block[:, 0]
    return found


class MemorySink:
    """Keeps everything in one array."""

    def __init__(self, layout: Layout, times: np.ndarray) -> None:
        self.layout = layout
        self.saved = 0
        self._times = times
        self._channels = np.empty((len(times), layout.channels))
        self._events: list[np.ndarray] = []

    def write(self, channels: np.ndarray, state: State) -> None:
        """Append."""
        self._channels[self.saved : self.saved + len(channels)] = channels
        self.saved += len(channels)

    def end_at(self, time: float) -> None:
        """The next state to be written is the last one, at this time instead of the requested one."""
        if self.saved < len(self._times):
            self._times = self._times.copy()
            self._times[self.saved] = time

    def note(self, events: np.ndarray) -> None:
        """Append."""
        self._events.append(events)

    def finish(
        self,
        outcome: Outcome,
        stats: dict[str, Any],
        meta: dict[str, Any],
        state: State,
        extremes: np.ndarray | None = None,
    ) -> Solution:
        """Wrap what was kept."""
        return Solution(
            layout=self.layout,
            time=self._times[: self.saved].copy(),
            data=cut(self._channels[: self.saved], self.layout),
            outcome=outcome,
            stats=stats,
            meta=meta,
            state=state,
            events=np.concatenate(self._events) if self._events else None,
            extremes=extremes,
        )
