"""A key of what a kernel does: the code of its function and of all that it calls, with the constants that they name.

Comments, docstrings and line numbers do not count. Machine code is kept under such a key, so that an edit of one kernel
leaves all others valid but those that call it.

A second key is of the function alone: of kernels that it calls it has only how they are called. LLVM code in which
callees are named, not copied, depends on no more than that and on what they return.
"""

from __future__ import annotations

import enum
import hashlib
import opcode
from collections.abc import Iterator
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

CALLED, MERGED, COPIED = "called", "merged", "copied"  # what a kernel is to those that call it (kernel.py)

PACKAGE = __package__.partition(".")[0]
LOAD_GLOBAL, EXTENDED = opcode.opmap["LOAD_GLOBAL"], opcode.EXTENDED_ARG

_known: dict[FunctionType, str] = {}

Callees = list[Any]  # kernels that a function calls, in the order in which its code names them


def own_content(function: FunctionType) -> tuple[str, Callees]:
    """Key of a function without what its callees do, and the callees: those of one key stand in one order."""
    callees: Callees = []
    digest = hashlib.sha256()
    for part in _parts(function, callees):
        digest.update(part.encode())
        digest.update(b"\0")
    return digest.hexdigest(), callees


def number_of(kernel: Any, callees: Callees) -> int:
    """Place of a kernel among others; two of one content are one. Their number where it is not there."""
    key = content_key(kernel.py_func)
    same = (n for n, one in enumerate(callees) if one.manner == kernel.manner and content_key(one.py_func) == key)
    return next(same, len(callees))


def content_key(function: FunctionType) -> str:
    """Key of a function and of all below it."""
    if function not in _known:
        digest = hashlib.sha256()
        for part in _parts(function):
            digest.update(part.encode())
            digest.update(b"\0")
        _known[function] = digest.hexdigest()
    return _known[function]


def _parts(function: FunctionType, callees: Callees | None = None) -> Iterator[str]:
    yield f"{function.__module__}.{function.__qualname__}"  # two kernels of one content keep their names
    yield repr(function.__defaults__)
    codes, attributes, names = [function.__code__], dict[str, None](), dict[str, None]()
    doc = function.__doc__
    for code in codes:
        constants = [one for one in code.co_consts if not isinstance(one, CodeType)]
        if code is codes[0] and constants and constants[0] == doc:
            constants[0] = None
        yield code.co_code.hex()
        yield repr((constants, code.co_names, code.co_varnames, code.co_freevars, code.co_argcount))
        attributes |= dict.fromkeys(code.co_names)
        names |= dict.fromkeys(_globals_of(code))
        codes += [one for one in code.co_consts if isinstance(one, CodeType)]
    space = function.__globals__
    for name in names:
        if name in space:
            yield name
            yield from _value(space[name], attributes, callees)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        yield name
        yield from _value(cell.cell_contents, attributes, callees)


def _globals_of(code: CodeType) -> Iterator[str]:
    """Names of globals that it loads; co_names has attributes too, which may be called like one of them."""
    argument = 0
    for operation, low in zip(code.co_code[::2], code.co_code[1::2], strict=True):
        argument = argument << 8 | low
        if operation == EXTENDED:
            continue
        if operation == LOAD_GLOBAL:
            yield code.co_names[argument >> 1]
        argument = 0


def _value(value: Any, named: dict[str, None], callees: Callees | None) -> Iterator[str]:
    """What a kernel sees of a global or enclosed name; ``named``: attributes that it may use.

    With a list for callees, kernels that are called, not copied, are entered there, and yield how they are called.
    """
    function = getattr(value, "py_func", value)
    manner = getattr(value, "manner", None)
    if hasattr(value, "instruction"):  # its name determines its machine code
        yield value.instruction
    elif callees is not None and manner is not None:
        yield manner
        if manner == COPIED:
            yield from _parts(function, callees)
        else:
            code, number = function.__code__, number_of(value, callees)
            if number == len(callees):
                callees.append(value)
            named_ones = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            yield f"{number} {value.name} {code.co_flags & 12} {code.co_argcount} {named_ones}"
            yield f"{function.__defaults__!r} {function.__kwdefaults__!r}"
    elif isinstance(function, FunctionType):
        if manner is not None:
            yield manner
        own = (function.__module__ or "").partition(".")[0]
        yield content_key(function) if own == PACKAGE or function is not value else f"{own}.{function.__qualname__}"
    elif isinstance(value, ModuleType):
        yield value.__name__
        if value.__name__.partition(".")[0] == PACKAGE:
            for name in named:
                if hasattr(value, name):
                    yield name
                    yield from _value(getattr(value, name), {}, callees)
    elif isinstance(value, tuple | list):
        yield str(len(value))
        for one in value:
            yield from _value(one, {}, callees)
    elif isinstance(value, np.ndarray):
        yield f"{value.dtype} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    elif isinstance(value, type):
        yield f"{value.__module__}.{value.__qualname__} {getattr(value, '_fields', '')}"
    elif isinstance(value, np.ufunc | BuiltinFunctionType):
        yield f"{type(value).__name__} {value.__name__}"
    elif isinstance(value, np.generic | np.dtype | enum.Enum | int | float | complex | str | bytes | type(None)):
        yield f"{type(value).__name__} {value!r}"
    else:
        raise TypeError(f"a kernel names {value!r}, which is neither a kernel nor a constant")
