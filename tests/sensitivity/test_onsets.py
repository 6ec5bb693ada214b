"""Contacts whose damping depends on the speed of onset: derivatives say where they stop being exact."""

from __future__ import annotations

from typing import Any

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
SCHEMES = {"index1": jp.Index1(step=1e-4), "moreau": jp.Moreau(step=1e-4)}


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
    return jp.sensitivities(make, ["v0"], of, method, until=end, scheme=scheme, save=[end])


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
