"""Which rows meet on a body: the pattern of N = W M^-1 W^T, its order of elimination and its pairs."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ..arrays import ABSENT, INDEX, pair_dtype
from ..numerics.ldl import analyse, fill_reducing_order

NATURAL = 1.05  # entries of L, relative to the fill-reducing order, that the natural order may have


def _lower(order: np.ndarray, neighbours: list[set[int]]) -> list[list[int]]:
    """Columns j < k of each row k of the ordered matrix."""
    place = np.empty(len(order), dtype=int)
    place[order] = np.arange(len(order))
    return [sorted(int(place[s]) for s in neighbours[int(r)] if place[s] < k) for k, r in enumerate(order)]


def _order(neighbours: list[set[int]]) -> np.ndarray:
    """Order of elimination: rows as they come, unless another order leaves L clearly emptier.

    As they come they lie in memory as they are met, which is better for the cache. No order can leave L emptier than N
    is: in most mechanisms that says enough, and no other order has to be found.
    """
    size = len(neighbours)
    natural = np.arange(size)
    envelope = sum(r - min(neighbours[r], default=r) for r in range(size))  # bounds the entries of L
    entries = sum(s < r for r in range(size) for s in neighbours[r])  # of N, below its diagonal
    if envelope <= NATURAL * entries:
        return natural
    places = np.array([(r, s) for r in range(size) for s in neighbours[r]], dtype=int)
    order = fill_reducing_order(size, places[:, 0], places[:, 1])
    _, links = analyse(order, _lower(order, neighbours))
    return natural if envelope <= NATURAL * len(links) else order


Graph = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def constraint_graph(first: np.ndarray, second: np.ndarray) -> Graph:
    """Places, links, pairs and their columns for rows between bodies ``first[r]`` and ``second[r]`` (0: ground).

    Remembered: studies and sensitivities compile the same mechanism with other numbers again and again.
    """
    place, link, pair, column = _graph(tuple(first.tolist()), tuple(second.tolist()))
    return place.copy(), link.copy(), pair.copy(), column.copy()


@lru_cache(maxsize=64)
def _graph(first: tuple[int, ...], second: tuple[int, ...]) -> Graph:
    size = len(first)
    touching: dict[int, list[int]] = {}
    for r in range(size):
        for body in {int(first[r]), int(second[r])} - {0}:
            touching.setdefault(body, []).append(r)
    neighbours: list[set[int]] = [set() for _ in range(size)]
    for rows in touching.values():
        for r in rows:
            neighbours[r].update(rows)
    order = _order(neighbours)
    lower = _lower(order, neighbours)
    places_of_l, links = analyse(order, lower)

    pairs = np.zeros(int(places_of_l["entry"][-1]), dtype=pair_dtype)
    column = np.zeros(len(pairs), dtype=INDEX)
    entry = 0
    for k in range(size):
        r = int(order[k])
        for j in (*lower[k], k):
            s = int(order[j])
            halves = [
                (6 * side, 6 * other)
                for side, body in enumerate((int(first[r]), int(second[r])))
                for other, peer in enumerate((int(first[s]), int(second[s])))
                if body == peer and body != 0
            ]
            halves += [(int(ABSENT), int(ABSENT))] * (2 - len(halves))
            pairs[entry] = (r, s, *halves[0], *halves[1])
            column[entry] = j
            entry += 1
    return places_of_l, links, pairs, column
