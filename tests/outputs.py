"""Places where no file may be written, and a disk that is full."""

from __future__ import annotations

import os
import resource
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

OBSTACLES = ("pipe", "socket", "directory", "link to a file", "link to nothing", "link to a pipe")


def put(kind: str, path: Path) -> None:
    """Put something in the way."""
    beside = path.with_name("beside")
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "socket":
        here = os.getcwd()
        os.chdir(path.parent)  # a socket's name is short
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(path.name)
        os.chdir(here)
    elif kind == "directory":
        path.mkdir()
    else:
        if kind == "link to a file":
            beside.write_text("precious")
        elif kind == "link to a pipe":
            os.mkfifo(beside)
        path.symlink_to(beside)


def scene(folder: Path) -> dict[str, tuple[int, bytes]]:
    """All that a folder holds: modes, and the bytes of plain files."""
    return {
        file.name: (file.lstat().st_mode, file.read_bytes() if file.is_file() and not file.is_symlink() else b"")
        for file in folder.iterdir()
    }


@contextmanager
def full_disk(limit: int = 2000) -> Iterator[None]:
    """No file may grow beyond so many bytes; Python ignores the signal and gets an OSError."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
