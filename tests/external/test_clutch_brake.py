"""Clutch and brakes of the Modelica Standard Library, computed by Dymola, and SDND100 of code_aster (closed form).

A brake that is put on in mid-run is a joint that is pressed: its friction follows the force across it. Nothing may
creep once it is locked.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from friction_cases import ROUND, STILL, TINY, run
from refs import columns, reference

import jointplay as jp

FOLDER = "modelica_reference_results"


def brake() -> jp.System:
    """1 kg with 1 m/s; from 0.1 s on 2 N press it into its guide, mu = 0.5."""
    s = jp.System("brake", planar=True, gravity=(0, 0))
    mass = s.body("mass", mass=1.0, inertia=1.0, velocity=(1, 0))
    law = jp.Coulomb(0.5, length=0.1, smoothing=TINY)
    s.prismatic("D", s.ground, mass, point=(0, 0), axis=(1, 0), friction=law)
    s.force("press", mass, force=(0, "-2*step(t - 0.1)"))
    return s


def test_translational_brake() -> None:
    """v = 1.1 - t from 0.1 s to 1.1 s, then still at 0.6 m."""
    table = columns(reference(FOLDER) / "translational_brake.csv")
    t, once = np.unique(table["t"], return_index=True)
    sol = run(brake(), 2.0, jp.Moreau(step=1e-3), t)
    assert sol["mass.position[0]"] == pytest.approx(table["s"][once], abs=1e-6)
    assert sol["mass.velocity[0]"] == pytest.approx(table["v"][once], abs=1e-6)


def test_translational_brake_typed_in() -> None:
    sol = run(brake(), 2.0, jp.Moreau(step=1e-3), [0.1, 0.6, 1.05, 1.2, 2.0])
    assert sol["mass.velocity[0]"] == pytest.approx([1.0, 0.5, 0.05, 0.0, 0.0], abs=1e-7)
    assert np.max(np.abs(sol["mass.velocity[0]"][-2:])) <= STILL
    assert sol["mass.position[0]"][-2:] == pytest.approx(0.6, abs=1e-6)


def drive_train() -> jp.System:
    """J3 - clutch of 80 N m - J2 - spring - J1 with a brake of 800 N m: a pin of 40 mm and mu = 0.5, from 0.5 s on."""
    s = jp.System("drive train", planar=True, gravity=(0, 0))
    first = s.body("J1", mass=1.0, inertia=1.0, angular_velocity=90.0)
    second = s.body("J2", mass=1.0, inertia=0.05, angular_velocity=90.0)
    third = s.body("J3", mass=1.0, inertia=1.0, angular_velocity=100.0)
    pin = jp.Coulomb(0.5, radius=0.04, smoothing=TINY)
    s.revolute("brake", s.ground, first, point=(0, 0), friction=pin)
    shaft = jp.Spring(stiffness=160.0, damping=1.0)
    s.revolute("shaft", second, first, point=(0, 0), angle=shaft)
    s.revolute("clutch", third, second, point=(0, 0), angle=jp.ConstantFriction(80.0))
    s.torque("motor", third, torque="200*sin(100*t)*(1 - step(t - 0.5))")
    s.force("press", first, force=(0, f"-{800.0 / (0.5 * 0.04 * ROUND)!r}*step(t - 0.5)"))
    return s


def edges(time: np.ndarray, rate: np.ndarray) -> list[float]:
    """Instants at which a relative speed becomes zero, and is zero no longer."""
    still = np.abs(rate) <= 1e-9
    return [float(t) for t in time[1:][still[1:] != still[:-1]]]


@pytest.fixture(scope="module")
def engaged() -> Any:
    return run(drive_train(), 3.0, jp.Moreau(step=1e-5), 5e-5)


def test_clutch_and_brake_lock_and_slip_in_time(engaged: jp.Solution) -> None:
    """Times of the data to 1e-4 s, in this order, and nothing creeps in between."""
    clutch = edges(engaged.time, engaged["clutch.angle_rate"])
    assert clutch == pytest.approx([0.00678, 0.05934, 0.10929, 0.53425, 1.66364], abs=1e-4)
    stops = edges(engaged.time, engaged["brake.angle_rate"])
    assert stops == pytest.approx([0.64061], abs=1e-4)


def test_speeds_of_the_drive_train(engaged: jp.Solution) -> None:
    """1e-3 rad/s stated with the data, 2e-2 at the instants of locking; three times that, away from them."""
    table = columns(reference(FOLDER) / "rotational_clutch_brake_drive_train.csv")
    t, once = np.unique(table["t"], return_index=True)
    changes = [0.0, 0.00678, 0.05934, 0.10929, 0.5, 0.53425, 0.64061, 1.66364]
    quiet = np.min(np.abs(t[:, None] - changes), axis=1) > 1e-3
    ours = {
        "w3": engaged["J3.angular_velocity[2]"],
        "clutch_w_rel": engaged["clutch.angle_rate"],
        "spring_w_rel": engaged["shaft.angle_rate"],
        "spring_phi_rel": engaged["shaft.angle"],
    }
    for name, values in ours.items():
        found = np.interp(t, engaged.time, values)
        assert found[quiet] == pytest.approx(table[name][once][quiet], abs=1e-2), name


@pytest.mark.parametrize(("step", "off"), [(1e-5, 5e-8), (2e-6, 1e-8)])
def test_sdnd100(step: float, off: float) -> None:
    """1 kg on a rough plane under its weight, 1e4 N/m, from 8.5e-4 m: half swings of pi/100 s, each 2e-4 m shorter."""
    along = np.array([1.0, 1.0, 0.0]) / np.sqrt(2.0)
    s = jp.System("SDND100", gravity=(0, 0, -10))
    mass = s.body("mass", mass=1.0, inertia=(1, 1, 1), position=8.5e-4 * along)
    law = jp.Coulomb(0.1, length=0.1, width=0.1, smoothing=TINY)
    spring = jp.Spring(stiffness=1e4, free=-8.5e-4)
    s.prismatic("D", s.ground, mass, point=8.5e-4 * along, axis=along, friction=law, displacement=spring)
    turns = np.pi / 100.0 * np.arange(1, 5)
    sol = run(s, 0.3, jp.Moreau(step=step), [*turns, 0.2, 0.3])
    exact = np.array([-6.5e-4, 4.5e-4, -2.5e-4, 0.5e-4, 0.5e-4, 0.5e-4])
    assert sol["mass.position[0]"] == pytest.approx(exact / np.sqrt(2.0), abs=off)
    assert sol["mass.position[0]"][:4] == pytest.approx([-4.596e-4, 3.182e-4, -1.768e-4, 3.536e-5], abs=6e-8)
    assert np.max(np.abs(sol["mass.velocity"][-2:])) <= STILL
    assert sol["D.friction_force"][-1] == pytest.approx(0.5, abs=1e-3)
