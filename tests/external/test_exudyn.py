"""A planar slider-crank driven by a constant torque: an ode45 run from the test models of EXUDYN.

The reference drifts: the differences allowed grow with time, as its README says.
"""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks import torque_driven_slider_crank
from refs import columns, reference

import jointplay as jp

# time up to which, crank angle (rad) and speed (rad/s): twice the agreement stated with the data
WINDOWS = ((0.5, 2e-6, 8e-5), (1.0, 3.8e-5, 1.8e-3), (2.0, 1.9e-3, 0.066), (3.0, 9e-3, 0.76))


@pytest.mark.parametrize(("until", "angle", "speed"), WINDOWS)
def test_crank(until: float, angle: float, speed: float) -> None:
    table = columns(reference("exudyn_models") / "planar_slider_crank_torque_driven.csv")
    inside = table["t"] <= until
    sol = jp.simulate(
        torque_driven_slider_crank(), until=until, method=jp.Explicit(rtol=1e-10, atol=1e-12), save=table["t"][inside]
    )
    assert sol.outcome.ok, sol.outcome.message
    assert np.max(np.abs(sol["A.angle"] - table["crank_angle"][inside])) <= angle
    assert np.max(np.abs(sol["A.angle_rate"] - table["crank_speed"][inside])) <= speed
