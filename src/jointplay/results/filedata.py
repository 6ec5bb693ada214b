"""Variables of a result file, read on access; and how a file is opened for that."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import numpy as np

from ..errors import InputError, Problem
from .layout import Layout
from .places import Contents

DAMAGE = (ValueError, KeyError, TypeError, AttributeError, IndexError, OverflowError, RecursionError, MemoryError)


def problem(path: Path, message: str) -> InputError:
    """What is wrong with a file, as an error."""
    return InputError(Problem("", message, str(path)))


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """The file, to be read; whatever is wrong with it becomes an InputError."""
    try:
        with path.open("rb") as stream:
            yield stream
    except InputError:
        raise
    except OSError as error:
        raise problem(path, f"cannot be read: {error.strerror or error}") from None
    except DAMAGE as error:
        why = str(error).splitlines()[0][:200] if str(error) and isinstance(error, ValueError) else "it makes no sense"
        raise problem(path, f"is damaged: {why}") from None


class FileData(Mapping[str, np.ndarray]):
    """Variables of a file, read on access."""

    def __init__(self, path: Path, contents: Contents, layout: Layout) -> None:
        self._path, self._contents = path, contents
        self._names = tuple(variable.name for variable in layout.variables)
        self._file = _identity(path.stat())
        self._cache: dict[str, np.ndarray] = {}

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._names:
            raise KeyError(name)
        if name not in self._cache:
            with self._opened() as stream:
                self._cache[name] = self._contents.read(stream, name, self._contents.progress.saved)
        return self._cache[name]

    def blocks(self, name: str) -> Iterator[np.ndarray]:
        """The same, some lines at a time, and not kept."""
        with self._opened() as stream:
            yield from self._contents.blocks(stream, name, self._contents.progress.saved)

    @contextmanager
    def _opened(self) -> Iterator[BinaryIO]:
        with opened(self._path) as stream:
            if _identity(os.fstat(stream.fileno())) != self._file:
                raise problem(self._path, "has been replaced since it was loaded; load it again")
            yield stream

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def _identity(facts: os.stat_result) -> tuple[int, int]:
    return facts.st_dev, facts.st_ino
