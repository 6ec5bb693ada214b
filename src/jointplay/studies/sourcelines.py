"""The source of a function of a user's, as lines that can be compared: it is part of the description of a study.

Not its text alone: also what it was bound to (``functools.partial``, closures, attributes of a callable object), and
the functions and plain values of its own module that it names, and what those name in turn. What comes from elsewhere
(installed packages) is known by name.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Iterator
from functools import partial
from types import CodeType, FunctionType, MethodType
from typing import Any

import numpy as np

PLAIN = (bool, int, float, complex, str, bytes, type(None))


def function_lines(function: Any) -> list[str]:
    """Lines of a function and of all that decides what it gives."""
    return [f"> {line}" for line in _lines(function, set())]


def _lines(given: Any, seen: set[int]) -> Iterator[str]:
    if id(given) in seen:
        return
    seen.add(id(given))
    if isinstance(given, partial):
        yield from _lines(given.func, seen)
        for name, value in [*enumerate(given.args), *sorted(given.keywords.items())]:
            yield from _value(f"with {name}", value, seen)
    elif isinstance(given, MethodType):
        yield from _lines(given.__func__, seen)
        yield from _attributes(given.__self__, seen)
    elif isinstance(given, FunctionType):
        yield from _text(given)
        yield from _named(given, seen)
    elif isinstance(given, type) or not callable(given):
        yield from _text(given)
    else:
        yield from _text(type(given))
        yield from _attributes(given, seen)


def _text(given: Any) -> Iterator[str]:
    """The source; without one what the compiler made of it."""
    try:
        for line in inspect.getsource(given).splitlines():
            yield line.rstrip()
    except (OSError, TypeError):
        code = getattr(given, "__code__", None)
        text = f" {_digest(code)}" if isinstance(code, CodeType) else ""
        yield getattr(given, "__qualname__", type(given).__qualname__) + text


def _digest(code: CodeType) -> str:
    inner = [_digest(one) if isinstance(one, CodeType) else repr(one) for one in code.co_consts]
    text = "\n".join([code.co_code.hex(), *inner, *code.co_names])
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _named(function: FunctionType, seen: set[int]) -> Iterator[str]:
    """Values that a function has closed over, its defaults, and what it names of its own module."""
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            yield from _value(f"has {name}", cell.cell_contents, seen)
        except ValueError:  # not filled yet
            continue
    for k, value in enumerate(function.__defaults__ or ()):
        yield from _value(f"default {k}", value, seen)
    for name in sorted(_names(function.__code__)):
        if name in function.__globals__:
            value = function.__globals__[name]
            if isinstance(value, FunctionType) and value.__module__ != function.__module__:
                continue
            yield from _value(f"names {name}", value, seen)


def _names(code: CodeType) -> set[str]:
    """Names in a function and in those inside of it."""
    return set(code.co_names).union(*(_names(one) for one in code.co_consts if isinstance(one, CodeType)))


def _attributes(owner: Any, seen: set[int]) -> Iterator[str]:
    for name, value in sorted(getattr(owner, "__dict__", {}).items()):
        yield from _value(f"has {name}", value, seen)


def _value(word: str, value: Any, seen: set[int]) -> Iterator[str]:
    text = _plain(value)
    if text is not None:
        yield f"{word}: {text}"
    elif isinstance(value, FunctionType | MethodType | partial):
        yield f"{word}:"
        yield from _lines(value, seen)


def _plain(value: Any) -> str | None:
    """A value as text where that text holds all of it."""
    if isinstance(value, PLAIN):
        return repr(value)
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.dtype.kind in "biufcSU"):
        array = np.asarray(value)
        digest = hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()[:12]
        return f"{array.dtype.str} {array.shape} {digest}"
    if isinstance(value, list | tuple | set | frozenset):
        parts = [_plain(one) for one in value]
        if None in parts:
            return None
        own = sorted(map(str, parts)) if isinstance(value, set | frozenset) else map(str, parts)
        return f"{type(value).__name__}({', '.join(own)})"
    if isinstance(value, dict):
        pairs = [(_plain(key), _plain(one)) for key, one in value.items()]
        return None if any(None in pair for pair in pairs) else f"dict({', '.join(f'{a}: {b}' for a, b in pairs)})"
    return None


def short(function: Callable[..., Any]) -> str:
    """A short hash of the source of a function."""
    return hashlib.sha256("\n".join(function_lines(function)).encode()).hexdigest()[:12]
