"""Progress on stderr: a bar on a terminal, a line now and then elsewhere.

What ``with bar(end) as tell`` gives is called as ``tell(time, end, wall)`` with the simulated time, its end and the
seconds since the start, and as ``tell.compiling(done, total, name)`` while there are kernels to compile.
"""

from __future__ import annotations

import sys
import time as clock
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

EVERY = 10.0  # s between two lines where there is no terminal
FIRST = 2.0  # s before the first one: short runs need none


def span(seconds: float) -> str:
    """A length of time as people say it."""
    if seconds < 60.0:
        return f"{seconds:.0f} s"
    minutes = int(seconds // 60)
    return f"{minutes} min {seconds % 60:.0f} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def pace(time: float, end: float, wall: float) -> str:
    """Simulated time, rate and time left."""
    rate = time / wall if wall > 0.0 else 0.0
    left = f", {span((end - time) / rate)} left" if rate > 0.0 and time < end else ""
    return f"{time:.4g} of {end:.4g} s, {rate:.3g} s/s{left}"


class Lines:
    """Progress as lines of text."""

    def __init__(self) -> None:
        self._next = clock.monotonic() + FIRST
        self._compiled = False

    def _due(self) -> bool:
        now = clock.monotonic()
        if now < self._next:
            return False
        self._next = now + EVERY
        return True

    def __call__(self, time: float, end: float, wall: float) -> None:
        """Simulated time moved on."""
        if self._due():
            print(f"running: {pace(time, end, wall)}", file=sys.stderr, flush=True)

    def compiling(self, done: int, total: int, name: str) -> None:
        """A kernel was compiled."""
        if not self._compiled:
            self._compiled = True
            print("compiling kernels (the first time only, a few minutes)", file=sys.stderr, flush=True)
        if self._due() or done == total:
            print(f"compiling: {done} of {total} kernels", file=sys.stderr, flush=True)


class Bar:
    """Progress as a bar."""

    def __init__(self, progress: Any, end: float) -> None:
        self._progress = progress
        self._run = progress.add_task("running", total=end, said="", visible=False)
        self._kernels = progress.add_task("compiling", total=1, said="", visible=False)

    def __call__(self, time: float, end: float, wall: float) -> None:
        """Simulated time moved on."""
        self._progress.update(self._kernels, visible=False)
        self._progress.update(self._run, completed=time, total=end, said=pace(time, end, wall), visible=True)

    def compiling(self, done: int, total: int, name: str) -> None:
        """A kernel was compiled."""
        said = f"{done} of {total} kernels, the first time only"
        self._progress.update(self._kernels, completed=done, total=total, said=said, visible=True)


@contextmanager
def bar(end: float) -> Iterator[Bar | Lines]:
    """Progress of a run until ``end`` (s)."""
    if not sys.stderr.isatty():
        yield Lines()
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(40), TextColumn("{task.fields[said]}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        yield Bar(progress, end)
