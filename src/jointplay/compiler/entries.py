"""What Python calls: an entry takes the slots of native/arguments.py and hands them to the function of a piece.

Numba's functions are ``i32 f(result *, exception **, arguments ...)`` with arrays and tuples taken apart, in the very
order of the slots, so an entry loads one slot after the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from llvmlite import binding as llvm
from numba import typeof
from numba.core import types

from ..native.arguments import signature_hash
from ..native.kernel import Kernel
from .lowering import Types, dispatcher_of
from .store import Store

LETTERS = {
    types.int64: "q",
    types.uint64: "Q",
    types.int32: "i",
    types.uint32: "I",
    types.uint8: "B",
    types.float64: "d",
    types.boolean: "?",
    types.complex128: "Z",
    types.none: "",
}


@dataclass(frozen=True)
class EntryPoint:
    """A kernel and what Python calls it with."""

    kernel: str
    signature: str  # hash, native/arguments.py
    content: str  # key of the kernel
    piece: str  # key of its piece
    function: str  # its name in LLVM code
    result: str  # native/library.py

    @property
    def symbol(self) -> str:
        """Name in the library."""
        return f"{self.kernel.replace('.', '_').replace('<locals>', 'of')}_{self.piece[:8]}"

    def facts(self) -> dict[str, str]:
        """Its entry in a manifest."""
        return {"symbol": self.symbol, "result": self.result, "key": self.content}


def plain(value: Any) -> Any:
    """An argument without what NumPy's record arrays add to it."""
    if isinstance(value, tuple):
        items = [plain(one) for one in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if isinstance(value, np.ndarray) and value.dtype.names and value.dtype.type is np.record:
        return value.view(np.dtype((np.void, value.dtype)), np.ndarray)
    return value


def types_of(arguments: tuple[Any, ...]) -> Types:
    """Types of arguments as Numba knows them."""
    return tuple(
        typeof(int(one) if isinstance(one, int) and type(one) is not bool else plain(one)) for one in arguments
    )


def entry_point(kernel: Kernel, arguments: tuple[Any, ...]) -> EntryPoint:
    """Lower a kernel for such arguments, and all that it calls."""
    piece = dispatcher_of(kernel).piece(types_of(arguments))
    signature, content = signature_hash(arguments), kernel.content_key()
    result = _form(piece.signature.return_type, kernel.name)
    return EntryPoint(kernel.name, signature, content, piece.code.key, piece.code.entry, result)


def _form(kind: Any, name: str) -> str:
    if isinstance(kind, types.BaseTuple):
        items: Any = kind
        return f"({''.join(_form(one, name) for one in items)})"
    if types.unliteral(kind) not in LETTERS:
        raise TypeError(f"{name} returns {kind}; Python takes numbers and tuples of them from a kernel")
    return LETTERS[types.unliteral(kind)]


def entry_code(store: Store, entry: EntryPoint) -> Any:
    """LLVM module with the entry alone."""
    function = llvm.parse_bitcode(store.bitcode(entry.piece)).get_function(entry.function)
    kinds = [str(argument.type) for argument in function.arguments]
    lines = [
        f'declare i32 @"{entry.function}"({", ".join(kinds)})',
        f'define i32 @"{entry.symbol}"(ptr %slots, ptr %result) {{',
        "  %exception = alloca ptr",
        "  store ptr null, ptr %exception",
    ]
    call = ["ptr %result", "ptr %exception"]
    for n, kind in enumerate(kinds[2:]):
        lines += [f"  %p{n} = getelementptr i64, ptr %slots, i64 {n}", f"  %a{n} = load {kind}, ptr %p{n}"]
        call.append(f"{kind} %a{n}")
    lines += [f'  %status = call i32 @"{entry.function}"({", ".join(call)})', "  ret i32 %status", "}"]
    return llvm.parse_assembly("\n".join(lines))
