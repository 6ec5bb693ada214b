"""Ctrl-C that is never lost.

Python raises KeyboardInterrupt wherever it happens to be; inside a destructor, of which compiling has many, it is
printed and forgotten. Here it is also noted, and raised again at the next sign of progress; while the compiler works,
whose own code may not survive it, only there.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Progress = Callable[..., None]


def is_compiling() -> bool:
    """True while a kernel is compiled."""
    kernel = sys.modules.get("jointplay.native.kernel")  # imported by those who need it
    return kernel is not None and kernel.compiling.depth > 0


@contextmanager
def heeding() -> Iterator[Callable[[Progress], Progress]]:
    """Gives a wrapper for progress functions: they raise KeyboardInterrupt if the user has sent an interrupt."""
    interrupted = False

    def note(*_: Any) -> None:
        nonlocal interrupted
        interrupted = True
        if not is_compiling():
            raise KeyboardInterrupt

    def heed(progress: Progress) -> Progress:
        def checked(*values: Any) -> None:
            if interrupted:
                raise KeyboardInterrupt
            progress(*values)

        return checked

    def forget(lost: Any) -> None:
        if lost.exc_type is not KeyboardInterrupt:
            usual(lost)

    if threading.current_thread() is not threading.main_thread():  # signals are not ours to take
        yield heed
        return
    before, usual = signal.signal(signal.SIGINT, note), sys.unraisablehook
    sys.unraisablehook = forget
    try:
        yield heed
    finally:
        signal.signal(signal.SIGINT, before)
        sys.unraisablehook = usual
