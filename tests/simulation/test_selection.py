"""Which method simulate takes where none is named, what it says about it, and how methods refuse laws."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import pytest
from mechanisms import slider_crank

import jointplay as jp
from jointplay.codes import Code
from jointplay.compile.build import compile_system
from jointplay.selection import choose_method, rates


def pivot(law: Any = None, **given: Any) -> jp.System:
    """A bar of 1 kg on a pivot with the law ``law``."""
    s = jp.System("bar", planar=True, gravity=(0, -9.81, 0))
    bar = s.body("bar", mass=1.0, inertia=1 / 12, position=(0.5, 0))
    s.revolute("A", s.ground, bar, point=(0, 0), **({} if law is None else {"radial": law}), **given)
    return s


def on_floor(contact: Any) -> jp.System:
    s = jp.System("ball", planar=True, gravity=(0, -9.81, 0))
    body = s.body("ball", mass=1.0, inertia=1.0, position=(0, 0.01))
    stop = jp.Stop(lower=-0.01, contact=contact)
    s.prismatic("J", s.ground, body, point=(0, 0.01), axis=(0, 1), displacement=stop)
    return s


def chosen(system: jp.System, until: float = 1.0) -> tuple[str, str]:
    method, why = choose_method(compile_system(system, horizon=until), until)
    return type(method).__name__, why


SPRING = jp.Spring(stiffness=10.0)


@pytest.mark.parametrize(
    ("system", "until", "method", "reason"),
    [
        (pivot(), 10.0, "Explicit", "nothing is stiff"),
        (slider_crank(), 10.0, "Explicit", "nothing is stiff"),
        (pivot(angle=SPRING), 10.0, "Explicit", "the stiffest force, A.angle"),
        (pivot(jp.Bushing(stiffness=1e5, damping=10.0)), 10.0, "Explicit", "the stiffest force, A.radial"),
        (pivot(jp.Bushing(stiffness=1e12)), 10.0, "Implicit", "A.radial is stiff"),
        (pivot(jp.Bushing(stiffness=1e12)), 1e-3, "Explicit", "the stiffest force, A.radial"),
        (pivot(jp.Bushing(stiffness=1.0, damping=1e9)), 10.0, "Implicit", "A.radial is stiff"),
        (pivot(angle=jp.Spring(stiffness=0.0, damping=1e9)), 10.0, "Implicit", "A.angle is stiff"),
        (pivot(jp.Clearance("1 mm")), 10.0, "Moreau", "A.radial is rigid contact"),
        (pivot(angle=jp.Coulomb(1.0, load=0.1)), 10.0, "Moreau", "A.angle is rigid contact or friction with stick"),
        (pivot(angle=jp.Stop(upper=1.0)), 10.0, "Moreau", "A.angle is rigid contact"),
        (on_floor(jp.Hertz(stiffness=1e6)), 10.0, "Explicit", "the stiffest force, J.displacement"),
        (on_floor(jp.KelvinVoigt(stiffness=1e14, damping=1e6)), 100.0, "Implicit", "J.displacement"),
        (
            pivot(jp.Clearance("1 mm", contact=jp.Hertz(stiffness=1e15)), radius="1 cm"),
            1000.0,
            "Implicit",
            "A.radial[0] is stiff",
        ),
    ],
)
def test_the_method_follows_from_regimes_and_stiffness(
    system: jp.System, until: float, method: str, reason: str
) -> None:
    name, why = chosen(system, until)
    assert name == method
    assert reason in why


def test_a_bushing_with_matrices_counts() -> None:
    s = jp.System("block")
    body = s.body("block", mass=1.0, inertia=(1, 1, 1))
    s.fixed("F", s.ground, body, point=(0, 0, 0), bushing=jp.Bushing(stiffness=1e13 * np.eye(6)))
    assert chosen(s, 10.0)[0] == "Implicit"


@pytest.mark.parametrize("stiffness", (1e4, 1e8))
def test_the_rate_is_that_of_the_oscillation(stiffness: float) -> None:
    """sqrt(k/m) of a mass on a bushing in its guide; the mass alone moves."""
    s = jp.System("mass", planar=True, gravity=(0, 0, 0))
    body = s.body("m", mass=4.0, inertia=1.0)
    s.prismatic("J", s.ground, body, point=(0, 0), axis=(1, 0), displacement=jp.Bushing(stiffness=stiffness))
    rate, name = max(rates(compile_system(s)))
    assert rate == pytest.approx(np.sqrt(stiffness / 4.0), rel=1e-9)
    assert name == "J.displacement"


def test_a_run_says_what_it_chose_and_why(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="jointplay"):
        sol = jp.simulate(pivot(jp.Bushing(stiffness=1e12, damping=1e6)), until=20.0, save=[20.0])
    assert sol.outcome.ok
    note = next(note for note in sol.meta["notes"] if note.startswith("method: "))
    assert note.startswith("method: Implicit, because A.radial is stiff: an explicit method would need steps of")
    assert note in caplog.text
    named = jp.simulate(pivot(), until=0.1, method="explicit", save=[0.1])
    assert not any(note.startswith("method: ") for note in named.meta["notes"])


def test_the_steps_that_it_promises_are_about_right() -> None:
    """What Explicit needs in fact, within a factor of three."""
    system = pivot(jp.Bushing(stiffness=1e9, damping=1e4))
    _, why = choose_method(compile_system(system, horizon=0.1), 0.1)
    promised = float(why.split("steps of about ")[1].split(" s")[0])
    sol = jp.simulate(system, until=0.1, method=jp.Explicit(), save=[0.1])
    assert promised / 3.0 <= 0.1 / sol.stats["steps"] <= 3.0 * promised


@pytest.mark.parametrize(
    ("method", "law", "name", "others"),
    [
        (jp.Explicit(), jp.Clearance("1 mm"), "Clearance on A.radial", "Moreau"),
        (jp.Implicit(), jp.Clearance("1 mm"), "Clearance on A.radial", "Moreau"),
        (jp.Verlet(), jp.Clearance("1 mm"), "Clearance on A.radial", "Moreau"),
    ],
)
def test_rigid_contact_is_refused_by_name(method: Any, law: Any, name: str, others: str) -> None:
    with pytest.raises(jp.InputError) as caught:
        jp.simulate(pivot(law), until=1.0, method=method)
    text = str(caught.value)
    assert f"{type(method).__name__} cannot take {name}; those that can: {others}" in text
    assert "\n" not in text


@pytest.mark.parametrize("method", (jp.Explicit(), jp.Implicit()))
@pytest.mark.parametrize(
    ("law", "said"), [(jp.Stop(upper=1.0), "Stop"), (jp.Coulomb(1.0, load=0.1), "Coulomb")], ids=("stop", "brake")
)
def test_rigid_laws_on_free_coordinates_are_refused(method: Any, law: Any, said: str) -> None:
    with pytest.raises(jp.InputError, match=f"{type(method).__name__} cannot take {said} on A.angle; those that can"):
        jp.simulate(pivot(angle=law), until=1.0, method=method)


@pytest.mark.parametrize("contact", (jp.Hertz(stiffness=1e6), jp.Bushing(stiffness=1e5)), ids=("hertz", "bushing"))
def test_optimal_step_takes_compliant_laws_or_says_so(contact: Any) -> None:
    """A method that declares FORCE runs them; one that does not names law and method."""
    method = jp.OptimalStep(h_min=1e-5, h_max=1e-3)
    try:
        sol = jp.simulate(on_floor(contact), until=0.05, method=method, save=[0.05])
    except jp.InputError as error:
        assert "OptimalStep cannot take Stop on J.displacement" in str(error)
    else:
        assert sol.outcome.code is Code.DONE


def test_a_mixed_model_goes_to_moreau() -> None:
    """One rigid contact decides, however stiff the rest is."""
    s = jp.System("two", planar=True, gravity=(0, -9.81, 0))
    a = s.body("a", mass=1.0, inertia=0.1, position=(0.5, 0))
    b = s.body("b", mass=1.0, inertia=0.1, position=(1.5, 0))
    s.revolute("A", s.ground, a, point=(0, 0), radial=jp.Bushing(stiffness=1e6, damping=1e3))
    s.revolute("B", a, b, point=(1, 0), radial=jp.Clearance("1 mm"))
    name, why = chosen(s)
    assert name == "Moreau"
    assert "B.radial" in why
    sol = jp.simulate(s, until=0.05, save=[0.05])
    assert sol.outcome.ok
