"""Runs in pieces: the same bits as one run, inputs that act from when they are set, outcomes instead of exceptions."""

from __future__ import annotations

import gc
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from physics.test_feedback import KD, KI, KP, cart_and_pole
from rattling import wheels

import jointplay as jp
from jointplay.errors import InputError


def pendulum(torque: str = "motor") -> jp.System:
    s = jp.System("pendulum", planar=True, inputs={"motor": "N*m"})
    s.body("b", mass=1, inertia=0.1, position=(0.5, 0, 0))
    s.revolute("A", s.ground, "b", point=(0, 0, 0))
    s.torque("T", "b", torque=torque)
    return s


METHODS = [
    jp.Explicit(),
    jp.Explicit(step=1e-3),
    jp.Implicit(),
    jp.Index1(step=1e-3),
    jp.Verlet(step=1e-3),
    jp.Moreau(),
    jp.Moreau(step=1e-3),
]


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_without_inputs_pieces_have_the_bits_of_one_run(method: Any) -> None:
    sol = jp.simulate(pendulum(), 0.3, method, save=0.003)  # not where controlled steps end
    sim = jp.Stepper(pendulum(), method)
    found = [sim["A.angle"]]
    for _ in range(100):
        assert sim.advance("3 ms")
        found.append(sim["A.angle"])
    assert np.array_equal(found, sol["A.angle"])
    assert sim.time == sol.time[-1]


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_an_input_acts_from_the_instant_at_which_it_is_set(method: Any) -> None:
    sim = jp.Stepper(pendulum(), method)
    for k in range(30):
        sim.set("motor", 2.0 if k >= 10 else 0.0)
        assert sim.advance("10 ms")
    # the same jump as a function of time, at which controlled steps end
    exact = jp.simulate(pendulum("2 N*m*step(t - 0.1)"), 0.3, jp.Explicit(rtol=1e-11, atol=1e-13), save=0.1)
    # of order 8 with steps of 10 ms, else what steps of 1 ms and usual tolerances of order 2 leave: h^2 w^2 phi / 12
    bound = 1e-9 if isinstance(method, jp.Explicit) else 1e-4 if isinstance(method, jp.Moreau | jp.Implicit) else 2e-6
    assert sim["A.angle"] == pytest.approx(exact["A.angle"][-1], abs=bound)


@pytest.mark.parametrize("method", [jp.Explicit(), jp.Index1(step=1e-3), jp.Moreau()], ids=repr)
def test_a_state_that_was_kept_goes_on_with_the_same_bits(method: Any) -> None:
    sim = jp.Stepper(pendulum(), method)

    def drive(first: int, last: int) -> list[float]:
        found = []
        for k in range(first, last):
            sim.set("motor", np.sin(0.3 * k))
            sim.advance("10 ms")
            found.append(sim["A.angle"])
        return found

    drive(0, 10)
    kept = sim.state
    once = drive(10, 20)
    sim.reset(kept)
    assert sim.inputs == {"motor": np.sin(0.3 * 9)} and sim.time == pytest.approx(0.1)
    assert drive(10, 20) == once
    sim.reset()
    assert sim.time == 0.0 and sim.inputs == {"motor": 0.0} and sim["A.angle"] == 0.0


def test_the_controller_at_1_khz_is_the_expression_up_to_the_hold() -> None:
    closed = jp.simulate(cart_and_pole(), 2.0, jp.Explicit(rtol=1e-10, atol=1e-12), save=0.5)
    errors = []
    for span in (1e-3, 5e-4):
        sim = jp.Stepper(cart_and_pole("push"), jp.Explicit(rtol=1e-10, atol=1e-12))
        while sim.time < 2.0 - 1e-9:
            angle = sim["hinge.angle"] + 0.1
            sim.set("push", KP * angle + KI * sim["store.displacement_rate"] + KD * sim["hinge.angle_rate"])
            assert sim.advance(span)
        errors.append(abs(sim["rail.displacement"] - closed["rail.displacement"][-1]))
    # a hold is late by half a piece: the difference is of first order in it
    assert errors[0] < 2e-3
    assert errors[1] / errors[0] == pytest.approx(0.5, abs=0.05)


def test_what_was_kept_is_a_solution_with_its_animation(tmp_path: Path) -> None:
    s = pendulum("0.1*motor")
    s.force("pull", "b", force=("0.2*motor/(1 m)", "-0.1*b.velocity[1]"))
    sim = jp.Stepper(s, jp.Explicit(), keep=True)
    for k in range(50):
        sim.set("motor", float(k % 7))
        sim.advance("10 ms")
    sol = sim.solution()
    assert sol.outcome.ok and len(sol.time) == 51
    assert sol["A.angle"][-1] == sim["A.angle"]
    assert [value for _, _, value in sol.meta["inputs"]][:4] == [0.0, 1.0, 2.0, 3.0]
    assert sol.view(tmp_path / "run.html").stat().st_size > 10_000
    again = jp.load(sol.save(tmp_path / "run.nc"))
    assert np.array_equal(again["A.angle"], sol["A.angle"])


def test_a_step_that_fails_is_an_outcome() -> None:
    sim = jp.Stepper(pendulum("sqrt(0.3 + A.angle)*motor"), jp.Explicit())
    sim.set("motor", 1.0)
    while sim.advance("20 ms"):
        assert sim.time < 2.0
    time, angle = sim.time, sim["A.angle"]
    assert "finite" in sim.outcome.message and not sim.outcome.ok
    assert np.isfinite(angle) and angle > -0.3
    assert not sim.advance("20 ms") and (sim.time, sim["A.angle"]) == (time, angle)
    sim.reset()
    assert sim.outcome.ok and sim.advance("20 ms")


def test_impacts_are_kept() -> None:
    s = jp.System("ball", planar=True)
    s.body("b", mass=1, inertia=0.1, position=(0, 0.2, 0))
    stop = jp.Stop(lower=-0.2, contact=jp.Rigid(restitution=0.5))
    s.prismatic("P", s.ground, "b", point=(0, 0.2, 0), axis=(0, 1, 0), displacement=stop)
    sol = jp.simulate(s, 0.6, jp.Moreau(), save=0.01)
    sim = jp.Stepper(s, jp.Moreau(), keep=True)
    for _ in range(60):
        assert sim.advance(0.01)
    assert len(sol.impacts) > 1
    assert np.array_equal(sim.solution().impacts["time"], sol.impacts["time"])


def test_values_have_the_form_that_results_have() -> None:
    """A place of contact with several numbers is a row; [1] is that of the second place, as it is of results."""
    s = jp.System("block", gravity=(0, 0, -9.81))
    s.body("b", mass=1.0, inertia=(0.1, 0.1, 0.1), angular_velocity=(2, 0, 0))
    play = jp.Clearance("1 mm", contact=jp.Hertz(1e6), friction=jp.Coulomb(0.2, creep=1e-3))
    s.revolute("R", s.ground, "b", point=(0, 0, 0), axis=(1, 0, 0), length=0.1, radius=0.02, radial=play)
    sol = jp.simulate(s, 0.03, save=[0.03])
    sim = jp.Stepper(s)
    assert sim.advance(0.03)
    assert sol["R.friction_force"][-1].shape[1] > 1
    for name in sol.names:
        if not name.startswith("solver"):
            assert np.array_equal(sim[name], sol[name][-1]), name
    assert np.array_equal(sim["R.friction_force[1]"], sol["R.friction_force[1]"][-1])
    assert sim["R.gap[1]"] == sol["R.gap[1]"][-1]


def test_bad_calls_get_a_sentence() -> None:
    sim = jp.Stepper(pendulum(), jp.Index1(step=1e-3))
    for call, sentence in (
        (lambda: sim.set("moter", 1), "did you mean 'motor'"),
        (lambda: sim.set("motor", "1 N"), "expected a torque"),
        (lambda: sim.set("motor", float("nan")), "finite"),
        (lambda: sim.advance(0.0), "above zero"),
        (lambda: sim.advance("1 kg"), "expected a time"),
        (lambda: sim.advance(2000.0), "longer at_most"),
        (lambda: sim.solution(), "keep=True"),
        (lambda: sim.reset("x"), "needs a State"),  # type: ignore[arg-type]
    ):
        with pytest.raises(InputError, match=sentence):
            call()
    sim.advance(1.5e-3)
    with pytest.raises(InputError, match="whole steps"):
        sim.set("motor", 1.0)
    with pytest.raises(KeyError, match=r"did you mean A\.angle"):
        sim["A.angel"]


def test_memory_stays_flat() -> None:
    sim = jp.Stepper(pendulum(), jp.Index1(step=1e-3))

    def drive(count: int) -> None:
        for k in range(count):
            sim.set("motor", float(k % 2))
            sim.advance("1 ms")

    drive(500)
    gc.collect()
    tracemalloc.start()
    drive(500)
    before, _ = tracemalloc.get_traced_memory()
    drive(5000)
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert after - before < 20_000  # bytes, over 5,000 pieces


def test_steppers_in_threads_do_not_know_of_each_other() -> None:
    def drive(gain: float) -> float:
        sim = jp.Stepper(pendulum(), jp.Explicit())
        for _ in range(200):
            sim.set("motor", -gain * sim["A.angle"])
            sim.advance("5 ms")
        return float(sim["A.angle"])

    gains = [1.0, 2.0, 3.0, 4.0]
    alone = [drive(gain) for gain in gains]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(drive, gains)) == alone


@pytest.mark.parametrize("seed", (4, 5, 6, 7, 14, 32))
def test_walls_are_met_with_the_same_bits_behind_each_input(seed: int) -> None:
    """Wheels with backlash, driven anew every 3 ms: gaps and forces at the end of a piece are those of the state."""
    s = wheels(seed, "motor")
    values = np.random.default_rng(seed).uniform(-1, 1, 60)

    def drive(sim: jp.Stepper, first: int, last: int) -> list[float]:
        found = []
        for n in range(first, last):
            if n % 3 == 0:
                sim.set("motor", values[n])
            assert sim.advance("1 ms")
            found.append(sim["A.angle"])
        return found

    sim, other = jp.Stepper(s, jp.Moreau(rtol=1e-6)), jp.Stepper(s, jp.Moreau(rtol=1e-6))
    begin = drive(sim, 0, 30)
    kept = sim.state
    rest = drive(sim, 30, 60)
    for one in (sim, other):
        one.reset(kept)
        assert drive(one, 30, 60) == rest
    sim.reset()
    assert drive(sim, 0, 60) == begin + rest
