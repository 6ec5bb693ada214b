"""Exact derivatives of small models whose derivatives are known by formula (Index1, direct).

Index1 is a rule of order two: where the truth is that of the continuous motion, the error must fall by four when the
step is halved; for a linear model the rule itself has a formula, and agreement is to rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipj, ellipk

import jointplay as jp
from jointplay.cli.examples import entries

G = 9.81
TINY = 1e-30


def exact(build: Any, wrt: Any, of: Any, *, until: float, step: float, save: float, method: str = "direct") -> Any:
    """Derivatives by an exact method of Index1."""
    result = jp.sensitivities(build, wrt, of, method, until=until, scheme=jp.Index1(step=step), save=save)
    assert not result.invalid
    return result


def off(found: np.ndarray, truth: np.ndarray) -> float:
    """Largest difference, relative to the largest true one."""
    return float(np.max(np.abs(found - truth)) / np.max(np.abs(truth)))


def by_complex_step(function: Callable[..., Any], values: dict[str, float], name: str) -> Any:
    """d function/d name of an analytic function."""
    return np.imag(function(**(values | {name: values[name] + 1j * TINY}))) / TINY


# --- Spring, mass and damper: the trapezoidal rule by formula -------------------------------------------------------


def oscillator(m: float = 2.0, k: float = 200.0, c: float = 4.0, out: float = 0.05, push: float = 3.0) -> jp.System:
    s = jp.System("oscillator", gravity=(0, 0, 0))
    body = s.body("block", mass=m, inertia=(0.1, 0.1, 0.1), position=(out, 0, 0))
    law = jp.Spring(stiffness=k, damping=c, free=-out)
    s.prismatic("D", s.ground, body, point=(out, 0, 0), axis=(1, 0, 0), displacement=law)
    s.force("push", body, force=(push, 0, 0))
    return s


def trapezoidal(h: float, count: int, m: Any, k: Any, c: Any, out: Any, push: Any) -> np.ndarray:
    """Place and velocity after each step of x' = v, m v' = push - k x - c v."""
    A, b = np.array([[0, 1], [-k / m, -c / m]]), np.array([0, push / m])
    left, right = np.eye(2) - h / 2 * A, np.eye(2) + h / 2 * A
    y = [np.array([out, 0.0 * out])]
    for _ in range(count):
        y.append(np.linalg.solve(left, right @ y[-1] + h * b))
    return np.array(y)


@pytest.mark.parametrize("method", ["direct", "complex-step"])
def test_spring_mass_damper(method: str) -> None:
    values = {"m": 2.0, "k": 200.0, "c": 4.0, "out": 0.05, "push": 3.0}
    of = ["block.position[0]", "block.velocity[0]"]
    result = exact(oscillator, list(values), of, until=1.0, step=1e-2, save=1e-2, method=method)
    for name in values:
        truth = by_complex_step(lambda **p: trapezoidal(1e-2, 100, **p), values, name)
        for column, one in enumerate(of):
            assert off(result[one][name], truth[:, column]) < 1e-9, (name, one)


def test_objectives_of_an_oscillator() -> None:
    values = {"m": 2.0, "k": 200.0, "c": 4.0, "out": 0.05, "push": 3.0}
    objectives = [jp.Final("block.position[0]"), jp.Integral("block.velocity[0]", function=np.square)]
    result = exact(oscillator, list(values), objectives, until=1.0, step=1e-2, save=1e-2, method="adjoint")

    def numbers(**p: Any) -> np.ndarray:
        x, v = trapezoidal(1e-2, 100, **p).T
        return np.array([x[-1], 1e-2 * (np.sum(v * v) - (v[0] ** 2 + v[-1] ** 2) / 2)])

    for name in values:
        for objective, truth in zip(objectives, by_complex_step(numbers, values, name), strict=True):
            assert result[objective][name] == pytest.approx(truth, rel=1e-9), (name, str(objective))


# --- Pendulum -------------------------------------------------------------------------------------------------------


def pendulum(length: float = 1.0, g: float = G, start: float = 2.0, mass: float = 2.0) -> jp.System:
    """A bar let go at ``start`` from straight down."""
    s = jp.System("pendulum", planar=True, gravity=(0, -g))
    turned = start - np.pi / 2
    centre = (length / 2 * np.cos(turned), length / 2 * np.sin(turned))
    bar = s.body("bar", mass=mass, inertia=mass * length**2 / 12, position=centre, orientation=turned)
    s.revolute("P", s.ground, bar, point=(0, 0))
    return s


def swing(time: np.ndarray, start: float, length: float = 1.0, g: float = G) -> np.ndarray:
    """Angle from straight down: sin(theta/2) = k cd(omega t), k = sin(start/2), omega^2 = 3 g/(2 length)."""
    m = np.sin(start / 2) ** 2
    sn, _, _, _ = ellipj(np.sqrt(1.5 * g / length) * time + ellipk(m), m)
    return 2.0 * np.arcsin(np.sin(start / 2) * sn)


def test_pendulum() -> None:
    """By its length, gravity, start and mass, over a whole swing; P.angle is zero at the start."""
    errors = []
    for step in (2e-3, 1e-3):
        result = exact(pendulum, ["length", "g", "start", "mass"], ["P.angle"], until=2.5, step=step, save=0.02)
        t, found = result.time, result["P.angle"]
        rate = np.gradient(swing(np.linspace(0, 2.5, 250001), 2.0), 1e-5, edge_order=2)[::2000]
        h = 1e-3
        ends = [swing(t, 2.0 + k * h) for k in (-2, -1, 1, 2)]
        by_start = (ends[0] - 8 * ends[1] + 8 * ends[2] - ends[3]) / (12 * h) - 1.0
        truths = {"length": -t / 2 * rate, "g": t / (2 * G) * rate, "start": by_start}
        errors.append([off(found[name], truth) for name, truth in truths.items()])
        assert np.max(np.abs(found["mass"])) < 1e-10
    assert np.max(errors[1]) < 2e-4
    assert np.array(errors[0]) / np.array(errors[1]) == pytest.approx(4.0, rel=0.02)


# --- Drives: numbers inside functions of time -----------------------------------------------------------------------


def driven(swing: float = 0.7, pace: float = 5.0, arm: float = 0.3, mass: float = 2.0, spin: float = 0.05) -> jp.System:
    parameters = {"swing": swing, "pace": pace}
    s = jp.System("driven arm", gravity=(0, 0, -G), parameters=parameters)
    body = s.body(
        "arm", mass=mass, inertia=(0.01, spin, 0.05), position=(arm, 0, 0), angular_velocity=(0, swing * pace, 0)
    )
    drive = jp.Drive("swing*sin(pace*t)")
    s.revolute("A", s.ground, body, point=(0, 0, 0), axis=(0, 1, 0), angle=drive)
    return s


def motor_torque(t: np.ndarray, swing: Any, pace: Any, arm: Any, mass: Any, spin: Any) -> np.ndarray:
    """(J + m a^2) theta'' - m g a cos(theta), theta about +y: the arm goes down as it turns."""
    theta, turn = swing * np.sin(pace * t), -swing * pace**2 * np.sin(pace * t)
    return (spin + mass * arm**2) * turn - mass * G * arm * np.cos(theta)


def test_a_driven_arm() -> None:
    values = {"swing": 0.7, "pace": 5.0, "arm": 0.3, "mass": 2.0, "spin": 0.05}
    result = exact(driven, list(values), ["A.drive_torque", "A.angle"], until=1.5, step=1e-3, save=0.05)
    for name in values:
        truth = by_complex_step(lambda **p: motor_torque(result.time, **p), values, name)
        assert off(result["A.drive_torque"][name], truth) < 1e-6, name
    t = result.time
    assert off(result["A.angle"]["swing"], np.sin(5 * t)) < 1e-8
    assert off(result["A.angle"]["pace"], 0.7 * t * np.cos(5 * t)) < 1e-8


# --- Linkages: angles from geometry alone ---------------------------------------------------------------------------


def rocker_angle(t: np.ndarray, crank: Any, coupler: Any, rocker: Any, base: Any) -> np.ndarray:
    """Turn of the rocker since t = 0, the crank standing upright then and turning at 10 rad/s."""

    def angle(turn: Any) -> Any:
        x, y = base - crank * np.cos(turn), -crank * np.sin(turn)  # from B to D
        d = np.sqrt(x * x + y * y)
        # angle at D of the triangle B C D, beside the direction from D back to B
        inner = np.arccos((d * d + rocker**2 - coupler**2) / (2 * d * rocker))
        return np.arctan(y / x) - inner  # up to a constant

    return angle(np.pi / 2 + 10 * t) - angle(np.pi / 2 + 0 * t)


@pytest.mark.parametrize("name", ["four_bar", "driven_four_bar_3d"])
def test_a_driven_four_bar(name: str) -> None:
    """In the plane, and in space where three constraints are redundant."""
    values = {"crank": 0.1, "coupler": 0.25, "rocker": 0.22, "base": 0.3}
    result = exact(entries()[name], list(values), ["D.angle", "A.drive_torque"], until=0.7, step=1e-3, save=0.02)
    assert off(result.values["D.angle"], rocker_angle(result.time, **values)) < 1e-8
    for bar in values:
        truth = by_complex_step(lambda **p: rocker_angle(result.time, **p), values, bar)
        assert off(result["D.angle"][bar], truth) < 1e-8, bar


def test_redundant_joints_change_no_derivative() -> None:
    """Torque of the motor, in the plane and in space; the reactions that are shared are those of least norm."""
    names = ["crank", "coupler", "rocker", "base", "rho"]
    flat, spatial = (
        exact(entries()[one], names, "A.drive_torque", until=0.7, step=1e-3, save=0.02)
        for one in ("four_bar", "driven_four_bar_3d")
    )
    for name in names:
        assert off(spatial["A.drive_torque"][name], flat["A.drive_torque"][name]) < 1e-6, name


# --- Loads ----------------------------------------------------------------------------------------------------------


def thruster(force: float = 4.0, mass: float = 2.0, spin: float = 3.0) -> jp.System:
    s = jp.System("thruster", gravity=(0, 0, 0))
    body = s.body("craft", mass=mass, inertia=(0.2, 0.3, 0.4), angular_velocity=(0, 0, spin))
    s.force("jet", body, force=(force, 0, 0), axes="body")
    return s


def test_a_force_in_body_axes() -> None:
    """v = F/(m w) (sin wt, 1 - cos wt)."""
    values = {"force": 4.0, "mass": 2.0, "spin": 3.0}
    result = exact(thruster, list(values), "craft.velocity", until=2.0, step=1e-3, save=0.05)

    def velocity(force: Any, mass: Any, spin: Any) -> np.ndarray:
        angle = spin * result.time
        return np.stack([np.sin(angle), 1 - np.cos(angle), 0 * angle], axis=1) * force / (mass * spin)

    for name in values:
        assert off(result["craft.velocity"][name], by_complex_step(velocity, values, name)) < 1e-5, name


def wheel(size: float = 2.0, pace: float = 4.0, moment: float = 0.4) -> jp.System:
    s = jp.System("wheel", gravity=(0, 0, 0), parameters={"size": size, "pace": pace})
    body = s.body("wheel", mass=1.0, inertia=(0.3, 0.3, moment))
    s.torque("motor", body, torque=(0, 0, "size*sin(pace*t)"))
    return s


def test_a_torque() -> None:
    """w = a/(b J) (1 - cos bt)."""
    values = {"size": 2.0, "pace": 4.0, "moment": 0.4}
    result = exact(wheel, list(values), "wheel.angular_velocity[2]", until=2.0, step=1e-3, save=0.05)

    def speed(size: Any, pace: Any, moment: Any) -> np.ndarray:
        return size / (pace * moment) * (1 - np.cos(pace * result.time))

    for name in values:
        found = result["wheel.angular_velocity[2]"][name]
        assert off(found, by_complex_step(speed, values, name)) < 1e-5, name


# --- Inertia --------------------------------------------------------------------------------------------------------


def spinning(xy: float = 0.02, yz: float = -0.03, zz: float = 0.3, first: float = 2.0) -> jp.System:
    s = jp.System("free body", gravity=(0, 0, -G))
    inertia = [[0.2, xy, 0.01], [xy, 0.25, yz], [0.01, yz, zz]]
    s.body("body", mass=1.5, inertia=inertia, angular_velocity=(first, 3.0, -1.0))
    return s


def test_products_of_inertia() -> None:
    """Euler's equations of a free body, on complex numbers by a Runge-Kutta method of order eight."""
    values = {"xy": 0.02, "yz": -0.03, "zz": 0.3, "first": 2.0}
    result = exact(spinning, list(values), "body.angular_velocity", until=2.0, step=5e-4, save=0.05)

    def rates(xy: Any, yz: Any, zz: Any, first: Any) -> np.ndarray:
        J = np.array([[0.2, xy, 0.01], [xy, 0.25, yz], [0.01, yz, zz]])
        inverse = np.linalg.inv(J)
        start = np.array([first, 3.0, -1.0], dtype=complex)
        t = result.time
        run = solve_ivp(
            lambda _, w: -inverse @ np.cross(w, J @ w),
            (0, t[-1]),
            start,
            t_eval=t,
            method="DOP853",
            rtol=1e-12,
            atol=1e-14,
        )
        return run.y.T

    for name, value in values.items():
        ends = [rates(**(values | {name: value + 1j * 1e-12 * sign})) for sign in (1, -1)]
        truth = np.imag(ends[0] - ends[1]) / 2e-12
        assert off(result["body.angular_velocity"][name], truth) < 1e-5, name


def door(arm: float = 0.4, gap: float = 1.0, mu: float = 0.1, tilt: float = 0.0) -> jp.System:
    """A leaf on two hinges; with ``tilt`` these share nothing but the thrust."""
    s = jp.System("door", gravity=(0, 0, -G))
    leaf = s.body("leaf", mass=20.0, inertia=(2, 1.5, 3), position=(arm, 0, 0), angular_velocity=(0, 0, 2.0))
    law = jp.BrownMcPhee(mu_s=mu, mu_d=mu, v_t=1e-3, length=0.05, radius=0.01)
    free = {"tilt": jp.Spring(stiffness=tilt)} if tilt else {}
    for k, z in enumerate((-0.5 * gap, 0.5 * gap)):
        s.revolute(f"h{k}", s.ground, leaf, point=(0, 0, z), axis=(0, 0, 1), friction=law, **free)
    return s


@pytest.mark.parametrize("method", ["direct", "adjoint"])
def test_friction_of_redundant_joints_is_refused(method: str) -> None:
    """The share of least norm changes with the rows: derivatives that leave this out are wrong by a factor of two."""
    of = jp.Final("h0.angle")
    with pytest.raises(jp.InputError, match="how redundant joints share a load, which the friction of h0, h1 depends"):
        exact(door, ["gap"], of, until=0.2, step=1e-3, save=0.05, method=method)
    with pytest.raises(jp.InputError, match="'differences' do"):
        jp.sensitivities(door, ["gap"], of, jp.Explicit(), until=0.2, derivative=method)


def test_friction_of_redundant_joints_by_complex_steps() -> None:
    """Shares are known to rounding over the regularisation of N, 1e-8; differences with steps of 1e-4 to about 1e-4."""
    names, of = ["arm", "gap", "mu"], ["h0.angle"]
    found, truth = (
        exact(door, names, of, until=0.2, step=1e-3, save=0.05, method=one) for one in ("complex-step", "differences")
    )
    for name in names:
        assert off(found["h0.angle"][name], truth["h0.angle"][name]) < 1e-4, name


def test_friction_that_no_share_changes_is_followed() -> None:
    def loose(arm: float = 0.4, gap: float = 1.0) -> jp.System:
        return door(arm, gap, tilt=1.0)

    direct, step = (
        exact(loose, ["arm", "gap"], "h0.angle", until=0.2, step=1e-3, save=0.05, method=one)
        for one in ("direct", "complex-step")
    )
    for name in ("arm", "gap"):
        assert off(direct["h0.angle"][name], step["h0.angle"][name]) < 1e-7, name
