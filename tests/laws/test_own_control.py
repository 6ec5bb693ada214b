"""Own laws that sense the rest of the mechanism: motion and derivatives of the expressions that they replace."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import jointplay as jp
from jointplay.gallery import entries

GAINS = ("kp", "kd", "kx", "kv", "ki")
UNITS = {"kp": "N/rad", "kd": "N*s/rad", "kx": "N/m", "kv": "N*s/m", "ki": "N/(m*s)", "lean": "rad"}


@jp.law(**UNITS, senses={"angle": "rad", "spin": "rad/s"}, states={"place": "X*s"})
def balance(x, v, angle, spin, place, kp, kd, kx, kv, ki, lean):
    """A PID controller of a pole on a cart."""
    return kp * (angle + lean) + kd * spin + kx * x + kv * v + ki * place, x


@jp.law(senses={"angle": "rad", "spin": "rad/s"}, limit="N", kp="N/rad", kd="N*s/rad")
def limited(angle, spin, limit, kp, kd):
    """One that cannot push harder than a limit, and takes a power of what it senses."""
    wanted = kp * angle**3 + kd * spin
    return max(-limit, min(limit, wanted))


def cart_pole(law: jp.laws.base.Law | None) -> jp.System:
    """The example of the gallery, its controller as a law if one is given."""
    tree = jp.load_model(entries()["cart_pole"]).to_tree()
    if law is not None:
        del tree["forces"]["controller"], tree["states"]
        tree["joints"]["rail"]["displacement"] = law
    return jp.System.from_tree(tree)


def controller() -> jp.laws.base.Law:
    return balance(*(name for name in UNITS), angle="hinge.angle", spin="hinge.angle_rate")


METHODS = {
    "explicit": (jp.Explicit(rtol=1e-10, atol=1e-12), 1e-10),
    "implicit": (jp.Implicit(rtol=1e-8), 1e-9),
    "index1": (jp.Index1(step=2e-3), 1e-10),
    "verlet": (jp.Verlet(step=1e-3), 1e-10),
    "moreau": (jp.Moreau(step=1e-3), 1e-10),
}


@pytest.mark.parametrize(("method", "bound"), METHODS.values(), ids=METHODS)
def test_the_same_motion_as_the_expression(method: jp.Method, bound: float) -> None:
    """To rounding, which an unstable pole makes larger: control keeps it within some orders."""
    runs = [jp.simulate(cart_pole(law), 3.0, method, save=0.02) for law in (None, controller())]
    assert all(one.outcome.ok for one in runs)
    assert np.abs(runs[0]["hinge.angle"] - runs[1]["hinge.angle"]).max() <= bound
    assert np.abs(runs[0]["place"] - runs[1]["rail.place"]).max() <= bound


@pytest.mark.parametrize("method", ["explicit", "implicit", "index1", "verlet"])
def test_derivatives_by_the_gains(method: str) -> None:
    of = [jp.Final("rail.displacement"), jp.Final("hinge.angle"), jp.Final("rail.place")]
    run = {"until": 1.0, "save": 0.05, "method": METHODS[method][0]}
    found = {
        kind: jp.sensitivities(cart_pole(controller()), list(GAINS), of, derivative=kind, **run)
        for kind in ("direct", "adjoint", "complex-step")
    }
    reference = jp.sensitivities(cart_pole(None), list(GAINS), [*of[:2], jp.Final("place")], **run)
    for one, plain in zip(of, [*of[:2], jp.Final("place")], strict=True):
        for gain in GAINS:
            direct = float(found["direct"][one][gain])
            scale = max(abs(direct), 1e-6)
            assert abs(float(found["complex-step"][one][gain]) - direct) <= 1e-8 * scale, (one, gain)
            assert abs(float(found["adjoint"][one][gain]) - direct) <= 1e-8 * scale, (one, gain)
            assert abs(float(reference[plain][gain]) - direct) <= 1e-6 * scale, (one, gain)


def test_random_numbers() -> None:
    """Functions of four senses with numbers drawn at random: the force is what plain Python says of the results."""
    draw = np.random.default_rng(3)
    for _ in range(4):
        a, b, c = draw.normal(size=3)

        @jp.law(senses={"p": "rad", "q": "rad/s", "r": "m", "s": "m/s"}, a="N/rad^2", b="N*s/m", c="N/m^2")
        def drawn(p, q, r, s, a, b, c):
            return a * p * np.sin(p) * np.cos(q) + b * s * np.exp(-(r**2)) + c * r * r * q / (1.0 + p * p)

        law = drawn(a, b, c, p="hinge.angle", q="hinge.angle_rate", r="rail.displacement", s="cart.velocity[0]")
        sol = jp.simulate(cart_pole(law), 0.4, jp.Explicit(rtol=1e-10), save=0.05)
        p, q = sol["hinge.angle"], sol["hinge.angle_rate"]
        r, s = sol["rail.displacement"], sol["cart.velocity"][:, 0]
        exact = a * p * np.sin(p) * np.cos(q) + b * s * np.exp(-(r**2)) + c * r * r * q / (1.0 + p * p)
        assert np.allclose(sol["rail.law_force"], exact, rtol=1e-10, atol=1e-12)


def test_a_limit_and_a_power() -> None:
    """Comparisons look at real parts, powers of negative numbers have derivatives."""
    law = limited("2 N", 300.0, 1.0, angle="hinge.angle", spin="hinge.angle_rate")
    sol = jp.simulate(cart_pole(law), 0.5, jp.Implicit(rtol=1e-8), save=0.01)
    wanted = 300.0 * sol["hinge.angle"] ** 3 + sol["hinge.angle_rate"]
    assert np.allclose(sol["rail.law_force"], np.clip(wanted, -2.0, 2.0), atol=1e-9)


def test_its_power_counts_as_input() -> None:
    sol = jp.simulate(cart_pole(controller()), 2.0, jp.Explicit(rtol=1e-10), save=0.02)
    assert np.abs(sol["energy.error"]).max() <= 1e-9 * np.abs(sol["energy.kinetic"]).max()


def test_bad_senses() -> None:
    with pytest.raises(jp.InputError, match="expected an angle"):
        cart_pole(limited("2 N", 300.0, 1.0, angle="rail.displacement + 1 mm", spin="hinge.angle_rate"))
    with pytest.raises(jp.InputError, match="expected rad, but rail.displacement is in m"):
        cart_pole(limited("2 N", 300.0, 1.0, angle="rail.displacement", spin="hinge.angle_rate"))
    # a plain number does not make an angle of a length here, though it makes a force of it
    for text in ("2*rail.displacement", "-rail.displacement", "hinge.angle + 2*rail.displacement"):
        with pytest.raises(jp.InputError, match="expected rad, but"):
            cart_pole(limited("2 N", 300.0, 1.0, angle=text, spin="hinge.angle_rate"))
    for text in ("2*hinge.angle", "2 rad/m*rail.displacement", "0.1*sin(2*t) - hinge.angle", "0.3 rad/s*t"):
        cart_pole(limited("2 N", 300.0, 1.0, angle=text, spin="hinge.angle_rate"))
    with pytest.raises(ValueError, match="'values' stands for something else"):
        jp.law(senses={"values": "rad"})(lambda values: values)
    with pytest.raises(ValueError, match="senses needs a mapping"):
        jp.law(senses=["angle"])
    with pytest.raises(jp.InputError, match="no_joint"):
        cart_pole(limited("2 N", 300.0, 1.0, angle="no_joint.angle", spin="hinge.angle_rate"))
    with pytest.raises(ValueError, match="only a law on a coordinate may sense"):
        jp.law("contact", senses={"angle": "rad"})(lambda x, angle: x)
    with pytest.raises(ValueError, match="counts as input"):
        jp.law(senses={"angle": "rad"}, energy=True)(lambda x, angle: (x, x, x))


def test_a_law_that_fails_ends_the_run() -> None:
    @jp.law(senses={"angle": "rad"})
    def narrow(angle):
        return np.sqrt(0.2 - angle)  # no value behind 0.2 rad

    sol = jp.simulate(cart_pole(narrow(angle="hinge.angle")), 3.0, jp.Explicit())
    assert not sol.outcome.ok
    assert "finite number" in sol.outcome.message


def test_copies_keep_their_law() -> None:
    """Deep copies and copies that go to other processes."""
    system = cart_pole(controller())
    exact = jp.simulate(system, 0.2, save=0.1)["hinge.angle"]
    for other in (copy.deepcopy(system), pickle.loads(pickle.dumps(system))):
        assert jp.simulate(other, 0.2, save=0.1)["hinge.angle"].tolist() == exact.tolist()
