"""Standard streams that may be closed, full, or cut off by their reader.

A service may start a command without stdout or stderr (``2>&-``); Python then has None in their place, and the next
file that is opened would get their number. A reader may have seen enough (``| head``). Neither is a reason to stop
working, or to print a word.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


def open_streams() -> None:
    """Give every closed stream the null device, and let text that a stream cannot encode pass as escapes."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            _occupy(number)
            setattr(sys, name, open(os.devnull, "r" if number == 0 else "w", encoding="utf-8"))
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _occupy(number: int) -> None:
    """Keep others from opening a file under the number of a stream."""
    try:
        os.fstat(number)
    except OSError:
        null = os.open(os.devnull, os.O_RDWR)
        if null != number:
            os.dup2(null, number)
            os.close(null)


def put(text: str, stream: Any) -> None:
    """Print a line; OSError where an answer is lost."""
    with _minding(stream):
        print(text, file=stream)


def flush(stream: Any) -> None:
    """Have all that was printed out; OSError where an answer is lost."""
    with _minding(stream):
        if stream is not None:
            stream.flush()


@contextmanager
def _minding(stream: Any) -> Iterator[None]:
    """A stream that cannot be written is quiet from then on; that is an error unless nobody reads, or needs, it."""
    try:
        yield
    except OSError as error:
        hush(stream)
        if stream is not sys.stderr and not isinstance(error, BrokenPipeError):
            raise


def hush(stream: Any) -> None:
    """Send all that follows, and what is still held back, to the null device."""
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)
    except (OSError, ValueError, AttributeError):  # a stream of a test, or closed
        pass
