"""Derivatives through states and actuators: direct = complex step = adjoint, and differences or closed forms agree."""

from __future__ import annotations

from typing import Any

import control_cases as c
import numpy as np
import pytest
from control_cases import affine, pi_loop
from laws.test_actuators import J, wheel

import jointplay as jp

METHODS = [
    jp.Index1(step=1e-2),
    jp.Verlet(step=1e-2),
    jp.Explicit(step=1e-2),
    jp.Implicit(rtol=1e-9, atol=1e-11),
]


def agree(build: Any, wrt: list[str], of: list[str], method: Any, until: float) -> np.ndarray:
    """Final values of all derivatives, once three kinds of them agree to 1e-8 of their size."""
    found = {}
    for kind in ("direct", "complex-step", "adjoint"):
        goals = [jp.Final(one) for one in of]
        result = jp.sensitivities(build(), wrt, goals, until=until, method=method, derivative=kind)
        found[kind] = np.array([[float(np.ravel(result[one][name])[-1]) for name in wrt] for one in result.names])
    for kind in ("complex-step", "adjoint"):
        assert found[kind] == pytest.approx(found["direct"], rel=1e-8, abs=1e-10), kind
    return found["direct"]


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_gains_and_starts_of_states(method: Any) -> None:
    def with_lag() -> jp.System:
        tree = pi_loop().to_tree()
        tree["parameters"] |= {"T": "50 ms", "l0": "0.02 rad"}
        tree["states"]["lag"] = {"unit": "rad", "rate": "(A.angle - lag)/T", "start": "l0"}
        return jp.System.from_tree(tree)

    start = "joints.A.angle.force_law.states.z.start"
    found = agree(with_lag, ["k", "ki", "T", "l0", start], ["A.angle", "w", "lag"], method, 0.3)
    # closed form of the linear loop: what a start adds is the solution that belongs to it
    matrix = [[0, 1, 0, 0], [-c.K / c.J, -c.D / c.J, -c.KI / c.J, 0], [1, 0, 0, 0], [1, 0, 0, 0]]
    truth = c.affine(matrix, [0, 0, 0, 0], [0, 0, 1.0, 0], 0.3)
    # of the run, whose error they share: order 2 with steps of 10 ms
    bound = 2e-3 if method.order == 2 else 1e-6
    assert found[0, 4] == pytest.approx(truth[0], rel=bound)
    assert found[1, 4] == pytest.approx(truth[3], rel=bound)
    # a lag that steps of T/5 just resolve: in 30 of them (0.9/1.1)^30 for exp(-6), 2 %, by the trapezoidal rule, and
    # 11 % by Verlet's, which takes rates of predicted states; half the step has a quarter of that
    lost = {"index1": 0.025, "verlet": 0.12}.get(method.key, 1e-5)
    assert found[2, 3] == pytest.approx(np.exp(-0.3 / 0.05), rel=lost)
    assert found[:2, 2:4] == pytest.approx(0.0, abs=1e-12)  # the loop does not sense the lag


@pytest.mark.slow
def test_gains_of_a_servo() -> None:
    def build() -> jp.System:
        gains = {"kp": 40.0, "ki": 150.0, "kd": 0.8, "filter": "20 ms", "limit": "50 N*m"}
        return wheel(jp.Servo("0.3*sin(4*t)", **gains), 0.5)

    wrt = [f"joints.A.angle.servo.{name}" for name in ("kp", "ki", "kd", "filter")]
    agree(build, wrt, ["A.angle", "A.integral"], jp.Index1(step=5e-3), 0.3)


@pytest.mark.slow
@pytest.mark.parametrize("method", [jp.Index1(step=2e-3), jp.Implicit(rtol=1e-9, atol=1e-11)], ids=repr)
def test_numbers_of_a_motor(method: Any) -> None:
    numbers = {"resistance": 2.0, "constant": 0.05, "inductance": 5e-3, "gear": 8.0}

    def build() -> jp.System:
        return wheel(jp.DCMotor("24 V", **numbers))

    wrt = [f"joints.A.angle.dc_motor.{name}" for name in numbers]
    found = agree(build, wrt, ["A.angle_rate", "A.current"], method, 0.1)

    def truth(values: dict[str, float]) -> np.ndarray:
        lam = values["gear"] * values["constant"]
        matrix = [[0, lam / J], [-lam / values["inductance"], -values["resistance"] / values["inductance"]]]
        return affine(matrix, [0, 24.0 / values["inductance"]], [0, 0], 0.1)

    for k, (name, value) in enumerate(numbers.items()):
        step = 1e-4 * value
        slope = (truth(numbers | {name: value + step}) - truth(numbers | {name: value - step})) / (2 * step)
        # differences of order 2 beside runs of order 2 (Index1, L/R = 2.5 ms) or to the tolerance
        assert found[:, k] == pytest.approx(slope, rel=1e-2 if method.order == 2 else 1e-5)


@pytest.mark.slow
def test_points_and_throttle_of_a_curve() -> None:
    """w' = throttle (f0 + s w)/J on a straight line: dw/d throttle in closed form."""

    def build() -> jp.System:
        law = jp.TorqueCurve([[-1, 4.2], [199, 0.2]], throttle="pedal*(1 + 0*x)")
        return wheel(law, parameters={"pedal": 0.5})

    f0, slope, p, t = 4.18, -0.02, 0.5, 0.2
    found = agree(
        build, ["pedal", "joints.A.angle.torque_curve.points[1][1]"], ["A.angle_rate"], jp.Explicit(step=1e-2), t
    )
    growth = np.exp(p * slope * t / J)
    assert found[0, 0] == pytest.approx(f0 / slope * growth * slope * t / J, rel=1e-9)
    # moving the last point by d: f0 += d/200, slope += d/200
    d_slope = -(f0 / slope**2) * (growth - 1.0) + f0 / slope * growth * p * t / J
    assert found[0, 1] == pytest.approx(((growth - 1.0) / slope + d_slope) / 200.0, rel=1e-8)
