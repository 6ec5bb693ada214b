"""Forces of the state: closed loops against the same equations written down and integrated by SciPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import jointplay as jp
from jointplay.errors import InputError

M, m, L, J, G = 1.0, 0.2, 0.3, 0.006, 9.81  # cart, pole, distance of its centre, its inertia
KP, KI, KD = 60.0, 20.0, 8.0


def cart_and_pole(force: str = "KP*A.angle + KI*memory.velocity[0] + KD*A.angle_rate + push") -> jp.System:
    """A pole on a cart; the angle is integrated by a body of 1 kg that a force of its size accelerates."""
    s = jp.System(
        "cart and pole",
        planar=True,
        parameters={"KP": f"{KP} N/rad", "KI": f"{KI} N/(m/s)", "KD": f"{KD} N*s/rad"},
        inputs={"push": "N"},
    )
    cart = s.body("cart", mass=M, inertia=0.1)
    pole = s.body("pole", mass=m, inertia=J, position=(L * np.sin(0.1), L * np.cos(0.1), 0), orientation=-0.1)
    memory = s.body("memory", mass=1, inertia=1, position=(0, -1, 0))
    s.prismatic("rail", s.ground, cart, point=(0, 0, 0), axis=(1, 0, 0))
    s.revolute("hinge", cart, pole, point=(0, 0, 0), axis=(0, 0, -1))  # positive: falls to the right
    s.prismatic("store", s.ground, memory, point=(0, -1, 0), axis=(1, 0, 0))
    text = force.replace("A.angle_rate", "hinge.angle_rate").replace("A.angle", "(hinge.angle + 0.1)")
    s.force("motor", cart, force=(text, 0))
    s.force("integral", memory, force=("1 N/rad*(hinge.angle + 0.1 rad)", 0))
    return s


def equations(t: float, y: np.ndarray) -> list[float]:
    """x, angle, integral of the angle, and rates; from the Lagrangian of cart and pole."""
    _, a, e, v, w = y
    u = KP * a + KI * e + KD * w
    mass = np.array([[M + m, m * L * np.cos(a)], [m * L * np.cos(a), J + m * L**2]])
    right = np.array([u + m * L * w**2 * np.sin(a), m * G * L * np.sin(a)])
    dv, dw = np.linalg.solve(mass, right)
    return [v, w, a, dv, dw]


@pytest.fixture(scope="module")
def reference() -> np.ndarray:
    found = solve_ivp(equations, (0, 2), [0, 0.1, 0, 0, 0], method="DOP853", rtol=1e-12, atol=1e-13)
    assert found.success
    return found.y[:, -1]


def test_a_pid_controller_as_an_expression(reference: np.ndarray) -> None:
    sol = jp.simulate(cart_and_pole(), "2 s", jp.Explicit(rtol=1e-11, atol=1e-13), save="0.5 s")
    assert sol.outcome.ok
    found = [sol["rail.displacement"][-1], sol["hinge.angle"][-1] + 0.1, sol["store.displacement_rate"][-1]]
    found += [sol["rail.displacement_rate"][-1], sol["hinge.angle_rate"][-1]]
    assert found == pytest.approx(reference, abs=1e-9)
    # all that the controller gives is input
    assert np.abs(sol["energy.error"]).max() < 1e-10
    assert np.abs(sol["energy.input"]).max() > 0.01


@pytest.mark.parametrize(
    ("method", "bound"),
    [(jp.Implicit(rtol=1e-8, atol=1e-10), 1e-6), (jp.Index1(step=1e-4), 1e-5), (jp.Verlet(step=1e-4), 1e-5)],
)
def test_other_methods_follow_it(method: Any, bound: float, reference: np.ndarray) -> None:
    sol = jp.simulate(cart_and_pole(), "2 s", method, save="0.5 s")
    # second order: (1e-4)^2 times rates of about 100/s2, grown over two seconds
    assert sol["hinge.angle"][-1] + 0.1 == pytest.approx(reference[1], abs=bound)


def test_a_law_on_a_coordinate_is_the_spring_that_it_spells() -> None:
    def build(law: Any) -> jp.System:
        s = jp.System("spring", planar=True, gravity=(0, 0, 0))
        body = s.body("b", mass=2, inertia=0.1, velocity=(1, 0, 0))
        s.prismatic("P", s.ground, body, point=(0, 0, 0), axis=(1, 0, 0), displacement=law)
        return s

    spring = jp.simulate(build(jp.Spring("30 N/m", "0.4 N*s/m")), 3.0, jp.Explicit(rtol=1e-11, atol=1e-13), save=0.5)
    law = jp.ForceLaw("-k*x - c*v", k="30 N/m", c=0.4)
    own = jp.simulate(build(law), 3.0, jp.Explicit(rtol=1e-11, atol=1e-13), save=0.5)
    assert own["P.displacement"] == pytest.approx(spring["P.displacement"], abs=1e-12)
    assert own["P.law_force"] == pytest.approx(spring["P.spring_force"], abs=1e-10)
    assert np.abs(own["energy.error"]).max() < 1e-10  # at saved instants work is interpolated
    loss = spring["energy.dissipated"] + spring["energy.elastic"]
    assert -own["energy.input"] == pytest.approx(loss, abs=1e-9)


def test_newtons_matrix_has_the_partials_of_the_law() -> None:
    """A stiff law as an expression takes the iterations of the spring that it spells, not one more."""

    def run(law: Any) -> jp.Solution:
        s = jp.System("stiff", planar=True, gravity=(0, 0, 0))
        s.body("b", mass=2, inertia=0.1, velocity=(1, 0, 0))
        s.prismatic("P", s.ground, "b", point=(0, 0, 0), axis=(1, 0, 0), displacement=law)
        return jp.simulate(s, 0.1, jp.Implicit(), save=0.01)

    spring, own = run(jp.Spring(1e8, 1e4)), run(jp.ForceLaw("-1e8*x - 1e4*v"))
    assert own.stats["newton_iterations"] == spring.stats["newton_iterations"]
    assert own["P.displacement"] == pytest.approx(spring["P.displacement"], abs=1e-15)


def test_forces_between_bodies_that_nothing_else_joins() -> None:
    """In space, in body axes, at a point: Implicit, whose matrix couples the bodies, against Explicit."""
    s = jp.System("three", gravity=(0, 0, 0))
    for name, x in (("a", 0.0), ("b", 1.0), ("c", 2.0)):
        s.body(name, mass=1, inertia=(0.1, 0.2, 0.3), position=(x, 0, 0), angular_velocity=(0.3, 1, 0.2))
    pull = ("-200*(a.position[0] - c.position[0] + 2)", "-3*c.velocity[1]", "-50*(a.position[2] - b.position[2])")
    s.force("f", "a", force=pull, point=(0, 0.1, 0), axes="body")
    s.force("g", "c", force=("-90*(c.position[0] - a.position[0] - 2)", "-2*a.velocity[1]", 0))
    s.torque("h", "c", torque=("-4*a.angular_velocity[0]", "0.1*b.position[1]", "-2*c.angular_velocity[2]"))
    s.spherical("S", "a", "b", point=(0.5, 0, 0))
    exact = jp.simulate(s, 0.5, jp.Explicit(rtol=1e-11, atol=1e-13), save=0.1)
    found = jp.simulate(s, 0.5, jp.Implicit(rtol=1e-9, atol=1e-11), save=0.1)
    for body in "abc":
        assert found[f"{body}.position"] == pytest.approx(exact[f"{body}.position"], abs=1e-8)
    assert found.stats["newton_iterations"] < 20 * found.stats["steps"]


def test_a_stiff_law_is_taken_for_stiff() -> None:
    s = jp.System("stiff", planar=True, gravity=(0, 0, 0))
    body = s.body("b", mass=1, inertia=0.1, velocity=(1, 0, 0))
    s.prismatic("P", s.ground, body, point=(0, 0, 0), axis=(1, 0, 0), displacement=jp.ForceLaw("-1e12*x - 2e6*v"))
    sol = jp.simulate(s, 2.0)
    assert "Implicit" in sol.meta["method"]
    assert sol.outcome.ok
    assert abs(sol["P.displacement"][-1]) < 1e-9


def test_parts_that_an_expression_joins_run_together() -> None:
    def build(force: str) -> jp.System:
        s = jp.System("two", planar=True, gravity=(0, 0, 0))
        for name, y in (("a", 0.0), ("b", 1.0)):
            s.body(name, mass=1, inertia=1, position=(0, y, 0), velocity=(1 if name == "a" else 0, 0, 0))
            s.prismatic(name.upper(), s.ground, name, point=(0, y, 0), axis=(1, 0, 0))
        s.force("pull", "b", force=(force, 0))
        return s

    sol = jp.simulate(build("2*a.position[0]"), 2.0, jp.Explicit(rtol=1e-11, atol=1e-13))
    assert sol["b.position"][-1][0] == pytest.approx(2.0 * 2.0**3 / 6.0, abs=1e-10)  # x_a = t, so x_b = 2 t^3 / 6


def test_joints_further_down_a_file_can_be_sensed_and_files_keep_it_all(tmp_path: Any) -> None:
    path = tmp_path / "model.yaml"
    path.write_text(
        """
jointplay: 1
planar: true
inputs: {motor: {unit: N*m, value: 0.5 N*m}, bias: N}
bodies:
  a: {mass: 1, inertia: 0.1, position: [0.5, 0]}
  b: {mass: 1, inertia: 0.1, position: [1.5, 0]}
joints:
  A:
    {type: revolute, between: [ground, a], point: [0, 0], angle: {force_law: -k*x - 2*B.angle, values: {k: 3 N*m/rad}}}
  B: {type: revolute, between: [a, b], point: [1, 0], angle: {force_law: "-0.3*v + motor"}}
forces:
  F: {body: b, force: ["bias - 0.1*b.velocity[0]", 0]}
"""
    )
    system = jp.load_model(path)
    again = jp.System.from_tree(system.to_tree())
    method = jp.Explicit(rtol=1e-10)
    one, other = (jp.simulate(each, 0.3, method, save=0.1) for each in (system, again))
    assert np.array_equal(one["A.angle"], other["A.angle"])
    assert one["B.law_torque"][0] == pytest.approx(0.5)


def build_bad(**given: Any) -> None:
    s = jp.System("bad", planar=True, inputs={"motor": "N*m"})
    s.body("b", mass=1, inertia=0.1, position=(0.5, 0, 0))
    s.revolute("A", s.ground, "b", point=(0, 0, 0), **given)


@pytest.mark.parametrize(
    ("law", "sentence"),
    [
        (jp.Drive("2*motor/(1 N*m)"), "must depend on t alone, not on motor: a drive closes its coordinate"),
        (jp.Drive("A.angle_rate"), "force_law instead"),
        (jp.ForceLaw("-k*x", k="3 N/m"), "expected a torque"),
        (jp.ForceLaw("-k*y", k="3 N/m"), "unknown name 'y'"),
        (jp.ForceLaw("-x", t=3), "stands for time"),
        (jp.ForceLaw("-x", v=3), "is the rate itself"),
        (jp.ForceLaw("-k*x", k="3 N*m/furlog"), "furlog"),
    ],
)
def test_bad_laws_get_a_sentence(law: jp.ForceLaw | jp.Drive, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence.replace("(", r"\(")):
        build_bad(angle=law)


@pytest.mark.parametrize(
    ("inputs", "sentence"),
    [
        ({"motor": {"unit": "N*q"}}, "q"),
        ({"motor": {"unit": "N*m", "value": "3 m"}}, "inputs.motor.value"),
        ({"motor": {"units": "N*m"}}, "unknown key 'units'"),
        ({"t": "N"}, "stands for time"),
        ({"x": "m"}, "stands for the coordinate"),
        ({"motor": 3.0}, "needs a unit"),
    ],
)
def test_bad_inputs_get_a_sentence(inputs: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        jp.System("bad", inputs=inputs)


def test_a_force_that_has_no_value_ends_the_run_with_a_sentence() -> None:
    s = jp.System("nan", planar=True)
    s.body("b", mass=1, inertia=0.1, position=(0.5, 0, 0))
    s.revolute("A", s.ground, "b", point=(0, 0, 0), angle=jp.ForceLaw("sqrt(x + 0.5)"))
    sol = jp.simulate(s, 2.0)
    assert not sol.outcome.ok
    assert "expression that has no value" in sol.outcome.message and sol.time[-1] < 2.0


def test_the_check_names_what_is_not_smooth() -> None:
    s = jp.System("clip", planar=True)
    s.body("b", mass=1, inertia=0.1, position=(0.5, 0, 0))
    s.revolute("A", s.ground, "b", point=(0, 0, 0), angle=jp.ForceLaw("clip(-3*x, -1, 1)"))
    assert any("A.angle: clip(-3*x, -1, 1) is not smooth" in note for note in s.check().notes)
