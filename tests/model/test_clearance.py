"""How play is said: sizes that it needs, what it may stand on, and that nothing else changes with it."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from clearances import cylindrical_slider, slider_crank
from mechanisms import turn

import jointplay as jp
from jointplay.compile.build import compile_system
from jointplay.errors import InputError

SQUARE = [(0.01, 0.01, 0), (-0.01, 0.01, 0), (-0.01, -0.01, 0), (0.01, -0.01, 0)]
AXIS = {"point": (0, 0, 0), "axis": (0, 0, 1)}


def system(planar: bool = False) -> tuple[jp.System, Any]:
    s = jp.System("play", planar=planar)
    return s, s.body("b", mass=1.0, inertia=1.0 if planar else (1.0, 1.0, 1.0))


def joint(kind: str, *, planar: bool = False, **given: Any) -> jp.System:
    s, body = system(planar)
    if planar:
        given = {"point": (0, 0), **({"axis": (1, 0)} if kind == "prismatic" else {}), **given}
    else:
        given = {**(AXIS if kind != "spherical" else {"point": (0, 0, 0)}), **given}
    s.joint(kind, "J", s.ground, body, **given)
    return s


def arrays(system: jp.System) -> list[str]:
    """The compiled model and its start, digit by digit (records are padded by whatever was in memory)."""
    compiled = compile_system(system, horizon=1.0)
    return [repr(np.asarray(part).tolist()) for part in (*compiled.model, *compiled.state)]


# -- what it needs ---------------------------------------------------------------------------------------------------

REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("prismatic", {"radial": jp.Clearance(1e-4), "section": SQUARE}, "'length' is missing"),
    ("prismatic", {"radial": jp.Clearance(1e-4), "length": 0.1}, "'section' is missing"),
    ("prismatic", {"radial": jp.Clearance(1e-4), "length": 0.1, "section": SQUARE[:2]}, "at least 3 points"),
    (
        "prismatic",
        {"radial": jp.Clearance(1e-4), "length": 0.1, "section": [SQUARE[k] for k in (0, 2, 1, 3)]},
        "convex polygon",
    ),
    (
        "prismatic",
        {"radial": jp.Clearance(1e-4), "length": 0.1, "section": [*SQUARE, (0.0, 0.0, 0.0)]},
        "convex polygon",
    ),
    (
        "prismatic",
        {"radial": jp.Clearance(1e-4), "length": 0.1, "section": [*SQUARE[:3], (0.01, -0.01, 0.01)]},
        "across the joint axis",
    ),
    ("prismatic", {"radial": jp.Clearance(1e-4), "length": -0.1, "section": SQUARE}, "length"),
    ("revolute", {"radial": jp.Clearance(1e-4, friction=jp.Coulomb(0.1))}, "'radius' is missing"),
    ("spherical", {"radial": jp.Clearance(1e-4, friction=jp.Coulomb(0.1))}, "'radius' is missing"),
    ("cylindrical", {"radial": jp.Clearance(1e-4, axial=1e-3), "length": 0.1}, "axial"),
    ("spherical", {"radial": jp.Clearance(1e-4, axial=1e-3)}, "axial"),
    ("revolute", {"radial": jp.Clearance(0.0)}, "gap"),
    ("revolute", {"radial": jp.Clearance(-1e-4)}, "gap"),
    ("revolute", {"radial": jp.Clearance("1 kg")}, "gap"),
    ("revolute", {"tilt": jp.Clearance(1e-4)}, "cannot have clearance"),
    ("fixed", {"radial": jp.Clearance(1e-4)}, "radial"),
    ("revolute", {"radial": jp.Clearance(1e-4), "inner": "third"}, "'first' or 'second'"),
    ("revolute", {"radial": jp.Clearance(1e-4, contact=jp.Coulomb(0.1))}, "contact"),
    ("revolute", {"radial": jp.Clearance(1e-4, friction=jp.Rigid())}, "friction"),
    ("revolute", {"angle": jp.Clearance(1e-4)}, "cannot act on a free coordinate"),
    ("revolute", {"radial": jp.Stop(upper=1.0)}, "cannot hold a closed direction"),
    ("revolute", {"angle": jp.Coulomb(0.1)}, "needs 'load'"),
]


@pytest.mark.parametrize(("kind", "given", "says"), REFUSED, ids=[f"{k}: {s}" for k, _, s in REFUSED])
def test_refused_with_a_sentence(kind: str, given: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError) as caught:
        s, body = system()
        base = AXIS if kind not in ("spherical", "fixed") else {"point": (0, 0, 0)}
        s.joint(kind, "J", s.ground, body, **{**base, **given})
    assert says in str(caught.value)


def test_planar_models_have_no_axial_play() -> None:
    with pytest.raises(InputError, match="planar model cannot move along the axis"):
        joint("revolute", planar=True, radial=jp.Clearance(1e-4, axial=1e-3))


@pytest.mark.parametrize("name", ["restitution", "tangential"])
def test_no_restitution_above_one(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name} must not be greater than 1"):
        jp.Rigid(**{name: 1.1})
    with pytest.raises((ValueError, InputError), match=name):
        joint("revolute", radial=jp.Clearance(1e-4, contact=jp.Rigid(**{name: -0.1})))


def test_stops_need_an_end_and_an_order() -> None:
    with pytest.raises(ValueError, match="needs 'lower', 'upper' or both"):
        jp.Stop()
    with pytest.raises(ValueError, match="must lie below"):
        jp.Stop(lower=1.0, upper=0.0)


def test_a_start_inside_a_wall_is_refused() -> None:
    """A coordinate that begins beyond its stop, a journal that begins outside its hole."""
    s, body = system()
    s.joint("prismatic", "J", s.ground, body, **AXIS, displacement=jp.Stop(lower=0.1))
    with pytest.raises(InputError, match="J"):
        jp.simulate(s, until=0.1)
    s, body = system()
    hole = s.marker("hole", s.ground)
    pin = s.marker("pin", body, position=(0.01, 0, 0))
    s.joint("spherical", "J", hole, pin, radial=jp.Clearance(1e-3))
    with pytest.raises(InputError, match="J"):
        jp.simulate(s, until=0.1)


# -- what it changes -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "sizes"),
    [
        ("revolute", {"length": 0.1, "radius": 0.01}),
        ("cylindrical", {"length": 0.1, "radius": 0.01}),
        ("prismatic", {"length": 0.1, "section": SQUARE}),
        ("spherical", {"radius": 0.01}),
    ],
)
def test_ideal_compiles_to_the_model_without_clearance(kind: str, sizes: dict[str, Any]) -> None:
    """Sizes stay where they are; the law alone decides."""

    def model(**given: Any) -> list[str]:
        s = joint(kind, **given)
        s.body("far", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(1.0, 0, 0))  # sets the size of the mechanism
        return arrays(s)

    assert model(radial=jp.Ideal(), **sizes) == model()
    assert model(radial=jp.Clearance(1e-4), **sizes) != model()


@pytest.mark.parametrize(
    ("given", "contacts", "freedoms"),
    [
        ({"radial": jp.Clearance(1e-4)}, 1, 3),
        ({"radial": jp.Clearance(1e-4), "length": 0.1}, 2, 5),
        ({"radial": jp.Clearance(1e-4, axial=1e-3), "length": 0.1}, 4, 6),
        ({"radial": jp.Clearance(1e-4, axial=1e-3)}, 3, 4),
        ({"radial": jp.Clearance(1e-4), "length": 0.1, "tilt": jp.Ideal()}, 2, 3),
        ({"axial": jp.Clearance(1e-4)}, 2, 2),
    ],
)
def test_degrees_of_freedom_of_a_revolute_joint(given: dict[str, Any], contacts: int, freedoms: int) -> None:
    """Radial play opens two directions; a length lets its two ends hold the tilt; axial play opens the axis."""
    s = joint("revolute", **given)
    sol = jp.simulate(s, until=1e-3, method=jp.Moreau(step=1e-3), save=1e-3)
    assert sol["J.gap"].shape[1] == contacts
    assert f"degrees of freedom: {freedoms} " in str(s.check())


@pytest.mark.parametrize(("n", "contacts"), [(3, 12), (4, 16), (6, 24)])
def test_every_vertex_meets_its_two_walls_at_both_ends(n: int, contacts: int) -> None:
    angles = 2 * np.pi * np.arange(n) / n
    section = [(0.01 * np.cos(a), 0.01 * np.sin(a), 0.0) for a in angles]
    for order in (section, section[::-1]):
        s = joint("prismatic", length=0.1, section=order, radial=jp.Clearance(1e-4))
        sol = jp.simulate(s, until=1e-3, method=jp.Moreau(step=1e-3), save=1e-3)
        assert sol["J.gap"].shape[1] == contacts
        assert np.allclose(sol["J.gap"][0], 1e-4, atol=1e-15)


@pytest.mark.parametrize("inner,ends", list(itertools.product(("first", "second"), repeat=2)))
@pytest.mark.parametrize("kind", ["revolute", "cylindrical", "prismatic", "spherical"])
def test_centred_gaps_are_the_clearance(kind: str, inner: str, ends: str) -> None:
    """Whoever is inside and whoever is shorter; and nothing is undefined with all centres together."""
    sizes = {"length": 0.1, "section": SQUARE} if kind == "prismatic" else {"length": 0.1, "radius": 0.01}
    if kind == "spherical":
        sizes = {"radius": 0.01}
    s = joint(kind, radial=jp.Clearance(1e-4), inner=inner, ends=ends, **sizes)
    sol = jp.simulate(s, until=1e-3, method=jp.Moreau(step=1e-3), save=1e-3)
    assert sol.outcome.ok, sol.outcome.message
    assert np.allclose(sol["J.gap"][0], 1e-4, atol=1e-15)
    assert all(np.all(np.isfinite(sol[name])) for name in sol.names)


def test_micrometres_on_a_machine_of_metres() -> None:
    """A gap of a micrometre, a hundred metres from the origin: the fall takes sqrt(2 c / g)."""
    s = jp.System("far away", gravity=(0, -9.81, 0))
    body = s.body("b", mass=1.0, inertia=(1.0,) * 3, position=(100, 50, 30), orientation=turn((1, 2, 3), 0.7))
    s.spherical("J", s.ground, body, point=(100, 50, 30), radial=jp.Clearance("1 um"))
    sol = jp.simulate(s, until=1e-3, method=jp.Moreau(step=1e-4), save=1e-4)
    assert sol.impacts.time[0] == pytest.approx(np.sqrt(2e-6 / 9.81), rel=1e-6)
    assert np.min(sol["J.gap"]) >= -1e-10


def test_units_are_read() -> None:
    play = jp.Clearance("0.1 mm", axial="2 mm", contact=jp.Rigid(restitution=0.5), friction=jp.Coulomb(0.1))
    s = joint("revolute", radial=play, length="10 cm", radius="5 mm")
    t = joint(
        "revolute",
        radial=jp.Clearance(1e-4, axial=2e-3, contact=jp.Rigid(restitution=0.5), friction=jp.Coulomb(0.1)),
        length=0.1,
        radius=0.005,
    )
    assert arrays(s) == arrays(t)


@pytest.mark.parametrize("build", [slider_crank, cylindrical_slider])
def test_play_survives_a_model_file(build: Any, tmp_path: Any) -> None:
    system = build()
    system.save(tmp_path / "model.yaml")
    again = jp.load_model(tmp_path / "model.yaml")
    assert arrays(system) == arrays(again)
