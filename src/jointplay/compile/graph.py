"""Which rows meet on a body: the pattern of N = W M^-1 W^T in blocks, its order of elimination and its pairs.

Neighbouring rows between the same two bodies, most often those of a joint, are met by the same others: two of them (in
a plane), three or five (in space) make a block. All rows of the joints on one body meet each other. A body with many
joints, a **hub**, would fill N, and its factor would cost the cube of their number. So its velocity stays an unknown
beside the multipliers (numerics/ldl.py): the rows on it no longer meet, and the work grows with their number. That asks
for rows which are independent if the hub stands still, as they are where the bodies around it hang on it, or on the
ground, like the branches of a tree; elsewhere it is eliminated like other bodies. Rows between a hub and the ground
come after its velocity, and all others before.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ..arrays import ABSENT, INDEX, NONE, hub_dtype, pair_dtype
from ..numerics.ldl import analyse, fill_reducing_order

NATURAL = 1.05  # entries of L, relative to the fill-reducing order, that the natural order may have
CROWDED = 48  # rows on a body from which on it is a hub
FULL = 0.8  # of the rows in blocks of five must be real ones; else three are cheaper


class Graph(NamedTuple):
    """Arrays of the Model that define how N is assembled and factorised."""

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


def block_size(first: np.ndarray, second: np.ndarray, crowded: int = CROWDED) -> int:
    """Rows in a block of N in space, for closed rows between bodies ``first[r]`` and ``second[r]``.

    Most joints in space leave one or two freedoms: five rows hold such a joint in one block, three do so for balls.
    """
    bodies = list(zip(first.tolist(), second.tolist(), strict=True))
    full = len(bodies) >= FULL * 5 * len(_blocks(bodies, 5)) > 0
    return 5 if full and not _hubs(bodies, crowded) else 3


def constraint_graph(first: np.ndarray, second: np.ndarray, spare: int, block: int, crowded: int = CROWDED) -> Graph:
    """Pattern of the closed rows between bodies ``first[r]`` and ``second[r]`` (0: ground), in blocks of so many.

    ``spare`` is the number of a row that is zero, by which blocks are filled up. Remembered: studies and sensitivities
    compile the same mechanism with other numbers again and again.
    """
    known = _graph(tuple(first.tolist()), tuple(second.tolist()), spare, block, crowded)
    return Graph(*(array.copy() for array in known))


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
    """Order of elimination, with the places ``late`` last: blocks as they come, unless another order leaves L emptier.

    As they come they lie in memory as they are met, which is better for the cache. No order can leave L emptier than N
    is: in most mechanisms that is enough, and no other order has to be found.
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


def _blocks(bodies: list[tuple[int, int]], size: int) -> list[list[int]]:
    """Rows in blocks: neighbours between the same two bodies, so many at the most."""
    found: list[list[int]] = []
    for r, pair in enumerate(bodies):
        if found and len(found[-1]) < size and bodies[found[-1][0]] == pair:
            found[-1].append(r)
        else:
            found.append([r])
    return found


@lru_cache(maxsize=64)
def _graph(first: tuple[int, ...], second: tuple[int, ...], spare: int, block: int, crowded: int) -> Graph:
    bodies = list(zip(first, second, strict=True))
    hubs = _hubs(bodies, crowded) if 6 % block == 0 else []
    rows = _blocks(bodies, block)
    between = [bodies[group[0]] for group in rows]
    count, halves = len(rows), range(0, 6, block)
    unknown = {(body, m): count + k for k, (body, m) in enumerate((body, m) for body in hubs for m in halves)}
    size = count + len(unknown)
    neighbours: list[set[int]] = [set() for _ in range(size)]
    for body, group in _touching(between).items():
        own = {unknown[body, m] for m in halves} if body in hubs else set()
        for r in group:
            neighbours[r].update(own or group)
            neighbours[r].add(r)
            for k in own:
                neighbours[k].update((r, *own))
    held = [r for r in range(count) if set(between[r]) <= {0, *hubs}]
    order = _order(neighbours, (*unknown.values(), *held) if hubs else ())
    lower = _lower(order, neighbours)
    places, links = analyse(order, lower)
    places["row"] = spare
    for place, n in zip(places, order.tolist(), strict=False):
        if n < count:
            place["row"][: len(rows[n])], place["count"] = rows[n], len(rows[n])
        else:
            place["hub"], place["count"] = 1, block

    owner = {place: (body, m) for (body, m), place in unknown.items()}
    pairs = np.zeros(int(places["entry"][-1]), dtype=pair_dtype)
    column = np.zeros(len(pairs), dtype=INDEX)
    of_hubs: list[tuple[int, int, int, int, int, int]] = []
    entry = 0
    for k in range(size):
        for j in (*lower[k], k):
            column[entry] = j
            r, s = int(order[k]), int(order[j])
            if r >= count and s >= count:
                (body, m), (_, n) = owner[r], owner[s]
                of_hubs.append((entry, body, int(NONE), 0, m, n))
            elif r >= count or s >= count:
                (body, m), row, place = owner[max(r, s)], min(r, s), j if r >= count else k
                of_hubs.append((entry, body, place, int(r >= count), 6 * between[row].index(body) + m, 0))
            else:
                pairs[entry] = (k, j, *_shared(between[r], between[s], hubs))
            entry += 1
    mine = np.array([e[0] for e in of_hubs], dtype=np.int64)
    pairs["ra"][mine] = ABSENT  # assembled apart
    return Graph(places, links, pairs, column, np.array(of_hubs, dtype=hub_dtype))


def _shared(first: tuple[int, int], second: tuple[int, int], hubs: list[int]) -> tuple[int, ...]:
    """The halves of two rows that share a body which is not a hub; none between a hub and the ground."""
    halves = [
        (6 * side, 6 * other)
        for side, body in enumerate(first)
        for other, peer in enumerate(second)
        if body == peer and body != 0 and body not in hubs
    ]
    halves = halves or [(6 * first.index(0), 6 * second.index(0))]  # of the ground, which nothing moves: zero
    halves += [(int(ABSENT), int(ABSENT))] * (2 - len(halves))
    return (*halves[0], *halves[1])
