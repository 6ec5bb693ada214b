"""Plans: point i is a pure function of the plan and i."""

from __future__ import annotations

import numpy as np
import pytest

import jointplay as jp
from jointplay.studies.vary import Vary

VARY = Vary({"a": jp.Uniform(0, 1), "b": jp.Uniform(0, 1), "c": jp.Uniform(2, 4)})
PLANS = [
    jp.Random(2500, seed=3),
    jp.LatinHypercube(1000, seed=3),
    jp.Sobol(512, seed=3),
    jp.Sobol(100, seed=3, replicates=1),
    jp.Saltelli(64, seed=3),
    jp.Corners(),
    jp.Grid(5),
    jp.Grid({"a": 2, "b": 3, "c": 1}),
    jp.Points({"a": [0.1, 0.2], "b": [0.3, 0.4], "c": [3, "3.5"]}),
]


@pytest.mark.parametrize("plan", PLANS, ids=repr)
def test_any_stretch_gives_the_same_bits(plan):
    count = plan.count(VARY)
    whole = plan.points(VARY, 0, count)
    assert whole.shape == (count, 3)
    for size in (1, 7, 100):
        pieces = [plan.points(VARY, k, min(k + size, count)) for k in range(0, min(count, 30 * size), size)]
        assert np.array_equal(np.concatenate(pieces), whole[: min(count, 30 * size)])


@pytest.mark.parametrize("plan", [PLANS[0], PLANS[2], PLANS[4]], ids=repr)
def test_a_larger_plan_begins_with_the_smaller(plan):
    larger = plan.resized(2 * plan.size)
    assert np.array_equal(larger.points(VARY, 0, 500), plan.points(VARY, 0, 500)[:500])


def test_latin_hypercube_takes_each_slice_once():
    u = jp.LatinHypercube(997, seed=1).unit(4, 0, 997)
    for column in u.T:
        assert sorted((column * 997).astype(int).tolist()) == list(range(997))
    assert np.max(np.abs(np.corrcoef(u.T) - np.eye(4))) < 0.1


def test_scramblings_of_sobol_are_balanced_and_differ():
    u = jp.Sobol(1024, seed=0).unit(2, 0, 1024)
    for k in range(8):
        own = u[k::8]
        assert np.array_equal(np.bincount((own[:, 0] * 128).astype(int), minlength=128), np.ones(128))
    assert len(np.unique(u[:, 0])) == 1024


def test_saltelli_exchanges_one_column():
    plan = jp.Saltelli(16, seed=1)
    rows = plan.points(VARY, 0, plan.count(VARY)).reshape(16, 5, 3)
    A, B, AB = rows[:, 0], rows[:, 1], rows[:, 2:]
    for k in range(3):
        assert np.array_equal(AB[:, k, k], B[:, k])
        others = [n for n in range(3) if n != k]
        assert np.array_equal(AB[:, k][:, others], A[:, others])


def test_corners_and_grid_lie_on_limits():
    corners = jp.Corners().points(VARY, 0, 9)
    assert np.array_equal(corners[0], [0.5, 0.5, 3.0])
    assert len(np.unique(corners[1:], axis=0)) == 8 and set(np.unique(corners[1:, 2])) == {2.0, 4.0}
    assert np.array_equal(np.unique(jp.Grid(5).points(VARY, 0, 125)[:, 2]), [2, 2.5, 3, 3.5, 4])


@pytest.mark.parametrize(
    "make",
    [
        lambda: jp.Sobol(0),
        lambda: jp.Random(0),
        lambda: jp.Random(2.5),
        lambda: jp.Random(10, seed=-1),
        lambda: jp.Grid(0),
        lambda: jp.Points({}),
        lambda: jp.Points({"a": [1], "b": [1, 2]}),
        lambda: jp.Points("nowhere.csv"),
        lambda: jp.Sobol(8, replicates=3),
    ],
)
def test_bad_plans_are_one_sentence(make):
    with pytest.raises(jp.InputError) as caught:
        make()
    assert len(caught.value.problems) == 1
