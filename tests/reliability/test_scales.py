"""Guarantee (a), second half: micrometres to kilometres. Units of length, time and mass are scaled together.

A scene is scaled by factors L, T and M: velocities by L/T, accelerations by L/T^2, torques by M L^2/T^2. Its motion is
that of the unscaled one, to rounding where accelerations are constant, to the tolerance elsewhere. Powers of two would
give the same bits; other factors change roundings, whose effect on steps is below the tolerance.
"""

from __future__ import annotations

import numpy as np
import pytest
from reliability.closed_forms import G
from reliability.scenes import rigid

import jointplay as jp

LENGTHS = [1e-6, 1e-3, 3.7, 1e3]


def pendulum(length: float, time: float, mass: float) -> jp.System:
    """A pendulum with a stop at an angle and a brake, in scaled units."""
    s = jp.System("pendulum", gravity=(0, -G * length / time**2, 0), planar=True)
    bob = s.body(
        "bob",
        mass=mass,
        inertia=0.1 * mass * length**2,
        position=(0, -length),
        velocity=(4 * length / time, 0),
        angular_velocity=4 / time,
    )
    laws = [jp.Stop(upper=0.6, contact=rigid(0.7)), jp.ConstantFriction(0.05 * mass * length**2 / time**2)]
    s.revolute("A", s.ground, bob, point=(0, 0), angle=laws)
    return s


def slider(length: float, time: float, mass: float) -> jp.System:
    """A slider with play in its guide that strikes with its corners, in scaled units."""
    s = jp.System("slider", gravity=(0, -G * length / time**2, 0), planar=True)
    body = s.body(
        "b", mass=mass, inertia=0.01 * mass * length**2, velocity=(length / time, 0), angular_velocity=0.1 / time
    )
    play = jp.Clearance(1e-3 * length, contact=rigid(0.6), friction=jp.Coulomb(0.2))
    s.prismatic("D", s.ground, body, point=(0, 0), axis=(1, 0), length=0.2 * length, width=0.1 * length, radial=play)
    return s


@pytest.mark.parametrize("time", [1.0, 1e-3])
@pytest.mark.parametrize("length", LENGTHS)
def test_pendulum(length: float, time: float) -> None:
    one = jp.simulate(pendulum(1, 1, 1), until=2.0, method=jp.Moreau(rtol=1e-5), save=np.linspace(0, 2, 41))
    scaled = jp.simulate(
        pendulum(length, time, 1e-3), until=2.0 * time, method=jp.Moreau(rtol=1e-5), save=np.linspace(0, 2, 41) * time
    )
    assert len(scaled.impacts) == len(one.impacts) > 1
    # same steps but for roundings: far below the error of either, 1e-5
    assert scaled["A.angle"] == pytest.approx(one["A.angle"], abs=1e-7)


@pytest.mark.parametrize("length", LENGTHS)
def test_slider_with_play(length: float) -> None:
    """The first ten impacts of corners with friction: each amplifies differences, so only these are compared."""
    until = 0.1
    one = jp.simulate(slider(1, 1, 1), until=until, save=until / 20)
    scaled = jp.simulate(slider(length, 1, 100.0), until=until, save=until / 20)
    count = 6
    assert len(one.impacts) > count
    assert scaled.impacts["time"][:count] == pytest.approx(one.impacts["time"][:count], rel=1e-6)
    assert list(scaled.impacts["contact"][:count]) == list(one.impacts["contact"][:count])


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("e", [0.3, 0.8])
def test_bouncing_until_rest(length: float, e: float) -> None:
    """Until it rests: the same number of impacts and rests, and the same loss beside its energy."""

    def run(unit: float) -> jp.Solution:
        s = jp.System("b", gravity=(0, -G * unit, 0), planar=True)
        body = s.body("b", mass=1.0, inertia=0.1 * unit**2)
        s.prismatic("D", s.ground, body, point=(0, 0), axis=(0, 1), displacement=jp.Stop(lower=-unit, contact=rigid(e)))
        return jp.simulate(s, until=8.0, save=0.1)

    one, scaled = run(1.0), run(length)
    assert len(scaled.impacts) == len(one.impacts)
    assert scaled.stats["rests"] == one.stats["rests"] == 1
    assert scaled["D.displacement"] / length == pytest.approx(one["D.displacement"], abs=1e-11)
