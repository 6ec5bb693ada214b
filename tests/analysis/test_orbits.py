"""Orbits in round clearances: clearance found, never outside, on the circle in contact."""

from __future__ import annotations

import numpy as np
import play_mechanisms as play
import pytest

import jointplay as jp
from jointplay.analysis import orbit


def test_journal_has_an_orbit_at_each_end(pendulum: jp.Solution) -> None:
    found = orbit(pendulum, "R")
    assert [one.contact for one in found] == ["R.radial[0]", "R.radial[1]"]  # the flanges have none
    for k, one in enumerate(found):
        assert one.clearance == pytest.approx(1e-3, rel=1e-12)
        assert one.path.shape == (len(pendulum.time), 2)
        assert one.eccentricity[0] == 0.0
        assert one.eccentricity.max() <= 1.0 + 1e-8
        assert one.eccentricity == pytest.approx(1.0 - pendulum["R.gap"][:, k] / 1e-3, abs=1e-9)
        assert np.linalg.norm(one.impact_points, axis=1) == pytest.approx(1.0)
        assert len(one.impact_times) == (pendulum.impacts["contact"] == one.contact).sum() > 5
        assert np.abs(np.diff(one.angle[1:])).max() < 1.0  # at the centre there is no direction


def test_planar_journal() -> None:
    """Dropped in its hole, a sleeve falls straight down by the clearance and stays there."""
    s = jp.System("sleeve", planar=True, gravity=(0, -9.81))
    body = s.body("sleeve", mass=1.0, inertia=1e-3)
    s.revolute("P", s.ground, body, point=(0, 0), radial=jp.Clearance("0.2 mm"))
    (one,) = orbit(jp.simulate(s, 0.1, jp.Moreau(step=1e-4), 1e-3), "P")
    assert one.clearance == pytest.approx(2e-4)
    # down is -y: axes of the ground
    assert np.linalg.norm(one.path[-1]) == pytest.approx(1.0, abs=1e-9)
    assert np.ptp(one.angle[5:]) == pytest.approx(0.0, abs=1e-9)
    assert len(one.impact_times) == 1
    assert one.impact_times[0] == pytest.approx(np.sqrt(2 * 2e-4 / 9.81), rel=1e-6)


def test_socket_has_three_coordinates() -> None:
    solution = jp.simulate(play.ball_in_socket(), 0.3, jp.Moreau(step=1e-4), 2e-4)
    (one,) = orbit(solution, "S")
    assert one.path.shape[1] == 3
    assert one.clearance == pytest.approx(2e-3)
    assert one.eccentricity.max() <= 1.0 + 1e-8
    assert one.path[-1, 2] < -0.9  # near the bottom


def test_flat_contacts_have_none(crank: jp.Solution) -> None:
    with pytest.raises(jp.InputError, match="flat"):
        orbit(crank, "D")
