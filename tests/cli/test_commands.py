"""The commands in one process: what they print, their exit codes, and one JSON object on stdout."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner, Result

import jointplay as jp
from jointplay.cli.app import app
from jointplay.cli.examples import GALLERY
from jointplay.gallery import cases

BAD_MODELS = Path(__file__).parent.parent / "api" / "bad_models"
PENDULUM = str(GALLERY / "pendulum.yaml")


def call(*words: str) -> Result:
    """Run a command line."""
    return CliRunner().invoke(app, list(words))


def answer(*words: str, code: int = 0) -> Any:
    """The one JSON object of a command."""
    result = call(*words, "--json")
    assert result.exit_code == code, result.output
    return json.loads(result.stdout)


@pytest.fixture(autouse=True)
def _in_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


# --- run --------------------------------------------------------------------------------------------------------------


def test_run_by_the_settings_of_the_file() -> None:
    result = call("run", PENDULUM)
    assert result.exit_code == 0
    assert "finished at t = 4 s" in result.stdout
    assert "jointplay plot pendulum.nc '|P.force|'" in result.stdout
    solution = jp.load("pendulum.nc")
    assert len(solution.time) == 801
    assert solution.meta["method"].startswith("Explicit(rtol=1e-10")


def test_run_with_everything_given() -> None:
    words = ["--until", "200 ms", "--method", "verlet", "--step", "1 ms", "--save", "0.1", "-o", "out.nc"]
    facts = answer("run", PENDULUM, *words, "--set", "parameters.mass=4 kg")
    assert facts["ok"] is True
    assert facts["result"] == "out.nc"
    assert facts["stats"]["steps"] == pytest.approx(200, abs=1)
    solution = jp.load("out.nc")
    assert solution.time == pytest.approx([0.0, 0.1, 0.2])
    assert "step=0.001" in solution.meta["method"]
    assert facts["energy"]["kinetic"] == solution["energy.kinetic"][-1]
    assert solution["energy.kinetic"][-1] == pytest.approx(2 * _kinetic(), rel=1e-3)


def _kinetic() -> float:
    return float(jp.simulate(jp.load_model(PENDULUM), 0.2, jp.Explicit(), 0.1)["energy.kinetic"][-1])


def test_options_of_the_file_hold_unless_replaced() -> None:
    facts = answer("run", PENDULUM, "--until", "0.01", "--rtol", "1e-5")
    assert "rtol=1e-05, atol=1e-12" in facts["method"]


def test_without_a_run_section(tmp_path: Path) -> None:
    lines = [line for line in Path(PENDULUM).read_text().splitlines() if not line.startswith("run:")]
    model = tmp_path / "bare.yaml"
    model.write_text("\n".join(lines))
    result = call("run", str(model))
    assert result.exit_code == 2
    assert "--until" in result.stderr
    assert call("run", str(model), "--until", "0.1", "--rtol", "1e-6").exit_code == 0
    assert len(jp.load("bare.nc").time) == 1001


def test_stopped_early_keeps_what_there_is(tmp_path: Path) -> None:
    model = tmp_path / "blow.yaml"
    text = "jointplay: 1\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\nforces: {f: {body: b, force: [1/(1-t), 0, 0]}}\n"
    model.write_text(text)
    result = call("run", str(model), "--until", "2", "--save", "0.1")
    assert result.exit_code == 3, result.output
    assert "stopped early" in result.stderr
    solution = jp.load("blow.nc")
    assert 5 <= len(solution.time) <= 11
    assert not solution.outcome.ok


@pytest.mark.parametrize(
    ("words", "field", "message"),
    [
        (["--until", "4 kg"], "--until", "expected a time"),
        (["--until", "-1"], "--until", "greater than zero"),
        (["--until", "nan"], "--until", ""),
        (["--save", "0"], "--save", "greater than zero"),
        (["--method", "explict"], "--method", "did you mean 'explicit'?"),
        (["--step", "1 m"], "--step", "expected a time"),
        (["--rtol", "-1"], "--rtol", "greater than zero"),
        (["--method", "verlet", "--rtol", "1e-3"], "--rtol", "no option 'rtol'"),
        (["--set", "mass"], "--set", "path=value"),
        (["--set", "bodies.bat.mass=1"], "bodies.bat.mass", "did you mean 'bar'?"),
        (["--set", "bodies.bar.mass=1 m"], "bodies.bar.mass", "expected a mass"),
        (["--set", "run.method.explicit.rtol=soon"], "run.method.explicit.rtol", "soon"),
        (["-o", "no/such/folder/out.nc"], "output", "there is no folder"),
    ],
)
def test_bad_options(words: list[str], field: str, message: str) -> None:
    facts = answer("run", PENDULUM, *words, code=2)
    assert facts["ok"] is False
    assert [problem["field"] for problem in facts["problems"]] == [field]
    assert message in facts["problems"][0]["message"]


def test_a_method_that_a_file_misspells_has_its_line(tmp_path: Path) -> None:
    model = tmp_path / "model.yaml"
    model.write_text(Path(PENDULUM).read_text().replace("rtol: 1e-10", "rtoll: 1e-10"))
    line = 1 + next(k for k, text in enumerate(model.read_text().splitlines()) if text.startswith("run:"))
    for command in ("run", "check"):
        result = call(command, str(model))
        assert result.exit_code == 2
        assert result.stderr.startswith(f"{model}:{line}: run.method.explicit.rtoll: ")


@pytest.mark.parametrize("command", ["run", "check"])
@pytest.mark.parametrize("file", sorted(BAD_MODELS.glob("*.yaml")), ids=lambda file: file.stem)
def test_bad_models(command: str, file: Path) -> None:
    result = call(command, str(file))
    assert result.exit_code == 2
    assert result.stdout == ""
    assert all(line.startswith(str(file)) for line in result.stderr.splitlines())
    assert "Traceback" not in result.stderr


# --- check ------------------------------------------------------------------------------------------------------------


def test_check_names_the_redundancy() -> None:
    result = call("check", str(GALLERY / "driven_four_bar_3d.yaml"))
    assert result.exit_code == 0
    assert "redundant" in result.stdout
    facts = answer("check", str(GALLERY / "driven_four_bar_3d.yaml"))
    assert facts["ok"] is True
    assert len(facts["redundant"]) == 3


CONTRADICTION = """
jointplay: 1
bodies: {b: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}}
joints:
  F: {type: fixed, between: [ground, b], point: [0, 0, 0]}
  R: {type: revolute, between: [ground, b], point: [0, 0, 0], axis: [0, 0, 1], angle: {drive: 0.1 + t}}
run: {until: 1}
"""


@pytest.mark.parametrize("command", ["check", "run"])
def test_joints_that_contradict_each_other(command: str, tmp_path: Path) -> None:
    model = tmp_path / "model.yaml"
    model.write_text(CONTRADICTION)
    done = call(command, str(model))
    assert done.exit_code == 2
    assert "contradict" in done.output
    assert "R.angle" in done.output


# --- plot -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def result(tmp_path: Path) -> str:
    """A short result."""
    jp.simulate(jp.load_model(PENDULUM), 0.1, save=0.01, output=tmp_path / "run.nc")
    return "run.nc"


def test_plot(result: str) -> None:
    done = call("plot", result, "P.force", "P.angle", "-o", "figure.svg")
    assert done.exit_code == 0
    assert Path("figure.svg").read_text().startswith("<?xml")
    facts = answer("plot", result)
    assert facts == {"ok": True, "picture": "run.png", "names": ["|P.force|"]}
    assert Path("run.png").stat().st_size > 5_000


def test_plot_lists_names(result: str) -> None:
    listed = call("plot", result, "--list").stdout
    (line,) = [line for line in listed.splitlines() if line.startswith("P.force ")]
    assert line.split()[1] == "[N]" and "reaction on the second body" in line
    assert "bar." not in call("plot", result, "--list", "P.angle").stdout
    assert answer("plot", result, "--list")["names"]["P.angle"] == "rad"


def test_plot_of_nothing(result: str) -> None:
    assert "did you mean P.force" in call("plot", result, "P.forc").stderr
    assert call("plot", result, "P.forc").exit_code == 2
    assert "no such file" in call("plot", "none.nc", "P.force").stderr
    assert call("plot", "none.nc", "P.force").exit_code == 2
    assert call("plot", "P.force").exit_code == 2
    assert call("plot", result, "-o", "figure.xyz").exit_code == 2
    Path("text.nc").write_text("not a result")
    spoilt = call("plot", "text.nc")
    assert spoilt.exit_code == 2
    assert spoilt.stderr == "text.nc: is not a result file, or is damaged\n"


# --- the others -------------------------------------------------------------------------------------------------------


def test_examples() -> None:
    assert call("examples").stdout == call("examples", "list").stdout
    assert {one["name"] for one in answer("examples", "list")["examples"]} == set(cases())
    assert call("examples", "show", "pendulum").stdout == Path(PENDULUM).read_text()
    assert "did you mean 'pendulum'" in call("examples", "show", "pendulun").stderr
    assert call("examples", "copy", "pendulum", "here").exit_code == 0
    assert Path("here/pendulum.yaml").read_text() == Path(PENDULUM).read_text()
    again = call("examples", "copy", "pendulum", "here")
    assert again.exit_code == 2
    assert "was not replaced" in again.stderr
    facts = answer("examples", "run", "spring_mass", "--output", "s.nc")
    assert facts["ok"] is True
    assert np.isclose(jp.load("s.nc").time[-1], 4.0)


def test_schema() -> None:
    facts = json.loads(call("schema").stdout)
    assert facts["title"] == "jointplay model"
    assert answer("schema") == facts


def test_doctor() -> None:
    facts = answer("doctor")
    assert facts["jointplay"] == jp.__version__
    assert facts["packages"]["numba"]
    assert "kernels" in call("doctor").stdout


def test_unexpected_errors_are_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*words: Any, **more: Any) -> None:
        raise RuntimeError("the moon is in the way")

    monkeypatch.setattr("jointplay.cli.model_input.read_job", fail)
    result = call("check", PENDULUM)
    assert result.exit_code == 1
    assert "the moon is in the way" in result.stderr
    assert "--debug" in result.stderr
    assert len(result.stderr.splitlines()) == 1
    monkeypatch.setenv("JOINTPLAY_DEBUG", "1")
    assert isinstance(call("check", PENDULUM).exception, RuntimeError)


def test_a_table_with_forces_of_rigid_contacts_has_a_note() -> None:
    call("run", str(GALLERY / "clearance_pendulum.yaml"), "--until", "10 ms", "-o", "rigid.nc")
    assert "note: impacts of rigid contacts are impulses, not forces" in call("export", "rigid.nc").output
    assert "note" not in call("export", "rigid.nc", "pendulum.position", "-o", "b.csv").output
