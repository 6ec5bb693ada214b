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
