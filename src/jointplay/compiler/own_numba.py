"""The library of a law that a user has written, by way of Numba: functions that are more than plain arithmetic."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from numba.core.compiler_lock import global_compiler_lock
from numba.core.errors import NumbaError

from ..native.kernel import Kernel, KernelError
from ..native.processor import levels
from .entries import entry_point
from .shared import make_library
from .store import store


def make(kernels: list[tuple[Kernel, tuple[Any, ...]]], place: Path) -> None:
    """Compile some kernels into one library; raises KernelError, with the compiler's message."""
    with global_compiler_lock:
        try:
            entries = [entry_point(kernel, arguments) for kernel, arguments in kernels]
        except NumbaError as error:
            raise KernelError(f"the compiler cannot take it: {_gist(str(error))}") from None
        except TypeError as error:
            raise KernelError(f"it must return plain numbers: {_gist(str(error))}") from None
        make_library(store(), entries, levels()[0], place)


MISSING = re.compile(r"No implementation of function Function\(<[\w-]+(?: function)? '?([\w.]+)'?")
NAMED = re.compile(r"Untyped global name '(\w+)'")
KNOWN = "a law may use arithmetic, comparisons, and functions of math and numpy of one or two numbers"


def _gist(text: str) -> str:
    """What is wrong by a message of Numba, without colours and places in our own text."""
    plain = "".join(piece.partition("m")[2] if k else piece for k, piece in enumerate(text.split("\x1b[")))
    for pattern in (MISSING, NAMED):
        if found := pattern.search(plain):
            return f"'{found.group(1)}' of what it is used on ({KNOWN})"
    lines = [line.strip() for line in plain.splitlines()]
    gist = [line for line in lines if line and not line.startswith(("File", "During", "Failed", "<source", "^", ">>>"))]
    return "; ".join(gist[:3]) or "it cannot be typed"
