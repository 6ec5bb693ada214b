"""Runs that the tests of the analysis share."""

from __future__ import annotations

import play_mechanisms as play
import pytest

import jointplay as jp


@pytest.fixture(scope="session")
def crank() -> jp.Solution:
    """Paper B's slider-crank, two turns."""
    solution = jp.simulate(play.crank_with_play(), play.TURNS, jp.Moreau(step=1e-5), 1e-4)
    assert solution.outcome.ok
    return solution


@pytest.fixture(scope="session")
def pendulum() -> jp.Solution:
    """A pendulum with radial and axial play."""
    return jp.simulate(play.pendulum_with_play(), 0.5, jp.Moreau(step=1e-4), 5e-4)
