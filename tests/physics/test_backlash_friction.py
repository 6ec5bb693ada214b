"""Friction of couplings with compliant backlash: efficiencies, self-locking and losses as without play."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jointplay as jp

G, MASS, INERTIA, LEAD, RADIUS = 9.81, 20.0, 2e-3, 8e-3, 10e-3
CLIMB = np.arctan(LEAD / (2 * np.pi * RADIUS))
STIFF = 1e8
FLANK = jp.KelvinVoigt(stiffness=STIFF, damping=4e4)
PLAY = 1e-4
PRESSED = -PLAY - MASS * G / STIFF  # transmission error at which the flank carries the weight


def press(friction: jp.Coulomb, thread: Any, drive: str | None = "-5*t", **given: Any) -> jp.System:
    """A nut that carries a weight; turning the spindle about -z lifts it."""
    s = jp.System("press", gravity=(0, 0, -G))
    spindle = s.body("spindle", mass=3.0, inertia=(0.01, 0.01, INERTIA))
    nut = s.body("nut", mass=MASS, inertia=(0.1, 0.1, 0.1), position=(0, 0, 0.2))
    driven = {} if drive is None else {"angle": jp.Drive(drive)}
    s.revolute("S", s.ground, spindle, point=(0, 0, 0), axis=(0, 0, 1), **driven)
    s.prismatic("P", s.ground, nut, point=(0, 0, 0.2), axis=(0, 0, 1))
    s.screw("N", spindle, nut, lead=LEAD, radius=RADIUS, friction=friction, thread=thread, **given)
    return s


@pytest.mark.parametrize("flank", [0.0, 15.0, 30.0])
@pytest.mark.parametrize("mu", [0.05, 0.2])
def test_efficiency_of_a_screw_with_play(mu: float, flank: float) -> None:
    """Lifting with one flank in contact: tan(gamma) / tan(gamma + rho), the same as without play."""
    friction = jp.Coulomb(mu, creep=1e-7, smoothing=1e-9)
    thread = jp.Clearance(PLAY, contact=FLANK)
    s = press(friction, thread, flank=np.radians(flank), offset=PRESSED)
    sol = jp.simulate(s, until=0.5, method=jp.Explicit(rtol=1e-10, atol=1e-12), save=0.05)
    assert sol.outcome.ok, sol.outcome.message
    slant = np.arctan(np.tan(np.radians(flank)) * np.cos(CLIMB))
    exact = np.tan(CLIMB) / np.tan(CLIMB + np.arctan(mu / np.cos(slant)))
    # the flank answers within a millisecond: from 0.1 s on the motion is steady
    lifted = MASS * G * (sol["nut.position"][-1, 2] - sol["nut.position"][2, 2])
    work, lost = (sol[name][-1] - sol[name][2] for name in ("energy.input", "energy.dissipated"))
    assert lifted / work == pytest.approx(exact, rel=1e-10)
    assert lifted + lost == pytest.approx(work, rel=1e-10)
    ideal = jp.simulate(press(friction, None, flank=np.radians(flank)), until=0.5, save=0.05, method=jp.Explicit())
    assert sol["S.drive_torque"][-1] == pytest.approx(ideal["S.drive_torque"][-1], rel=1e-7)
    assert np.max(np.abs(sol["energy.error"])) < 1e-10 * sol["energy.input"][-1]
    assert sol["N.normal_force"][2:, 0].min() > 0.0 and sol["N.normal_force"].max(axis=0)[1] == 0.0


@pytest.mark.parametrize("mu", [0.05, 0.11, 0.129, 0.3])
def test_self_locking_with_play(mu: float) -> None:
    """A weight on one flank: true stick where rho > gamma = 7.26 degrees, else it lowers as without play."""
    thread = jp.Clearance(PLAY, contact=FLANK)
    s = press(jp.Coulomb(mu, smoothing=1e-9), thread, None, offset=PRESSED)
    sol = jp.simulate(s, until=0.1, method=jp.Moreau(step=5e-5), save=0.01)
    assert sol.outcome.ok, sol.outcome.message
    rho, spin = np.arctan(mu), sol["spindle.angular_velocity"][:, 2]
    if rho >= CLIMB:
        # friction takes its part of the weight, and the flank comes back by that: a turn of less than 1e-4 rad in all
        assert np.max(np.abs(spin[5:])) < 1e-9
        assert abs(sol["S.angle"][-1]) < 1e-4
        return
    lever = RADIUS * np.tan(CLIMB - rho)
    turn = MASS * G * lever / (INERTIA + MASS * lever * LEAD / (2 * np.pi))
    # the flank gives way by some micrometres when it starts: an angular velocity that stays behind by less than 1e-3
    assert spin[5:] - spin[5] == pytest.approx(turn * (sol.time[5:] - sol.time[5]), rel=1e-6)


@pytest.mark.parametrize("internal", [False, True])
def test_efficiency_of_a_mesh_with_play(internal: bool) -> None:
    """(1 -+ k/r_2) / (1 + k/r_1), k = mu s / cos(alpha): first wheel at constant speed, constant load on the second."""
    mu, path, r1 = 0.08, 4e-3, 0.1
    r2 = 0.4 if internal else 0.2
    s = jp.System("mesh", planar=True, gravity=(0, 0))
    one = s.body("one", mass=1, inertia=0.01)
    two = s.body("two", mass=1, inertia=0.05, position=(0.3, 0))
    s.revolute("A", s.ground, one, point=(0, 0), angle=jp.Drive("100*t"))
    s.revolute("B", s.ground, two, point=(0.3, 0))
    side = 1.0 if internal else -1.0  # the way that the second wheel turns
    s.torque("load", two, torque=-2.0 * side)
    law = jp.Coulomb(mu, creep=1e-7, smoothing=1e-9)
    flank = jp.KelvinVoigt(stiffness=1e7, damping=5e3)
    mesh = jp.Clearance("0.02 deg", contact=flank)
    s.gear("G", one, two, radii=(r1, r2), internal=internal, path=path, friction=law, mesh=mesh)
    sol = jp.simulate(s, until=0.4, method=jp.Implicit(rtol=1e-9, atol=1e-12), save=0.02)
    assert sol.outcome.ok, sol.outcome.message
    k = mu * path / np.cos(np.radians(20.0))
    exact = (1 + k / r2 if internal else 1 - k / r2) / (1 + k / r1)
    gained = 2.0 * np.abs(sol["B.angle"][-1] - sol["B.angle"][10])
    lost = sol["energy.dissipated"][-1] - sol["energy.dissipated"][10]
    assert gained / (gained + lost) == pytest.approx(exact, rel=1e-8)
    # rtol of 40 rad on a stiffness of 2e6 N/rad is a force of 0.08 N beside 10 N; the mean is better by far
    assert sol["A.drive_torque"][-1] == pytest.approx(2.0 * r1 / r2 / exact, rel=1e-3)
    assert np.max(np.abs(sol["energy.error"])) < 1e-7 * gained


def test_reversal_through_the_play() -> None:
    """A rack driven to and fro: friction follows the flank that carries, there is none in flight, energies balance."""
    mu, path, radius = 0.2, 5e-3, 0.05
    s = jp.System("to and fro", planar=True, gravity=(0, 0))
    rack = s.body("rack", mass=4.0, inertia=0.1, position=(0, -radius))
    pinion = s.body("pinion", mass=1.0, inertia=0.02)
    s.prismatic("P", s.ground, rack, point=(0, -radius), axis=(1, 0), displacement=jp.Drive("0.05*sin(20*t)"))
    s.revolute("A", s.ground, pinion, point=(0, 0))
    mesh = jp.Clearance("0.5 deg", contact=jp.HuntCrossley(stiffness="1e7 N/m^1.5", restitution=0.3))
    s.rack("R", rack, pinion, radius=radius, path=path, mesh=mesh, friction=jp.Coulomb(mu, creep=1e-3, smoothing=1e-6))
    sol = jp.simulate(s, until=0.7, method=jp.Implicit(rtol=1e-8, atol=1e-11), save=5e-4)
    assert sol.outcome.ok, sol.outcome.message
    pressed = sol["R.normal_force"].sum(axis=1)
    assert np.all(sol["R.normal_force"].max(axis=0) > 1.0)  # both flanks
    turn = 0.02 * sol["pinion.angular_acceleration"][:, 2]
    # J a = r (N_1 - N_0) - path mu N / cos(alpha) sign(phi'), wherever it slides faster than the friction creeps
    fast = np.abs(sol["A.angle_rate"]) * path > 0.02
    drag = path * mu * pressed / np.cos(np.radians(20.0)) * np.sign(sol["A.angle_rate"])
    push = radius * (sol["R.normal_force"][:, 1] - sol["R.normal_force"][:, 0])
    assert turn[fast] == pytest.approx((push - drag)[fast], rel=1e-6, abs=1e-6)
    assert np.max(np.abs(turn[pressed == 0.0])) < 1e-6
    assert np.max(np.abs(sol["energy.error"])) < 1e-6 * np.max(sol["energy.kinetic"])


def test_what_is_refused() -> None:
    with pytest.raises(jp.InputError, match="rigid flanks with clearance cannot rub") as error:
        press(jp.Coulomb(0.1), jp.Clearance(PLAY))
    assert len(error.value.problems) == 1 and "friction" in error.value.problems[0].field
    s = press(jp.Coulomb(0.1, creep=1e-4), jp.Clearance(PLAY, contact=FLANK), offset=PRESSED)
    given: dict[str, Any] = {"until": 0.01, "method": jp.Implicit()}
    with pytest.raises(jp.InputError, match=r"do not follow friction of flanks with clearance \(N\); 'differences' do"):
        jp.sensitivities(s, ["joints.N.lead"], [jp.Final("S.drive_torque")], derivative="direct", **given)
    with pytest.raises(jp.InputError, match=r"flanks with clearance"):
        jp.sensitivities(s, ["joints.N.lead"], [jp.Final("P.displacement")], derivative="adjoint", **given)
    found = jp.sensitivities(s, ["joints.N.lead"], [jp.Final("P.displacement")], derivative="differences", **given)
    # lifted by lead/(2 pi) 5 t
    slope = float(found[found.names[0]]["joints.N.lead"])
    assert slope == pytest.approx(5 * 0.01 / (2 * np.pi), rel=1e-2)
