"""Forces and torques: constant, functions of time, tables; in global and in body axes; against closed solutions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mechanisms import TIGHT, rotation, turn

import jointplay as jp

TIMES = np.linspace(0.0, 2.0, 41)


def free(**given: Any) -> tuple[jp.System, Any]:
    s = jp.System(gravity=(0, 0, 0))
    return s, s.body("b", mass=2.0, inertia=(0.5, 0.6, 0.8), **given)


def run(s: jp.System) -> jp.Solution:
    sol = jp.simulate(s, until=2.0, method=TIGHT, save=TIMES)
    assert sol.outcome.ok, sol.outcome.message
    assert np.max(np.abs(sol["energy.error"])) <= 1e-9
    return sol


def test_constant_force() -> None:
    s, b = free(velocity=(1, 0, 0))
    s.force("push", b, force=(0, 3.0, "4 N"))
    sol = run(s)
    wanted = np.outer(TIMES, (1, 0, 0)) + np.outer(TIMES**2 / 4, (0, 3, 4))
    assert np.max(np.abs(sol["b.position"] - wanted)) <= 1e-10
    assert sol["energy.input"][-1] == pytest.approx(25.0 / 4 * 4, abs=1e-9)  # force times way


FORCES = {
    "expression": ("cos(3*t)", "0", "t"),
    "functions": (lambda t: np.cos(3 * t), 0.0, lambda t: t),
    "one function": lambda t: (np.cos(3 * t), 0.0, t),
}


@pytest.mark.parametrize("given", FORCES)
def test_force_over_time(given: str) -> None:
    s, b = free()
    s.force("push", b, force=FORCES[given])
    sol = run(s)
    assert np.max(np.abs(sol["b.velocity[0]"] - np.sin(3 * TIMES) / 6)) <= 1e-10
    assert np.max(np.abs(sol["b.position[2]"] - TIMES**3 / 12)) <= 1e-10


def test_table_of_force_with_corners() -> None:
    """A linear table: up to 6 N at 1 s and back; its corner is a break that no step crosses."""
    s, b = free()
    s.force("push", b, force=(jp.Table((0.0, 1.0, 2.0), (0.0, 6.0, 0.0), "linear"), 0.0, 0.0))
    sol = run(s)
    speed = np.where(TIMES <= 1, 1.5 * TIMES**2, 3.0 - 1.5 * (2 - TIMES) ** 2)
    assert np.max(np.abs(sol["b.velocity[0]"] - speed)) <= 1e-10


def test_force_in_body_axes_turns_with_the_body() -> None:
    w = 4.0
    s, b = free(angular_velocity=(0, 0, w))
    s.force("jet", b, force=(3.0, 0, 0), axes="body")
    sol = run(s)
    speed = 1.5 / w * np.stack([np.sin(w * TIMES), 1 - np.cos(w * TIMES), 0 * TIMES], axis=1)
    assert np.max(np.abs(sol["b.velocity"] - speed)) <= 1e-10


@pytest.mark.parametrize("axes", ("global", "body"))
def test_force_off_the_centre_turns_the_body(axes: str) -> None:
    """At the start: a = F/m and J alpha = s x F, for a body in any orientation."""
    p = turn((1, 2, -1), 0.9)
    R = rotation(p)
    centre, point, F = np.array([0.3, -0.2, 0.5]), np.array([0.7, 0.1, 0.2]), np.array([1.0, -2.0, 0.5])
    s, b = free(position=centre, orientation=p)
    s.force("push", b, force=F, point=point, axes=axes)
    sol = run(s)
    in_global = R @ F if axes == "body" else F
    moment = R.T @ np.cross(point - centre, in_global)
    assert sol["b.acceleration"][0] == pytest.approx(in_global / 2.0, abs=1e-12)
    assert sol["b.angular_acceleration"][0] == pytest.approx(moment / (0.5, 0.6, 0.8), abs=1e-12)


def test_point_of_a_force_moves_with_the_body() -> None:
    """A follower force through a point on the body keeps its moment: J alpha = arm x F at all times."""
    s, b = free()
    s.force("jet", b, force=(0, 2.0, 0), point=(0.5, 0, 0), axes="body")
    sol = run(s)
    assert np.max(np.abs(sol["b.angular_velocity[2]"] - 1.0 / 0.8 * TIMES)) <= 1e-10


@pytest.mark.parametrize("axes", ("global", "body"))
def test_torque_about_a_principal_axis(axes: str) -> None:
    s, b = free()
    s.torque("motor", b, torque=(0, 0, "2*sin(t)"), axes=axes)
    sol = run(s)
    assert np.max(np.abs(sol["b.angular_velocity[2]"] - 2.0 / 0.8 * (1 - np.cos(TIMES)))) <= 1e-10


def test_torque_in_global_axes_changes_the_moment_of_momentum() -> None:
    T = np.array([0.4, -0.3, 0.6])
    s, b = free(orientation=turn((0, 1, 1), 1.0), angular_velocity=(1, 2, 3))
    s.torque("motor", b, torque=T)
    sol = run(s)
    L = np.einsum("nij,nj->ni", rotation(sol["b.orientation"]), (0.5, 0.6, 0.8) * sol["b.angular_velocity"])
    assert np.max(np.abs(L - L[0] - np.outer(TIMES, T))) <= 1e-9


def test_full_inertia_tensor_is_the_principal_one_in_turned_axes() -> None:
    """A body described in axes turned by R has the tensor R^T J R and moves alike."""
    R = rotation(turn((1, -1, 2), 0.7))
    J = np.diag((0.5, 0.6, 0.8))
    runs = []
    for inertia, orientation, rate in (
        (J, np.eye(3), np.array([1.0, 2.0, -0.5])),
        (R.T @ J @ R, R, R.T @ (1.0, 2.0, -0.5)),
    ):
        s = jp.System(gravity=(0, 0, -9.81))
        body = s.body(
            "b", mass=2.0, inertia=inertia, orientation=orientation, angular_velocity=rate, position=(1, 0, 0)
        )
        s.marker("m", body, position=orientation.T @ (0.1, 0.2, 0.3))
        runs.append(run(s))
    assert np.max(np.abs(runs[0]["m.position"] - runs[1]["m.position"])) <= 1e-9
    assert np.max(np.abs(runs[0]["m.acceleration"] - runs[1]["m.acceleration"])) <= 1e-8
