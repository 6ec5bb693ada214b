"""A physical pendulum against the elliptic functions.

sin(th/2) = k sn(K(k) - w0 t),      w0^2 = m g l / (J + m l^2),      k = sin(th0 / 2),      period 4 K(k) / w0
"""

from __future__ import annotations

import numpy as np
import pytest
from mechanisms import TIGHT
from scipy.special import ellipj, ellipk

import jointplay as jp

MASS, ARM, MOMENT, G = 1.3, 0.4, 0.05, 9.81


def pendulum(start: float, *, planar: bool) -> jp.System:
    """Hangs along -y, turned by ``start`` about z; hinge "A" with the axis z at the origin."""
    s = jp.System(gravity=(0, -G, 0), planar=planar)
    body = s.body(
        "body",
        mass=MASS,
        inertia=(0.01, 0.05, MOMENT),
        position=(ARM * np.sin(start), -ARM * np.cos(start), 0),
        orientation={"axis": (0, 0, 1), "angle": start},
    )
    s.revolute("A", s.ground, body, point=(0, 0, 0), axis=(0, 0, 1))
    return s


@pytest.mark.parametrize("planar", (True, False))
@pytest.mark.parametrize("start", (0.01, 1.0, 2.5, 3.1))
def test_swing(start: float, planar: bool) -> None:
    m = np.sin(start / 2) ** 2
    w0 = np.sqrt(MASS * G * ARM / (MOMENT + MASS * ARM**2))
    period = 4 * ellipk(m) / w0
    times = np.linspace(0, 2 * period, 81)
    sol = jp.simulate(pendulum(start, planar=planar), until=times[-1], method=TIGHT, save=times)
    sn, cn, dn, _ = ellipj(ellipk(m) - w0 * times, m)
    angle = 2 * np.arcsin(np.sqrt(m) * sn)
    rate = -2 * w0 * np.sqrt(m) * cn
    assert sol.outcome.ok, sol.outcome.message
    assert np.max(np.abs(sol["A.angle"] + start - angle)) <= 1e-8
    assert np.max(np.abs(sol["A.angle_rate"] - rate)) <= 1e-7
    # after whole periods it is back, at rest
    assert sol["A.angle"][[40, 80]] == pytest.approx(0.0, abs=1e-8)


def test_reaction_at_the_hinge() -> None:
    """Along the bar m (g cos th + l th'^2), across it m (g sin th + l th'')."""
    sol = jp.simulate(pendulum(1.0, planar=False), until=1.0, method=TIGHT, save=0.05)
    angle, rate = sol["A.angle"] + 1.0, sol["A.angle_rate"]
    along = np.stack([np.sin(angle), -np.cos(angle), 0 * angle], axis=1)
    across = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    accel = -MASS * G * ARM / (MOMENT + MASS * ARM**2) * np.sin(angle)
    wanted = -(MASS * (G * np.cos(angle) + ARM * rate**2))[:, None] * along
    wanted += (MASS * (G * np.sin(angle) + ARM * accel))[:, None] * across
    assert np.allclose(sol["A.force"], wanted, atol=1e-9)
    assert np.allclose(sol["A.torque"], 0.0, atol=1e-9)


def test_turns_are_counted() -> None:
    """Thrown over the top, the pendulum turns many times in one sense; its angle grows without jumps."""
    s = jp.System(gravity=(0, -G, 0))
    spin = 40.0
    body = s.body(
        "b", mass=1.0, inertia=(1, 1, 1), position=(0, -1, 0), velocity=(spin, 0, 0), angular_velocity=(0, 0, spin)
    )
    s.revolute("A", s.ground, body, point=(0, 0, 0), axis=(0, 0, 1))
    sol = jp.simulate(s, until=5.0, save=0.5)
    assert np.all(np.diff(sol["A.angle"]) > 0)
    assert sol["A.angle"][-1] == pytest.approx(198.7, abs=1.5)  # 30 turns and more; saved every third turn
