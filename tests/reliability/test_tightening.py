"""Guarantee (c): tightening helps. Errors against truth stay within 3 rtol size, for 44 mechanisms.

``rtol`` refers to the size of the mechanism for places and to a radian for angles. Impacts amplify errors, by the
inverse of the rate at which a wall is met: scenes end before rebounds accumulate, and before an impact at less than
STEEP of the fastest rate of its gap (closed_forms.py). A decade of rtol takes about twice as many steps (order 3).
"""

from __future__ import annotations

import numpy as np
import pytest
from reliability.scenes import KINDS

import jointplay as jp

WITHIN = 3.0
DECADES = (1e-2, 1e-3, 1e-4, 1e-5)
CASES = [(name, seed) for name in KINDS for seed in range(4)]
TURNING = {"shaft_with_far_stop"}  # dry friction brings it to rest: see test below


@pytest.mark.parametrize(("name", "seed"), [c for c in CASES if c[0] not in TURNING])
def test_error_follows_rtol(name: str, seed: int) -> None:
    scene = KINDS[name](np.random.default_rng(seed))
    for rtol in DECADES:
        sol = scene.run(jp.Moreau(rtol=rtol), count=51)
        assert sol.outcome.ok
        assert scene.error(sol) <= WITHIN * rtol, f"rtol {rtol}"


@pytest.mark.parametrize("name", sorted(TURNING))
@pytest.mark.parametrize("seed", range(4))
def test_turning_parts_at_the_ends_of_runs(name: str, seed: int) -> None:
    """The shaft has come to rest at the end: no interpolation within a turn."""
    scene = KINDS[name](np.random.default_rng(seed))
    for rtol in DECADES:
        sol = scene.run(jp.Moreau(rtol=rtol), count=11)
        assert abs(sol[scene.quantity][-1] - scene.truth(sol.time[-1:])[0]) <= WITHIN * rtol


def test_at_least_forty_mechanisms() -> None:
    assert len(CASES) >= 40


@pytest.mark.parametrize("name", ["pendulum_with_stop", "two_masses", "slider_crank_with_stop"])
def test_six_decades(name: str) -> None:
    scene = KINDS[name](np.random.default_rng(0))
    errors = [scene.error(scene.run(jp.Moreau(rtol=rtol), count=51)) for rtol in 10.0 ** -np.arange(2.0, 9.0)]
    assert all(error <= WITHIN * 10.0 ** -(2 + k) for k, error in enumerate(errors))
    assert errors[-1] < 1e-4 * errors[0]


@pytest.mark.study
@pytest.mark.parametrize(("name", "seed"), [c for c in CASES if c[0] not in TURNING])
def test_six_decades_of_forty_mechanisms(name: str, seed: int) -> None:
    scene = KINDS[name](np.random.default_rng(seed))
    for rtol in 10.0 ** -np.arange(2.0, 9.0):
        assert scene.error(scene.run(jp.Moreau(rtol=rtol), count=51)) <= WITHIN * rtol, f"rtol {rtol}"


@pytest.mark.parametrize("rtol", [1e-3, 1e-6, 1e-9])
def test_angles_between_the_ends_of_steps(rtol: float) -> None:
    """A shaft that slows down evenly: steps are exact, what is saved between them is interpolated."""
    s = jp.System("shaft", gravity=(0, 0, 0))
    body = s.body("shaft", mass=8.0, inertia=(0.1, 0.1, 0.1), angular_velocity=(0, 100, 0))
    s.revolute("A", s.ground, body, point=(0, 0, 0), axis=(0, 1, 0), angle=jp.ConstantFriction(1.0))
    sol = jp.simulate(s, until=5.0, method=jp.Moreau(rtol=rtol), save=np.linspace(0, 5, 997))
    assert np.abs(sol["A.angle"] - (100 * sol.time - 5 * sol.time**2)).max() <= WITHIN * rtol
