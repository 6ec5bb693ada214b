"""Arguments of a kernel as its machine code takes them: a list of slots of eight bytes.

    number           itself; a complex one takes two slots
    array            0, 0, entries, bytes of an entry, address, shape, strides
    record           its address
    tuple            its items, one after the other

An array is described by its type of entries, its number of dimensions and the order of its memory (C, F, or A: any).
A kernel has machine code for some such *signatures*; one is written as text, and known by a hash of it.

Tuples of arrays come back call after call, and so do single arrays out of them. What they look like, and their slots,
are remembered for the last ones: a tuple does not change, nor do the places of its arrays.
"""

from __future__ import annotations

import hashlib
import struct
import threading
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

C, F, WRITEABLE = 0x0001, 0x0002, 0x0400  # flags of NumPy
FLAGS = C | F | WRITEABLE
NUMBERS = {bool: "bool", int: "int64", float: "float64", complex: "complex128"}
GENERIC = ("bool", "uint8", "int32", "uint32", "int64", "float64", "complex128")  # numbers of NumPy that are taken

Leaf = Any  # a number, an array or a record


@cache
def entry_name(dtype: np.dtype[Any]) -> str:
    """Name of a type of entries: that of a number, or a hash of the fields of a record."""
    if dtype.fields is None:
        if dtype.subdtype is not None:
            return f"{entry_name(dtype.subdtype[0])}{dtype.subdtype[1]}"
        return dtype.name if dtype.isnative else dtype.str
    return f"record-{hashlib.sha256(_fields(dtype).encode()).hexdigest()[:16]}"


def _fields(dtype: np.dtype[Any]) -> str:
    assert dtype.fields is not None and dtype.names is not None
    lines = [f"{name} {dtype.fields[name][1]} {entry_name(dtype.fields[name][0])}" for name in dtype.names]
    return "\n".join([*lines, str(dtype.itemsize)])


def look_of(leaf: Leaf) -> object:
    """Something hashable that leaves of one kind share, quickly found."""
    if isinstance(leaf, np.ndarray):
        return leaf.dtype, leaf.ndim, leaf.flags.num & FLAGS
    if isinstance(leaf, np.void):
        return np.void, leaf.dtype
    return type(leaf)


def describe(argument: Any) -> str:
    """Text of an argument's kind."""
    if isinstance(argument, np.ndarray):
        flags = argument.flags
        order = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
        constant = "" if flags.writeable else " constant"
        return f"{entry_name(argument.dtype)}[{argument.ndim}{order}{constant}]"
    if isinstance(argument, tuple):
        name = type(argument).__name__ if hasattr(argument, "_fields") else ""
        return f"{name}({', '.join(map(describe, argument))})"
    if isinstance(argument, np.void):
        return entry_name(argument.dtype)
    if isinstance(argument, np.generic) and argument.dtype.name in GENERIC:
        return argument.dtype.name
    if isinstance(argument, int) and not isinstance(argument, bool):
        return "int64"  # enumerations too
    if type(argument) in NUMBERS:
        return NUMBERS[type(argument)]
    raise TypeError(f"a kernel takes numbers, arrays and tuples of them, not {argument!r}")


def signature_hash(arguments: Sequence[Any]) -> str:
    """Hash under which the machine code for such arguments is known."""
    return hashlib.sha256(", ".join(map(describe, arguments)).encode()).hexdigest()[:16]


def leaves_of(arguments: Sequence[Any]) -> tuple[list[Leaf], tuple[object, ...]]:
    """All numbers, arrays and records; and a hashable description of what they are and how they stand."""
    found: list[Leaf] = []
    looks: list[object] = []
    _gather(arguments, found, looks)
    return found, tuple(looks)


def _gather(arguments: Sequence[Any], found: list[Leaf], looks: list[object]) -> None:
    for one in arguments:
        if isinstance(one, tuple):
            looks.append((type(one), len(one)))
            _gather(one, found, looks)
        else:
            found.append(one)
            looks.append(look_of(one))


class Known(NamedTuple):
    """A tuple, or an array of one, that was packed before; as long as it is kept here, no other one has its address."""

    argument: Any
    look: int
    slots: bytes
    inside: tuple[int, ...] = ()  # addresses of the arrays of a tuple


REMEMBERED = 32  # tuples
LARGE = 1_000_000  # bytes of arrays in a tuple that is not kept alive for it
_known: dict[int, Known] = {}
_within: dict[int, Known | None] = {}  # arrays of these tuples, which come alone as well; None until one does
_numbers: dict[tuple[object, ...], int] = {}  # of looks
_lock = threading.Lock()
_float, _int = struct.Struct("=d").pack, struct.Struct("=q").pack


def pack(arguments: Sequence[Any]) -> tuple[tuple[object, ...], bytes]:
    """Looks of all arguments, hashable, and their slots. Who calls keeps the arguments alive."""
    looks, slots = list[object](), list[bytes]()
    for one in arguments:
        if isinstance(one, tuple):
            known = _known.get(id(one)) or _remember(one)
            looks.append(known.look)
            slots.append(known.slots)
        elif type(one) is float:
            looks.append(float)
            slots.append(_float(one))
        elif type(one) is int:
            looks.append(int)
            slots.append(_int(one))
        elif id(one) in _within:
            known = _within.get(id(one)) or _remember_array(one)
            looks.append(known.look)
            slots.append(known.slots)
        else:
            looks.append(look_of(one))
            slots.append(_slots((one,)))
    return tuple(looks), b"".join(slots)


def remember(group: tuple[Any, ...]) -> None:
    """Remember the arrays of a tuple that are about to come one by one, call after call."""
    if id(group) not in _known:
        _remember(group)


def _remember(group: tuple[Any, ...]) -> Known:
    leaves, looks = leaves_of((group,))
    arrays = [one for one in leaves if isinstance(one, np.ndarray)]
    with _lock:
        look = _numbers.setdefault(looks, len(_numbers))
        known = Known(group, look, _slots(leaves), tuple(map(id, arrays)))
        if sum([one.nbytes for one in arrays]) < LARGE:
            while len(_known) >= REMEMBERED:
                for gone in _known.pop(next(iter(_known))).inside:
                    _within.pop(gone, None)
            _known[id(group)] = known
            _within.update(dict.fromkeys(known.inside))
    return known


def _remember_array(one: np.ndarray) -> Known:
    """An array of a tuple that is remembered: it goes when the tuple does."""
    with _lock:
        known = Known(one, _numbers.setdefault((look_of(one),), len(_numbers)), _slots((one,)))
        if id(one) in _within:
            _within[id(one)] = known
    return known


def _slots(leaves: Sequence[Leaf]) -> bytes:
    form, values = slots_of(leaves)
    return struct.pack("=" + form, *values)


def slots_of(leaves: Sequence[Leaf]) -> tuple[str, list[Any]]:
    """What the slots hold: a format for ``struct``, and the values."""
    form, values = [], list[Any]()
    for one in leaves:
        if isinstance(one, np.ndarray):
            form.append(f"{5 + 2 * one.ndim}q")
            values += (0, 0, one.size, one.itemsize, address(one), *one.shape, *one.strides)
        elif isinstance(one, np.void):
            form.append("q")
            values.append(address(one))
        elif isinstance(one, complex | np.complexfloating):
            form.append("dd")
            values += (one.real, one.imag)
        elif isinstance(one, float | np.floating):
            form.append("d")
            values.append(float(one))
        else:
            form.append("q")
            values.append(int(one))
    return "".join(form), values


def address(data: np.ndarray | np.void) -> int:
    """Where the memory of an array or a record begins."""
    if isinstance(data, np.ndarray):
        return int(data.ctypes.data)  # the interface below describes all fields of a record, which takes its time
    return int(data.__array_interface__["data"][0])
