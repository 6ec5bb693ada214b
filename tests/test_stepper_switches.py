"""Switches of models that a Stepper advances: the bits of one run, kept states, inputs that are set beside them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jointplay as jp
from jointplay.codes import Code
from jointplay.errors import InputError

METHODS = [
    jp.Explicit(rtol=1e-10, atol=1e-12),
    jp.Implicit(),
    jp.Index1(step=1e-3),
    jp.Verlet(step=1e-3),
    jp.Moreau(step=1e-3),
    jp.Moreau(),
    jp.OptimalStep(h_min=5e-4, h_max=5e-4),
]
ALL = pytest.mark.parametrize("method", METHODS, ids=repr)


def slider(right: float = 0.1, left: float = 0.1, *, once: bool = False) -> jp.System:
    """Pushed back and forth between two places by switches, and pulled by a program."""
    inputs = {"push": {"unit": "N", "value": 3.0}, "pull": {"unit": "N", "value": 0.0}, "lamp": {"unit": ""}}
    s = jp.System("slider", planar=True, gravity=(0, 0, 0), inputs=inputs)
    s.body("b", mass=2, inertia=0.1)
    s.prismatic("P", s.ground, "b", point=(0, 0, 0), axis=(1, 0, 0))
    s.force("F", "b", force=["push + pull - 0.3*b.velocity[0]*1 kg/s", 0, 0])
    s.switch("back", when=f"P.displacement > {float(right)!r}", set={"push": -4.0, "lamp": 1}, once=once)
    s.switch("forth", when=f"P.displacement < -{float(left)!r}", set={"push": 4.0, "lamp": 0})
    s.switch("harder", when="lamp > 0.5", set={"push": -6.0})
    return s


@ALL
def test_pieces_have_the_bits_of_one_run(method: Any) -> None:
    rng = np.random.default_rng(5)
    for _ in range(3):
        s = slider(*rng.uniform(0.05, 0.2, 2))
        sol = jp.simulate(s, 1.8, method, save=0.003)
        sim = jp.Stepper(s, method, keep=True)
        while sim.time < 1.8 - 1e-9:
            assert sim.advance("3 ms")
        own = sim.solution()
        assert np.array_equal(own["P.displacement"], sol["P.displacement"])
        assert own.events == sol.events and len(own.events) >= 3
        assert own.meta["inputs"] == sol.meta["inputs"] and own.meta["spent"] == sol.meta["spent"]


@ALL
def test_a_piece_that_ends_where_a_switch_acts(method: Any) -> None:
    """The switch has acted in the state there, whatever goes on from it."""
    s = slider()
    first = jp.simulate(s, 0.5, method, save=0.1).events[0].time
    whole = jp.simulate(s, 1.2, method, save=[first, 1.2])
    sim = jp.Stepper(s, method)
    assert sim.advance(first) and sim.inputs["push"] == -6.0
    kept = sim.state
    assert sim.advance(1.2 - first)
    # 1.2 - first + first may differ from 1.2 by rounding
    assert sim["P.displacement"] == pytest.approx(whole["P.displacement"][-1], abs=1e-14)
    rest = jp.simulate(s, 1.2, method, save=[1.2], start=kept)
    assert rest["P.displacement"][-1] == whole["P.displacement"][-1]
    assert rest.events == whole.events[2:]


@ALL
def test_kept_states_go_on_with_the_same_bits_wherever_they_are_taken(method: Any) -> None:
    rng = np.random.default_rng(9)
    for _ in range(3):
        s = slider(*rng.uniform(0.03, 0.12, 2), once=bool(rng.integers(2)))
        pulls = np.where(rng.random(60) < 0.4, rng.uniform(-3, 3, 60), np.nan)
        begins = int(rng.integers(0, 20))  # before, no input is set

        def drive(
            sim: jp.Stepper, first: int, last: int, begins: int = begins, pulls: np.ndarray = pulls
        ) -> list[tuple[float, float, float]]:
            found = []
            for k in range(first, last):
                if k >= begins and np.isfinite(pulls[k]):
                    sim.set("pull", pulls[k])
                assert sim.advance("20 ms"), sim.outcome
                found.append((sim["P.displacement"], sim["P.displacement_rate"], sim["push"]))
            return found

        whole = drive(jp.Stepper(s, method), 0, 60)
        assert len({push for _, _, push in whole}) >= 3
        for split in rng.integers(1, 59, 4):
            sim = jp.Stepper(s, method)
            assert drive(sim, 0, split) == whole[:split]
            kept = sim.state
            once = drive(sim, split, 60)
            # a look at the state ends a step of controlled Moreau there, with switches or without
            assert once == whole[split:] or repr(method) == repr(jp.Moreau())
            sim.reset(kept)
            assert drive(sim, split, 60) == once
            assert drive(jp.Stepper(s, method, start=kept), split, 60) == once
        sim.reset()
        assert drive(sim, 0, 60) == whole


@ALL
def test_an_input_that_is_set_makes_a_switch_act(method: Any) -> None:
    """At the instant at which it is set, before the next step, and in a state that is taken there."""
    s = slider()
    sim = jp.Stepper(s, method, keep=True)
    for _ in range(10):
        sim.advance("10 ms")
    sim.set("lamp", 1.0)
    assert sim.state.inputs == {"push": -6.0, "pull": 0.0, "lamp": 1.0}  # type: ignore[attr-defined]
    sim.set("push", 1.0)  # the condition is true since before: this stays
    kept = sim.state
    for _ in range(10):
        sim.advance("10 ms")
    once = sim["P.displacement_rate"]
    assert sim.inputs["push"] == 1.0
    assert [event.name for event in sim.solution().events] == ["harder"]
    c = 0.3 / 2.0  # m dv/dt = F - 0.3 v
    v = 3.0 / 0.3 * (1 - np.exp(-c * 0.1))
    exact = 1.0 / 0.3 + (v - 1.0 / 0.3) * np.exp(-c * 0.1)
    assert once == pytest.approx(exact, abs=1e-3 if isinstance(method, jp.OptimalStep) else 1e-6)
    sim.reset(kept)
    for _ in range(10):
        sim.advance("10 ms")
    assert sim["P.displacement_rate"] == once


@pytest.mark.parametrize("method", [jp.Explicit(rtol=1e-11, atol=1e-13), jp.Index1(step=1e-3)], ids=repr)
def test_a_program_beside_a_switch_against_a_closed_form(method: Any) -> None:
    """x = F t^2/2m up to 0.1 m; pulled from 0.2 s on; cut off at 0.1 m, where v^2 = v0^2 + 2 a (0.1 - x0)."""
    inputs = {"push": {"unit": "N", "value": 3.0}, "pull": {"unit": "N", "value": 0.0}}
    s = jp.System("cut", planar=True, gravity=(0, 0, 0), inputs=inputs)
    s.body("b", mass=2, inertia=0.1)
    s.prismatic("P", s.ground, "b", point=(0, 0, 0), axis=(1, 0, 0))
    s.force("F", "b", force=["push + pull", 0, 0])
    s.switch("cut off", when="P.displacement > 10 cm", set={"push": 0.0})
    sim = jp.Stepper(s, method, keep=True)
    for k in range(100):
        sim.set("pull", 1.0 if k >= 20 else 0.0)
        sim.advance("10 ms")
    v0, x0 = 1.5 * 0.2, 0.75 * 0.2**2
    speed = np.sqrt(v0**2 + 2 * 2.0 * (0.1 - x0))
    instant = 0.2 + (speed - v0) / 2.0
    assert sim.solution().events[0].time == pytest.approx(instant, abs=1e-6)
    assert sim["P.displacement_rate"] == pytest.approx(speed + 0.5 * (1.0 - instant), abs=1e-6)


def test_chattering_is_an_outcome() -> None:
    s = slider()
    s.switch("down", when="P.displacement_rate > 0.2", set={"push": -3.0})
    s.switch("up", when="P.displacement_rate < 0.2", set={"push": 3.0})
    sim = jp.Stepper(s, jp.Explicit(), at_most="5 s")
    while sim.advance("10 ms"):
        assert sim.time < 1.0
    assert sim.outcome.code is Code.CHATTERS and "without end" in sim.outcome.message


def test_a_state_without_inputs_is_refused() -> None:
    sim = jp.Stepper(slider(), jp.Explicit())
    plain = type(sim.state).__mro__[1](*sim.state)
    with pytest.raises(InputError, match="does not hold the values of its inputs"):
        sim.reset(plain)
    assert sim.advance("10 ms")
