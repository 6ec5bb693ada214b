"""Progress of a study on stderr: rate, failures, time left and the answer so far."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

from ..progress import span, stepping
from .conduct import Progress


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


def bar(total: int) -> AbstractContextManager[Callable[[Progress], None]]:
    """Gives the function to call with progress."""
    return stepping("study", total, lambda now: now.done, words)
