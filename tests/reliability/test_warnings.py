"""Guarantee (e): a result that may be wrong says so in ``outcome.warnings``; one that is right does not."""

from __future__ import annotations

import numpy as np
import pytest
from reliability.closed_forms import G
from reliability.scenes import KINDS, rigid

import jointplay as jp


def oscillator(frequency: float) -> jp.System:
    """A mass on a spring, with a stop far away."""
    s = jp.System("oscillator", planar=True, gravity=(0, 0, 0))
    body = s.body("mass", mass=1.0, inertia=0.1, velocity=(1, 0))
    laws = [jp.Spring(stiffness=frequency**2), jp.Stop(upper=10.0, contact=rigid(0.5))]
    s.prismatic("D", s.ground, body, point=(0, 0), axis=(1, 0), displacement=laws)
    return s


def rod(tilt: float, velocity: tuple[float, float], spin: float, impact: str) -> jp.System:
    """A slender rod of 1 m and 1 kg whose end strikes a rough wall, e = 1 and mu = 0.8."""
    s = jp.System("rod", planar=True, gravity=(0, 0, 0))
    end = (-0.5 * np.cos(tilt), -0.5 * np.sin(tilt))
    body = s.body("rod", mass=1.0, inertia=1.0 / 12.0, orientation=tilt, velocity=velocity, angular_velocity=spin)
    contact = jp.Rigid(restitution=1.0, impact=impact)
    play = jp.Clearance("50 mm", contact=contact, friction=jp.Coulomb(0.8))
    s.prismatic("W", s.ground, body, point=end, axis=(1, 0), length=1e-4, width=1e-4, radial=play)
    return s


@pytest.mark.parametrize("turn", [0.5, 1.0, 1.5, 1.9, 2.5])
def test_a_step_too_long_for_a_spring(turn: float) -> None:
    """Fixed steps of ``turn`` / frequency: the phase is wrong by half a period or worse."""
    frequency = 100.0
    sol = jp.simulate(oscillator(frequency), until=1.0, method=jp.Moreau(step=turn / frequency), save=0.01)
    assert np.abs(sol["D.displacement"] - np.sin(frequency * sol.time) / frequency).max() > 0.5 / frequency
    assert any("energy balance" in one for one in sol.outcome.warnings)


def test_a_step_that_is_short_enough() -> None:
    sol = jp.simulate(oscillator(100.0), until=1.0, method=jp.Moreau(step=1e-4), save=0.01)
    assert not sol.outcome.warnings


@pytest.mark.parametrize(("spin", "said"), [(50.0, False), (200.0, False), (300.0, True), (1000.0, True)])
def test_turns_that_fixed_steps_cannot_count(spin: float, said: bool) -> None:
    s = jp.System("shaft", gravity=(0, 0, 0))
    body = s.body("shaft", mass=1.0, inertia=(0.1, 0.2, 0.3), angular_velocity=(0, 0, spin))
    stop = jp.Stop(upper=1e4, contact=rigid(0.5))
    s.revolute("A", s.ground, body, point=(0, 0, 0), axis=(0, 0, 1), angle=stop)
    sol = jp.simulate(s, until=1.0, method=jp.Moreau(step=0.01), save=0.1)
    assert any("turned" in one for one in sol.outcome.warnings) == said
    if not said:
        assert sol["A.angle"][-1] == pytest.approx(spin, rel=1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_impacts_that_make_energy(seed: int) -> None:
    """By default none; where Newton's law is asked for by name, any gain is told."""
    draw = np.random.default_rng(seed)
    given = (draw.uniform(0.3, 1.4), (draw.uniform(-3, 3), -1.0), draw.uniform(-2, 2))
    plain = jp.simulate(rod(*given, "newton"), until=0.2)
    bounded = jp.simulate(rod(*given, "bounded"), until=0.2)
    # losses are sums of products of impulses and speeds, each rounded: a few 1e-16 of the energy in each impact
    assert np.diff(bounded["energy.kinetic"]).max() <= 1e-12 * bounded["energy.kinetic"][0]
    assert bounded.stats["impact_gain"] == 0.0
    assert not bounded.outcome.warnings
    gains = np.diff(plain["energy.kinetic"]).max() > 1e-6 * plain["energy.kinetic"][0]
    assert any("impacts made" in one for one in plain.outcome.warnings) or not gains


def test_some_of_these_rods_gain() -> None:
    """So that the test above is about something: +36 % of the energy by plain Newton."""
    given = (0.8471649650363808, (0.17587296118062223, -1.0), 1.14314280285523)
    plain = jp.simulate(rod(*given, "newton"), until=0.2)
    assert plain["energy.kinetic"].max() > 1.3 * plain["energy.kinetic"][0]
    assert "impacts made" in plain.outcome.warnings[0]
    bounded = jp.simulate(rod(*given, "bounded"), until=0.2)
    assert bounded.stats["lessened_rebounds"] == 1


@pytest.mark.parametrize("step", [10.0, 1e18])
def test_a_step_longer_than_the_run_is_refused(step: float) -> None:
    with pytest.raises(jp.InputError, match="longer than the whole run"):
        jp.simulate(oscillator(1.0), until=1.0, method=jp.Moreau(step=step))


@pytest.mark.parametrize("stiffness", [1e4, 1e6, 1e8])
@pytest.mark.parametrize("rtol", [1e-3, 1e-6])
def test_a_compliant_stop_beside_dry_friction(stiffness: float, rtol: float) -> None:
    """A block that arrives with less than 1 m/s leaves more slowly; truth: energy."""
    s = jp.System("beside a brake", planar=True, gravity=(0, 0, 0))
    body = s.body("block", mass=1.0, inertia=0.1, velocity=(1, 0))
    contact = jp.HuntCrossley(stiffness=stiffness, exponent=1.5, restitution=0.8)
    s.prismatic(
        "D",
        s.ground,
        body,
        point=(0, 0),
        axis=(1, 0),
        displacement=[jp.Coulomb(0.1, load=1.0), jp.Stop(upper=0.1, contact=contact)],
    )
    sol = jp.simulate(s, until=0.3, method=jp.Moreau(rtol=rtol), save=1e-3)
    arrives = np.sqrt(1.0 - 2 * 0.1 * 0.1)
    leaves = -sol["D.displacement_rate"].min()
    assert 0.5 * arrives < leaves < arrives
    # the law keeps about 0.8 of the speed: 0.83 for any stiffness, but for what friction takes in the contact
    assert leaves == pytest.approx(0.83 * arrives, rel=0.02)


@pytest.mark.parametrize("name", ["bouncing", "to_and_fro", "thrown_at_a_lid", "brake_between_stops", "ball_in_a_ring"])
def test_right_results_carry_no_warning(name: str) -> None:
    for seed in range(5):
        assert not KINDS[name](np.random.default_rng(seed)).run().outcome.warnings


def test_free_turning_shaft_counts_its_turns() -> None:
    """Slowed down by friction in its bearings alone: angle and time of rest in closed form.

    The bearing carries the weight m g, friction torque mu m g r on either end together, plus 0.02 N m.
    """
    spin, moment = 150.0, 0.01
    s = jp.System("shaft", gravity=(0, 0, -G))
    body = s.body("shaft", mass=8.0, inertia=(0.05, moment, 0.05), angular_velocity=(0, spin, 0))
    s.revolute("A", s.ground, body, point=(0, 0, 0), axis=(0, 1, 0), angle=jp.ConstantFriction("0.096 N m"))
    sol = jp.simulate(s, until=30.0, save="0.1 s")
    assert sol["A.angle"][-1] == pytest.approx(spin**2 * moment / (2 * 0.096), rel=1e-6)  # 1171.9 rad
    assert not sol.outcome.warnings
