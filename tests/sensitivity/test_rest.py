"""Derivatives at all saved instants of a motion that comes to rest, or is caught by a wall, against closed forms.

Saved states inside the first step after an impact are interpolated from its start, where accelerations have jumped.
"""

from __future__ import annotations

import numpy as np
import pytest

import jointplay as jp

G = 9.81


def dropped(e: float, h: float, mass: float = 1.0) -> jp.System:
    """A block that falls by h onto a stop."""
    s = jp.System("block", planar=True, gravity=(0, -G), parameters={"e": e, "h": f"{h!r} m"})
    block = s.body("block", mass=mass, inertia=0.01, position=(0, 0))
    wall = jp.Stop(lower="-h", upper="h", contact=jp.Rigid(restitution="e"))
    s.prismatic("P", s.ground, block, point=(0, 0), axis=(0, 1), displacement=wall)
    return s


def bounces(t: float, e: float, h: float) -> tuple[float, float]:
    """Place and speed at t."""
    v, begins = np.sqrt(2.0 * G * h), np.sqrt(2.0 * h / G)
    if t < begins:
        return -0.5 * G * t * t, -G * t
    for _ in range(60):
        v *= e
        lasts = 2.0 * v / G
        if t < begins + lasts:
            s = t - begins
            return -h + v * s - 0.5 * G * s * s, v - G * s
        begins += lasts
    return -h, 0.0


def impacts_of(e: float, h: float) -> np.ndarray:
    """Instants of the first impacts."""
    first = np.sqrt(2.0 * h / G)
    flights = 2.0 * first * e ** np.arange(1, 40)
    return first + np.concatenate([[0.0], np.cumsum(flights)])


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("step", (0.0, 3e-3), ids=("controlled", "fixed"))
def test_a_block_that_bounces_until_it_rests(seed: int, step: float) -> None:
    draw = np.random.default_rng(seed)
    e, h = draw.uniform(0.2, 0.7), 10.0 ** draw.uniform(-1, 1)
    end = 2.0 * np.sqrt(2.0 * h / G) * (1.0 + e) / (1.0 - e)
    method = jp.Moreau(step=step * end) if step else jp.Moreau()
    quantities = ["P.displacement", "P.displacement_rate"]
    found = jp.sensitivities(dropped(e, h), ["e", "h"], quantities, method, until=end, save=end / 97.3)
    assert not found.invalid
    instants, tiny = impacts_of(e, h), 1e-6
    for n, t in enumerate(found.time):
        if np.min(np.abs(instants - t)) < 1e-3 * end:  # flights too short for differences
            continue
        by_e = (np.array(bounces(t, e + tiny, h)) - bounces(t, e - tiny, h)) / (2 * tiny)
        by_h = (np.array(bounces(t, e, h + tiny * h)) - bounces(t, e, h - tiny * h)) / (2 * tiny * h)
        for q, name in enumerate(quantities):
            scale = (h, np.sqrt(G * h))[q]
            assert found[name]["e"][n] == pytest.approx(by_e[q], abs=1e-5 * scale, rel=1e-5), (name, t)
            assert found[name]["h"][n] == pytest.approx(by_h[q], abs=1e-5 * scale / h, rel=1e-5), (name, t)


def test_the_integral_of_its_height_by_both_kinds() -> None:
    """Over all of it: d/de of 2/3 h t1 + (2 v^3/(3 g^2)) e^3/(1 - e^3).

    The sum over saved instants errs by half an interval times the jumps of the derivative, here 2e-3.
    """
    e, h, end = 0.5, 1.0, 3.0
    v = np.sqrt(2.0 * G * h)
    exact = 2.0 * v**3 / G**2 * e**2 / (1.0 - e**3) ** 2
    of = [jp.Integral("P.displacement")]
    kinds = [
        jp.sensitivities(dropped(e, h), ["e"], of, until=end, save=end / 4000, derivative=kind)[of[0]]["e"]
        for kind in ("direct", "adjoint")
    ]
    assert float(kinds[0]) == pytest.approx(exact, rel=5e-3)
    assert float(kinds[1]) == pytest.approx(float(kinds[0]), rel=1e-10)


def test_a_pendulum_that_a_wall_catches() -> None:
    """e = 0: it stays there. The angle behind the wall's instant is that of the wall, its rate zero."""
    s = jp.System("caught", planar=True, gravity=(0, -G), parameters={"length": "0.5 m", "at": "1 rad"})
    bob = s.body("bob", mass=1.0, inertia="length^2/12 * 1 kg", position=("length", 0))
    wall = jp.Stop(lower="-at", upper=10.0, contact=jp.Rigid(restitution=0.0))
    s.revolute("P", s.ground, bob, point=(0, 0), angle=wall)
    found, ref = (
        jp.sensitivities(
            s,
            ["length", "at"],
            ["P.angle", "P.angle_rate"],
            jp.Moreau(step=1e-4),
            until=1.0,
            save=0.01,
            derivative=kind,
        )
        for kind in ("direct", "differences")
    )
    assert not found.invalid
    assert found.solution["P.angle"][-1] == pytest.approx(-1.0, abs=1e-9)
    for name in ("P.angle", "P.angle_rate"):
        for p in ("length", "at"):
            assert np.allclose(found[name][p], ref[name][p], atol=1e-5, rtol=1e-4), (name, p)
