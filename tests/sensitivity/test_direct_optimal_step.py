"""Direct derivatives of OptimalStep: against differences of the very same runs, and against formulas.

Gaps stand in the equations of the step, so that its motion is a continuous function of the clearances: differences hold
wherever the same contacts press in the same steps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from clearances import GRAVITY as G
from clearances import block_on_plane, cylindrical_slider
from optimal_step_cases import CHAIN, FALL, SWING, ball, chain, crank, driven, fixed, hung, pendulum, tree_of

import jointplay as jp
from jointplay.cli.examples import entries

ROUNDINGS = 10  # two were seen, in a driven linkage whose velocities do not depend on masses


def compare(
    build: Callable[..., jp.System],
    values: dict[str, float],
    of: list[str],
    scheme: jp.OptimalStep,
    until: float,
    save: float,
    *,
    within: float,
    change: float = 1e-3,
    told: str = "",
) -> Any:
    """Direct derivatives, after comparison with central differences, extrapolated, relative to the largest.

    ``told``: why they are those of the steps and not of the motion, from some instant on.
    """
    found = jp.sensitivities(build, values, of, until=until, scheme=scheme, save=save)
    assert [told in reason for _, reason in found.invalid] == ([True] if told else [])

    def slope(name: str, h: float) -> list[np.ndarray]:
        runs = [jp.simulate(build(**(values | {name: values[name] + s * h})), until, scheme, save) for s in (1, -1)]
        return [(runs[0][one] - runs[1][one]) / (2.0 * h) for one in of]

    for name, value in values.items():
        wide, near = slope(name, change * abs(value)), slope(name, 0.5 * change * abs(value))
        for k, one in enumerate(of):
            truth = (4.0 * near[k] - wide[k]) / 3.0
            off = float(np.max(np.abs(found[one][name] - truth)))
            largest = float(np.max(np.abs(found.values[one])))
            size = max(float(np.max(np.abs(truth))), 1e-5 * largest / abs(value))
            # a few roundings of the values themselves, divided by the narrower change: what differences cannot tell
            noise = ROUNDINGS * np.finfo(float).eps * largest / (0.5 * change * abs(value))
            assert off < within * size + noise, (one, name)
    return found


# --- Without contacts -----------------------------------------------------------------------------------------------


def test_a_driven_chain_with_a_spring_and_a_load() -> None:
    of = ["b.position", "b.angular_velocity", "b.velocity", "B.angle", "A.force"]
    compare(chain, CHAIN, of, fixed(4e-3), 0.12, 0.012, within=1e-7)


def test_redundant_joints_in_space() -> None:
    def linkage(crank: float, rho: float) -> jp.System:
        tree = tree_of("driven_four_bar_3d")
        tree["parameters"] |= {"crank": f"{crank} m", "rho": f"{rho} kg/m"}
        return jp.System.from_tree(tree)

    of = ["rocker.angular_velocity", "C.force", "A.drive_torque"]
    compare(linkage, {"crank": 0.1, "rho": 1.2}, of, fixed(2e-3), 0.03, 4e-3, within=1e-7)


def test_velocities_that_a_drive_changes_at_once() -> None:
    """Its speed jumps inside a run; the correction of the step after that is large, and followed to its square."""

    compare(driven, {"rate": 2.0, "length": 0.3}, ["b.position", "b.velocity"], fixed(1e-3), 0.02, 2e-3, within=1e-4)


# --- Contacts without friction --------------------------------------------------------------------------------------


def test_a_ball_comes_to_rest() -> None:
    found = compare(ball, FALL, ["ball.position", "ball.velocity"], fixed(5e-3), 0.15, 5e-3, within=1e-8)
    assert found.stats["impacts"] == 1
    z = found["ball.position"]
    assert z["lift"][0, 2] == 0.0 and z["lift"][-1, 2] == pytest.approx(1.0, abs=1e-12)
    assert z["height"][-1, 2] == pytest.approx(0.0, abs=1e-12)


def test_sizes_of_steps_are_taken_as_given() -> None:
    """In a window they are found by bisection on a grid, so that a tiny change of a parameter leaves them alone."""
    scheme = jp.OptimalStep(h_min=1e-3, h_max=5e-3)
    compare(ball, FALL, ["ball.position", "ball.velocity"], scheme, 0.15, 0.01, within=1e-6, change=1e-8)


def test_a_pendulum_meets_its_stop() -> None:
    """Joints and contact are closed together at the ends of steps."""

    of = ["bob.position", "bob.angular_velocity", "A.angle"]
    found = compare(pendulum, SWING, of, fixed(5e-3), 0.15, 5e-3, within=1e-4)
    assert found["A.angle"]["stop"][-1] == pytest.approx(1.0, abs=1e-10)


def test_contacts_that_depend_on_each_other() -> None:
    """Four edges of a block come down flat: impulses are not determined, the motion is."""

    def flat(mass: float, gap: float) -> jp.System:
        s = jp.System("flat", gravity=(0, -G, 0))
        body = s.body("slider", mass=mass, inertia=(1e-2,) * 3)
        section = [(x, y, 0) for x, y in ((-0.02, -0.02), (0.02, -0.02), (0.02, 0.02), (-0.02, 0.02))]
        play = jp.Clearance(gap, friction=jp.Coulomb(0.2))
        s.prismatic("P", s.ground, body, point=(0, 0, 0), axis=(0, 0, 1), length=0.02, section=section, radial=play)
        s.force("pull", body, force=(0, 0, 40.0))
        return s

    values = {"mass": 3.2, "gap": 1e-4}
    compare(flat, values, ["slider.position"], fixed(4e-4), 0.016, 8e-4, within=1e-6)


@pytest.mark.parametrize("beyond", [1e-12, -1e-12, 3e-10])
def test_a_grazed_stop_is_refused(beyond: float) -> None:
    """The highest of the discrete points is 0.18 m: farther away the stop is not touched, nearer it is."""

    def thrown(reach: float) -> jp.System:
        s = jp.System("thrown against a stop", gravity=(0, 0, -10.0))
        block = s.body("block", mass=1.0, inertia=0.1, velocity=(0, 0, 2.0))
        stop = jp.Stop(upper=reach, contact=jp.Rigid(restitution=0.0))
        s.prismatic("D", s.ground, block, point=(0, 0, 0), axis=(0, 0, 1), displacement=stop)
        return s

    given: dict[str, Any] = {"until": 0.3, "scheme": fixed(0.02), "save": 0.02}
    found = jp.sensitivities(thrown, {"reach": 0.18 + beyond}, "D.displacement", **given)
    ((time, reason),) = found.invalid
    assert time == pytest.approx(0.18)
    assert "grazed" in reason
    assert not jp.sensitivities(thrown, {"reach": 0.1799}, "D.displacement", **given).invalid


# --- Friction -------------------------------------------------------------------------------------------------------


def test_a_block_slides_and_stops() -> None:
    def block(mu: float, speed: float, g: float) -> jp.System:
        return block_on_plane(mu=mu, gravity=(0, 0, -g), velocity=(speed, 0, 0))

    values, of = {"mu": 0.3, "speed": 0.3, "g": G}, ["block.velocity", "block.position", "J.normal_force"]
    found = compare(block, values, of, fixed(5e-3), 0.15, 0.01, within=1e-8)
    assert np.max(np.abs(found["block.velocity"]["mu"][-1])) < 1e-10  # it rests
    assert found["J.normal_force"]["g"][-1, 0] == pytest.approx(2.0)


def test_friction_turns_with_the_motion() -> None:
    def block(mu: float, push: float, speed: float) -> jp.System:
        return block_on_plane(mu=mu, gravity=(0, 0, -G), velocity=(speed, 0, 0), push=(0, push, 0))

    values = {"mu": 0.2, "push": 3.0, "speed": 1.0}
    compare(block, values, ["block.velocity", "block.position"], fixed(5e-3), 0.15, 0.01, within=1e-8)


def test_an_incline() -> None:
    def incline(slope: float, mu: float, gap: float) -> jp.System:
        tree = tree_of("incline")
        tree["parameters"] |= {"slope": f"{slope} rad", "mu": mu, "gap": f"{gap} m"}
        return jp.System.from_tree(tree)

    values = {"slope": float(np.radians(20.0)), "mu": 0.3, "gap": 5e-5}
    compare(incline, values, ["S.displacement", "block.position"], fixed(4e-3), 0.12, 8e-3, within=1e-7)


def test_a_brake() -> None:
    def oscillator(mass: float, mu: float, stiffness: float) -> jp.System:
        tree = tree_of("friction_oscillator")
        tree["bodies"]["mass"]["mass"] = f"{mass} kg"
        tree["joints"]["D"]["displacement"]["coulomb"]["mu"] = mu
        tree["springs"]["S"]["stiffness"] = f"{stiffness} N/m"
        return jp.System.from_tree(tree)

    values, of = {"mass": 1.0, "mu": 1.0, "stiffness": 1.0}, ["mass.position", "mass.velocity"]
    compare(oscillator, values, of, fixed(0.02), 0.4, 0.04, within=1e-7)
    # then it turns back, and back again: the steps have derivatives, which are not those of the motion
    found = compare(oscillator, values, of, fixed(0.2), 8.0, 0.4, within=1e-7, told="turns back")
    assert found.invalid[0][0] == pytest.approx(0.45, abs=0.2)


# --- Play -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mu", [0.0, 0.2])
def test_a_pendulum_on_a_pin_with_play(mu: float) -> None:
    """It falls onto the pin and slides on it, in space; the clearance stands in the equations."""

    def pendulum(gap: float, out: float, mu: float = 0.0) -> jp.System:
        tree = tree_of("clearance_pendulum")
        tree["parameters"] |= {"gap": f"{gap} m", "out": f"{out} m"}
        if mu > 0.0:
            tree["joints"]["P"]["radial"]["friction"] = {"coulomb": mu}
        return jp.System.from_tree(tree)

    values = {"gap": 0.1, "out": 30.9} | ({"mu": mu} if mu > 0.0 else {})
    of = ["pendulum.position", "pendulum.angular_velocity"]
    found = compare(pendulum, values, of, fixed(0.01), 0.5, 0.02, within=2e-6, change=1e-4)
    assert found.stats["impacts"] == 1
    assert np.max(np.abs(found["pendulum.position"]["gap"])) > 0.1


def test_a_sleeve_on_a_rod() -> None:
    """Both ends strike, one after the other, with friction."""

    def sleeve(gap: float, mu: float, arm: float) -> jp.System:
        return cylindrical_slider(gap=gap, mu=mu, arm=arm)

    values, of = {"gap": 1e-4, "mu": 0.1, "arm": 0.03}, ["slider.position", "slider.velocity"]
    found = compare(sleeve, values, of, fixed(2e-4), 0.01, 4e-4, within=1e-7)
    assert found.stats["impacts"] == 2


@pytest.mark.parametrize("mu", [0.0, 0.01])
def test_a_slider_crank_with_play(mu: float) -> None:
    """Paper B without rebounds; the crank turns by 15 mrad in a step, and corrections are followed to their square."""

    values = {"gap": 1e-3, "crank": 0.153} | ({"mu": mu} if mu > 0.0 else {})
    of = ["crank.angular_velocity", "rod.angular_velocity", "slider.position"]
    found = compare(crank, values, of, fixed(1e-4), 6e-3, 2e-4, within=5e-6)
    assert found.stats["impacts"] == 1


def test_runs_have_no_jumps_between_neighbours() -> None:
    """Two corners meet the wall with gaps of 0 or one rounding: both are closed with the joints all the same."""
    nearby = np.linspace(-1.0, 1.0, 21)
    runs = [jp.simulate(crank(1e-3, 0.153, 0.01 * (1.0 + 1e-3 * x)), 2.8e-3, fixed(1e-4), 2.8e-3) for x in nearby]
    spin = np.array([sol["crank.angular_velocity"][-1, 2] for sol in runs])
    curve = np.polynomial.Polynomial.fit(nearby, spin, 3)
    assert np.max(np.abs(spin - curve(nearby))) <= 1e-14 * len(runs) * np.max(np.abs(spin))


def test_forces_of_a_pressed_journal() -> None:
    values, of = {"gap": 1e-3, "mu": 0.2}, ["bob.position", "bob.angular_velocity", "A.force", "A.normal_force"]
    # inside of a step the way round the pin is a chord, which is closed for saving
    compare(hung, values, of, fixed(1e-3), 0.05, 2.5e-3, within=1e-6)


def test_steps_that_are_too_long_are_refused() -> None:
    """Later the hole runs around its pin, and no linearisation of a long step closes the gap."""
    found = jp.sensitivities(hung, ["gap"], "bob.position", until=0.14, scheme=fixed(5e-3), save=5e-3)
    ((time, reason),) = found.invalid
    assert time == pytest.approx(0.115)
    assert "too long" in reason


# --- What is refused ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "scheme", "told"),
    [
        ("adjoint", jp.OptimalStep(reference=True), "without reference=True"),
        ("complex-step", jp.OptimalStep(), "take one of: Explicit"),
        ("direct", jp.OptimalStep(reference=True), "without reference=True"),
    ],
)
def test_methods_that_there_are_not(method: str, scheme: Any, told: str) -> None:
    of = jp.Final("ball.position[2]") if method == "adjoint" else "ball.position[2]"
    with pytest.raises(jp.InputError, match=told):
        jp.sensitivities(ball, FALL, of, method, until=0.01, scheme=scheme, save=0.01)


def test_rebounds_are_refused() -> None:
    """As in a run: what the method cannot take has no derivative with it either."""
    model, given = entries()["bouncing_ball"], {"until": 0.01, "scheme": fixed(1e-3), "save": 0.01}
    with pytest.raises(jp.InputError, match="inelastic contacts only"):
        jp.sensitivities(model, "height", "ball.position", **given)
