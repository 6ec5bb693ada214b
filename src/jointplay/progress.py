"""Progress on stderr: a bar on a terminal, a line now and then elsewhere, nothing where there is no stderr.

What ``with bar(end) as progress`` gives is called as ``progress(time, end, wall)`` with the simulated time, its end and
the seconds since the start, and as ``progress.compiling(done, total, doing)`` while there are kernels to compile.
``counting`` does the same for things that are counted. A stream that cannot be written ends progress, never a run.
"""

from __future__ import annotations

import sys
import time as clock
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from math import isfinite
from typing import Any, TypeVar

T = TypeVar("T")

EVERY = 10.0  # s between two lines where there is no terminal
FIRST = 2.0  # s before the first one: short runs need none
SETTLED = 2.0  # s of running before the time left is shown
STEADY = 2.0  # ratio of two rates that count as the same
PATIENT = 60.0  # s after which an unsteady rate must do
FINE = 0.02  # of the time that has passed, between two marks that are kept


def span(seconds: float) -> str:
    """A length of time in words."""
    if seconds < 60.0:
        return f"{seconds:.0f} s"
    minutes = int(seconds // 60)
    if minutes < 60:
        return f"{minutes} min {int(seconds % 60)} s"
    hours, days = minutes // 60, minutes // 1440
    if days < 2:
        return f"{hours} h {minutes % 60} min"
    return f"{days} days" if days < 1000 else f"{days / 365.25:.3g} years"


class Pace:
    """How fast a run goes and how long it will take, judged by what it did lately.

    Loading of kernels and the first, tiny steps of a method are no measure of the rest: time counts from the first
    call on, the rate is that of the latter half, and the time left is shown once two quarters agree about it.
    """

    def __init__(self) -> None:
        self._marks: list[tuple[float, float]] = []  # wall time, simulated time

    def __call__(self, time: float, end: float, wall: float) -> str:
        """Simulated time, rate and time left."""
        self._mark(wall, time)
        rate, sure = self._rate(wall, time)
        text = f"{time:.4g} of {end:.4g} s"
        if not rate > 0.0:
            return text
        left = (end - time) / rate
        known = sure and left > 0.0 and isfinite(left)
        return f"{text}, {rate:.3g} s/s" + (f", {span(left)} left" if known else "")

    def _mark(self, wall: float, time: float) -> None:
        """Keep a point of the way, if it is not too near to the last one."""
        if not self._marks or wall - self._marks[-1][0] > FINE * (wall - self._marks[0][0]):
            self._marks.append((wall, time))

    def _rate(self, wall: float, time: float) -> tuple[float, bool]:
        """Simulated time per second of the latter half, and whether one may rely on it."""
        passed = wall - self._marks[0][0]
        if not passed > 0.0:
            return 0.0, False
        half, quarter = (next(one for one in self._marks if one[0] >= wall - part * passed) for part in (0.5, 0.25))
        first, second = _slope(half, quarter), _slope(quarter, (wall, time))
        steady = first <= STEADY * second and second <= STEADY * first
        return _slope(half, (wall, time)), passed >= SETTLED and (steady or passed >= PATIENT)


def _slope(a: tuple[float, float], b: tuple[float, float]) -> float:
    return (b[1] - a[1]) / (b[0] - a[0]) if b[0] > a[0] else 0.0


def kernels(done: int, total: int) -> str:
    """How many of them are compiled; nothing where LLVM code is at hand."""
    if not total:
        return f"{done} kernels so far" if done else "kernels"
    return f"{done} of {total} kernels"


class Lines:
    """Progress as lines of text."""

    def __init__(self) -> None:
        self._next = clock.monotonic() + FIRST
        self._pace = Pace()
        self._compiled = False

    def _due(self) -> bool:
        now = clock.monotonic()
        if now < self._next:
            return False
        self._next = now + EVERY
        return True

    def _print(self, text: str) -> None:
        if sys.stderr is not None:
            with suppress(OSError, ValueError):  # nobody reads, or it is closed
                print(text, file=sys.stderr, flush=True)

    def __call__(self, time: float, end: float, wall: float) -> None:
        """Simulated time moved on."""
        text = self._pace(time, end, wall)
        if self._due():
            self._print(f"running: {text}")

    def compiling(self, done: int, total: int, doing: str) -> None:
        """So many kernels are compiled, of a total, if that is known; and what is going on, nothing at the end."""
        if not self._compiled:
            self._compiled = True
            self._print("compiling kernels (the first time only, a minute or more)")
        if self._due() or (done == total and not doing):
            self._print(f"compiling: {kernels(done, total)}" + (f"; {doing}" if doing else ""))


class Bar:
    """Progress as a bar."""

    def __init__(self, progress: Any, end: float) -> None:
        self._progress = progress
        self._pace = Pace()
        self._run = progress.add_task("running", total=end, text="", visible=False)
        self._kernels = progress.add_task("compiling", total=1, text="", visible=False)

    def __call__(self, time: float, end: float, wall: float) -> None:
        """Simulated time moved on."""
        text = self._pace(time, end, wall)
        with suppress(OSError):
            self._progress.update(self._kernels, visible=False)
            self._progress.update(self._run, completed=time, total=end, text=text, visible=True)

    def compiling(self, done: int, total: int, doing: str) -> None:
        """So many kernels are compiled, of a total, if that is known; and what is going on."""
        text = f"{kernels(done, total)}, the first time only" + (f"; {doing}" if doing else "")
        with suppress(OSError):
            self._progress.update(self._kernels, completed=done, total=total or None, text=text, visible=True)


@contextmanager
def bar(end: float) -> Iterator[Bar | Lines]:
    """Progress of a run until ``end`` (s)."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield Lines()
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(40), TextColumn("{task.fields[text]}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        yield Bar(progress, end)


@contextmanager
def stepping(
    word: str, total: int, done: Callable[[T], int], text: Callable[[T], str]
) -> Iterator[Callable[[T], None]]:
    """Progress of something that has steps: the function to call with the state of the work."""
    if sys.stderr is None or not sys.stderr.isatty():
        due = clock.monotonic() + FIRST

        def line(now: T) -> None:
            nonlocal due
            if clock.monotonic() >= due:
                due = clock.monotonic() + EVERY
                with suppress(OSError, ValueError):
                    print(f"{word}: {text(now)}", file=sys.stderr, flush=True)

        yield line
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    columns = (TextColumn(word), BarColumn(40), TextColumn("{task.fields[text]}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task(word, total=total, text="")

        def show(now: T) -> None:
            with suppress(OSError):
                bars.update(task, completed=done(now), text=text(now))

        yield show


@contextmanager
def counting(word: str, total: int, things: str) -> Iterator[Callable[[int], None]]:
    """Progress of something that is counted: the function to call with how many are done."""
    begin = clock.monotonic()

    def text(done: int) -> str:
        rate = done / max(clock.monotonic() - begin, 1e-9)
        left = f", {span((total - done) / rate)} left" if clock.monotonic() - begin > SETTLED and done < total else ""
        return f"{done} of {total} {things}{left}"

    with stepping(word, total, int, text) as report:
        yield report
