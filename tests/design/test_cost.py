from __future__ import annotations

import math

import numpy as np
import pytest

import jointplay as jp
from jointplay.design.cost import Mixed


def test_gradient_of_any_python() -> None:
    cost = jp.Cost(lambda gap, mu: 1e-4 / gap + math.exp(mu) * abs(mu - 3.0))
    point = {"gap": 2e-4, "mu": 0.5}
    assert cost.value(point) == pytest.approx(0.5 + 2.5 * math.exp(0.5), rel=1e-15)
    expected = [-1e-4 / 2e-4**2, (2.5 - 1.0) * math.exp(0.5)]
    assert cost.gradient(point, np.ones(2)) == pytest.approx(expected, rel=1e-10)


def test_gradient_at_zero_uses_the_scale() -> None:
    cost = jp.Cost(lambda x: math.sin(x / 1e-6))
    assert cost.gradient({"x": 0.0}, np.array([1e-6])) == pytest.approx([1e6], rel=1e-9)


def test_sums() -> None:
    one, two = jp.Cost(lambda x: x, "one"), jp.Cost(lambda x: x**2, "two")
    assert (one + two).value({"x": 3.0}) == 12.0
    motion = jp.Final("a") + jp.Final("b")
    for total in (one + motion + two, motion + (one + two), jp.Final("a") + one + (jp.Final("b") + two)):
        assert isinstance(total, Mixed)
        assert total.cost.value({"x": 3.0}) == 12.0
        assert total.objective == motion
    assert str(one + jp.Final("a")) == "one + Final('a')"


def test_not_a_function() -> None:
    with pytest.raises(jp.InputError, match="needs a function"):
        jp.Cost(3.0)  # type: ignore[arg-type]


def test_limit_reads_units() -> None:
    assert jp.AtMost(jp.Final("a"), "2 kN").level == 2000.0
    with pytest.raises(jp.InputError, match="AtLeast: value"):
        jp.AtLeast(jp.Final("a"), "2 apples")
