"""Shared libraries of kernels: found, checked, loaded. No compiler and no pickles are involved.

A library NAME-LEVEL.so stands beside NAME-LEVEL.json, its *manifest*: what it was made from, a hash of its bytes, and
its entries by kernel and signature. An entry is a C function

    int32 entry(const void *slots, void *result)

of the slots of arguments.py; it returns 0 unless the kernel failed. The result is laid out as C would, in the format
that the manifest has for it: letters of ``struct``, Z for a complex number, brackets for tuples.

Four libraries ship with the package, each for one or more levels of processors: "engine" has what a run needs,
"derivatives" direct and adjoint derivatives of methods that record their steps, "contact_derivatives" those of the
others, "complex" runs with complex numbers, for derivatives by an imaginary step. Several cores make them at once.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import struct
from collections.abc import Callable, Iterator
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from ..cachefolder import VARIABLE, kernel_folder
from .processor import levels
from .sources import LIBRARIES, PACKAGE, are_unchanged, hashes

FORMAT = 1  # of manifests and entries
SHIPPED = PACKAGE / "native" / "lib"


class KernelError(RuntimeError):
    """A kernel cannot be run here; the message has what to do."""


class Result:
    """How the result of an entry lies in memory: "d" a number, "(dq)" a tuple of two, "" nothing."""

    def __init__(self, form: str) -> None:
        self.form = form
        self._flat = struct.Struct("@" + form.replace("(", "").replace(")", "").replace("Z", "dd"))
        self.size = max(8, self._flat.size + 8)
        self.room = ctypes.c_char * self.size
        plain = "(" not in form[1:] and "Z" not in form
        self._is_number, self._is_line = plain and len(form) == 1, plain and form.startswith("(")

    def read(self, data: Any) -> Any:
        """The value, of bytes or of room that was filled."""
        numbers = self._flat.unpack_from(data)
        if self._is_number:
            return numbers[0]
        return numbers if self._is_line else self._nested(numbers)

    def _nested(self, numbers: tuple[Any, ...]) -> Any:
        """Numbers with their brackets."""
        left = iter(numbers)
        stack: list[list[Any]] = [[]]
        for letter in self.form:
            if letter == "(":
                stack.append([])
            elif letter == ")":
                done = tuple(stack.pop())
                stack[-1].append(done)
            else:
                stack[-1].append(complex(next(left), next(left)) if letter == "Z" else next(left))
        return stack[0][0] if stack[0] else None


class Entry:
    """Machine code of a kernel for one signature."""

    def __init__(self, function: Any, result: Result, name: str) -> None:
        function.argtypes, function.restype = (ctypes.c_char_p, ctypes.c_char_p), ctypes.c_int32
        self.function, self._result, self._name = function, result, name

    def run(self, slots: bytes) -> Any:
        """Run it; who calls keeps the arrays alive that the slots point to."""
        room = self._result.room()
        status = self.function(slots, room)
        if status != 0:
            raise KernelError(f"{self._name} ended with status {status}, which no kernel should")
        return self._result.read(room)


class Library:
    """A library on disk."""

    def __init__(self, manifest: Path) -> None:
        self.manifest = manifest
        self.path = manifest.with_suffix(".so")
        self.facts: dict[str, Any] = json.loads(manifest.read_text(encoding="utf-8"))
        if self.facts.get("format") != FORMAT:
            raise KernelError(f"{manifest} was made by another version of jointplay")

    @cached_property
    def _code(self) -> Any:
        if hashlib.sha256(self.path.read_bytes()).hexdigest() != self.facts["sha256"]:
            raise KernelError(f"{self.path} is damaged: it is not the library that was made; install jointplay again")
        return ctypes.CDLL(str(self.path))

    @cached_property
    def is_current(self) -> bool:
        """True if its sources have not been changed since."""
        name = self.facts.get("library", "")
        return name in LIBRARIES and are_unchanged(name, self.facts["sources"])

    def entry(self, kernel: str, signature: str, key: Callable[[], str]) -> Entry | None:
        """Machine code of a kernel, if the kernel still is what it was."""
        found = self.facts["entries"].get(kernel, {}).get(signature)
        if found is None or not (self.is_current or found["key"] == key()):
            return None
        return Entry(self._code[found["symbol"]], Result(found["result"]), kernel)


def manifests(name: str) -> Iterator[Path]:
    """Where a library may be: shipped with the package, or made here; for the best level of this processor first."""
    for level in levels():
        for folder in (SHIPPED, made_here()):
            place = folder / f"{name}-{level}.json"
            if place.is_file():
                yield place


@cache
def made_here() -> Path:
    """Folder of libraries that were made on this machine, where the package itself cannot be written."""
    return kernel_folder("libraries", PACKAGE)


@cache
def library(name: str) -> Library | None:
    """The library of this name that this processor runs best; None if there is none."""
    for place in manifests(name):
        found = Library(place)
        if found.path.is_file():
            return found
    return None


def find(kernel: str, signature: str, key: Callable[[], str]) -> Entry | None:
    """Machine code from one of the libraries that come with the package, or from one of its own."""
    for name in LIBRARIES:
        held = library(name)
        entry = held.entry(kernel, signature, key) if held else None
        if entry is not None:
            return entry
    place = single(key(), signature)
    return Library(place).entry(kernel, signature, key) if place.is_file() else None


def single(key: str, signature: str) -> Path:
    """Manifest of a library that holds one kernel for one signature."""
    return made_here() / f"{key[:24]}-{signature}-{levels()[0]}.json"


def identity() -> str:
    """What machine code a run is made by: level of the processor and a hash of the library, as results record it."""
    held = library("engine")
    made = held.facts["sha256"][:12] if held is not None and held.is_current else "compiled here"
    return f"{held.facts['level'] if held else levels()[0]} {made}"


@cache
def engine_key() -> str:
    """Hash of what the kernels of the engine do, comments not counted: the same key, the same arithmetic."""
    held = library("engine")
    known = held.facts["sources"] if held is not None and held.is_current else hashes("engine")
    return hashlib.sha256("".join(code for _, code in known.values()).encode()).hexdigest()[:16]


if os.environ.get(VARIABLE):  # a folder that somebody has chosen: whether it will do is checked at once
    made_here()
