"""The references of paper E against each other, closed forms and a second derivation (see paper_e_reference.py)."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
from paper_e_reference import (
    WEIGHTS,
    Block,
    Reply,
    SliderCrank,
    brown_mcphee,
    contact_forces,
    dynamics,
    pose,
    rabinowicz,
    rod_forces,
    sensitivities,
    slider_crank,
)
from scipy.optimize import brentq, minimize_scalar

Z = np.array([0.0, 0.0, 1.0])

# --- Rabinowicz's block -------------------------------------------------------------------------------------------

block = cache(rabinowicz)


@pytest.mark.parametrize("law", ["coulomb", "gonthier", "brown_mcphee"])
def test_the_pull_becomes_motion_strain_and_loss(law: str) -> None:
    run = block(law)
    step = np.diff(run.time)

    def work(power: np.ndarray) -> float:
        return float(np.sum(0.5 * step * (power[1:] + power[:-1])))

    given, lost = work(run.spring * 0.15), work(run.friction * run.velocity)
    kept = 0.5 * run.velocity[-1] ** 2 + 0.25 * run.spring[-1] ** 2
    # Trapezoidal rule at 10 ms: its error at the six kinks of Coulomb's force times speed is below 1e-3 J.
    assert given == pytest.approx(kept + lost, abs=1e-3)
    assert lost > 12.0


def test_coulomb_slips_obey_newton() -> None:
    """Second differences of the closed form; each cycle raises the spring from 2 N to 4 N in 20/3 s."""
    t = np.linspace(14.0, 15.8, 1801)
    run = rabinowicz("coulomb", times=t)
    acceleration = np.diff(run.x, 2) / 1e-6
    assert acceleration == pytest.approx((run.spring - run.friction)[1:-1], abs=1e-6)
    run = block("coulomb")
    assert run.slips[0] == pytest.approx(4.0 / 0.3)
    assert run.slips[1:] - run.sticks[:-1] == pytest.approx(20.0 / 3.0)


def test_brown_mcphee_creeps_up_to_the_top_of_its_curve() -> None:
    top = minimize_scalar(lambda r: -10.0 * brown_mcphee(1.5e-3 * r, 0.3, 0.4, 1.5e-3), bounds=(0.5, 2.0))
    assert top.x == pytest.approx(1.010, abs=5e-4)
    assert block("brown_mcphee").friction_peaks == pytest.approx(-top.fun, abs=1e-7)
    # Quasi-static creep: the law's slope at 0 is 10 (4 mu_d + (mu_s - mu_d) 16/9) / v_t = 9185 N s/m.
    slow = rabinowicz("brown_mcphee", times=np.array([0.0, 0.5, 1.0]))
    assert slow.velocity[1] == pytest.approx(slow.spring[1] / 9185.19, rel=5e-3)


def test_brown_mcphee_tends_to_coulomb() -> None:
    """With v_t, the delay of the slip behind the instant at which the pull reaches the top of the curve vanishes."""
    delays = [
        rabinowicz("brown_mcphee", until=15.0, data=Block(v_t=v), rtol=1e-8).slips[0] - 3.998068 / 0.3
        for v in (1.5e-3, 1.5e-4)
    ]
    assert 0.0 < delays[1] < 0.15 * delays[0] < 0.0075


def test_peaks_of_gonthier_fall_with_the_time_of_rest() -> None:
    run = block("gonthier")
    assert np.all(np.diff(run.friction_peaks) < -1e-3)
    assert np.all(np.diff(run.spring_peaks) < -1e-3)
    # The dwell state grows as 1 - exp(-t / 2 s) from about the stop on.
    rest = run.slips - np.array([0.0, *(run.sticks[:-1] + 0.05)])
    assert run.friction_peaks == pytest.approx(4.0 - np.exp(-0.5 * rest), abs=1e-3)
    # Bristles yield 1e-5 m per N, and no more, while the block sticks.
    assert rabinowicz("gonthier", times=np.array([0.0, 10.0])).x[-1] == pytest.approx(3e-5, rel=0.02)


@pytest.mark.parametrize(("law", "method"), [("brown_mcphee", "LSODA"), ("gonthier", "Radau")])
def test_blocks_do_not_depend_on_the_integrator(law: str, method: str) -> None:
    t = np.linspace(0.0, 16.0, 161)
    run, other = rabinowicz(law, times=t), rabinowicz(law, times=t, method=method, rtol=1e-8)
    assert other.slips == pytest.approx(run.slips, abs=2e-6)
    assert other.x == pytest.approx(run.x, abs=2e-6)


# --- Slider-crank: a second derivation ----------------------------------------------------------------------------

P = SliderCrank()


def bodies(theta: float) -> tuple[tuple[float, np.ndarray, np.ndarray, np.ndarray], ...]:
    """Mass, principal inertia, centre and axes of crank, rod and slider, from points and cross products."""
    along = np.array([0.0, -np.sin(theta), np.cos(theta)])
    pivot = np.array([0.0, *P.pivot])
    pin = pivot + P.crank * along
    end = np.array([np.sqrt(P.rod**2 - pin @ pin), 0.0, 0.0])
    u = (end - pin) / P.rod
    n = np.cross(Z, u) / np.linalg.norm(np.cross(Z, u))
    x = np.array([1.0, 0.0, 0.0])
    crank, rod = np.array([0.1644e-3, 0.1644e-3, 0.01644e-3]), np.array([0.9988e-3, 9.988e-3, 9.988e-3])
    return (
        (P.m_crank, crank, pivot + 0.5 * P.crank * along, np.column_stack([x, np.cross(along, x), along])),
        (P.m_rod, rod, 0.5 * (pin + end), np.column_stack([u, n, np.cross(u, n)])),
        (P.m_slider, np.full(3, 1.5e-3), end, np.eye(3)),
    )


def vector(skew: np.ndarray) -> np.ndarray:
    half = 0.5 * (skew - skew.T)
    return np.array([half[2, 1], half[0, 2], half[1, 0]])


def motion(theta: float, speed: float, turn: float) -> list[SimpleNamespace]:
    """Momentum balance of each body: derivatives by time of a polynomial through 21 poses."""
    span = 0.02 / max(1.0, abs(speed), 0.1 * abs(turn))
    nodes = np.cos(np.pi * (np.arange(21) + 0.5) / 21)
    poses = [bodies(theta + speed * t + 0.5 * turn * t * t) for t in span * nodes]
    out = []
    for k in range(3):
        table = np.array([np.concatenate([pose[k][2], pose[k][3].ravel()]) for pose in poses])
        fit = np.polynomial.chebyshev.chebfit(nodes, table, 12)
        value, rate, second = (
            np.polynomial.chebyshev.chebval(0.0, np.polynomial.chebyshev.chebder(fit, m)) / span**m for m in range(3)
        )
        mass, inertia, _, _ = poses[0][k]
        axes = value[3:].reshape(3, 3)
        spin, spin_rate = (vector(d[3:].reshape(3, 3) @ axes.T) for d in (rate, second))
        world = axes @ np.diag(inertia) @ axes.T
        out.append(
            SimpleNamespace(
                centre=value[:3], axes=axes, force=mass * (second[:3] + P.gravity * Z),
                torque=world @ spin_rate + np.cross(spin, world @ spin),
                kinetic=0.5 * mass * rate[:3] @ rate[:3] + 0.5 * spin @ world @ spin,
            )
        )  # fmt: skip
    return out


def balance(theta: float, speed: float, turn: float, friction: float) -> dict[str, np.ndarray]:
    """All 17 joint reactions of three free bodies, and the torque about x that would have to drive the crank."""
    crank, rod, slider = motion(theta, speed, turn)
    pivot, pin, end = np.array([0.0, *P.pivot]), rod.centre - 0.15 * rod.axes[:, 0], slider.centre
    A, rhs = np.zeros((18, 18)), np.zeros(18)

    def cross(arm: np.ndarray) -> np.ndarray:
        return np.array([np.cross(arm, e) for e in np.eye(3)]).T

    for row, body, loads in (
        (0, crank, ((0, pivot, 1.0), (6, pin, -1.0))),
        (6, rod, ((6, pin, 1.0), (9, end, -1.0))),
        (12, slider, ((9, end, 1.0),)),
    ):
        for column, point, sign in loads:
            A[row : row + 3, column : column + 3] = sign * np.eye(3)
            A[row + 3 : row + 6, column : column + 3] = sign * cross(point - body.centre)
        rhs[row : row + 3], rhs[row + 3 : row + 6] = body.force, body.torque
    A[3:6, 3:6] = np.eye(3)  # torques of the revolute joint; the one about x must turn out to be 0
    arm = np.cross(Z, rod.axes[:, 1])  # the cross carries no torque about either of its arms
    A[9:12, 12], A[15:18, 12] = -arm, arm
    A[13, 13] = A[14, 14] = A[15, 15] = A[16, 16] = A[17, 17] = 1.0  # the guide
    rhs[12] -= friction
    found = np.linalg.solve(A, rhs)
    return {"drive": found[3], "rod": found[9:12], "cross": found[12] * arm, "guide": found[13:18]}


@pytest.mark.parametrize("seed", range(6))
def test_newton_and_euler_of_three_free_bodies_agree(seed: int) -> None:
    rng = np.random.default_rng(seed)
    theta, speed, friction = rng.uniform(0.0, 2.0 * np.pi), rng.uniform(-12.0, 12.0), rng.uniform(-8.0, 8.0)
    at = pose(theta, P)
    turn = (at.torque - 0.5 * at.mass1 * speed**2 + at.x1 * friction) / at.mass
    found = balance(theta, speed, turn, friction)
    assert found["drive"] == pytest.approx(0.0, abs=1e-8)  # so virtual work gave the right acceleration
    *push, tau = rod_forces(at, speed, turn, friction, P)
    assert found["rod"] == pytest.approx(push, abs=1e-6)
    assert found["cross"] == pytest.approx(tau * np.array([at.ca, at.sa, 0.0]), abs=1e-8)
    fy, fz, tx, ty, tz = found["guide"]
    a, b = P.length, P.width
    printed = (-fy + tz / a, -fz - ty / a, -tz / a, ty / a, tx / (2.0 * b))  # eq. 2, x'' = Y, y'' = Z, z'' = X
    assert contact_forces(at, speed, turn, friction, P) == pytest.approx(printed, abs=1e-6)
    energy = sum(body.kinetic for body in motion(theta, speed, turn))
    assert energy == pytest.approx(0.5 * at.mass * speed**2, rel=1e-9)


def test_frictionless_swing_takes_the_time_of_the_quadrature() -> None:
    r"""From 90 to 270 degrees in :math:`\int \sqrt{M / 2(E - V)} d\theta`, substituted by theta = pi + pi/2 sin(s)."""
    nodes, weights = np.polynomial.legendre.leggauss(80)
    s = 0.5 * np.pi * nodes
    theta = np.pi + 0.5 * np.pi * np.sin(s)
    mass = [2.0 * sum(body.kinetic for body in motion(t, 1.0, 0.0)) for t in theta]
    depth = 0.5 * P.crank * P.gravity * (P.m_crank + P.m_rod) * -np.cos(theta)
    half = 0.25 * np.pi**2 * weights @ (np.sqrt(mass / (2.0 * depth)) * np.cos(s))
    run = slider_crank("A", law="frictionless", until=1.0)
    assert run.turns == pytest.approx(half * np.arange(1, 4), abs=1e-9)
    assert np.ptp(run.energy) < 1e-10


# --- Slider-crank: friction ---------------------------------------------------------------------------------------

crank_run = cache(slider_crank)


def test_friction_force_is_the_only_root() -> None:
    rng = np.random.default_rng(1)
    for _ in range(50):
        beta = rng.uniform(-1.0, 1.0, 5)
        b = rng.uniform(-0.95, 0.95) / (np.abs(beta) @ WEIGHTS)
        reply = Reply(tuple(rng.uniform(-10.0, 10.0, 5)), tuple(beta), 1.5e-3)
        a = rng.uniform(-5.0, 5.0)
        root = brentq(lambda f, a=a, b=b, r=reply: f + a + b * r.normal(f)[0], -1e4, 1e4, xtol=1e-13)
        assert reply.solve(a, b) == pytest.approx(root, abs=1e-10)


@pytest.mark.parametrize("law", ["brown_mcphee", "gonthier"])
@pytest.mark.parametrize("case", ["A", "B"])
def test_energy_goes_into_friction(case: str, law: str) -> None:
    run = crank_run(case, law=law, mu=(0.3, 0.4), until=0.6, rtol=1e-10)
    assert np.ptp(run.energy + run.work) < 1e-9
    assert run.work[-1] > 0.4
    assert np.max(run.coupling) < 0.6  # one root everywhere
    fast = np.abs(run.velocity) > 0.05
    ratio = np.abs(run.friction / run.normal)[fast]
    assert ratio == pytest.approx(0.3, abs=1e-4 if law == "gonthier" else 1e-3)
    assert np.all(run.friction[fast] * run.velocity[fast] < 0.0)


@pytest.mark.parametrize("law", ["brown_mcphee", "gonthier"])
def test_slider_crank_does_not_depend_on_the_integrator(law: str) -> None:
    t = np.linspace(0.0, 0.45, 46)
    run, other = slider_crank("A", law=law, times=t), slider_crank("A", law=law, times=t, method="LSODA", rtol=1e-9)
    for name, limit in (("x", 1e-7), ("velocity", 2e-6), ("normal", 1e-4), ("work", 1e-6)):
        assert np.max(np.abs(getattr(run, name) - getattr(other, name))) < limit, name
    assert other.reversals[:2] == pytest.approx(run.reversals[:2], abs=1e-6)


def test_reference_values() -> None:
    """Case A, (0.4, 0.5): typed from a run with rtol = 1e-12, which agrees with 1e-9 to 2e-9."""
    run = crank_run("A", until=0.7)
    assert run.reversals == pytest.approx([0.122189299, 0.286503917, 0.661468473], abs=1e-8)
    assert run.x[[100, 200, 300]] == pytest.approx([0.288189674, 0.263531307, 0.240719309], abs=1e-8)
    assert run.work[[100, 200, 300]] == pytest.approx([0.059669452, 0.232217610, 0.332117708], abs=1e-8)
    assert np.max(np.abs(run.torque)) == pytest.approx(9.73e-3, rel=1e-3)  # the width of the slider matters


def test_heavy_friction_holds_case_b() -> None:
    """0.4 / 0.5: stopped at 0.12 s, and held; Brown and McPhee's law lets it creep."""
    stuck, creeping = (crank_run("B", law=law, until=0.3, rtol=1e-9) for law in ("gonthier", "brown_mcphee"))
    assert stuck.reversals[0] == pytest.approx(0.1202, abs=1e-4)
    assert abs(stuck.velocity[-1]) < 1e-8 < 2e-4 < creeping.velocity[-1] < 3e-4
    at = pose(stuck.angle[-1], P)
    assert stuck.friction[-1] == pytest.approx(-at.torque / at.x1, rel=1e-6)  # statics


# --- Slider-crank: sensitivities ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_scaled_sensitivities() -> None:
    """Their largest sizes in case A, all within the first 0.6 s; the width is not without effect."""
    t = np.linspace(0.0, 0.6, 601)
    found = sensitivities(t, parameters=("length", "width", "mu_d", "mu_s"), rtol=1e-10)
    top = {n: np.max(np.abs(d)) * found.at[n] for n, d in found.derivative["velocity"].items()}
    expected = {"length": 2.7526e-3, "width": 3.9173e-3, "mu_d": 0.605239, "mu_s": 0.792607}
    assert top == pytest.approx(expected, rel=1e-4)
    # One of them again, from runs of their own (other steps in time) and another formula.
    rows = [0, 300, 400]
    runs = {
        k: slider_crank("A", times=t[rows], data=replace(P, mu_s=0.5 * (1.0 + 1e-4 * k))).velocity
        for k in (-2, -1, 1, 2)
    }
    slope = (8.0 * (runs[1] - runs[-1]) - (runs[2] - runs[-2])) / (12.0 * 0.5e-4)
    assert slope == pytest.approx(found.derivative["velocity"]["mu_s"][rows], rel=1e-5)


def test_friction_reply_is_consistent() -> None:
    """F = -S F_n to rounding, F_n recomputed from the guide's forces at the final acceleration."""
    theta, speed = 2.0, 3.0
    now = dynamics(theta, speed, (), "brown_mcphee", P)
    forces = contact_forces(now.at, speed, now.turn, now.force, P)
    normal = np.array([1, 1, 1, 1, 2]) @ np.hypot(forces, 1.5e-3)
    assert now.normal == pytest.approx(normal, rel=1e-12)
    s = brown_mcphee(now.velocity, P.mu_d, P.mu_s, P.v_t)
    assert now.force == pytest.approx(-s * normal, rel=1e-12)
