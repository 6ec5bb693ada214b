"""Turn a registry tuple of kernels into one kernel that picks by number.

``switch((f0, f1, f2))`` compiles to ``if kind == 0: f0(...) elif kind == 1: f1(...) ...``. The number of a kernel is
its place in the tuple, so a registry is the only place that knows it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .jit import link


def switch(kernels: tuple[Callable[..., Any], ...]) -> Any:
    """Return ``call(kind, a, b, c, d, e)`` which runs ``kernels[kind](a, b, c, d, e)``; all take five arguments."""
    head = kernels[0]
    if len(kernels) == 1:

        @link
        def last(kind, a, b, c, d, e):
            return head(a, b, c, d, e)

        return last

    rest = switch(kernels[1:])

    @link
    def call(kind, a, b, c, d, e):
        if kind == 0:
            return head(a, b, c, d, e)
        return rest(kind - 1, a, b, c, d, e)

    return call
