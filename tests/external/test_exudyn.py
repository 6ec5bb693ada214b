"""A planar slider-crank driven by a constant torque: an ode45 run from the test models of EXUDYN.

The reference drifts: the differences allowed grow with time, as its README says.
"""

from __future__ import annotations

import jointplay as jp
import numpy as np
import pytest
from mechanisms import bar
from refs import columns, reference

# time up to which, crank angle (rad) and speed (rad/s): twice the agreement stated with the data
WINDOWS = ((0.5, 2e-6, 8e-5), (1.0, 3.8e-5, 1.8e-3), (2.0, 1.9e-3, 0.066), (3.0, 9e-3, 0.76))


def slider_crank() -> jp.System:
    """Crank 0.1 m, rod 0.3 m, 0.2 kg each; slider 0.4 kg; 0.1 N m on the crank; everything in line at the start."""
    s = jp.System("slider-crank", planar=True, gravity=(0, 0, 0))
    crank = bar(s, "crank", (0, 0, 0), (0.1, 0, 0), mass=0.2)
    rod = bar(s, "rod", (0.1, 0, 0), (0.4, 0, 0), mass=0.2)
    slider = s.body("slider", mass=0.4, inertia=1e-3, position=(0.4, 0, 0))
    s.revolute("A", s.ground, crank, point=(0, 0, 0))
    s.revolute("B", crank, rod, point=(0.1, 0, 0))
    s.revolute("C", rod, slider, point=(0.4, 0, 0))
    s.prismatic("D", s.ground, slider, point=(0.4, 0, 0), axis=(1, 0, 0))
    s.torque("motor", crank, torque=0.1)
    return s


@pytest.mark.parametrize(("until", "angle", "speed"), WINDOWS)
def test_crank(until: float, angle: float, speed: float) -> None:
    table = columns(reference("exudyn_models") / "planar_slider_crank_torque_driven.csv")
    inside = table["t"] <= until
    sol = jp.simulate(slider_crank(), until=until, method=jp.Explicit(rtol=1e-10, atol=1e-12), save=table["t"][inside])
    assert sol.outcome.ok, sol.outcome.message
    assert np.max(np.abs(sol["A.angle"] - table["crank_angle"][inside])) <= angle
    assert np.max(np.abs(sol["A.angle_rate"] - table["crank_speed"][inside])) <= speed
