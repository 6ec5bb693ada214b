"""Wheels with backlash, an arm that swings on one of them, and a torque: contacts open, closed and struck in turn."""

from __future__ import annotations

import numpy as np

import jointplay as jp


def wheels(seed: int, torque: str) -> jp.System:
    """Random sizes; the input ``motor`` has 0.7 N*m."""
    rng = np.random.default_rng(seed)
    a, b = rng.uniform(0.03, 0.04, 2)
    s = jp.System("rattle", planar=True, gravity=(0, 0), inputs={"motor": {"unit": "N*m", "value": 0.7}})
    s.body("one", mass=rng.uniform(0.3, 0.8), inertia=rng.uniform(1e-3, 5e-3))
    s.body("two", mass=rng.uniform(0.3, 0.8), inertia=rng.uniform(1e-3, 5e-3), position=(a + b, 0))
    s.body("arm", mass=0.3, inertia=0.001, position=(a + b + 0.1, 0))
    s.revolute("A", s.ground, "one", point=(0, 0))
    s.revolute("B", s.ground, "two", point=(a + b, 0), angle=jp.ForceLaw(f"-{rng.uniform(0.01, 0.05)!r}*v"))
    mesh = jp.Clearance("0.1 mm", contact=jp.Rigid(restitution=0.5))
    s.gear("G", "one", "two", radii=(a, b), hubs=("A", "B"), mesh=mesh)
    servo = jp.ForceLaw(
        f"-{rng.uniform(1, 4)!r}*sin(x - z) - 0.015*v",
        states={"z": {"unit": "rad", "rate": f"(x - z)/{rng.uniform(0.05, 0.2)!r}"}},
    )
    s.revolute("C", "two", "arm", point=(a + b + 0.05, 0), angle=servo)
    s.torque("T", "one", torque=f"{torque} - 0.01*A.angle_rate")
    return s
