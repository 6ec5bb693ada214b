"""Degrees of freedom: mechanisms that move against the count, structures that only seem to, special positions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from overconstrained import bennett, bricard, cube, four_bar, goldberg, sarrus, three_rods, two_bars_in_line
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

import jointplay as jp
from jointplay.compile.build import compile_system

UNEQUAL = (0.3, 0.4, 0.5, 0.6, 0.5, 0.07**0.5)  # sides of a loop of Bricard: sums of squares of every other are equal


@pytest.mark.parametrize("held", [0.5, 1.0, 2.0])
@pytest.mark.parametrize(
    ("make", "redundant"),
    [
        (bennett, 3),
        (goldberg, 2),
        (bricard, 1),
        (lambda held: bricard(0.5 * held, UNEQUAL), 1),
        (lambda held: sarrus(0.15 * held), 1),
        (lambda held: four_bar([(0, 0), (0, 0.1 * held), (0.3, 0.2), (0.3, 0)]), 3),
        (lambda held: four_bar([(0, 0), (0, 0.1 * held), (0.3, 0.1 * held), (0.3, 0)]), 3),
    ],
    ids=["Bennett", "Goldberg", "Bricard", "unequal Bricard", "Sarrus", "four-bar", "parallelogram"],
)
def test_overconstrained_loops_have_one_degree_of_freedom(
    make: Callable[[float], jp.System], redundant: int, held: float
) -> None:
    rank = compile_system(make(held)).rank
    assert rank.mobility == 1 and len(rank.redundant) == redundant and rank.singular == []


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("thin", [1e-12, 1e-8, 1e-4, 1e-2])
def test_the_count_does_not_depend_on_masses_sizes_or_axes(thin: float, seed: int) -> None:
    """Bricard's loop, of slender bars too, in any unit and turned in space."""
    turned = Rotation.random(random_state=seed).as_matrix()
    for size, mass in ((1.0, 1.0), (1e-3, 1e-6), (1e3, 1e6)):
        rank = compile_system(cube(turned=turned, size=size, thin=thin, mass=mass)).rank
        assert rank.mobility == 1 and len(rank.redundant) == 1, (size, mass)


def test_bricards_loop_moves() -> None:
    """What check says can be seen: under a torque the loop of slender bars turns and stays closed."""
    s = cube(turned=Rotation.random(random_state=2).as_matrix(), thin=1e-4)
    assert "degrees of freedom: 1  (6 x 5 - 30 constraints + 1 redundant)" in str(s.check())
    s.torque("twist", "link1", torque=np.array(s.poses["link1"].A) @ (10.0, 20.0, 30.0))
    sol = jp.simulate(s, until=0.3, save=[0.3])
    assert sol.outcome.ok and max(abs(sol[f"R{k}.angle"][-1]) for k in range(6)) > 0.1
    assert max(sol[f"R{k}.residual"].max() for k in range(6)) < 1e-9


@pytest.mark.parametrize(
    ("make", "mobility"),
    [
        (lambda: two_bars_in_line(), 0),
        (lambda: two_bars_in_line(planar=False), 0),
        (lambda: two_bars_in_line(on="crank"), 1),
        (lambda: two_bars_in_line(planar=False, on="crank"), 1),
        (lambda: three_rods([(0, 0), (0.1, 0.05), (0.3, 0)], [(0, 0.2), (0.1, 0.2), (0.3, 0.2)]), 0),
        (lambda: three_rods([(-0.3, -0.3), (0, -0.5), (0.4, -0.4)], [(-0.1, -0.1), (0, -0.1), (0.1, -0.1)]), 0),
    ],
    ids=["bars", "bars in space", "bars on a crank", "the same in space", "parallel rods", "rods through a point"],
)
def test_what_gives_way_at_first_order_only_is_rigid(make: Callable[[], jp.System], mobility: int) -> None:
    rank = compile_system(make()).rank
    assert rank.mobility == mobility and len(rank.singular) == 1


def _gives_way(feet: np.ndarray, heads: np.ndarray, angle: float) -> float:
    """By how much lengths of rods must change, at least, if the plate turns by an angle."""
    turn = Rotation.from_rotvec((0, 0, angle)).as_matrix()[:2, :2]
    lengths = np.linalg.norm(heads - feet, axis=1)

    def change(shift: np.ndarray) -> np.ndarray:
        return np.linalg.norm(heads @ turn.T + shift - feet, axis=1) - lengths

    return float(np.linalg.norm(least_squares(change, np.zeros(2), xtol=1e-15, ftol=1e-15, gtol=1e-15).fun))


def test_rods_through_a_point_at_random() -> None:
    random = np.random.default_rng(5)
    for _ in range(20):
        heads, pole = random.uniform(-0.2, 0.2, (3, 2)), random.uniform(-1.0, 1.0, 2)
        feet = heads + random.uniform(0.3, 0.9, (3, 1)) * (pole - heads)
        if _gives_way(feet, heads, 1e-3) < 1e-9:
            continue  # by chance nearly rigid to third order only
        rank = compile_system(three_rods(feet, heads)).rank
        assert rank.mobility == 0 and len(rank.singular) == 1


def test_equal_parallel_rods_move() -> None:
    rank = compile_system(three_rods([(0, 0), (0.1, 0), (0.3, 0)], [(0, 0.2), (0.1, 0.2), (0.3, 0.2)])).rank
    assert rank.mobility == 1 and rank.redundant == ["L2.length"] and rank.singular == []


@pytest.mark.parametrize("planar", [True, False], ids=["plane", "space"])
def test_where_branches_cross(planar: bool) -> None:
    """A parallelogram in line can go on as such or turn over: two directions, but one degree of freedom."""
    random = np.random.default_rng(7)
    for _ in range(10):
        a, b = random.uniform(0.05, 1.0, 2)
        rank = compile_system(four_bar([(0, 0), (a, 0), (a + b, 0), (b, 0)], planar=planar)).rank
        assert rank.mobility == 1 and len(rank.singular) == 1 and len(rank.redundant) == (0 if planar else 3)


def test_a_loop_that_does_not_fit_is_rigid() -> None:
    """Sides that miss Bricard's condition by a thousandth: the loop closes, and that is all."""
    sides = np.array(UNEQUAL)
    sides[5] *= 1.001
    assert compile_system(bricard(0.5, sides, held=False)).rank.mobility == 0
