"""Which rows meet on a body: the pattern of N = W M^-1 W^T, its order of elimination and its pairs."""

from __future__ import annotations

import numpy as np

from ..arrays import NONE, pair_dtype
from ..numerics.ldl import analyse, fill_reducing_order


def constraint_graph(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Places and links of the factor, and pairs, for rows between bodies ``first[r]`` and ``second[r]`` (0: ground)."""
    size = len(first)
    touching: dict[int, list[int]] = {}
    for r in range(size):
        for body in {int(first[r]), int(second[r])} - {0}:
            touching.setdefault(body, []).append(r)
    neighbours: list[set[int]] = [set() for _ in range(size)]
    for rows in touching.values():
        for r in rows:
            neighbours[r].update(rows)
    places = [(r, s) for r in range(size) for s in neighbours[r]]
    coordinates = np.array(places, dtype=int).reshape(-1, 2)
    order = fill_reducing_order(size, coordinates[:, 0], coordinates[:, 1])
    place = np.empty(size, dtype=int)
    place[order] = np.arange(size)
    lower = [sorted(int(place[s]) for s in neighbours[int(r)] if place[s] < k) for k, r in enumerate(order)]
    places_of_l, links = analyse(order, lower)

    pairs = np.zeros(int(places_of_l["entry"][-1]), dtype=pair_dtype)
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
            halves += [(int(NONE), int(NONE))] * (2 - len(halves))
            pairs[entry] = (r, s, j, *halves[0], *halves[1])
            entry += 1
    return places_of_l, links, pairs
