"""Pins and sleeves that rub under their own reactions, constant and viscous friction: cases with a closed form."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from friction_cases import EXPLICIT, FIXED, ROUND, SMOOTH, STICKS, STILL, TINY, G, dry, run

import jointplay as jp


def wheel(friction: Any, *, axis: Any = (0, 1, 0), along: float = 0.0, spin: float = 20.0, **more: Any) -> jp.System:
    """3 kg, 0.06 kg m2 on a pin; its centre lies on the axis, ``along`` m from the joint point."""
    axis = np.asarray(axis, float) / np.linalg.norm(axis)
    s = jp.System("wheel", gravity=(0, 0, -G))
    body = s.body("wheel", mass=3.0, inertia=(0.06,) * 3, position=along * axis, angular_velocity=spin * axis)
    given = {"friction": friction} if friction is not None else {}
    s.revolute("A", s.ground, body, point=(0, 0, 0), axis=axis, **given, **more)
    return s


@SMOOTH
def test_flywheel_slows_down_under_its_weight(method: Any) -> None:
    """Torque mu r (pi^3/24) m g."""
    sol = run(wheel(dry(0.2, 1e-3, length=0.1, radius=0.02)), 1.0, method)
    torque = 0.2 * 0.02 * ROUND * 3.0 * G
    assert sol["A.friction_torque"] == pytest.approx(-torque, rel=1e-7)
    assert sol["A.angle_rate"] == pytest.approx(20.0 - torque / 0.06 * sol.time, abs=1e-6)
    assert sol["A.sliding_velocity"][:, 0] == pytest.approx(0.02 * sol["A.angle_rate"], rel=1e-12)


def test_the_torque_of_a_sliding_pin_is_recorded() -> None:
    sol = run(wheel(jp.Coulomb(0.2, length=0.1, radius=0.02, smoothing=TINY)), 1.0, STICKS)
    assert sol["A.friction_torque"] == pytest.approx(-0.2 * 0.02 * ROUND * 3.0 * G, rel=1e-7)


def test_flywheel_stops_for_good() -> None:
    """After 20 rad/s J/T = 7.888 s; what it lost is its energy."""
    torque = 0.2 * 0.02 * ROUND * 3.0 * G
    sol = run(wheel(jp.Coulomb(0.2, length=0.1, radius=0.02, smoothing=TINY)), 10.0, STICKS)
    end = 20.0 * 0.06 / torque
    assert sol["A.angle_rate"] == pytest.approx(np.maximum(0.0, 20.0 - torque / 0.06 * sol.time), abs=1e-6)
    late = sol.time > end + 2e-3
    assert np.max(np.abs(sol["A.angle_rate"][late])) <= STILL
    assert sol["A.angle"][-1] == pytest.approx(10.0 * end, abs=1e-5)
    assert sol["energy.dissipated"][-1] == pytest.approx(0.5 * 0.06 * 400.0, rel=1e-6)
    assert np.max(np.abs(sol["A.friction_torque"][late])) <= 1e-12  # nothing to hold


@pytest.mark.parametrize("along", [-0.05, 0.0, 0.1, 0.25])
def test_an_overhung_wheel_presses_harder(along: float) -> None:
    sol = run(wheel(dry(0.2, length=0.1, radius=0.02), along=along), 0.1, EXPLICIT)
    share = along / 0.1
    assert sol["A.friction_normal"] == pytest.approx(ROUND * 3.0 * G * (abs(1.0 - share) + abs(share)), rel=1e-9)


@pytest.mark.parametrize("tilt", [0.0, 30.0, 90.0])
def test_thrust_rubs_on_the_collar(tilt: float) -> None:
    """Axis at ``tilt`` deg from the vertical: m g cos along it, m g sin across it."""
    a = np.radians(tilt)
    sol = run(wheel(dry(0.2, length=0.1, radius=0.02), axis=(np.sin(a), 0, np.cos(a))), 0.1, EXPLICIT)
    assert sol["A.friction_normal"] == pytest.approx(3.0 * G * (ROUND * np.sin(a) + np.cos(a)), rel=1e-9)


@pytest.mark.parametrize("method", [EXPLICIT, STICKS], ids=["smooth", "sticks"])
def test_plane_and_space_agree(method: Any) -> None:
    """An eccentric wheel about a horizontal axis; the planar model needs no ``length``."""
    law = (lambda **k: jp.Coulomb(0.2, **k)) if method is STICKS else (lambda **k: jp.BrownMcPhee(0.3, 0.2, 1e-3, **k))
    sols = []
    for planar in (False, True):
        s = jp.System("wheel", planar=planar, gravity=(0, -G, 0))
        body = s.body("wheel", mass=3.0, inertia=0.06 if planar else (0.06,) * 3, position=(0.1, 0, 0))
        sizes = {"radius": 0.02, "smoothing": TINY} | ({} if planar else {"length": 0.1})
        s.revolute("A", s.ground, body, point=(0, 0, 0), axis=(0, 0, 1), friction=law(**sizes))
        sols.append(run(s, 2.0, method))
    assert sols[0]["A.angle"] == pytest.approx(sols[1]["A.angle"], abs=1e-8)
    assert sols[0]["A.friction_torque"] == pytest.approx(sols[1]["A.friction_torque"], abs=1e-6)
    assert sols[0]["energy.dissipated"][-1] > 0.1


def test_a_pendulum_rests_askew_within_the_friction_circle() -> None:
    """At last |m g l sin(angle)| <= mu r (pi^3/24) m g; it sticks there, exactly still."""
    s = jp.System("pendulum", gravity=(0, -G, 0))
    body = s.body("bob", mass=1.5, inertia=(0.01,) * 3, position=(0.2, 0, 0))
    law = jp.Coulomb(0.5, length=0.1, radius=0.03, smoothing=TINY)
    s.revolute("A", s.ground, body, point=(0, 0, 0), axis=(0, 0, 1), friction=law)
    sol = run(s, 8.0, STICKS)
    lean = sol["A.angle"][-1] + np.pi / 2
    assert np.max(np.abs(sol["bob.velocity"][-50:])) <= STILL
    assert abs(np.sin(lean)) <= 0.5 * 0.03 * ROUND / 0.2
    assert sol["A.friction_torque"][-1] == pytest.approx(1.5 * G * 0.2 * np.sin(lean), abs=1e-8)
    assert sol["energy.dissipated"][-1] == pytest.approx(1.5 * G * 0.2 * np.cos(lean), rel=1e-5)


# -- a sleeve on a rod -----------------------------------------------------------------------------------------------


@SMOOTH
@pytest.mark.parametrize("slip", [0.0, 35.0, 90.0, 200.0])
def test_friction_of_a_sleeve_opposes_its_slip(slip: float, method: Any) -> None:
    """A thin ring, J = m r^2: both slides are braked alike, s = s_0 - mu (pi^3/24) g t, and the direction stays."""
    r, m, a = 0.05, 2.0, np.radians(slip)
    v, w = np.cos(a), np.sin(a) / r
    s = jp.System("sleeve", gravity=(0, 0, -G))
    body = s.body("sleeve", mass=m, inertia=(m * r * r, 1, 1), velocity=(v, 0, 0), angular_velocity=(w, 0, 0))
    law = dry(0.15, 1e-3, length=0.1, radius=r)
    s.cylindrical("C", s.ground, body, point=(0, 0, 0), axis=(1, 0, 0), friction=law)
    sol = run(s, 0.4, method)
    left = 1.0 - 0.15 * ROUND * G * sol.time
    assert sol["C.displacement_rate"] == pytest.approx(v * left, abs=1e-7)
    assert r * sol["C.angle_rate"] == pytest.approx(np.sin(a) * left, abs=1e-7)
    size = 0.15 * ROUND * m * G
    assert sol["C.friction_force"] == pytest.approx(-size * np.cos(a), abs=1e-6)
    assert sol["C.friction_torque"] == pytest.approx(-r * size * np.sin(a), abs=1e-6)


def test_a_turning_shaft_moves_easily() -> None:
    """A shaft turned at r w = 1 m/s gives way to the smallest axial push F, at the speed F r w/(mu N)."""
    s = jp.System("shaft", gravity=(0, 0, -G))
    body = s.body("shaft", mass=2.0, inertia=(1, 1, 1), angular_velocity=(20, 0, 0))
    law = dry(0.15, 1e-3, length=0.1, radius=0.05)
    s.cylindrical("C", s.ground, body, point=(0, 0, 0), axis=(1, 0, 0), friction=law, angle=jp.Drive("20*t"))
    s.force("push", body, force=(0.1, 0, 0))
    sol = run(s, 6.0, EXPLICIT, 0.1)
    ratio = 0.1 / (0.15 * ROUND * 2.0 * G)
    assert sol["C.displacement_rate"][-1] == pytest.approx(ratio / np.sqrt(1.0 - ratio**2), rel=1e-3)


# -- constant friction, viscous friction -----------------------------------------------------------------------------


@pytest.mark.parametrize("g", [0.0, 100.0])
def test_constant_friction_does_not_know_the_reaction(g: float) -> None:
    s = jp.System("seal", gravity=(0, 0, -g))
    body = s.body("wheel", mass=3.0, inertia=(0.06,) * 3, angular_velocity=(0, 20, 0))
    s.revolute("A", s.ground, body, point=(0, 0, 0), axis=(0, 1, 0), angle=jp.ConstantFriction("0.5 N m"))
    sol = run(s, 3.0, STICKS)
    assert sol["A.angle_rate"] == pytest.approx(np.maximum(0.0, 20.0 - 0.5 / 0.06 * sol.time), abs=1e-9)
    assert np.max(np.abs(sol["A.angle_rate"][sol.time > 2.41])) <= STILL


def test_a_joint_may_have_both() -> None:
    law = jp.Coulomb(0.2, length=0.1, radius=0.02, smoothing=TINY)
    sol = run(wheel(law, angle=jp.ConstantFriction(0.1)), 1.0, STICKS)
    torque = 0.2 * 0.02 * ROUND * 3.0 * G + 0.1
    assert sol["A.angle_rate"] == pytest.approx(20.0 - torque / 0.06 * sol.time, abs=1e-8)


@SMOOTH
def test_the_viscous_part_needs_no_load(method: Any) -> None:
    s = jp.System("viscous", gravity=(0, 0, 0))
    body = s.body("block", mass=2.0, inertia=(1, 1, 1), velocity=(3, 0, 0))
    law = jp.BrownMcPhee(0.0, 0.0, 1e-3, viscous=5.0, length=0.1, width=0.05)
    s.prismatic("D", s.ground, body, point=(0, 0, 0), axis=(1, 0, 0), friction=law)
    sol = run(s, 1.0, method)
    tolerance = 1e-5 if method is FIXED else 1e-7
    assert sol["D.displacement_rate"] == pytest.approx(3.0 * np.exp(-2.5 * sol.time), abs=tolerance)
