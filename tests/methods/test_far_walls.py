"""Fixed steps of Moreau skip walls that are out of reach: nothing changes by that, to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jointplay as jp
from jointplay.compile import touching


def slider_crank(gap: float) -> jp.System:
    """The slider slides fast along its guide, and slowly across it."""
    s = jp.System("slider-crank with play", planar=True, gravity=(0, -9.81, 0))
    crank = s.body("crank", mass=0.038, inertia=(7.4e-5,) * 3, position=(0.0765, 0, 0), velocity=(0, 11.475, 0),
                   angular_velocity=(0, 0, 150.0))  # fmt: skip
    rod = s.body("rod", mass=0.038, inertia=(5.9e-4,) * 3, position=(0.306, 0, 0), velocity=(0, 11.475, 0),
                 angular_velocity=(0, 0, -75.0))  # fmt: skip
    slider = s.body("slider", mass=0.076, inertia=(2.7e-6,) * 3, position=(0.459, 0, 0), angular_velocity=(0, 0, 30.0))
    s.revolute("A", s.ground, crank, point=(0, 0, 0))
    s.revolute("B", crank, rod, point=(0.153, 0, 0))
    s.revolute("C", rod, slider, point=(0.459, 0, 0))
    play = jp.Clearance(gap, contact=jp.Rigid(restitution=0.4), friction=jp.Coulomb(0.01))
    s.prismatic("D", s.ground, slider, point=(0.459, 0, 0), axis=(1, 0, 0), length=0.1, width=0.05, radial=play)
    return s


@pytest.mark.parametrize("gap", [1e-4, 1e-3])
@pytest.mark.parametrize("step", [1e-5, 5e-5])
def test_far_walls_change_nothing(gap: float, step: float, monkeypatch: pytest.MonkeyPatch) -> None:
    def run() -> Any:
        return jp.simulate(slider_crank(gap), until=0.02, method=jp.Moreau(step=step), save=1e-4)

    skipped = run()
    monkeypatch.setattr(touching, "_levers", lambda given: (1e300, 1e300))  # out of reach of nothing
    watched = run()
    assert len(skipped.impacts) > 5
    assert any("gap" in name for name in skipped.names)
    for name in skipped.names:  # gaps that are saved are gaps, not bounds
        assert np.array_equal(skipped[name], watched[name]), name
