"""What simulate promises: arguments, ends, restarts, turns, and failures that are said."""

import math

import numpy as np
import pytest

import jointplay as jp
from jointplay.codes import Code

BALL = {"mass": 1.0, "inertia": (1.0, 1.0, 1.0)}


def pendulum(**given: object) -> jp.System:
    s = jp.System("pendulum")
    bar = s.body("bar", mass=1.0, inertia=(0.01, 0.1, 0.1), position=(1.0, 0, 0))
    s.revolute("A", s.ground, bar, point=(0, 0, 0), axis=(0, 1, 0), **given)
    return s


def spinner(speed: float, **given: object) -> jp.System:
    s = jp.System("spinner", gravity=(0, 0, 0))
    rotor = s.body("rotor", **BALL, angular_velocity=(0, 0, speed))
    s.revolute("A", s.ground, rotor, point=(0, 0, 0), axis=(0, 0, 1), **given)
    return s


@pytest.mark.parametrize("method", [jp.Explicit(), jp.Verlet(step=1e-2), jp.Explicit(step=1e-2)], ids=str)
@pytest.mark.parametrize("force", ["sqrt(0.5 - t)", "sqrt(t - 1)"])
def test_what_is_not_a_number_ends_the_run(method: jp.Explicit, force: str) -> None:
    s = jp.System()
    ball = s.body("ball", **BALL)
    s.force("push", ball, force=[force, 0, 0])
    sol = jp.simulate(s, 1.0, method)
    assert not sol.outcome.ok
    assert sol.outcome.code in (Code.NOT_FINITE, Code.STEP_UNDERFLOW)
    assert np.all(np.isfinite(sol["ball.position"]))


@pytest.mark.parametrize(
    ("first", "then"),
    [
        (jp.Verlet(step=1e-3), jp.Verlet(step=5e-4)),
        (jp.Explicit(), jp.Verlet(step=1e-3)),
        (jp.Explicit(), jp.Explicit(step=1e-3)),
        (jp.Verlet(step=1e-3), jp.Explicit()),
    ],
    ids=str,
)
def test_another_method_may_go_on(first: jp.Explicit, then: jp.Explicit) -> None:
    truth = jp.simulate(pendulum(), 1.0, jp.Explicit(rtol=1e-11))["A.angle"][-1]
    half = jp.simulate(pendulum(), 0.5, first)
    whole = jp.simulate(pendulum(), 1.0, then, start=half)
    assert whole["A.angle"][-1] == pytest.approx(truth, abs=2e-5)


def test_a_continued_run_saves_at_the_same_instants() -> None:
    whole = jp.simulate(pendulum(), 1.0, save="1 ms")
    half = jp.simulate(pendulum(), 0.5, save="1 ms")
    rest = jp.simulate(pendulum(), 1.0, save="1 ms", start=half.state)
    for name in ("time", "A.angle", "A.force", "energy.error"):
        assert np.array_equal(np.concatenate([half[name], rest[name]]), whole[name])


@pytest.mark.parametrize("save", [0.01, 0.5, 1.0])
@pytest.mark.parametrize("rtol", [1e-6, 1e-4])
def test_turns_are_counted_whatever_is_saved(save: float, rtol: float) -> None:
    sol = jp.simulate(spinner(100.0), 3.0, jp.Explicit(rtol=rtol, atol=rtol), save=save)
    assert sol["A.angle"] == pytest.approx(100.0 * sol.time, abs=0.1)


def test_a_fast_drive_loses_no_turn() -> None:
    sol = jp.simulate(spinner(0.0, angle=jp.Drive("100*t")), 3.0, jp.Explicit(rtol=1e-4), save=0.5)
    assert sol.outcome.ok
    assert sol["A.angle"] == pytest.approx(100.0 * sol.time, abs=1e-6)


@pytest.mark.parametrize("start", ["2*pi + t", "6 + t"])
def test_a_drive_that_starts_elsewhere(start: str) -> None:
    if start == "2*pi + t":  # whole turns do not matter
        assert jp.simulate(spinner(0.0, angle=jp.Drive(start)), 0.1).outcome.ok
        return
    with pytest.raises(jp.InputError, match=r"joints.A.angle: the drive starts"):
        jp.simulate(spinner(0.0, angle=jp.Drive("2 + t")), 0.1)


def test_fixed_steps_across_a_break() -> None:
    s = jp.System(gravity=(0, 0, 0))
    ball = s.body("ball", **BALL)
    s.force("push", ball, force=["1000*t + 0*step(t - 0.0021)", 0, 0])
    sol = jp.simulate(s, 0.1, jp.Explicit(step=0.02), save=0.005)
    assert sol["ball.velocity[0]"] == pytest.approx(500.0 * sol.time**2, abs=1e-10)


@pytest.mark.parametrize("method", [jp.Explicit(), jp.Explicit(step=0.05)], ids=str)
def test_a_fitted_function_is_not_used_beyond_its_end(method: jp.Explicit) -> None:
    s = jp.System(gravity=(0, 0, 0))
    ball = s.body("ball", **BALL)
    s.force("push", ball, force=[lambda t: math.cos(5.0 * t), 0, 0])
    sol = jp.simulate(s, 1.0, method)
    assert sol["ball.velocity[0]"] == pytest.approx(np.sin(5.0 * sol.time) / 5.0, abs=1e-7)


@pytest.mark.parametrize("inertia", [0.1, 0.6, 1.0, 2.0])
def test_a_spin_alone_is_kept(inertia: float) -> None:
    s = jp.System(gravity=(0, 0, 0))
    bar = s.body("bar", mass=1.0, inertia=(inertia,) * 3, position=(1, 0, 0), angular_velocity=(0, 0, 5))
    s.revolute("A", s.ground, bar, point=(0, 0, 0), axis=(0, 0, 1))
    sol = jp.simulate(s, 0.1)
    assert sol["A.angle_rate"][0] == pytest.approx(5.0, rel=1e-9)
    assert sol["bar.velocity"][0] == pytest.approx([0, 5, 0], abs=1e-9)


@pytest.mark.parametrize("inertia", [1e-9, 1e-10, 1e-12])
def test_slender_bodies_are_no_singularity(inertia: float) -> None:
    def forces(about_axis: float) -> np.ndarray:
        s = jp.System("double pendulum")
        for k, name in enumerate(("a", "b")):
            s.body(name, mass=1.0, inertia=(about_axis, 1 / 12, 1 / 12), position=(k + 0.5, 0, 0))
        s.revolute("A", s.ground, "a", point=(0, 0, 0), axis=(0, 1, 0))
        s.revolute("B", "a", "b", point=(1, 0, 0), axis=(0, 1, 0))
        return jp.simulate(s, 0.5, save=0.1)["A.force"]

    assert forces(inertia) == pytest.approx(forces(1e-3), abs=1e-5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"until": -1}, "until: the end must lie after"),
        ({"until": "4 kg"}, "until: expected a time"),
        ({"method": "verlt"}, "method: there is no method"),
        ({"method": jp.Verlet}, "method: needs the name"),
        ({"method": jp.Verlet(step=-1)}, "method.verlet.step: must be greater than zero"),
        ({"method": jp.Explicit(rtol=0, atol=0)}, "method.explicit.rtol: must be greater"),
        ({"start": "run.nc"}, "start: needs the State"),
        ({"save": -1.0}, "save: the interval must be positive"),
        ({"save": [0.5, 7.0]}, "save: save times must lie"),
    ],
)
def test_bad_arguments_are_named(arguments: dict, message: str) -> None:
    with pytest.raises(jp.InputError, match=message):
        jp.simulate(pendulum(), **{"until": 1.0, **arguments})


def test_methods_by_name_and_with_units() -> None:
    assert jp.simulate(pendulum(), 0.1, "verlet").stats["steps"] == 100
    assert jp.simulate(pendulum(), 0.1, jp.Verlet(step="2 ms")).stats["steps"] == 50


def test_a_run_goes_to_its_end_whatever_is_saved() -> None:
    sol = jp.simulate(pendulum(), 1.0, save=[0.1, 0.2])
    assert sol.time.tolist() == [0.1, 0.2]
    assert sol.outcome.ok
    assert sol.outcome.time == 1.0
    assert jp.simulate(pendulum(), 2.0, save=0.5, start=sol)["A.angle"] == pytest.approx(
        jp.simulate(pendulum(), 2.0, save=[1.5, 2.0])["A.angle"], abs=1e-12
    )


@pytest.mark.parametrize("most", [1, 5, 30])
def test_the_number_of_steps_is_limited(most: int) -> None:
    sol = jp.simulate(pendulum(), 10.0, max_steps=most)
    assert sol.outcome.code is Code.STEP_LIMIT
    assert sol.stats["steps"] == most


def test_nothing_to_simulate() -> None:
    with pytest.raises(jp.InputError, match="there are no bodies"):
        jp.simulate(jp.System(), 1.0)


def test_a_drive_that_a_planar_model_cannot_move() -> None:
    s = jp.System(planar=True)
    disc = s.body("disc", mass=1.0, inertia=1.0)
    s.cylindrical("A", s.ground, disc, point=(0, 0), axis=(0, 0, 1), displacement=jp.Drive("t"))
    with pytest.raises(jp.InputError, match="joints.A.displacement: a planar model cannot move"):
        jp.simulate(s, 1.0)


def test_contradicting_drives_are_named() -> None:
    s = jp.System(planar=True)
    disc = s.body("disc", mass=1.0, inertia=1.0)
    s.revolute("A", s.ground, disc, point=(0, 0), angle=jp.Drive("t"))
    s.revolute("B", s.ground, disc, point=(0, 0), angle=jp.Drive("2*t"))
    report = s.check()
    assert not report.ok
    assert "contradict each other" in report.text()
    assert "A.angle" in report.text()
    assert "B.angle" in report.text()


def test_a_mechanism_drawn_in_millimetres_runs() -> None:
    s = jp.System(planar=True)
    for name, start, end in (
        ("crank", (0, 0), (60, 80)),
        ("coupler", (60, 80), (420, 80)),
        ("rocker", (360, 0), (420, 80)),
    ):
        middle = np.add(start, end) / 2
        angle = math.atan2(end[1] - start[1], end[0] - start[0])
        s.body(name, mass=1.0, inertia=1e-3, position=middle, orientation=angle)
    s.revolute("A", s.ground, "crank", point=(0, 0), angle=jp.Drive("5*t"))
    s.revolute("B", "crank", "coupler", point=(60, 80))
    s.revolute("C", "coupler", "rocker", point=(420, 80))
    s.revolute("D", s.ground, "rocker", point=(360, 0))
    report = s.check()
    assert report.ok
    assert "radius of gyration" in report.text()


def test_a_result_never_replaces_a_model(tmp_path) -> None:
    model = tmp_path / "model.yaml"
    model.write_text(pendulum().to_yaml())
    kept = model.read_text()
    sol = jp.simulate(pendulum(), 0.1)
    with pytest.raises(jp.InputError, match="is not a result"):
        sol.save(model)
    with pytest.raises(jp.InputError, match="is not a result"):
        jp.simulate(pendulum(), 0.1, output=model)
    assert model.read_text() == kept


def test_magnitudes_by_name() -> None:
    sol = jp.simulate(pendulum(), 0.1)
    assert np.array_equal(sol["|A.force|"], np.linalg.norm(sol["A.force"], axis=1))
    assert sol.units["|A.force|"] == "N"
