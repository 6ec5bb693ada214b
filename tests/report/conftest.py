"""Runs to report on, each made once."""

from __future__ import annotations

from pathlib import Path

import pytest

import jointplay as jp

WORN = jp.Clearance("0.2 mm", contact=jp.Rigid(restitution=0.3))


def four_bar(**pin: object) -> jp.System:
    """A driven planar four-bar."""
    s = jp.System("four-bar <worn & old>", planar=True, parameters={"speed": "300 rpm", "gap": "0.2 mm"})
    crank = s.body("crank", mass=0.5, inertia=4e-4, position=(0.05, 0))
    coupler = s.body("coupler", mass=1.2, inertia=8e-3, position=(0.2, 0.1))
    rocker = s.body("rocker", mass=0.9, inertia=3e-3, position=(0.325, 0.1))
    s.revolute("A", s.ground, crank, point=(0, 0), angle=jp.Drive("speed*t"))
    s.revolute("B", crank, coupler, point=(0.1, 0))
    s.revolute("C", coupler, rocker, point=(0.3, 0.2), **pin)
    s.revolute("D", s.ground, rocker, point=(0.35, 0))
    return s


@pytest.fixture(scope="session")
def worn(tmp_path_factory: pytest.TempPathFactory) -> jp.Solution:
    """Planar, rigid contact, in a file."""
    path: Path = tmp_path_factory.mktemp("worn") / "worn.nc"
    return jp.simulate(four_bar(radial=WORN), until=0.1, save=1e-3, output=path)


@pytest.fixture(scope="session")
def stopped() -> jp.Solution:
    """A run that ends early."""
    return jp.simulate(four_bar(radial=WORN), until=0.1, save=1e-3, max_steps=300)


@pytest.fixture(scope="session")
def ball() -> jp.Solution:
    """Spatial, a compliant ball joint with friction and a spring, uneven instants."""
    s = jp.System("ball joint")
    bob = s.body("bob", mass=2.0, inertia=(1e-3, 1e-3, 2e-3), position=(0.1, 0, 0))
    contact = jp.LankaraniNikravesh(stiffness="1e8 N/m^1.5", restitution=0.7)
    law = jp.Clearance("0.1 mm", contact=contact, friction=jp.Coulomb(0.1, creep="10 mm/s"))
    s.spherical("S", s.ground, bob, point=(0, 0, 0), radius="10 mm", radial=law)
    s.spring("k", s.ground, bob, point_a=(0, 0, 0.3), point_b=(0.1, 0, 0), stiffness="200 N/m", damping=1.0)
    s.force("push", bob, force=(0, "3*sin(20*t)", 0))
    return jp.simulate(s, until=0.05, save=[0.0, 0.01, 0.015, 0.03, 0.05])


@pytest.fixture(scope="session")
def free() -> jp.Solution:
    """A body without joints."""
    s = jp.System("thrown")
    s.body("stone", mass=1.0, inertia=(1e-2, 2e-2, 3e-2), velocity=(1, 0, 5), angular_velocity=(0.1, 4, 0.1))
    return jp.simulate(s, until=1.0)
