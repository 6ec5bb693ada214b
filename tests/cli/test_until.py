"""Runs until a condition, from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

import jointplay as jp
from jointplay.cli.app import app

MODEL = """
jointplay: 1
planar: true
bodies:
  ball: {mass: 1, inertia: 0.1, position: [0, 2]}
run: {until: 1 s, save: 0.1 s}
"""


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "fall.yaml"
    path.write_text(MODEL)
    return path


def test_the_end_of_the_model_is_the_limit(model: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(
        app, ["run", str(model), "--until", "ball.position[1] < 0.5", "-o", str(tmp_path / "a.nc")]
    )
    assert result.exit_code == 0, result.output
    assert "ended at t = 0.553001264 s" in result.output
    assert jp.load(tmp_path / "a.nc").events[0].name == "ball.position[1] < 0.5"


def test_never_true_and_wrong_use(model: Path, tmp_path: Path) -> None:
    out = ["-o", str(tmp_path / "b.nc")]
    never = CliRunner().invoke(app, ["run", str(model), "--until", "ball.position[1] > 5", "--at-most", "0.2 s", *out])
    assert never.exit_code == 3
    wrong = CliRunner().invoke(app, ["run", str(model), "--until", "1 s", "--at-most", "2 s", *out])
    assert wrong.exit_code == 2


UNTIL = """
jointplay: 1
planar: true
parameters: {floor: 0.5 m}
bodies:
  ball: {mass: 1, inertia: 0.1, position: [0, 2]}
run: {until: "ball.position[1] < floor", at_most: 3 s, save: 0.1 s, record: {fast: "ball.velocity[1] < -2 m/s"}}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "until.yaml"
    path.write_text(UNTIL)
    return path


def test_conditions_of_a_file(file: Path, tmp_path: Path) -> None:
    assert jp.load_model(file).run == {
        "until": 3.0,
        "ends": "ball.position[1] < floor",
        "save": 0.1,
        "record": {"fast": "ball.velocity[1] < -2 m/s"},
    }
    assert CliRunner().invoke(app, ["check", str(file)]).exit_code == 0
    result = CliRunner().invoke(
        app, ["run", str(file), "--record", "ball.position[1] < 1", "-o", str(tmp_path / "a.nc")]
    )
    assert result.exit_code == 0, result.output
    sol = jp.load(tmp_path / "a.nc")
    assert [one.name for one in sol.events] == ["fast", "ball.position[1] < 1", "ball.position[1] < floor"]
    assert sol.events[-1].time == pytest.approx((2 * 1.5 / 9.81) ** 0.5, abs=1e-12)
    assert sol.events[0].time == pytest.approx(2 / 9.81, abs=1e-12)


def test_the_command_line_goes_before_the_file(file: Path, tmp_path: Path) -> None:
    out = ["-o", str(tmp_path / "a.nc")]
    timed = CliRunner().invoke(app, ["run", str(file), "--until", "0.3 s", *out])
    assert timed.exit_code == 0 and jp.load(tmp_path / "a.nc").time[-1] == pytest.approx(0.3)
    other = CliRunner().invoke(app, ["run", str(file), "--until", "ball.position[1] < 0", *out])
    assert other.exit_code == 0 and "'ball.position[1] < 0' became true" in other.output
    short = CliRunner().invoke(app, ["run", str(file), "--at-most", "0.2 s", *out])
    assert short.exit_code == 3 and "never became true" in short.output


def test_wrong_conditions_on_the_command_line(file: Path, tmp_path: Path) -> None:
    given = ["run", str(file), "--until", "ball.positon[1] < 0", "--record", "t", "-o", str(tmp_path / "a.nc")]
    result = CliRunner().invoke(app, given)
    assert result.exit_code == 2
    assert "--until: unknown name 'ball.positon[1]'" in result.output
    assert "--record: a condition compares two sides" in result.output


def test_derivatives_of_the_instant_of_a_file(file: Path) -> None:
    r = jp.sensitivities(str(file), ["floor"], jp.Instant("ball.position[1] < floor"))
    speed = (2 * 9.81 * 1.5) ** 0.5
    assert r[jp.Instant("ball.position[1] < floor")]["floor"] == pytest.approx(-1 / speed, abs=1e-11)
    given = ["sensitivity", str(file), "--of", "instant(ball.position[1] < floor)", "--wrt", "floor"]
    result = CliRunner().invoke(app, given)
    assert result.exit_code == 0 and "-0.184" in result.output, result.output


def test_a_report_repeats_the_run(file: Path) -> None:
    from jointplay.report.reproduce import complete_model

    system = jp.load_model(file)
    sol = jp.simulate(system, "ball.position[1] < floor", jp.Explicit(), 0.1, at_most=3.0, record={"t": "t > 0.1"})
    text = complete_model(sol, system)
    assert text is not None
    again = jp.System.from_tree(__import__("yaml").safe_load(text)).run
    assert again is not None
    assert again["ends"] == "ball.position[1] < floor" and again["until"] == 3.0 and again["record"] == {"t": "t > 0.1"}


def test_a_study_refuses_a_condition_as_its_end(file: Path) -> None:
    with pytest.raises(jp.InputError, match="end at one time"):
        jp.study(str(file), vary={"floor": "0.5 m +- 0.1 m"}, of=jp.Final("ball.position[0]"))
