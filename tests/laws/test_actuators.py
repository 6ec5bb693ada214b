"""Servo, DC motor and torque curve against closed forms and the same equations integrated by SciPy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from control_cases import affine
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline

import jointplay as jp
from jointplay.errors import InputError
from jointplay.report.laws import law_words

# currents are a little stiff: at the limit of stability what Explicit saves inside a step is worse than its ends
TIGHT = jp.Explicit(rtol=1e-11, atol=1e-13, h_max=2e-4)
J = 0.02


def wheel(law: Any, load: float = 0.0, **head: Any) -> jp.System:
    """A wheel on the ground with a law on its angle, and a torque against it."""
    s = jp.System("wheel", planar=True, gravity=(0, 0), **head)
    b = s.body("b", mass=1.0, inertia=J, position=(0, 0, 0))
    s.revolute("A", s.ground, b, point=(0, 0, 0), angle=law)
    s.torque("load", b, torque=-load)
    return s


def independent(rates: Any, start: list[float], times: np.ndarray) -> np.ndarray:
    """The same equations by another integrator, in steps short enough for kinks."""
    found = solve_ivp(rates, (0, times[-1]), start, "DOP853", times, rtol=1e-12, atol=1e-13, max_step=1e-3)
    assert found.success
    return found.y


# DC motor

U, R, K, N = 24.0, 2.0, 0.05, 20.0
MOTOR = {"resistance": "2 ohm", "constant": "0.05 N*m/A", "gear": N}


def test_a_motor_without_inductance_starts_like_a_first_order_lag() -> None:
    sol = jp.simulate(wheel(jp.DCMotor("24 V", **MOTOR)), 0.2, TIGHT, save=0.02)
    rate = U / (N * K) * (1.0 - np.exp(-sol.time * (N * K) ** 2 / (R * J)))
    assert sol["A.angle_rate"] == pytest.approx(rate, abs=1e-9)
    assert sol["A.motor_torque"] == pytest.approx(N * K * (U - N * K * rate) / R, abs=1e-9)
    assert sol["A.motor_torque"][0] == pytest.approx(12.0, abs=1e-12)  # at standstill n k u/R
    assert "A.current" not in sol.names


@pytest.mark.parametrize("inductance", [1e-3, 50e-3], ids=["overdamped", "oscillating"])
@pytest.mark.parametrize("load", [0.0, 3.0])
def test_a_motor_with_inductance_starts_like_a_second_order_lag(inductance: float, load: float) -> None:
    sol = jp.simulate(wheel(jp.DCMotor(U, inductance=inductance, **MOTOR), load), 0.3, TIGHT, save=0.05)
    matrix = [[0, N * K / J], [-N * K / inductance, -R / inductance]]
    truth = np.array([affine(matrix, [-load / J, U / inductance], [0, 0], t) for t in sol.time]).T
    assert sol["A.angle_rate"] == pytest.approx(truth[0], abs=1e-8)
    assert sol["A.current"] == pytest.approx(truth[1], abs=1e-7)
    assert sol["A.motor_torque"] == pytest.approx(N * K * sol["A.current"], abs=1e-12)


def test_steady_speed_and_stall() -> None:
    motor = jp.DCMotor(U, inductance="1 mH", **MOTOR)
    steady = jp.simulate(wheel(motor, 3.0), 2.0, TIGHT, save=1.0)
    assert steady["A.angle_rate"][-1] == pytest.approx(U / (N * K) - R * 3.0 / (N * K) ** 2, abs=1e-9)
    held = jp.simulate(wheel([motor, jp.Drive(0.0)]), 0.2, TIGHT, save=0.1)
    assert held["A.motor_torque"][-1] == pytest.approx(N * K * U / R, abs=1e-9)
    assert held["A.drive_torque"][-1] == pytest.approx(-N * K * U / R, abs=1e-9)
    other_way = jp.simulate(wheel(jp.DCMotor(U, "2 ohm", K, gear=-N)), 0.2, TIGHT, save=0.1)
    assert other_way["A.angle_rate"][-1] < 0.0


def test_the_electric_power_goes_into_heat_field_and_work() -> None:
    s = wheel(
        jp.DCMotor("supply*(1 + 0.3*sin(50*t))", inductance="5 mH", **MOTOR),
        inputs={"supply": {"unit": "V", "value": U}},
    )
    s.state("electric", "J", rate="supply*(1 + 0.3*sin(50*t))*A.current")
    s.state("heat", "J", rate=f"{R} ohm*A.current^2")
    sol = jp.simulate(s, 0.3, TIGHT, save=0.03)
    field = 0.5 * 5e-3 * sol["A.current"] ** 2
    assert sol["electric"] == pytest.approx(sol["heat"] + field + sol["energy.input"], abs=1e-7)
    assert np.abs(sol["energy.error"]).max() < 1e-8
    assert sol["heat"][-1] > 1.0


def test_a_linear_motor() -> None:
    s = jp.System("voice coil", planar=True, gravity=(0, 0))
    b = s.body("b", mass=0.1, inertia=1e-4, position=(0, 0, 0))
    coil = jp.DCMotor("5 V", resistance="4 ohm", constant="8 N/A", inductance="2 mH", start="0.2 A")
    s.prismatic("P", s.ground, b, point=(0, 0, 0), axis=(1, 0, 0), displacement=[coil, jp.Spring("300 N/m")])
    sol = jp.simulate(s, 0.2, TIGHT, save=0.02)
    matrix = [[0, 1, 0], [-3000, 0, 80], [0, -8 / 2e-3, -4 / 2e-3]]
    truth = np.array([affine(matrix, [0, 0, 5 / 2e-3], [0, 0, 0.2], t) for t in sol.time]).T
    assert sol["P.displacement"] == pytest.approx(truth[0], abs=1e-9)
    assert sol["P.current"] == pytest.approx(truth[2], abs=1e-8)
    assert "P.motor_force" in sol.names


@pytest.mark.parametrize("gear", [5.0, 60.0, 200.0])
def test_a_short_electric_time_constant_does_not_hold_steps_back(gear: float) -> None:
    """L/R = 1e-6 s, R J/(n k)^2 from 0.6 s to 0.4 ms: steps are those of the motor without inductance, or nearly."""
    motor = {"resistance": R, "constant": K, "gear": gear}
    fast, plain = (
        jp.simulate(wheel(jp.DCMotor(U, **own, **motor)), 1.0, jp.Implicit(), save=0.25)
        for own in ({"inductance": 2e-6, "start": U / R}, {})
    )
    rate = U / (gear * K) * (1.0 - np.exp(-plain.time * (gear * K) ** 2 / (R * J)))
    assert plain["A.angle_rate"] == pytest.approx(rate, abs=1e-4)
    assert fast["A.angle_rate"] == pytest.approx(rate, abs=5e-4)  # 96 rad/s times 1e-6 s/0.6 s, and the tolerance
    assert fast.stats["steps"] <= 1.5 * plain.stats["steps"]


def test_fixed_steps_longer_than_all_time_constants_converge() -> None:
    """Index1 with steps of 10 ms; current (1 us) and speed (4 ms) have settled after 0.3 s."""
    law = jp.DCMotor(U, resistance=R, constant=K, gear=60.0, inductance=2e-6, start=U / R)
    sol = jp.simulate(wheel(law), 0.5, jp.Index1(step=1e-2), save=0.1)
    assert sol.outcome.ok
    assert sol.stats["newton_iterations"] <= 4 * sol.stats["steps"]
    assert sol["A.angle_rate"][-1] == pytest.approx(U / (60.0 * K), rel=1e-6)


# Servo

KP, KI, KD, TARGET = 40.0, 150.0, 3.0, np.pi / 6
GAINS = {"kp": "40 N*m/rad", "ki": "150 N*m/(rad*s)", "kd": "3 N*m*s/rad"}


@pytest.mark.parametrize("lag", [None, 0.02])
def test_the_step_response_of_a_servo(lag: float | None) -> None:
    sol = jp.simulate(wheel(jp.Servo("30 deg", filter=lag, **GAINS), 1.0), 1.0, TIGHT, save=0.1)
    start = [0.0, 0.0, 0.0]
    if lag is None:
        matrix = [[0, 1, 0], [-KP / J, -KD / J, 1 / J], [-KI, 0, 0]]
        constant = [0, (KP * TARGET - 1.0) / J, KI * TARGET]
    else:
        matrix = [[0, 1, 0, 0], [-KP / J, 0, 1 / J, KD / J], [-KI, 0, 0, 0], [0, -1 / lag, 0, -1 / lag]]
        constant, start = [0, (KP * TARGET - 1.0) / J, KI * TARGET, 0], [*start, 0.0]
    truth = np.array([affine(matrix, constant, start, t) for t in sol.time]).T
    assert sol["A.angle"] == pytest.approx(truth[0], abs=1e-9)
    assert sol["A.angle_rate"] == pytest.approx(truth[1], abs=1e-8)
    assert sol["A.integral"] == pytest.approx(truth[2], abs=1e-8)
    if lag is not None:
        assert sol["A.error_rate"] == pytest.approx(truth[3], abs=1e-8)
    assert sol["A.servo_torque"][0] == pytest.approx(KP * TARGET)


def servo_rates(target: Any, rate: Any, limit: float, tracking: float) -> Any:
    def rates(t: float, y: np.ndarray) -> list[float]:
        x, v, integral = y
        wanted = KP * (target(t) - x) + integral + KD * (rate(t) - v)
        force = min(max(wanted, -limit), limit)
        return [v, force / J, KI * (target(t) - x) + (force - wanted) / tracking]

    return rates


def overshoot(tracking: float | None) -> float:
    """Of a servo whose torque is limited, after it has been checked against SciPy."""
    law = jp.Servo("2 rad", limit="1.5 N*m", tracking=tracking, **GAINS)
    sol = jp.simulate(wheel(law), 1.5, jp.Explicit(rtol=1e-10, atol=1e-12), save=0.01)
    rates = servo_rates(lambda t: 2.0, lambda t: 0.0, 1.5, KP / KI if tracking is None else tracking)
    truth = independent(rates, [0.0, 0.0, 0.0], sol.time)
    # both integrate over kinks of the clipped torque: neither is better than its step there
    assert sol["A.angle"] == pytest.approx(truth[0], abs=1e-6)
    assert sol["A.integral"] == pytest.approx(truth[2], abs=1e-4)
    assert np.abs(sol["A.servo_torque"]).max() == 1.5
    return float(sol["A.angle"].max()) - 2.0


def test_anti_windup() -> None:
    """Back-calculation against an independent integration; without it the integral part winds up."""
    assert overshoot(None) < 0.5 * overshoot(1e6)
    assert overshoot(0.1) < overshoot(None)


@pytest.mark.parametrize("kind", ["linear", "cubic"])
def test_a_target_by_a_table_with_its_rate(kind: str) -> None:
    times, places = [0.1, 0.3, 0.6, 0.8], [0.0, 0.5, -0.2, 0.1]
    law = jp.Servo(jp.Table(times, places, kind), target_rate="0.2*cos(3*t)", limit=1e3, **GAINS)
    sol = jp.simulate(wheel(law), 1.0, jp.Explicit(rtol=1e-10, atol=1e-12), save=0.05)
    spline = CubicSpline(times, places)

    def target(t: float) -> float:
        return float(np.interp(t, times, places) if kind == "linear" else spline(min(max(t, 0.1), 0.8)))

    rates = servo_rates(target, lambda t: 0.2 * np.cos(3 * t), 1e3, KP / KI)
    truth = independent(rates, [0.0, 0.0, 0.0], sol.time)
    assert sol["A.angle"] == pytest.approx(truth[0], abs=1e-7)


def test_a_target_that_is_an_input_and_one_that_senses() -> None:
    s = wheel(jp.Servo("goal", **GAINS), inputs={"goal": "rad"})
    s.body("c", mass=1.0, inertia=J, position=(1, 0, 0))
    s.revolute("C", s.ground, "c", point=(1, 0, 0), angle=jp.Servo("2*A.angle", kp=40, kd=3))
    sim = jp.Stepper(s, jp.Explicit())
    sim.set("goal", 0.5)
    assert sim.advance("3 s")
    assert sim["A.angle"] == pytest.approx(0.5, abs=1e-6)
    assert sim["C.angle"] == pytest.approx(1.0, abs=1e-6)


# Torque curve


def test_a_curve_in_two_pieces() -> None:
    """Constant torque up to 50 rad/s, then a straight line down to nothing at 150 rad/s; half throttle."""
    points = [[0, "4 N*m"], ["50 rad/s", 4.0], [150, 0]]
    sol = jp.simulate(wheel(jp.TorqueCurve(points, throttle="0.5")), 2.0, TIGHT, save=0.05)
    knee = 50.0 * J / 2.0
    later = 150.0 - 100.0 * np.exp(-(sol.time - knee) * 2.0 / (100.0 * J))
    rate = np.where(sol.time < knee, 2.0 * sol.time / J, later)
    assert sol["A.angle_rate"] == pytest.approx(rate, abs=1e-6)
    assert sol["A.curve_torque"][0] == 2.0


def test_beyond_its_points_a_curve_keeps_its_ends_and_the_throttle_may_be_an_input() -> None:
    law = jp.TorqueCurve([[-1, 3], [1, -5]], throttle="pedal")
    s = wheel(law, inputs={"pedal": {"value": 1.0}})
    for rate, torque in ((-40.0, 3.0), (-1.0, 3.0), (0.0, -1.0), (0.5, -3.0), (7.0, -5.0)):
        sim = jp.Stepper(s, jp.Explicit())
        state = sim.state
        state.y[12] = rate
        sim.reset(state)
        assert sim["A.curve_torque"] == pytest.approx(torque, abs=1e-12), rate
    sim.set("pedal", 0.25)
    assert sim.advance("1 us")
    assert sim["A.curve_torque"] == pytest.approx(-1.25, abs=1e-9)


# as data

LAWS = [
    jp.Servo("0.3*t", limit="5 N*m", tracking="0.1 s", filter="2 ms", target_rate="0.3", start=0.2, **GAINS),
    jp.Servo([[0, 0], [1, "20 deg"], [2, 0]], kp=30),
    jp.DCMotor("12 V*sin(3*t)", inductance="3 mH", start="0.1 A", **MOTOR),
    jp.TorqueCurve([[0, 1.0], ["100 rpm", "0.5 N*m"], ["300 rpm", 0]], throttle="step(t - 0.1)"),
]


@pytest.mark.parametrize("law", LAWS, ids=lambda law: f"{law.key}-{law.__dataclass_fields__ and type(law).__name__}")
def test_files_keep_actuators_and_the_schema_knows_them(law: Any, tmp_path: Path) -> None:
    system = wheel(law)
    path = tmp_path / "wheel.yaml"
    path.write_text(system.to_yaml())
    again = jp.load_model(path)
    one, other = (jp.simulate(each, 0.2, jp.Explicit(), save=0.1) for each in (system, again))
    assert all(np.array_equal(one[name], other[name]) for name in one.names)
    assert type(law).key.split("_")[0] in law_words(again.joints[0].free["angle"][0], "rad")
    jsonschema = pytest.importorskip("jsonschema")
    from jointplay.model.schema import json_schema

    assert list(jsonschema.Draft202012Validator(json_schema()).iter_errors(system.to_tree())) == []


def test_the_short_form_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "arm.yaml"
    path.write_text(
        """
jointplay: 1
planar: true
parameters: {gain: 40 N*m/rad}
bodies: {arm: {mass: 2, inertia: 0.06, position: [0.3, 0]}}
joints:
  A: {type: revolute, between: [ground, arm], point: [0, 0], angle: {servo: 30 deg, kp: gain, ki: 60, kd: 4}}
"""
    )
    sol = jp.simulate(jp.load_model(path), 6.0, jp.Explicit(), save=1.0)
    assert sol["A.angle"][-1] == pytest.approx(np.pi / 6, abs=1e-4)
    assert sol["A.integral"][-1] == pytest.approx(2 * 9.81 * 0.3 * np.cos(np.pi / 6), abs=1e-2)  # holds the weight


@pytest.mark.parametrize(
    ("law", "sentence"),
    [
        (jp.Servo("1 m", kp=1), "target: expected an angle"),
        (jp.Servo(1.0, kp="3 N/m"), "kp: expected"),
        (jp.Servo(1.0, kp=1, limit=0), "limit: must be greater than 0 N*m"),
        (jp.Servo(1.0, kp=1, start=2), "'start' is the integral part at the start; give 'ki' as well"),
        (jp.Servo(1.0, kp=1, ki=1, tracking=1), "give 'ki' and 'limit'"),
        (jp.Servo(1.0, kp=1, filter=1), "give 'kd' as well"),
        (jp.Servo(1.0, kp=1, target_rate=1), "give 'kd' as well"),
        (jp.Servo(1.0, kp=0, ki=3, limit=2), "'tracking' is kp/ki unless given"),
        (jp.Servo(lambda t: 1.0 if t > 1 else 0.0, kp=1), "cannot stand inside an actuator"),
        (jp.Servo(jp.Table(np.arange(300.0), np.zeros(300)), kp=1), "may have 200 rows, this one has 300"),
        (jp.Servo("integral", kp=1, ki=1), "'target' names 'integral', which is a state of the law 'servo' itself"),
        (jp.Servo("nothing", kp=1), "unknown name 'nothing'"),
        (jp.DCMotor("3 A", 1, 1), "voltage: expected"),
        (jp.DCMotor(3, 0, 1), "resistance: must be greater than 0"),
        (jp.DCMotor(3, 1, 1, inductance=-1), "inductance: must be at least 0"),
        (jp.DCMotor(3, 1, 1, gear=0), "must not be zero"),
        (jp.DCMotor(3, 1, 1, start=1), "without inductance the current has none"),
        (jp.TorqueCurve([[0, 1]]), "needs 2 to 100 points"),
        (jp.TorqueCurve([[0, 1], [0, 2]]), "speeds must rise from point to point, but go from 0 to 0 at point 2"),
        (jp.TorqueCurve([[0, 1], ["3 m/s", 2]]), "points[1][0]: expected an angular velocity"),
        (jp.TorqueCurve([[0, 1], [1, 2, 3]]), "needs two numbers"),
        (jp.TorqueCurve(3.0), "needs a list of points"),
        (jp.TorqueCurve([[0, 1], [1, 0]], throttle="2 N"), "throttle: expected"),
    ],
)
def test_bad_actuators_get_a_sentence(law: Any, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        wheel(law, inputs={"integral": "rad"})
    assert sentence in str(caught.value)
    assert len(caught.value.problems) == 1


def test_two_servos_on_one_joint_have_states_of_their_own() -> None:
    """Turning and sliding at once; what is there already ends in _2, as forces of laws do."""
    s = jp.System("two", gravity=(0, 0, 0))
    b = s.body("b", mass=2.0, inertia=(1, 1, J))
    turn, slide = jp.Servo(TARGET, **GAINS), jp.Servo("10 mm", kp=400, ki=800, kd=60)
    s.cylindrical("C", s.ground, b, point=(0, 0, 0), axis=(0, 0, 1), angle=turn, displacement=slide)
    s.torque("load", b, torque=(0, 0, -1.0))
    sol = jp.simulate(s, 0.5, TIGHT, save=0.1)
    matrix = [[0, 1, 0], [-KP / J, -KD / J, 1 / J], [-KI, 0, 0]]
    turned = affine(matrix, [0, (KP * TARGET - 1.0) / J, KI * TARGET], [0, 0, 0], 0.5)
    slid = affine([[0, 1, 0], [-200, -30, 0.5], [-800, 0, 0]], [0, 2.0, 8.0], [0, 0, 0], 0.5)
    assert [sol["C.angle"][-1], sol["C.integral"][-1]] == pytest.approx(turned[[0, 2]], abs=1e-8)
    assert [sol["C.displacement"][-1], sol["C.integral_2"][-1]] == pytest.approx(slid[[0, 2]], abs=1e-8)
