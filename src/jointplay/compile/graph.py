"""Which rows meet on a body: the pattern of N = W M^-1 W^T, its order of elimination and its pairs.

All rows of the joints on one body meet each other. A body with many joints, a **hub**, would fill N, and its factor
would cost the cube of their number. So its velocity stays an unknown beside the multipliers (numerics/ldl.py): the rows
on it no longer meet, and the work grows with their number. That asks for rows which are independent if the hub stands
still, as they are where the bodies around it hang on it, or on the ground, like the branches of a tree; elsewhere it is
eliminated like other bodies. Rows between a hub and the ground come after its velocity, and all others before.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ..arrays import ABSENT, INDEX, NONE, hub_dtype, pair_dtype
from ..numerics.ldl import analyse, fill_reducing_order

NATURAL = 1.05  # entries of L, relative to the fill-reducing order, that the natural order may have
CROWDED = 48  # rows on a body from which on it is a hub


class Graph(NamedTuple):
    """Arrays of the Model that tell how N is assembled and factorised."""

    place: np.ndarray
    link: np.ndarray
    pair: np.ndarray
    column: np.ndarray
    hub: np.ndarray


def _lower(order: np.ndarray, neighbours: list[set[int]]) -> list[list[int]]:
    """Columns j < k of each row k of the ordered matrix."""
    place = np.empty(len(order), dtype=int)
    place[order] = np.arange(len(order))
    return [sorted(int(place[s]) for s in neighbours[int(r)] if place[s] < k) for k, r in enumerate(order)]


def constraint_graph(first: np.ndarray, second: np.ndarray, crowded: int = CROWDED) -> Graph:
    """Pattern of the closed rows between bodies ``first[r]`` and ``second[r]`` (0: ground).

    Remembered: studies and sensitivities compile the same mechanism with other numbers again and again.
    """
    return Graph(*(array.copy() for array in _graph(tuple(first.tolist()), tuple(second.tolist()), crowded)))


def _touching(bodies: list[tuple[int, int]]) -> dict[int, list[int]]:
    """Rows on each body."""
    found: dict[int, list[int]] = {}
    for r, pair in enumerate(bodies):
        for body in sorted(set(pair) - {0}):
            found.setdefault(body, []).append(r)
    return found


def _branches(bodies: list[tuple[int, int]], still: set[int]) -> bool:
    """True if the bodies form trees that hang on what stands still: no loop, no pair with more rows than motions."""
    parent: dict[int, int] = {}

    def root(body: int) -> int:
        while parent.get(body, body) != body:
            body = parent[body]
        return body

    rows: dict[tuple[int, int], int] = {}
    for pair in bodies:
        a, b = sorted(0 if body in still else body for body in pair)
        rows[a, b] = rows.get((a, b), 0) + 1
    rows.pop((0, 0), None)
    for (a, b), count in rows.items():
        if count > 6 or root(a) == root(b):
            return False
        parent[root(b)] = root(a)
    return True


def _hubs(bodies: list[tuple[int, int]], crowded: int) -> list[int]:
    """Bodies whose velocities stay unknowns."""
    hubs: list[int] = []
    for body, rows in sorted(_touching(bodies).items(), key=lambda item: (-len(item[1]), item[0])):
        beside = any(other in hubs for r in rows for other in bodies[r])
        if len(rows) >= crowded and not beside and _branches(bodies, {0, *hubs, body}):
            hubs.append(body)
    return hubs


def _order(neighbours: list[set[int]], late: tuple[int, ...] = ()) -> np.ndarray:
    """Order of elimination, with the places ``late`` last: rows as they come, unless another order leaves L emptier.

    As they come they lie in memory as they are met, which is better for the cache. No order can leave L emptier than N
    is: in most mechanisms that says enough, and no other order has to be found.
    """
    size = len(neighbours)
    natural = np.arange(size)
    envelope = sum(r - min(neighbours[r], default=r) for r in range(size))  # bounds the entries of L
    entries = sum(s < r for r in range(size) for s in neighbours[r])  # of N, below its diagonal
    if envelope <= NATURAL * entries and not late:
        return natural
    places = np.array([(r, s) for r in range(size) for s in neighbours[r]], dtype=int)
    order = fill_reducing_order(size, places[:, 0], places[:, 1])
    if late:
        return np.array([*(k for k in order.tolist() if k not in set(late)), *late], dtype=int)
    _, links = analyse(order, _lower(order, neighbours))
    return natural if envelope <= NATURAL * len(links) else order


@lru_cache(maxsize=64)
def _graph(first: tuple[int, ...], second: tuple[int, ...], crowded: int) -> Graph:
    bodies = list(zip(first, second, strict=True))
    rows = len(bodies)
    hubs = _hubs(bodies, crowded)
    unknown = {(body, m): rows + 6 * k + m for k, body in enumerate(hubs) for m in range(6)}
    size = rows + 6 * len(hubs)
    neighbours: list[set[int]] = [set() for _ in range(size)]
    for body, group in _touching(bodies).items():
        own = {unknown[body, m] for m in range(6)} if body in hubs else set()
        for r in group:
            neighbours[r].update(own or group)
            neighbours[r].add(r)
            for k in own:
                neighbours[k].update((r, *own))
    held = [r for r in range(rows) if set(bodies[r]) <= {0, *hubs}]
    order = _order(neighbours, (*unknown.values(), *held) if hubs else ())
    lower = _lower(order, neighbours)
    places, links = analyse(order, lower)
    places["row"][:size] = np.where(order < rows, order, NONE)

    owner = {place: (body, m) for (body, m), place in unknown.items()}
    pairs = np.zeros(int(places["entry"][-1]), dtype=pair_dtype)
    column = np.zeros(len(pairs), dtype=INDEX)
    of_hubs: list[tuple[int, int, int, int, int]] = []
    entry = 0
    for k in range(size):
        for j in (*lower[k], k):
            column[entry] = j
            r, s = int(order[k]), int(order[j])
            if r >= rows and s >= rows:
                (body, m), (_, n) = owner[r], owner[s]
                of_hubs.append((entry, body, int(NONE), m, n))
            elif r >= rows or s >= rows:
                (body, m), row = owner[max(r, s)], min(r, s)
                of_hubs.append((entry, body, row, 6 * bodies[row].index(body) + m, 0))
            else:
                pairs[entry] = _pair(r, s, bodies, hubs)
            entry += 1
    return Graph(places, links, pairs, column, np.array(of_hubs, dtype=hub_dtype))


def _pair(r: int, s: int, bodies: list[tuple[int, int]], hubs: list[int]) -> tuple[int, ...]:
    """An entry of N: rows r and s, and the halves of both that share a body which is not a hub."""
    halves = [
        (6 * side, 6 * other)
        for side, body in enumerate(bodies[r])
        for other, peer in enumerate(bodies[s])
        if body == peer and body != 0 and body not in hubs
    ]
    if not halves:  # between a hub and the ground, which nothing moves: zero
        halves = [(6 * bodies[r].index(0), 6 * bodies[s].index(0))]
    halves += [(int(ABSENT), int(ABSENT))] * (2 - len(halves))
    return (r, s, *halves[0], *halves[1])
