"""Two pendulums of the Modelica Standard Library, computed by Dymola. Tolerance: three times the agreement stated."""

from __future__ import annotations

import jointplay as jp
import numpy as np
from refs import columns, reference

FOLDER = "modelica_reference_results"
G = (0, -9.80665, 0)


def double_pendulum() -> jp.System:
    """Two boxes 0.5 x 0.06 x 0.06 m of 7700 kg/m3, horizontal at rest; a damper in the first hinge."""
    s = jp.System("double pendulum", planar=True, gravity=G)
    mass = 7700 * 0.5 * 0.06 * 0.06
    moment = mass * (0.5**2 + 0.06**2) / 12
    first = s.body("first", mass=mass, inertia=moment, position=(0.25, 0, 0))
    second = s.body("second", mass=mass, inertia=moment, position=(0.75, 0, 0))
    s.revolute("A", s.ground, first, point=(0, 0, 0), angle=jp.Spring(damping=0.1))
    s.revolute("B", first, second, point=(0.5, 0, 0))
    return s


def spring_pendulum() -> jp.System:
    """A body of 1 kg and 1 kg m2 slides on a massless arm that turns about the origin.

    The arm and the body turn together, so the moment of 1 kg m2 is shared between them: an arm without mass is not
    needed.
    """
    s = jp.System("spring pendulum", planar=True, gravity=G)
    arm = s.body("arm", mass=1.0, inertia=0.5, position=(0, 0, 0))
    body = s.body("body", mass=1.0, inertia=0.5, position=(0.5, 0, 0))
    s.revolute("A", s.ground, arm, point=(0, 0, 0))
    s.prismatic("B", arm, body, point=(0.5, 0, 0), axis=(1, 0, 0))
    s.spring(
        "k", s.ground, body, point_a=(0, 0, 0), point_b=(0.5, 0, 0), stiffness=20.0, damping=1.0, free_length=0.2
    )
    return s


def test_double_pendulum() -> None:
    table = columns(reference(FOLDER) / "multibody_double_pendulum.csv")
    sol = jp.simulate(double_pendulum(), until=table["t"][-1], save=table["t"], method=jp.Explicit(rtol=1e-10, atol=1e-12))
    assert sol.outcome.ok, sol.outcome.message
    for name, column, tolerance in (
        ("A.angle", "phi1", 1.2e-4),
        ("B.angle", "phi2", 1.2e-4),
        ("A.angle_rate", "w1", 6e-4),
        ("B.angle_rate", "w2", 6e-4),
    ):
        assert np.max(np.abs(sol[name] - table[column])) <= tolerance, name


def test_spring_pendulum() -> None:
    table = columns(reference(FOLDER) / "multibody_spring_pendulum.csv")
    sol = jp.simulate(spring_pendulum(), until=table["t"][-1], save=table["t"], method=jp.Explicit(rtol=1e-10, atol=1e-12))
    assert sol.outcome.ok, sol.outcome.message
    for name, column, offset, tolerance in (
        ("B.displacement", "s", 0.5, 4.5e-5),
        ("A.angle", "phi", 0.0, 4.5e-5),
        ("B.displacement_rate", "v", 0.0, 1.5e-4),
        ("A.angle_rate", "w", 0.0, 1.5e-4),
    ):
        assert np.max(np.abs(sol[name] + offset - table[column])) <= tolerance, name
