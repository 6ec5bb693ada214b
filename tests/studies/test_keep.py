"""Whole runs that are kept beside a study: which ones, where, and that they are the runs of their rows."""

from __future__ import annotations

import numpy as np
import pytest

import jointplay as jp
from jointplay.errors import InputError

MODEL = """
jointplay: 1
gravity: [0, 0, -9.81]
parameters: {speed: 2 m/s, mass: 1 kg}
bodies: {m: {mass: mass, inertia: 1, position: [0, 0, 1], velocity: [speed, 0, 0]}}
run: {until: 0.1 s, method: {verlet: {step: 10 ms}}, save: 10 ms}
"""
FAR = jp.Final("m.position[0]")
VARY = {"speed": jp.Uniform("1 m/s", "3 m/s"), "mass": jp.Uniform("-0.2 kg", "3 kg")}


@pytest.fixture
def model(tmp_path):
    file = tmp_path / "mass.yaml"
    file.write_text(MODEL)
    return file


def test_the_worst_runs_are_those_of_their_rows(model, tmp_path):
    limits = [jp.AtMost(FAR, "0.2 m")]
    study = jp.study(model, {"speed": VARY["speed"]}, limits=limits, plan=jp.Random(40), keep="worst 3",
                     output=tmp_path / "s.nc")  # fmt: skip
    assert sorted(study.kept) == sorted(np.argsort(-study[FAR])[:3].tolist())
    for i, path in study.kept.items():
        assert path == tmp_path / "s_runs" / f"{i:06d}.nc"
        run = jp.load(path)
        assert run["m.position[0]"][-1] == study[FAR][i]
        assert run.meta["sample"] == i


def test_more_is_kept_when_a_study_goes_on(model, tmp_path):
    options = {"vary": {"speed": VARY["speed"]}, "of": [FAR], "output": tmp_path / "s.nc"}
    jp.study(model, plan=jp.Random(20), keep="every 10", **options)
    first = (tmp_path / "s_runs" / "000000.nc").stat().st_mtime_ns
    study = jp.study(model, plan=jp.Random(40), keep="every 10", **options)
    assert sorted(study.kept) == [0, 10, 20, 30]
    assert (tmp_path / "s_runs" / "000000.nc").stat().st_mtime_ns == first
    assert jp.load_study(tmp_path / "s.nc").kept == study.kept


def test_models_that_cannot_be_built_have_no_runs_and_it_is_said(model, tmp_path):
    study = jp.study(model, VARY, [FAR], plan=jp.Random(64), keep="failed", output=tmp_path / "s.nc")
    assert len(study.failed) and not study.kept
    assert any("no run to keep" in note for note in study.notes)


def test_runs_of_another_study_do_not_count(model, tmp_path):
    options = {"of": [FAR], "plan": jp.Random(4), "keep": "every 2"}
    jp.study(model, {"speed": VARY["speed"]}, output=tmp_path / "s.nc", **options)
    (tmp_path / "s.nc").unlink()
    other = jp.study(model, {"speed": "2 m/s +- 0.1 m/s"}, output=tmp_path / "s.nc", **options)
    assert jp.load(other.kept[0])["m.position[0]"][-1] == other[FAR][0]


@pytest.mark.parametrize("word", ["some", "worst", "every 0", "failed 3", 7])
def test_what_is_not_known_is_refused(model, tmp_path, word):
    with pytest.raises(InputError, match="keep: needs 'none', 'failed', 'worst 10' or 'every 100'"):
        jp.study(model, {"speed": VARY["speed"]}, [FAR], plan=jp.Random(4), keep=word, output=tmp_path / "s.nc")
    assert not (tmp_path / "s.nc").exists()


def test_without_a_file_there_is_no_place(model):
    with pytest.raises(InputError, match="beside the file"):
        jp.study(model, {"speed": VARY["speed"]}, [FAR], plan=jp.Random(4), keep="failed")


def test_a_model_file_may_say_it(tmp_path):
    file = tmp_path / "mass.yaml"
    study = "study: {vary: {speed: 2 m/s +- 0.1 m/s}, of: [{final: 'm.position[0]'}], plan: {random: 8}, keep: every 4}"
    file.write_text(MODEL + study + "\n")
    assert sorted(jp.study(file, output=tmp_path / "s.nc").kept) == [0, 4]
