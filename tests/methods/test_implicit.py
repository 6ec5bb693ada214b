"""Implicit: its order, its matrix, and what L-stability promises where forces are stiff.

The matrix M - s D - s^2 K is compared column by column with central differences of the applied forces, for every
family of forces: D and K must be derivatives, not approximations, or a stiff direction that turns is not followed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from bits import bits
from mechanisms import TIGHT, product, slider_crank, swing, turn

import jointplay as jp
from jointplay.arrays import ONSET, PAD_SLOTS
from jointplay.assemble.dynamics import derivative
from jointplay.assemble.tangent import assemble_tangent
from jointplay.codes import Code
from jointplay.compile.build import compile_system
from jointplay.compile.work import make_work

QUANTITIES = ("position", "orientation", "velocity", "angular_velocity")
J = np.array([[0.02, 0.001, 0.002], [0.001, 0.03, -0.001], [0.002, -0.001, 0.04]])


def state(system: jp.System, method: Any, times: Any) -> np.ndarray:
    """Positions and velocities of all bodies at some times."""
    sol = jp.simulate(system, until=float(times[-1]), method=method, save=np.asarray(times))
    assert sol.outcome.ok, sol.outcome.message
    return np.concatenate([sol[f"{body.name}.{name}"] for body in system.bodies for name in QUANTITIES], axis=1)


# --- order and tolerance ------------------------------------------------------------------------------------------


def test_order_four_on_closed_spatial_loops() -> None:
    """Steps of one size (h_max), tolerances that never shorten them."""
    until = 2.0
    truth = state(swing(), jp.Explicit(rtol=1e-13, atol=1e-14), [until])
    steps = (80, 120, 160, 240, 320)
    errors = []
    for n in steps:
        found = state(swing(), jp.Implicit(rtol=1e-6, atol=1e-6, h_max=until / n), [until])
        errors.append(float(np.sqrt(np.mean((found - truth) ** 2))))
    assert -np.polyfit(np.log(steps), np.log(errors), 1)[0] == pytest.approx(4.0, abs=0.15)


@pytest.mark.parametrize("build", (swing, slider_crank), ids=("swing", "slider_crank"))
def test_the_error_follows_the_tolerance(build: Callable[[], jp.System]) -> None:
    truth = state(build(), TIGHT, [0.3])
    tolerances = (1e-5, 1e-7, 1e-9)
    errors = [float(np.max(np.abs(state(build(), jp.Implicit(rtol=r, atol=r), [0.3]) - truth))) for r in tolerances]
    assert all(error < 1e3 * r for error, r in zip(errors, tolerances, strict=True)), errors
    assert errors[2] < 1e-2 * errors[0]


# --- the matrix ---------------------------------------------------------------------------------------------------


def two_bodies(name: str, planar: bool = False) -> tuple[jp.System, Any, Any]:
    s = jp.System(name, planar=planar, gravity=(1, -9, 0) if planar else (1, 2, -9))
    if planar:
        return (
            s,
            s.body("a", mass=1.0, inertia=0.02, position=(0.1, 0), orientation=0.7),
            s.body("b", mass=2.0, inertia=0.03, position=(0.3, 0.1)),
        )
    a = s.body("a", mass=1.0, inertia=J, position=(0.1, 0, 0), orientation=turn((1, 2, 3), 0.7))
    b = s.body("b", mass=2.0, inertia=2 * J, position=(0.3, 0.1, 0.1), orientation=turn((1, -2, 0.3), 1.7))
    return s, a, b


CONTACTS = {
    "hysteresis": jp.LankaraniNikravesh(stiffness=1e6, restitution=0.5),
    "bushing": jp.Bushing(stiffness=1e5, damping=10.0),
    "kelvin_voigt": jp.KelvinVoigt(stiffness=1e5, unloading=0.5, v_0=0.5),
    "blended": jp.Blended(jp.Bushing(stiffness=1e4, damping=5.0), "1 mm", jp.Hertz(stiffness=1e8), blend="1 mm"),
}
FRICTIONS = {
    "smooth": None,
    "coulomb": jp.Coulomb(0.3, creep=0.5),
    "brown_mcphee": jp.BrownMcPhee(mu_s=0.3, mu_d=0.2, v_t=0.4),
}


def play(contact: str, friction: str, **given: Any) -> jp.Clearance:
    return jp.Clearance(1e-3, contact=CONTACTS[contact], friction=FRICTIONS[friction], **given)


def sockets(contact: str, friction: str) -> jp.System:
    s, a, b = two_bodies("sockets")
    s.spherical("A", s.ground, a, point=(0, 0, 0), radius=0.02, radial=play(contact, friction))
    s.spherical("B", a, b, point=(0.2, 0, 0), radius=0.02, inner="second", radial=play(contact, friction))
    return s


def journals(contact: str, friction: str) -> jp.System:
    """Strips and rims, each body once as the shorter one and once as the pin."""
    s, a, b = two_bodies("journals")
    given = {"axis": (0, 1, 1), "radius": 0.02, "length": 0.05}
    law = play(contact, friction, axial=1e-3, strips=3)
    s.revolute("A", s.ground, a, point=(0, 0, 0), ends="first", radial=law, **given)
    s.revolute("B", a, b, point=(0.2, 0, 0), inner="second", radial=law, **given)
    return s


def guides(contact: str, friction: str) -> jp.System:
    s, a, b = two_bodies("guides")
    section = [0.01 * np.array([np.cos(x), np.sin(x), 0]) for x in np.radians((90, 210, 330))]
    given = {"axis": (0, 0, 1), "length": 0.05, "section": section, "radial": play(contact, friction)}
    s.prismatic("A", s.ground, a, point=(0, 0, 0), **given)
    s.prismatic("B", a, b, point=(0.2, 0, 0), inner="first", **given)
    return s


def planar_guides(contact: str, friction: str) -> jp.System:
    s, a, b = two_bodies("planar", planar=True)
    s.prismatic("A", s.ground, a, point=(0, 0), axis=(1, 0), length=0.1, width=0.05, radial=play(contact, friction))
    s.revolute("B", a, b, point=(0.2, 0), radius=0.02, radial=play(contact, friction))
    return s


def springs() -> jp.System:
    s, a, b = two_bodies("springs")
    s.spring("k", a, b, point_a=(0, 0.2, 0), point_b=(0.5, 0.1, 0.3), stiffness=100, damping=3.0)
    s.revolute("A", s.ground, a, point=(0, 0, 0), axis=(1, 2, 0), angle=jp.Spring(stiffness=20, damping=2, free=0.3))
    stop = jp.Stop(lower=-1e-4, upper=0.0, contact=jp.HuntCrossley(stiffness=1e5, restitution=0.5))
    curve = jp.Bushing(curve=[(0, 0), (0.1, 3), (0.2, 12)], damping=0.3)
    s.cylindrical("B", a, b, point=(0.2, 0, 0), axis=(0, 2, 1), angle=curve, displacement=stop)
    return s


def bushings() -> jp.System:
    s, a, b = two_bodies("bushings")
    soft, turning = jp.Bushing(stiffness=1e3, damping=10.0), jp.Bushing(stiffness=1e2, damping=10.0)
    s.revolute("A", s.ground, a, point=(0, 0, 0), axis=(1, 0, 1), radial=soft, axial=soft, tilt=turning)
    s.fixed("B", a, b, point=(0.2, 0, 0), radial=soft, axial=soft, tilt=turning, twist=turning)
    s.distance("C", s.ground, b, point_a=(1, 0, 0), point_b=(0.3, 0.2, 0.1), length=soft)
    return s


def bundles() -> jp.System:
    random = np.random.default_rng(3)
    R, S = random.standard_normal((2, 6, 6))
    s, a, b = two_bodies("bundles")
    law = jp.Bushing(stiffness=100 * R @ R.T, damping=S @ S.T, preload=[1, 2, 3, 4, 5, 6])
    s.fixed("A", s.ground, a, point=(0, 0, 0), bushing=law)
    s.fixed("B", a, b, point=(0.2, 0, 0), bushing=law)
    return s


def angles() -> jp.System:
    s, a, b = two_bodies("angles")
    law = jp.Spring(stiffness=30, damping=2, free=0.3)
    s.universal("A", a, b, point=(0, 0, 0), axis_a=(1, 0, 1), axis_b=(0, 1, 0), angle_a=law, angle_b=law)
    return s


def stirred(system: jp.System, seed: int) -> tuple[Any, np.ndarray, np.ndarray]:
    """Compiled model, a state moved by some 6 mm and 0.02 rad at about 1 m/s, and a memory in which all pads touch."""
    compiled = compile_system(system)
    random, n = np.random.default_rng(seed), len(system.bodies)
    y, memory = compiled.state.y.copy(), compiled.state.memory.copy()
    for b in range(n):
        move, twist, speed = 6e-3 * random.standard_normal(3), 0.02 * random.standard_normal(3), random.normal(size=6)
        if system.planar:
            move[2] = twist[0] = twist[1] = 0.0
            speed[2:5] = 0.0
        y[7 * b : 7 * b + 3] += move
        p = product(y[7 * b + 3 : 7 * b + 7], np.append(1.0, twist / 2))
        y[7 * b + 3 : 7 * b + 7] = p / np.linalg.norm(p)
        y[7 * n + 6 * b : 7 * n + 6 * b + 6] = speed
    for k in range(len(compiled.model.pad)):  # at one onset speed, or hysteresis would follow the rate
        memory[int(compiled.model.info[0]["pads"]) + PAD_SLOTS * k + ONSET] = 4.0
    return compiled, y, memory


def shifted(y: np.ndarray, k: int, step: float) -> np.ndarray:
    """The state with direction k of all bodies (3 displacements, 3 turns about body axes each) moved by ``step``."""
    out = y.copy()
    b, m = divmod(k, 6)
    if m < 3:
        out[7 * b + m] += step
        return out
    half = np.zeros(4)
    half[0], half[m - 2] = np.sqrt(1.0 - 0.25 * step * step), 0.5 * step
    out[7 * b + 3 : 7 * b + 7] = product(out[7 * b + 3 : 7 * b + 7], half)
    return out


def check_matrix(system: jp.System, seed: int = 1) -> None:
    """D and K of the matrix, taken apart by s = 0, 1, -1, against central differences of the applied forces."""
    compiled, y, memory = stirred(system, seed)
    model, n = compiled.model, len(system.bodies)
    work = make_work(model, compiled.state, 18, implicit=True)
    rows = np.concatenate([np.arange(6) + work.slot[b] for b in range(1, n + 1)])
    body = model.body[1:]
    mobile = np.concatenate([np.append(c["minv"] > 0, np.diag(c["Jinv"]) > 0) for c in body])

    def forces(at: np.ndarray) -> np.ndarray:
        derivative(model, 0.0, at, memory, work, np.zeros_like(at))
        return work.kin["force"][1:].ravel().copy()

    def matrix(s: float) -> np.ndarray:
        forces(y)
        A = work.dense[:-1]
        assemble_tangent(model, 0.0, s, y, work, np.zeros((10, max(12, len(y)))), A)
        return A[np.ix_(rows, rows)].copy()

    inertia, plus, minus = matrix(0.0), matrix(1.0), matrix(-1.0)
    M = np.zeros((6 * n, 6 * n))
    for b, c in enumerate(body):
        M[6 * b : 6 * b + 3, 6 * b : 6 * b + 3] = np.diag(np.where(c["minv"] > 0, c["mass"], 1.0))
        M[6 * b + 3 : 6 * b + 6, 6 * b + 3 : 6 * b + 6] = c["J"]
    used = np.ix_(mobile, mobile)
    assert inertia[used] == pytest.approx(M[used])
    D, K = np.zeros((2, 6 * n, 6 * n))
    for k in range(6 * n):
        faster, slower = y.copy(), y.copy()
        faster[7 * n + k] += 1e-6
        slower[7 * n + k] -= 1e-6
        D[:, k] = (forces(faster) - forces(slower)) / 2e-6
        K[:, k] = (forces(shifted(y, k, 1e-8)) - forces(shifted(y, k, -1e-8))) / 2e-8
    # rounding of the forces limits what differences can tell
    large = np.max(np.abs(forces(y)))
    off_D, off_K = (-(plus - minus) / 2 - D)[used], (inertia - (plus + minus) / 2 - K)[used]
    assert np.max(np.abs(off_D)) <= 1e-7 * (1.0 + np.max(np.abs(D[used]))) + 1e-9 * large
    assert np.max(np.abs(off_K)) <= 1e-7 * (1.0 + np.max(np.abs(K[used])) + large)


@pytest.mark.parametrize("friction", FRICTIONS)
@pytest.mark.parametrize("contact", CONTACTS)
@pytest.mark.parametrize("build", (sockets, journals, guides, planar_guides), ids=lambda build: build.__name__)
def test_the_matrix_of_compliant_contacts(build: Callable[..., jp.System], contact: str, friction: str) -> None:
    check_matrix(build(contact, friction))


@pytest.mark.parametrize("seed", (1, 2))
@pytest.mark.parametrize("build", (springs, bushings, bundles, angles), ids=lambda build: build.__name__)
def test_the_matrix_of_laws_on_rows(build: Callable[[], jp.System], seed: int) -> None:
    check_matrix(build(), seed)


# --- stiffness ----------------------------------------------------------------------------------------------------


def pendulum(stiffness: float = 0.0, zeta: float = 1.0) -> jp.System:
    """A bar of 1 kg and 1 m on a bushing, or on an ideal pivot, released horizontally."""
    s = jp.System("pendulum", planar=True, gravity=(0, -9.81, 0))
    bar = s.body("bar", mass=1.0, inertia=1 / 12, position=(0.5, 0))
    soft = jp.Bushing(stiffness=stiffness, damping=2 * zeta * np.sqrt(stiffness)) if stiffness else jp.Ideal()
    s.revolute("A", s.ground, bar, point=(0, 0), radial=soft)
    return s


TIMES = np.linspace(0.02, 1.0, 50)


@pytest.mark.parametrize("zeta", (0.01, 1.0, 100.0))
@pytest.mark.parametrize("stiffness", (1e8, 1e10, 1e12, 1e14))
def test_a_stiff_pivot_is_an_ideal_one(stiffness: float, zeta: float) -> None:
    """Steps far above the period of the bushing follow the slow motion, in positions and in forces."""
    ideal = jp.simulate(pendulum(), until=1.0, method=TIGHT, save=TIMES)
    sol = jp.simulate(pendulum(stiffness, zeta), until=1.0, method=jp.Implicit(rtol=1e-7, atol=1e-10), save=TIMES)
    assert sol.outcome.ok
    assert np.max(np.abs(sol["bar.position"] - ideal["bar.position"])) <= 5e-5
    settled = TIMES > 0.1  # a bushing without damping rings at first
    if zeta >= 1.0:
        off = np.linalg.norm(sol["A.force"] - ideal["A.force"], axis=1)[settled]
        assert np.max(off) <= 0.02 * np.max(np.abs(ideal["A.force"]))
    if stiffness >= 1e10:
        assert sol.stats["steps"] <= 2000  # a hundred periods of the softest of these; most of them serve the ledger


def test_an_explicit_method_would_need_many_steps() -> None:
    sol = jp.simulate(pendulum(1e10), until=1.0, method=jp.Explicit(), save=TIMES, max_steps=3000)
    assert sol.outcome.code is Code.STEP_LIMIT
    assert sol.outcome.time < 0.5


@pytest.mark.parametrize("damping", (1e3, 1e6, 1e9))
def test_a_stiff_damper_is_followed_from_the_first_step(damping: float) -> None:
    """A weight that sinks through a damper: m g / c, however short the time constant m / c is."""
    s = jp.System("damper", planar=True, gravity=(0, -9.81, 0))
    body = s.body("weight", mass=1.0, inertia=1.0, velocity=(0, 1.0))
    s.prismatic("J", s.ground, body, point=(0, 0), axis=(0, 1), displacement=jp.Spring(stiffness=0.0, damping=damping))
    sol = jp.simulate(s, until=1.0, method=jp.Implicit(), save=[0.5, 1.0])
    assert sol.outcome.ok
    assert sol["J.displacement_rate"] == pytest.approx([-9.81 / damping] * 2, abs=1e-9)
    last = -9.81 / damping
    assert sol["J.displacement"][1] == pytest.approx(last + (1.0 - last) / damping, abs=1e-7)
    assert sol.stats["steps"] < 300


def test_stiff_and_ideal_joints_together() -> None:
    """A spatial slider-crank whose crank pin is a bushing of 1e10 N/m: crank, slider and force at the pin."""
    times = np.linspace(0.05, 0.5, 10)
    ideal = jp.simulate(slider_crank(), until=0.5, method=TIGHT, save=times)
    s = slider_crank_with_pin(1e10)
    sol = jp.simulate(s, until=0.5, method=jp.Implicit(rtol=1e-7, atol=1e-10), save=times)
    assert sol.outcome.ok
    assert np.max(np.abs(sol["slider.position"] - ideal["slider.position"])) <= 1e-6
    assert np.max(np.abs(sol["B.force"] - ideal["B.force"])) <= 0.02 * np.max(np.abs(ideal["B.force"]))
    assert sol.stats["steps"] < 1500
    assert np.max(np.abs(sol["energy.error"])) <= 1e-5


def slider_crank_with_pin(stiffness: float) -> jp.System:
    """The spatial slider-crank with a bushing at B, about critically damped."""
    tree = slider_crank().to_tree()
    tree["joints"]["B"]["radial"] = {"bushing": stiffness, "damping": 2 * np.sqrt(0.1 * stiffness)}
    return jp.System.from_tree(tree)


def test_counts_of_the_iteration() -> None:
    """Five implicit stages a step, each iterated at least once; a matrix for every step that was tried."""
    sol = jp.simulate(swing(), until=1.0, method=jp.Implicit(), save=[1.0])
    tried = sol.stats["steps"] + sol.stats["rejections"]
    assert sol.stats["jacobians"] >= tried
    assert 5 * sol.stats["steps"] <= sol.stats["newton_iterations"] <= 40 * tried


# --- models -------------------------------------------------------------------------------------------------------


def four_bar(*, spatial: bool, drive: Any = None) -> jp.System:
    """A parallelogram of hinges; drawn in space its closed rows are redundant."""
    s = jp.System("four-bar", planar=not spatial, gravity=(0, -9.81, 0))
    points = [np.array(p, float) for p in ((0, 0), (0.1, 0.3), (0.6, 0.5), (0.5, 0))]

    def place(x: Any) -> Any:
        return (*x, 0.0) if spatial else tuple(x)

    for name, start, end in zip(("crank", "coupler", "rocker"), points[:3], points[1:], strict=True):
        angle = float(np.arctan2(*(end - start)[::-1]))
        s.body(
            name,
            mass=1.0,
            inertia=(0.01, 0.02, 0.02) if spatial else 0.02,
            position=place((start + end) / 2),
            orientation=turn((0, 0, 1), angle) if spatial else angle,
        )
    pairs = (s.ground, "crank"), ("crank", "coupler"), ("coupler", "rocker"), ("rocker", s.ground)
    for k, ((i, j), point) in enumerate(zip(pairs, points, strict=True)):
        given = {"axis": (0, 0, 1)} if spatial else {}
        if k == 0 and drive is not None:
            given["angle"] = drive
        s.revolute(f"J{k}", i, j, point=place(point), **given)
    return s


@pytest.mark.parametrize("spatial", (False, True), ids=("planar", "redundant"))
def test_a_four_bar_in_a_plane_and_in_space(spatial: bool) -> None:
    truth = jp.simulate(four_bar(spatial=False), until=1.0, method=TIGHT, save=0.1)
    sol = jp.simulate(four_bar(spatial=spatial), until=1.0, method=jp.Implicit(rtol=1e-9, atol=1e-11), save=0.1)
    assert sol.outcome.ok
    assert sol["J0.angle"] == pytest.approx(truth["J0.angle"], abs=1e-6)
    assert np.max(np.abs(sol["rocker.position"][:, :2] - truth["rocker.position"][:, :2])) <= 1e-6
    assert max(np.max(sol[f"J{k}.residual"]) for k in range(4)) <= 1e-10


@pytest.mark.parametrize("value", ("0.5*sin(4*t)", "0.5*t + 0.3*(t - 0.4)^2*step(t - 0.4)"))
def test_drives(value: str) -> None:
    """Driven from rest by a smooth function and by one that jumps in its second derivative."""
    runs = [
        jp.simulate(four_bar(spatial=False, drive=jp.Drive(value)), until=1.0, method=method, save=0.1)
        for method in (TIGHT, jp.Implicit(rtol=1e-8, atol=1e-10))
    ]
    assert all(sol.outcome.ok for sol in runs)
    assert runs[1]["rocker.position"] == pytest.approx(runs[0]["rocker.position"], abs=1e-8)
    assert runs[1]["J0.drive_torque"] == pytest.approx(runs[0]["J0.drive_torque"], rel=1e-4, abs=1e-4)
    assert runs[1]["energy.error"] == pytest.approx(np.zeros(11), abs=1e-5)


def test_a_drive_against_a_stiff_joint() -> None:
    """All motion is driven and a pin of 1e9 N/m passes it on."""
    tree = four_bar(spatial=False, drive=jp.Drive("0.5*sin(4*t)")).to_tree()
    tree["joints"]["J2"]["radial"] = {"bushing": 1e9, "damping": 1e4}
    sol = jp.simulate(jp.System.from_tree(tree), until=1.0, method=jp.Implicit(), save=0.1)
    ideal = jp.simulate(four_bar(spatial=False, drive=jp.Drive("0.5*sin(4*t)")), until=1.0, method=TIGHT, save=0.1)
    assert sol.outcome.ok
    assert sol["rocker.position"] == pytest.approx(ideal["rocker.position"], abs=1e-6)


@pytest.mark.parametrize("force", ("sqrt(0.5 - t)", "sqrt(t - 1)"))
def test_what_is_not_a_number_ends_the_run(force: str) -> None:
    s = jp.System()
    ball = s.body("ball", mass=1.0, inertia=(1.0, 1.0, 1.0))
    s.force("push", ball, force=[force, 0, 0])
    sol = jp.simulate(s, 1.0, jp.Implicit())
    assert sol.outcome.code in (Code.NOT_FINITE, Code.STEP_UNDERFLOW)
    assert np.all(np.isfinite(sol["ball.position"]))


# --- bits ---------------------------------------------------------------------------------------------------------


def ball_and_pin() -> jp.System:
    """A spatial slider-crank with a compliant ball joint: contact, closed loops and flight."""
    tree = slider_crank().to_tree()
    law = {"lankarani_nikravesh": {"stiffness": 5e6, "restitution": 0.75}}
    tree["joints"]["B"] |= {"radius": 0.01, "radial": {"clearance": 1e-4, "contact": law}}
    return jp.System.from_tree(tree)


def test_a_run_repeats_its_bits_whatever_is_saved() -> None:
    first, second = (jp.simulate(ball_and_pin(), 0.1, jp.Implicit(), save=0.002) for _ in range(2))
    once = jp.simulate(ball_and_pin(), 0.1, jp.Implicit(), save=[0.1])
    assert first.outcome.ok
    assert bits(first) == bits(second)
    assert bits(first, 1) == bits(once, 1)


@pytest.mark.parametrize("stop", (0.0065, 0.05))
def test_a_continued_run_is_the_uninterrupted_one(stop: float) -> None:
    """Also from the middle of a contact (the first one lasts from 4.8 to 12.6 ms)."""
    times = np.linspace(0.0, 0.1, 51)
    whole = jp.simulate(ball_and_pin(), 0.1, jp.Implicit(), save=times)
    after = times[times > stop]
    half = jp.simulate(ball_and_pin(), stop, jp.Implicit(), save=[stop])
    rest = jp.simulate(ball_and_pin(), 0.1, jp.Implicit(), save=after, start=half.state)
    assert rest.time.tolist() == after.tolist()
    assert bits(rest) == bits(whole, len(after))
