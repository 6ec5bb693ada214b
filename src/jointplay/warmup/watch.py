"""Kernels that this process compiles by itself, because no library has them: reported one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ..native.kernel import Kernel, listeners


@contextmanager
def watching(progress: Callable[[int, int, str], None]) -> Iterator[None]:
    """Call ``progress`` when compiling begins and after each kernel; how many there will be is not known (0)."""
    done: set[str] = set()

    def note(kernel: Kernel, is_done: bool) -> None:
        if is_done:
            done.add(kernel.name)
        progress(len(done), 0, kernel.name if is_done else "")

    listeners.append(note)
    try:
        yield
    finally:
        listeners.remove(note)
