"""What ``@jit`` makes of a function: a kernel, which finds the machine code for its arguments and calls it.

Machine code comes from the first of these that has it:

1. a library that ships with the package, or was made by ``jointplay warmup`` (library.py), if the kernel is what it
   was when the library was made;
2. in a checkout, LLVM code that is kept with the sources (compiler/lowered.py): its library is made now;
3. a library of this one kernel, made on demand and kept; and if there is none, it is made now (compiler/on_demand.py),
   which needs Numba.

With NUMBA_DISABLE_JIT=1 nothing is compiled: kernels are plain functions, slow, with tracebacks.
"""

from __future__ import annotations

import inspect
import os
import struct
import threading
from collections.abc import Callable
from types import FunctionType
from typing import Any

from .arguments import pack, signature_hash
from .contents import CALLED, COPIED, content_key
from .library import Entry, KernelError, find

PLAIN = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
OPTIONS = {"nopython": True, "nogil": True, "error_model": "numpy", "fastmath": {"contract"}, "_nrt": False}

listeners: list[Callable[[Kernel, bool], None]] = []  # called when the compiler begins a kernel, and when it is done

Recorder = Callable[["Kernel", tuple[Any, ...]], None]


class Recording(threading.local):
    """While a listener is set, kernels run as plain Python, and it gets the calls from outside."""

    listener: Recorder | None = None
    depth = 0


recording = Recording()


class Compiling:
    """While ``depth`` is not 0 the compiler is at work, whose inside does not bear an interrupt at any place."""

    depth = 0


compiling = Compiling()


def interpreted() -> bool:
    """True where kernels run as plain Python, which reads records by attributes."""
    return PLAIN or recording.listener is not None


class Kernel:
    """A function that is called by Python as machine code, and by other kernels as a part of theirs.

    ``manner``: to other kernels it is called, and the optimiser may take it in or not; or merged, which the optimiser
    must; or copied, which the front end does before it finds types.
    """

    def __init__(self, function: FunctionType, manner: str = CALLED) -> None:
        self.py_func = function
        self.manner = manner
        self.name = f"{function.__module__.removeprefix('jointplay.')}.{function.__qualname__}"
        self.__name__, self.__doc__, self.__module__ = function.__name__, function.__doc__, function.__module__
        self._entries: dict[tuple[object, ...], Entry] = {}
        if manner == COPIED:
            self.targetoptions = {"inline": "always"}  # what Numba reads before it types a call

    def __repr__(self) -> str:
        return f"<kernel {self.name}>"

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Run the machine code; keywords and defaults as in the function."""
        if named or len(arguments) < self.py_func.__code__.co_argcount:
            bound = inspect.signature(self.py_func).bind(*arguments, **named)
            bound.apply_defaults()
            arguments = bound.args
        if recording.listener is not None:
            return self._interpret(arguments)
        looks, slots = pack(arguments)
        entry = self._entries.get(looks)
        if entry is None:
            entry = self._entries[looks] = self._find(arguments)
        return entry.run(slots)

    def bind(self, *arguments: Any, vary: int | None = None) -> Callable[..., Any]:
        """A function that runs the machine code on these arguments, found and packed once; it keeps them alive.

        For tuples of arrays whose numbers change from call to call while the arrays stay the same. Argument number
        ``vary``, a float, is given anew in each call.
        """
        if recording.listener is not None:
            held = list(arguments)

            def plain(*number: float) -> Any:
                if vary is not None:
                    held[vary] = number[0]
                return self(*held)

            return plain
        looks, slots = pack(arguments)
        entry = self._entries.get(looks)
        if entry is None:
            entry = self._entries[looks] = self._find(arguments)
        run = entry.run
        if vary is None:
            return lambda held=arguments: run(slots)
        before, after = pack(arguments[:vary])[1], pack(arguments[vary + 1 :])[1]
        slot = struct.Struct("=d").pack
        return lambda number, held=arguments: run(before + slot(number) + after)

    def _interpret(self, arguments: tuple[Any, ...]) -> Any:
        if recording.depth == 0 and recording.listener is not None:
            recording.listener(self, arguments)
        recording.depth += 1
        try:
            return self.py_func(*arguments)
        finally:
            recording.depth -= 1

    def _find(self, arguments: tuple[Any, ...]) -> Entry:
        signature = signature_hash(arguments)
        entry = find(self.name, signature, self.content_key) or self._from_lowered(signature)
        if entry is not None:
            return entry
        try:
            from ..compiler.on_demand import entry_for
        except ImportError as error:
            raise KernelError(
                f"no library holds {self.name} for such arguments, and there is no compiler to make one ({error}); "
                "install it with: pip install 'jointplay[build]'"
            ) from None
        compiling.depth += 1
        try:
            return entry_for(self, arguments)
        finally:
            compiling.depth -= 1

    def _from_lowered(self, signature: str) -> Entry | None:
        """In a fresh checkout: LLVM code that lies with the sources becomes a library."""
        try:
            from ..compiler.lowered import entry_from_lowered
        except ImportError:
            return None
        return entry_from_lowered(self, signature)

    def content_key(self) -> str:
        """Key of what it does."""
        return content_key(self.py_func)

    @property
    def dispatcher(self) -> Any:
        """The kernel as Numba knows it; imports Numba."""
        from ..compiler.lowering import dispatcher_of

        return dispatcher_of(self)

    @property
    def _numba_type_(self) -> Any:
        """What Numba reads where a kernel, or a function of others, names this one."""
        return self.dispatcher._numba_type_
