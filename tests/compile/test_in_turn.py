"""Rows that are evaluated and eliminated a few joints at a time are those that are evaluated and eliminated at once."""

from __future__ import annotations

import numpy as np
import pytest

from jointplay import System
from jointplay.arrays import LAM, RHS
from jointplay.assemble.closed import evaluate_closed_rows, factorise, rows_and_factor, solve_rows
from jointplay.compile.build import compile_system
from jointplay.compile.work import make_work


def tree(random: np.random.Generator, bodies: int, kinds: tuple[str, ...], chain: bool) -> System:
    """Joints at random places; of a tree they come in no order, so that blocks are not eliminated as they come."""
    s = System("tree", gravity=(0, 0, -9.81))
    links = [s.ground]
    for k in range(bodies):
        links.append(s.body(f"b{k}", mass=1.0, inertia=(1, 1, 1.5), position=random.uniform(-1, 1, 3)))
    for k in range(1, bodies + 1) if chain else 1 + random.permutation(bodies):
        kind = str(random.choice(kinds))
        more = {} if kind == "spherical" else {"axis": random.uniform(-1, 1, 3)}
        parent = links[k - 1 if chain else int(random.integers(0, k))]
        getattr(s, kind)(f"J{k}", parent, links[k], point=random.uniform(-1, 1, 3), **more)
    s.body("free", mass=1.0, inertia=(1, 1, 1), position=(9, 9, 9))
    return s


@pytest.mark.parametrize("chain", [True, False], ids=["chain", "tree"])
@pytest.mark.parametrize(
    "kinds", [("spherical",), ("revolute",), ("spherical", "revolute", "prismatic", "cylindrical")], ids=len
)
def test_as_all_at_once(kinds: tuple[str, ...], chain: bool) -> None:
    for seed in range(3):
        random = np.random.default_rng(seed)
        compiled = compile_system(tree(random, 40, kinds, chain))
        model, state = compiled.model, compiled.state
        assert not model.info[0]["redundant"] and len(model.hub) == 0
        rows = int(model.info[0]["bilateral"])
        y = state.y.copy()
        y[7 * 41 :] = random.standard_normal(len(y) - 7 * 41)  # speeds
        once, turns, lean = (make_work(model, state) for _ in range(3))
        for work in (once, turns, lean):
            work.row["bias"][:] = np.nan
            work.vector[RHS, :rows] = random.standard_normal(rows) if work is once else once.vector[RHS, :rows]
        evaluate_closed_rows(model, 0.0, y, state.memory, once)
        soft = factorise(model, 0.0, once)
        assert rows_and_factor(model, 0.0, y, state.memory, True, turns) == (soft // 2, True) == (0, True)
        assert rows_and_factor(model, 0.0, y, state.memory, False, lean) == (0, False)
        for work in (once, turns, lean):
            solve_rows(model, 0, work)
        for work in (turns, lean):
            for name in ("r", "A", "v", "w"):
                assert np.array_equal(work.kin[name], once.kin[name]), name
            for name in ("g", "w"):
                assert np.array_equal(work.row[name][:rows], once.row[name][:rows]), name
            assert np.array_equal(work.vector[LAM, :rows], once.vector[LAM, :rows])
        assert np.array_equal(turns.row["bias"][:rows], once.row["bias"][:rows])
