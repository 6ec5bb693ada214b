"""The one way to make a kernel: ``@jit``. What becomes of it is in native/kernel.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..native.contents import COPIED, MERGED
from ..native.kernel import PLAIN, Kernel, interpreted


def jit(kernel: Callable[..., Any]) -> Any:
    """A kernel: machine code when Python calls it, a part of the caller when kernels do.

    It runs without the interpreter lock, and is compiled without Numba's memory runtime: a kernel that would allocate
    does not compile, and arrays pass from function to function without reference counting, which alone made a step
    three times faster.
    """
    return kernel if PLAIN else Kernel(kernel)  # type: ignore[arg-type]


def part(kernel: Callable[..., Any]) -> Any:
    """A kernel that the optimiser makes a part of every kernel that calls it.

    For what a loop does in nearly every turn: a call passes on every array of a model. It is lowered by itself, once,
    like any kernel.
    """
    return kernel if PLAIN else Kernel(kernel, MERGED)  # type: ignore[arg-type]


def link(kernel: Callable[..., Any]) -> Any:
    """A function that is copied into every kernel that calls it, before types are found.

    For those that return a view (without the memory runtime Numba returns only arrays that it was given), and for those
    that take a function or something else that is no argument of machine code; and for a few lines of arithmetic. All
    else is a ``part``: what is copied is lowered again with each caller, at every edit of the caller.
    """
    return kernel if PLAIN else Kernel(kernel, COPIED)  # type: ignore[arg-type]


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
