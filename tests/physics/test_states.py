"""States of expressions against closed forms: every method, fast ones, restarts, parts, conditions, sentences."""

from __future__ import annotations

from math import exp, factorial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from control_cases import NAMES, pi_loop, pi_truth
from scipy.optimize import brentq

import jointplay as jp
from jointplay.compile.parts import independent_parts
from jointplay.errors import InputError
from jointplay.methods.registry import REGISTRY

FIXED_STEP = [method for method in REGISTRY if "step" in method.__dataclass_fields__]
TIGHT = jp.Explicit(rtol=1e-11, atol=1e-13)


def error(system: jp.System, method: Any) -> float:
    sol = jp.simulate(system, 1.0, method, save=0.5)
    assert sol.outcome.ok, sol.outcome.message
    return max(
        abs(float(sol[name][k]) - truth) for k in (1, 2) for name, truth in zip(NAMES, pi_truth(0.5 * k), strict=True)
    )


@pytest.mark.parametrize("method", FIXED_STEP, ids=lambda one: one.key)
def test_every_method_has_its_order(method: Any) -> None:
    """States are advanced with the order of the method, and the motion that follows them as well."""
    steps = (8, 10, 14, 20) if method.order > 2 else (100, 140, 200, 280)
    errors = [error(pi_loop(), method(step=1.0 / n)) for n in steps]
    assert min(errors) > 1e-13
    slope = -np.polyfit(np.log(steps), np.log(errors), 1)[0]
    assert slope == pytest.approx(method.order, abs=0.15)


@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize(
    ("method", "bound"),
    [(TIGHT, 1e-10), (jp.Implicit(rtol=1e-9, atol=1e-11), 1e-7), (jp.Moreau(), 1e-4)],
    ids=lambda one: str(one),
)
def test_controlled_steps_in_the_plane_and_in_space(method: Any, bound: float, planar: bool) -> None:
    # Moreau's control looks at positions alone; its rates, of order 2 as well, are a hundred times as wrong
    assert error(pi_loop(planar), method) < bound


R, L, KT = 2.0, 2e-7, 0.5  # electric time constant 1e-7 s


def fast_motor() -> jp.System:
    s = jp.System("motor", planar=True, gravity=(0, 0))
    b = s.body("b", mass=1.0, inertia=0.1, position=(0, 0, 0))
    s.revolute("A", s.ground, b, point=(0, 0, 0))
    s.state("current", "A", rate=f"(12 - {R}*current - {KT}*A.angle_rate)/{L}", start="6 A")
    s.torque("T", b, torque=f"{KT}*current")
    return s


@pytest.mark.parametrize(
    ("method", "steps", "bound"),
    # trapezoidal rules: h^2/12 (1.25/s)^3 48 rad; Implicit: what its tolerance allows
    [(jp.Index1(step=1e-2), 100, 1e-3), (jp.Implicit(rtol=1e-6, atol=1e-8), 400, 1e-4)],
    ids=lambda one: str(one),
)
def test_a_fast_state_does_not_hold_steps_back(method: Any, steps: int, bound: float) -> None:
    """A current that settles in 1e-7 s, with steps of some milliseconds."""
    matrix = [[0, 1, 0], [0, 0, KT / 0.1], [0, -KT / L, -R / L]]
    slow = (KT**2 / R) / 0.1  # rate of the motion
    sol = jp.simulate(fast_motor(), 1.0, method, save=0.25)
    assert sol.outcome.ok, sol.outcome.message
    assert sol.stats["steps"] <= steps
    assert slow == pytest.approx(-max(np.linalg.eigvals(matrix).real[np.linalg.eigvals(matrix).real < 0]), rel=1e-6)
    rate = 24.0 * (1.0 - np.exp(-slow * sol.time))  # of the motor without inductance, L/R = 1e-7 s beside it
    assert sol["A.angle_rate"] == pytest.approx(rate, abs=bound)
    assert sol["current"] == pytest.approx((12.0 - KT * rate) / R, abs=bound)


def test_a_chain_of_filters() -> None:
    """y_k of n equal lags in a row answers a step by 1 - exp(-s) sum_(j<=k) s^j/j!, s = t/T."""
    s = jp.System("filters", planar=True, gravity=(0, 0), parameters={"T": "0.1 s"})
    s.body("b", mass=1, inertia=1, position=(0, 0, 0), velocity=(1, 0, 0))
    s.state("y0", rate="(1 - y0)/T")
    for k in range(1, 6):
        s.state(f"y{k}", rate=f"(y{k - 1} - y{k})/T")
    sol = jp.simulate(s, 0.5, TIGHT, save=0.1)
    for k in range(6):
        truth = [1.0 - exp(-t / 0.1) * sum((t / 0.1) ** j / factorial(j) for j in range(k + 1)) for t in sol.time]
        assert sol[f"y{k}"] == pytest.approx(truth, abs=1e-10)


METHODS = [
    jp.Explicit(),
    jp.Implicit(),
    jp.Index1(step=1e-3),
    jp.Verlet(step=1e-3),
    jp.Moreau(),
    jp.Moreau(step=1e-3),
]


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_a_continued_run_and_a_stepper_have_the_bits_of_one_run(method: Any, tmp_path: Path) -> None:
    whole = jp.simulate(pi_loop(), 0.4, method, save=0.01)
    first = jp.simulate(pi_loop(), 0.2, method, save=0.01, output=tmp_path / "first.nc")
    second = jp.simulate(pi_loop(), 0.4, method, save=0.01, start=jp.load(tmp_path / "first.nc").state)
    sim = jp.Stepper(pi_loop(), method)
    stepped = {name: [float(sim[name])] for name in NAMES}
    for _ in range(40):
        assert sim.advance("10 ms")
        for name in NAMES:
            stepped[name].append(float(sim[name]))
    for name in NAMES:
        assert np.array_equal(np.concatenate([first[name], second[name]]), whole[name])
        assert np.array_equal(stepped[name], whole[name])


def two_wheels(with_state: bool, sensed: str = "A.angle") -> jp.System:
    s = jp.System("two", planar=True, gravity=(0, 0))
    for name, x in (("a", 0.0), ("b", 1.0)):
        s.body(name, mass=1, inertia=0.1, position=(x, 0, 0), angular_velocity=1.0)
        law = jp.ForceLaw("-30*x - 0.1*sin(40*t)")
        s.revolute(name.upper(), s.ground, name, point=(x, 0, 0), angle=law)
    if with_state:
        s.state("w", "rad*s", rate=f"500*({sensed} - w*1 rad/(1 rad*s))")
    return s


def test_a_state_belongs_to_the_part_that_it_senses() -> None:
    assert independent_parts(two_wheels(True)) == [["a", "w"], ["b"]]
    assert independent_parts(two_wheels(True, "B.angle")) == [["a"], ["b", "w"]]
    assert independent_parts(two_wheels(True, "(A.angle + B.angle)")) == [["a", "b", "w"]]
    fine = jp.Explicit(rtol=1e-10, atol=1e-12)  # the state is fast: steps lie at the limit of stability
    alone, beside = (jp.simulate(two_wheels(one), 1.0, fine, save=0.1) for one in (False, True))
    assert np.array_equal(alone["B.angle"], beside["B.angle"])  # not even by a step size
    other = jp.simulate(two_wheels(True, "B.angle"), 1.0, fine, save=0.1)
    assert np.array_equal(alone["A.angle"], other["A.angle"])
    assert beside["w"] == pytest.approx(other["w"], abs=1e-7)  # the two wheels move alike


def test_a_law_of_one_joint_may_sense_the_state_of_another() -> None:
    s = two_wheels(False)
    s.body("c", mass=1, inertia=0.1, position=(2, 0, 0))
    s.revolute("C", s.ground, "c", point=(2, 0, 0), angle=jp.ForceLaw("-x - z", states={"z": {"rate": "x"}}))
    s.torque("T", "b", torque="0.1*C.z")
    assert independent_parts(s) == [["a"], ["b", "c", "C.z"]]


def test_a_condition_on_a_state_is_located() -> None:
    level = 0.004
    truth = brentq(lambda t: pi_truth(t)[3] - level, 0.01, 0.5, xtol=1e-15)
    sol = jp.simulate(pi_loop(), f"w > {level} rad*s", TIGHT, at_most="1 s", record={"high": "A.z > 0.012 rad*s"})
    assert sol.outcome.ok
    assert sol.events[-1].time == pytest.approx(truth, abs=1e-11)
    higher = brentq(lambda t: pi_truth(t)[2] - 0.012, 0.01, 0.5, xtol=1e-15)
    assert sol.events[0].name == "high" and sol.events[0].time == pytest.approx(higher, abs=1e-11)


def test_files_keep_states(tmp_path: Path) -> None:
    system = pi_loop()
    path = tmp_path / "pi.yaml"
    path.write_text(system.to_yaml())
    again = jp.load_model(path)
    assert again.to_yaml() == system.to_yaml()
    one, other = (jp.simulate(each, 0.3, jp.Explicit(), save=0.1) for each in (system, again))
    assert all(np.array_equal(one[name], other[name]) for name in NAMES)
    assert one.to_xarray()["state_value"].sel(state_name="A.z").item(0) == 0.01


def test_the_work_of_a_law_with_states_is_input() -> None:
    """The ledger closes, and its input is the integral of the torque times the rate."""
    s = pi_loop()
    s.state("work", "J", rate="(-k*A.angle - d*A.angle_rate - ki*A.z + 1 N*m)*A.angle_rate")
    sol = jp.simulate(s, 1.0, TIGHT, save=0.1)
    assert sol["energy.input"] == pytest.approx(sol["work"], abs=1e-9)
    assert np.abs(sol["energy.error"]).max() < 1e-9


def test_a_start_that_is_an_expression() -> None:
    s = jp.System("start", planar=True, gravity=(0, 0), parameters={"z0": "2 mA"})
    s.body("b", mass=1, inertia=1, position=(0, 0, 0))
    s.state("i", "A", rate="-3*i/(1 s)", start="2*z0")
    sol = jp.simulate(s, 1.0, TIGHT, save=1.0)
    assert sol["i"] == pytest.approx([0.004, 0.004 * exp(-3.0)], abs=1e-13)


def law_with(states: Any, value: str = "-x", **numbers: Any) -> None:
    s = jp.System("bad", planar=True, inputs={"motor": "N*m"}, parameters={"gain": 2.0})
    s.body("b", mass=1, inertia=0.1, position=(0.5, 0, 0))
    s.revolute("A", s.ground, "b", point=(0, 0, 0), angle=jp.ForceLaw(value, states=states, **numbers))


@pytest.mark.parametrize(
    ("states", "sentence"),
    [
        ({"z": {"unit": "furlog", "rate": "x"}}, "angle.states.z.unit: unknown unit 'furlog'"),
        ({"z": {"unit": 3, "rate": "x"}}, "angle.states.z.unit: needs a unit"),
        ({"z": {"unit": "rad*s"}}, "angle.states.z: a state needs its 'rate'"),
        ({"z": {"rate": "x", "begin": 3}}, "unknown key 'begin'"),
        ({"z": 3.0}, "a state needs a mapping with unit, rate and start, not a number"),
        ("z", "needs a mapping from names to states"),
        ({"x": {"rate": "v"}}, "'x' is the coordinate or rate of the law already"),
        ({"v": {"rate": "v"}}, "'v' is the coordinate or rate of the law already"),
        ({"t": {"rate": "v"}}, "stands for time"),
        ({"k": {"rate": "v"}}, "'k' is a number of the law already"),
        ({"gain": {"rate": "v"}}, "'gain' is a parameter of the model already"),
        ({"motor": {"rate": "v"}}, "'motor' is an input of the model already"),
        ({"angle": {"rate": "v"}}, "the state 'angle' is called like a coordinate of the joint"),
        ({"angle_rate": {"rate": "v"}}, "called like the rate of a coordinate"),
        ({"a b": {"rate": "v"}}, "needs letters, digits and _ only"),
        ({"sin": {"rate": "v"}}, "has a meaning of its own"),
        ({"z": {"unit": "rad*s", "rate": "3 N*m*x"}}, "angle.states.z.rate: expected"),
        ({"z": {"unit": "rad*s", "rate": "y"}}, "unknown name 'y'"),
        ({"z": {"unit": "rad*s", "rate": "x", "start": "3 m"}}, "angle.states.z.start"),
        ({"z": {"unit": "rad*s", "rate": None}}, "needs a number, an expression"),
    ],
)
def test_bad_states_of_laws_get_a_sentence(states: Any, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        law_with(states, k=3.0)
    assert sentence in str(caught.value)
    assert len(caught.value.problems) == 1


def test_two_laws_of_a_joint_may_not_share_a_state() -> None:
    s = jp.System("bad", planar=True)
    s.body("b", mass=1, inertia=0.1, position=(0.5, 0, 0))
    laws = [jp.ForceLaw("-z", states={"z": {"rate": "x"}}) for _ in range(2)]
    with pytest.raises(InputError, match="the state 'z' is called like a state of another law of the joint"):
        s.revolute("A", s.ground, "b", point=(0, 0, 0), angle=laws)


@pytest.mark.parametrize("name", ["force", "residual", "law_torque"])
def test_a_state_may_not_be_called_like_a_result(name: str) -> None:
    s = jp.System("bad", planar=True)
    s.body("b", mass=1, inertia=0.1, position=(0.5, 0, 0))
    s.revolute("A", s.ground, "b", point=(0, 0, 0), angle=jp.ForceLaw("-x", states={name: {"rate": "x"}}))
    with pytest.raises(InputError, match=rf"A\.{name}: is a result already \(.*\); rename the state"):
        jp.simulate(s, 0.1)


@pytest.mark.parametrize(
    ("name", "given", "sentence"),
    [
        ("w", {"unit": "furlog", "rate": "A.angle"}, "state 'w': unit: unknown unit 'furlog'"),
        ("w", {"unit": "rad*s", "rate": None}, "'rate' is missing"),
        ("w", {"unit": "rad*s", "rate": "A.angle_rate - 2 rad/s"}, "state 'w': rate: expected"),
        ("w", {"unit": "rad*s", "rate": "B.angle"}, "unknown name 'B.angle'"),
        ("w", {"unit": "rad*s", "rate": "A.angle", "start": "3 N"}, "state 'w': start"),
        ("x", {"rate": 1.0}, "'x' is what a law calls its coordinate or rate already"),
        ("t", {"rate": 1.0}, "stands for time"),
        ("gain", {"rate": 1.0}, "'gain' is a parameter or an input already"),
        ("motor", {"rate": 1.0}, "'motor' is a parameter or an input already"),
        ("b", {"rate": 1.0}, "'b'"),
        ("a b", {"rate": 1.0}, "needs letters, digits and _ only"),
    ],
)
def test_bad_states_of_a_model_get_a_sentence(name: str, given: dict[str, Any], sentence: str) -> None:
    s = jp.System("bad", planar=True, inputs={"motor": "N*m"}, parameters={"gain": 2.0})
    s.body("b", mass=1, inertia=0.1, position=(0.5, 0, 0))
    s.revolute("A", s.ground, "b", point=(0, 0, 0))
    with pytest.raises(InputError) as caught:
        s.state(name, **given)
    assert sentence in str(caught.value)
    assert len(caught.value.problems) == 1


@pytest.mark.parametrize("method", [jp.Explicit(), jp.Implicit(), jp.Index1(step=1e-3), jp.Moreau()], ids=repr)
def test_a_rate_that_has_no_value_ends_the_run_with_a_sentence(method: Any) -> None:
    s = jp.System("nan", planar=True)
    s.body("b", mass=1, inertia=0.1, position=(0.5, 0, 0))
    s.revolute("A", s.ground, "b", point=(0, 0, 0))
    s.state("w", rate="sqrt(A.angle + 0.5)")
    sol = jp.simulate(s, 2.0, method)
    assert not sol.outcome.ok
    assert "expression that has no value" in sol.outcome.message and sol.time[-1] < 2.0


def test_the_schema_knows_states() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    from jointplay.model.schema import json_schema

    validator = jsonschema.Draft202012Validator(json_schema())
    tree = pi_loop().to_tree()
    assert list(validator.iter_errors(tree)) == []
    tree["states"]["w"]["begin"] = 0.0
    assert list(validator.iter_errors(tree))
