"""The one way to make a kernel: ``@jit``. What becomes of it is in native/kernel.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..native.kernel import PLAIN, Kernel, interpreted


def jit(kernel: Callable[..., Any]) -> Any:
    """A kernel: machine code when Python calls it, a part of the caller when kernels do.

    It runs without the interpreter lock, and is compiled without Numba's memory runtime: a kernel that would allocate
    does not compile, and arrays pass from function to function without reference counting, which alone made a step
    three times faster.
    """
    return kernel if PLAIN else Kernel(kernel)  # type: ignore[arg-type]


def link(kernel: Callable[..., Any]) -> Any:
    """A function that becomes part of every kernel that calls it.

    For functions made inside functions, whose enclosed names are constants to them, and for those that return a view:
    without the memory runtime Numba returns only arrays that it was given.
    """
    return kernel if PLAIN else Kernel(kernel, inline=True)  # type: ignore[arg-type]


def bound(kernel: Any, *arguments: Any, vary: int | None = None) -> Callable[..., Any]:
    """A kernel on arguments that stay, packed once (``Kernel.bind``); anything else that is called like one as well."""
    if isinstance(kernel, Kernel):
        return kernel.bind(*arguments, vary=vary)
    if vary is None:
        return lambda: kernel(*arguments)
    return lambda number: kernel(*arguments[:vary], number, *arguments[vary + 1 :])


def readable(group: Any) -> Any:
    """A NamedTuple of arrays as kernels read it: as it is, or with fields as attributes if nothing is compiled."""
    if not interpreted():
        return group
    return type(group)(*(a.view(np.recarray) if a.dtype.names else a for a in group))
