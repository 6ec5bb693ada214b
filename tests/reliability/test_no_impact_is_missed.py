"""Guarantee (b): no impact is missed. Instants of all impacts against closed forms and event-driven programs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from reliability.closed_forms import G, Scene, parabolas
from reliability.scenes import KINDS, rigid
from scipy.optimize import brentq

import jointplay as jp

SEEDS = range(4)
# kinds that take few steps: many of them fit in a second
QUICK = ("bouncing", "to_and_fro", "thrown_at_a_lid", "brake_between_stops", "shaft_with_far_stop", "ball_in_a_ring")
CURVED = ("mass_on_a_spring", "pendulum_with_stop", "two_masses", "vibrating_table", "slider_crank_with_stop")


def instants(sol: jp.Solution) -> np.ndarray:
    """Instants of impacts, each once."""
    return np.unique(sol.impacts["time"])


def told_apart(scene: Scene) -> np.ndarray:
    """Impacts of a scene before rebounds accumulate: with flights longer than a thousandth of the run."""
    flights = np.diff(scene.strikes, prepend=0.0)
    short = np.nonzero(flights < 1e-3 * scene.until)[0]
    return scene.strikes[: short[0]] if len(short) else scene.strikes


def missed(scene: Scene, method: jp.Moreau | None, allowed: float) -> list[float]:
    """Impacts of a scene that a run has not found within ``allowed`` of the length of the run."""
    found = instants(scene.run(method, count=11))
    expected = told_apart(scene)
    if not len(found):
        return list(expected)
    return [t for t in expected if np.abs(found - t).min() > allowed * scene.until]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", QUICK)
def test_piecewise_closed_forms(name: str, seed: int) -> None:
    # Between impacts these motions have constant accelerations, which the midpoint rule follows to rounding: an instant
    # is wrong by rounding times the number of impacts (some 20), times 1/sqrt(depth) for an apex just behind the wall.
    # Friction that begins or ends to slip is located to the tolerance, 1e-6.
    scene = KINDS[name](np.random.default_rng(1000 + seed))
    assert not missed(scene, None, 1e-6)


@pytest.mark.parametrize("name", CURVED)
def test_curved_motions(name: str) -> None:
    # An error of places of rtol = 1e-4 sizes shifts an instant by as much over the speed of approach, which is no less
    # than a hundredth of size / until in these scenes.
    scene = KINDS[name](np.random.default_rng(7))
    assert not missed(scene, jp.Moreau(rtol=1e-4), 1e-2)


@pytest.mark.parametrize("phase", np.linspace(0.0, 1.0, 8, endpoint=False))
def test_apex_behind_a_wall_inside_a_fixed_step(phase: float) -> None:
    """The wall is passed and left again within one step of 50 ms."""
    apex, depth, step = 0.5 + 0.2 * phase, 1e-3, 0.05
    v = float(np.sqrt(2 * G * apex))
    s = jp.System("thrown", gravity=(0, -G, 0), planar=True)
    body = s.body("block", mass=1.0, inertia=0.1, velocity=(0, v))
    s.prismatic(
        "D", s.ground, body, point=(0, 0), axis=(0, 1), displacement=jp.Stop(upper=apex - depth, contact=rigid(0.5))
    )
    sol = jp.simulate(s, until=0.8, method=jp.Moreau(step=step), save=step)
    # the instant depends on the depth by 1/sqrt(2 g depth): rounding of it is amplified a hundredfold
    assert sol.impacts["time"] == pytest.approx([(v - np.sqrt(2 * G * depth)) / G], abs=1e-11)


@pytest.mark.parametrize("gravity", [0.0, 3.0])
def test_ten_thousand_elastic_impacts(gravity: float) -> None:
    s = jp.System("to and fro", gravity=(0, 0, -gravity))
    body = s.body("mass", mass=1.0, inertia=0.1, velocity=(0, 0, 1.0))
    stop = jp.Stop(lower=-0.05, upper=0.05, contact=rigid(1.0))
    s.prismatic("D", s.ground, body, point=(0, 0, 0), axis=(0, 0, 1), displacement=stop)
    until = 1000.0
    sol = jp.simulate(s, until=until, save=until / 10)
    _, strikes = parabolas(0.0, 1.0, -gravity, -0.05, 0.05, 1.0, until * (1 - 1e-9))
    assert abs(len(sol.impacts) - len(strikes)) <= 1  # one may fall on the end of the run
    # each impact is placed within FINE = 1e-14 sizes or rounding of the time: 1e4 of them drift by no more than 1e-9
    assert sol.impacts["time"][:9000] == pytest.approx(strikes[:9000], abs=1e-8)
    assert sol["energy.total"][-1] == pytest.approx(sol["energy.total"][0], rel=1e-9)
    assert sol.stats["rests"] == 0


@pytest.mark.parametrize("size", [0.0, 1.0])
@pytest.mark.parametrize("gap", [1e-9, 1e-8, 1e-7, 1e-6, 1e-4, 1e-2, 1.0])
def test_gaps_of_any_size(gap: float, size: float) -> None:
    """Nine impacts between two stops, alone and in a mechanism of 1 m."""
    speed, e = 1e-3, 0.8
    s = jp.System("gap", gravity=(0, 0, 0), planar=True)
    body = s.body("mass", mass=1.0, inertia=0.1, position=(size, 0), velocity=(speed, 0))
    stop = jp.Stop(lower=-gap / 2, upper=gap / 2, contact=rigid(e))
    s.prismatic("D", s.ground, body, point=(0, 0), axis=(1, 0), displacement=stop)
    strikes = gap / speed * (0.5 + np.concatenate([[0.0], np.cumsum(0.8 ** -np.arange(1.0, 9.0))]))
    sol = jp.simulate(s, until=1.001 * strikes[-1])
    assert len(sol.impacts) == 9
    # numbers of the size of the mechanism are rounded to 2e-16 of it: nine times that, amplified by 1/e^9 = 7.5
    allowed = 100 * 2.2e-16 * (1.0 + size / gap)
    assert sol.impacts["time"] == pytest.approx(strikes, rel=max(allowed, 1e-12))


@pytest.mark.parametrize("turns", [1.0, 7.3, 111.1])
@pytest.mark.parametrize("spin", [-200.0, 30.0])
def test_stop_at_an_angle_after_many_turns(spin: float, turns: float) -> None:
    angle = 2 * np.pi * turns
    s = jp.System("shaft", gravity=(0, 0, -G))
    body = s.body("shaft", mass=1.0, inertia=(0.1, 0.2, 0.3), angular_velocity=(0, 0, spin))
    stop = jp.Stop(lower=-angle, upper=angle, contact=rigid(0.5))
    s.revolute("A", s.ground, body, point=(0, 0, 0), axis=(0, 0, 1), angle=stop)
    first = angle / abs(spin)
    sol = jp.simulate(s, until=2 * first, save=first / 10)
    assert sol.impacts["time"] == pytest.approx([first], rel=1e-9)
    # saved angles come from a cubic through Euler parameters, which is off by up to 1e-4 rad for steps of a radian
    assert sol["A.angle"][-1] == pytest.approx(np.sign(spin) * 0.5 * angle, abs=2e-4)


@pytest.mark.parametrize("height", [0.15, 0.2, 0.3])
@pytest.mark.parametrize("spin", [5.0, 100.0, 500.0, 2000.0, 5000.0])
def test_corners_of_a_spinning_bar(spin: float, height: float) -> None:
    """A bar of 200 x 10 mm falls and spins between walls; its lower corners dip through the lower one and leave again.

    Its centre falls freely, so that the gap of a corner is height + w - g t^2/2 + r sin(spin t + angle).
    """
    length, width = 0.1, 0.005  # halves
    radius, angle = float(np.hypot(length, width)), float(np.arctan2(width, length))
    end = 1.05 * np.sqrt(2 * height / G)
    times = np.linspace(0.0, end, int(200 * spin * end) + 1000)
    firsts = []
    for corner in (-angle, np.pi + angle):

        def gap(t: Any, corner: float = corner) -> Any:
            return height + width - 0.5 * G * t * t + radius * np.sin(spin * t + corner)

        k = int(np.argmax(gap(times) < 0.0))
        if k > 0:
            firsts.append(float(brentq(gap, times[k - 1], times[k], xtol=1e-16)))
    s = jp.System("bar", planar=True, gravity=(0, -G, 0))
    body = s.body("bar", mass=1.0, inertia=1e-3, angular_velocity=spin)
    play = jp.Clearance(height, contact=rigid(0.5))
    s.prismatic("D", s.ground, body, point=(0, 0), axis=(1, 0), length=2 * length, width=2 * width, radial=play)
    for method in (None, jp.Moreau(step=min(1e-3, 1.0 / spin))):
        sol = jp.simulate(s, until=1.01 * min(firsts), method=method, save=min(firsts) / 5)
        # a dip of 0.1 mm at 1.4 m/s and more: rounding of places is amplified less than a hundredfold
        assert sol.impacts["time"][0] == pytest.approx(min(firsts), abs=1e-10)


@pytest.mark.parametrize("width", [0.2, 0.02])
@pytest.mark.parametrize("given", ["bounded steps", "linear table"])
def test_a_pulse_that_wakes_a_block(given: str, width: float) -> None:
    """What the page advises for short loads.

    The impulse is 0.02 sqrt(pi) N s; all of the short pulse comes before the stop is met, not all of the long one.
    """
    s = jp.System("pulse", gravity=(0, 0, 0), planar=True)
    body = s.body("b", mass=1.0, inertia=0.1)
    stop = jp.Stop(upper=0.005, contact=rigid(1.0))
    s.prismatic("B", s.ground, body, point=(0, 0), axis=(0, 1), displacement=stop)
    push: Any = f"0.02/{width}*exp(-((t-1)/{width})^2)"
    method = jp.Moreau(rtol=1e-4, h_max=width / 4)
    if given == "linear table":
        times = np.linspace(1 - 4 * width, 1 + 4 * width, 81)
        push = jp.Table(times, 0.02 / width * np.exp(-(((times - 1) / width) ** 2)), kind="linear")
        method = jp.Moreau(rtol=1e-4)
    s.force("push", body, force=(0, push))
    sol = jp.simulate(s, until=2.0, method=method, save=0.1)
    assert len(sol.impacts) == 1
    if width < 0.1:
        # straight lines between 81 points miss 2e-4 of the area at most; both runs are good to 1e-4 of the way
        assert sol["b.velocity"][-1, 1] == pytest.approx(-0.02 * np.sqrt(np.pi), rel=2e-3)


@pytest.mark.parametrize("width", [0.3, 0.1, 0.05])
@pytest.mark.parametrize("driven", [False, True], ids=["force", "drive"])
def test_a_pulse_without_advice(width: float, driven: bool) -> None:
    """Steps look ahead at functions of time: the default method meets what a pulse in a long rest does.

    A piston that rises by 0.01 exp(-((t-1)/w)^2) m meets a block 5 mm above it at half of its stroke: with e = 0.5 the
    block leaves with 1.5 times the speed of the piston there.
    """
    s = jp.System("pulse", gravity=(0, 0, 0), planar=True)
    body = s.body("b", mass=1.0, inertia=0.1, position=(0, 0.1))
    if driven:
        piston = s.body("piston", mass=1.0, inertia=0.1)
        lift = jp.Drive(f"0.01*exp(-((t-1)/{width})^2)")
        s.prismatic("T", s.ground, piston, point=(0, 0), axis=(0, 1), displacement=lift)
        s.prismatic("B", s.ground, body, point=(0, 0.1), axis=(0, 1))
        stop = jp.Stop(lower=-0.005, contact=rigid(0.5))
        s.prismatic("C", piston, body, point=(0, 0.1), axis=(0, 1), displacement=stop)
        speed = 1.5 * 0.005 * 2 * np.sqrt(np.log(2)) / width
    else:
        stop = jp.Stop(upper=0.005, contact=rigid(1.0))
        s.prismatic("B", s.ground, body, point=(0, 0.1), axis=(0, 1), displacement=stop)
        s.force("f", body, force=(0, f"0.02/{width}*exp(-((t-1)/{width})^2)"))
        speed = None
    sol = jp.simulate(s, until=2.0, save=0.1)
    assert len(sol.impacts) == 1
    if speed is not None:
        # rtol 1e-6 of 0.1 m at the wall, which is met at 0.014 m/s and more: 1e-5 s, in which speeds change by 1e-4
        assert sol["b.velocity"][-1, 1] == pytest.approx(speed, rel=1e-3)


@pytest.mark.parametrize("amplitude", [1e-4, 1e-5, 1e-6])
def test_a_vibration_small_beside_the_mechanism(amplitude: float) -> None:
    """A table that vibrates at 1 kHz strikes the mass above it at sin = 1/2, with a w cos 30 degrees."""
    w = 2 * np.pi * 1000
    s = jp.System("table", gravity=(0, 0, 0), planar=True)
    table = s.body("table", mass=1.0, inertia=0.1, position=(1, 0), velocity=(0, amplitude * w))
    body = s.body("b", mass=1.0, inertia=0.1, position=(1, 0.1))
    s.prismatic("T", s.ground, table, point=(0, 0), axis=(0, 1), displacement=jp.Drive(f"{amplitude}*sin({w}*t)"))
    s.prismatic("B", s.ground, body, point=(1, 0.1), axis=(0, 1))
    stop = jp.Stop(lower=-amplitude / 2, contact=rigid(0.5))
    s.prismatic("C", table, body, point=(1, 0.1), axis=(0, 1), displacement=stop)
    sol = jp.simulate(s, until=2e-3, save=2e-4)
    # gaps may be off by 3e-5 of the highest flight
    assert sol.impacts["time"][0] == pytest.approx(1 / 12000, rel=1e-3)
    assert sol["b.velocity"][-1, 1] == pytest.approx(1.5 * amplitude * w * np.cos(np.pi / 6), rel=1e-2)
