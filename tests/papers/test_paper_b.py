"""Paper B (Flores, Leine, Glocker 2010): slider-crank whose slider has play in its guide, Table 1, d = 2 (b + c).

Modelled with ordinary bodies and joints and compared with slidercrank_reference.py: minimal coordinates, written from
the paper's equations, sharing no code with the package. With the printed start both corners of a face always hit
together and the slider does not turn.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from clearances import slider_crank
from slidercrank_reference import TWO_TURNS, Mechanism, Reference, accurate, moreau

import jointplay as jp

TIMES = np.linspace(0.0, TWO_TURNS, 200)


@cache
def exact() -> Reference:
    return accurate(Mechanism(), TIMES)


@cache
def run(step: float) -> jp.Solution:
    """Step 0: error control."""
    method = jp.Moreau(step=step) if step > 0.0 else jp.Moreau(rtol=1e-8, atol=1e-11)
    sol = jp.simulate(slider_crank(), until=TWO_TURNS, method=method, save=TIMES)
    assert sol.outcome.ok, sol.outcome.message
    return sol


EACH = pytest.mark.parametrize("step", [1e-5, 2e-6, 0.0], ids=["1e-5", "2e-6", "controlled"])


def blows(sol: jp.Solution) -> np.ndarray:
    """Times of impacts with a speed that matters."""
    fast = sol.impacts.speed_before < -1e-3
    return np.unique(sol.impacts.time[fast])


@EACH
def test_first_impact(step: float) -> None:
    """2.6925 ms, upper guide, both corners at -0.8416 m/s."""
    sol = run(step)
    first = sol.impacts[:2]
    assert np.allclose(first.time, 2.6925e-3, atol=1e-6)
    assert np.allclose(first.speed_before, -0.8416, atol=1e-4)
    assert np.allclose(first.speed_after, 0.4 * 0.8416, atol=1e-4)
    assert list(first.contact) == ["D.radial[0]", "D.radial[1]"]


@pytest.mark.parametrize(("step", "off"), [(1e-5, 1e-5), (2e-6, 2e-7), (0.0, 2e-6)])
def test_crank_follows_the_reference(step: float, off: float) -> None:
    sol = run(step)
    assert np.max(np.abs(sol["A.angle"] - exact().q[:, 0])) <= off
    assert sol["A.angle"][-1] / (2 * np.pi) == pytest.approx(2.0, abs=1e-4)


@pytest.mark.parametrize(("step", "off"), [(1e-5, 1e-6), (2e-6, 2e-8), (0.0, 1e-6)])
def test_impacts_follow_the_reference(step: float, off: float) -> None:
    found = blows(run(step))
    wanted = np.array([impact.time for impact in exact().impacts if impact.before < -1e-3])
    assert len(found) == len(wanted)
    assert np.max(np.abs(found - wanted)) <= off


@EACH
def test_slider_does_not_turn(step: float) -> None:
    assert np.max(np.abs(run(step)["slider.orientation"][:, 3])) <= 1e-9


@EACH
def test_energy_balance(step: float) -> None:
    """Initial - final = friction work + impact losses + error of the scheme."""
    sol, reference = run(step), exact()
    lost = reference.energy_start - reference.energy_end
    assert lost == pytest.approx(reference.friction_work + reference.impact_loss, rel=1e-6)
    assert sol["energy.total"][0] == pytest.approx(reference.energy_start, rel=1e-12)
    assert np.sum(sol.impacts.energy_loss) == pytest.approx(reference.impact_loss, rel=1e-4)
    assert sol["energy.dissipated"][-1] == pytest.approx(lost, rel=1e-4)
    balance = sol["energy.total"][0] - sol["energy.total"][-1] - sol["energy.dissipated"][-1]
    assert balance == pytest.approx(-sol["energy.error"][-1], abs=1e-12)


def test_error_of_the_scheme_shrinks_with_the_square_of_the_step() -> None:
    """Located impacts: order 2 (the paper's stepping is of order 1 and loses 0.058 J at 1e-5)."""
    errors = [abs(run(step)["energy.error"][-1]) for step in (2e-5, 1e-5, 5e-6)]
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.mean(orders) >= 1.5, (errors, orders)
    assert abs(run(5e-6)["energy.error"][-1]) <= 1e-5


@pytest.mark.slow
def test_stepping_as_printed() -> None:
    """Contacts act over whole steps: late by up to a step, so of first order at best, and walls are pierced a little.

    In minimal coordinates the printed rule, which takes h(q_M, u_A), is a hundred times less exact: there it errs in
    smooth motion already.
    """
    for step in (2e-5, 1e-5):
        sol = jp.simulate(slider_crank(), until=TWO_TURNS, method=jp.Moreau(step=step, impacts="stepped"), save=TIMES)
        assert sol.outcome.ok, sol.outcome.message
        assert np.max(np.abs(sol["A.angle"] - exact().q[:, 0])) <= 50.0 * step
        assert abs(sol["energy.error"][-1]) <= 1e-3
        assert -30.0 * step <= np.min(sol["D.gap"]) < 0.0
    steps = int(TWO_TURNS / 1e-5)
    printed = moreau(Mechanism(), step=1e-5, steps=steps, every=steps)
    there = accurate(Mechanism(), np.array([0.0, 1e-5 * steps]))
    assert 0.01 <= abs(printed.q[-1, 0] - there.q[-1, 0]) <= 0.1


def test_gap_between_total_and_per_side() -> None:
    """The clearance is per side: both gaps are c at the start, and together always 2 c."""
    gaps = run(1e-5)["D.gap"]
    assert np.allclose(gaps[0], 1e-3, atol=1e-15)
    assert np.max(np.abs(gaps[:, :2] + gaps[:, 2:] - 2e-3)) <= 1e-12


def test_any_spin_turns_the_first_impact_into_corner_chatter() -> None:
    """With omega3 != 0 corners hit one by one without end: the face closes with no rebound at 2.69 ms."""
    sol = jp.simulate(slider_crank(spin=0.01), until=5e-3, method=jp.Moreau(step=1e-5), save=1e-5)
    assert sol.outcome.ok, sol.outcome.message
    closed = sol.time > 2.8e-3
    assert np.max(np.abs(sol["D.gap"][closed][:, :2])) <= 1e-8
    assert len(np.unique(sol.impacts.time)) > 2


def test_other_way_to_say_it() -> None:
    """Guide and slider given in the other order: the same motion."""
    sol = jp.simulate(slider_crank(inner="second", ends="second"), until=0.01, method=jp.Moreau(step=1e-5), save=1e-3)
    same = jp.simulate(slider_crank(), until=0.01, method=jp.Moreau(step=1e-5), save=1e-3)
    assert np.array_equal(sol["A.angle"], same["A.angle"])
