"""Drives: coordinates follow their functions of time, and the work that goes in is the energy that comes out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mechanisms import TIGHT, bar
from scipy.integrate import simpson

import jointplay as jp


def driven_crank(angle: Any) -> jp.System:
    """A planar slider-crank in the x-y plane under gravity, its crank driven."""
    s = jp.System("driven", gravity=(0, -9.81, 0), planar=True)
    crank = bar(s, "crank", (0, 0, 0), (0.1, 0, 0), mass=0.5)
    rod = bar(s, "rod", (0.1, 0, 0), (0.4, 0, 0), mass=0.8)
    slider = s.body("slider", mass=1.0, inertia=1e-3, position=(0.4, 0, 0))
    s.revolute("A", s.ground, crank, point=(0, 0, 0), angle=jp.Drive(angle))
    s.revolute("B", crank, rod, point=(0.1, 0, 0))
    s.revolute("C", rod, slider, point=(0.4, 0, 0))
    s.prismatic("D", s.ground, slider, point=(0.4, 0, 0), axis=(1, 0, 0))
    return s


ANGLES = {
    "expression": "4*t + 0.5*sin(3*t)",
    "function": lambda t: 4 * t + 0.5 * np.sin(3 * t),
    "branching function": lambda t: 4 * t + 0.5 * float(np.sin(3 * t)) if t >= 0 else 0.0,
}


@pytest.mark.parametrize("given", ANGLES)
def test_slider_follows_the_crank(given: str) -> None:
    times = np.linspace(0, 2, 401)
    sol = jp.simulate(driven_crank(ANGLES[given]), until=2.0, method=TIGHT, save=times)
    assert sol.outcome.ok, sol.outcome.message
    angle, rate = 4 * times + 0.5 * np.sin(3 * times), 4 + 1.5 * np.cos(3 * times)
    root = np.sqrt(0.09 - (0.1 * np.sin(angle)) ** 2)
    wanted = 0.1 * np.cos(angle) + root
    speed = -rate * (0.1 * np.sin(angle) + 0.01 * np.sin(angle) * np.cos(angle) / root)
    assert np.max(np.abs(sol["A.angle"] - angle)) <= 1e-9
    assert np.max(np.abs(sol["slider.position[0]"] - wanted)) <= 1e-9
    assert np.max(np.abs(sol["slider.velocity[0]"] - speed)) <= 1e-8


def test_input_work_is_the_change_of_energy() -> None:
    times = np.linspace(0, 2, 2001)
    sol = jp.simulate(driven_crank(ANGLES["expression"]), until=2.0, method=TIGHT, save=times)
    power = sol["A.drive_torque"] * sol["A.angle_rate"]
    gained = sol["energy.total"] - sol["energy.total"][0]
    assert np.ptp(gained) > 1.0
    assert simpson(power, x=times) == pytest.approx(gained[-1], abs=1e-8)
    assert np.max(np.abs(sol["energy.input"] - gained)) <= 1e-9
    assert np.max(np.abs(sol["energy.error"])) <= 1e-9


def test_torque_of_a_drive_is_inertia_times_acceleration() -> None:
    s = jp.System(gravity=(0, 0, 0))
    body = s.body("b", mass=2.0, inertia=(1, 2, 3), position=(0.5, 0, 0), velocity=(0, 0, 0))
    s.revolute("A", s.ground, body, point=(0, 0, 0), axis=(0, 0, 1), angle=jp.Drive("1.5*t^2"))
    sol = jp.simulate(s, until=1.0, method=TIGHT, save=0.1)
    assert np.allclose(sol["A.drive_torque"], 3.0 * (3.0 + 2.0 * 0.25), atol=1e-9)
    assert np.allclose(sol["b.angular_velocity[2]"], 3.0 * sol.time, atol=1e-10)


def test_a_table_drives_through_its_points() -> None:
    knots = [[0.0, 0.0], [0.5, 0.3], [1.0, 0.1], [1.5, 0.7], [2.0, 1.0]]
    sol = jp.simulate(driven_crank(knots), until=2.0, save=np.array(knots)[:, 0])
    assert sol.outcome.ok, sol.outcome.message
    assert np.allclose(sol["A.angle"], np.array(knots)[:, 1], atol=1e-9)


def test_prismatic_drive_carries_the_weight() -> None:
    s = jp.System(gravity=(0, 0, -9.81))
    body = s.body("b", mass=3.0, inertia=(1, 1, 1))
    s.prismatic("P", s.ground, body, point=(0, 0, 0), axis=(0, 0, 1), displacement=jp.Drive("0.2*sin(5*t)"))
    sol = jp.simulate(s, until=1.0, method=TIGHT, save=0.01)
    wanted = 3.0 * (9.81 - 0.2 * 25 * np.sin(5 * sol.time))
    assert np.allclose(sol["P.drive_force"], wanted, atol=1e-8)
    assert np.allclose(sol["P.force"], 0.0, atol=1e-9)


def test_hooke_joint_speed_ratio() -> None:
    """A universal joint between shafts at the angle b: w2/w1 = cos b / (1 - sin^2 b sin^2 th).

    th is the turn of the first shaft from the position in which its pin stands at right angles to both shafts. Both
    shafts have their own bearings, so three constraints are redundant.
    """
    b = 0.7
    out = np.array([np.cos(b), np.sin(b), 0])
    s = jp.System("Hooke", gravity=(0, 0, 0))
    first = s.body("first", mass=1.0, inertia=(0.1, 0.2, 0.2), position=(-0.5, 0, 0), angular_velocity=(3, 0, 0))
    second = s.body("second", mass=1.0, inertia=(0.1, 0.2, 0.2), position=0.5 * out, orientation=[*_half(b)])
    s.revolute("A", s.ground, first, point=(-1, 0, 0), axis=(1, 0, 0), angle=jp.Drive("3*t"))
    s.revolute("B", s.ground, second, point=out, axis=out)
    s.universal("U", first, second, point=(0, 0, 0), axis_a=(0, 0, 1), axis_b=(-np.sin(b), np.cos(b), 0))
    sol = jp.simulate(s, until=4.0, method=TIGHT, save=0.02)
    assert sol.outcome.ok, sol.outcome.message
    ratio = sol["B.angle_rate"] / sol["A.angle_rate"]
    assert np.max(np.abs(ratio - np.cos(b) / (1 - (np.sin(b) * np.sin(3 * sol.time)) ** 2))) <= 1e-9
    assert np.ptp(ratio) > 0.5
    # the turn of the second shaft: tan th2 = cos b tan th1, turns counted
    wanted = np.unwrap(np.arctan2(np.cos(b) * np.sin(3 * sol.time), np.cos(3 * sol.time)))
    assert np.max(np.abs(sol["B.angle"] - wanted)) <= 1e-9


def _half(angle: float) -> tuple[float, float, float, float]:
    return np.cos(angle / 2), 0.0, 0.0, np.sin(angle / 2)
