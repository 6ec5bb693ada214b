"""Times of a model file that do not suit each other: said by ``check`` and by ``run``, with the line, as written."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from jointplay.cli.app import app

MODEL = """jointplay: 1
planar: true
parameters: {T: 3 s}
bodies:
  ball: {mass: 1, inertia: 0.1, position: [0, 2]}
run:
  until: 1 s
  save: SAVE
  method: {verlet: {step: STEP}}
"""
SECONDS = "because a number without a unit is in seconds: did you mean '10 us' or '10 ms'?"


def said(folder: Path, command: list[str], step: str = "1 ms", save: str = "0.1 s") -> tuple[int, str]:
    model = folder / "fall.yaml"
    model.write_text(MODEL.replace("STEP", step).replace("SAVE", save))
    out = [] if command == ["check"] else ["-o", str(folder / "fall.nc")]
    done = CliRunner().invoke(app, [*command[:1], str(model), *command[1:], *out])
    return done.exit_code, done.output


@pytest.mark.parametrize("command", ["check", "run"])
@pytest.mark.parametrize(
    ("step", "end"),
    [
        ("'10'", f"a step of 10 s is longer than the whole run of 1 s; '10' was read as 10 s, {SECONDS}\n"),
        ("10 s", "a step of 10 s is longer than the whole run of 1 s\n"),
        ("2*T", "a step of 6 s is longer than the whole run of 1 s\n"),
    ],
)
def test_a_step_longer_than_the_run_has_its_line(command: str, step: str, end: str, tmp_path: Path) -> None:
    code, text = said(tmp_path, [command], step)
    assert code == 2
    assert text == f"{tmp_path / 'fall.yaml'}:9: run.method.verlet.step: {end}"


def test_a_step_of_the_command_line_is_called_by_its_option(tmp_path: Path) -> None:
    code, text = said(tmp_path, ["run", "--step", "10"])
    assert code == 2
    assert text.startswith("--step: a step of 10 s is longer than the whole run of 1 s; '10' was read as 10 s")


@pytest.mark.parametrize("command", [["check"], ["run"], ["run", "--save", "2 s"]])
@pytest.mark.parametrize("save", ["2 s", "2000 ms"])
def test_saves_longer_than_the_run(command: list[str], save: str, tmp_path: Path) -> None:
    code, text = said(tmp_path, command, save=save)
    assert code == 0
    assert "warning: the interval of saves, 2 s, is longer than the run of 1 s\n" in text


@pytest.mark.parametrize("command", [["check"], ["run"]])
def test_saves_without_a_unit(command: list[str], tmp_path: Path) -> None:
    code, text = said(tmp_path, command, save="10")
    assert code == 0
    assert "longer than the run of 1 s; a number without a unit is in seconds: did you mean '10 us' or '10 ms'?" in text
