"""A pole on a cart with a PID controller: expression, law with a state, program at 1 kHz; derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import jointplay as jp
from jointplay.gallery import entries
from jointplay.gallery.cart_pole import GAINS, KD, KI, KP, KV, KX, LEAN, SAVE, UNTIL, held

M, m, L, J, G, WIND = 1.0, 0.2, 0.3, 0.006, 9.81, 1.0
TIGHT = jp.Explicit(rtol=1e-11, atol=1e-13)
NAMES = ("rail.displacement", "hinge.angle", "place", "rail.displacement_rate", "hinge.angle_rate")


def by_expression() -> jp.System:
    return jp.load_model(entries()["cart_pole"])


def by_law() -> jp.System:
    """The same controller as a law on the rail, with a state of its own."""
    tree = by_expression().to_tree()
    del tree["forces"]["controller"], tree["states"]
    tree["joints"]["rail"]["displacement"] = {
        "force_law": "kp*(hinge.angle + lean) + kd*hinge.angle_rate + kx*x + kv*v + ki*place",
        "states": {"place": {"unit": "m*s", "rate": "x"}},
    }
    return jp.System.from_tree(tree)


@pytest.fixture(scope="module")
def reference() -> Any:
    """From the Lagrangian of cart and pole: x, lean, integral, and rates."""

    def rates(t: float, y: np.ndarray) -> list[float]:
        x, a, e, v, w = y
        force = KP * a + KD * w + KX * x + KV * v + KI * e - WIND
        mass = np.array([[M + m, m * L * np.cos(a)], [m * L * np.cos(a), J + m * L**2]])
        dv, dw = np.linalg.solve(mass, [force + m * L * w**2 * np.sin(a), m * G * L * np.sin(a)])
        return [v, w, x, dv, dw]

    times = np.linspace(0.0, UNTIL, round(UNTIL / SAVE) + 1)
    found = solve_ivp(rates, (0, UNTIL), [0, LEAN, 0, 0, 0], "DOP853", times, rtol=1e-12, atol=1e-13)
    assert found.success
    found.y[1] -= LEAN
    return found


@pytest.mark.parametrize(
    ("method", "bound"),
    [
        (TIGHT, 1e-9),
        (jp.Implicit(rtol=1e-8, atol=1e-10), 1e-6),
        (jp.Index1(step=1e-3), 1e-4),
        (jp.Verlet(step=1e-3), 1e-4),
        (jp.Moreau(step=1e-3), 1e-3),
    ],
    ids=repr,
)
def test_the_expression_follows_the_equations(method: Any, bound: float, reference: Any) -> None:
    sol = jp.simulate(by_expression(), UNTIL, method, save=SAVE)
    for name, truth in zip(NAMES, reference.y, strict=True):
        # of order 2: (1e-3 s)^2/12 times third derivatives of up to 500/s3
        assert sol[name] == pytest.approx(truth, abs=bound)


def test_expression_and_law_agree_to_rounding() -> None:
    one, other = (jp.simulate(build(), UNTIL, TIGHT, save=SAVE) for build in (by_expression, by_law))
    assert one["hinge.angle"] == pytest.approx(other["hinge.angle"], abs=1e-12)
    assert one["place"] == pytest.approx(other["rail.place"], abs=1e-12)
    assert one["energy.input"] == pytest.approx(other["energy.input"], abs=1e-11)


def test_a_program_at_1_khz_differs_by_what_holding_does(reference: Any) -> None:
    """To first order in the period, like a delay of half of it; extrapolated to nothing it is the continuous one."""
    fine, coarse = (held(period) - reference.y[1] for period in (1e-3, 2e-3))
    assert np.abs(fine).max() == pytest.approx(0.2374e-3, rel=1e-3)
    assert np.abs(coarse).max() / np.abs(fine).max() == pytest.approx(2.0, abs=0.02)
    assert np.abs(2.0 * fine - coarse).max() < 3e-6  # (1e-3 s)^2 times the next derivative


@pytest.mark.slow
@pytest.mark.parametrize("build", [by_expression, by_law])
def test_derivatives_with_respect_to_the_gains(build: Any) -> None:
    found = {}
    for kind in ("direct", "complex-step", "adjoint"):
        goals = [jp.Final("hinge.angle"), jp.Final("rail.displacement")]
        method = jp.Index1(step=5e-3)
        result = jp.sensitivities(build(), list(GAINS), goals, until=1.0, method=method, derivative=kind)
        found[kind] = np.array([[float(np.ravel(result[of][name])[-1]) for name in GAINS] for of in result.names])
    assert np.abs(found["direct"]).min() > 1e-6
    assert found["complex-step"] == pytest.approx(found["direct"], rel=1e-8)
    assert found["adjoint"] == pytest.approx(found["direct"], rel=1e-8)
