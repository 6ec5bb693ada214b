"""Contact laws with inner states that a user writes as a function."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jointplay as jp

A, KW, K = 1e-4, 1e-11, 1e7


@jp.law("contact", k="F/X", pace="1/(F)", states={"h": "X"}, recess="h", energy=True)
def wearing(x, v, s, k, pace):  # type: ignore[no-untyped-def]
    force = k * x
    grows = pace * force * s
    return force, 0.5 * k * x * x, force * grows, grows


@jp.law("contact", k="F/X", k1="F/X", tau="s", states={"z": "X"}, energy=True)
def foam(x, v, k, k1, tau, z):  # type: ignore[no-untyped-def]
    """A spring beside a spring in line with a damper."""
    stretch = x - z
    return (
        k * x + k1 * stretch,
        0.5 * k * x * x + 0.5 * k1 * stretch * stretch,
        k1 * stretch * stretch / tau,
        stretch / tau,
    )


def shoe(law: Any) -> jp.System:
    s = jp.System("shoe", gravity=(0, 0), planar=True)
    block = s.body("block", mass=2.0, inertia=0.02, velocity=(2, 0))
    play = jp.Clearance("0.1 mm", contact=law, friction=jp.Coulomb(0.2, creep=1e-3))
    s.prismatic("D", s.ground, block, point=(0, 0), axis=(1, 0), length=0.2, width=0.1, radial=play)
    s.force("F", block, force=(0, -400.0))
    return s


def test_the_same_as_archard() -> None:
    method = jp.Index1(step=2e-5)
    own = jp.simulate(shoe(wearing(K, KW / A)), until=0.05, method=method, save=0.01)
    law = jp.Archard(jp.Hertz(stiffness=K, exponent=1.0), coefficient=KW, area=A)
    ours = jp.simulate(shoe(law), until=0.05, method=method, save=0.01)
    assert own["D.h"][-1].max() > 1e-9
    assert np.allclose(own["D.h"], ours["D.wear"], rtol=1e-9, atol=1e-20)
    assert np.allclose(own["energy.dissipated"], ours["energy.dissipated"], rtol=1e-9)


def dropped(law: Any, speed: float = -1.0) -> jp.System:
    s = jp.System("drop", gravity=(0, 0), planar=True)
    block = s.body("block", mass=1.0, inertia=0.1, velocity=(speed, 0))
    s.prismatic("D", s.ground, block, point=(0, 0), axis=(1, 0), displacement=jp.Stop(lower=-0.01, contact=law))
    return s


@pytest.mark.parametrize("method", [jp.Explicit(rtol=1e-11, atol=1e-14), jp.Implicit(rtol=1e-9, atol=1e-12)], ids=str)
def test_a_state_that_is_no_recess(method: Any) -> None:
    """A foam of three elements at a stop: its closed form in touch, the ledger, and its rest in the open contact."""
    k, k1, tau = 1e4, 2e4, 5e-3
    sol = jp.simulate(dropped(foam(k, k1, tau)), until=0.06, method=method, save=2e-4)
    assert sol.outcome.ok
    assert np.abs(sol["energy.error"]).max() < 1e-6
    # x'' = -k x - k1 (x - z), z' = (x - z)/tau from x = 0, x' = 1, z = 0: three exponentials
    system = np.array([[0.0, 1.0, 0.0], [-(k + k1), 0.0, k1], [1.0 / tau, 0.0, -1.0 / tau]])
    values, vectors = np.linalg.eig(system)
    parts = np.linalg.solve(vectors, [0.0, 1.0, 0.0])
    touched = sol.time - 0.01
    inside = (touched > 0.0) & (sol["D.displacement"] < -0.0105)
    exact = (vectors @ (parts[:, None] * np.exp(np.outer(values, touched[inside])))).real
    z = sol["D.displacement.z"][:, 0]
    assert inside.sum() > 10
    assert np.abs(-0.01 - sol["D.displacement"][inside] - exact[0]).max() < 1e-7
    assert np.abs(z[inside] - exact[2]).max() < 1e-7
    # open again, what is left of z dies away: z' = -z/tau
    last = np.flatnonzero(sol["D.displacement"] > -0.0099)[-20:]
    assert np.allclose(z[last], z[last[0]] * np.exp(-(sol.time[last] - sol.time[last[0]]) / tau), rtol=1e-5)


def refused(match: str, decorate: Any, function: Any) -> None:
    with pytest.raises(ValueError, match=match):
        decorate(function)


def test_sentences() -> None:
    refused("takes x, v, s", jp.law("contact", states={"h": "X"}), lambda x, v, onset, h: (x, h))
    refused("'recess' names a state", jp.law("contact", recess="h"), lambda x, v: x)
    refused("only a law on a coordinate or of a contact", jp.law("friction", states={"h": "X"}), lambda s, h: (s, h))

    @jp.law("contact", states={"h": "X"}, recess="h")
    def follows(x, v, s):  # type: ignore[no-untyped-def]
        return 1e6 * x * (1.0 + s), 1e-9 * s

    with pytest.raises(jp.InputError, match="its force depends on the sliding speed s"):
        shoe(follows())
    with pytest.raises(ValueError, match="nothing slides along a stop"):
        jp.Stop(lower=-0.1, contact=follows())


# ---- a foam that is always in touch: linear equations with a closed form, in every method and for derivatives

K0, K1, TAU, UNTIL = 4e3, 8e3, 4e-3, 0.02


@jp.law("contact", anywhere=True, k="F/X", k1="F/X", tau="s", states={"z": ("X", 1e-3)}, energy=True)
def bonded(x, v, k, k1, tau, z):  # type: ignore[no-untyped-def]
    stretch = x - z
    return (
        k * x + k1 * stretch,
        0.5 * k * x * x + 0.5 * k1 * stretch * stretch,
        k1 * stretch * stretch / tau,
        stretch / tau,
    )


def bounce(k: float = K0, k1: float = K1, tau: float = TAU) -> jp.System:
    s = jp.System("bonded", gravity=(0, 0), planar=True)
    block = s.body("block", mass=1.0, inertia=0.1, velocity=(-1, 0))
    stop = jp.Stop(lower=0.0, contact=bonded(k, k1, tau))
    s.prismatic("D", s.ground, block, point=(0, 0), axis=(1, 0), displacement=stop)
    return s


def exact(t: float, k: float = K0, k1: float = K1, tau: float = TAU) -> np.ndarray:
    """Depth, its rate, and z: z' = (x - z)/tau."""
    values, vectors = np.linalg.eig(np.array([[0.0, 1.0, 0.0], [-(k + k1), 0.0, k1], [1.0 / tau, 0.0, -1.0 / tau]]))
    return np.asarray((vectors @ (np.linalg.solve(vectors, [0.0, 1.0, 1e-3]) * np.exp(values * t))).real)


def off(method: Any) -> float:
    sol = jp.simulate(bounce(), until=UNTIL, method=method, save=UNTIL)
    found = np.array([-sol["D.displacement"][-1], sol["D.displacement.z"][-1, 0]])
    return float(np.abs(found - exact(UNTIL)[[0, 2]]).max())


@pytest.mark.parametrize(
    ("kind", "order"), [(jp.Index1, 2), (jp.Verlet, 2), (jp.Moreau, 2), (jp.OptimalStep, 1)], ids=lambda x: str(x)
)
def test_order(kind: Any, order: int) -> None:
    def method(h: float) -> Any:
        return kind(h_min=h, h_max=h) if kind is jp.OptimalStep else kind(step=h)

    errors = [off(method(h)) for h in (1e-4, 5e-5)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.15)


@pytest.mark.parametrize("method", [jp.Explicit(rtol=1e-12, atol=1e-14), jp.Implicit(rtol=1e-10, atol=1e-13)], ids=str)
def test_controlled_methods(method: Any) -> None:
    assert off(method) < 1e-9


WRT = ["k", "k1", "tau"]


@pytest.mark.parametrize("method", [jp.Index1(step=1e-4), jp.Explicit(rtol=1e-10, atol=1e-13)], ids=str)
def test_derivatives(method: Any) -> None:
    """Direct = adjoint = complex step to 1e-8, and near the derivative of the closed form."""
    of = [jp.Final("D.displacement"), jp.Final("D.displacement.z[0]"), jp.Final("D.displacement_rate")]
    given = {"method": method, "until": UNTIL, "save": UNTIL / 4}
    found = {kind: jp.sensitivities(bounce, WRT, of, derivative=kind, **given) for kind in ("direct", "adjoint")}
    found["complex"] = jp.sensitivities(bounce, WRT, of, derivative="complex-step", **given)
    for one in of:
        for name in WRT:
            there = found["direct"][one][name]
            assert there != 0.0
            assert found["adjoint"][one][name] == pytest.approx(there, rel=1e-8)
            assert found["complex"][one][name] == pytest.approx(there, rel=1e-8)
    base = {"k": K0, "k1": K1, "tau": TAU}
    for name, value in base.items():
        h = 1e-4 * value
        slope = (exact(UNTIL, **(base | {name: value + h})) - exact(UNTIL, **(base | {name: value - h}))) / (2.0 * h)
        near = 1e-6 if isinstance(method, jp.Explicit) else 2e-2
        size = np.abs(slope[[0, 2]]).max()
        assert -found["direct"][of[0]][name] == pytest.approx(slope[0], abs=near * size)
        assert found["direct"][of[1]][name] == pytest.approx(slope[2], abs=near * size)
