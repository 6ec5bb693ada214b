"""Sizes that look like a slip of the unit."""

from __future__ import annotations

from typing import Any

import pytest

import jointplay as jp
from jointplay.compile.doubts import doubtful_clearances, open_contacts


def rocker(gap: Any, **parameters: Any) -> jp.System:
    """A rocker of 206 mm on a pin with play."""
    s = jp.System("rocker", planar=True, parameters=parameters)
    body = s.body("rocker", mass=1, inertia=1e-3, position=[0.206, 0])
    s.revolute("B", s.ground, body, point=[0, 0], radial=gap)
    return s


@pytest.mark.parametrize(
    "gap",
    [jp.Clearance(0.2), {"clearance": 0.2}, {"clearance": {"gap": 0.2}}, {"clearance": "0.2"}, {"clearance": "2*p"}],
)
def test_millimetres_taken_for_metres(gap: Any) -> None:
    """However it is written, as long as no unit is."""
    s = rocker(gap, p=0.1)
    said = "the clearance of B.radial is 0.2 m in a mechanism of 0.206 m: did you mean '0.2 mm'?"
    assert doubtful_clearances(s) == [said]
    assert said in s.check().warnings
    assert f"warning: {said}" in jp.simulate(s, 1e-4).meta["notes"]


@pytest.mark.parametrize("gap", [jp.Clearance(2e-4), {"clearance": "0.2 m"}, {"clearance": "p"}, "ideal"])
def test_no_doubt(gap: Any) -> None:
    """A small one, or one with a unit."""
    assert doubtful_clearances(rocker(gap, p="200 mm")) == []


RIGID = "it is rigid and does not rebound (restitution 0)"


@pytest.mark.parametrize(
    "gap", [jp.Clearance(1e-4), {"clearance": 1e-4}, {"clearance": {"gap": 1e-4}}, {"clearance": 1e-4, "axial": None}]
)
def test_a_contact_that_was_forgotten(gap: Any) -> None:
    """What is assumed is said, in a check as in a run."""
    s = rocker(gap)
    said = f"no contact is given for B.radial: {RIGID}"
    assert said in s.check().notes
    assert said in jp.simulate(s, 1e-4).meta["notes"]


@pytest.mark.parametrize(
    "gap", [jp.Clearance(1e-4, contact=jp.Rigid()), {"clearance": 1e-4, "contact": "rigid"}, "ideal", {"bushing": 1e6}]
)
def test_a_contact_that_was_not(gap: Any) -> None:
    assert open_contacts(rocker(gap)) == []


@pytest.mark.parametrize("angle", [jp.Stop(upper=1), [jp.Spring(1.0), {"stop": {"upper": 1}}], {"stop": -1}])
def test_stops_have_contacts_as_well(angle: Any) -> None:
    s = jp.System(planar=True)
    s.revolute("B", s.ground, s.body("b", mass=1, inertia=1), point=[0, 0], angle=angle)
    assert open_contacts(s) == [f"no contact is given for B.angle: {RIGID}"]
