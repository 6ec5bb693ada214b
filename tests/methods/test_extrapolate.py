"""Controlled steps of Moreau have order 3 between impacts: in flight, on joints, along walls, and in space.

Steps of a given size: a tolerance that asks for nothing, and ``h_max``.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import jointplay as jp
from jointplay.gallery import entries


def far_stop() -> jp.Stop:
    return jp.Stop(lower=-50.0, upper=50.0, contact=jp.Rigid(restitution=0.5))


def pendulum() -> jp.System:
    s = jp.System("pendulum", gravity=(0, -9.81, 0), planar=True)
    bar = s.body("bar", mass=1.0, inertia=0.1, position=(1, 0))
    s.revolute("A", s.ground, bar, point=(0, 0), angle=far_stop())
    return s


def folded_pendulum() -> jp.System:
    """Two bars, the second of which lies on its stop: a closed contact that turns with the first."""
    s = jp.System("folded pendulum", gravity=(0, -9.81, 0), planar=True)
    first = s.body("first", mass=1.0, inertia=0.1, position=(1, 0))
    second = s.body("second", mass=1.0, inertia=0.1, position=(2, 0.5))
    s.revolute("A", s.ground, first, point=(0, 0))
    s.revolute("B", first, second, point=(2, 0), angle=jp.Stop(lower=0, upper=3, contact=jp.Rigid(restitution=0.0)))
    return s


def sprung_and_damped() -> jp.System:
    s = jp.System("spring", gravity=(0, 0, 0), planar=True)
    mass = s.body("mass", mass=1.0, inertia=0.1, velocity=(3, 0))
    laws = [jp.Spring(stiffness=100.0, damping=3.0), far_stop()]
    s.prismatic("A", s.ground, mass, point=(0, 0), axis=(1, 0), displacement=laws)
    s.force("push", mass, force=("3*sin(9*t)", 0, 0))
    return s


def tumbling() -> jp.System:
    """Two bodies on a ball joint in space; gyroscopic torques depend on velocities."""
    s = jp.System("tumbling", gravity=(0, 0, -9.81))
    first = s.body("first", mass=1.0, inertia=(0.1, 0.2, 0.15), position=(0, 0, 1), angular_velocity=(1, 2, 3))
    velocity = tuple(np.cross((1, 2, 3), (1, 0, 0)))
    second = s.body("second", mass=1.0, inertia=(0.1, 0.2, 0.15), position=(2, 0, 1), velocity=velocity)
    slider = s.body("slider", mass=1.0, inertia=1.0, position=(0, 0, 5))
    s.spherical("S", first, second, point=(1, 0, 1))
    s.prismatic("P", s.ground, slider, point=(0, 0, 5), axis=(0, 0, 1), displacement=far_stop())
    s.spring("k", slider, first, point_a=(0, 0, 5), point_b=(0, 0, 1), stiffness=20.0, free_length=3.0)
    return s


def slider_crank(**parameters: float) -> jp.System:
    given = {f"parameters.{name}": value for name, value in parameters.items()}
    return jp.load_model(Path(entries()["slider_crank_clearance"]), overrides=given)


# the slider-crank meets its guide after 2.7 ms, and comes to rest on it after 9.15 ms
CASES = {
    "pendulum": (pendulum, 0.4, 0.02),
    "on its stop": (folded_pendulum, 0.3, 0.02),
    "loads and damping": (sprung_and_damped, 0.4, 0.01),
    "in space": (tumbling, 0.4, 0.02),
    "crank through impacts": (slider_crank, 8e-3, 1e-4),
}


def places(sol: jp.Solution) -> np.ndarray:
    return np.concatenate([sol[name][-1].ravel() for name in sol.names if name.endswith(".position")])


def error(system: jp.System, until: float, h: float, exact: np.ndarray, **options: bool) -> float:
    sol = jp.simulate(system, until, jp.Moreau(rtol=10.0, h_max=h, **options), save=until)
    assert sol.outcome.ok
    return float(np.max(np.abs(places(sol) - exact)))


@pytest.mark.parametrize("name", CASES)
def test_order_three(name: str) -> None:
    build, until, h = CASES[name]
    exact = places(jp.simulate(build(), until, jp.Moreau(rtol=1e-9), save=until))
    found = [error(build(), until, h / 2**k, exact) for k in range(3)]
    assert found[2] < found[0] / 2 ** (2 * 2.5)
    plain = error(build(), until, h / 4, exact, extrapolate=False)
    assert found[2] < 0.1 * plain


def test_sliding_along_a_wall_takes_what_friction_takes() -> None:
    """Rates of closed contacts that steps leave behind press, and rub, without an effect on the motion."""
    crank = slider_crank(mu=0.1)
    speeds = []
    for method in (jp.Moreau(step=1e-6), jp.Moreau(rtol=10.0, h_max=1e-4), jp.Moreau(rtol=10.0, h_max=5e-5)):
        sol = jp.simulate(crank, 14e-3, method, save=1e-3)
        speeds.append(sol["crank.angular_velocity[2]"][[10, 14]])
        assert np.all(sol["D.gap"][11:, 0] < 1e-9)
    lost = [float(speed[0] - speed[1]) for speed in speeds]
    assert lost[1] == pytest.approx(lost[0], rel=1e-4)
    assert lost[2] == pytest.approx(lost[0], rel=2e-5)


def test_contacts_let_go_where_their_force_vanishes() -> None:
    """A mass on a driven table leaves it where the table falls with g, and flies on with its speed there."""
    a, w, g = 0.05, 20.0, 9.81
    s = jp.System("table", gravity=(0, -g, 0), planar=True)
    table = s.body("table", mass=5.0, inertia=0.1)
    mass = s.body("mass", mass=1.0, inertia=0.1, position=(0, 0.1))
    s.prismatic("A", s.ground, table, point=(0, 0), axis=(0, 1), displacement=jp.Drive(f"{a}*(1 - cos({w}*t))"))
    s.prismatic("B", table, mass, point=(0, 0.1), axis=(0, 1), displacement=jp.Stop(lower=0.0, contact=jp.Rigid()))
    leaves = float(np.arccos(-g / (a * w * w)) / w)
    speed = a * w * np.sin(w * leaves)
    height = 0.1 + a * (1 - np.cos(w * leaves))
    t = leaves + 0.05
    for rtol, within in ((1e-4, 1e-5), (1e-6, 1e-7)):
        sol = jp.simulate(s, t, jp.Moreau(rtol=rtol), save=[t])
        truth = height + speed * 0.05 - 0.5 * g * 0.05**2
        assert sol["mass.position[1]"][-1] == pytest.approx(truth, abs=within)


def test_the_ledger_follows() -> None:
    until = 0.4
    errors = [
        float(np.max(np.abs(jp.simulate(sprung_and_damped(), until, method, save=until / 10)["energy.error"])))
        for method in (jp.Moreau(rtol=10.0, h_max=0.005), jp.Moreau(rtol=10.0, h_max=0.00125))
    ]
    assert errors[1] < errors[0] / 4**2.3


def test_derivatives_go_through_plain_pairs() -> None:
    assert jp.Moreau(rtol=1e-7).differentiated() == jp.Moreau(rtol=1e-7, extrapolate=False)
    assert jp.Moreau(step=1e-3).differentiated() == jp.Moreau(step=1e-3, extrapolate=False)
    assert "extrapolate" in repr(jp.Moreau(rtol=1e-7, extrapolate=False))
