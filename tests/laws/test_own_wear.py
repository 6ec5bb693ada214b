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
    return k * x + k1 * stretch, 0.5 * k * x * x + 0.5 * k1 * stretch * stretch, k1 * stretch * stretch / tau, stretch / tau


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
