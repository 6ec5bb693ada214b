"""Conditions that end a run or are noted: their instants against closed forms, in all methods, and the sentences."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jointplay as jp
from jointplay.codes import Code
from jointplay.errors import InputError

G = 9.81


def ball(**given: Any) -> jp.System:
    s = jp.System("ball", planar=True, **given)
    s.body("b", mass=1, inertia=0.1, position=(0, 2, 0), velocity=(1, 0, 0))
    return s


def oscillator() -> jp.System:
    """x = sin(3 t)."""
    s = jp.System("oscillator", planar=True, gravity=(0, 0, 0))
    s.body("b", mass=2, inertia=0.1, velocity=(3, 0, 0))
    s.prismatic("P", s.ground, "b", point=(0, 0, 0), axis=(1, 0, 0), displacement=jp.Spring("18 N/m"))
    return s


def test_a_located_instant_is_exact_to_rounding() -> None:
    sol = jp.simulate(ball(), "b.position[1] < 0.5", jp.Explicit(), at_most="3 s", save=0.1)
    exact = np.sqrt(2 * 1.5 / G)
    assert sol.outcome.code is Code.HALTED and sol.outcome.ok
    assert sol.events[-1].time == pytest.approx(exact, abs=1e-12)
    assert sol.time[-1] == sol.events[-1].time == sol.outcome.time
    assert sol["b.position"][-1][1] == pytest.approx(0.5, abs=1e-12)
    assert np.array_equal(sol.time[:-1], 0.1 * np.arange(6))


def test_instants_of_an_oscillator() -> None:
    method = jp.Explicit(rtol=1e-12, atol=1e-14)
    record = {"up": "P.displacement > 0.3", "turn": "P.displacement_rate < 0"}
    sol = jp.simulate(oscillator(), 3.0, method, record=record)
    up = [event.time for event in sol.events if event.name == "up"]
    turn = [event.time for event in sol.events if event.name == "turn"]
    period = 2 * np.pi / 3
    assert up == pytest.approx(np.arcsin(0.3) / 3 + period * np.arange(2), abs=1e-11)  # rtol over three seconds
    assert turn == pytest.approx(np.pi / 6 + period * np.arange(2), abs=1e-11)


@pytest.mark.parametrize(
    ("method", "bound"),
    [
        (jp.Explicit(step=5e-3), 1e-11),  # order 8
        (jp.Implicit(), 1e-4),  # its usual tolerances
        (jp.Index1(step=1e-3), 2e-6),  # (3 h)^2 / 12 in phase, and the cubic between
        (jp.Verlet(step=1e-3), 2e-6),
        (jp.Moreau(step=1e-3), 2e-6),
        (jp.OptimalStep(h_min=1e-3, h_max=1e-3), 2e-2),  # of first order: h w / 2 in phase, and damped
    ],
    ids=lambda one: type(one).__name__,
)
def test_every_method_locates_on_its_interpolant(method: Any, bound: float) -> None:
    sol = jp.simulate(oscillator(), "P.displacement > 0.3", method, at_most=1.0, save=0.01)
    assert sol.outcome.code is Code.HALTED
    assert sol.events[-1].time == pytest.approx(np.arcsin(0.3) / 3, abs=bound)
    # the saved state is that of the interpolant: where the condition became true, up to the closing of the joints
    assert sol["P.displacement"][-1] == pytest.approx(0.3, abs=1e-9)


def test_what_is_recorded_changes_nothing() -> None:
    plain = jp.simulate(oscillator(), 2.0, jp.Explicit(), save=0.1)
    noted = jp.simulate(oscillator(), 2.0, jp.Explicit(), save=0.1, record=["P.displacement > 0.3", "t > 1"])
    assert np.array_equal(plain["P.displacement"], noted["P.displacement"])
    assert noted.events[1] == (pytest.approx(1.0, abs=1e-15), "t > 1") and noted.outcome.code is Code.DONE


def test_more_instants_than_one_call_can_note() -> None:
    s = oscillator()
    record = [f"P.displacement > {x}" for x in np.linspace(-0.9, 0.9, 301)]
    sol = jp.simulate(s, 20.0, jp.Explicit(), record=record)
    periods = [np.floor((20.0 - np.arcsin(x) / 3) * 3 / (2 * np.pi)) + (x >= 0) for x in np.linspace(-0.9, 0.9, 301)]
    assert len(sol.events) == sum(periods)


def test_a_jump_makes_a_condition_true_at_its_instant() -> None:
    s = jp.System("bounce", planar=True)
    s.body("b", mass=1, inertia=0.1, position=(0, 1, 0))
    stop = jp.Stop(lower=-1, contact=jp.Rigid(restitution=0.5))
    s.prismatic("P", s.ground, "b", point=(0, 1, 0), axis=(0, 1, 0), displacement=stop)
    sol = jp.simulate(s, "P.displacement_rate > 1", jp.Moreau(), at_most=2.0)
    assert sol.outcome.time == pytest.approx(np.sqrt(2 / G), abs=1e-6)  # where the impact is located
    assert sol.events[-1].time == pytest.approx(sol.impacts["time"][0], abs=1e-12)


def test_a_run_that_goes_on_does_not_stop_again(tmp_path: Path) -> None:
    first = jp.simulate(ball(), "b.position[1] < 0.5", at_most=3.0, save=0.1, output=tmp_path / "fall.nc")
    again = jp.load(tmp_path / "fall.nc")
    assert again.events == first.events and again.outcome.code is Code.HALTED
    assert np.array_equal(again.time, first.time)
    on = jp.simulate(ball(), 1.0, save=0.1, start=again)
    whole = jp.simulate(ball(), 1.0, save=0.1)
    assert on["b.position"][-1] == pytest.approx(whole["b.position"][-1], abs=1e-12)
    more = jp.simulate(ball(), "b.position[1] < -1", at_most=3.0, start=again, record="b.position[1] < 0.5")
    assert [event.name for event in more.events] == ["b.position[1] < -1"]
    assert more.outcome.time == pytest.approx(np.sqrt(2 * 3 / G), abs=1e-10)


def test_a_condition_that_never_becomes_true_ends_with_a_sentence() -> None:
    sol = jp.simulate(ball(), "b.position[1] > 5", at_most="0.5 s")
    assert sol.outcome.code is Code.NEVER_TRUE and not sol.outcome.ok
    assert sol.outcome.message == "reached t = 0.5 s, but 'b.position[1] > 5' never became true"
    assert sol.time[-1] == 0.5


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"until": "b.position[1] < 0.5"}, "at_most: is missing"),
        ({"until": "b.position[1] < 5", "at_most": 1}, "is true at the start"),
        ({"until": "b.positon[1] < 0", "at_most": 1}, "did you mean 'b.position"),
        ({"until": "b.position[1] < 5 kg", "at_most": 1}, "mixes a mass"),
        ({"until": "1 > 2", "at_most": 1}, "same at all times"),
        ({"until": 1, "at_most": 1}, "goes with a condition"),
        ({"until": 1, "record": "b.position[1]"}, "compares two sides"),
        ({"until": 1, "record": 3}, "needs conditions"),
    ],
)
def test_bad_conditions_get_a_sentence(given: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        jp.simulate(ball(), **given)
