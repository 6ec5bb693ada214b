"""A banded friction device with backlash, measured under sinusoidal strokes (Coble et al. 2022, CC BY-SA 4.0).

Levels of friction and width of the dead zone are read off one record, as its notes define them; a driven carriage that
pushes a braked band across a gap then gives the loop of force over displacement of the others.
"""

from __future__ import annotations

import numpy as np
import pytest
from friction_cases import run
from refs import columns, reference

import jointplay as jp

FOLDER = "friction_damper_backlash_experiment"
# read off f0p25_T30_A1p0: amplitude (m), levels of both directions (N), travel to half the level (m)
AMPLITUDE, FORTH, BACK, DEAD = 0.0256, 9236.0, 10406.0, 7.4e-3


def device(frequency: float) -> jp.System:
    """A band of 1 kg that the carriage carries along; what differs between the directions is a constant pull."""
    s = jp.System("friction damper", planar=True, gravity=(0, 0))
    carriage, band = (s.body(name, mass=1.0, inertia=1.0) for name in ("carriage", "band"))
    stroke = jp.Drive(f"{AMPLITUDE!r}*sin({2.0 * np.pi * frequency!r}*t)")
    s.prismatic("drive", s.ground, carriage, point=(0, 0), axis=(1, 0), displacement=stroke)
    level = jp.ConstantFriction(0.5 * (FORTH + BACK))
    s.prismatic("brake", s.ground, band, point=(0, 0), axis=(1, 0), displacement=level)
    s.force("uneven", band, force=(0.5 * (BACK - FORTH), 0))
    gap = jp.Stop(lower=-0.5 * DEAD, upper=0.5 * DEAD, contact=jp.Rigid(restitution=0.0))
    s.prismatic("play", carriage, band, point=(0, 0), axis=(1, 0), displacement=gap)
    return s


def loop(frequency: float) -> tuple[float, float, float]:
    """Work per cycle (J) and the levels of the force on the device (N), of the second cycle."""
    sol = run(device(frequency), 2.0 / frequency, jp.Moreau(step=2e-4 / frequency), 1e-3 / frequency)
    second = sol.time >= 1.0 / frequency
    force = sol["drive.drive_force"][second]
    lost = sol["energy.dissipated"][second]
    fast = np.abs(sol["drive.displacement_rate"][second]) > 0.8 * 2.0 * np.pi * frequency * AMPLITUDE
    forward = sol["drive.displacement_rate"][second] > 0.0
    return float(lost[-1] - lost[0]), float(np.median(force[fast & forward])), float(np.median(force[fast & ~forward]))


@pytest.mark.parametrize(("frequency", "work"), [(0.25, 870.0), (0.5, 829.0)])
def test_work_per_cycle(frequency: float, work: float) -> None:
    """Work is (sum of levels) (stroke - dead zone), 2 % below the record it was read off, 5 % off the other one."""
    found, forth, back = loop(frequency)
    assert found == pytest.approx((FORTH + BACK) * (2.0 * AMPLITUDE - DEAD), rel=1e-3)
    assert found == pytest.approx(work, rel=0.05)
    assert (forth, -back) == pytest.approx((FORTH, BACK), rel=1e-3)


def test_figures_are_those_of_the_record() -> None:
    table = columns(reference(FOLDER) / "f0p25_T30_A1p0.csv")
    x, force, v = table["displacement_m"], table["force_N"], table["velocity_m_per_s"]
    fast = np.abs(v) > 0.8 * np.max(np.abs(v))
    assert np.median(force[fast & (v > 0.0)]) == pytest.approx(FORTH, rel=0.02)
    assert np.median(force[fast & (v < 0.0)]) == pytest.approx(-BACK, rel=0.02)
    work = np.sum(0.5 * (force[1:] + force[:-1]) * np.diff(x)) / 3.0
    assert abs(work) == pytest.approx(870.0, rel=0.02)
