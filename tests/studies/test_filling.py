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


WORDED = ["crank_rocker", "driven_four_bar_3d", "four_bar", "gear_rattle", "linear_guide", "pendulum", "press",
          "rocking_block", "slider_crank", "slider_crank_ball_play", "slider_crank_clearance", "worn_door",
          "worn_four_bar"]  # fmt: skip


@pytest.mark.parametrize("name", WORDED)
def test_members_filled_by_expressions_are_those_that_compiling_gives_in_wide_ranges(name):
    """All numbers of members, a fifth up and down, against the full compile at points that nothing was fitted to.

    As given they agree to 1e-12 of the largest of their field; assembled, a loop magnifies that by its condition.
    """
    from jointplay.sensitivity.source import source_of
    from jointplay.studies.filling import _floors, _numbers, _sizes
    from jointplay.studies.fillings import worded_filling
    from jointplay.studies.members import Members, named

    system = jp.System.from_tree(model_tree(name))
    own = [key for key, value in system.values.items() if value.si and not follows(name, key)]
    members = Members(source_of(entries()[name], own), until=0.01)
    p0 = np.array([one.value for one in members.source.parameters])
    low, high = p0 - 0.2 * np.abs(p0), p0 + 0.2 * np.abs(p0)
    filling = worded_filling(members, low, high)
    assert filling is not None and filling.wording is not None and not filling.assembled
    lane = Lane(members, members.settings(), None, filling)
    stream, seen = np.random.default_rng(1234), 0
    for p in low + (high - low) * stream.random((30, len(p0))):
        if filling.inputs(p) is None:  # close to what the model refuses: compiled
            continue
        values = named(members.names, p)
        given = members.given(values)
        parts = [one for assembly in lane.assemblies for one in assembly.pairs]
        for one in lane.assemblies:
            one.reset()
        filling.write(p, filling.inputs(p), parts)
        wanted = np.concatenate(_numbers(given))
        size = _sizes(wanted.copy(), [len(x) for x in _numbers(given)], _floors(given))
        found = np.concatenate(_numbers([Pair(*pair) for pair in parts]))
        assert np.all(np.abs(found - wanted) <= 2e-12 * size + 1e-300)
        try:
            whole = members.compiled(values)
        except jp.InputError as error:
            with pytest.raises(jp.InputError) as told:
                lane.load(p)
            assert [one.field for one in told.value.problems] == [one.field for one in error.problems]
            continue
        assert whole.same
        tracks, seen = lane.load(p), seen + 1
        for track, part in zip(tracks, whole.parts, strict=True):
            scale = np.abs(part.state.y).max() + 1.0
            assert np.abs(track.state.y - part.state.y).max() <= 1e-9 * scale
    assert seen >= 5


class Pair:
    """Model and state, as numbers are read from."""

    def __init__(self, model, state):
        self.model, self.state = model, state


def model_tree(name):
    from jointplay.model.files import read_file

    return read_file(entries()[name]).data


def follows(name, key):
    """True of a parameter that is said by others."""
    import re

    raw = model_tree(name)["parameters"]
    return isinstance(raw[key], str) and bool(set(re.findall(r"[A-Za-z_]\w*", raw[key])) & set(raw))


@pytest.mark.parametrize("share, told", [(0.001, False), (0.4, True)])
def test_a_study_says_that_its_samples_are_compiled(share, told):
    """A function with a bend inside the range is neither line nor polynomial, and has no expressions."""

    def build(length=1.0):
        s = jp.System("pendulum", planar=True, gravity=(0, -9.81))
        body = s.body("b", mass=1.0 + max(0.0, length - 1.1), inertia=0.1, position=(length, 0))
        s.revolute("A", s.ground, body, point=(0, 0))
        return s

    study = jp.study(build, {"length": about(1.0, share)}, [jp.Final("A.angle")], plan=jp.Random(4), until=0.01)
    assert any("each sample is compiled" in one for one in study.notes) == told


def test_expressions_with_bends_are_filled_too():
    """No polynomial has the corner of max; a number that is one is copied to the last bit."""
    from jointplay.studies.fillings import worded_filling

    tree = model_tree("pendulum")
    tree["parameters"]["more"] = "max(0.5 kg, 1 kg*sin(angle)^2)"
    tree["parameters"].setdefault("angle", "0.8 rad")
    body = next(iter(tree["bodies"]))
    tree["bodies"][body]["mass"] = "0.1 kg + more"
    vary = Vary({"angle": jp.Uniform("0.6 rad", "1.0 rad")})
    made = ModelEngine(jp.System.from_tree(tree), vary, [jp.Final("energy.kinetic")], until=0.1, filling=None)
    filling = worded_filling(made.members, *vary.box(1e-9))
    assert filling is not None and not filling.curves
    lane = Lane(made.members, made.settings, made.outputs, filling)
    for angle in np.linspace(0.61, 0.99, 9):
        track = lane.load(np.array([angle]))[0]
        assert track.model.body[1]["mass"] == pytest.approx(0.1 + max(0.5, np.sin(angle) ** 2), rel=1e-15)


def test_orientations_and_axes_that_expressions_say_are_filled_in_wide_ranges():
    """A matrix of expressions, an axis and an angle, an axis of a joint: numbers of inputs that are places too."""
    from jointplay.sensitivity.source import source_of
    from jointplay.studies.fillings import worded_filling
    from jointplay.studies.members import Members, named

    tree = {
        "jointplay": 1, "name": "tilted", "gravity": [0, 0, -9.81],
        "parameters": {"tilt": "0.4 rad", "turn": "0.7 rad", "length": "0.3 m", "rest": "0.2 m"},
        "bodies": {
            "arm": {"mass": "1 kg", "inertia": [1e-2, 2e-2, 2.5e-2],
                    "position": ["length*cos(turn)/2", "length*sin(turn)/2", 0],
                    "orientation": [["cos(turn)", "-sin(turn)", 0], ["sin(turn)", "cos(turn)", 0], [0, 0, 1]]},
            "hand": {"mass": "0.4 kg", "inertia": [1e-3, 2e-3, 2.5e-3],
                     "position": ["length*cos(turn)", "length*sin(turn)", "rest"],
                     "orientation": {"axis": [0, "sin(tilt)", "cos(tilt)"], "angle": "turn + 0.2*tilt"}},
        },
        "joints": {
            "A": {"type": "revolute", "between": ["ground", "arm"], "point": [0, 0, 0],
                  "axis": [0, "sin(tilt)", "cos(tilt)"]},
            "B": {"type": "universal", "between": ["arm", "hand"],
                  "point": ["length*cos(turn)", "length*sin(turn)", 0.1],
                  "axis_a": ["cos(tilt)", 0, "sin(tilt)"], "axis_b": [0, 1, 0]},
        },
    }  # fmt: skip
    names = ["tilt", "turn", "length", "rest", "joints.B.point[2]", "joints.B.axis_b[1]"]
    members = Members(source_of(jp.System.from_tree(tree), names), until=0.01)
    p0 = np.array([one.value for one in members.source.parameters])
    low, high = p0 - 0.5 * p0, p0 + 0.5 * p0
    filling = worded_filling(members, low, high)
    assert filling is not None and filling.wording is not None and filling.wording.drawn is not None
    lane = Lane(members, members.settings(), None, filling)
    stream = np.random.default_rng(8)
    for p in low + (high - low) * stream.random((20, len(p0))):
        whole = members.compiled(named(members.names, p))
        (track,) = lane.load(p)
        assert not lane.dirty
        assert np.abs(track.state.y - whole.parts[0].state.y).max() <= 1e-11 * (1.0 + np.abs(track.state.y).max())
        built = whole.parts[0].model
        for mine, own in ((track.model.relation, built.relation), (track.model.marker, built.marker)):
            for name in (one for one in own.dtype.names if own.dtype[one].base.kind == "f"):
                assert np.allclose(mine[name], own[name], rtol=1e-11, atol=1e-11), name
