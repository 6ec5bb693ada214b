"""Arguments as machine code takes them: signatures that tell kinds apart, and slots."""

from __future__ import annotations

import struct
from typing import NamedTuple

import numpy as np
import pytest

from jointplay.codes import Code
from jointplay.native import arguments
from jointplay.native.arguments import describe, entry_name, leaves_of, pack, signature_hash, slots_of

PAIR = np.dtype([("a", np.uint32), ("b", np.float64, (3,))], align=True)


class Group(NamedTuple):
    first: np.ndarray
    second: np.ndarray


class Other(NamedTuple):
    first: np.ndarray
    second: np.ndarray


def test_numbers_and_arrays_say_what_they_are() -> None:
    whole = np.zeros((3, 4))
    assert [describe(one) for one in (1, 1.0, True, 1j, np.uint32(1), Code.DONE)] == [
        "int64",
        "float64",
        "bool",
        "complex128",
        "uint32",
        "int64",
    ]
    assert describe(whole) == "float64[2C]"
    assert describe(whole.T) == "float64[2F]"
    assert describe(whole[:, ::2]) == "float64[2A]"
    assert describe(whole[0]) == "float64[1C]"
    whole.flags.writeable = False
    assert describe(whole) == "float64[2C constant]"


def test_records_are_known_by_their_fields() -> None:
    array = np.zeros(2, PAIR)
    assert describe(array) == f"{entry_name(PAIR)}[1C]"
    assert describe(array[0]) == entry_name(PAIR)
    assert describe(array.view(np.recarray)) == describe(array)
    moved = np.dtype({"names": ["a", "b"], "formats": [np.uint32, (np.float64, 3)], "offsets": [0, 16]})
    renamed = np.dtype([("a", np.uint32), ("c", np.float64, (3,))], align=True)
    assert len({entry_name(one) for one in (PAIR, moved, renamed)}) == 3


def test_tuples_are_told_apart_by_their_names() -> None:
    line = np.zeros(3)
    assert describe((line, 1.0)) == "(float64[1C], float64)"
    kinds = [Group(line, line), Other(line, line), (line, line), (line, (line,))]
    assert len({signature_hash([one]) for one in kinds}) == 4
    assert len({leaves_of([one])[1] for one in kinds}) == 4


@pytest.mark.parametrize("bad", ["text", None, np.float32(1.0), [1.0], object()])
def test_what_a_kernel_cannot_take(bad: object) -> None:
    with pytest.raises(TypeError, match="a kernel takes numbers, arrays and tuples of them"):
        describe(bad)


def test_slots_in_the_order_of_the_leaves() -> None:
    array = np.zeros((2, 3))
    records = np.zeros(4, PAIR)
    leaves, _ = leaves_of((array, (7, 2.5), records[1], 1.0 - 2.0j))
    form, values = slots_of(leaves)
    place = array.__array_interface__["data"][0]
    assert values[:9] == [0, 0, 6, 8, place, 2, 3, 24, 8]
    assert values[9:11] == [7, 2.5]
    assert values[11] == records.__array_interface__["data"][0] + PAIR.itemsize
    assert values[12:] == [1.0, -2.0]
    assert struct.calcsize("=" + form) == 8 * len(values)


def test_a_length_of_one_or_none_is_no_kind_of_its_own() -> None:
    assert describe(np.zeros((0, 12))) == describe(np.zeros((5, 12))) == describe(np.zeros((1, 12)))


def test_tuples_are_remembered_and_told_apart() -> None:
    line, other = np.zeros(3), np.zeros((2, 2))
    first, second = Group(line, line), Group(line, other)
    assert pack((first, 1.0)) == pack((first, 1.0))
    assert pack((first, 1.0))[1] != pack((first, 2.0))[1]
    assert pack((first,))[0] != pack((second,))[0]
    assert pack((Group(line, line),))[0] == pack((first,))[0]  # another one of the same kind
    assert pack((Group(line, line),))[0] != pack((Other(line, line),))[0]
    for _ in range(100):  # none takes the place of one that is gone
        group = Group(np.zeros(3), np.zeros(3))
        leaves, _ = leaves_of((group,))
        form, values = slots_of(leaves)
        assert pack((group,))[1] == struct.pack("=" + form, *values)


def test_no_more_tuples_are_kept_than_a_few() -> None:
    for _ in range(3 * arguments.REMEMBERED):
        pack((Group(np.zeros(3), np.zeros(3)),))
    assert len(arguments._known) <= arguments.REMEMBERED
    large = Group(np.zeros(arguments.LARGE), np.zeros(1))
    pack((large,))
    assert id(large) not in arguments._known


def test_arrays_of_remembered_tuples_are_remembered_with_them() -> None:
    line, other = np.zeros(3), np.zeros((2, 2))
    group = Group(line, other)
    before = pack((line, 2, other))
    pack((group,))
    after = pack((line, 2, other))
    assert before[1] == after[1] == pack((line, 2, other))[1]
    assert arguments._within[id(line)] is not None
    assert pack((line,))[0] != pack((other,))[0]
    for _ in range(arguments.REMEMBERED):
        pack((Group(np.zeros(3), np.zeros(3)),))
    assert id(line) not in arguments._within and len(arguments._within) <= 2 * arguments.REMEMBERED
    assert pack((line, 2, other))[1] == before[1]
