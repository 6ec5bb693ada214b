"""Make the library of a law that a user has written (laws/own_code.py): directly, or else by way of Numba."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from llvmlite import binding as llvm

from ..native.arguments import signature_hash
from ..native.kernel import Kernel
from ..native.processor import levels
from .arithmetic import Text, Uncovered, entry
from .written import Facts, write_library

Kernels = list[tuple[Kernel, tuple[Any, ...]]]  # each with arguments of the kinds that it takes


def make(kernels: Kernels, place: Path) -> None:
    """Compile some kernels into one library; raises KernelError, with the compiler's message."""
    try:
        make_directly(kernels, place)
    except Uncovered:
        from .own_numba import make as make_by_numba

        make_by_numba(kernels, place)


def make_directly(kernels: Kernels, place: Path) -> None:
    """Without Numba; raises Uncovered where a function is more than plain arithmetic."""
    text, facts, symbols = Text(), Facts(), set()
    for k, (kernel, arguments) in enumerate(kernels):
        made = entry(text, kernel, arguments, f"entry{k}")
        listed = {"symbol": made.symbol, "result": made.result, "key": kernel.content_key()}
        facts.setdefault(kernel.name, {})[signature_hash(arguments)] = listed
        symbols.add(made.symbol)
    write_library(llvm.parse_assembly(text.whole()), symbols, facts, levels()[0], place)
