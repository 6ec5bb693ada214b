"""Reading couplings: files, hubs from hinges and markers, and what changes when a hinge moves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jointplay as jp
from jointplay.model.reuse import following
from jointplay.model.schema import json_schema

FILE = """
jointplay: 1
planar: true
gravity: [0, 0]
parameters: {a: 300 mm}
bodies:
  one: {mass: 1, inertia: 0.01}
  two: {mass: 1, inertia: 0.05, position: [a, 0]}
  rod: {mass: 1, inertia: 0.05, position: [0, -0.1]}
joints:
  A: {type: revolute, between: [ground, one], point: [0, 0]}
  B: {type: revolute, between: [ground, two], point: [a, 0]}
  P: {type: prismatic, between: [ground, rod], point: [0, -0.1], axis: [1, 0]}
  G: {type: gear, between: [one, two], teeth: [20, 40], mesh: {clearance: 0.05 mm, contact: {rigid: 0.5}}}
  R: {type: rack, between: [rod, one], teeth: 50, module: 4 mm, mesh: {bushing: 20 N/um}}
"""


def gear(s: jp.System) -> Any:
    return next(joint for joint in s.joints if joint.name == "G")


def test_a_file(tmp_path: Path) -> None:
    file = tmp_path / "model.yaml"
    file.write_text(FILE, encoding="utf-8")
    s = jp.load_model(file)
    assert gear(s).weights["mesh"] == pytest.approx((-0.1, -0.2, 0.0))
    assert gear(s).hubs == ("A", "B")
    assert s.joints[-1].weights["mesh"] == pytest.approx((-1.0, -0.1, 0.0))
    again = jp.System.from_tree(s.to_tree())
    assert [joint.weights for joint in again.joints] == [joint.weights for joint in s.joints]
    assert {"joint_gear", "joint_bevel_gear", "joint_rack", "joint_screw", "joint_belt"} <= set(json_schema()["$defs"])


def pair(distance: float = 0.3, **given: Any) -> jp.System:
    s = jp.System("pair", gravity=(0, 0, 0))
    one, two = (s.body(name, mass=1, inertia=1, position=(x, 0, 0)) for name, x in (("one", 0), ("two", 0.3)))
    A = s.revolute("A", s.ground, one, point=(0, 0, 0), axis=(0, 0, 1))
    B = s.revolute("B", s.ground, two, point=(distance, 0, 0), axis=(0, 0, 1))
    hubs = {"hubs": (A, B)} if given.pop("by_handle", False) else {}
    s.gear("G", one, two, **({"teeth": (20, 40)} | hubs | given))
    return s


def test_a_hinge_that_moves_moves_the_hub() -> None:
    """The wheel stays where it is and its entry is the same, but the hinge is another: the gear is read again."""
    first = pair()
    with following(first.readings):
        moved, same = pair(0.36), pair()
    assert gear(same) is gear(first)
    assert gear(moved).weights["mesh"] == pytest.approx((-0.12, -0.24, 0.0))
    assert gear(pair(by_handle=True)).weights == gear(first).weights


def test_markers() -> None:
    """Two markers tell hubs and axis; their other axes do not matter."""
    s = jp.System("markers", gravity=(0, 0, 0))
    one, two = (s.body(name, mass=1, inertia=1, position=(x, 0, 0)) for name, x in (("one", 0), ("two", 0.3)))
    m = one.marker("m", orientation={"axis": (0, 0, 1), "angle": 2.0})
    n = two.marker("n", orientation={"axis": (0, 0, 1), "angle": -1.0})
    s.gear("G", m, n, teeth=(20, 40))
    joint = gear(s)
    assert joint.weights["mesh"] == pytest.approx((-0.1, -0.2, 0.0))
    assert joint.first.axes[0] == pytest.approx([1, 0, 0])
    with pytest.raises(jp.InputError, match="a body and a marker"):
        s.gear("H", m, two, teeth=(20, 40))
    with pytest.raises(jp.InputError, match="is fixed by the two markers"):
        s.gear("H", m, n, teeth=(20, 40), point_a=(0, 0, 0))


def test_several_hinges_ask_for_a_choice() -> None:
    s = pair()
    crank = s.body("crank", mass=1, inertia=1, position=(0.4, 0, 0))
    s.revolute("C", "two", crank, point=(0.4, 0, 0), axis=(0, 0, 1))
    with pytest.raises(jp.InputError, match=r"several joints that could give it \(B, C\)"):
        s.gear("H", "one", "two", teeth=(20, 40))
    s.gear("H", "one", "two", teeth=(20, 40), hubs=("A", "B"))
    s.belt("I", "one", crank, radii=(0.1, 0.1), hubs=["A", "C"])


def test_hubs_that_are_no_names_are_told() -> None:
    s = pair()
    with pytest.raises(jp.InputError, match="there is no hinge or guide"):
        s.gear("H", "one", "two", teeth=(20, 40), hubs=[{"A": 1}, "B"])


def test_the_transmission_error_can_be_sensed() -> None:
    """An oil film in the backlash as an expression of the state, and the same as a damper on the coordinate."""

    def build(drag: Any) -> jp.System:
        s = jp.System("film", planar=True, gravity=(0, 0))
        spin = {"velocity": (0, 0)}
        one = s.body("one", mass=1, inertia=0.01, angular_velocity=2.0, **spin)
        two = s.body("two", mass=1, inertia=0.05, position=(0.3, 0), angular_velocity=0.0, **spin)
        s.revolute("A", s.ground, one, point=(0, 0))
        s.revolute("B", s.ground, two, point=(0.3, 0))
        contact = jp.KelvinVoigt(stiffness=1e6, damping=10.0)
        s.gear("G", one, two, teeth=(20, 40), mesh=jp.Clearance("1 mm", contact=contact), transmission_error=drag)
        return s

    one, other = (
        jp.simulate(build(law), until=0.1, method=jp.Implicit(rtol=1e-9, atol=1e-12), save=1e-3)
        for law in (jp.Spring(stiffness=0.0, damping=3.0), jp.ForceLaw("-3 N*s/m*G.transmission_error_rate"))
    )
    assert np.ptp(one["G.transmission_error"]) > 1.5e-3
    assert one["G.transmission_error"] == pytest.approx(other["G.transmission_error"], abs=1e-8)


def test_a_drive_on_the_teeth_is_a_length() -> None:
    """A transmission error that is prescribed beyond 2 pi stays what it is: lengths have no turns."""
    s = jp.System("driven", planar=True, gravity=(0, 0))
    rack = s.body("rack", mass=1, inertia=1)
    pinion = s.body("pinion", mass=1, inertia=0.1, position=(0, 0.1))
    s.prismatic("P", s.ground, rack, point=(0, 0), axis=(1, 0))
    s.revolute("A", s.ground, pinion, point=(0, 0.1), angle=jp.Drive("0*t"))
    s.rack("R", rack, pinion, radius=0.1, mesh=jp.Bushing(stiffness=0.0), transmission_error=jp.Drive("20*t"))
    sol = jp.simulate(s, until=1.0, save=0.1)
    assert sol["P.displacement"] == pytest.approx(20 * sol.time, abs=1e-6)
