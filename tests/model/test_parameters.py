"""Parameters: any order, units, circles."""

from __future__ import annotations

import tracemalloc

import pytest

from jointplay.model.parameters import resolve


def test_any_order_and_units() -> None:
    """A parameter may be used before it is written."""
    values, problems = resolve({"half": "L/2 + 1 mm", "L": "80 mm", "count": 3, "area": "L*half"})
    assert problems == []
    assert values["half"].si == pytest.approx(0.041)
    assert values["area"].si == pytest.approx(0.08 * 0.041)
    assert str(values["area"].dimension) == "m^2"
    assert values["count"].dimension is None


def test_circle_is_named() -> None:
    """The message says who names whom; parameters outside the circle are still worked out."""
    values, problems = resolve({"a": "b", "b": "2*c", "c": "a + 1", "d": "a", "e": 5})
    assert problems == [("a", "parameters name each other in a circle: a -> b -> c -> a")]
    assert set(values) == {"e"}


def test_parameter_of_itself() -> None:
    """The smallest circle."""
    assert resolve({"a": "a + 1"})[1] == [("a", "parameters name each other in a circle: a -> a")]


def test_users_of_a_broken_parameter_are_not_blamed() -> None:
    """One problem, at its root."""
    values, problems = resolve({"a": "3 parrots", "b": "2*a"})
    assert [name for name, _ in problems] == ["a"]
    assert values == {}


@pytest.mark.parametrize("name", ["t", "pi", "sin", "2nd", "a.b", "", "größe", 3])
def test_names_that_cannot_be(name: object) -> None:
    """Time, constants, functions and odd characters."""
    assert [bad for bad, _ in resolve({name: 1})[1]] == [str(name)]  # type: ignore[dict-item]


def test_long_chain_needs_no_recursion() -> None:
    """Ten thousand parameters, each over the next."""
    raw: dict[str, object] = {f"p{k}": f"p{k + 1} + 1" for k in range(10_000)}
    values, problems = resolve(raw | {"p10000": 0})
    assert problems == []
    assert values["p0"].si == 10_000


def test_twice_as_many_parameters_take_twice_the_memory() -> None:
    """And not four times: no parameter carries the names of all others."""

    def most(count: int) -> int:
        tracemalloc.start()
        assert not resolve({"p0": 1} | {f"p{k}": f"p{k - 1} + {k}" for k in range(1, count)})[1]
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak

    most(10)
    assert most(1600) < 3 * most(800)


def test_thousands_of_slips_are_told() -> None:
    """The nearest name is looked for a few times, not at each of them."""
    problems = resolve({f"part_{k}": f"prat_{k}" for k in range(300)})[1]
    assert len(problems) == 300
    assert "did you mean" in problems[0][1]
    assert problems[-1][1] == "unknown name 'prat_299'"
