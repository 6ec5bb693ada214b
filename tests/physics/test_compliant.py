"""Compliant contact against closed solutions: impacts on stops, balls in sockets, stops over several turns."""

from __future__ import annotations

from math import gamma
from typing import Any

import numpy as np
import pytest
from mechanisms import TIGHT
from scipy.integrate import solve_ivp

import jointplay as jp

FINE = jp.Implicit(rtol=1e-10, atol=1e-13)
EITHER = pytest.mark.parametrize("method", [TIGHT, FINE], ids=["explicit", "implicit"])
GRAVITY = 9.81  # m/s2


def run(system: jp.System, until: float, method: Any = TIGHT, save: Any = 1e-2) -> jp.Solution:
    sol = jp.simulate(system, until=until, method=method, save=save)
    assert sol.outcome.ok, sol.outcome.message
    return sol


def mass_on_a_line(mass: float, speed: float, *laws: Any, **given: Any) -> jp.System:
    """A mass at the origin that can move along x, with laws on its displacement."""
    s = jp.System("mass on a line", planar=True, gravity=(0, 0, 0))
    body = s.body("mass", mass=mass, inertia=1.0, velocity=(speed, 0))
    s.prismatic("J", s.ground, body, point=(0, 0), axis=(1, 0), displacement=list(laws), **given)
    return s


def hertz_impact(mass: float, K: float, n: float, speed: float) -> tuple[float, float]:
    """Largest depth and duration of a free impact with the force K x^n: 2.9432 depth/speed for n = 3/2."""
    depth = ((n + 1) * mass * speed**2 / (2 * K)) ** (1 / (n + 1))
    share = gamma(1 + 1 / (n + 1)) / gamma(0.5 + 1 / (n + 1))
    return depth, 2 * np.sqrt(np.pi) * share * depth / speed


# -- impacts on stops ------------------------------------------------------------------------------------------------


@EITHER
@pytest.mark.parametrize(
    "contact", [jp.Hertz(stiffness=1e6, exponent=1.0), jp.KelvinVoigt(stiffness=1e6)], ids=["hertz", "kelvin_voigt"]
)
def test_mass_on_a_spring_against_a_stop(contact: Any, method: Any) -> None:
    """SDND101 of code_aster (EDF, V5.01.101): 100 kg on 1e4 N/m, a stop of 1e6 N/m at zero gap, 1 m/s towards it.

    Printed there: peaks of 9950 N at 0.01563 and 0.361 s, a contact of 0.03126 s, an impulse of 198.05 N s (198.02 by
    its own closed form). In touch the frequency is sqrt(10100) rad/s, apart 10 rad/s.
    """
    system = mass_on_a_line(100.0, 1.0, jp.Spring(stiffness=1e4), jp.Stop(upper=0.0, contact=contact))
    w, until = np.sqrt(10100.0), 0.4
    sol = run(system, until, method, save=np.linspace(0.0, until, 40_001))
    force = -sol["J.stop_force"]
    touching = force > 0.0
    lasts, again = np.pi / w, np.pi / w + np.pi / 10.0
    first, second = sol.time < 0.5 * again, sol.time > 0.5 * again
    assert np.max(force[first]) == pytest.approx(1e6 / w, rel=1e-7)
    assert np.max(force[second]) == pytest.approx(1e6 / w, rel=1e-7)
    assert np.max(force) == pytest.approx(9950.0, rel=1e-4)
    assert sol.time[np.argmax(force * first)] == pytest.approx(0.01563, abs=1e-5)
    assert sol.time[np.argmax(force * second)] == pytest.approx(again + 0.5 * lasts, abs=2e-5)
    assert sol.time[np.argmax(force * second)] == pytest.approx(0.361, abs=1e-4)
    assert sol.time[first & touching][-1] == pytest.approx(lasts, abs=1.1e-5)
    assert lasts == pytest.approx(0.03126, abs=1e-6)
    impulse = np.trapezoid(force[first], sol.time[first])
    assert impulse == pytest.approx(2e6 / 10100.0, rel=1e-6)
    assert impulse == pytest.approx(198.05, rel=2e-4)
    # the whole motion, piece by piece
    t = sol.time
    back, pressed = t - lasts, t - again
    x = np.where(t <= lasts, np.sin(w * t) / w, np.where(t <= again, -np.sin(10 * back) / 10, np.sin(w * pressed) / w))
    third = t > again + lasts
    x[third] = -np.sin(10 * (t[third] - again - lasts)) / 10
    assert np.max(np.abs(sol["J.displacement"] - x)) <= 1e-7
    assert np.max(np.abs(sol["energy.error"])) <= 1e-6
    assert sol.stats["onsets"] == 2


@EITHER
@pytest.mark.parametrize("n", [1.0, 1.5, 2.0])
@pytest.mark.parametrize("speed", [0.01, 1.0, 50.0])
def test_duration_and_depth_of_an_elastic_impact(speed: float, n: float, method: Any) -> None:
    """A free mass flies 1 mm, touches, and leaves as fast as it came; where it is later tells how long it touched."""
    mass, K, gap = 0.3, 1e7, 1e-3
    stop = jp.Stop(upper=gap, contact=jp.Hertz(stiffness=K, exponent=n))
    depth, lasts = hertz_impact(mass, K, n, speed)
    if n == 1.5:
        assert lasts == pytest.approx(2.9432 * depth / speed, rel=1e-4)
    begin = gap / speed
    until = begin + 3.0 * lasts
    times = np.array([begin + 0.5 * lasts, begin + lasts, until])
    sol = run(mass_on_a_line(mass, speed, stop), until, method, save=times)
    x, v = sol["J.displacement"], sol["J.displacement_rate"]
    assert x[0] - gap == pytest.approx(depth, rel=1e-6)
    assert abs(x[1] - gap) <= 1e-5 * depth
    assert v[2] == pytest.approx(-speed, rel=1e-6)
    obtained = until - begin - (gap - x[2]) / speed
    assert obtained == pytest.approx(lasts, rel=1e-5)
    assert -sol["J.stop_force"][0] == pytest.approx(K * depth**n, rel=1e-6)
    assert sol.stats["deepest_onset"] <= method.threshold


@pytest.mark.parametrize("kind", [jp.Verlet, jp.Moreau])
def test_fixed_steps_follow_an_impact(kind: Any) -> None:
    """Methods with fixed steps take compliant contacts too: a tenth of the step, better by ten or more."""
    mass, K, gap, speed = 0.3, 1e7, 1e-3, 1.0
    stop = jp.Stop(upper=gap, contact=jp.Hertz(stiffness=K))
    depth, lasts = hertz_impact(mass, K, 1.5, speed)
    errors = []
    for step in (lasts / 30, lasts / 300):
        sol = run(mass_on_a_line(mass, speed, stop), gap / speed + 3.0 * lasts, kind(step=step), save=lasts / 50)
        left, deepest = sol["J.displacement_rate"][-1], np.max(sol["J.displacement"]) - gap
        errors.append(max(abs(left + speed) / speed, abs(deepest - depth) / depth))
    assert errors[0] <= 2e-3
    assert errors[1] <= 0.1 * errors[0]


@EITHER
@pytest.mark.parametrize("e", [0.05, 0.2, 0.5, 0.8, 0.95])
def test_restitution_obtained_is_the_one_asked(e: float, method: Any) -> None:
    """Hunt-Crossley in its exact form, on a stop."""
    contact = jp.HuntCrossley(stiffness=1e8, restitution=e, form="exact")
    sol = run(mass_on_a_line(2.0, 3.0, jp.Stop(upper=1e-3, contact=contact)), 0.05, method)
    assert sol["mass.velocity"][-1, 0] == pytest.approx(-3.0 * e, rel=1e-5, abs=1e-6)
    assert sol["energy.dissipated"][-1] == pytest.approx(9.0 * (1 - e**2), rel=1e-5)
    assert np.max(np.abs(sol["energy.error"])) <= 1e-5 * 9.0


@EITHER
@pytest.mark.parametrize("zeta", [0.05, 0.3, 0.9])
def test_restitution_of_spring_and_damper(zeta: float, method: Any) -> None:
    r"""Plain Kelvin-Voigt leaves where its force ends: e = exp(-2 zeta arccos(zeta)/sqrt(1 - zeta^2))."""
    mass, K = 0.5, 2e4
    contact = jp.KelvinVoigt(stiffness=K, damping=2 * zeta * np.sqrt(K * mass))
    sol = run(mass_on_a_line(mass, 2.0, jp.Stop(upper=0.01, contact=contact)), 0.2, method)
    e = np.exp(-2 * zeta * np.arccos(zeta) / np.sqrt(1 - zeta**2))
    assert -sol["mass.velocity"][-1, 0] / 2.0 == pytest.approx(e, rel=1e-5)
    assert np.max(np.abs(sol["energy.error"])) <= 1e-5


@EITHER
def test_unloading_returns_its_share_of_the_energy(method: Any) -> None:
    """Eq. 54 of paper C: an impact much faster than v_0 comes back with sqrt(c_e) of its speed, not with c_e."""
    contact = jp.KelvinVoigt(stiffness=1e5, unloading=0.25, v_0=1e-3)
    sol = run(mass_on_a_line(1.0, 5.0, jp.Stop(upper=0.01, contact=contact)), 0.1, method)
    assert -sol["mass.velocity"][-1, 0] / 5.0 == pytest.approx(0.5, abs=1e-5)


@EITHER
def test_two_free_masses_strike_each_other(method: Any) -> None:
    """Duration by the reduced mass; velocities by momentum and restitution."""
    s = jp.System("two pucks", planar=True, gravity=(0, 0, 0))
    a = s.body("a", mass=1.0, inertia=1.0, velocity=(2, 0), angular_velocity=0)
    b = s.body("b", mass=3.0, inertia=1.0, position=(0.1, 0), velocity=(0, 0), angular_velocity=0)
    contact = jp.HuntCrossley(stiffness=1e7, restitution=0.6, form="exact")
    s.prismatic("J", a, b, point=(0.1, 0), axis=(1, 0), displacement=jp.Stop(lower=-0.01, contact=contact))
    sol = run(s, 0.05, method, save=1e-4)
    assert sol["a.velocity"][-1, 0] == pytest.approx(2.0 - 0.75 * 3.2, rel=1e-5)
    assert sol["b.velocity"][-1, 0] == pytest.approx(0.25 * 3.2, rel=1e-5)
    P = sol["a.velocity"] + 3.0 * sol["b.velocity"]
    assert np.max(np.abs(P - (2, 0, 0))) <= 1e-12
    assert np.max(np.abs(sol["energy.error"])) <= 1e-6


@EITHER
def test_bouncing_ball_comes_to_rest_in_the_floor(method: Any) -> None:
    """Rigid bounces would never end; compliant ones do, at the depth (m g / K)^(2/3)."""
    K, mass = 1e6, 1.0
    s = jp.System("ball", planar=True)
    body = s.body("ball", mass=mass, inertia=1.0, position=(0, 0.01))
    contact = jp.HuntCrossley(stiffness=K, restitution=0.5, form="exact")
    s.prismatic("J", s.ground, body, point=(0, 0.01), axis=(0, 1), displacement=jp.Stop(lower=-0.01, contact=contact))
    sol = run(s, 1.0, method)
    assert sol["ball.position"][-1, 1] == pytest.approx(-((mass * GRAVITY / K) ** (2 / 3)), rel=1e-6)
    assert sol["J.stop_force"][-1] == pytest.approx(mass * GRAVITY, rel=1e-6)
    assert np.max(np.abs(sol["energy.error"])) <= 1e-7


# -- balls in sockets ------------------------------------------------------------------------------------------------


def ball_in_socket(contact: Any, *, gap: float = 1e-4, gravity: Any = (0, 0, -GRAVITY), **given: Any) -> jp.System:
    s = jp.System("ball in a socket", gravity=gravity)
    body = s.body("ball", mass=0.5, inertia=(1e-3,) * 3, **given)
    s.spherical("J", s.ground, body, point=(0, 0, 0), radius=0.01, radial=jp.Clearance(gap, contact=contact))
    return s


@EITHER
@pytest.mark.parametrize("gap", [0.0, 1e-6, 1e-4, 5e-3])
def test_ball_falls_in_its_socket_and_rests(gap: float, method: Any) -> None:
    """Onset after sqrt(2 gap/g); at rest it lies at the depth (m g / K)^(2/3) below the play."""
    K = 2e7
    contact = jp.HuntCrossley(stiffness=K, restitution=0.3, form="exact")
    sol = run(ball_in_socket(contact, gap=gap), 1.0, method, save=1e-3)
    depth = (0.5 * GRAVITY / K) ** (2 / 3)
    assert sol["ball.position"][-1] == pytest.approx((0, 0, -gap - depth), rel=1e-6, abs=1e-12)
    assert sol["J.gap"][-1, 0] == pytest.approx(-depth, rel=1e-5)
    assert sol["J.normal_force"][-1, 0] == pytest.approx(0.5 * GRAVITY, rel=1e-6)
    assert sol["J.force"][-1] == pytest.approx((0, 0, 0.5 * GRAVITY), rel=1e-6, abs=1e-9)
    flying = sol.time < np.sqrt(2 * gap / GRAVITY)
    assert np.all(sol["J.normal_force"][flying] == 0.0)
    assert np.max(np.abs(sol["energy.error"])) <= 1e-8


@EITHER
def test_ball_crosses_its_socket_along_any_line(method: Any) -> None:
    """Without weight an elastic socket sends a ball to and fro: period 2 (2 gap/v + duration of an impact)."""
    gap, K, speed = 1e-3, 1e7, 0.5
    line = np.array([0.48, -0.6, 0.64])
    _, lasts = hertz_impact(0.5, K, 1.5, speed)
    period = 2.0 * (2.0 * gap / speed + lasts)
    system = ball_in_socket(jp.Hertz(stiffness=K), gap=gap, gravity=(0, 0, 0), velocity=speed * line)
    sol = run(system, 5.0 * period, method, save=period)
    assert np.max(np.abs(sol["ball.position"])) <= 1e-6 * gap * 10
    assert np.allclose(sol["ball.velocity"], speed * line, rtol=0, atol=1e-5)
    assert sol.stats["onsets"] == 10


def test_ball_from_materials() -> None:
    """Steel in bronze, radius 10 mm, play 0.1 mm: K = 4/3 E* sqrt(R_i R_j / gap) by hand."""
    R, gap = 0.01, 1e-4
    steel, bronze = {"E": 207e9, "nu": 0.3}, {"E": 110e9, "nu": 0.34}
    modulus = 1.0 / sum((1 - m["nu"] ** 2) / m["E"] for m in (steel, bronze))
    K = 4.0 / 3.0 * modulus * np.sqrt(R * (R + gap) / gap)
    contact = jp.HuntCrossley(material=[steel, bronze], restitution=0.3, form="exact")
    sol = run(ball_in_socket(contact, gap=gap), 0.2, jp.Implicit(rtol=1e-8, atol=1e-12))
    assert -sol["J.gap"][-1, 0] == pytest.approx((0.5 * GRAVITY / K) ** (2 / 3), rel=1e-4)


# -- stops over turns, on joints of any nature -----------------------------------------------------------------------


@EITHER
@pytest.mark.parametrize("limit", [5 * np.pi, -5 * np.pi, 20.5 * np.pi])
def test_stop_after_several_turns(limit: float, method: Any) -> None:
    """A wheel runs freely through all earlier turns, touches at ``limit`` exactly, and returns."""
    J, K, speed = 0.2, 1e4, 30.0
    sign = np.sign(limit)
    stop = {"upper" if sign > 0 else "lower": limit}
    s = jp.System("wheel", gravity=(0, 0, 0))
    body = s.body("wheel", mass=1.0, inertia=(0.1, 0.1, J), angular_velocity=(0, 0, sign * speed))
    contact = jp.Hertz(stiffness=K)
    s.revolute("J", s.ground, body, point=(0, 0, 0), axis=(0, 0, 1), angle=jp.Stop(contact=contact, **stop))
    depth, lasts = hertz_impact(J, K, 1.5, speed)
    begin = abs(limit) / speed
    until = 2.0 * begin + lasts
    sol = run(s, until, method, save=np.array([0.5 * begin, begin, begin + 0.5 * lasts, until]))
    angle = sign * sol["J.angle"]
    assert angle[:2] == pytest.approx([0.5 * abs(limit), abs(limit)], rel=1e-9)
    assert angle[2] - abs(limit) == pytest.approx(depth, rel=1e-6)
    assert abs(angle[3]) <= 1e-4
    assert -sign * sol["J.stop_torque"][2] == pytest.approx(K * depth**1.5, rel=1e-6)
    assert np.all(sol["J.stop_torque"][[0, 1, 3]] == 0.0)
    assert sol.stats["onsets"] == 1


NATURES = {
    "ideal": jp.Ideal(),
    "bushing": jp.Bushing(stiffness=1e5, damping=100.0),
    "compliant": jp.Clearance(1e-4, contact=jp.HuntCrossley(stiffness=1e8, restitution=0.5)),
}
ANY_NATURE = pytest.mark.parametrize("nature", NATURES)


@EITHER
@ANY_NATURE
def test_soft_stop_on_a_joint_of_any_nature(nature: str, method: Any) -> None:
    """A sleeve slides along its rod, strikes a stop, comes back: the same whatever the rod does sideways."""
    contact = jp.LankaraniNikravesh(stiffness=1e6, restitution=0.8)
    s = jp.System("sleeve", gravity=(0, -GRAVITY, 0))
    body = s.body("sleeve", mass=0.4, inertia=(1e-3,) * 3, velocity=(0, 0, 2.0), angular_velocity=(0, 0, 7.0))
    s.cylindrical(
        "J",
        s.ground,
        body,
        point=(0, 0, 0),
        axis=(0, 0, 1),
        length=0.05,
        radius=0.01,
        radial=NATURES[nature],
        displacement=jp.Stop(lower=-0.1, upper=0.1, contact=contact),
    )
    sol = run(s, 0.1, method, save=1e-4)
    e = contact.obtained()
    assert sol["sleeve.velocity"][-1, 2] == pytest.approx(-2.0 * e, rel=1e-5)
    assert np.allclose(sol["sleeve.angular_velocity"][:, 2], 7.0, rtol=1e-8)
    peak = np.max(np.abs(sol["J.stop_force"]))
    assert peak > 100.0
    sag = {"ideal": 0.0, "bushing": 0.4 * GRAVITY / 1e5}.get(nature, 1e-4)
    assert -sol["sleeve.position"][-1, 1] == pytest.approx(sag, abs=2e-5)
    assert np.max(np.abs(sol["energy.error"])) <= 1e-6


@EITHER
@ANY_NATURE
def test_soft_stop_on_the_angle_of_a_joint_of_any_nature(nature: str, method: Any) -> None:
    """A wheel without weight, turned against a stop by a torque, rests at the depth (T/K)^(2/3) beyond 3 rad."""
    s = jp.System("wheel", gravity=(0, 0, 0))
    body = s.body("wheel", mass=0.4, inertia=(1e-3,) * 3)
    contact = jp.HuntCrossley(stiffness=100.0, restitution=0.2, form="exact")
    s.revolute(
        "J",
        s.ground,
        body,
        point=(0, 0, 0),
        axis=(0, 0, 1),
        length=0.05,
        radius=0.01,
        radial=NATURES[nature],
        angle=jp.Stop(upper=3.0, contact=contact),
    )
    s.torque("T", body, torque=(0, 0, 0.02))
    sol = run(s, 4.0, method)
    assert sol["J.angle"][-1] == pytest.approx(3.0 + (0.02 / 100.0) ** (2 / 3), abs=1e-6)
    assert sol["J.stop_torque"][-1] == pytest.approx(-0.02, rel=1e-4)
    assert np.max(np.abs(sol["wheel.position"])) <= 1e-9


@EITHER
def test_stop_beside_other_laws_of_one_coordinate(method: Any) -> None:
    """Spring, damper and two soft stops add up; against an integration of the same sum."""
    K, k, c = 3e4, 40.0, 0.5
    contact = jp.Hertz(stiffness=K)
    laws = [jp.Spring(stiffness=k), jp.Bushing(stiffness=0.0, damping=c), jp.Stop(-0.02, 0.03, contact)]
    sol = run(mass_on_a_line(0.7, 1.5, *laws), 1.0, method)

    def motion(t: float, y: np.ndarray) -> tuple[float, float]:
        x, v = y
        wall = K * max(-0.02 - x, 0.0) ** 1.5 - K * max(x - 0.03, 0.0) ** 1.5
        return v, (wall - k * x - c * v) / 0.7

    exact = solve_ivp(motion, (0, 1), (0, 1.5), "DOP853", t_eval=sol.time, rtol=1e-10, atol=1e-13, max_step=1e-4).y
    assert np.max(np.abs(sol["J.displacement"] - exact[0])) <= 1e-6
    assert np.max(np.abs(sol["energy.error"])) <= 1e-7
