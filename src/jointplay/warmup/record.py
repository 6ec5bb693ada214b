"""Which kernels Python calls in a task, and with what.

The task is run with kernels as plain Python, slowly but without a compiler: it takes a few steps of a small mechanism.
What machine code is needed for shows in the arguments.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..native.arguments import signature_hash
from ..native.kernel import Kernel, recording

Calls = dict[tuple[str, str], tuple[Kernel, tuple[Any, ...]]]  # by name and signature


def calls_in(task: Callable[[], object]) -> Calls:
    """Every call of a kernel from Python, once for each signature."""
    found: Calls = {}

    def note(kernel: Kernel, arguments: tuple[Any, ...]) -> None:
        found.setdefault((kernel.name, signature_hash(arguments)), (kernel, arguments))

    recording.listener = note
    try:
        task()
    finally:
        recording.listener = None
    return found
