"""Conduct a study: rows that are missing are run, written as they come, and looked at where it may stop.

Order does not matter for what is in a row. Looks need all rows up to a size, so stretches go out in the order of the
looks. The first rows that come back decide whether there is a study at all: if every one of them failed, it stops with
the sentence of the first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import InputError, Problem
from .store import DONE, Rows
from .workers import FIRST, Workers


@dataclass
class Progress:
    """How far a study is."""

    done: int
    total: int
    failed: int
    seconds: float  # since it began
    fresh: int = 0  # rows that were run now, not read
    estimate: str = ""  # the answer so far, in words


@dataclass
class Conduct:
    """The loop over rows."""

    rows: Rows
    workers: Workers
    first: int = 0  # of the rows that are ours: a shard
    last: int = 0
    looks: list[int] = field(default_factory=list)
    enough: Callable[[int], bool] = lambda _: False  # at a size
    on_progress: Callable[[Progress], None] | None = None
    estimate: Callable[[], str] = lambda: ""
    messages: dict[int, str] = field(default_factory=dict)  # sentences of some rows that failed
    stopped_at: int | None = None  # rows, if it was known before the end

    def run(self) -> None:
        """Run what is missing; raises InputError if nothing runs at all."""
        import time as clock

        began, judged, fresh = clock.monotonic(), bool(self._done_ok()), 0
        seen: list[tuple[int, str]] = []  # codes and sentences until one is well
        reported = 0.0
        for last in self.looks or [self.last]:
            todo = self.missing(self.first, min(last, self.last))
            for stretch in self.workers.run(todo) if todo else ():
                self.rows.put(slice(stretch.first, stretch.last), stretch.points, stretch.block)
                fresh += stretch.last - stretch.first
                self.messages |= {stretch.first + k: text for k, text in stretch.block.messages.items()}
                if not judged:
                    judged = self._judge(stretch.block, seen, self.last - self.first)
                now = clock.monotonic()
                if self.on_progress is not None and now - reported > 0.1:
                    reported = now
                    self._report(now - began, fresh)
            if last < self.last and self.enough(last):
                self.stopped_at = last
                break
        if self.on_progress is not None:
            self._report(clock.monotonic() - began, fresh)

    def missing(self, first: int, last: int) -> list[tuple[int, int]]:
        """Stretches of rows that are not complete."""
        out = []
        for begin in range(first, last, 1 << 20):
            end = min(begin + (1 << 20), last)
            status = np.asarray(self.rows.column("status")[begin:end])
            edges = np.flatnonzero(np.diff(_framed(status)))
            out += [(begin + int(a), begin + int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]
        return _joined(out)

    def _done_ok(self) -> int:
        status = np.asarray(self.rows.column("status"))
        return int(np.count_nonzero((status == DONE) & (np.asarray(self.rows.column("outcome")) == 0)))

    def _judge(self, block: Any, seen: list[tuple[int, str]], total: int) -> bool:
        """True once a row is well; InputError if a first chunk has none."""
        if block.ok.any():
            return True
        seen += [(0, text) for text in block.messages.values()] or [(0, "")]
        count = int(np.count_nonzero(np.asarray(self.rows.column("status")[self.first : self.last]) == DONE))
        if count >= min(FIRST, total):
            text = next((text for _, text in seen if text), "no sentence is known")
            message = f"all of the first {count} samples failed, so the study was stopped; the first: {text}"
            raise InputError(Problem("study", message))
        return False

    def _report(self, seconds: float, fresh: int) -> None:
        assert self.on_progress is not None
        status = np.asarray(self.rows.column("status")[self.first : self.last]) == DONE
        outcome = np.asarray(self.rows.column("outcome")[self.first : self.last])
        failed = int(np.count_nonzero(status & (outcome != 0)))
        done = int(np.count_nonzero(status))
        self.on_progress(Progress(done, self.last - self.first, failed, seconds, fresh, self.estimate()))


def _framed(status: np.ndarray) -> np.ndarray:
    """0 before and behind, 1 where a row is missing."""
    return np.concatenate([[0], (status != DONE).astype(np.int8), [0]])


def _joined(stretches: list[tuple[int, int]]) -> list[tuple[int, int]]:
    out: list[tuple[int, int]] = []
    for first, last in stretches:
        if out and out[-1][1] == first:
            out[-1] = (out[-1][0], last)
        else:
            out.append((first, last))
    return out
