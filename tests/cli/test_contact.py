"""``jointplay contact``, and what ``jointplay run`` says about contacts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import play_mechanisms as play
import pytest
from typer.testing import CliRunner, Result

import jointplay as jp
from jointplay.cli.app import app
from jointplay.codes import Code, Outcome
from jointplay.numerics.contact import read_problem, write_problem

W = np.array([[2.0, 0.5, 0.3, 0.0], [0.5, 3.0, 0.0, 0.2], [0.3, 0.0, 1.0, 0.1], [0.0, 0.2, 0.1, 2.0]])
Q = np.array([-1.0, 0.4, -0.2, 0.1])


def call(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


@pytest.fixture(autouse=True)
def _in_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def problem() -> str:
    """Two contacts with friction in a plane."""
    write_problem("problem.json", W, Q, 0.3, 2, "a test")
    return "problem.json"


@pytest.mark.parametrize("method", ["auto", "newton", "gauss_seidel", "lemke"])
def test_solvers_agree(problem: str, method: str) -> None:
    result = call("contact", problem, "--method", method, "--json")
    assert result.exit_code == 0, result.output
    facts = json.loads(result.stdout)
    assert facts["ok"] is True
    assert facts["method"] == method
    assert facts["note"] == "a test"
    assert facts["residual"] < 1e-9
    assert facts["contacts"] == facts["dim"] == 2
    r = np.array(facts["impulses"])
    u = (W @ r.ravel() + Q).reshape(2, 2)
    assert np.array(facts["velocities"]) == pytest.approx(u)
    assert np.abs(np.minimum(r[:, 0], u[:, 0])).max() < 1e-9
    assert np.all(np.abs(r[:, 1]) <= 0.3 * r[:, 0] + 1e-9)


def test_text(problem: str) -> None:
    result = call("contact", problem)
    assert result.exit_code == 0
    for word in ("2 contacts", "a test", "solved", "residual", "iterations", "tangent 1", "normal speed"):
        assert word in result.stdout


def test_many_contacts_are_cut_short() -> None:
    write_problem("many.json", np.eye(40), -np.ones(40), 0.0, 1)
    assert "and 20 contacts more" in call("contact", "many.json").stdout
    assert len(json.loads(call("contact", "many.json", "--json").stdout)["impulses"]) == 40


def test_a_problem_without_an_answer() -> None:
    """A contact that no impulse can stop."""
    write_problem("hopeless.json", np.zeros((1, 1)), [-1.0], 0.0, 1)
    result = call("contact", "hopeless.json")
    assert result.exit_code == 3, result.output
    assert "solved" not in result.stdout


def test_bad_input(problem: str) -> None:
    assert call("contact", "none.json").exit_code == 2
    Path("text.json").write_text("[]")
    result = call("contact", "text.json")
    assert result.exit_code == 2
    assert "Traceback" not in result.output
    assert call("contact", problem, "--method", "magic").exit_code == 2
    write_problem("space.json", np.eye(3), [-1.0, 0, 0], 0.1, 3)
    assert "lemke" in call("contact", "space.json", "--method", "lemke").stderr


def test_run_tells_of_impacts() -> None:
    Path("model.yaml").write_text(play.crank_with_play().to_yaml())
    words = ("run", "model.yaml", "--until", "20 ms", "--method", "moreau", "--step", "10 us", "--save", "1 ms")
    result = call(*words)
    assert result.exit_code == 0, result.output
    assert "the hardest at D.radial[0] with 0.84" in result.stdout
    facts = json.loads(call(*words, "--json").stdout)
    assert facts["impacts"]["hardest"]["joint"] == "D"
    assert facts["impacts"]["count"] > 5


def test_run_keeps_a_contact_problem_that_had_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    from jointplay import simulation

    simulate = simulation.simulate

    def fail(*words: Any, **more: Any) -> jp.Solution:
        solution = simulate(*words, **more)
        solution.outcome = Outcome.of(Code.CONTACT_FAILED, 0.01, detail=1.0, where="D.radial[0]")
        solution.failed_contact = {"W": W, "q": Q, "mu": np.array([0.3, 0.3]), "dim": 2, "note": "D.radial[0]"}
        return solution

    monkeypatch.setattr(simulation, "simulate", fail)
    Path("model.yaml").write_text(play.crank_with_play().to_yaml())
    result = call("run", "model.yaml", "--until", "10 ms", "--method", "moreau", "--step", "0.1 ms", "-o", "out.nc")
    assert result.exit_code == 3, result.output
    assert "jointplay contact out.contact.json" in result.stderr
    found, q, mu, dim, note = read_problem("out.contact.json")
    assert np.array_equal(found, W)
    assert np.array_equal(q, Q)
    assert (mu.tolist(), dim, note) == ([0.3, 0.3], 2, "D.radial[0]")
    assert call("contact", "out.contact.json").exit_code == 0
