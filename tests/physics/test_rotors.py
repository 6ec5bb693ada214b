"""The rotor of a motor as a body behind a gear: on a stator that moves, against Lagrange's equations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import jointplay as jp

ARM, LINK, ROTOR = 0.3, 0.1, 1e-3  # kg m2, about their centres
DISTANCE, RATIO, TORQUE = 0.06, 5.0, 0.02


def test_a_rotor_on_a_moving_stator() -> None:
    """An arm carries rotor and link, both balanced on their hinges; the torque acts between arm and rotor.

    With q of the arm and p of the link relative to it, the rotor turns with q' - n p'. Adding n^2 J to the link alone
    would leave out its coupling -n J q'' p'', which is what turns the arm here.
    """
    s = jp.System("elbow", planar=True, gravity=(0, 0))
    arm = s.body("arm", mass=1.0, inertia=ARM)
    link = s.body("link", mass=0.5, inertia=LINK, position=(0.4, 0))
    rotor = s.body("rotor", mass=0.1, inertia=ROTOR, position=(0.4 - DISTANCE, 0))
    shoulder = jp.Spring(stiffness=2.0)
    s.revolute("S", s.ground, arm, point=(0, 0), angle=shoulder)
    s.revolute("E", arm, link, point=(0.4, 0))
    s.revolute("M", arm, rotor, point=(0.4 - DISTANCE, 0), angle=jp.ForceLaw(f"{TORQUE} N*m"))
    s.gear("G", rotor, link, teeth=(10, 50), hubs=("M", "E"))
    assert s.check().mobility == 2
    sol = jp.simulate(s, until=1.0, method=jp.Explicit(rtol=1e-10, atol=1e-12), save=0.1)

    whole = ARM + LINK + ROTOR + 0.5 * 0.4**2 + 0.1 * (0.4 - DISTANCE) ** 2
    mass = np.array([[whole, LINK - RATIO * ROTOR], [LINK - RATIO * ROTOR, LINK + RATIO**2 * ROTOR]])

    def rates(_: float, y: np.ndarray) -> np.ndarray:
        force = np.array([-2.0 * y[0], -RATIO * TORQUE])
        return np.concatenate([y[2:], np.linalg.solve(mass, force)])

    truth = solve_ivp(rates, (0, 1), np.zeros(4), t_eval=sol.time, rtol=1e-11, atol=1e-13).y
    assert sol["S.angle"] == pytest.approx(truth[0], abs=1e-9)
    assert sol["E.angle"] == pytest.approx(truth[1], abs=1e-9)
    assert sol["M.angle"] == pytest.approx(-RATIO * truth[1], abs=1e-8)
