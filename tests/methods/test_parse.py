"""Methods from text and trees: options as declared, misspelt ones answered."""

from __future__ import annotations

from typing import Any

import pytest

import jointplay as jp
from jointplay.methods.parse import method_of
from jointplay.methods.registry import METHODS
from jointplay.quantities.units import si


@pytest.mark.parametrize("key", METHODS)
def test_every_method_by_its_key(key: str) -> None:
    assert method_of(key) == METHODS[key]()
    assert method_of({key: None}) == METHODS[key]()


def test_options_and_overrides() -> None:
    assert method_of({"explicit": {"rtol": 1e-6}}) == jp.Explicit(rtol=1e-6)
    assert method_of({"explicit": {"rtol": 1e-6}}, rtol=1e-7, atol=1e-9) == jp.Explicit(rtol=1e-7, atol=1e-9)
    assert method_of(jp.Verlet(step=1e-3), step=1e-4) == jp.Verlet(step=1e-4)
    assert method_of({"verlet": {"step": "0.5 ms"}}, si) == jp.Verlet(step=5e-4)
    assert method_of({"explicit": {"step": 0}}) == jp.Explicit()


@pytest.mark.parametrize(
    ("given", "field", "message"),
    [
        ("explict", "method", "did you mean 'explicit'?"),
        ({"explicit": {"rtl": 1}}, "method.explicit.rtl", "did you mean 'rtol'?"),
        ({"explicit": {"rtol": -1}}, "method.explicit.rtol", "greater than zero"),
        ({"verlet": {"step": 0}}, "method.verlet.step", "greater than zero"),
        ({"verlet": {"step": "soon"}}, "method.verlet.step", "soon"),
        ({"verlet": {"step": "1 kg"}}, "method.verlet.step", "expected a time"),
        ({"verlet": {"step": True}}, "method.verlet.step", "number"),
        ({"verlet": [1]}, "method.verlet", "mapping"),
        ({}, "method", "name of one method"),
        (7, "method", "name of a method"),
    ],
)
def test_what_is_wrong_is_said(given: Any, field: str, message: str) -> None:
    with pytest.raises(jp.InputError) as caught:
        method_of(given, si)
    (problem,) = caught.value.problems
    assert problem.field == field
    assert message in problem.message


def test_all_problems_at_once() -> None:
    with pytest.raises(jp.InputError) as caught:
        method_of({"explicit": {"rtol": -1, "atol": 0, "speed": 3}})
    assert len(caught.value.problems) == 3
