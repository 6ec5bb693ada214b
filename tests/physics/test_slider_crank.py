"""The spatial slider-crank of paper C, Tables 1 and 2, ideal joints: figures of an independent solution."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from mechanisms import product, rotation, slider_crank, turn

import jointplay as jp
from jointplay.compile.build import compile_system, rank_of


@cache
def motion() -> jp.Solution:
    return jp.simulate(slider_crank(), until=5.0, method=jp.Explicit(rtol=1e-11, atol=1e-12), save=0.005)


def test_it_arrives_where_it_should() -> None:
    sol = motion()
    assert sol.outcome.ok, sol.outcome.message
    assert sol["A.angle"][-1] == pytest.approx(54.72505107, abs=1e-5)
    assert sol["slider.position[0]"][-1] == pytest.approx(0.22025265, abs=1e-6)


def test_reaction_on_the_rod_at_the_start() -> None:
    assert motion()["B.force"][0] == pytest.approx((0.929739, -0.093694, 1.065555), abs=2e-6)


def test_energy_is_kept() -> None:
    sol = motion()
    scale = np.max(sol["energy.kinetic"])
    assert np.max(np.abs(sol["energy.total"] - sol["energy.total"][0])) <= 1e-8 * scale
    assert np.max(np.abs(sol["energy.error"])) <= 1e-8 * scale


def test_joints_stay_closed() -> None:
    sol = motion()
    for joint in "ABCD":
        assert np.max(sol[f"{joint}.residual"]) <= 1e-10
    assert sol.stats["worst_position_residual"] <= 1e-10
    assert sol.stats["worst_velocity_residual"] <= 1e-10


def test_it_has_one_degree_of_freedom_and_no_redundancy() -> None:
    compiled = compile_system(slider_crank())
    rank = rank_of(compiled)
    assert rank.mobility == 1
    assert rank.redundant == compiled.rank.redundant == []


def test_tolerance_is_kept_in_proportion() -> None:
    """A run at rtol 1e-6 is off by little more than that, and a tighter one by less."""
    error = []
    for rtol in (1e-6, 1e-8):
        sol = jp.simulate(slider_crank(), until=5.0, method=jp.Explicit(rtol=rtol, atol=1e-2 * rtol), save=[5.0])
        error.append(abs(sol["slider.position[0]"][-1] - motion()["slider.position[0]"][-1]))
    assert error[0] <= 1e-4
    assert error[1] <= 1e-6


def test_it_does_not_matter_how_the_world_is_turned() -> None:
    """The same mechanism drawn in turned axes, gravity with it: everything turns, nothing else changes."""
    tilt = product(turn((1, 2, 3), 1.1), turn((0, 1, -1), 2.3))
    R = rotation(tilt)
    times = np.linspace(0, 1, 21)
    plain = jp.simulate(slider_crank(), until=1.0, method=jp.Explicit(rtol=1e-11, atol=1e-12), save=times)
    turned = jp.simulate(slider_crank(tilt=tilt), until=1.0, method=jp.Explicit(rtol=1e-11, atol=1e-12), save=times)
    for name in ("rod.position", "slider.velocity", "crank.acceleration", "B.force", "C.torque", "D.force"):
        size = np.max(np.abs(plain[name]))
        assert np.max(np.abs(plain[name] @ R.T - turned[name])) <= 1e-7 * size, name
    for name in ("A.angle", "D.displacement", "rod.angular_velocity", "energy.kinetic"):
        size = np.max(np.abs(plain[name]))
        assert np.max(np.abs(plain[name] - turned[name])) <= 1e-8 * size, name
