"""Backlash given as an angle: how far one member turns while the other is held, against closed forms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jointplay as jp

ANGLE = np.radians(0.2)
TORQUE, STIFFNESS = 0.3, 5e7
RIGID = jp.Rigid(restitution=0.0)
SOFT = jp.KelvinVoigt(stiffness=STIFFNESS, damping=3e4)
STILL: dict[str, Any] = {"velocity": (0, 0, 0), "angular_velocity": (0, 0, 0)}
HELD = jp.Drive("0 rad + 0*t")
KINDS = ["gear", "internal", "bevel_gear", "rack", "screw", "belt", "crossed"]


def held(kind: str, gap: Any, contact: jp.Rigid | jp.KelvinVoigt, torque: float) -> tuple[jp.System, str, float]:
    """One member is held, the other pushed by a torque: the system, the free angle, and m per rad by hand."""
    s = jp.System(kind, gravity=(0, 0, 0))
    play = jp.Clearance(gap, contact=contact)
    if kind == "screw":
        spindle = s.body("one", mass=1, inertia=1e-3, **STILL)
        nut = s.body("two", mass=5, inertia=1.0, **STILL)
        s.revolute("A", s.ground, spindle, point=(0, 0, 0), axis=(0, 0, 1))
        s.prismatic("B", s.ground, nut, point=(0, 0, 0), axis=(0, 0, 1), displacement=jp.Drive("0 m + 0*t"))
        s.screw("G", spindle, nut, lead="-60 mm", thread=play)
        s.torque("T", spindle, torque=(0, 0, torque))
        return s, "A.angle", 0.06 / (2 * np.pi)
    if kind == "rack":
        rack = s.body("one", mass=5, inertia=1.0, **STILL)
        pinion = s.body("two", mass=1, inertia=1e-3, **STILL)
        s.prismatic("A", s.ground, rack, point=(0, 0, 0), axis=(1, 0, 0), displacement=jp.Drive("0 m + 0*t"))
        s.revolute("B", s.ground, pinion, point=(0, 0, 0), axis=(0, 0, 1))
        s.rack("G", rack, pinion, teeth=30, module="2 mm", mesh=play)
        s.torque("T", pinion, torque=(0, 0, torque))
        return s, "B.angle", 0.03
    where, axis = ((0.03, 0, 0.06), (0, 0, 1)) if kind == "bevel_gear" else ((0.09, 0, 0), (0, 0, 1))
    one = s.body("one", mass=1, inertia=1e-3, **STILL)
    two = s.body("two", mass=1, inertia=1e-3, position=where, **STILL)
    first = (1, 0, 0) if kind == "bevel_gear" else axis
    s.revolute("A", s.ground, one, point=(0, 0, 0), axis=first, angle=HELD)
    s.revolute("B", s.ground, two, point=where, axis=axis)
    if kind == "gear":
        s.gear("G", one, two, teeth=(20, 40), mesh=play)
        lever = 0.06
    elif kind == "internal":
        s.gear("G", one, two, teeth=(20, 50), internal=True, mesh=play)
        lever = 0.15
    elif kind == "bevel_gear":
        s.bevel_gear("G", one, two, teeth=(20, 40), module="3 mm", mesh=play)
        lever = 0.06
    else:
        s.belt("G", one, two, radii=("20 mm", "40 mm"), crossed=kind == "crossed", belt=play)
        lever = 0.04
    s.torque("T", two, torque=(0, 0, torque))
    return s, "B.angle", lever


@pytest.mark.parametrize("side", [1.0, -1.0], ids=["up", "down"])
@pytest.mark.parametrize("kind", KINDS)
def test_free_angle_between_rigid_flanks(kind: str, side: float) -> None:
    """Pushed from the middle of its play the member stops at the given angle: 0.2 deg to either side."""
    s, angle, lever = held(kind, "0.2 deg", RIGID, side * TORQUE)
    assert float(s.joints[-1].closed[list(s.joints[-1].closed)[0]].gap) == pytest.approx(lever * ANGLE, rel=1e-12)
    arrival = np.sqrt(2 * ANGLE * 1e-3 / TORQUE)
    sol = jp.simulate(s, until=2 * arrival, method=jp.Moreau(step=arrival / 200), save=arrival / 50)
    assert sol.outcome.ok, sol.outcome.message
    free = sol.time < 0.99 * arrival
    assert sol[angle][free] == pytest.approx(side * TORQUE / 2e-3 * sol.time[free] ** 2, rel=1e-6, abs=1e-9)
    # it rests on the flank, whose place a step leaves at less than 1e-7 of the play
    assert sol[angle][sol.time > 1.01 * arrival] == pytest.approx(side * ANGLE, rel=2e-7)
    assert np.max(sol["G.normal_force"][-1]) == pytest.approx(TORQUE / lever, rel=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_free_angle_between_compliant_flanks(kind: str) -> None:
    """At rest on a flank it has turned by the given angle and by what the flank gives: T/(k lever^2)."""
    s, angle, lever = held(kind, "0.2 deg", SOFT, TORQUE)
    sol = jp.simulate(s, until=0.2, method=jp.Implicit(rtol=1e-9, atol=1e-12), save=0.01)
    assert sol.outcome.ok, sol.outcome.message
    give = TORQUE / (STIFFNESS * lever**2)
    assert sol[angle][-1] == pytest.approx(ANGLE + give, rel=1e-9)
    assert sol["G.gap"][-1].min() == pytest.approx(-give * lever, rel=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_an_angle_is_the_length_that_it_makes(kind: str) -> None:
    """The same model to the last bit or two, whether play and offset are given as angles or as lengths."""
    s, _, lever = held(kind, "0.2 deg", RIGID, TORQUE)
    other, _, _ = held(kind, lever * ANGLE, RIGID, TORQUE)
    one, two = (list(x.joints[-1].closed.values())[0].gap for x in (s, other))
    assert one == pytest.approx(two, rel=1e-14)
    tree = s.to_tree()
    tree["joints"]["G"]["offset"] = "-0.1 deg"
    again = jp.System.from_tree(tree)
    assert again.joints[-1].value["offset"] == pytest.approx(-0.5 * lever * ANGLE, rel=1e-12)
    assert again.joints[-1].closed == s.joints[-1].closed


def test_what_check_and_results_say() -> None:
    s, _, _ = held("gear", "0.2 deg", SOFT, TORQUE)
    sentence = "play of G.mesh: 0.20944 mm to either side of the middle, which is 0.2 deg of two while one stands still"
    assert sentence in s.check().notes
    assert sentence in jp.simulate(s, until=1e-4).meta["notes"]
    s, _, _ = held("screw", "0.1 mm", SOFT, TORQUE)
    assert any("which is 0.6 deg of one while two stands still" in note for note in s.check().notes)


PARAMETERS = """
jointplay: 1
planar: true
gravity: [0, 0]
parameters: {slack: 0.2 deg, wide: 0.1 mm}
bodies:
  one: {mass: 1, inertia: 0.01}
  two: {mass: 1, inertia: 0.05, position: [0.3, 0]}
joints:
  A: {type: revolute, between: [ground, one], point: [0, 0]}
  B: {type: revolute, between: [ground, two], point: [0.3, 0]}
  G: {type: gear, between: [one, two], teeth: [20, 40], mesh: {clearance: GAP, contact: {rigid: 0.5}}}
"""


@pytest.mark.parametrize(
    ("gap", "metres"),
    [("slack", 0.2 * ANGLE), ("2*slack", 0.4 * ANGLE), ("wide", 1e-4), ("0.002 rad", 4e-4), ("1e-4", 1e-4)],
)
def test_files_and_parameters(gap: str, metres: float, tmp_path: Any) -> None:
    """A parameter brings its dimension; a plain number is a length, as everywhere."""
    for n, written in enumerate((gap, f"{{gap: {gap}}}")):
        file = tmp_path / f"{n}.yaml"
        file.write_text(PARAMETERS.replace("GAP", written), encoding="utf-8")
        assert jp.load_model(file).joints[-1].closed["mesh"].gap == pytest.approx(metres, rel=1e-12)


@pytest.mark.parametrize(
    ("gap", "sentence"),
    [
        ("0.2 s", r"expected a length \(m\) or the angle of a turn \(rad\), got 0.2 s"),
        ("-0.2 deg", "must be at least 0 rad"),
        ("0.2 dge", "dge"),
        ("0 deg", "must be greater than 0 m between rigid parts"),
    ],
)
def test_bad_play(gap: str, sentence: str, tmp_path: Any) -> None:
    with pytest.raises(jp.InputError, match=sentence):
        held("gear", gap, RIGID, TORQUE)
    file = tmp_path / "model.yaml"
    file.write_text(PARAMETERS.replace("GAP", gap), encoding="utf-8")
    with pytest.raises(jp.InputError, match=sentence) as error:
        jp.load_model(file)
    assert len(error.value.problems) == 1 and error.value.problems[0].line == 12


def test_only_couplings_take_an_angle() -> None:
    s = jp.System("pin", planar=True)
    body = s.body("body", mass=1, inertia=1)
    with pytest.raises(jp.InputError, match=r"expected a length \(m\), got 0.2 deg"):
        s.revolute("A", s.ground, body, point=(0, 0), radial=jp.Clearance("0.2 deg"))
    # a gear whose sizes do not fit says that, and nothing about its play
    s = jp.System("misfit", planar=True)
    one, two = (s.body(name, mass=1, inertia=1, position=(x, 0)) for name, x in (("one", 0), ("two", 0.3)))
    s.revolute("A", s.ground, one, point=(0, 0))
    s.revolute("B", s.ground, two, point=(0.3, 0))
    with pytest.raises(jp.InputError) as error:
        s.gear("G", one, two, radii=(0.1, 0.1), mesh=jp.Clearance("0.2 deg"), offset="0.1 deg")
    assert len(error.value.problems) == 1


def test_derivative_by_an_angle() -> None:
    """Of the compliant rest angle T/(k lever^2) + gap by the gap, 1 rad/rad; by a length it would be 1/lever."""
    s, angle, lever = held("gear", "0.2 deg", SOFT, TORQUE)
    tree = s.to_tree()
    method = jp.Implicit(rtol=1e-8, atol=1e-11)
    for gap, slope in (("0.2 deg", 1.0), (lever * ANGLE, 1.0 / lever)):
        tree["joints"]["G"]["mesh"]["clearance"]["gap"] = gap
        found = jp.sensitivities(
            jp.System.from_tree(tree),
            ["joints.G.mesh.clearance.gap"],
            [jp.Final(angle)],
            derivative="direct",
            until=0.2,
            method=method,
        )
        assert float(found[found.names[0]]["joints.G.mesh.clearance.gap"]) == pytest.approx(slope, rel=1e-5)
