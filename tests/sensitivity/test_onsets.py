"""Contacts whose damping depends on the speed of onset: methods that record their steps follow it, others say so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jointplay as jp

NAME = "D.displacement_rate"
DAMPED = {
    "hunt_crossley": jp.HuntCrossley(stiffness=1e6, restitution=0.5, form="exact"),
    "lankarani": jp.LankaraniNikravesh(stiffness=1e6, restitution=0.8),
    "flores": jp.Flores(stiffness=1e6, restitution=0.7),
    "gonthier": jp.Gonthier(stiffness=1e6, restitution=0.7),
    "blended": jp.Blended(jp.Bushing(stiffness=1e5), 1e-4, jp.Flores(stiffness=1e7, restitution=0.7)),
}
FREE = {
    "hertz": jp.Hertz(1e6),
    "without loss": jp.LankaraniNikravesh(stiffness=1e6, restitution=1.0),
    "spring and damper": jp.KelvinVoigt(stiffness=1e6, unloading=0.5, v_0=1e-2),
    "slow": jp.Flores(stiffness=1e6, restitution=0.7, v_floor=2.0),
}
SCHEMES = {"moreau": jp.Moreau(step=1e-4)}
FOLLOWED = {
    "explicit": jp.Explicit(rtol=1e-11, atol=1e-13),
    "implicit": jp.Implicit(rtol=1e-8, atol=1e-10),
    "index1": jp.Index1(step=2e-5),
    "verlet": jp.Verlet(step=2e-5),
}


def build(law: Any, *, hits: bool = True, other: Any = None) -> Any:
    def hit(v0: float = 1.0) -> jp.System:
        s = jp.System("hit", gravity=(0, 0, 0))
        b = s.body("b", mass=1.0, inertia=0.1, velocity=(0, 0, -v0 if hits else v0))
        s.prismatic("D", s.ground, b, point=(0, 0, 0), axis=(0, 0, 1), displacement=jp.Stop(lower=-0.05, contact=law))
        if other is not None:  # a contact of another kind, which is always struck
            c = s.body("c", mass=1.0, inertia=0.1, velocity=(0, 0, -v0))
            stop = jp.Stop(lower=-0.02, contact=other)
            s.prismatic("E", s.ground, c, point=(1, 0, 0), axis=(0, 0, 1), displacement=stop)
        return s

    return hit


def derivatives(make: Any, scheme: Any, method: str = "direct", end: float = 0.06) -> jp.Sensitivities:
    of: Any = NAME if method == "direct" else jp.Final(NAME)
    return jp.sensitivities(make, ["v0"], of, scheme, derivative=method, until=end, save=[end])


def restitution(law: Any) -> float:
    """Speed after by speed before of a free impact, which for these laws is the same at any speed (above v_floor)."""
    sol = jp.simulate(build(law)(), until=0.08, method=jp.Explicit(rtol=1e-11, atol=1e-13), save=[0.08])
    return float(sol[NAME][-1])


@pytest.mark.parametrize("key", FOLLOWED)
@pytest.mark.parametrize("law", [one for one in DAMPED if one != "blended"])
def test_the_speed_of_onset_is_followed(law: str, key: str) -> None:
    """v+ = e v0, whatever K and m: so d v+/d v0 = e. Given steps notice the contact up to a step late."""
    e, within = restitution(DAMPED[law]), {"explicit": 1e-6, "implicit": 1e-4}.get(key, 0.02)
    for kind in ("direct", "adjoint"):
        found = derivatives(build(DAMPED[law]), FOLLOWED[key], kind, end=0.08)
        slope = found[jp.Final(NAME) if kind == "adjoint" else NAME]["v0"]
        assert not found.invalid and np.ravel(slope)[-1] == pytest.approx(e, rel=within)


@pytest.mark.parametrize("key", FOLLOWED)
def test_forces_while_a_contact_presses(key: str) -> None:
    """Against differences of the same runs, at an instant inside the contact, and of the instant at which it begins."""

    def hit(v0: float = 1.0, k: float = 1e6, gap: float = 0.05, m: float = 1.0) -> jp.System:
        s = jp.System("hit", gravity=(0, 0, 0))
        b = s.body("b", mass=m, inertia=0.1, velocity=(0, 0, -v0))
        law = jp.HuntCrossley(stiffness=k, restitution=0.5, form="exact")
        s.prismatic("D", s.ground, b, point=(0, 0, 0), axis=(0, 0, 1), displacement=jp.Stop(lower=-gap, contact=law))
        return s

    of, end = ["D.displacement", NAME, "b.acceleration[2]", "D.stop_force"], 0.0505
    sol = jp.simulate(hit(), until=end, method=FOLLOWED[key], save=[end])
    assert sol["D.displacement"][-1] < -0.0501
    given: dict[str, Any] = {"until": end, "save": [end]}
    one, two = (
        jp.sensitivities(hit, ["v0", "k", "gap", "m"], of, FOLLOWED[key], derivative=kind, **given)
        for kind in ("direct", "differences")
    )
    assert not one.invalid
    for name in of:
        for parameter, p in one.parameters.items():
            off = abs(p) * abs(np.ravel(one[name][parameter] - two[name][parameter])[-1])
            scale = max(abs(q) * abs(np.ravel(two[name][other])[-1]) for other, q in one.parameters.items())
            # given steps: differences see that the step in which the contact begins is another one
            assert off < {"explicit": 2e-5, "implicit": 2e-4}.get(key, 0.05) * scale, (name, parameter)


@pytest.mark.parametrize(("depth", "grazes"), [(1.002, True), (1.009, True), (2.0, False), (10.0, False)])
def test_a_grazing_touch_has_no_derivative(depth: float, grazes: bool) -> None:
    """An apex that lies so many thresholds behind the wall: just noticed, or well behind it."""
    threshold = 1e-5

    def thrown(v0: float = 1.0) -> jp.System:
        s = jp.System("thrown", gravity=(0, 0, -10.0))
        b = s.body("b", mass=1.0, inertia=0.1, velocity=(0, 0, v0))
        stop = jp.Stop(upper=0.05 - depth * threshold, contact=jp.Hertz(1e3))
        s.prismatic("D", s.ground, b, point=(0, 0, 0), axis=(0, 0, 1), displacement=stop)
        return s

    method = jp.Explicit(rtol=1e-11, threshold=threshold)
    found = jp.sensitivities(thrown, ["v0"], NAME, method, until=0.2, save=[0.05, 0.2])
    assert ["grazed" in reason for _, reason in found.invalid] == ([True] if grazes else [])
    if grazes:
        assert 0.05 < found.invalid[0][0] < 0.1


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("law", DAMPED)
def test_derivatives_end_where_the_contact_begins(law: str, scheme: str) -> None:
    found = derivatives(build(DAMPED[law]), SCHEMES[scheme])
    assert len(found.invalid) == 1
    instant, reason = found.invalid[0]
    assert 0.05 - 0.0035 <= instant <= 0.05 and "D.displacement[lower]" in reason and "speed of onset" in reason
    assert found.valid == [] or found.valid[0][1] <= 0.05


@pytest.mark.parametrize("scheme", SCHEMES)
def test_adjoint_ones_too(scheme: str) -> None:
    assert "speed of onset" in derivatives(build(DAMPED["flores"]), SCHEMES[scheme], "adjoint").invalid[0][1]
    assert derivatives(build(FREE["hertz"]), SCHEMES[scheme], "adjoint").invalid == []


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("law", FREE)
def test_contacts_that_forget_how_they_began(law: str, scheme: str) -> None:
    assert derivatives(build(FREE[law]), SCHEMES[scheme]).invalid == []


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_contact_that_does_not_begin(scheme: str) -> None:
    """Nothing is struck, or the run ends before; another contact, without damping, does not count."""
    assert derivatives(build(DAMPED["flores"], hits=False), SCHEMES[scheme]).invalid == []
    assert derivatives(build(DAMPED["flores"]), SCHEMES[scheme], end=0.04).invalid == []
    assert derivatives(build(DAMPED["flores"], hits=False, other=jp.Hertz(1e6)), SCHEMES[scheme]).invalid == []
