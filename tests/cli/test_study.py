"""``jointplay study``: run, status, resume, merge, report; problems with file, line and field."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from jointplay.gallery import entries

BLOCK = """
study:
  vary:
    gap: {uniform: [0.9 mm, 1.1 mm]}
    mu: {uniform: [0.005, 0.02]}
    crank: 153 mm +- 0.1 mm
  of: [{final: "crank.angular_velocity[2]"}, {quantile: ["|B.force|", 0.9]}]
  limits: [{at_most: [{hardest_impact: D}, 0.9 m/s]}]
  plan: {sobol: 32, seed: 1}
"""


def jointplay(*arguments, folder):
    command = [sys.executable, "-m", "jointplay", *map(str, arguments)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)


@pytest.fixture
def model(tmp_path):
    text = entries()["slider_crank_clearance"].read_text().replace("until: 137.5545 ms", "until: 6 ms")
    (tmp_path / "crank.yaml").write_text(text + BLOCK)
    return tmp_path


@pytest.mark.slow
def test_a_study_from_end_to_end(model):
    ran = jointplay("study", "run", "crank.yaml", "-o", "a.nc", "-j", "1", "--json", folder=model)
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout)
    assert told["done"] == told["count"] == 32 and 0.0 <= told["yield"]["low"] <= told["yield"]["high"] <= 1.0
    assert set(told["outputs"]) == {
        "Final('crank.angular_velocity[2]')",
        "Quantile('|B.force|', level=0.9)",
        "HardestImpact('D')",
    }
    again = jointplay("study", "resume", "a.nc", "--samples", "64", "--json", folder=model)
    assert again.returncode == 0 and json.loads(again.stdout)["done"] == 64, again.stderr
    status = jointplay("study", "status", "a.nc", folder=model)
    assert "64 of 64 samples, 0 failed, complete" in status.stdout
    page = jointplay("study", "report", "a.nc", "-o", "a.html", folder=model)
    assert page.returncode == 0, page.stderr
    text = (model / "a.html").read_text()
    assert "keep all limits" in text and text.count("<iframe") == 2
    assert 'src="http' not in text and 'href="http' not in text  # needs no network


@pytest.mark.slow
def test_shards_and_merge(model):
    for k in (1, 2):
        assert (
            jointplay("study", "run", "crank.yaml", "-o", f"{k}.nc", "--shard", f"{k}/2", folder=model).returncode == 0
        )
    half = jointplay("study", "status", "1.nc", "--json", folder=model)
    assert json.loads(half.stdout)["done"] == 16
    assert jointplay("study", "merge", "1.nc", "2.nc", "-o", "all.nc", folder=model).returncode == 0
    assert json.loads(jointplay("study", "status", "all.nc", "--json", folder=model).stdout)["done"] == 32


def test_all_problems_of_a_block_in_one_go(model):
    path = model / "crank.yaml"
    text = (
        path.read_text().replace("gap: {uni", "gapp: {uni").replace("0.9 m/s", "0.9").replace("sobol: 32", "sobol: 0")
    )
    path.write_text(text.replace("seed: 1}", "seed: 1}\n  stopp: {}"))
    ran = jointplay("study", "run", "crank.yaml", folder=model)
    assert ran.returncode == 2 and "Traceback" not in ran.stderr
    lines = ran.stderr.strip().splitlines()
    for words in (
        "study.vary.gapp: there is no such number",
        "study.limits[0]: needs a unit",
        "study.plan: needs a whole",
        "study.stopp",
    ):
        assert sum(words in line for line in lines) == 1, (words, lines)
    assert all(line.startswith("crank.yaml:") and line.split(":")[1].isdigit() for line in lines)
    assert not list(model.glob("*.nc"))


def test_bad_files_are_sentences(model):
    (model / "notes.nc").write_text("no study")
    for arguments, words in (
        (("status", "nothing.nc"), "no such file"),
        (("status", "notes.nc"), "not the file of a study"),
        (("run", "crank.yaml", "-o", "notes.nc"), "no study"),
        (("run", entries()["pendulum"]), "no 'study' section"),
    ):
        ran = jointplay("study", *arguments, folder=model)
        assert ran.returncode == 2 and words in ran.stderr and "Traceback" not in ran.stderr, ran.stderr
    assert (model / "notes.nc").read_text() == "no study"


def test_check_reads_the_study_section_too(tmp_path):
    from typer.testing import CliRunner

    from jointplay.cli.app import app

    model = "jointplay: 1\nparameters: {speed: 2}\nbodies: {m: {mass: 1, inertia: 1, velocity: [speed, 0, 0]}}\n"
    study = "study: {vary: {sped: 2 m/s +- 0.1 m/s}, of: [{final: 'm.position[0]'}], plan: {random: 0}}\n"
    file = tmp_path / "m.yaml"
    file.write_text(model + "run: {until: 1 s}\n" + study)
    found = CliRunner().invoke(app, ["check", str(file)])
    assert found.exit_code == 2
    assert "sped" in found.output and "whole number of points" in found.output
