"""Bushings against closed solutions: sag, frequency and decay in all six directions, full matrices, curves, preload."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mechanisms import TIGHT, apply, rotation
from scipy.interpolate import PchipInterpolator
from scipy.linalg import expm
from scipy.optimize import brentq
from scipy.special import ellipk

import jointplay as jp

STIFF = jp.Implicit(rtol=1e-10, atol=1e-15)
EXACT = jp.Explicit(rtol=1e-11, atol=1e-17)  # small motions
EITHER = pytest.mark.parametrize("method", [EXACT, STIFF], ids=["explicit", "implicit"])
MASS, INERTIA = 2.0, (0.03, 0.04, 0.05)
# of the six directions along and about h, t, b = x, y, z: group, stiffness, damping
DIRECTIONS = [
    ("radial", 4e4, 60.0),
    ("radial", 4e4, 60.0),
    ("axial", 9e4, 90.0),
    ("tilt", 300.0, 0.5),
    ("tilt", 300.0, 0.5),
    ("twist", 120.0, 0.3),
]
LAWS = {group: jp.Bushing(stiffness=k, damping=c) for group, k, c in DIRECTIONS}
SIX = pytest.mark.parametrize("direction", range(6), ids=["x", "y", "z", "about x", "about y", "about z"])


def run(system: jp.System, until: float, method: Any = TIGHT, save: Any = 1e-2) -> jp.Solution:
    sol = jp.simulate(system, until=until, method=method, save=save)
    assert sol.outcome.ok, sol.outcome.message
    return sol


def held(rate: Any = (0.0,) * 6, load: Any = (0.0,) * 6, **laws: Any) -> jp.System:
    """A body held by bushings in all directions, its centre of mass at the joint, with rates and loads of all six."""
    s = jp.System("held by bushings", gravity=(0, 0, 0))
    body = s.body("b", mass=MASS, inertia=INERTIA, velocity=rate[:3], angular_velocity=rate[3:])
    s.fixed("J", s.ground, body, point=(0, 0, 0), axis=(0, 0, 1), **laws)
    s.force("F", body, force=load[:3])
    s.torque("T", body, torque=load[3:])
    return s


def displacements(sol: jp.Solution) -> np.ndarray:
    """Along x, y, z and (small) turns about them; one line per time."""
    p = sol["b.orientation"]
    return np.hstack([sol["b.position"], 2.0 * p[:, 1:] * np.sign(p[:, :1])])


def decay(k: float, c: float, m: float, v0: float, t: np.ndarray) -> np.ndarray:
    """Solution of m x'' + c x' + k x = 0 from x = 0."""
    d = c / (2 * m)
    w = np.sqrt(k / m - d * d)
    return v0 / w * np.exp(-d * t) * np.sin(w * t)


# -- linear, direction by direction ----------------------------------------------------------------------------------


@SIX
def test_sag_under_a_load(direction: int) -> None:
    """F/k in the direction of the load, nothing in the others."""
    load = np.zeros(6)
    load[direction] = 1e-3
    sol = run(held(load=load, **LAWS), 10.0, STIFF, save=[10.0])
    sag = np.zeros(6)
    sag[direction] = 1e-3 / DIRECTIONS[direction][1]
    assert np.max(np.abs(displacements(sol)[-1] - sag)) <= 1e-8 * np.max(sag)
    carried = np.hstack([sol["J.force"][-1], sol["J.torque"][-1]])
    assert carried == pytest.approx(-load, abs=1e-11)


@EITHER
@SIX
def test_frequency_and_decay(direction: int, method: Any) -> None:
    rate = np.zeros(6)
    rate[direction] = 1e-4
    m = (MASS,) * 3 + INERTIA
    _, k, c = DIRECTIONS[direction]
    sol = run(held(rate=rate, **LAWS), 0.5, method)
    exact = np.zeros((len(sol.time), 6))
    exact[:, direction] = decay(k, c, m[direction], 1e-4, sol.time)
    assert np.max(np.abs(displacements(sol) - exact)) <= 1e-7 * np.max(np.abs(exact))
    assert np.max(np.abs(sol["energy.error"])) <= 1e-7 * sol["energy.kinetic"][0]


@EITHER
def test_large_motion_of_a_free_coordinate(method: Any) -> None:
    """On the angle of a hinge the law holds at any amplitude, over turns: 3 turns there, decaying."""
    J, k, c = 0.02, 2.0, 0.01
    s = jp.System("torsion", gravity=(0, 0, 0))
    v0 = 6 * np.pi * np.sqrt(k / J)
    body = s.body("b", mass=1.0, inertia=(J, J, J), angular_velocity=(0, 0, v0))
    s.revolute("J", s.ground, body, point=(0, 0, 0), axis=(0, 0, 1), angle=jp.Bushing(stiffness=k, damping=c))
    sol = run(s, 3.0, method)
    exact = decay(k, c, J, v0, sol.time)
    assert np.max(exact) > 5.5 * np.pi
    assert np.max(np.abs(sol["J.angle"] - exact)) <= 1e-6
    assert sol["J.bushing_torque"] == pytest.approx(-k * sol["J.angle"] - c * sol["J.angle_rate"], abs=1e-9)


@EITHER
def test_preload_moves_the_place_of_rest(method: Any) -> None:
    """Preload/k, from every direction of the joint and on a free coordinate."""
    law = jp.Bushing(stiffness=1e4, damping=200.0, preload=50.0)
    s = jp.System("preloaded", gravity=(0, 0, 0))
    body = s.body("b", mass=MASS, inertia=INERTIA)
    s.cylindrical("J", s.ground, body, point=(0, 0, 0), axis=(0, 0, 1), displacement=law)
    sol = run(s, 1.0, method)
    assert sol["J.displacement"][-1] == pytest.approx(50.0 / 1e4, rel=1e-9)
    assert abs(sol["J.bushing_force"][-1]) <= 1e-6
    assert sol["energy.elastic"][-1] == pytest.approx(-0.5 * 50.0**2 / 1e4, rel=1e-9)


# -- full matrices ---------------------------------------------------------------------------------------------------


def coupled(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A random stiffness and damping, positive definite, comparable in m and rad over an arm of 0.1 m."""
    random = np.random.default_rng(seed)
    arms = np.diag([1.0, 1.0, 1.0, 0.1, 0.1, 0.1])
    A, B = random.normal(size=(2, 6, 6))
    K = arms @ (A @ A.T + np.eye(6)) @ arms * 5e3
    C = arms @ (B @ B.T) @ arms * 5.0
    return 0.5 * (K + K.T), 0.5 * (C + C.T)


def linear(K: np.ndarray, C: np.ndarray, preload: np.ndarray, rate: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Solution of M x'' + C x' + K x = preload from x = 0, by the matrix exponential."""
    M = np.diag((MASS,) * 3 + INERTIA)
    rest = np.linalg.solve(K, preload)
    A = np.block([[np.zeros((6, 6)), np.eye(6)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]])
    start = np.concatenate([-rest, rate])
    return np.array([rest + (expm(A * t) @ start)[:6] for t in times])


@EITHER
@pytest.mark.parametrize("seed", range(3))
def test_coupled_bushing_against_the_matrix_exponential(seed: int, method: Any) -> None:
    K, C = coupled(seed)
    random = np.random.default_rng(100 + seed)
    rate, preload = 1e-7 * random.normal(size=6), 1e-5 * random.normal(size=6)
    bushing = jp.Bushing(stiffness=K, damping=C, preload=preload)
    sol = run(held(rate=rate, bushing=bushing), 0.3, method, save=5e-3)
    exact = linear(K, C, preload, rate, sol.time)
    size = np.max(np.abs(exact), axis=0)
    # turns of up to 5e-7 rad: the linear equation itself is right to a few times that
    assert np.max(np.abs(displacements(sol) - exact) / size) <= 3e-6
    assert np.max(np.abs(sol["energy.error"])) <= 1e-6 * np.max(sol["energy.kinetic"])


def test_coupled_bushing_sags_by_its_inverse() -> None:
    """Large enough loads to see all couplings, small enough turns for K to mean small rotations."""
    K, C = coupled(7)
    load = 1e-4 * np.array([3.0, -2.0, 1.0, 0.1, 0.2, -0.3])
    sol = run(held(load=load, bushing=jp.Bushing(stiffness=K, damping=50.0 * C)), 20.0, STIFF, save=[20.0])
    assert displacements(sol)[-1] == pytest.approx(np.linalg.solve(K, load), rel=1e-5, abs=1e-13)


def test_diagonal_matrix_is_six_single_bushings() -> None:
    """Large motions too, in the plane of each rotation."""
    K, C = (np.diag([one[i] for one in DIRECTIONS]) for i in (1, 2))
    rate = (0.3, -0.2, 0.5, 0.4, 1.0, -0.8)
    whole = run(held(rate=rate, bushing=jp.Bushing(stiffness=K, damping=C)), 0.2)
    single = run(held(rate=rate, **LAWS), 0.2)
    assert np.max(np.abs(displacements(whole) - displacements(single))) <= 1e-10
    for name in ("J.force", "J.torque"):
        assert np.max(np.abs(whole[name] - single[name])) <= 1e-7


@EITHER
def test_bushing_between_free_bodies_keeps_momentum(method: Any) -> None:
    """Action = reaction, in space, with large rotations of the pair; what is lost is in the ledger."""
    K, C = coupled(3)
    s = jp.System("two bodies", gravity=(0, 0, 0))
    J = {"a": np.array([0.1, 0.2, 0.25]), "b": np.array([0.3, 0.2, 0.4])}
    a = s.body("a", mass=1.0, inertia=J["a"], velocity=(0.5, 0, 0), angular_velocity=(3, -2, 1))
    b = s.body("b", mass=2.0, inertia=J["b"], position=(1, 0.5, 0), velocity=(0, 0.4, -0.2), angular_velocity=(2, 1, 0))
    s.fixed("J", a, b, point=(0.6, 0.3, 0.1), axis=(1, 1, 0), bushing=jp.Bushing(stiffness=K, damping=C))
    sol = run(s, 2.0, jp.Explicit(rtol=1e-11, atol=1e-13) if method is EXACT else jp.Implicit(rtol=1e-9, atol=1e-12))
    P = sol["a.velocity"] + 2.0 * sol["b.velocity"]
    L = np.zeros_like(P)
    for name, m in (("a", 1.0), ("b", 2.0)):
        L += np.cross(sol[f"{name}.position"], m * sol[f"{name}.velocity"])
        L += apply(rotation(sol[f"{name}.orientation"]), J[name] * sol[f"{name}.angular_velocity"])
    assert np.max(np.abs(P - P[0])) <= 1e-8
    assert np.max(np.abs(L - L[0])) <= 1e-7
    assert np.ptp(sol["a.orientation"][:, 0]) > 0.5
    assert sol["energy.dissipated"][-1] > 0.1
    assert np.all(np.diff(sol["energy.dissipated"]) >= -1e-9)
    assert np.max(np.abs(sol["energy.error"])) <= 1e-6


# -- curves ----------------------------------------------------------------------------------------------------------

TABLE = [(0.0, 0.0), (1e-3, 40.0), (2e-3, 100.0), (3e-3, 260.0), (4e-3, 900.0)]
POLYNOMIAL = (2e4, 0.0, 3e9)  # N/m, N/m^2, N/m^3


def on_a_line(load: float, speed: float, *laws: Any) -> jp.System:
    s = jp.System("on a line", planar=True, gravity=(0, 0, 0))
    body = s.body("b", mass=MASS, inertia=1.0, velocity=(speed, 0))
    s.prismatic("J", s.ground, body, point=(0, 0), axis=(1, 0), displacement=list(laws))
    s.force("F", body, force=(load, 0))
    return s


@pytest.mark.parametrize("load", [40.0, 100.0, 260.0, 900.0, -40.0, -900.0, 175.0])
def test_table_passes_through_its_points(load: float) -> None:
    """A table from (0, 0) is continued oddly; between its points it is the monotone cubic of scipy."""
    x, f = np.array(TABLE).T
    sol = run(on_a_line(load, 0.0, jp.Bushing(curve=TABLE, damping=400.0)), 3.0, STIFF, save=[3.0])
    there = brentq(lambda y: PchipInterpolator(x, f)(y) - abs(load), 0.0, x[-1])
    assert sol["J.displacement"][-1] == pytest.approx(np.sign(load) * there, rel=1e-9)
    if abs(load) in f:
        assert there == pytest.approx(x[f == abs(load)][0], rel=1e-12)


@pytest.mark.parametrize("load", [5.0, 100.0, -2000.0])
def test_polynomial_sags_by_its_root(load: float) -> None:
    sol = run(on_a_line(load, 0.0, jp.Bushing(polynomial=POLYNOMIAL, damping=400.0)), 3.0, STIFF, save=[3.0])
    root = brentq(lambda y: np.polyval((*POLYNOMIAL[::-1], -abs(load)), y), 0.0, 1.0)
    assert sol["J.displacement"][-1] == pytest.approx(np.sign(load) * root, rel=1e-9)


@EITHER
@pytest.mark.parametrize("amplitude", [1e-3, 5e-3])
def test_period_of_a_cubic_bushing(amplitude: float, method: Any) -> None:
    r"""Duffing's oscillator: T = 4 K(m)/sqrt((k_1 + k_3 A^2)/M), m = k_3 A^2/(2 (k_1 + k_3 A^2))."""
    k1, _, k3 = POLYNOMIAL
    v0 = np.sqrt((k1 * amplitude**2 + 0.5 * k3 * amplitude**4) / MASS)
    whole = k1 + k3 * amplitude**2
    period = 4.0 * ellipk(0.5 * k3 * amplitude**2 / whole) / np.sqrt(whole / MASS)
    times = period * np.array([0.25, 0.5, 0.75, 1.0, 5.0])
    sol = run(on_a_line(0.0, v0, jp.Bushing(polynomial=POLYNOMIAL)), times[-1], method, save=times)
    assert sol["J.displacement"] / amplitude == pytest.approx((1, 0, -1, 0, 0), abs=1e-7)
    assert np.max(np.abs(sol["energy.error"])) <= 1e-8 * MASS * v0**2


@pytest.mark.parametrize("angle", [0.0, 30.0, 45.0, 200.0])
@pytest.mark.parametrize("law", ["table", "polynomial"])
def test_curve_around_a_pin_has_no_preferred_direction(law: str, angle: float) -> None:
    """The curve acts along the radial displacement (paper C eq. 13), whichever way it points."""
    a = np.radians(angle)
    along = np.array([np.cos(a), np.sin(a), 0.0])
    given: dict[str, Any] = {"curve": TABLE} if law == "table" else {"polynomial": POLYNOMIAL}
    s = jp.System("sleeve", gravity=(0, 0, 0))
    body = s.body("b", mass=MASS, inertia=INERTIA)
    s.revolute("J", s.ground, body, point=(0, 0, 0), axis=(0, 0, 1), radial=jp.Bushing(damping=400.0, **given))
    s.force("F", body, force=100.0 * along)
    sol = run(s, 3.0, STIFF, save=[3.0])
    root = 2e-3 if law == "table" else brentq(lambda y: np.polyval((*POLYNOMIAL[::-1], -100.0), y), 0.0, 1.0)
    assert sol["b.position"][-1] == pytest.approx(root * along, rel=1e-7, abs=1e-10)
    assert sol["J.force"][-1] == pytest.approx(-100.0 * along, abs=1e-4)


def test_curve_in_a_socket_lets_a_ball_circle() -> None:
    """A ball on a circle of radius r around the middle of its sleeve: M v^2 / r = f(r), for ever."""
    r = 2e-3
    v = np.sqrt(100.0 * r / MASS)
    s = jp.System("circling", gravity=(0, 0, 0))
    body = s.body("b", mass=MASS, inertia=INERTIA, position=(r, 0, 0), velocity=(0, 0.6 * v, 0.8 * v))
    middle, centre = s.marker("middle", s.ground), s.marker("centre", body)
    s.spherical("J", middle, centre, radial=jp.Bushing(curve=TABLE))
    sol = run(s, 1.0)
    assert np.max(np.abs(np.linalg.norm(sol["b.position"], axis=1) - r)) <= 1e-10
    assert np.max(np.abs(sol["energy.error"])) <= 1e-10


# -- play, bushing and hard contact in a row -------------------------------------------------------------------------


@pytest.mark.parametrize("where", ["stop", "socket"])
def test_blended_law_under_a_slowly_growing_load(where: str) -> None:
    """Eq. 50 of paper C: nothing through the play, the sleeve over its travel, then steel."""
    gap, travel, blend = 1e-3, 2e-3, 2e-4
    k, K = 2e4, 5e8
    law = jp.Blended(
        bushing=jp.Bushing(stiffness=k, damping=50.0), travel=travel, hard=jp.Hertz(stiffness=K), blend=blend
    )
    s = jp.System("slow load", gravity=(0, 0, 0))
    body = s.body("b", mass=0.1, inertia=INERTIA)
    if where == "stop":
        s.prismatic("J", s.ground, body, point=(0, 0, 0), axis=(1, 0, 0), displacement=jp.Stop(upper=gap, contact=law))
    else:
        s.spherical("J", s.ground, body, point=(0, 0, 0), radial=jp.Clearance(gap, contact=law), radius=0.02)
    s.spring("drag", s.ground, body, point_a=(1, 0, 0), point_b=(0, 0, 0), damping=100.0)
    s.force("F", body, force=("40*t", 0, 0))
    sol = run(s, 100.0, jp.Implicit(rtol=1e-7, atol=1e-10), save=0.5)
    x, load = sol["b.position[0]"], 40.0 * sol.time

    def static(depth: float) -> float:
        w = np.clip((depth - travel) / blend, 0.0, 1.0)
        return (1 - w) * k * depth + w * K * max(depth - travel, 0.0) ** 1.5

    depth = x - gap
    held_by = np.array([static(d) if d > 0 else 0.0 for d in depth])
    # both dampers hold back the slow motion; around the begin of the blend the law hardly rises and the mass hurries
    lag = (100.0 + 50.0) * 40.0 / k
    soft, hard = (load > 1.0) & (load < k * travel - 1.0), load > 500.0
    assert np.allclose((load - held_by)[soft], lag, rtol=1e-3)
    assert np.allclose(depth[soft], (load[soft] - lag) / k, rtol=0, atol=1e-8)
    stiff = [brentq(lambda d, f=f: static(d) - f, travel + 0.1 * blend, travel + 2 * blend) for f in load[hard]]
    assert np.allclose(depth[hard], stiff, rtol=0, atol=1e-7)
    assert np.max(np.abs(sol["energy.error"])) <= 1e-4
