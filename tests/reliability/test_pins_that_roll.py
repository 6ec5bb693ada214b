"""Pins that roll and slip in their holes: few steps, in the plane and in any plane of space."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import jointplay as jp

PLANES = {"x-y": np.eye(3)} | {f"tilted {k}": Rotation.random(random_state=k).as_matrix() for k in (1, 2, 3)}
WORN = (1, 2)  # seeds of the planes that the linkage turns in


def worn_pin(mu: float, restitution: float = 0.3, gap: float = 2e-4) -> dict[str, Any]:
    play = jp.Clearance(gap, contact=jp.Rigid(restitution), friction=jp.Coulomb(mu))
    return {"radius": 0.01, "radial": play}


def four_bar(mu: float, plane: np.ndarray | None = None) -> jp.System:
    """The linkage of the first page of the documentation; its pin rubs."""
    flat = plane is None
    axes = np.eye(3) if plane is None else plane

    def at(x: float, y: float) -> Any:
        return (x, y) if flat else tuple(axes @ (x, y, 0.0))

    s = jp.System("four-bar", planar=flat, gravity=at(0, -9.81))
    turned = {} if flat else {"orientation": axes.tolist()}
    axis = {} if flat else {"axis": tuple(axes[:, 2])}
    bodies = []
    for name, mass, inertia, x, y in (
        ("crank", 0.5, 0.5 * 0.1**2 / 12, 0.05, 0.0),
        ("coupler", 1.2, 1.2 * 0.283**2 / 12, 0.2, 0.1),
        ("rocker", 0.9, 0.9 * 0.206**2 / 12, 0.325, 0.1),
    ):
        about = inertia if flat else (inertia,) * 3
        bodies.append(s.body(name, mass=mass, inertia=about, position=at(x, y), **turned))
    crank, coupler, rocker = bodies
    s.revolute("A", s.ground, crank, point=at(0, 0), angle=jp.Drive("300 rpm*t"), **axis)
    s.revolute("B", crank, coupler, point=at(0.1, 0), **axis)
    s.revolute("C", coupler, rocker, point=at(0.3, 0.2), **worn_pin(mu), **axis)
    s.revolute("D", s.ground, rocker, point=at(0.35, 0), **axis)
    return s


@pytest.mark.parametrize("mu", (0.1, 0.5))
def test_a_tangent_that_turns_with_the_pin_is_no_sliding(mu: float) -> None:
    """30,000 and 130,000 steps before: the instant at which the pin turns back fled with the size of the step."""
    sol = jp.simulate(four_bar(mu), until=0.2, method=jp.Moreau(), save=[0.02, 0.2])
    fine = jp.simulate(four_bar(mu), until=0.2, method=jp.Moreau(step=2e-6), save=[0.02, 0.2])
    assert sol.outcome.ok and not sol.outcome.warnings
    assert sol.stats["steps"] + sol.stats["rejections"] < 10_000
    # up to its second impact the error of fixed steps is of order h; later the linkage has forgotten a part of it
    assert sol["D.angle"] == pytest.approx(fine["D.angle"], abs=1e-6)


@pytest.mark.parametrize("seed", WORN)
def test_the_same_linkage_in_a_tilted_plane_of_space(seed: int) -> None:
    """The ideal axial direction of the pin leaves rounding in the contact problem, which friction must not follow."""
    flat = jp.simulate(four_bar(0.3), until=0.1, method=jp.Moreau(), save=[0.1])
    tilted = four_bar(0.3, PLANES[f"tilted {seed}"])
    sol = jp.simulate(tilted, until=0.1, method=jp.Moreau(), save=[0.1], max_steps=10_000)
    assert sol.outcome.ok
    assert sol["D.angle"] == pytest.approx(flat["D.angle"], abs=1e-6)
    assert sol.stats["steps"] < 1.5 * flat.stats["steps"]


def hung(plane: np.ndarray, mu: float, lever: float) -> jp.System:
    """A body that hangs on a worn pin and is let go beside it."""
    s = jp.System("hung", gravity=tuple(plane @ (0, -9.81, 0)))
    place = tuple(plane @ (lever, 0, 0))
    body = s.body("b", mass=1.0, inertia=(0.01, 0.01, 0.01), position=place, orientation=plane.tolist())
    s.revolute("A", s.ground, body, point=(0, 0, 0), axis=tuple(plane[:, 2]), **worn_pin(mu, 0.0, 1e-4))
    return s


@pytest.mark.parametrize(("mu", "lever"), [(0.1, 0.005), (0.3, 0.3), (0.8, 0.005), (0.8, 0.3)])
def test_a_pin_in_any_plane(mu: float, lever: float) -> None:
    """Runs in tilted planes took steps of a hundred-millionth of a second, and never ended."""
    angles, steps = [], []
    for plane in PLANES.values():
        sol = jp.simulate(hung(plane, mu, lever), until=0.3, method=jp.Moreau(), save=[0.3], max_steps=20_000)
        assert sol.outcome.ok, sol.outcome.message
        angles.append(sol["A.angle"][-1])
        steps.append(sol.stats["steps"])
    assert np.ptp(angles) < 1e-6
    assert max(steps) < 2 * steps[0] + 100


@pytest.mark.parametrize("plane", PLANES.values(), ids=PLANES)
@pytest.mark.parametrize("method", [jp.Moreau(), jp.Moreau(step=1e-4)], ids=("controlled", "fixed"))
def test_a_pin_that_a_drive_pulls_through_its_hole(method: Any, plane: np.ndarray) -> None:
    """Where a drive makes it slide along its axis friction acts that way, and leaves none around the pin."""
    mu, speed, mass = 0.3, 0.2, 1.0
    s = jp.System("driven", gravity=tuple(plane @ (0, -9.81, 0)))
    body = s.body("b", mass=mass, inertia=(0.01, 0.01, 0.01), orientation=plane.tolist())
    drive = jp.Drive(f"{speed}*t")
    pin = worn_pin(mu, 0.0, 1e-4)
    s.cylindrical("A", s.ground, body, point=(0, 0, 0), axis=tuple(plane[:, 2]), displacement=drive, **pin)
    sol = jp.simulate(s, until=0.1, method=method, save=[0.1])
    assert sol.outcome.ok
    rubs = np.linalg.norm(sol["A.friction_force"][-1], axis=-1).max()
    assert rubs == pytest.approx(mu * mass * 9.81, rel=1e-6)
    # all of its weight goes into the hole in the end, by impulses or forces; and it has fallen by the gap
    assert sol["energy.dissipated"][-1] == pytest.approx(mass * 9.81 * (mu * speed * 0.1 + 1e-4), rel=1e-5)


@pytest.mark.parametrize("turn", [0.0, 0.3, 1.1, 2.2])
@pytest.mark.parametrize("method", [jp.Moreau(), jp.Moreau(step=1e-4)], ids=("controlled", "fixed"))
def test_friction_where_a_guide_lets_nothing_slide(method: Any, turn: float) -> None:
    """A slider comes to rest on a pin in the line of its guide: neither rubs, and the guide carries nothing."""
    along = np.array([np.cos(turn), np.sin(turn)])
    s = jp.System("stopped", planar=True, gravity=tuple(9.81 * along))
    slider = s.body("slider", mass=1.0, inertia=0.01)
    s.prismatic("P", s.ground, slider, point=(0, 0), axis=tuple(along))
    s.revolute("R", s.ground, slider, point=(0, 0), **worn_pin(0.3, 0.5, 1e-4))
    sol = jp.simulate(s, until=0.5, method=method, save=[0.5])
    assert sol["P.displacement"][-1] == pytest.approx(1e-4, abs=1e-12)
    assert np.abs(sol["R.friction_force"][-1]).max() < 1e-7
    assert np.abs(sol["P.force"][-1]).max() < 1e-7
