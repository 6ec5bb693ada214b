"""Poisson's law of impact: closed forms, an independent solution by cases, and energy over random mechanisms."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from reliability import random_mechanisms

import jointplay as jp


def row_of_masses(first: float, second: float, impact: str) -> jp.System:
    """Three equal masses on a line: the first strikes the second, which lies against the third."""
    s = jp.System("row", planar=True, gravity=(0, 0))
    places = (("a", -0.1, 1.0), ("b", 0.5, 0.0), ("c", 1.0, 0.0))
    a, b, c = (s.body(n, mass=1.0, inertia=0.1, position=(x, 0), velocity=(v, 0)) for n, x, v in places)
    s.prismatic("A", s.ground, a, point=(0, 0), axis=(1, 0))
    for name, one, other, x, lower, e in (("B", a, b, 0.5, -0.1, first), ("C", b, c, 1.0, 0.0, second)):
        stop = jp.Stop(lower=lower, contact=jp.Rigid(restitution=e, impact=impact))
        s.prismatic(name, one, other, point=(x, 0), axis=(1, 0), displacement=stop)
    return s


@pytest.mark.parametrize(("first", "second"), [(0.5, 1.0), (1.0, 1.0), (0.3, 0.6), (0.7, 0.0), (0.0, 0.8)])
def test_a_blow_passes_through_a_row(first: float, second: float) -> None:
    """Compression leaves all at a third of the speed, with impulses of 2/3 and 1/3; e times these are given back."""
    sol = jp.simulate(row_of_masses(first, second, "poisson"), until=0.15, method=jp.Moreau(step=0.01), save=[0, 0.15])
    p, q = 2 / 3 * (1 + first), 1 / 3 * (1 + second)
    speeds = np.array([1 - p, p - q, q])
    if speeds[1] > speeds[2]:  # the second would go through the third: they leave together
        speeds[1:] = 0.5 * p
    elif speeds[0] > speeds[1]:
        speeds[:2] = 0.5 * (1 - q)
    found = np.array([sol[f"{n}.velocity[0]"][-1] for n in "abc"])
    assert found == pytest.approx(speeds, abs=1e-11)


@pytest.mark.parametrize("e", [0.0, 0.3, 0.8, 1.0])
def test_a_single_smooth_contact_rebounds_as_by_newton(e: float) -> None:
    def ball(impact: str) -> jp.Solution:
        s = jp.System("ball", planar=True, gravity=(0, -9.81))
        body = s.body("ball", mass=0.7, inertia=0.1, velocity=(0, -1.0))
        stop = jp.Stop(lower=-0.2, contact=jp.Rigid(restitution=e, impact=impact))
        s.prismatic("D", s.ground, body, point=(0, 0), axis=(0, 1), displacement=stop)
        return jp.simulate(s, until=0.4, method=jp.Moreau(step=1e-3), save=0.01)

    newton, poisson = ball("newton"), ball("poisson")
    assert len(newton.impacts) == len(poisson.impacts)
    assert poisson["D.displacement"] == pytest.approx(newton["D.displacement"], abs=1e-12)


def rod(tilt: float, velocity: tuple[float, float], spin: float, e: float, mu: float, impact: str) -> jp.System:
    """A slender rod of 1 m and 1 kg whose end strikes a rough wall."""
    s = jp.System("rod", planar=True, gravity=(0, 0, 0))
    end = (-0.5 * np.cos(tilt), -0.5 * np.sin(tilt))
    body = s.body("rod", mass=1.0, inertia=1.0 / 12.0, orientation=tilt, velocity=velocity, angular_velocity=spin)
    play = jp.Clearance("50 mm", contact=jp.Rigid(restitution=e, impact=impact), friction=jp.Coulomb(mu))
    s.prismatic("W", s.ground, body, point=end, axis=(1, 0), length=1e-7, width=1e-7, radial=play)
    return s


def by_cases(d: np.ndarray, u: np.ndarray, mu: float, given: float | None) -> np.ndarray:
    """Impulse (normal, along) of one contact: sticking, or sliding either way, whichever agrees with itself.

    ``given``: the least normal impulse (expansion); None: the contact ends without normal speed (compression).
    """
    found = []
    for normal, way in product(("closed", "given"), (0, 1, -1)):
        if normal == "given" and given is None:
            continue
        # unknown impulses (n, t): one condition along the normal, one along the wall
        a, b = np.zeros((2, 2)), np.zeros(2)
        a[0], b[0] = (d[0], -u[0]) if normal == "closed" else ((1.0, 0.0), given)
        a[1], b[1] = (d[1], -u[1]) if way == 0 else ((way * mu, 1.0), 0.0)
        r = np.linalg.solve(a, b)
        after = u + d @ r
        least = 0.0 if given is None else given
        fits = r[0] >= least - 1e-12 and after[0] >= -1e-12
        fits &= abs(r[1]) <= mu * r[0] + 1e-12 if way == 0 else way * after[1] >= -1e-12
        if fits:
            found.append(r)
    assert found
    assert np.ptp(found, axis=0) == pytest.approx(0.0, abs=1e-9)
    return found[0]


@pytest.mark.parametrize("seed", range(20))
def test_a_rod_that_strikes_with_its_end(seed: int) -> None:
    """Both phases solved by hand, case by case, from the inertia of the rod at the wall."""
    draw = np.random.default_rng(seed)
    tilt, velocity, spin = draw.uniform(0.3, 1.4), (draw.uniform(-2, 2), -1.0), draw.uniform(-0.5, 0.5)
    e, mu = draw.uniform(0, 1), draw.uniform(0.05, 0.4)
    sol = jp.simulate(rod(tilt, velocity, spin, e, mu, "poisson"), until=0.2, save=[0, 0.2])
    t = sol.impacts["time"][0]
    angle = tilt + spin * t
    arm = -0.5 * np.array([np.cos(angle), np.sin(angle)])
    j = np.array([[0.0, 1.0, arm[0]], [1.0, 0.0, -arm[1]]])  # normal and along the wall
    if sol.impacts["speed_before"][0] > 0.0 or velocity[1] + spin * arm[0] > 0.0:
        pytest.skip("the other side strikes")
    inverse = np.diag([1.0, 1.0, 12.0])
    before = np.array([*velocity, spin])
    d = j @ inverse @ j.T
    compression = by_cases(d, j @ before, mu, None)
    expansion = by_cases(d, j @ before + d @ compression, mu, e * compression[0])
    after = before + inverse @ j.T @ (compression + expansion)
    gain = 0.5 * (after @ np.linalg.inv(inverse) @ after - before @ np.linalg.inv(inverse) @ before)
    assert gain <= 1e-12
    first = sol.impacts[sol.impacts["time"] == t]
    assert first["impulse"].sum() == pytest.approx(compression[0] + expansion[0], rel=1e-5)  # corners are 50 nm off
    assert sol.stats["impact_gain"] == 0.0


@pytest.mark.parametrize("seed", range(12))
def test_no_energy_is_made_with_large_friction(seed: int) -> None:
    draw = np.random.default_rng(seed)
    given = (draw.uniform(0.3, 1.4), (draw.uniform(-3, 3), -1.0), draw.uniform(-2, 2), 1.0, 0.8)
    sol = jp.simulate(rod(*given, "poisson"), until=0.2)
    assert np.diff(sol["energy.kinetic"]).max() <= 1e-12 * sol["energy.kinetic"][0]
    assert sol.stats["impact_gain"] == 0.0
    assert not sol.outcome.warnings


@pytest.mark.parametrize("family", [random_mechanisms.four_bar, random_mechanisms.slider_crank])
@pytest.mark.parametrize("seed", range(5))
def test_no_energy_is_made_in_mechanisms(family: Any, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Several contacts at a time, joints and drives beside them: no impact gains, and the ledger closes."""
    newton = jp.Rigid
    monkeypatch.setattr(jp, "Rigid", lambda restitution=0.0: newton(restitution=restitution, impact="poisson"))
    sol = jp.simulate(family(np.random.default_rng(seed)), until=0.05, method=jp.Moreau(step=5e-5), save=1e-3)
    assert sol.outcome.ok
    assert len(sol.impacts) > 0
    assert sol.stats["impact_gain"] == 0.0
    lost = [sol.impacts["energy_loss"][sol.impacts["impact"] == k].sum() for k in np.unique(sol.impacts["impact"])]
    assert min(lost) >= -1e-12 * max(map(abs, lost))


def test_mixed_laws_are_refused() -> None:
    s = row_of_masses(0.5, 0.5, "poisson")
    wall = jp.Stop(upper=3.0, contact=jp.Rigid(restitution=0.5))
    s.prismatic("W", s.ground, "c", point=(1, 0), axis=(1, 0), displacement=wall)
    with pytest.raises(jp.InputError, match="follow different laws of impact"):
        jp.simulate(s, until=0.1, method=jp.Moreau(step=0.01))


def test_steps_that_act_as_a_whole_refuse_it() -> None:
    with pytest.raises(jp.InputError, match="Newton's law of impact only"):
        jp.simulate(row_of_masses(0.5, 0.5, "poisson"), 0.1, jp.Moreau(step=0.01, impacts="stepped"))


def test_restitution_along_the_wall_is_refused() -> None:
    with pytest.raises(ValueError, match="tangential goes with Newton's law"):
        jp.Rigid(restitution=0.5, tangential=0.2, impact="poisson")


def test_exact_derivatives_are_refused() -> None:
    s = row_of_masses(0.5, 0.5, "poisson")
    with pytest.raises(jp.InputError, match="Newton's law of impact only"):
        jp.sensitivities(s, "bodies.a.mass", "c.velocity[0]", "direct", until=0.15, scheme=jp.Moreau(step=0.01))


def test_model_files(tmp_path: Any) -> None:
    path = tmp_path / "row.yaml"
    path.write_text(row_of_masses(0.5, 1.0, "poisson").to_yaml())
    assert "impact: poisson" in path.read_text()
    sol = jp.simulate(jp.load_model(path), until=0.15, method=jp.Moreau(step=0.01), save=[0, 0.15])
    assert sol["c.velocity[0]"][-1] == pytest.approx(2 / 3, abs=1e-11)
