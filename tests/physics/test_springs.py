"""Springs and dampers against closed solutions: free length, preload, damping, on lines and on joint coordinates."""

from __future__ import annotations

import numpy as np
import pytest
from mechanisms import TIGHT, apply, rotation, turn

import jointplay as jp

M, K, C = 2.0, 50.0, 3.0


def decay(x0: float, v0: float, times: np.ndarray, m: float = M) -> np.ndarray:
    """Solution of m x'' + C x' + K x = 0."""
    d = C / (2 * m)
    w = np.sqrt(K / m - d * d)
    return np.exp(-d * times) * (x0 * np.cos(w * times) + (v0 + d * x0) / w * np.sin(w * times))


def test_line_spring_oscillates_about_its_free_length() -> None:
    """Along x from the origin; drawn at 1.3 m, free length 0.9 m, preload 5 N: rest at 0.9 + 5/K."""
    s = jp.System(gravity=(0, 0, 0))
    body = s.body("b", mass=M, inertia=(1, 1, 1), position=(1.3, 0, 0), velocity=(-0.5, 0, 0))
    s.spring(
        "k",
        s.ground,
        body,
        point_a=(0, 0, 0),
        point_b=(1.3, 0, 0),
        stiffness=K,
        damping=C,
        free_length=0.9,
        preload=5.0,
    )
    sol = jp.simulate(s, until=3.0, method=TIGHT, save=0.05)
    rest = 0.9 + 5.0 / K
    x = rest + decay(1.3 - rest, -0.5, sol.time)
    assert np.max(np.abs(sol["b.position[0]"] - x)) <= 1e-9
    assert np.max(np.abs(sol["k.length"] - x)) <= 1e-9
    assert np.max(np.abs(sol["k.force"] - (5.0 - K * (sol["k.length"] - 0.9) - C * sol["k.length_rate"]))) <= 1e-9
    assert np.max(np.abs(M * sol["b.acceleration[0]"] - sol["k.force"])) <= 1e-9


def test_free_length_is_as_drawn_unless_given() -> None:
    s = jp.System(gravity=(0, 0, 0))
    body = s.body("b", mass=M, inertia=(1, 1, 1), position=(0.4, 0.3, 0))
    s.spring("k", s.ground, body, point_a=(0, 0, 0), point_b=(0.4, 0.3, 0), stiffness=K)
    sol = jp.simulate(s, until=1.0, save=0.5)
    assert np.allclose(sol["k.force"], 0.0, atol=1e-12)
    assert np.allclose(sol["b.position"], (0.4, 0.3, 0), atol=1e-12)


@pytest.mark.parametrize("kind", ("angle", "displacement"))
def test_spring_on_a_joint_coordinate(kind: str) -> None:
    """A coordinate that starts at zero with a spring whose free value is 0.3, moving at 0.5 per second."""
    law = jp.Spring(stiffness=K, damping=C, free=0.3, preload=2.0)
    s = jp.System(gravity=(0, 0, 0))
    if kind == "angle":
        body = s.body("b", mass=1.0, inertia=(1, 1, M), angular_velocity=(0, 0, 0.5))
        s.revolute("J", s.ground, body, point=(0, 0, 0), axis=(0, 0, 1), angle=law)
    else:
        body = s.body("b", mass=M, inertia=(1, 1, 1), velocity=(0, 0, 0.5))
        s.prismatic("J", s.ground, body, point=(0, 0, 0), axis=(0, 0, 1), displacement=law)
    sol = jp.simulate(s, until=2.0, method=TIGHT, save=0.05)
    rest = 0.3 + 2.0 / K
    assert np.max(np.abs(sol[f"J.{kind}"] - rest - decay(-rest, 0.5, sol.time))) <= 1e-9
    effort = sol["J.spring_torque" if kind == "angle" else "J.spring_force"]
    assert np.max(np.abs(effort - (2.0 - K * (sol[f"J.{kind}"] - 0.3) - C * sol[f"J.{kind}_rate"]))) <= 1e-9


def test_energy_of_springs_goes_where_it_should() -> None:
    s = jp.System(gravity=(0, 0, 0))
    body = s.body("b", mass=M, inertia=(1, 1, 1), position=(1.0, 0, 0))
    s.spring("k", s.ground, body, point_a=(0, 0, 0), point_b=(1, 0, 0), stiffness=K, damping=C, free_length=0.5)
    sol = jp.simulate(s, until=20.0, method=TIGHT, save=0.1)
    assert sol["energy.elastic"][0] == pytest.approx(0.5 * K * 0.25, rel=1e-12)
    assert np.all(np.diff(sol["energy.dissipated"]) >= 0.0)
    assert sol["energy.dissipated"][-1] == pytest.approx(0.5 * K * 0.25, rel=1e-6)  # all of it, in the end
    assert np.max(np.abs(sol["energy.error"])) <= 1e-10


def test_two_laws_on_one_coordinate_add() -> None:
    s = jp.System(gravity=(0, 0, 0))
    body = s.body("b", mass=M, inertia=(1, 1, 1), velocity=(0, 0, 0.5))
    laws = [jp.Spring(stiffness=K), jp.Spring(damping=C)]
    s.prismatic("J", s.ground, body, point=(0, 0, 0), axis=(0, 0, 1), displacement=laws)
    sol = jp.simulate(s, until=2.0, method=TIGHT, save=0.05)
    assert np.max(np.abs(sol["J.displacement"] - decay(0.0, 0.5, sol.time))) <= 1e-9
    assert np.allclose(sol["J.spring_force"] + sol["J.spring_force_2"], M * sol["b.acceleration[2]"], atol=1e-9)


def test_springs_between_two_free_bodies_push_equally() -> None:
    """Momentum and moment of momentum of two bodies tied by a spring off their centres are kept."""
    s = jp.System(gravity=(0, 0, 0))
    a = s.body("a", mass=1.0, inertia=(0.1, 0.2, 0.25), orientation=turn((1, 1, 0), 0.5), angular_velocity=(1, -2, 0.5))
    b = s.body("b", mass=2.0, inertia=(0.3, 0.2, 0.4), position=(1, 0.5, 0), velocity=(0, 0.3, -0.2))
    s.spring("k", a, b, point_a=(0.1, 0.2, 0), point_b=(0.8, 0.5, 0.3), stiffness=40.0, free_length=0.5)
    sol = jp.simulate(s, until=5.0, method=TIGHT, save=0.1)
    P = 1.0 * sol["a.velocity"] + 2.0 * sol["b.velocity"]
    L = np.zeros_like(P)
    for name, m, J in (("a", 1.0, (0.1, 0.2, 0.25)), ("b", 2.0, (0.3, 0.2, 0.4))):
        L += np.cross(sol[f"{name}.position"], m * sol[f"{name}.velocity"])
        L += apply(rotation(sol[f"{name}.orientation"]), J * sol[f"{name}.angular_velocity"])
    assert np.ptp(sol["k.length"]) > 0.1
    assert np.max(np.abs(P - P[0])) <= 1e-10
    assert np.max(np.abs(L - L[0])) <= 1e-9


def test_soft_closed_direction_gives_way() -> None:
    """A prismatic joint whose sideways directions are springs sags by m g / k under its weight."""
    s = jp.System(gravity=(0, 0, -9.81))
    body = s.body("b", mass=M, inertia=(1, 1, 1))
    soft = jp.Spring(stiffness=1e3, damping=100.0)
    s.prismatic("J", s.ground, body, point=(0, 0, 0), axis=(1, 0, 0), radial=soft)
    sol = jp.simulate(s, until=3.0, save=[3.0])
    assert sol["b.position"][-1] == pytest.approx((0, 0, -M * 9.81 / 1e3), abs=1e-7)
    assert sol["J.force"][-1] == pytest.approx((0, 0, M * 9.81), abs=1e-4)
