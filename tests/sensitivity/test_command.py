"""``jointplay sensitivity``: a table, files, one JSON object, exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from jointplay.cli.app import app
from jointplay.cli.examples import entries

PENDULUM = str(entries()["pendulum"])
BY = ("--derivative", "differences", "--until", "0.5", "--save", "50 ms")


def call(*words: str) -> Result:
    return CliRunner().invoke(app, ["sensitivity", *words])


@pytest.fixture(autouse=True)
def _in_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_table_and_files(tmp_path: Path) -> None:
    words = ["--of", "P.angle", "--of", "peak(|P.force|)", "--wrt", "length", "mass", *BY]
    result = call(PENDULUM, *words, "-o", "a.csv", "-o", "a.png", "-o", "a.nc")
    assert result.exit_code == 0, result.output
    assert "differences" in result.stdout
    assert "rad per m" in result.stdout
    assert "wrote a.csv, a.png, a.nc" in result.stdout
    assert {file.name for file in tmp_path.iterdir()} == {"a.csv", "a_objectives.csv", "a.png", "a.nc"}
    assert np.loadtxt("a.csv", delimiter=",", skiprows=1).shape == (11, 4)


def test_json() -> None:
    result = call(PENDULUM, "--of", "final(bar.position[1])", "--set", "parameters.mass=4 kg", *BY, "--json")
    assert result.exit_code == 0, result.output
    facts = json.loads(result.stdout)
    assert facts["ok"] is True
    assert facts["parameters"] == {"length": 1.0, "mass": 4.0}  # all of the file
    assert facts["values"] == {"Final('bar.position[1]')": facts["values"]["Final('bar.position[1]')"]}
    by = {line["parameter"]: line for line in facts["derivatives"]}
    assert by["length"]["unit"] == "m per m"
    assert by["length"]["error"] < 1e-6
    assert facts["invalid"] == []


def test_scheme_and_step() -> None:
    words = ["--of", "P.angle", "--wrt", "length", "--method", "verlet", "--step", "1 ms", *BY, "--json"]
    facts = json.loads(call(PENDULUM, *words).stdout)
    assert facts["method"] == "Verlet(step=0.001)"


def test_bad_input() -> None:
    result = call(PENDULUM, "--of", "P.angel", "--wrt", "length", *BY)
    assert result.exit_code == 2
    assert "did you mean P.angle" in result.stderr
    result = call(PENDULUM, "--of", "P.angle", "--wrt", "lenght", *BY, "--json")
    assert result.exit_code == 2
    assert json.loads(result.stdout)["problems"][0]["field"] == "wrt: lenght"
    result = call(PENDULUM, "--of", "P.angel", "--wrt", "lenght", *BY, "--json")
    assert {one["field"] for one in json.loads(result.stdout)["problems"]} == {"wrt: lenght", "of: P.angel"}
    result = call(PENDULUM, "--of", "P.angle", *BY, "-o", "a.txt")
    assert result.exit_code == 2
    assert "cannot write a '.txt' file" in result.stderr
    assert call(PENDULUM, "--wrt", "length").exit_code == 2  # nothing to differentiate


def test_models_without_parameters(tmp_path: Path) -> None:
    model = tmp_path / "bare.yaml"
    model.write_text("jointplay: 1\nbodies: {a: {mass: 2, inertia: 1}}\n")
    result = call(str(model), "--of", "a.position")
    assert result.exit_code == 2
    assert "until: is missing" in result.stderr
    assert "--wrt: is missing, and the model has no parameters" in result.stderr
    result = call(str(model), "--of", "a.position[2]", "--wrt", "gravity[2]", *BY, "--json")
    assert json.loads(result.stdout)["derivatives"][0]["final"] == pytest.approx(0.125, rel=1e-9)
