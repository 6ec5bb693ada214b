"""Progress of a study on stderr: rate, failures, time left and the answer so far."""

from __future__ import annotations

import sys
import time as clock
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from ..progress import span
from .conduct import Progress

EVERY = 10.0  # s between two lines where there is no terminal
FIRST = 2.0


def words(now: Progress) -> str:
    """One line."""
    text = f"{now.done} of {now.total}"
    if now.seconds > 0.0 and now.fresh:
        rate = now.fresh / now.seconds
        text += f", {rate:.3g} runs/s"
        if now.done < now.total and now.seconds > 1.0:
            text += f", {span((now.total - now.done) / rate)} left"
    if now.failed:
        text += f", {now.failed} failed"
    return text + (f"; {now.estimate}" if now.estimate else "")


@contextmanager
def bar(total: int) -> Iterator[Callable[[Progress], None]]:
    """The function to call with progress."""
    if sys.stderr is None or not sys.stderr.isatty():
        due = clock.monotonic() + FIRST

        def line(now: Progress) -> None:
            nonlocal due
            if clock.monotonic() >= due:
                due = clock.monotonic() + EVERY
                with suppress(OSError, ValueError):
                    print(f"study: {words(now)}", file=sys.stderr, flush=True)

        yield line
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bars

    columns: Any = (TextColumn("study"), BarColumn(40), TextColumn("{task.fields[said]}"))
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task("study", total=total, said="")

        def show(now: Progress) -> None:
            with suppress(OSError):
                bars.update(task, completed=now.done, said=words(now))

        yield show
