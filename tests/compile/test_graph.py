"""The order of elimination: found by a bound where that says enough, and the same as by looking at the other order."""

from __future__ import annotations

import numpy as np
import pytest

from jointplay.compile import graph
from jointplay.numerics.ldl import analyse, fill_reducing_order


def neighbours_of(first: np.ndarray, second: np.ndarray) -> list[set[int]]:
    """Rows that meet on a body; 0 is the ground."""
    bodies = [{int(a), int(b)} - {0} for a, b in zip(first, second, strict=True)]
    return [{s for s, other in enumerate(bodies) if s == r or own & other} for r, own in enumerate(bodies)]


def compared(neighbours: list[set[int]]) -> np.ndarray:
    """The order by its definition: both orders looked at."""
    size = len(neighbours)
    places = np.array([(r, s) for r in range(size) for s in neighbours[r]])
    order = fill_reducing_order(size, places[:, 0], places[:, 1])
    _, links = analyse(order, graph._lower(order, neighbours))
    envelope = sum(r - min(near) for r, near in enumerate(neighbours))
    return np.arange(size) if envelope <= graph.NATURAL * len(links) else order


@pytest.mark.parametrize("bodies", [2, 5, 9])
def test_the_bound_decides_nothing_by_itself(bodies: int) -> None:
    random = np.random.default_rng(bodies)
    for _ in range(100):
        first = random.integers(0, bodies, random.integers(1, 25))
        second = (first + random.integers(1, bodies, len(first))) % bodies
        neighbours = neighbours_of(first, second)
        assert np.array_equal(graph._order(neighbours), compared(neighbours))


def test_a_chain_needs_no_other_order(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> np.ndarray:
        raise AssertionError("another order was looked for")

    monkeypatch.setattr(graph, "fill_reducing_order", refuse)
    first = np.repeat(np.arange(20), 5)
    assert np.array_equal(graph._order(neighbours_of(first, first + 1)), np.arange(100))
