"""One-sided contacts of the Modelica Standard Library, computed by Dymola: backlash of a shaft, gaps beside a mass.

Both limit the damping of a contact to its spring force, so that it starts from zero and never pulls: Kelvin-Voigt with
``limit`` = 1. Positions are compared everywhere, velocities away from events, where those of the data are one-sided.
Tolerance: three times the agreement stated with the data.
"""

from __future__ import annotations

import numpy as np
import pytest
from refs import columns, reference

import jointplay as jp

FOLDER = "modelica_reference_results"
METHODS = [jp.Explicit(rtol=1e-9, atol=1e-11), jp.Implicit(rtol=1e-8, atol=1e-10)]
EITHER = pytest.mark.parametrize("method", METHODS, ids=["explicit", "implicit"])


def history(file: str) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """The columns of a file, each instant once, and a mask that is false where events wrote an instant twice."""
    table = columns(reference(FOLDER) / file)
    times, once, count = np.unique(table["t"], return_index=True, return_counts=True)
    quiet = (count == 1) | (times == times[-1])
    return {name: column[once] for name, column in table.items()}, quiet


def shaft(law: jp.Stop | jp.Spring) -> jp.System:
    """5 kg m2 drawn at pi/2 and at rest; the angle of the joint counts from there."""
    s = jp.System("shaft", planar=True, gravity=(0, 0, 0))
    body = s.body("inertia", mass=1.0, inertia=5.0)
    s.revolute("J", s.ground, body, point=(0, 0), angle=law)
    return s


def backlash() -> jp.System:
    """A dead zone of +-pi/8 about the angle 0, which is -pi/2 as drawn: the shaft starts deep in its upper stop."""
    contact = jp.KelvinVoigt(stiffness=2e4, damping=50.0, limit=1.0)
    return shaft(jp.Stop(lower=-5 * np.pi / 8, upper=-3 * np.pi / 8, contact=contact))


def mass_between(law: jp.Stop | jp.Spring) -> jp.System:
    """1 kg drawn at s = 2 m and at rest."""
    s = jp.System("mass between walls", planar=True, gravity=(0, 0, 0))
    body = s.body("mass", mass=1.0, inertia=1.0, position=(2, 0))
    s.prismatic("J", s.ground, body, point=(2, 0), axis=(1, 0), displacement=law)
    return s


def gaps() -> jp.System:
    """Contacts that touch where |s| > 0.5 m; the mass starts deep in the right one."""
    contact = jp.KelvinVoigt(stiffness=10.0, damping=1.5, limit=1.0)
    return mass_between(jp.Stop(lower=-2.5, upper=-1.5, contact=contact))


def compare(
    system: jp.System, method: jp.Explicit | jp.Implicit, file: str, names: dict[str, tuple[str, float, float]]
) -> jp.Solution:
    """Run at the instants of the file; ``names`` give column, offset and tolerance of each result."""
    table, quiet = history(file)
    sol = jp.simulate(system, until=table["t"][-1], save=table["t"], method=method)
    assert sol.outcome.ok, sol.outcome.message
    for name, (column, offset, tolerance) in names.items():
        apart = np.abs(sol[name] + offset - table[column])
        assert np.max(apart[quiet] if name.endswith("rate") else apart) <= tolerance, name
    return sol


@EITHER
def test_rotational_backlash(method: jp.Explicit | jp.Implicit) -> None:
    names = {
        "J.angle": ("backlash_phi", np.pi / 2, 6e-5),
        "J.angle_rate": ("backlash_w", 0.0, 3.9e-3),
    }
    sol = compare(backlash(), method, "rotational_backlash.csv", names)
    assert np.max(np.abs(sol["energy.error"])) <= 1e-6 * sol["energy.elastic"][0]


@EITHER
def test_rotational_spring_without_backlash(method: jp.Explicit | jp.Implicit) -> None:
    law = jp.Bushing(stiffness=2e4, damping=50.0, preload=-2e4 * np.pi / 2)
    names = {
        "J.angle": ("spring_phi", np.pi / 2, 6e-5),
        "J.angle_rate": ("spring_w", 0.0, 3.9e-3),
    }
    compare(shaft(law), method, "rotational_backlash.csv", names)


@EITHER
def test_translational_elasto_gap(method: jp.Explicit | jp.Implicit) -> None:
    names = {
        "J.displacement": ("gap_mass_s", 2.0, 3e-5),
        "J.displacement_rate": ("gap_mass_v", 0.0, 9e-5),
    }
    sol = compare(gaps(), method, "translational_elasto_gap.csv", names)
    assert np.max(np.abs(sol["energy.error"])) <= 1e-6 * sol["energy.elastic"][0]


def test_translational_springs_without_gap() -> None:
    """The spring-dampers to both walls, rest length 1 m, are stretched alike about s = 0: 20 N/m and 3 N s/m."""
    law = jp.Bushing(stiffness=20.0, damping=3.0, preload=-40.0)
    names = {
        "J.displacement": ("spring_mass_s", 2.0, 3e-5),
        "J.displacement_rate": ("spring_mass_v", 0.0, 9e-5),
    }
    compare(mass_between(law), METHODS[0], "translational_elasto_gap.csv", names)
