"""Runs that the tests of figures share, short ones."""

from __future__ import annotations

import play_mechanisms as play
import pytest

import jointplay as jp
from jointplay.cli.examples import GALLERY


@pytest.fixture(scope="session")
def crank() -> jp.Solution:
    """Paper B's slider-crank, two turns."""
    return jp.simulate(play.crank_with_play(), play.TURNS, jp.Moreau(step=1e-5), 1e-4)


@pytest.fixture(scope="session")
def pendulum() -> jp.Solution:
    """A pendulum on a pin with radial and axial play, in space."""
    return jp.simulate(play.pendulum_with_play(), 0.5, jp.Moreau(step=1e-4), 5e-4)


@pytest.fixture(scope="session")
def ball() -> jp.Solution:
    """A ball in a socket."""
    return jp.simulate(play.ball_in_socket(), 0.3, jp.Moreau(step=1e-4), 2e-4)


@pytest.fixture(scope="session")
def bounces() -> jp.Solution:
    """A bouncing ball: energy goes by impacts only."""
    system = jp.load_model(GALLERY / "bouncing_ball.yaml")
    return jp.simulate(system, 3.0, jp.Moreau(step=1e-3), 1e-2)


def oscillator(frequency: float = 2.0) -> jp.System:
    """1 kg on a spring along x, drawn out by 0.1 m: x = 0.1 cos(2 pi f t)."""
    stiffness = (6.283185307179586 * frequency) ** 2
    system = jp.System("oscillator", gravity=(0, 0, 0))
    body = system.body("b", mass=1.0, inertia=(1, 1, 1), position=(0.1, 0, 0))
    spring = jp.Spring(stiffness=stiffness, free=-0.1)
    system.prismatic("T", system.ground, body, point=(0.1, 0, 0), axis=(1, 0, 0), displacement=spring)
    return system


@pytest.fixture(scope="session")
def swing() -> jp.Solution:
    """The oscillator at 2 Hz for 4 s."""
    return jp.simulate(oscillator(), 4.0, jp.Explicit(rtol=1e-10, atol=1e-12), 5e-3)


@pytest.fixture(scope="session")
def verlet_runs() -> list[jp.Solution]:
    """The oscillator with four steps."""
    return [jp.simulate(oscillator(), 0.3, jp.Verlet(step=h), 0.01) for h in (4e-3, 2e-3, 1e-3, 1e-4)]
