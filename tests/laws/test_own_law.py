"""Laws that users write in Python: the same motion as built-in ones, derivatives, states, messages."""

from __future__ import annotations

import json
import math
import subprocess
import sys

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import jointplay as jp
from jointplay.laws.hunt_crossley import HuntCrossley
from jointplay.laws.own_check import check
from jointplay.laws.own_code import Shape, library_of
from jointplay.numerics.by_address import call_at

K, E = 5e8, 0.8  # N/m^1.5, restitution


@jp.law("contact", stiffness="F/X^1.5", restitution="", energy=True)
def hunt_crossley(x, v, onset, stiffness, restitution):
    """As the built-in one in its original form."""
    elastic = stiffness * x**1.5
    factor = max(1.0 + 1.5 * (1.0 - restitution) * max(min(v / onset, 1.0), -1.0), 0.0)
    return elastic * factor, elastic * x / 2.5, elastic * (factor - 1.0) * v


@jp.law("coordinate", k="F/X", c="F*s/X", energy=True)
def spring(x, v, k, c):
    """A linear spring with a damper."""
    return -k * x - c * v, 0.5 * k * x * x, c * v * v


@jp.law("coordinate", k="F/X^3", c="F*s^2/X^2")
def rough(x, v, k, c):
    """Powers of negative numbers, sizes and comparisons, as one would write them."""
    drag = c * abs(v) * v if v**2 > 1e-8 else 0.0 * v
    return -k * x**3 - drag + 0.01 * math.sin(x) * max(x, -1.0)


@jp.law("coordinate", k="F/X", tau="s", states={"z": "X"})
def relaxing(x, v, k, tau, z):
    """A Maxwell element: a spring in series with a damper, whose place is a state."""
    return -k * (x - z), (x - z) / tau


@jp.law("friction", mu="", swift="X/s")
def tanh_friction(s, mu, swift):
    """A smooth step."""
    return mu * np.tanh(s / swift)


def pendulum(law, *, spatial=False, speed=0.0):
    """A rod on a hinge with a law on its angle."""
    s = jp.System("pendulum", planar=not spatial, gravity=(0.0, -9.81, 0.0) if spatial else (0.0, -9.81))
    given = {"inertia": (0.02, 0.03, 0.05)} if spatial else {"inertia": 0.05}
    turn = (0.0, 0.0, speed) if spatial else speed
    rod = s.body("rod", mass=0.8, position=(0.3, 0.0, 0.0) if spatial else (0.3, 0.0), angular_velocity=turn, **given)
    s.revolute("A", s.ground, rod, point=(0, 0, 0), axis=(0, 0, 1), angle=law)
    return s


def ball(contact, friction=None):
    """A ball in a socket with play, tossed about."""
    s = jp.System("ball", gravity=(0.3, -0.2, -9.81))
    b = s.body("b", mass=0.5, inertia=(2e-4, 2e-4, 2e-4), velocity=(0.02, 0.05, 0.0))
    play = jp.Clearance("0.3 mm", contact=contact, friction=friction)
    s.spherical("S", s.ground, b, point=(0, 0, 0), radius="8 mm", radial=play)
    return s


METHODS = [jp.Explicit(), jp.Implicit(), jp.Index1(step=1e-3), jp.Verlet(step=1e-3), jp.Moreau(step=1e-3)]


@pytest.mark.parametrize("method", METHODS, ids=lambda one: type(one).__name__)
def test_a_law_on_a_coordinate_moves_as_the_built_in_one(method):
    ours = jp.simulate(pendulum(jp.Spring(3.0, 0.05)), 0.4, method=method, save=0.05)
    own = jp.simulate(pendulum(spring(3.0, 0.05)), 0.4, method=method, save=0.05)
    for name in ("A.angle", "A.angle_rate", "energy.elastic", "energy.dissipated"):
        np.testing.assert_allclose(own[name], ours[name], rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("method", [jp.Explicit(rtol=1e-9), jp.Implicit(rtol=1e-7)], ids=lambda one: type(one).__name__)
def test_a_contact_law_moves_as_the_built_in_one(method):
    ours = jp.simulate(ball(HuntCrossley(stiffness=K, restitution=E)), 0.05, method=method, save=1e-3)
    own = jp.simulate(ball(hunt_crossley(K, E)), 0.05, method=method, save=1e-3)
    assert ours.stats["onsets"] > 2
    np.testing.assert_allclose(own["b.position"], ours["b.position"], rtol=0, atol=1e-13)
    np.testing.assert_allclose(own["energy.error"], ours["energy.error"], rtol=0, atol=1e-13)


def test_friction_of_a_contact_and_of_a_joint():
    assert tanh_friction(0.2, 1e-3).creep == pytest.approx(1e-3, rel=1e-12)
    run = jp.simulate(ball(hunt_crossley(K, E), tanh_friction(0.2, 1e-3)), 0.03, method=jp.Explicit(), save=1e-3)
    assert run.outcome.code == 0 and abs(run["energy.error"][-1]) < 1e-7
    s = jp.System("slide", planar=True, gravity=(0.0, -9.81))
    block = s.body("block", mass=2.0, inertia=0.1, velocity=(1.0, 0.0))
    sizes = {"length": 0.2, "width": 0.1}
    s.prismatic("P", s.ground, block, point=(0, 0), axis=(1, 0), friction=tanh_friction(0.3, 1e-4), **sizes)
    sol = jp.simulate(s, 0.2, method=jp.Explicit(), save=0.1)
    assert sol["block.velocity"][-1, 0] == pytest.approx(1.0 - 0.3 * 9.81 * 0.2, abs=1e-6)


def test_natural_python_has_exact_partials():
    law = rough(4.0, 0.3)
    addresses, _ = library_of(type(law).function, type(law).shape)
    from jointplay.numerics.by_address import call_at

    rng = np.random.default_rng(5)
    for _ in range(50):
        x, v = rng.uniform(-1.5, 1.5, 2)
        result = call_at(addresses[1], np.array([4.0, 0.3]), np.zeros(0), x, v, 0.0)
        larger = max(x, -1.0)
        by_x = -12.0 * x**2 + 0.01 * (math.cos(x) * larger + math.sin(x) * (x > -1.0))
        assert result[0] == pytest.approx(-4.0 * x**3 - 0.3 * abs(v) * v + 0.01 * math.sin(x) * larger, rel=1e-13)
        assert result[1] == pytest.approx(by_x, rel=1e-12)
        assert result[2] == pytest.approx(-0.6 * abs(v), rel=1e-12)


@pytest.mark.parametrize("spatial", [False, True])
@pytest.mark.parametrize("method", [jp.Explicit(), jp.Implicit(), jp.Index1(step=5e-4), jp.Moreau(step=5e-4)])
def test_states_of_a_law_follow_their_rates(method, spatial):
    def motion(_, y):
        angle, rate, z = y
        torque = -2.0 * (angle - z) - 0.8 * 9.81 * 0.3 * math.cos(angle)
        return [rate, torque / (0.05 + 0.8 * 0.09), (angle - z) / 0.15]

    truth = solve_ivp(motion, (0.0, 0.5), [0.0, 0.7, 0.0], rtol=1e-11, atol=1e-12).y[:, -1]
    sol = jp.simulate(pendulum(relaxing(2.0, 0.15), speed=0.7, spatial=spatial), 0.5, method=method, save=0.1)
    found = [sol["A.angle"][-1], sol["A.angle_rate"][-1], sol["A.z"][-1]]
    bound = 20.0 * method.step**2 if getattr(method, "step", None) else 1e-6  # order 2, fourth derivatives of about 100
    np.testing.assert_allclose(found, truth, rtol=0, atol=bound)
    assert sol.units["A.z"] == "rad"


@pytest.mark.parametrize("method", [jp.Index1(step=2e-3), jp.Explicit(), jp.Verlet(step=2e-3)])
def test_derivatives_by_numbers_of_the_law(method):
    def build(k=2.0, tau=0.15):
        return pendulum(relaxing(k, tau), speed=0.7)

    found = {}
    for kind in ("direct", "adjoint", "differences"):
        given = jp.sensitivities(build, ["k", "tau"], [jp.Final("A.angle")], until=0.2, method=method, derivative=kind)
        found[kind] = np.array([given[jp.Final("A.angle")][name] for name in ("k", "tau")], dtype=float)
    np.testing.assert_allclose(found["direct"], found["differences"], rtol=1e-6)
    np.testing.assert_allclose(found["adjoint"], found["direct"], rtol=1e-9)


def test_a_law_that_fails_ends_the_run_with_a_sentence():
    @jp.law("coordinate", k="F/X")
    def breaking(x, k):
        if x > 0.5:
            raise ValueError("too far")
        return -k * x

    s = pendulum(breaking(0.1), speed=5.0)
    sol = jp.simulate(s, 1.0, method=jp.Explicit(), save=0.01)
    assert sol.outcome.code != 0 and sol["A.angle"][-1] == pytest.approx(0.5, abs=0.06)
    assert "finite" in sol.outcome.message or "number" in sol.outcome.message


@pytest.mark.parametrize(
    ("given", "function", "message"),
    [
        ({"k": "F/X"}, lambda x, k, d: x, "'d' has no unit"),
        ({"k": "F/X"}, lambda x: x, "no parameter 'k'"),
        ({"x": "F/X"}, lambda x: x, "stands for something else"),
        ({}, lambda *x: 0.0, "name each of its parameters|has no unit"),
    ],
)
def test_signatures_that_do_not_fit(given, function, message):
    with pytest.raises(ValueError, match=message):
        jp.law("coordinate", **given)(function)
    with pytest.raises(ValueError, match="stands on one of"):
        jp.law("gear")


def use(law):
    with pytest.raises(jp.InputError) as caught:
        pendulum(law)
    return str(caught.value)


def test_what_is_wrong_with_a_law_is_told_when_it_is_used():
    @jp.law("coordinate")
    def hollow(x, v):
        return math.sqrt(-1.0 - x * x - v * v)

    @jp.law("coordinate")
    def wordy(x, v):
        return "push"

    @jp.law("coordinate", energy=True)
    def giving(x, v):
        return v, 0.0 * x, -v * v

    @jp.law("coordinate", energy=True)
    def leaking(x, v):
        return -x - v, 0.7 * x * x, v * v

    @jp.law("friction", mu="")
    def jumping(s, mu):
        return mu + 0.0 * s

    assert "no finite value" in use(hollow())
    assert "compiler cannot take it" in use(wordy()) or "plain numbers" in use(wordy())
    assert "less than nothing" in use(giving())
    assert "must add up" in use(leaking())
    with pytest.raises(ValueError, match="at rest"):
        jumping(0.3).numbers()
    # without source nothing can be made fit for the imaginary step: then that is reported
    space: dict = {}
    exec("def folded(x, v):\n    return -abs(x)", space)
    shape = Shape("coordinate", (("argument", 0), ("argument", 1)))
    addresses, _ = library_of(space["folded"], shape)
    assert "imaginary step" in check(shape, addresses, ())


def half(q):
    """Something that a law calls."""
    return 0.5 * fold(q) if q > -2.0 else q**3


def fold(q):
    """Something that that calls."""
    return abs(q) % 0.8 + math.atan2(q, 1.0 + q * q)


def endless(q):
    """It calls itself."""
    return endless(q - 1.0) if q > 0.0 else q


def test_laws_call_functions_of_their_own():
    @jp.law(k="F/X")
    def folded(x, v, k):
        return -k * half(x) + 0.1 * half(v)

    answers = folded(3.0).numbers()
    draw = np.random.default_rng(8)
    for x, v in draw.uniform(-3.0, 3.0, (50, 2)):
        result = call_at(answers[1], np.array([3.0]), np.zeros(0), x, v, 0.0)
        assert result[0] == pytest.approx(-3.0 * half(x) + 0.1 * half(v), abs=1e-14)
        for k, (size, place) in enumerate(((-3.0, x), (0.1, v))):
            slope = size * (half(place + 1e-6) - half(place - 1e-6)) / 2e-6
            assert result[1 + k] == pytest.approx(slope, abs=1e-8)

    @jp.law
    def round_and_round(x, v):
        return endless(x)

    assert "'endless' calls itself" in use(round_and_round())

    @jp.law
    def special(x, v):
        return math.gamma(2.0 + x * x)

    assert "math.gamma, which laws cannot" in use(special())


def test_what_a_law_returns_has_a_form():
    @jp.law(k="F/X")
    def pair(x, v, k):
        return k * x, k

    @jp.law
    def nothing(x, v):
        pass

    @jp.law(states={"z": "X"})
    def forgetful(x, v, z):
        return -x

    @jp.law(states={"z": "X"})
    def talkative(x, v, z):
        return -x, 1.0, 2.0

    @jp.law
    def stubborn(x, v):
        raise ValueError("not today")

    @jp.law(k="no_unit")
    def strange(x, k):
        return -k * x

    assert "returns 2 values, and has to return 1: the force" in use(pair(3.0))
    assert "returns nothing" in use(nothing())
    assert "returns one value, and has to return 2: the force and the rate of 'z'" in use(forgetful())
    assert "returns 3 values, and has to return 2" in use(talkative())
    assert "raises ValueError (not today) wherever it was tried" in use(stubborn())
    assert "unknown unit 'no_unit'" in use(strange(1.0))
    with pytest.raises(ValueError, match="made of a Python function"):
        jp.law()(3)

    @jp.law
    def bent_where_it_is_tried(x, v):  # its corners are at places that the check looks at
        return -np.clip(x, -1.0, 0.4) - min(max(v, -0.05), 0.7)

    pendulum(bent_where_it_is_tried())


def test_an_outcome_names_laws_that_may_have_failed():
    @jp.law(k="F/X")
    def brittle(x, v, k):
        if x < -0.3:
            raise ValueError("too far")
        return -k * x

    for method in (jp.Explicit(), jp.Implicit(), jp.Moreau(step=1e-3)):
        sol = jp.simulate(pendulum(brittle(3.0)), 1.0, method)
        assert not sol.outcome.ok and len(sol.time) > 10
        assert "a law of your own may raise" in sol.outcome.message.lower() and "brittle' of A" in sol.outcome.message
    assert "of your own" not in jp.simulate(pendulum(brittle(3.0)), 0.1, jp.Explicit()).outcome.message


def test_files_name_laws_of_allowed_modules_only(tmp_path, monkeypatch):
    (tmp_path / "mylaws_for_test.py").write_text(
        "import jointplay as jp\n\n@jp.law('coordinate', k='F/X')\ndef weak(x, k=2.0):\n    return -k * x\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    tree = pendulum(jp.Spring(1.0)).to_tree()
    tree["joints"]["A"]["angle"] = {"mylaws_for_test:weak": {"k": "3 N*m/rad"}}
    shown = jp.System.from_tree(tree)
    assert shown.absent == {"mylaws_for_test:weak": "mylaws_for_test"}
    shown.check()
    with pytest.raises(jp.InputError, match="allow="):
        jp.simulate(shown, 0.1)
    allowed = jp.System.from_tree(tree, allow=["mylaws_for_test"])
    assert allowed.to_tree() == tree
    sol = jp.simulate(allowed, 0.1, method=jp.Explicit(), save=0.1)
    same = jp.simulate(pendulum(jp.Spring(3.0)), 0.1, method=jp.Explicit(), save=0.1)
    np.testing.assert_allclose(sol["A.angle"], same["A.angle"], rtol=1e-12)
    tree["joints"]["A"]["angle"] = {"mylaws_for_test:absent": None}
    with pytest.raises(jp.InputError, match="cannot be loaded"):
        jp.System.from_tree(tree, allow=["mylaws_for_test"])
    tree["joints"]["A"]["angle"] = {"math:sin": None}
    with pytest.raises(jp.InputError, match="is no law"):
        jp.System.from_tree(tree, allow=["math"])


def test_the_command_line_allows_modules(tmp_path, monkeypatch):
    (tmp_path / "cli_laws_for_test.py").write_text(
        "import jointplay as jp\n\n@jp.law('coordinate', k='F/X')\ndef weak(x, k):\n    return -k * x\n"
    )
    tree = pendulum(jp.Spring(1.0)).to_tree()
    tree["joints"]["A"]["angle"] = {"cli_laws_for_test:weak": "3 N*m/rad"}
    (tmp_path / "model.json").write_text(json.dumps(tree))
    monkeypatch.chdir(tmp_path)
    command = [sys.executable, "-m", "jointplay"]
    given = {"cwd": tmp_path, "capture_output": True, "text": True, "timeout": 300, "check": False}
    refused = subprocess.run([*command, "run", "model.json", "--until", "0.1"], **given)
    assert refused.returncode == 2 and "--allow cli_laws_for_test" in refused.stderr
    assert "Traceback" not in refused.stderr and not (tmp_path / "model.nc").exists()
    checked = subprocess.run([*command, "check", "model.json"], **given)
    assert checked.returncode == 0 and "cli_laws_for_test:weak" in checked.stderr
    done = subprocess.run([*command, "run", "model.json", "--until", "0.1", "--allow", "cli_laws_for_test"], **given)
    assert done.returncode == 0, done.stderr


def test_copies_made_from_the_tree_keep_the_law():
    s = pendulum(relaxing(2.0, 0.15), speed=0.7)
    path = f"joints.A.angle.{__name__}:relaxing.k"
    settings = {"until": 0.1, "method": jp.Index1(step=2e-3), "save": [0.1]}
    direct = jp.sensitivities(s, [path], ["A.angle"], **settings)["A.angle"][path]
    near = [jp.simulate(pendulum(relaxing(2.0 + h, 0.15), speed=0.7), **settings)["A.angle"][-1] for h in (1e-4, -1e-4)]
    assert float(np.ravel(direct)[-1]) == pytest.approx((near[0] - near[1]) / 2e-4, rel=1e-6)
    refused = jp.System.from_tree(s.to_tree())
    with pytest.raises(jp.InputError, match="allow="):
        jp.sensitivities(refused, [path], ["A.angle"], **settings)
    with pytest.raises(jp.InputError, match="allow="):
        jp.study(refused, {path: jp.Uniform(1.0, 3.0)}, jp.Final("A.angle"), plan=jp.Random(2), until=0.1)
