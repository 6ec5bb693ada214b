"""Laws as data: the ways to write one, units by coordinate, and the way back."""

from __future__ import annotations

import math
from datetime import date
from math import pi
from typing import Any

import numpy as np
import pytest

from jointplay.laws.base import Law
from jointplay.laws.drive import Drive
from jointplay.laws.ideal import Ideal
from jointplay.laws.registry import REGISTRY
from jointplay.laws.spring import Spring
from jointplay.model.entry import Entry, Scene
from jointplay.model.lawtree import MATRICES, law_unit, parts, read_law
from jointplay.model.parameters import resolve
from jointplay.model.plain import tree

PLAIN = "needs plain numbers in SI (N/m, N/rad, N m/rad), by rows"


def read(raw: Any, coordinate: str = "m", **parameters: Any) -> tuple[Law | None, list[str]]:
    """The law and the messages."""
    entry = Entry({}, Scene(values=resolve(parameters)[0]))
    law = read_law(raw, ("angle",), coordinate, entry)
    return law, [message for _, message in entry.problems]


@pytest.mark.parametrize(
    "raw",
    [
        {"spring": {"stiffness": "15 N/mm", "damping": 3}},
        {"spring": "15 N/mm", "damping": "3 N*s/m"},
        {"damping": 3, "spring": 15000},
        {"spring": {"stiffness": "k"}, "damping": 3},
        Spring(stiffness="15 N/mm", damping=3),
        Spring(stiffness="k", damping=3.0),
    ],
)
def test_forms_of_one_law(raw: Any) -> None:
    """All forms give the same numbers."""
    assert read(raw, k="15 kN/m") == (Spring(15000.0, 3.0, 0.0, 0.0), [])


@pytest.mark.parametrize("raw", ["ideal", {"ideal": None}, {"ideal": {}}, Ideal()])
def test_law_without_fields(raw: Any) -> None:
    """A key is enough."""
    assert read(raw) == (Ideal(), [])


def test_units_follow_the_coordinate() -> None:
    """F and X are N and m, or N*m and rad."""
    assert law_unit("F*s/X", "m") == "N*s/m"
    assert law_unit("F/X", "rad") == "N*m/rad"
    assert law_unit("X/F", "rad") == "rad/(N*m)"
    assert law_unit("X", "rad") == "rad"
    turned = read({"spring": "2 N*m/rad", "free": "90 deg"}, "rad")[0]
    assert turned is not None
    assert turned.numbers() == pytest.approx((2.0, 0.0, pi / 2, 0.0))
    assert read({"spring": "2 N*m/rad"}, "m")[1]


def test_drive_takes_all_functions_of_time() -> None:
    """Expression, table in a mapping, callable, parameter."""
    for raw in ("6*t", "w*t", {"table": [[0, 0], [1, 6]], "kind": "linear"}, lambda t: 6 * t):
        law, problems = read({"drive": raw}, "rad", w=6)
        assert problems == []
        assert isinstance(law, Drive)
        assert law.value.value(0.5) == pytest.approx(3.0)


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ({"spring": {"stiffness": -1}}, "must be at least 0 N/m, is -1"),
        (Spring(stiffness="3 s"), "expected a stiffness (N/m), got 3 s (time)"),
        ("drive", "the law 'drive' needs 'value'"),
        ({}, "names no law"),
        ({"spring": {"stiffness": 1}, "stiffness": 2}, "'stiffness' is given twice"),
        ([1], "needs a law such as 'ideal' or {spring: ...}, not a list"),
    ],
)
def test_what_is_wrong(raw: Any, message: str) -> None:
    """One sentence each."""
    assert read(raw)[1] == [message]


LISTS = ([], [1.0], [-5], [[1]], ["1 mm"], (2.0, 3.0), [None], [True], np.ones(3), np.ones((2, 2)))


@pytest.mark.parametrize("law", REGISTRY)
def test_a_list_is_no_number(law: type[Law]) -> None:
    """Whatever the law and its field; only matrices of a bushing are lists."""
    for part in parts(law):
        if "unit" not in part.metadata or part.name in MATRICES.get(law, ()):
            continue
        for given in LISTS:
            found, problems = read({law.key: {part.name: given}})
            assert found is None
            assert any("not a list" in one or "not a tuple" in one or "not a ndarray" in one for one in problems)


@pytest.mark.parametrize("given", [[], [[]], [["1 N/m"]], [[True]], [["2024-05-01"]], [[1.0], [2.0, 3.0]], [[10**400]]])
def test_matrices_are_plain_numbers(given: Any) -> None:
    """By rows, in SI."""
    assert read({"bushing": {"stiffness": given}}) == (None, [PLAIN])
    assert read({"bushing": {"stiffness": [[1.0]], "damping": given}}) == (None, [PLAIN])


NUMBERS = (
    date(2024, 5, 1),
    "2024-05-01",
    True,
    False,
    {},
    {"a": 1},
    b"1",
    {1},
    1j,
    "",
    "nan",
    math.nan,
    math.inf,
    10**400,
)


@pytest.mark.parametrize("given", NUMBERS, ids=repr)
def test_what_is_no_number(given: Any) -> None:
    """One sentence, from Python as from a file."""
    assert len(read(Spring(stiffness=given))[1]) == 1
    assert read({"spring": {"damping": given}})[0] is None
    assert read({"coulomb": {"mu": 0.1, "load": given}})[0] is None


@pytest.mark.parametrize("law", [Ideal(), Spring("15 N/mm", free="1 mm"), Spring(), Drive("6*t"), Drive(3)])
def test_law_to_tree_and_back(law: Law) -> None:
    """What was given is what is written, and reads as the same law."""
    data = tree(law)
    assert read(data) == read(law)
    assert read(law)[1] == []
    fields = {} if isinstance(data, str) else data[law.key]
    assert all(getattr(law, name) == value for name, value in fields.items())


def test_every_law_declares_its_fields() -> None:
    """All laws of the registry have distinct keys and fields that the reader understands."""
    assert len({law.key for law in REGISTRY}) == len(REGISTRY)
    for law in REGISTRY:
        for part in parts(law):
            for unit in ("m", "rad"):
                text = part.metadata.get("unit", part.metadata.get("signal", ""))
                assert not {"F", "X"} & set(law_unit(text, unit).replace("(", "*").replace("/", "*").split("*"))
