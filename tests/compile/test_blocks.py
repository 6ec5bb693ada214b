"""N in blocks: whatever the rows, its blocks, its factor and its solutions are those of the dense matrix."""

from __future__ import annotations

import numpy as np
import pytest

from jointplay import arrays
from jointplay.arrays import DIAGONAL
from jointplay.assemble.interactions import assemble_hubs, assemble_matrix, weigh
from jointplay.compile.graph import Graph, constraint_graph
from jointplay.numerics.jit import jit
from jointplay.numerics.ldl import factor, solve

TINY = 1e-15


@jit
def weigh_all(planar, fact, body, row, weighed):
    """M^-1 w of all rows."""
    for r in range(len(fact)):
        weigh(planar, body[fact[r].i], body[fact[r].j], row[r].w, weighed[r])


class Rows:
    """Random rows between random bodies, in a plane or in space; some joints have several rows side by side."""

    def __init__(self, seed: int, block: int, crowded: int, tree: bool) -> None:
        random = np.random.default_rng(seed)
        self.block, planar = block, block == 2
        bodies, free = int(random.integers(2, 7)), 3 if planar else 6
        pairs: list[tuple[int, int]] = []
        for b in range(1, bodies):
            other = int(random.integers(0, b)) if tree else int((b + random.integers(1, bodies)) % bodies)
            pairs += [(other, b)] * int(random.integers(1, free))
        self.first, self.second = np.array(pairs).T
        count = len(pairs)
        self.fact = np.zeros(count + 1, dtype=arrays.row_fact_dtype)
        self.fact["i"][:count], self.fact["j"][:count] = self.first, self.second
        self.body = np.zeros(bodies, dtype=arrays.body_dtype(float))
        for body in self.body[1:]:
            body["mass"] = random.uniform(0.5, 2.0)
            spread = random.standard_normal((3, 3))
            body["J"] = np.diag(random.uniform(1, 2, 3)) if planar else spread @ spread.T + np.eye(3)
            if planar:
                body["minv"][:2], body["Jinv"][2, 2] = 1.0 / body["mass"], 1.0 / body["J"][2, 2]
            else:
                body["minv"], body["Jinv"] = 1.0 / body["mass"], np.linalg.inv(body["J"])
        self.row = np.zeros(count + 2, dtype=arrays.row_dtype(float))
        self.weighed = np.zeros((count + 2, 12))
        moving = np.array([0, 1, 5, 6, 7, 11]) if planar else np.arange(12)
        self.row["w"][:count, moving] = random.standard_normal((count, len(moving)))
        self.graph: Graph = constraint_graph(self.first, self.second, count + 1, self.block, crowded)
        for place in self.graph.place[:-1]:
            if block == 5 and random.random() < 0.5:  # rows behind the third only turn bodies
                place["light"], turning = 1, place["row"][3 : place["count"]]
                self.row["w"][np.ix_(turning, [0, 1, 2, 6, 7, 8])] = 0.0
        weigh_all(planar, self.fact[:count], self.body, self.row, self.weighed)
        self.right = random.standard_normal(count)

    @property
    def dense(self) -> np.ndarray:
        """W M^-1 W^T."""
        count, bodies = len(self.first), len(self.body)
        W, V = np.zeros((count, 6 * bodies)), np.zeros((count, 6 * bodies))
        for r, (i, j) in enumerate(zip(self.first, self.second, strict=True)):
            for body, half in ((i, slice(0, 6)), (j, slice(6, 12))):
                W[r, 6 * body : 6 * body + 6] += self.row["w"][r, half]
                V[r, 6 * body : 6 * body + 6] += self.weighed[r, half]
        return W @ V.T

    def solved(self) -> tuple[np.ndarray, int, np.ndarray]:
        """Solution, level of the factor, and 1/D."""
        place, link, pair, column, hub = self.graph
        area, count = self.block**2, len(self.first)
        entry, lower = np.zeros(area * len(pair)), np.zeros(area * len(link))
        vector = np.zeros((6, max(count + 2, area * (len(place) - 1))))
        assemble_matrix(self.block, pair, place, self.row, self.weighed, entry)
        assemble_hubs(self.block, hub, place, self.body, self.row, entry)
        level = factor(self.block, place, link, column, entry, (TINY, 1e-13), lower, vector)
        vector[0, :count] = self.right
        solve(self.block, place, link, lower, vector[0], vector[1], vector)
        assert not vector[5].any() and not vector[1, count:].any()  # scratch is left as it was found
        return vector[1, :count], level, vector[DIAGONAL]


@pytest.mark.parametrize("block", [2, 3, 5])
@pytest.mark.parametrize("crowded", [4, 10_000], ids=["hubs", "no hubs"])
def test_solutions_are_those_of_the_dense_matrix(block: int, crowded: int) -> None:
    hubs = 0
    for seed in range(60):
        rows = Rows(seed, block, crowded, tree=True)
        found, level, _ = rows.solved()
        hubs += len(rows.graph.hub)
        truth = np.linalg.solve(rows.dense, rows.right)
        condition = np.linalg.cond(rows.dense)
        assert level < 2
        assert np.max(np.abs(found - truth)) < 1e-14 * condition * np.max(np.abs(truth)), seed
    assert (hubs > 0) == (crowded == 4 and block < 5)  # hubs have blocks of three


@pytest.mark.parametrize("block", [2, 3, 5])
def test_dependent_rows_are_noticed(block: int) -> None:
    for seed in range(30):
        rows = Rows(seed, block, 10_000, tree=True)
        if len(rows.first) < 2 or (rows.first[0], rows.second[0]) != (rows.first[1], rows.second[1]):
            continue
        rows.row["w"][1] = 2.0 * rows.row["w"][0]
        rows.weighed[1] = 2.0 * rows.weighed[0]
        _, level, _ = rows.solved()
        assert level == 2, seed


@pytest.mark.parametrize("block", [3, 5])
def test_loops_fill_the_factor_and_nothing_is_lost(block: int) -> None:
    looked = 0
    for seed in range(60):
        rows = Rows(seed, block, 10_000, tree=False)
        if np.linalg.cond(rows.dense) > 1e8:
            continue
        looked += 1
        found, _, _ = rows.solved()
        assert np.allclose(rows.dense @ found, rows.right, atol=1e-9 * np.linalg.cond(rows.dense) ** 0.5), seed
    assert looked > 20
