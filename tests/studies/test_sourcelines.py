"""What a function says is part of the description of a study: its text, what it was bound to, and what it names."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import jointplay as jp
from jointplay.studies.sourcelines import function_lines, short

FACTOR = 2.0
TABLE = [1.0, 2.0]


def helper(x):
    return x * FACTOR


def of_helper(x):
    return helper(x) + TABLE[0]


def bound(k):
    return lambda x: k * x


class Scaled:
    def __init__(self, k):
        self.k = k

    def __call__(self, x):
        return self.k * x

    def method(self, x):
        return self.k * x


@pytest.mark.parametrize("make", [bound, lambda k: partial(helper, k), Scaled, lambda k: Scaled(k).method,
                                  lambda k: partial(np.dot, np.array([k, 1.0]))])  # fmt: skip
def test_what_a_function_is_bound_to_counts(make):
    assert short(make(1.0)) == short(make(1.0))
    assert short(make(1.0)) != short(make(2.0))


def test_what_it_names_counts(monkeypatch):
    before = short(of_helper)
    assert short(of_helper) == before
    with monkeypatch.context() as patch:
        patch.setitem(globals(), "FACTOR", 3.0)
        assert short(of_helper) != before
    with monkeypatch.context() as patch:
        patch.setitem(globals(), "TABLE", [1.5, 2.0])
        assert short(of_helper) != before
    with monkeypatch.context() as patch:
        patch.setitem(globals(), "helper", lambda x: x)
        assert short(of_helper) != before
    assert short(of_helper) == before


def test_functions_without_a_text_are_told_apart_by_what_they_do():
    one, two, same = ({} for _ in range(3))
    exec("def f(x): return 2*x", one)
    exec("def f(x): return 3*x", two)
    exec("def f(x): return 2*x", same)
    assert function_lines(one["f"]) == function_lines(same["f"]) != function_lines(two["f"])


def test_functions_that_name_each_other_end():
    def a(x):
        return b(x) if x else 0

    def b(x):
        return a(x - 1)

    assert short(a) == short(a)


def test_another_value_behind_a_function_is_another_study(tmp_path):
    """Both give the same at the nominal value, so that nothing but the description can tell them apart."""
    path = tmp_path / "s.nc"

    def make(power):
        return lambda x: (x / 2.0) ** power

    vary, plan = {"x": jp.Uniform(1.0, 3.0)}, jp.Random(8, seed=1)
    first = jp.study(make(2), vary, plan=plan, output=path)
    whole = path.read_bytes()
    with pytest.raises(jp.InputError, match=r"holds another study.*\n(.*\n)*.*has power: 3"):
        jp.study(make(3), vary, plan=plan, output=path)
    assert path.read_bytes() == whole
    again = jp.study(make(2), vary, plan=plan, output=path)
    assert np.array_equal(again["value"], first["value"])
