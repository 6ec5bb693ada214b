"""Gears and belts against closed forms: ratios, accelerations under torque, reactions, planetary gears, turns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jointplay as jp

TIGHT = jp.Explicit(rtol=1e-12, atol=1e-13)
Z_SUN, Z_PLANET, Z_RING = 24, 18, 60
MODULE = 2e-3
ARM = 0.5 * MODULE * (Z_SUN + Z_PLANET)
J_SUN, J_RING, J_CARRIER, J_PLANET, M_PLANET = 2e-4, 3e-3, 8e-4, 5e-5, 0.2


def planetary(
    *, planar: bool = True, tilt: np.ndarray | None = None, ring_free: bool = True, planets: int = 1, **mesh: Any
) -> jp.System:
    """Sun, planets on a carrier, ring; torques on sun and carrier. In space the whole is turned by ``tilt``."""
    A = np.eye(3) if tilt is None else tilt
    s = jp.System("planetary", planar=planar, gravity=(0, 0) if planar else (0, 0, 0))

    def at(*x: float) -> Any:
        return x[:2] if planar else A @ x

    def wheel(name: str, mass: float, inertia: float, x: float = 0.0, y: float = 0.0) -> Any:
        if planar:
            return s.body(name, mass=mass, inertia=inertia, position=(x, y))
        turned = {"position": A @ (x, y, 0.0), "orientation": A.tolist()}
        return s.body(name, mass=mass, inertia=(0.6 * inertia, 0.6 * inertia, inertia), **turned)

    hinge: dict[str, Any] = {} if planar else {"axis": A[:, 2]}
    sun, carrier = wheel("sun", 0.3, J_SUN), wheel("carrier", 0.5, J_CARRIER)
    s.revolute("S", s.ground, sun, point=at(0, 0, 0), **hinge)
    s.revolute("C", s.ground, carrier, point=at(0, 0, 0), **hinge)
    ring = wheel("ring", 1.0, J_RING) if ring_free else s.ground
    if ring_free:
        s.revolute("R", s.ground, ring, point=at(0, 0, 0), **hinge)
    for k in range(planets):
        angle = 2 * np.pi * k / planets + 0.3
        x, y = ARM * np.cos(angle), ARM * np.sin(angle)
        planet = wheel(f"planet{k}", M_PLANET, J_PLANET, x, y)
        s.revolute(f"P{k}", carrier, planet, point=at(x, y, 0), **hinge)
        s.gear(f"inner{k}", sun, planet, hubs=("S", f"P{k}"), teeth=(Z_SUN, Z_PLANET), module=MODULE, **mesh)
        hubs = (f"P{k}", "R" if ring_free else "C")
        s.gear(f"outer{k}", planet, ring, hubs=hubs, teeth=(Z_PLANET, Z_RING), internal=True, **mesh)
    for name, body, size in (("t_sun", sun, 0.3), ("t_carrier", carrier, -0.7)):
        s.torque(name, body, torque=size if planar else size * A[:, 2])
    return s


def by_lagrange(ring_free: bool, planets: int) -> np.ndarray:
    """Accelerations of sun, carrier and ring by virtual work on independent speeds (sun, carrier)."""
    # planet: w_p = w_c - z_s/z_p (w_s - w_c); ring: w_r = w_c + z_p/z_r (w_p - w_c)
    planet = np.array([-Z_SUN / Z_PLANET, 1.0 + Z_SUN / Z_PLANET])
    ring = np.array([0.0, 1.0]) + Z_PLANET / Z_RING * (planet - np.array([0.0, 1.0]))
    rows = np.array([[1.0, 0.0], [0.0, 1.0], planet, ring])
    masses = np.array([J_SUN, J_CARRIER + planets * M_PLANET * ARM**2, planets * J_PLANET, J_RING])
    torque = np.array([0.3, -0.7])
    if ring_free:
        return rows[[0, 1, 3]] @ np.linalg.solve(rows.T @ np.diag(masses) @ rows, torque)
    free = np.array([ring[1], -ring[0]])  # speeds that leave the ring at rest
    J = rows @ free
    return rows[[0, 1, 3]] @ free * (free @ torque) / (J**2 @ np.where(np.arange(4) == 3, 0.0, masses))


@pytest.mark.parametrize("ring_free", [True, False], ids=["ring free", "ring held"])
@pytest.mark.parametrize("planets", [1, 3])
def test_planetary_gear(ring_free: bool, planets: int) -> None:
    s = planetary(ring_free=ring_free, planets=planets)
    report = s.check()
    assert report.mobility == (2 if ring_free else 1)
    assert len(report.redundant) == planets - 1
    sol = jp.simulate(s, until=2.0, method=TIGHT, save=0.02)
    assert sol.outcome.ok
    wanted = by_lagrange(ring_free, planets)
    for name, joint, acceleration in zip(("sun", "carrier", "ring"), "SCR", wanted, strict=True):
        if name == "ring" and not ring_free:
            continue
        assert sol[f"{name}.angular_acceleration"][:, 2] == pytest.approx(acceleration, rel=1e-9)
        assert sol[f"{joint}.angle"] == pytest.approx(acceleration * sol.time**2 / 2, rel=1e-9, abs=1e-9)
    assert np.ptp(sol["S.angle"]) > 70 * 2 * np.pi  # turns are counted through all of them
    # Willis: (w_s - w_c) / (w_r - w_c) = -z_r / z_s
    sun, carrier = sol["sun.angular_velocity"][1:, 2], sol["carrier.angular_velocity"][1:, 2]
    ring = sol["ring.angular_velocity"][1:, 2] if ring_free else 0.0
    assert (sun - carrier) * Z_SUN == pytest.approx(-(ring - carrier) * Z_RING, rel=1e-10)
    exchanged = np.max(np.abs(sol["energy.input"]))
    assert np.max(np.abs(sol["energy.error"])) < 1e-10 * exchanged
    assert np.max(np.abs(sol["inner0.transmission_error"])) < 1e-12


def test_a_planetary_gear_in_space() -> None:
    """Turned anywhere, the same accelerations; and the reactions of all joints hold the planet on its circle."""
    tilt, _ = np.linalg.qr(np.array([[0.3, -0.8, 0.5], [0.9, 0.2, 0.4], [0.1, 0.7, 1.1]]))
    tilt *= np.sign(np.linalg.det(tilt))
    s = planetary(planar=False, tilt=tilt)
    assert s.check().mobility == 2
    sol = jp.simulate(s, until=0.5, method=TIGHT, save=0.01)
    sun, carrier, ring = by_lagrange(True, 1)
    for joint, acceleration in zip("SCR", (sun, carrier, ring), strict=True):
        assert sol[f"{joint}.angle"] == pytest.approx(acceleration * sol.time**2 / 2, rel=1e-8, abs=1e-9)
    forces = sol["P0.force"] + sol["inner0.force"] - sol["outer0.force"]
    assert forces == pytest.approx(M_PLANET * sol["planet0.acceleration"], abs=1e-7)
    assert np.max(np.abs(sol["energy.error"])) < 1e-10 * np.max(np.abs(sol["energy.input"]))


def test_a_carrier_that_tumbles() -> None:
    """A free frame with two meshing wheels in it: momentum, angular momentum and energy stay."""
    s = jp.System("tumbling", gravity=(0, 0, 0))
    frame = s.body("frame", mass=2, inertia=(0.02, 0.03, 0.04), velocity=(0.3, 0, 0.1), angular_velocity=(2, 1, -1.5))
    spin = {"mass": 0.5, "inertia": (1e-3, 1e-3, 2e-3)}
    one = s.body("one", position=(-0.05, 0, 0), **spin)
    two = s.body("two", position=(0.1, 0, 0), **spin)
    A = s.revolute("A", frame, one, point=(-0.05, 0, 0), axis=(0, 0, 1))
    s.revolute("B", frame, two, point=(0.1, 0, 0), axis=(0, 0, 1))
    s.gear("G", one, two, teeth=(20, 40), hubs=(A, "B"))
    s.torque("motor", one, torque=(0, 0, "0.2*sin(3*t)"), axes="body")
    s.torque("back", frame, torque=(0, 0, "-0.2*sin(3*t)"), axes="body")
    sol = jp.simulate(s, until=2.0, method=TIGHT, save=0.01)
    assert sol["A.angle_rate"] == pytest.approx(-2.0 * sol["B.angle_rate"], abs=1e-10)
    assert np.ptp(sol["A.angle"]) > 20.0
    total, linear = np.zeros(3), np.zeros(3)
    moments = np.array([[0.02, 0.03, 0.04], [1e-3, 1e-3, 2e-3], [1e-3, 1e-3, 2e-3]])
    spins, pushes = [], []
    for k in range(len(sol.time)):
        total, linear = np.zeros(3), np.zeros(3)
        for name, mass, J in zip(("frame", "one", "two"), (2.0, 0.5, 0.5), moments, strict=True):
            e0, e1, e2, e3 = sol[f"{name}.orientation"][k]
            E = np.array([[0, -e3, e2], [e3, 0, -e1], [-e2, e1, 0]])
            A_k = np.eye(3) + 2 * e0 * E + 2 * E @ E
            p = mass * sol[f"{name}.velocity"][k]
            linear += p
            total += np.cross(sol[f"{name}.position"][k], p) + A_k @ (J * sol[f"{name}.angular_velocity"][k])
        spins.append(total)
        pushes.append(linear)
    assert np.ptp(np.array(pushes), axis=0) == pytest.approx(0.0, abs=1e-10)
    assert np.ptp(np.array(spins), axis=0) == pytest.approx(0.0, abs=1e-10)
    assert np.max(np.abs(sol["energy.error"])) < 1e-10


def pair(kind: str, *, distance: float = 0.3, spin: float = 0.0, torque: float = 1.0, **given: Any) -> jp.System:
    """Two wheels of 0.01 and 0.05 kg m2 on the ground; the first is driven by a torque."""
    s = jp.System("pair", planar=True, gravity=(0, 0))
    one = s.body("one", mass=1, inertia=0.01, angular_velocity=spin)
    two = s.body("two", mass=1, inertia=0.05, position=(distance, 0))
    s.revolute("A", s.ground, one, point=(0, 0))
    s.revolute("B", s.ground, two, point=(distance, 0))
    s.joint(kind, "G", one, two, **given)
    s.torque("T", one, torque=torque)
    return s


PAIRS = [
    ("gear", {"radii": (0.1, 0.2)}, -0.5),
    ("gear", {"teeth": (20, 40)}, -0.5),
    ("gear", {"teeth": (20, 80), "internal": True}, 0.25),
    ("gear", {"teeth": (80, 20), "internal": True}, 4.0),
    ("belt", {"radii": (0.05, 0.1)}, 0.5),
    ("belt", {"radii": (0.05, 0.1), "crossed": True}, -0.5),
]


@pytest.mark.parametrize(("kind", "given", "ratio"), PAIRS)
def test_ratio_acceleration_and_force(kind: str, given: dict[str, Any], ratio: float) -> None:
    sol = jp.simulate(pair(kind, **given), until=1.0, method=TIGHT, save=0.1)
    acceleration = 1.0 / (0.01 + 0.05 * ratio**2)
    assert sol["one.angular_acceleration"][:, 2] == pytest.approx(acceleration, rel=1e-10)
    assert sol["B.angle"] == pytest.approx(ratio * sol["A.angle"], rel=1e-10)
    # torque on the second wheel; the force is that of the teeth, or of both strands of the belt
    assert sol["G.torque"][:, 2] == pytest.approx(0.05 * ratio * acceleration, rel=1e-9)
    if kind == "gear":
        radius = 0.3 * np.abs(ratio) ** -1 / np.abs(1 / abs(ratio) - np.sign(ratio)) if ratio else 0.0
        force = 0.05 * np.abs(ratio) * acceleration / radius
    else:
        difference = 0.05 * np.abs(ratio) * acceleration / 0.1
        force = difference * (0.15 if given.get("crossed") else 0.05) / 0.3
    assert np.abs(sol["G.force"][:, 1]) == pytest.approx(force, rel=1e-9)
    assert sol["G.force"][:, 0] == pytest.approx(0.0, abs=1e-9)
    assert sol["B.force"] == pytest.approx(-sol["G.force"], abs=1e-8)


# Rules of order two turn a body by tan instead of the angle: (w h)^2 / 12 of the way, 0.45 rad here. A turn is 6.28.
METHODS = [(jp.Explicit(), 1e-3), (jp.Implicit(), 1e-3), (jp.Index1(step=1e-3), 0.5), (jp.Verlet(step=1e-3), 0.5)]


@pytest.mark.parametrize(("method", "within"), METHODS, ids=["explicit", "implicit", "index1", "verlet"])
def test_turns_are_counted(method: Any, within: float) -> None:
    """130 turns of one wheel and 65 of the other, in one run and in two; the teeth know their place in both."""
    s = pair("gear", teeth=(20, 40), spin=2 * np.pi * 13, torque=0.0)
    whole = jp.simulate(s, until=10.0, method=method, save=0.1)
    assert whole["A.angle"][-1] == pytest.approx(260 * np.pi, abs=within)
    assert whole["B.angle"][-1] == pytest.approx(-130 * np.pi, abs=within)
    assert np.max(np.abs(whole["G.transmission_error"])) < 1e-8
    half = jp.simulate(s, until=5.03, method=method, save=0.1)
    rest = jp.simulate(s, until=10.0, method=method, save=0.1, start=half)
    assert rest["A.angle"][-1] == pytest.approx(260 * np.pi, abs=within)
    assert np.max(np.abs(rest["G.transmission_error"])) < 1e-8


@pytest.mark.parametrize("angle", [90.0, 60.0, 110.0])
def test_bevel_gears(angle: float) -> None:
    """Ratio of teeth, power from shaft to shaft, and a tooth force at the pitch point that the hinges carry."""
    a = np.radians(angle)
    axis = np.array([np.sin(a), 0.0, np.cos(a)])
    s = jp.System("bevel", gravity=(0, 0, 0))
    one = s.body("one", mass=1, inertia=(0.01, 0.01, 0.02), position=(0, 0, 0.2))
    turned = np.array([[np.cos(a), 0, np.sin(a)], [0, 1, 0], [-np.sin(a), 0, np.cos(a)]])
    two = s.body("two", mass=1, inertia=(0.03, 0.03, 0.05), position=0.15 * axis, orientation=turned.tolist())
    s.revolute("A", s.ground, one, point=(0, 0, 0.2), axis=(0, 0, 1))
    s.revolute("B", s.ground, two, point=0.15 * axis, axis=axis)
    s.bevel_gear("G", one, two, teeth=(15, 30), module="4 mm")
    s.torque("T", one, torque=(0, 0, 1))
    assert s.check().mobility == 1
    sol = jp.simulate(s, until=1.0, method=TIGHT, save=0.1)
    acceleration = 1.0 / (0.02 + 0.05 / 4)
    assert sol["A.angle"][-1] == pytest.approx(acceleration / 2, rel=1e-9)
    assert sol["B.angle"] == pytest.approx(-sol["A.angle"] / 2, rel=1e-9)
    force = 0.05 * acceleration / 2 / 0.06  # at the pitch radius of 60 mm, along y
    assert np.abs(sol["G.force"]) == pytest.approx(np.tile([0, force, 0], (11, 1)), abs=1e-8)
    # statics of the first wheel: force at the pitch point P and the hinge at H
    first = np.arctan2(np.sin(a), 2.0 + np.cos(a))
    pitch = 0.03 / np.sin(first) * np.array([np.sin(first), 0.0, np.cos(first)])
    lever = np.cross(pitch - np.array([0, 0, 0.2]), -sol["G.force"][0])
    assert sol["A.torque"][0][:2] == pytest.approx(-lever[:2], abs=1e-8)
    assert sol["A.force"][0] == pytest.approx(sol["G.force"][0], abs=1e-8)


@pytest.mark.parametrize("internal", [False, True])
def test_efficiency_of_a_mesh_follows_from_friction(internal: bool) -> None:
    """Friction at the mean distance s from the pitch point: (1 -+ k/r_2) / (1 + k/r_1), k = mu s / cos(alpha)."""
    mu, path, alpha = 0.08, 4e-3, np.radians(20.0)
    r1, r2 = (0.1, 0.4) if internal else (0.1, 0.2)
    law = jp.Coulomb(mu, creep=1e-7, smoothing=1e-9)
    s = pair(
        "gear", teeth=(20, 80 if internal else 40), internal=internal, path=path, friction=law, torque=0.0, spin=100.0
    )
    s.torque("load", "two", torque=-2.0 if internal else 2.0)
    sol = jp.simulate(s, until=0.05, method=jp.Explicit(rtol=1e-10, atol=1e-12), save=0.01)
    k = mu * path / np.cos(alpha)
    force = np.abs(sol["G.force"][:, 1])
    one, two = sol["one.angular_acceleration"][:, 2], np.abs(sol["two.angular_acceleration"][:, 2])
    # wheel 1 is braked by the mesh: J_1 a_1 = -F (r_1 + k); wheel 2: J_2 a_2 = load - F (r_2 -+ k)
    assert -0.01 * one == pytest.approx(force * (r1 + k), rel=1e-8)
    assert 2.0 - 0.05 * two == pytest.approx(force * (r2 + k if internal else r2 - k), rel=1e-8)
    loss = np.gradient(sol["energy.dissipated"], sol.time)
    assert np.max(np.abs(sol["energy.error"])) < 1e-10
    assert loss[2] > 0.0


BAD = [
    ({"radii": (0.1, 0.21)}, "the hubs are 0.3 m apart, but the sum of the pitch radii is 0.31 m"),
    ({"teeth": (20, 40), "module": "9 mm"}, "the sum of the pitch radii is 0.27 m"),
    ({}, "needs either 'radii'"),
    ({"teeth": (20, 40.5)}, "whole numbers"),
    ({"teeth": (20, 20), "internal": True}, "must be smaller"),
    ({"teeth": (20, 40), "point_b": (0.31, 0)}, "beside the axis of its hinge (B)"),
    ({"teeth": (20, 40), "hubs": ("A", "X")}, "there is no hinge or guide 'X'"),
    ({"teeth": (20, 40), "slide": jp.Spring(stiffness=1.0)}, "needs 'path'"),
    ({"teeth": (20, 40), "friction": jp.Coulomb(0.1)}, "'path' is missing"),
    ({"teeth": (20, 40), "mesh": jp.Clearance("0.1 mm", friction=jp.Coulomb(0.1))}, "see 'friction' of the joint"),
    ({"teeth": (20, 40), "path": 1e-3, "mesh": jp.Clearance(1e-4), "friction": jp.Coulomb(0.1)}, "rigid flanks with"),
    ({"teeth": (20, 40), "internal": "yes"}, "must be true or false"),
]


@pytest.mark.parametrize(("given", "sentence"), BAD)
def test_bad_gears(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(jp.InputError) as error:
        pair("gear", **given)
    assert sentence in str(error.value)


def test_axes_must_be_parallel() -> None:
    s = jp.System("crossed", gravity=(0, 0, 0))
    one, two = (s.body(name, mass=1, inertia=1, position=(x, 0, 0)) for name, x in (("one", 0), ("two", 0.3)))
    s.revolute("A", s.ground, one, point=(0, 0, 0), axis=(0, 0, 1))
    s.revolute("B", s.ground, two, point=(0.3, 0, 0), axis=(0, 0.1, 1))
    with pytest.raises(jp.InputError, match="not parallel to that of the hinge of 'two'"):
        s.gear("G", one, two, teeth=(20, 40))
    with pytest.raises(jp.InputError, match="axes pass each other|apex|where the axes meet"):
        s.bevel_gear("H", one, two, teeth=(20, 40))


def test_a_hub_must_be_known() -> None:
    s = jp.System("bare", planar=True)
    one, two = (s.body(name, mass=1, inertia=1, position=(x, 0)) for name, x in (("one", 0), ("two", 0.3)))
    with pytest.raises(jp.InputError, match="'one' has no hinge above"):
        s.gear("G", one, two, teeth=(20, 40))
    with pytest.raises(jp.InputError, match="the ground has no hub of its own"):
        s.gear("G", s.ground, two, point_b=(0.3, 0), teeth=(20, 40))
