"""Direct derivatives through impacts and friction with Moreau: against formulas, and against differences of whole runs.

Differences extrapolate to step zero (sensitivity/richardson.py) and know nothing of active sets and instants; they hold
while the same contacts strike in the same order, which is what the tests ask for first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from clearances import GRAVITY as G
from clearances import block_on_plane

import jointplay as jp
from jointplay.cli.examples import entries

TINY = 1e-30


def both(build: Any, wrt: Any, of: Any, scheme: Any, until: float, save: Any) -> tuple[Any, Any]:
    """Direct derivatives and differences; the impacts must be the same in all runs."""
    given: dict[str, Any] = {"until": until, "scheme": scheme, "save": save}
    exact, truth = (jp.sensitivities(build, wrt, of, method, **given) for method in ("direct", "finite-difference"))
    assert not truth.invalid
    assert not exact.invalid
    return exact, truth


def close(exact: Any, truth: Any, within: float, of: Any = None) -> None:
    """Largest difference over time, relative to the largest true derivative or to 1e-6 of the quantity itself."""
    for name in of or exact.names:
        for key, p in exact.parameters.items():
            a, b = np.asarray(exact[name][key]), np.asarray(truth[name][key])
            scale = max(float(np.max(np.abs(b))), 1e-6 * float(np.max(np.abs(exact.values[name]))) / (abs(p) or 1.0))
            assert np.max(np.abs(a - b)) < within * scale, (name, key)


# --- A ball and stops -----------------------------------------------------------------------------------------------


def ball(height: float = 1.0, e: float = 0.8, g: float = G, lift: float = 0.0, mass: float = 1.0) -> jp.System:
    """Let go ``height - lift`` above a stop."""
    s = jp.System("ball", gravity=(0, 0, -g))
    body = s.body("ball", mass=mass, inertia=(1, 1, 1), position=(0, 0, height))
    stop = jp.Stop(lower=lift - height, contact=jp.Rigid(restitution=e))
    s.prismatic("P", s.ground, body, point=(0, 0, height), axis=(0, 0, 1), displacement=stop)
    return s


def bounced(t: np.ndarray, height: Any, e: Any, g: Any, lift: Any, mass: Any) -> np.ndarray:
    """Height over all bounces until the last instant."""
    out = height - g * t * t / 2 + 0 * mass
    begin, v = np.sqrt(2 * (height - lift) / g), e * np.sqrt(2 * g * (height - lift))
    while begin.real < t[-1]:
        s = t - begin
        out = np.where(s.real > 0, lift + v * s - g * s * s / 2, out)
        begin, v = begin + 2 * v / g, e * v
    return out


@pytest.mark.parametrize(
    ("scheme", "within"), [(jp.Moreau(step=1e-3), 1e-6), (jp.Moreau(rtol=1e-7), 1e-4)], ids=["step", "rtol"]
)
def test_a_ball_on_a_stop(scheme: Any, within: float) -> None:
    """Three bounces; the derivative by the place of the stop, which plain time stepping says is zero, is not."""
    values = {"height": 1.0, "e": 0.8, "g": G, "lift": 0.1, "mass": 1.0}
    result = jp.sensitivities(ball, values, "ball.position[2]", until=2.0, scheme=scheme, save=0.02)
    assert result.stats["impacts"] == 3
    assert result.valid == [(0.0, 2.0)]
    for name in values:
        changed = values | {name: values[name] + TINY * 1j}
        truth = bounced(result.time, **changed).imag / TINY
        found = result["ball.position[2]"][name]
        assert np.max(np.abs(found - truth)) < within * max(1.0, np.max(np.abs(truth))), name
    assert np.max(np.abs(result["ball.position[2]"]["lift"])) > 1.0


def test_velocities_jump_where_the_ball_does() -> None:
    """Between bounces they follow from the formula; right at an impact a derivative has no meaning."""
    values = {"height": 1.0, "e": 0.8, "g": G, "lift": 0.1, "mass": 1.0}
    result = jp.sensitivities(ball, values, "ball.velocity[2]", until=1.0, scheme=jp.Moreau(step=1e-3), save=0.02)
    first = np.sqrt(2 * 0.9 / G)
    after = (result.time > first) & (result.time < first + 2 * 0.8 * np.sqrt(2 * 0.9 / G))
    # v = e sqrt(2 g d) - g (t - sqrt(2 d/g)), d = height - lift
    found = result["ball.velocity[2]"]
    assert found["height"][~after & (result.time < first)] == pytest.approx(0.0, abs=1e-9)
    assert found["height"][after] == pytest.approx((1 + 0.8) * np.sqrt(G / 1.8), rel=1e-6)
    assert found["e"][after] == pytest.approx(np.sqrt(2 * G * 0.9), rel=1e-6)


def test_two_stops() -> None:
    """A block to and fro between stops that are part of a swinging frame."""

    def shuttle(width: float = 0.2, e: float = 0.9, speed: float = 1.0, mass: float = 0.5) -> jp.System:
        s = jp.System("shuttle", gravity=(0, 0, -G))
        frame = s.body("frame", mass=2.0, inertia=(0.1, 0.1, 0.1), position=(0.3, 0, 0))
        block = s.body("block", mass=mass, inertia=(0.01, 0.01, 0.01), position=(0.3, 0, 0), velocity=(speed, 0, 0))
        s.revolute("A", s.ground, frame, point=(0, 0, 0), axis=(0, 1, 0))
        stop = jp.Stop(lower=-width / 2, upper=width / 2, contact=jp.Rigid(restitution=e))
        s.prismatic("D", frame, block, point=(0.3, 0, 0), axis=(1, 0, 0), displacement=stop)
        return s

    names = ["width", "e", "speed", "mass"]
    of = ["A.angle", "D.displacement", "block.velocity"]
    exact, truth = both(shuttle, names, of, jp.Moreau(step=1e-3), 0.6, 0.01)
    assert exact.stats["impacts"] >= 3
    close(exact, truth, 1e-4)


# --- Journals and guides --------------------------------------------------------------------------------------------


def pendulum(e: float, mu: float) -> jp.System:
    """The gallery's pendulum on a pin with play, with rebounds and friction."""
    tree = jp.load_model(entries()["clearance_pendulum"]).to_tree()
    tree["parameters"] |= {"e": e, "mu": mu}
    tree["joints"]["P"]["radial"] |= {"contact": {"rigid": {"restitution": "e"}}, "friction": {"coulomb": "mu"}}
    return jp.System.from_tree(tree)


RADIAL = ["gap", "e", "mu", "out", "bodies.pendulum.mass", "bodies.pendulum.inertia[2]"]


def test_pendulum_with_play() -> None:
    """Over several impacts of a spatial journal with friction."""
    of = ["pendulum.position", "pendulum.angular_velocity"]
    exact, truth = both(pendulum(0.5, 0.1), RADIAL, of, jp.Moreau(step=1e-3), 0.425, 0.005)
    assert exact.stats["impacts"] >= 6
    close(exact, truth, 1e-4)
    assert np.max(np.abs(exact["pendulum.position"]["gap"])) > 0.1


@pytest.mark.parametrize("e", [0.0, 0.5])
def test_pendulum_with_play_comes_to_rest_on_its_pin(e: float) -> None:
    """After its last rebound it slides on the pin."""
    names = [name for name in RADIAL if name != "e"]
    exact, truth = both(pendulum(e, 0.1), names, ["pendulum.position"], jp.Moreau(step=1e-3), 0.6, 0.01)
    close(exact, truth, 1e-4)


def test_without_friction_it_comes_to_rest() -> None:
    tree = pendulum(0.5, 0.1).to_tree()
    del tree["joints"]["P"]["radial"]["friction"]
    names = [name for name in RADIAL if name != "mu"]
    exact, truth = both(jp.System.from_tree(tree), names, ["pendulum.position"], jp.Moreau(step=1e-3), 0.6, 0.01)
    assert exact.stats["impacts"] >= 10
    close(exact, truth, 1e-4)


CRANK = ["gap", "restitution", "mu", "crank", "rod", "bodies.slider.mass", "bodies.rod.inertia"]


def test_slider_crank_with_play() -> None:
    """Paper B: speed of the crank and place of the slider over the first impacts on both faces of the guide."""
    of = ["crank.angular_velocity[2]", "rod.angular_velocity[2]", "slider.position"]
    exact, truth = both(entries()["slider_crank_clearance"], CRANK, of, jp.Moreau(step=1e-5), 0.012, 2e-4)
    assert exact.stats["impacts"] >= 6
    close(exact, truth, 1e-4)
    for name in CRANK:
        assert np.max(np.abs(exact["crank.angular_velocity[2]"][name])) > 0.0


def test_slider_crank_with_error_control() -> None:
    """Sizes of steps are not differentiated, so that the error is that of the tolerance; truth by small steps."""
    given: dict[str, Any] = {"until": 0.009, "save": 2e-4}
    model, names, of = entries()["slider_crank_clearance"], CRANK[:4], "crank.angular_velocity[2]"
    found = jp.sensitivities(model, names, of, scheme=jp.Moreau(rtol=1e-8), **given)
    truth = jp.sensitivities(model, names, of, "finite-difference", scheme=jp.Moreau(step=2e-6), **given)
    assert not found.invalid
    assert found.stats["impacts"] >= 4
    close(found, truth, 1e-3)


def test_a_spin_that_parts_two_corners_is_refused() -> None:
    """Both corners of a face strike at one instant; the smallest turn of the slider makes one the first."""
    wrt = {"bodies.slider.angular_velocity": 0.0}
    result = jp.sensitivities(
        entries()["slider_crank_clearance"],
        wrt,
        "crank.angular_velocity[2]",
        until=5e-3,
        scheme=jp.Moreau(step=1e-5),
        save=1e-4,
    )
    ((time, reason),) = result.invalid
    assert time == pytest.approx(2.6925e-3, abs=1e-5)
    assert "same instant" in reason
    assert result.valid == [(0.0, time)]


def thrown(reach: float = 0.2) -> jp.System:
    """A block that turns back at 0.2 m by its weight, below a stop."""
    s = jp.System("thrown against a stop", gravity=(0, 0, -10.0))
    block = s.body("block", mass=1.0, inertia=0.1, velocity=(0, 0, 2.0))
    stop = jp.Stop(upper=reach, contact=jp.Rigid(restitution=0.5))
    s.prismatic("D", s.ground, block, point=(0, 0, 0), axis=(0, 0, 1), displacement=stop)
    return s


@pytest.mark.parametrize("before", [1e-12, 1e-9])
def test_a_light_touch_is_followed(before: float) -> None:
    """The speed v = sqrt(2 g before) at the stop has the derivative -g/v; (1 + e) of it act until the end.

    Apex and stop are numbers of the size of 0.2 m, so ``before`` is known to their rounding.
    """
    run: dict[str, Any] = {"until": 0.4, "scheme": jp.Moreau(step=1e-3), "save": [0.4]}
    result = jp.sensitivities(thrown, {"reach": 0.2 - before}, "D.displacement", **run)
    assert not result.invalid
    v = np.sqrt(2.0 * 10.0 * before)
    slope = result["D.displacement"]["reach"][-1]
    assert slope == pytest.approx(1.5 * 10.0 / v * (0.2 + v / 10.0), rel=1e-3 + 1e-16 / before)


@pytest.mark.parametrize("beyond", [1e-12, 3e-10])
def test_a_grazed_stop_is_refused(beyond: float) -> None:
    """Farther away it is not touched, nearer it is struck."""
    result = jp.sensitivities(
        thrown, {"reach": 0.2 + beyond}, "D.displacement", until=0.4, scheme=jp.Moreau(step=1e-3), save=0.01
    )
    assert result.invalid
    assert result.invalid[0][0] == pytest.approx(0.2, abs=2e-3)
    assert "grazed" in result.invalid[0][1]
    assert np.isfinite(result["D.displacement"]["reach"]).all()


def test_rebounds_without_end_are_refused_or_right() -> None:
    """After infinitely many bounces in finite time the ball lies still: the derivative by the floor is one."""
    result = jp.sensitivities(
        ball, {"lift": 0.1, "e": 0.3}, "ball.position[2]", until=1.5, scheme=jp.Moreau(step=1e-3), save=0.05
    )
    last = result["ball.position[2]"]
    if not result.invalid:
        assert last["lift"][-1] == pytest.approx(1.0, abs=1e-6)
        assert last["e"][-1] == pytest.approx(0.0, abs=1e-6)
    else:
        end = np.sqrt(2 * 0.9 / G) * (1 + 0.3) / (1 - 0.3)  # of all bounces
        assert result.invalid[0][0] == pytest.approx(end, abs=0.05)


# --- Friction and closed contacts -----------------------------------------------------------------------------------


def test_a_sliding_block() -> None:
    """Its force is m g, its velocity v - mu g t, until it stops; from then on it stays where it is."""

    def block(mu: float = 0.3, speed: float = 1.0, g: float = G) -> jp.System:
        return block_on_plane(mu=mu, gravity=(0, 0, -g), velocity=(speed, 0, 0))

    result = jp.sensitivities(
        block,
        ["mu", "speed", "g"],
        ["block.velocity[0]", "block.position[0]", "J.normal_force[0]"],
        until=0.6,
        scheme=jp.Moreau(step=1e-4),
        save=0.02,
    )
    assert not result.invalid
    t, stop = result.time, 1.0 / (0.3 * G)
    slides, rests = (t > 0.01) & (t < stop - 1e-3), t > stop + 1e-3
    assert slides.any() and rests.any()
    v, x, N = (result[of] for of in result.names)
    for name, rate in (("mu", -G * t), ("speed", 1.0 + 0 * t), ("g", -0.3 * t)):
        assert v[name][slides] == pytest.approx(rate[slides], rel=1e-3, abs=1e-3), name
        assert v[name][rests] == pytest.approx(0.0, abs=1e-9), name
    # where it stops: x = v^2/(2 mu g)
    for name, end in (("mu", -1 / (2 * 0.09 * G)), ("speed", 1 / (0.3 * G)), ("g", -1 / (0.6 * G**2))):
        assert x[name][rests] == pytest.approx(end, rel=1e-3), name
    assert N["g"][slides] == pytest.approx(2.0, rel=1e-6)
    assert N["mu"][slides] == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("step", [2e-3, 1.7e-3])
def test_sliding_that_turns_back_is_told(step: float) -> None:
    """Thrown uphill it stops after v/(g_x + mu g_z) and slides down at once; on a gentle slope it stays there."""

    def thrown(pull: float = 6.0, speed: float = 0.2) -> jp.System:
        return block_on_plane(mu=0.3, gravity=(-pull, 0, -G), velocity=(speed, 0, 0))

    given: dict[str, Any] = {"until": 0.06, "scheme": jp.Moreau(step=step), "save": 5e-3}
    ((time, reason),) = jp.sensitivities(thrown, ["speed"], "block.velocity", **given).invalid
    assert time == pytest.approx(0.2 / (6.0 + 0.3 * G), abs=2.0 * step)
    assert "turns back" in reason
    assert not jp.sensitivities(thrown, {"pull": 1.0, "speed": 0.2}, "block.velocity", **given).invalid


def test_a_block_that_sticks_and_then_slides() -> None:
    """Pulled by a t it starts at t1 = mu m g/a, and has the velocity a (t - t1)^2/(2 m)."""

    def pulled(mu: float = 0.3, rise: float = 20.0) -> jp.System:
        s = jp.System("pulled", gravity=(0, 0, -G), parameters={"rise": rise})
        body = s.body("block", mass=2.0, inertia=(0.01,) * 3)
        play = jp.Clearance(1e-9, friction=jp.Coulomb(mu))
        s.joint("planar", "J", s.ground, body, point=(0, 0, 0), axis=(0, 0, 1), axial=play)
        s.force("pull", body, force=("rise*t", 0, 0))
        return s

    result = jp.sensitivities(
        pulled, ["mu", "rise"], "block.velocity[0]", until=0.6, scheme=jp.Moreau(step=1e-4), save=0.02
    )
    assert not result.invalid
    t, start = result.time, 0.3 * 2.0 * G / 20.0
    late = np.maximum(t - start, 0.0)
    truth = {"mu": -G * late, "rise": late**2 / 4.0 + 10.0 * late * start / 20.0}
    for name, expected in truth.items():
        found = result["block.velocity[0]"][name]
        assert np.max(np.abs(found - expected)) < 2e-3 * np.max(expected**2) ** 0.5, name


def test_sliding_in_two_directions() -> None:
    """A push across the motion: friction turns with it."""

    def block(mu: float = 0.2, push: float = 3.0, speed: float = 1.0) -> jp.System:
        return block_on_plane(mu=mu, gravity=(0, 0, -G), velocity=(speed, 0, 0), push=(0, push, 0))

    names, of = ["mu", "push", "speed"], ["block.velocity", "block.position", "J.normal_force"]
    exact, truth = both(block, names, of, jp.Moreau(step=1e-4), 0.4, 0.02)
    close(exact, truth, 1e-4, of[:2])


def test_forces_of_a_pressed_journal() -> None:
    """A pendulum that has settled on its pin: force and friction, differentiated while the contact stays closed."""

    def hung(gap: float = 1e-3, mu: float = 0.2, out: float = 0.1, mass: float = 2.0) -> jp.System:
        s = jp.System("hung", planar=True, gravity=(0, -G))
        body = s.body("bob", mass=mass, inertia=5e-3, position=(out, -gap), angular_velocity=0.0)
        s.revolute(
            "A",
            s.marker("pin", s.ground),
            s.marker("hole", body, position=(-out, 0)),
            radius=0.01,
            radial=jp.Clearance(gap, friction=jp.Coulomb(mu)),
        )
        return s

    names = ["gap", "mu", "out", "mass"]
    of = ["bob.position", "bob.angular_velocity[2]", "A.force", "A.normal_force"]
    apart = []
    for step in (1e-4, 2.5e-5):
        exact, truth = both(hung, names, of, jp.Moreau(step=step), 0.25, 0.01)
        assert np.min(exact.values["A.normal_force"]) > 0.0
        close(exact, truth, 200.0 * step)
        pairs = [(exact[name][key], truth[name][key]) for name in of for key in names]
        apart.append([np.max(np.abs(a - b)) / np.max(np.abs(b)) for a, b in pairs])
    # later it rolls and slides in turns, which begin and end on the grid of steps: an error in proportion to the step
    assert max(apart[1]) < 0.5 * max(apart[0])
    # in the first twentieth of a second it only turns on the pin
    early = exact.time < 0.05
    for name in of:
        for key in names:
            a, b = exact[name][key][early], truth[name][key][early]
            assert np.max(np.abs(a - b)) < 1e-6 * np.max(np.abs(truth[name][key])), (name, key)
