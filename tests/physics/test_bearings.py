"""Compliant bearings against statics by hand: strips under load and tilt, rims of flanges, friction, mixed joints."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mechanisms import apply, rotation
from scipy.optimize import brentq, fsolve

import jointplay as jp

STIFF = jp.Implicit(rtol=1e-8, atol=1e-12)
EXACT = jp.Explicit(rtol=1e-10, atol=1e-13)
EITHER = pytest.mark.parametrize("method", [EXACT, STIFF], ids=["explicit", "implicit"])
GRAVITY = 9.81  # m/s2
MASS, INERTIA = 2.0, 2e-3  # kg, kg m2
LENGTH, RADIUS, GAP = 0.06, 0.01, 1e-4  # m
K = 1e9  # N/m^1.5 of the whole bearing
CONTACT = jp.HuntCrossley(stiffness=K, restitution=0.2, form="exact")


def run(system: jp.System, until: float, method: Any = STIFF, save: Any = 1e-2) -> jp.Solution:
    sol = jp.simulate(system, until=until, method=method, save=save)
    assert sol.outcome.ok, sol.outcome.message
    return sol


def sleeve(kind: str = "revolute", *, gravity: Any = (0, -GRAVITY, 0), aside: float = 0.0, **given: Any) -> jp.System:
    """A sleeve on a fixed pin along z, its centre of mass ``aside`` from the middle along the pin."""
    s = jp.System("sleeve on a pin", gravity=gravity)
    body = s.body("sleeve", mass=MASS, inertia=(INERTIA,) * 3, position=(0, 0, aside))
    sizes = {"length": LENGTH, "radius": RADIUS}
    s.joint(kind, "J", s.ground, body, point=(0, 0, 0), axis=(0, 0, 1), **(sizes | given))
    return s


def middles(strips: int) -> np.ndarray:
    return (np.arange(strips) + 0.5) / strips * LENGTH - LENGTH / 2


# -- strips ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("strips", [1, 2, 7, 10, 40])
def test_strips_share_a_load_in_the_middle(strips: int) -> None:
    """N strips of K/N each carry m g/N; the sleeve lies (m g/K)^(2/3) deep however many there are."""
    tilt = {"tilt": jp.Ideal()} if strips == 1 else {}  # one circle cannot hold the axis straight
    sol = run(sleeve(radial=jp.Clearance(GAP, contact=CONTACT, strips=strips), **tilt), 0.3)
    depth = (MASS * GRAVITY / K) ** (2 / 3)
    assert sol["J.normal_force"].shape[1] == strips
    assert sol["sleeve.position"][-1] == pytest.approx((0, -GAP - depth, 0), rel=1e-5, abs=1e-10)
    assert sol["J.normal_force"][-1] == pytest.approx(MASS * GRAVITY / strips, rel=1e-5)
    assert sol["J.gap"][-1] == pytest.approx(-depth, rel=1e-4)
    assert sol["J.force"][-1] == pytest.approx((0, MASS * GRAVITY, 0), rel=1e-5, abs=1e-6)
    assert np.max(np.abs(sol["energy.error"])) <= 1e-6


@EITHER
@pytest.mark.parametrize("strips", [4, 10])
@pytest.mark.parametrize("aside", [0.005, 0.02])
def test_load_beside_the_middle_is_borne_by_the_edge(aside: float, strips: int, method: Any) -> None:
    """Depths x_0 + z phi, those below zero without force; balance of force and moment solved apart.

    The tilted sleeve touches with its upper inside, which has moved along the pin by (R + gap) phi.
    """
    sol = run(sleeve(aside=aside, radial=jp.Clearance(GAP, contact=CONTACT, strips=strips)), 0.5, method)
    z = middles(strips)

    def forces(u: np.ndarray) -> np.ndarray:
        return K / strips * np.maximum(u[0] + z * u[1], 0.0) ** 1.5

    def unbalance(u: np.ndarray) -> tuple[float, float]:
        N = forces(1e-6 * u) / MASS / GRAVITY
        return float(np.sum(N) - 1.0), float((z + (RADIUS + GAP) * 1e-6 * u[1]) @ N - aside) / LENGTH

    rest, _, found, why = fsolve(unbalance, (7.0, 100.0), full_output=True, xtol=1e-12)
    assert found == 1, why
    expected = forces(1e-6 * rest)
    N = sol["J.normal_force"][-1]
    assert N == pytest.approx(expected, rel=1e-5, abs=1e-5)
    assert np.all(np.diff(N) >= 0.0) and N[-1] > 1.4 * MASS * GRAVITY / strips
    if aside > 0.01:
        assert N[0] == 0.0
    # moments about the joint point: what the strips bear is what the weight asks
    assert sol["J.torque"][-1] + np.cross((0, 0, aside), (0, -MASS * GRAVITY, 0)) == pytest.approx((0, 0, 0), abs=1e-5)


@pytest.mark.parametrize("strips", [6, 10])
def test_torque_tilts_the_sleeve_until_its_ends_bear(strips: int) -> None:
    """Without weight: end strips press on opposite sides, the middle ones do not touch (edge loading)."""
    torque = 3.0
    s = sleeve(gravity=(0, 0, 0), radial=jp.Clearance(GAP, contact=CONTACT, strips=strips))
    s.torque("T", "sleeve", torque=(torque, 0, 0))
    sol = run(s, 0.5)
    z = np.abs(middles(strips))

    def forces(tilt: float) -> np.ndarray:
        """Of the extreme points of tilted circles: z sin + (R + gap)(1 - cos) - gap deep."""
        return K / strips * np.maximum(z * np.sin(tilt) + (RADIUS + GAP) * (1 - np.cos(tilt)) - GAP, 0.0) ** 1.5

    def moment(tilt: float) -> float:
        return float((z * np.cos(tilt) + (RADIUS + GAP) * np.sin(tilt)) @ forces(tilt))

    tilt = brentq(lambda a: moment(a) - torque, GAP / LENGTH, 0.1)
    turned = 2.0 * np.arcsin(sol["sleeve.orientation"][-1, 1])
    assert turned == pytest.approx(tilt, rel=1e-6)
    N = sol["J.normal_force"][-1]
    assert N == pytest.approx(forces(tilt), rel=1e-5, abs=1e-6)
    assert np.argmax(N) in (0, strips - 1)
    assert N[strips // 2] == 0.0
    assert np.max(np.abs(sol["J.force"][-1])) <= 1e-5


def test_many_strips_tend_to_a_continuous_bearing() -> None:
    """Tilted under a torque, the resistance converges as strips are added; two ends alone overrate it."""
    tilts = []
    for strips in (2, 10, 40):
        s = sleeve(gravity=(0, 0, 0), radial=jp.Clearance(GAP, contact=CONTACT, strips=strips))
        s.torque("T", "sleeve", torque=(3.0, 0, 0))
        tilts.append(2.0 * run(s, 0.5, save=[0.5])["sleeve.orientation"][-1, 1])
    half = LENGTH / 2

    def moment(tilt: float) -> float:
        """Both halves of a continuous bearing: integral of 2 K/L (z tilt - GAP)^1.5 z dz, in closed form."""
        y = half * tilt - GAP
        return 2 * K / LENGTH / tilt**2 * (y**3.5 / 3.5 + GAP * y**2.5 / 2.5)

    exact = brentq(lambda a: moment(a) - 3.0, 1.0001 * GAP / half, 0.1)
    errors = np.abs(np.array(tilts) / exact - 1.0)
    assert errors[2] < 0.2 * errors[1] < errors[0]
    assert errors[2] <= 2e-3


# -- flanges ---------------------------------------------------------------------------------------------------------


def test_flange_carries_an_axial_load() -> None:
    """Weight along the pin: one face rests (m g/K)^(2/3) deep beyond half of the axial play."""
    play = jp.Clearance(GAP, axial=4e-4, contact=CONTACT)
    sol = run(sleeve(gravity=(0, 0, -GRAVITY), radial=play), 0.5)
    depth = (MASS * GRAVITY / K) ** (2 / 3)
    assert sol["sleeve.position"][-1, 2] == pytest.approx(-2e-4 - depth, rel=1e-5)
    assert sol["J.force"][-1] == pytest.approx((0, 0, MASS * GRAVITY), rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("torque", [0.5, 2.0, 20.0])
def test_rims_of_the_flanges_resist_tilt(torque: float) -> None:
    """Journal far too wide to touch: both faces touch with their rims, about 2 R K (R tilt - play/2)^1.5 in all.

    The rim is rounded by 1e-4 rad, and the faces of the tilted sleeve draw back by L/2 (1 - cos).
    """
    play = jp.Clearance(3e-3, axial=1e-4, contact=CONTACT)
    s = sleeve(gravity=(0, 0, 0), radial=play)
    s.torque("T", "sleeve", torque=(torque, 0, 0))
    sol = run(s, 1.0)

    def forces(tilt: float) -> float:
        lead = RADIUS * (np.hypot(np.sin(tilt), 1e-4) - 1e-4)
        return float(K * max(lead - 0.5e-4 - LENGTH / 2 * (1 - np.cos(tilt)), 0.0) ** 1.5)

    def arm(tilt: float) -> float:
        sharp = np.sin(tilt) / np.hypot(np.sin(tilt), 1e-4)
        return float(RADIUS * sharp * np.cos(tilt) - LENGTH / 2 * np.sin(tilt))

    tilt = brentq(lambda a: 2 * arm(a) * forces(a) - torque, 0.005, 0.05)
    turned = 2.0 * np.arcsin(sol["sleeve.orientation"][-1, 1])
    assert turned == pytest.approx(tilt, rel=1e-6)
    axial = sol["J.normal_force"][-1, -2:]
    assert axial == pytest.approx([forces(tilt)] * 2, rel=1e-5)
    assert np.all(sol["J.normal_force"][-1, :-2] == 0.0)


# -- friction --------------------------------------------------------------------------------------------------------

FRICTIONS = {
    "coulomb": jp.Coulomb(0.3, creep=2e-3),
    "brown_mcphee": jp.BrownMcPhee(mu_s=0.4, mu_d=0.3, v_t=2e-3),
}


def coefficient(law: str, v: float) -> float:
    """mu at the sliding speed v: 0.3 tanh(4 y), with a bump of 0.1 at y = 1 for Brown-McPhee."""
    y = v / 2e-3
    return 0.3 * np.tanh(4 * y) + (0.1 * y / (y * y / 4 + 0.75) ** 2 if law == "brown_mcphee" else 0.0)


def block_in_guide(law: str, angle: float, speed: float = 0.0) -> jp.System:
    """A slider of 0.1 x 0.02 m in a compliant guide that is inclined: gravity is turned instead."""
    a = np.radians(angle)
    s = jp.System("guide", planar=True, gravity=GRAVITY * np.array([np.sin(a), -np.cos(a), 0.0]))
    body = s.body("block", mass=MASS, inertia=INERTIA, velocity=(speed, 0))
    play = jp.Clearance(1e-6, contact=jp.HuntCrossley(stiffness=1e8, restitution=0.2), friction=FRICTIONS[law])
    s.prismatic("J", s.ground, body, point=(0, 0), axis=(1, 0), length=0.1, width=0.02, radial=play)
    return s


@EITHER
@pytest.mark.parametrize("law", FRICTIONS)
@pytest.mark.parametrize("angle", [5.0, 12.0, 16.0])
def test_block_creeps_below_the_angle_of_friction(angle: float, law: str, method: Any) -> None:
    """atan(0.3) = 16.70 degrees: below, the speed settles where mu(v) = tan(angle); nothing sticks."""
    slope = np.tan(np.radians(angle))
    exact = brentq(lambda v: coefficient(law, v) - slope, 0.0, 2e-3)
    if law == "coulomb":
        assert exact == pytest.approx(2e-3 / 4 * np.arctanh(slope / 0.3), rel=1e-9)
    sol = run(block_in_guide(law, angle), 0.5, method)
    assert sol["block.velocity"][-1, 0] == pytest.approx(exact, rel=1e-5)
    assert np.sum(sol["J.normal_force"][-1]) == pytest.approx(MASS * GRAVITY * np.cos(np.radians(angle)), rel=1e-6)
    rubbing = np.sum(sol["J.friction_force"][-1], axis=0)
    assert np.abs(rubbing[0]) == pytest.approx(MASS * GRAVITY * np.sin(np.radians(angle)), rel=1e-5)
    assert np.max(np.abs(sol["energy.error"])) <= 1e-6


@EITHER
@pytest.mark.parametrize("law", FRICTIONS)
@pytest.mark.parametrize("angle", [25.0, 40.0])
def test_block_slides_above_the_angle_of_friction(angle: float, law: str, method: Any) -> None:
    """Far above the transition speed: g (sin - mu_d cos), to what is left of the bump (4 (mu_s - mu_d)/y^3...)."""
    a = np.radians(angle)
    sol = run(block_in_guide(law, angle), 0.5, method)
    late = sol.time > 0.2
    v = sol["block.velocity"][late, 0]
    exact = GRAVITY * (np.sin(a) - np.array([coefficient(law, one) for one in v]) * np.cos(a))
    assert np.allclose(sol["block.acceleration"][late, 0], exact, rtol=1e-5)
    assert np.allclose(exact, GRAVITY * (np.sin(a) - 0.3 * np.cos(a)), rtol=1e-4)
    gained = np.diff(v) / np.diff(sol.time[late])
    assert np.allclose(gained, exact[1:], rtol=1e-4)


@EITHER
def test_turning_sleeve_is_braked_by_its_friction(method: Any) -> None:
    """A turning sleeve rides up its pin by atan(mu) and is braked by mu R m g/sqrt(1 + mu^2) (the friction circle).

    A damper across takes away its swinging in the play, which would press it harder than its weight.
    """
    mu = 0.2
    play = jp.Clearance(GAP, contact=CONTACT, friction=jp.Coulomb(mu, creep=1e-4))
    s = jp.System("shaft", gravity=(0, -GRAVITY, 0))
    body = s.body("sleeve", mass=MASS, inertia=(INERTIA,) * 3, angular_velocity=(0, 0, 300.0))
    s.revolute("J", s.ground, body, point=(0, 0, 0), axis=(0, 0, 1), length=LENGTH, radius=RADIUS, radial=play)
    s.spring("calm", s.ground, body, point_a=(1, 0, 0), point_b=(0, 0, 0), damping=200.0)
    sol = run(s, 0.6, method, save=1e-3)
    late = sol.time > 0.4
    slope = np.polyfit(sol.time[late], sol["sleeve.angular_velocity"][late, 2], 1)[0]
    circle = mu / np.sqrt(1 + mu**2)
    assert -slope * INERTIA == pytest.approx(circle * (RADIUS + GAP) * MASS * GRAVITY, rel=1e-4)
    x, y = np.mean(sol["sleeve.position"][late, :2], axis=0)
    assert abs(x / y) == pytest.approx(mu, rel=1e-3)
    assert np.max(np.abs(sol["energy.error"])) <= 1e-4


# -- mixed joints ----------------------------------------------------------------------------------------------------


def test_radial_play_with_an_ideal_tilt() -> None:
    """The axis stays straight although the load lies beside the middle; all strips bear alike."""
    sol = run(sleeve(aside=0.02, tilt=jp.Ideal(), radial=jp.Clearance(GAP, contact=CONTACT, strips=5)), 0.3)
    assert np.max(np.abs(sol["sleeve.orientation"][:, 1:])) <= 1e-9
    assert sol["J.normal_force"][-1] == pytest.approx(MASS * GRAVITY / 5, rel=1e-5)
    assert np.linalg.norm(sol["J.torque"][-1]) == pytest.approx(0.02 * MASS * GRAVITY, rel=1e-5)


def test_radial_play_with_a_soft_tilt_and_a_soft_axis() -> None:
    """Clearance, bushing and bushing on one joint: each direction rests where its own law says."""
    laws = {"tilt": jp.Bushing(stiffness=50.0, damping=0.5), "axial": jp.Bushing(stiffness=1e4, damping=200.0)}
    depth = (10.0 / K) ** (2 / 3)
    for pull in (0.0, 10.0):
        s = sleeve(gravity=(0, 0, -GRAVITY), radial=jp.Clearance(5e-3, contact=CONTACT, strips=4), **laws)
        s.torque("T", "sleeve", torque=(0.1 if pull == 0.0 else 0.0, 0, 0))
        s.force("F", "sleeve", force=(pull, 0, 0))
        sol = run(s, 1.0)
        assert sol["sleeve.position"][-1, 2] == pytest.approx(-MASS * GRAVITY / 1e4, rel=1e-6)
        if pull:
            assert sol["sleeve.position"][-1, 0] == pytest.approx(5e-3 + depth, rel=1e-6)
            assert sol["J.normal_force"][-1] == pytest.approx(pull / 4, rel=1e-4)
        else:
            assert 2.0 * np.arcsin(sol["sleeve.orientation"][-1, 1]) == pytest.approx(np.arcsin(0.1 / 50.0), rel=1e-4)
            assert np.all(sol["J.normal_force"] == 0.0)


def test_ideal_radial_with_axial_play() -> None:
    """A revolute joint that may only shift along its axis: bounces between compliant flanges, elastic."""
    s = jp.System("shifting", gravity=(0, 0, 0))
    body = s.body("b", mass=MASS, inertia=(INERTIA,) * 3, velocity=(0, 0, 1.0))
    play = jp.Clearance(1e-3, contact=jp.Hertz(stiffness=K))
    s.revolute("J", s.ground, body, point=(0, 0, 0), axis=(0, 0, 1), length=LENGTH, axial=play)
    depth = (5 * MASS / (4 * K)) ** 0.4
    period = 2 * (2e-3 + 2.943275 * depth)
    sol = run(s, 4 * period, EXACT, save=period)
    assert np.max(np.abs(sol["b.position"])) <= 1e-8
    assert sol["b.velocity"][-1] == pytest.approx((0, 0, 1.0), abs=1e-6)


# -- action and reaction ---------------------------------------------------------------------------------------------

JOINTS: dict[str, dict[str, Any]] = {
    "spherical": {"radius": 0.02, "radial": jp.Clearance(1e-3, contact=CONTACT, friction=jp.Coulomb(0.2))},
    "revolute": {
        "axis": (0.6, 0, 0.8),
        "length": 0.05,
        "radius": 0.02,
        "radial": jp.Clearance(
            1e-3, axial=1e-3, contact=CONTACT, friction=jp.BrownMcPhee(mu_s=0.3, mu_d=0.2, v_t=1e-2), strips=5
        ),
    },
    "prismatic": {
        "axis": (0.6, 0, 0.8),
        "length": 0.05,
        "section": [(0.016, 0.01, -0.012), (-0.016, 0.01, 0.012), (-0.016, -0.01, 0.012), (0.016, -0.01, -0.012)],
        "radial": jp.Clearance(1e-3, contact=CONTACT, friction=jp.Coulomb(0.2, creep=1e-2)),
        "displacement": jp.Stop(-0.05, 0.05, contact=jp.LankaraniNikravesh(stiffness=1e7, restitution=0.7)),
    },
}


@EITHER
@pytest.mark.parametrize("kind", JOINTS)
def test_two_free_bodies_keep_their_momentum(kind: str, method: Any) -> None:
    """Contacts, friction and stops act on both bodies alike, at one point; what is lost is in the ledger."""
    J = {"a": np.array([1e-3, 2e-3, 2.5e-3]), "b": np.array([3e-3, 2e-3, 4e-3])}
    s = jp.System("two bodies", gravity=(0, 0, 0))
    a = s.body("a", mass=1.0, inertia=J["a"], velocity=(0.5, 0, 0.3), angular_velocity=(6, -4, 5))
    b = s.body(
        "b", mass=2.0, inertia=J["b"], position=(0.1, 0.05, 0), velocity=(0, 0.4, -0.2), angular_velocity=(2, 8, 0)
    )
    s.joint(kind, "J", a, b, point=(0.06, 0.03, 0.01), **JOINTS[kind])
    sol = run(s, 0.3, method, save=1e-3)
    turning = {name: rotation(sol[f"{name}.orientation"]) for name in J}
    P = sol["a.velocity"] + 2.0 * sol["b.velocity"]
    L = np.zeros_like(P)
    for name, m in (("a", 1.0), ("b", 2.0)):
        L += np.cross(sol[f"{name}.position"], m * sol[f"{name}.velocity"])
        L += apply(turning[name], J[name] * sol[f"{name}.angular_velocity"])
    assert sol.stats["onsets"] >= 2
    assert np.max(np.abs(P - P[0])) <= 1e-8
    assert np.max(np.abs(L - L[0])) <= 1e-8
    assert sol["energy.dissipated"][-1] > 0.01
    assert np.all(np.diff(sol["energy.dissipated"]) >= -1e-7)
    assert np.max(np.abs(sol["energy.error"])) <= 1e-5
    # Newton's law for the second body by itself, with the forces that the joint reports
    force = sol["J.force"]
    if kind == "prismatic":
        assert np.max(np.abs(sol["J.stop_force"])) > 10.0
        force = force + sol["J.stop_force"][:, None] * apply(turning["a"], np.array(JOINTS[kind]["axis"]))
    assert np.max(np.abs(2.0 * sol["b.acceleration"] - force)) <= 1e-9 * np.max(np.abs(force))
