"""A mass on a squeeze film against its first integral.

    m h'' = -W - C h'/h^3        =>        m (h' - v_0) = (C/2)(1/h^2 - 1/h_0^2) - W t

since C h'/h^3 is the derivative of -C/(2 h^2): exact for every mass, speed and load while h > ``least``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jointplay as jp

M, C, H0, V0 = 2.0, 1e-6, 1e-3, -0.5
METHODS = {
    "explicit": (jp.Explicit(rtol=1e-10, atol=1e-13), 1e-8),
    "implicit": (jp.Implicit(rtol=1e-9, atol=1e-12), 1e-6),
    "index1": (jp.Index1(step=2e-6), 1e-4),
    "verlet": (jp.Verlet(step=2e-6), 1e-4),
    "moreau": (jp.Moreau(step=2e-6), 1e-4),
    "optimal_step": (jp.OptimalStep(h_min=2e-6, h_max=2e-6), 1e-4),
}
EACH = pytest.mark.parametrize("key", METHODS)


def film(constant: float = C, **given: Any) -> jp.SqueezeFilm:
    return jp.SqueezeFilm(**({"constant": constant, "least": 1e-5, "stiffness": 1e9} | given))


def on_film(v0: float = V0, constant: float = C, load: float = 0.0, law: Any = None) -> jp.System:
    s = jp.System("film", planar=True, gravity=(0, 0))
    body = s.body("b", mass=M, inertia=1.0, velocity=(v0, 0))
    stop = jp.Stop(lower=-H0, contact=law or film(constant))
    s.prismatic("D", s.ground, body, point=(0, 0), axis=(1, 0), displacement=stop)
    if load:
        s.force("weight", body, force=(-load, 0))
    return s


def run(system: jp.System, until: float, method: Any, count: int = 20) -> jp.Solution:
    sol = jp.simulate(system, until=until, method=method, save=until / count)
    assert sol.outcome.ok, sol.outcome.message
    return sol


@EACH
@pytest.mark.parametrize("load", [0.0, 300.0])
def test_first_integral(key: str, load: float) -> None:
    method, bound = METHODS[key]
    sol = run(on_film(load=load), 0.01, method)
    h, v = sol["D.displacement"] + H0, sol["D.displacement_rate"]
    expected = V0 + ((C / 2) * (1 / h**2 - 1 / H0**2) - load * sol.time) / M
    # the film magnifies errors of h by C/(m h^3)
    assert np.max(np.abs(v - expected)) < bound * (1.0 + C / (M * h.min() ** 3))
    assert h.min() < 0.9 * H0
    assert sol.stats["onsets"] == 0


def test_comes_to_rest_without_touching() -> None:
    sol = run(on_film(), 0.05, METHODS["explicit"][0])
    rest = (1 / H0**2 - 2 * M * V0 / C) ** -0.5
    assert sol["D.displacement"][-1] + H0 == pytest.approx(rest, rel=1e-7)


@EACH
def test_ledger(key: str) -> None:
    """All of the kinetic energy goes into the film. OptimalStep is of first order: to a step over m h^3/C."""
    method = METHODS[key][0]
    sol = run(on_film(), 0.02, method)
    kinetic = 0.5 * M * (V0**2 - sol["D.displacement_rate"] ** 2)
    decay = C / (M * (sol["D.displacement"].min() + H0) ** 3)
    bound = method.h_max * decay if isinstance(method, jp.OptimalStep) else 1e-4
    assert np.allclose(sol["energy.dissipated"], kinetic, rtol=0.0, atol=bound * 0.5 * M * V0**2)


def test_asperities_carry_a_load() -> None:
    """At rest K (least - h)^n = W; on the way there it rings, and what is left of that decays like exp(-c t/(2 m))."""
    least, K, weight, until = 2e-4, 1e8, 50.0, 0.6
    law = film(constant=1e-9, least=least, stiffness=K)
    sol = run(on_film(v0=-0.05, load=weight, law=law), until, jp.Implicit(rtol=1e-8, atol=1e-11))
    rest = (weight / K) ** (1 / 1.5)
    c = 1e-9 / least**3 * (1.0 + 3.0 * rest / least)
    assert np.exp(-c * until / (2.0 * M)) < 1e-12
    assert least - (sol["D.displacement"][-1] + H0) == pytest.approx(rest, rel=1e-6)


@pytest.mark.parametrize("words", ["full", "cavitating"])
def test_parting(words: str) -> None:
    """A full film holds back by the same integral; a cavitating one lets go."""
    sol = run(on_film(v0=0.5, law=film(film=words)), 0.01, METHODS["explicit"][0])
    h = sol["D.displacement"][-1] + H0
    held = (C / 2) * (1 / h**2 - 1 / H0**2) / M if words == "full" else 0.0
    assert sol["D.displacement_rate"][-1] == pytest.approx(0.5 + held, rel=1e-8)


def test_continued_runs_have_the_same_bits() -> None:
    method = METHODS["index1"][0]
    system = on_film(load=100.0)
    whole = jp.simulate(system, until=0.004, method=method, save=1e-3)
    half = jp.simulate(system, until=0.002, method=method, save=1e-3)
    rest = jp.simulate(system, until=0.004, method=method, save=1e-3, start=half.state)
    assert np.array_equal(whole["D.displacement"][-2:], rest["D.displacement"][-2:])


@pytest.mark.parametrize("key", ["explicit", "implicit", "index1", "verlet"])
@pytest.mark.parametrize("words", ["full", "cavitating"])
def test_derivatives(key: str, words: str) -> None:
    """Direct = complex step, and = adjoint for states; dissipated energy is a sum, which adjoints refuse."""

    def make(v0: float = V0, constant: float = C) -> jp.System:
        return on_film(v0, constant, 30.0, film(constant, film=words))

    method = {"index1": jp.Index1(step=2e-5), "verlet": jp.Verlet(step=2e-5)}.get(key, METHODS[key][0])
    of = [jp.Final("D.displacement"), jp.Final("D.displacement_rate"), jp.Final("energy.dissipated")]

    def matrix(how: str, of: list[Any]) -> np.ndarray:
        found = jp.sensitivities(make, ["v0", "constant"], of, method, derivative=how, until=4e-3, save=[4e-3])
        return np.array([[found[o][p] for p in ("v0", "constant")] for o in of])

    direct, truth = matrix("direct", of), matrix("complex-step", of)
    scale = np.abs(truth).max(axis=0)
    assert np.allclose(direct / scale, truth / scale, rtol=0.0, atol=1e-6)
    assert np.allclose(direct[:2] / scale, matrix("adjoint", of[:2]) / scale, rtol=0.0, atol=1e-9)
    with pytest.raises(jp.InputError, match="adjoint derivatives of sums are not available"):
        matrix("adjoint", of)


def test_law_of_ones_own_at_any_gap() -> None:
    @jp.law("contact", anywhere=True, energy=True, constant="F*s*X^2")
    def layer(x, v, constant):  # type: ignore[no-untyped-def]
        h = max(-x, 1e-6)  # a formula alone would turn its sign where the faces have met
        c = constant / h**3
        return c * v, 0.0 * c, c * v * v

    ours = run(on_film(law=film()), 0.004, METHODS["explicit"][0])
    own = run(on_film(law=layer(constant=C)), 0.004, METHODS["explicit"][0])
    assert np.allclose(own["D.displacement"], ours["D.displacement"], rtol=0.0, atol=1e-12)


def test_round_joints_and_friction_are_refused() -> None:
    with pytest.raises(ValueError, match="acts at any gap, where nothing rubs"):
        jp.Clearance(1e-3, contact=film(), friction=jp.BrownMcPhee(0.1, 0.1, 1e-3))
    with pytest.raises(ValueError, match="acts at any gap"):
        jp.Blended(jp.Bushing(stiffness=1e5), 1e-4, film())
    s = jp.System("bearing", planar=True)
    body = s.body("b", mass=1.0, inertia=1.0)
    with pytest.raises(jp.InputError, match="has no direction"):
        s.revolute("A", s.ground, body, point=(0, 0), radial=jp.Clearance(1e-3, contact=film()))
