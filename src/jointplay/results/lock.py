"""Marks on files that are being written: they warn other runs, and other threads of this one.

A mark is a lock of the system that goes with the open file and ends with it, however its process ends. Readers are not
hindered, nor is HDF5, whose locks are of another kind. Nothing is kept safe by a mark alone: a file that is being
written has a name of its own, and names are never taken twice.
"""

from __future__ import annotations

import os
import struct
import sys
from pathlib import Path

from ..writing import obstacle

try:
    import fcntl
except ImportError:  # no such locks on this system
    fcntl = None  # type: ignore[assignment]


def mark(descriptor: int) -> None:
    """Mark an open file as being written."""
    _lock(descriptor, shared=False)


def is_marked(path: Path) -> bool:
    """Whether somebody is writing this file."""
    try:
        if obstacle(os.lstat(path).st_mode):
            return False
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        return False
    try:
        return not _lock(descriptor, shared=True)
    finally:
        os.close(descriptor)


def _lock(descriptor: int, *, shared: bool) -> bool:
    """Whether the lock was given; a file system without locks gives none and hinders nobody."""
    if fcntl is None:
        return True
    try:
        if sys.platform == "linux":  # goes with the open file; other locks go with the process
            kind = fcntl.F_RDLCK if shared else fcntl.F_WRLCK
            flock = struct.pack("hhqqi", kind, os.SEEK_SET, 0, 0, 0)  # type, whence, start, length, process
            fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, flock)
        else:
            fcntl.lockf(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        return not isinstance(error, PermissionError)
    return True
