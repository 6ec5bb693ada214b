"""Calls of machine code that is known by address only: laws and functions that users have written (laws/own.py).

The code is an entry of a library (native/library.py), made from a kernel

    answers(p, p_step, z, z_step, a, b, c)              a tuple of five numbers
    rates(p, p_step, z, z_step, a, b, c, out)           fills ``out``
    jet(stack, step, top)                               changes ``stack``

where p (numbers), z (states) and ``out`` are arrays of doubles, ``step`` of them to a number (2: real and imaginary
part), and a, b, c are numbers of the scalar of the caller, real or complex. ``jet`` takes its arguments, each with its
derivative in the direction of the jets (numerics/signals.py), from lines of three numbers from line ``top`` on, and
leaves f, f' and not-a-number for f'' in the first of them. Where the code fails (a law that raises),
all answers are not numbers, and the run ends there.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

from ..native.arguments import pack
from ..native.library import Result

ANSWERS = 5
VERSION = 1  # changes with what compiler/indirect.py makes of a call
ENTRY = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_char_p, ctypes.c_char_p)


def _call(address: int, arguments: tuple[Any, ...], form: str) -> Any:
    """What an entry answers; None if it fails."""
    result = Result(form)
    room = ctypes.create_string_buffer(result.size)
    status = ENTRY(int(address))(pack(arguments)[1], room)
    return None if status else result.read(room.raw)


def _doubles(array: np.ndarray) -> tuple[np.ndarray, int]:
    """The doubles that an array consists of, and how many make a number."""
    return np.ascontiguousarray(array).view(np.float64), array.itemsize // 8


def call_at(address, p, z, a, b, c):
    """Five answers to the arguments a, b, c."""
    scalar = complex if any(isinstance(one, complex) for one in (a, b, c)) else float
    arguments = (*_doubles(p), *_doubles(z), scalar(a), scalar(b), scalar(c))
    answers = _call(address, arguments, "(ZZZZZ)" if scalar is complex else "(ddddd)")
    return (scalar(np.nan),) * ANSWERS if answers is None else answers


def fill_at(address, p, z, a, b, c, out):
    """Leave the answers in ``out``."""
    scalar = complex if out.dtype.kind == "c" else float
    found = np.zeros(len(out), dtype=out.dtype)
    arguments = (*_doubles(p), *_doubles(z), scalar(a), scalar(b), scalar(c), found.view(np.float64))
    _call(address, arguments, "")  # where it fails, they are not numbers: the entry begins with that
    out[:] = found


def jet_at(address, stack, top):
    """Replace jets from line ``top`` on by that of a function of them."""
    arguments = (stack.view(np.float64).reshape(-1), stack.itemsize // 8, int(top))
    _call(address, arguments, "")  # where it fails, the answers are not numbers


class ByAddress:
    """A function as kernels call it: instructions of the machine where they are compiled, else plain Python."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.plain = function
        self.instruction = f"{function.__name__} {VERSION}"
        self.__doc__ = function.__doc__

    def __call__(self, *arguments: Any) -> Any:
        """As plain Python."""
        return self.plain(*arguments)

    @property
    def _numba_type_(self) -> Any:
        """What Numba reads; imports Numba."""
        from ..compiler.indirect import instruction

        return instruction(self.plain.__name__)


call_at = ByAddress(call_at)
fill_at = ByAddress(fill_at)
jet_at = ByAddress(jet_at)
