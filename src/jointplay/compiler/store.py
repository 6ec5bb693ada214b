"""Pieces on disk, by their keys: KEY.bc is LLVM code, KEY.facts what Numba needs to call it.

KEY.calls has the name of the kernel in its first line and then the keys of what it calls. OWN.latest names the piece
that was lowered last for a function (``own_content``), and how it calls others. Facts are pickles of Numba's own. They
are read only while something is compiled, from a folder that no other user can write (cachefolder.py); running a kernel
needs none of them.
"""

from __future__ import annotations

import os
import pickle
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from ..cachefolder import kernel_folder
from ..native.sources import PACKAGE

NAME = "# "  # before the name of a kernel

Found = tuple[Any, str, list[str], bytes]
UNREADABLE = (
    OSError,
    EOFError,
    pickle.UnpicklingError,
    AttributeError,
    ImportError,
    ValueError,
    TypeError,
    LookupError,
)


class Store:
    """A folder of pieces."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._known: dict[str, list[str]] = {}  # lines of KEY.calls

    def read(self, key: str) -> Found | None:
        """Facts, name, keys of callees and LLVM code of a piece; None if it is not there as a whole."""
        try:
            facts, entry, calls = pickle.loads((self.folder / f"{key}.facts").read_bytes())
            return facts, entry, calls, self.bitcode(key)
        except UNREADABLE:
            return None

    def latest(self, own: str) -> tuple[str, Any] | None:
        """Key of the piece that was lowered last for a function, and its calls."""
        try:
            key, calls = pickle.loads((self.folder / f"{own}.latest").read_bytes())
            return key, calls
        except UNREADABLE:
            return None

    def set_latest(self, own: str, key: str, calls: Any) -> None:
        """Keep that."""
        put(self.folder / f"{own}.latest", pickle.dumps((key, calls)))

    def bitcode(self, key: str) -> bytes:
        """LLVM code of a piece."""
        return (self.folder / f"{key}.bc").read_bytes()

    def calls(self, key: str) -> list[str]:
        """Keys of the pieces that a piece calls."""
        return [line for line in self._lines(key) if not line.startswith(NAME)]

    def kernel(self, key: str) -> str:
        """Name of the kernel that a piece is."""
        for line in self._lines(key):
            if line.startswith(NAME):
                return line.removeprefix(NAME)
        found = self.read(key)  # kept by a version that did not write names
        return f"{found[0][1].modname.removeprefix('jointplay.')}.{found[0][1].qualname}" if found else ""

    def _lines(self, key: str) -> list[str]:
        if key not in self._known:  # a piece never changes
            self._known[key] = (self.folder / f"{key}.calls").read_text(encoding="utf-8").splitlines()
        return self._known[key]

    def write(self, key: str, kernel: str, facts: Any, entry: str, calls: list[str], bitcode: bytes) -> None:
        """Keep a piece; facts come last, so that a piece is there as a whole or not at all."""
        put(self.folder / f"{key}.bc", bitcode)
        put(self.folder / f"{key}.calls", "\n".join([f"{NAME}{kernel}", *calls]).encode())
        put(self.folder / f"{key}.facts", pickle.dumps((facts, entry, calls)))


def put(place: Path, data: bytes) -> None:
    """Write a file that is there as a whole or not at all, for others to read."""
    handle, draft = tempfile.mkstemp(dir=place.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    os.chmod(draft, 0o644)
    os.replace(draft, place)


@cache
def store() -> Store:
    """The store of this machine's compiler."""
    return Store(kernel_folder("pieces", PACKAGE))
