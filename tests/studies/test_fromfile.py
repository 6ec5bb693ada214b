"""The study section of a model file: every kind of entry, the schema, problems with their lines."""

from __future__ import annotations

import json

import jsonschema
import pytest

import jointplay as jp
from jointplay.gallery import entries
from jointplay.model.files import read_file
from jointplay.model.schema import json_schema
from jointplay.studies.fromfile import study_arguments
from jointplay.studies.study_block import input_from, limit_from, output_from, plan_from

CRANK = entries()["slider_crank_clearance"]
BLOCK = """
study:
  vary:
    gap: {fit: 500 H7/g6, cp: 1.33, cpk: 1.0}
    mu: {uniform: [0.005, 0.02]}
    restitution: {triangular: [0.3, 0.4, 0.5]}
    crank: {normal: {mean: 153 mm, tolerance: 0.1 mm, inspected: true}}
    rod: 306 mm +- 0.1 mm
    bodies.slider.mass: {measured: {values: [75, 76, 76.5, 77], unit: g}}
    speed: {lognormal: {mean: 150 rad/s, sigma: 1 rad/s}}
  correlations: [[crank, rod, 0.5]]
  of:
    - {final: "crank.angular_velocity[2]"}
    - {mean: "|B.force|"}
    - {quantile: ["|B.force|", 0.95]}
    - {integral: "|B.force|"}
    - {impacts: {joint: D, faster_than: 0.1 m/s}}
  limits:
    - {at_most: [{hardest_impact: D}, 0.95 m/s]}
    - {between: [{peak: "|B.force|"}, 0 N, 700 N]}
    - {at_least: [{final: "crank.angular_velocity[2]"}, 10 rad/s]}
  plan: {random: 8, seed: 1}
  stop: {mean_within: 0.5}
"""


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "crank.yaml"
    path.write_text(CRANK.read_text().replace("until: 137.5545 ms", "until: 3 ms") + BLOCK)
    return path


def test_three_doors_are_one_study(model):
    asked = study_arguments(model)
    assert len(asked["vary"]) == 7 and len(asked["of"]) == 5 and len(asked["limits"]) == 3
    by_file = jp.study(model, workers=1)
    by_hand = jp.study(asked["model"], asked["vary"], asked["of"], asked["limits"], asked["plan"], workers=1)
    assert by_file.description.key == by_hand.description.key
    assert (by_file.rows == by_hand.rows).all() and len(by_file.done) == 8


def test_other_commands_leave_the_section_alone(model):
    system = jp.load_model(model)
    assert system.study["plan"] == {"random": 8, "seed": 1}
    assert jp.simulate(system, until="1 ms").outcome.ok
    again = jp.System.from_tree(system.to_tree())
    assert again.study == system.study


def test_schema_knows_the_section(model):
    data = read_file(model).data
    jsonschema.validate(data, json_schema())
    data["study"]["plan"] = {"sobool": 3}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(data, json_schema())


def test_everything_is_said_again_as_data():
    """What trees say is read back to the same thing, so that files can be resumed."""
    asked = input_from("x", {"fit": "12 H7/g6", "cp": 1.33, "inspected": True})
    for one in (asked, jp.Uniform("1 mm", "2 mm"), jp.Normal(1, 0.1), jp.LogNormal(3, 1), jp.Triangular(1, 2, 3),
                jp.Measured([1, 2, 4]), jp.Fit("12 H7/g6", hole="steel", pin=1e-5, warmer="20 K")):  # fmt: skip
        again = input_from("x", one.tree())
        assert (
            type(again) is type(one)
            and again.tree() == one.tree()
            and (again.mean, again.sigma) == (one.mean, one.sigma)
        )
    plans = [jp.Sobol(64, seed=2), jp.Random(3), jp.LatinHypercube(5, seed=1), jp.Saltelli(4), jp.Corners(), jp.Grid(3)]
    for plan in (*plans, jp.Points({"a": [1.0, 2.0]})):
        assert plan_from(plan.tree()).tree() == plan.tree()
    assert plan_from({"table": {"a": [1, 2]}}).size == 2


@pytest.mark.parametrize(
    "make",
    [
        lambda: input_from("x", {"gauss": [1, 2]}),
        lambda: input_from("x", [1, 2]),
        lambda: output_from({"peek": "|B.force|"}),
        lambda: output_from({"quantile": "|B.force|"}),
        lambda: limit_from({"at_most": [{"peak": "x"}]}),
        lambda: limit_from({"below": 3}),
        lambda: plan_from({"sobol": 8, "sead": 1}),
        lambda: plan_from("sobol"),
    ],
)
def test_what_is_not_understood_is_a_sentence(make):
    with pytest.raises((ValueError, TypeError)):
        make()


def test_problems_have_lines(model):
    text = model.read_text().replace("fit: 500 H7/g6", "fit: 500 H7/z6").replace("700 N]", "700 kg]")
    model.write_text(text.replace("plan: {random: 8, seed: 1}", "plan: {random: 0}"))
    with pytest.raises(jp.InputError) as caught:
        study_arguments(model)
    found = {one.field: one for one in caught.value.problems}
    assert {"study.vary.gap", "study.plan"} <= set(found)
    assert all(one.line > 30 and one.file == str(model) for one in found.values())


def test_nothing_that_varies_is_a_sentence():
    with pytest.raises(jp.InputError, match="no 'study' section"):
        jp.study(CRANK)
    with pytest.raises(jp.InputError, match="name what varies"):
        jp.study(jp.load_model(CRANK))


@pytest.mark.parametrize(
    "own, told",
    [
        ({"vary": {"a": {"fit": "12 H7/q6"}}}, "there is no table of 'q'"),
        ({"vary": {"a": "1 m +- 1 mm", "b": "1 m +- 1 mm"}, "correlations": [["a", "b", 1.5]]}, "between -1 and 1"),
    ],
)
def test_what_cannot_be_understood_is_one_sentence(tmp_path, own, told):
    """Nothing is said about an input that stands for those that could not be read."""
    model = {
        "jointplay": 1, "name": "m", "parameters": {"a": "1 m", "b": "1 m"},
        "bodies": {"m": {"mass": 1, "inertia": 1, "position": ["a", "b", 0]}},
        "run": {"until": "1 ms"}, "study": {**own, "of": [{"final": "m.position[0]"}]},
    }  # fmt: skip
    path = tmp_path / "m.yaml"
    path.write_text(json.dumps(model))
    with pytest.raises(jp.InputError) as error:
        jp.study(path)
    assert len(error.value.problems) == 1 and told in str(error.value)
