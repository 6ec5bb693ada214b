"""A library of one kernel, for arguments that no other library has: made when it is needed, and kept.

So a developer who edits a kernel waits for what calls it, not for all kernels. It is kept under a key that changes with
the kernel.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

from numba.core.compiler_lock import global_compiler_lock

from ..native.kernel import Kernel, listeners
from ..native.library import Entry, Library, single
from ..native.processor import levels
from .entries import entry_point
from .kernel_locks import claims_in
from .shared import make_library
from .store import store


def entry_for(kernel: Kernel, arguments: tuple[Any, ...]) -> Entry:
    """Machine code of a kernel for such arguments."""
    with global_compiler_lock:
        entry = entry_point(kernel, arguments)
        place = single(entry.content, entry.signature)
        claims = claims_in(place.parent)
        with claims.on(place.name) if claims else nullcontext():
            if not place.is_file():
                for listener in listeners:
                    listener(kernel, False)
                make_library(store(), [entry], levels()[0], place)
                for listener in listeners:
                    listener(kernel, True)
    found = Library(place).entry(kernel.name, entry.signature, kernel.content_key)
    assert found is not None
    return found
