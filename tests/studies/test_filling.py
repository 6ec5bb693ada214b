"""Fillings: members by array arithmetic are those that compiling gives, at every stage and in wide ranges."""

from __future__ import annotations

import numpy as np
import pytest

import jointplay as jp
from jointplay.gallery import entries
from jointplay.studies.engine import ModelEngine
from jointplay.studies.filling import AsGiven, _filling
from jointplay.studies.lane import Lane
from jointplay.studies.vary import Vary


def about(value: float, share: float, unit: str = "") -> jp.Uniform:
    return jp.Uniform(f"{value * (1 - share)} {unit}", f"{value * (1 + share)} {unit}") if unit else jp.Uniform(
        value * (1 - share), value * (1 + share)
    )  # fmt: skip


CRANK = {
    "gap": about(1e-3, 0.2, "m"),
    "crank": about(0.153, 0.01, "m"),
    "rod": about(0.306, 0.01, "m"),
    "bodies.slider.mass": about(0.076, 0.3, "kg"),
    "mu": about(0.01, 0.5),
}
OF = [jp.Final("crank.angular_velocity[2]"), jp.Final("energy.kinetic"), jp.Peak("|B.force|")]


def engine(vary, **options):
    settings = {"until": 0.01, "method": jp.Moreau(step=1e-5), "save": "0.1 ms"} | options
    return ModelEngine(entries()["slider_crank_clearance"], Vary(vary), OF, **settings)


def rows(made: ModelEngine, filling, points):
    lane = Lane(made.members, made.settings, made.outputs, filling)
    return np.array([lane.row(x[list(made.places)]).values for x in points])


def test_inverse_masses_are_lines_however_wide():
    made = engine({"bodies.slider.mass": about(0.076, 0.5, "kg"), "gap": about(1e-3, 0.5, "m")})
    assert made.filling is not None and made.filling.affine
    points = jp.Random(8, seed=3).points(made.vary, 0, 8)
    assert np.allclose(rows(made, made.filling, points), rows(made, None, points), rtol=1e-10)


def test_members_assembled_from_numbers_as_given_are_those_that_compiling_gives():
    made = engine(CRANK)
    box = [side[list(made.places)] for side in made.vary.box(1e-9)]
    given = _filling(made.members, AsGiven(made.members), *box)
    assert given is not None and not given.assembled and not given.affine
    points = jp.Random(8, seed=3).points(made.vary, 0, 8)
    assert np.allclose(rows(made, given, points), rows(made, None, points), rtol=1e-9)


def test_numbers_as_given_take_a_wider_range():
    """A closed loop whose start is implicit in all its lengths."""
    vary = {name: about(value, 0.01, "m") for name, value in (("crank", 0.04), ("coupler", 0.25), ("rocker", 0.08),
                                                              ("base", 0.25))}  # fmt: skip
    vary |= {"swing": about(0.02, 0.2, "kg*m^2"), "speed": about(12.0, 0.1, "rad/s")}
    made = ModelEngine(entries()["crank_rocker"], Vary(vary), [jp.Final("arm.angular_velocity[2]")], until=0.05)
    assert made.filling is not None and not made.filling.assembled
    points = jp.Random(6, seed=1).points(made.vary, 0, 6)
    assert np.allclose(rows(made, made.filling, points), rows(made, None, points), rtol=1e-8)


def test_rows_and_reruns_of_assembled_members_have_the_same_bits():
    made = engine(CRANK)
    box = [side[list(made.places)] for side in made.vary.box(1e-9)]
    given = _filling(made.members, AsGiven(made.members), *box)
    again = ModelEngine(entries()["slider_crank_clearance"], made.vary, OF, until=0.01, method=jp.Moreau(step=1e-5),
                        save="0.1 ms", filling=given)  # fmt: skip
    points = jp.Random(5, seed=4).points(made.vary, 0, 5)
    lane = again.lane()
    first = [lane.row(x).values for x in points]
    beyond = points[0].copy()
    beyond[0] = 5e-3  # outside of the box: compiled, and leaves no trace
    lane.row(beyond)
    for x, values in zip(points[::-1], first[::-1], strict=True):
        assert np.array_equal(lane.row(x).values, values)
    from jointplay.studies.again import again as rerun

    sol = rerun(again, points[2])
    assert sol["crank.angular_velocity[2]"][-1] == first[2][0]


def test_what_cannot_be_closed_is_refused_with_its_sentence():
    made = engine(CRANK)
    box = [side[list(made.places)] for side in made.vary.box(1e-9)]
    given = _filling(made.members, AsGiven(made.members), *box)
    assert given is not None
    lane = Lane(made.members, made.settings, made.outputs, given)
    x = made.vary.nominal[list(made.places)]
    x[list(made.members.names).index("gap")] = -1e-4
    row = lane.row(x)
    assert not row.ok and "must be at least 0 m" in row.message


@pytest.mark.parametrize("share", [0.001, 0.05])
def test_the_filling_holds_all_numbers_to_rounding(share):
    vary = {"crank": about(0.153, share, "m"), "bodies.rod.mass": about(0.15, share, "kg")}
    made = engine(vary)
    points = jp.Random(4, seed=9).points(made.vary, 0, 4)
    assert np.allclose(rows(made, made.filling, points), rows(made, None, points), rtol=1e-9)
