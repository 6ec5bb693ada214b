"""Several processes that fill one cache: each kernel is compiled by one of them, and one at a time writes.

Numba's cache knows no locks. To add a signature to a kernel a process reads the kernel's index, takes the first free
number for the code, writes the index and then the code. Of two processes that do so at once with two signatures, both
take the same number: one signature is lost, or, worse, is left with the code of the other. And two processes that need
the same kernel both compile it.

Here a process claims (kernel, signature) before it compiles: whoever comes second waits, and then finds it on disk. A
kernel's callees are claimed while the kernel itself is; calls go down an acyclic graph, so none waits in a circle.
And it claims the index while it writes. A claim is a lock on one byte of a file, which ends with its process at the
latest.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

PLACES = 2**40  # bytes of a file that is never written, for some hundred claims: two do not meet

if sys.platform == "win32":
    import msvcrt

    def _take(file: int, place: int) -> None:
        while True:
            os.lseek(file, place, os.SEEK_SET)
            with suppress(OSError):  # gives up after ten seconds
                return msvcrt.locking(file, msvcrt.LK_LOCK, 1)

    def _leave(file: int, place: int) -> None:
        os.lseek(file, place, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_UNLCK, 1)
else:
    import fcntl

    def _take(file: int, place: int) -> None:
        fcntl.lockf(file, fcntl.LOCK_EX, 1, place)

    def _leave(file: int, place: int) -> None:
        fcntl.lockf(file, fcntl.LOCK_UN, 1, place)


class Claims:
    """Claims on things by name, among all processes that use the same file."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)  # one descriptor: closing any would end all claims

    def __enter__(self) -> Claims:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._file)

    @contextmanager
    def on(self, thing: str) -> Iterator[None]:
        """Wait until no other process has claimed it, and hold it."""
        place = int.from_bytes(hashlib.sha256(thing.encode()).digest()[:8], "big") % PLACES
        _take(self._file, place)
        try:
            yield
        finally:
            _leave(self._file, place)


def lockable(path: Path) -> bool:
    """Whether the place of ``path`` knows locks; some network drives do not."""
    try:
        with Claims(path) as claims, claims.on("anything"):
            return True
    except OSError:
        return False


@cache
def claims_in(folder: Path) -> Claims | None:
    """Claims on what is kept in a folder; None where there are no locks, and everybody must hope."""
    place = folder / "claims"
    return Claims(place) if lockable(place) else None
