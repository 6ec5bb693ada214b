"""Fits that interfere: a sample that failed, or on request a joint without play."""

from __future__ import annotations

import numpy as np
import pytest

import jointplay as jp
from jointplay.errors import InputError

MODEL = """
jointplay: 1
name: pendulum in a worn bearing
planar: true
gravity: [0, -9.81, 0]
parameters: {pin: 50 um, length: 0.2 m}
bodies:
  rod: {mass: 1, inertia: 0.01, position: [length, 0, 0]}
joints:
  A: {type: revolute, between: [ground, rod], point: [0, 0, 0], radius: 6 mm,
      radial: {clearance: {gap: pin, contact: {rigid: {restitution: 0.4}}}}}
run: {until: 50 ms, method: {moreau: {step: 20 us}}, save: 1 ms}
"""
DOWN, HITS = jp.Final("rod.position[1]"), jp.Impacts("A")
FORCE = jp.Peak("|A.force|")


@pytest.fixture
def model(tmp_path):
    file = tmp_path / "rod.yaml"
    file.write_text(MODEL)
    return file


def fit(**options):
    return jp.Fit("12 H7/k6", **options)  # 17 um of clearance to 12 um of interference


def test_without_a_request_the_sample_failed(model):
    study = jp.study(model, {"pin": fit()}, [DOWN], plan=jp.Points({"pin": [4e-6, -3e-6, 2e-6]}))
    assert study.failed.tolist() == [1]
    assert "gap" in study.why(1)


def test_on_request_the_joint_has_no_play(model, tmp_path):
    points = {"pin": [4e-6, -3e-6, 2e-6, 0.0], "length": [0.2, 0.21, 0.2, 0.19]}
    vary = {"pin": fit(interference="ideal"), "length": "200 mm +- 10 mm"}
    study = jp.study(model, vary, [DOWN, HITS, FORCE], plan=jp.Points(points), output=tmp_path / "s.nc")
    assert not len(study.failed)
    assert study[HITS][[1, 3]].tolist() == [0, 0] and np.all(study[HITS][[0, 2]] > 0)
    for i, length in ((1, 0.21), (3, 0.19)):
        ideal = MODEL.replace("length: 0.2 m", f"length: {length}").replace(
            "      radial: {clearance: {gap: pin, contact: {rigid: {restitution: 0.4}}}}}", "}"
        )
        path = tmp_path / "ideal.yaml"
        path.write_text(ideal)
        own = jp.load_model(path)
        sol = jp.simulate(own, "50 ms", jp.Moreau(step=20e-6), save="1 ms")
        assert study[DOWN][i] == pytest.approx(sol["rod.position[1]"][-1], rel=1e-12)
        again = study.rerun(i)
        assert again["rod.position[1]"][-1] == study[DOWN][i]
        assert "A.gap" not in again.names
    assert "A.gap" in study.rerun(0).names
    opened = jp.load_study(tmp_path / "s.nc")
    assert opened.rerun(1)["rod.position[1]"][-1] == study[DOWN][1]


def test_processes_give_the_same_bits(model):
    vary = {"pin": fit(interference="ideal"), "length": "200 mm +- 1 mm"}
    here = jp.study(model, vary, [DOWN], plan=jp.Random(24, seed=2), workers=2)
    there = jp.study(model, vary, [DOWN], plan=jp.Random(24, seed=2), workers="1 processes")
    assert np.any(here["pin"] <= 0.0) and np.any(here["pin"] > 0.0)
    assert np.array_equal(here[DOWN], there[DOWN])


def test_a_fit_that_always_interferes(model):
    study = jp.study(model, {"pin": jp.Fit("12 H7/p6", interference="ideal")}, [DOWN, HITS], plan=jp.Sobol(8))
    assert not len(study.failed) and not study[HITS].any()


def test_what_an_ideal_joint_does_not_have_is_told_at_once(model):
    with pytest.raises(InputError, match=r"A\.gap"):
        jp.study(model, {"pin": fit(interference="ideal")}, [jp.Peak("A.gap")], plan=jp.Random(4))


def test_an_input_that_is_no_gap(model):
    with pytest.raises(InputError, match="needs a clearance in a joint whose gap it is"):
        jp.study(model, {"length": fit(interference="ideal")}, [DOWN], plan=jp.Random(4))


def test_other_words_are_refused():
    with pytest.raises(InputError, match="needs 'refused' or 'ideal'"):
        fit(interference="press")


def test_a_model_file_may_say_it(tmp_path):
    file = tmp_path / "rod.yaml"
    file.write_text(
        MODEL + "study: {vary: {pin: {fit: 12 H7/k6, interference: ideal}}, of: [{impacts: A}], plan: {random: 12}}\n"
    )
    assert not len(jp.study(file).failed)
