"""``jointplay examples`` for models and scripts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from jointplay.cli.app import app
from jointplay.gallery import PAPERS, SUBJECTS, cases

QUICK = "paper_d_slider"  # a script that takes a second


@pytest.fixture(autouse=True)
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def call(*words: str) -> Result:
    return CliRunner().invoke(app, ["examples", *words])


def test_list_is_by_subject_with_questions_and_figures() -> None:
    text = call("list").stdout
    at = [text.index(heading) for heading in SUBJECTS.values()]
    assert at == sorted(at)
    for case in cases().values():
        line = next(line for line in text.splitlines() if line.split()[:1] == [case.name])
        assert "?" in line
        if case.script and case.subject in PAPERS:
            assert line.endswith(f"({case.figures})")


def test_list_for_machines() -> None:
    result = call("list", "--json")
    facts = {one["name"]: one for one in json.loads(result.stdout)["examples"]}
    assert facts["worn_door"]["files"] == ["worn_door.yaml", "worn_door.py"]
    assert facts["paper_b_slider_crank"]["source"] == "Flores, Leine and Glocker 2010, figures 10, 11"
    assert facts["paper_b_slider_crank"]["answer"]


def test_show_and_copy_scripts() -> None:
    assert call("show", QUICK).stdout == cases()[QUICK].script.read_text(encoding="utf-8")
    assert call("show", "worn_door.py").stdout.startswith('"""')
    assert call("show", "worn_door").stdout.startswith("#")
    facts = json.loads(call("copy", "worn_door", "mine", "--json").stdout)
    assert facts["files"] == ["mine/worn_door.yaml", "mine/worn_door.py"]
    again = call("copy", "worn_door", "mine")
    assert again.exit_code == 2
    assert again.stderr.count("it was not replaced") == 2
    assert call("copy", "worn_door.py", "alone").exit_code == 0
    assert [file.name for file in Path("alone").iterdir()] == ["worn_door.py"]


def test_names_that_are_not_there() -> None:
    for name, hint in (("paper_b_slidercrank", "'paper_b_slider_crank'"), ("pendulum.py", "'pendulum.yaml'")):
        for word in ("show", "copy", "run"):
            result = call(word, name)
            assert result.exit_code == 2
            assert f"did you mean {hint}?" in result.stderr
            assert "Traceback" not in result.output


def test_run_a_script() -> None:
    result = call("run", QUICK)
    assert result.exit_code == 0, result.output
    assert "90.696 N" in result.stdout
    assert Path(QUICK, f"{QUICK}.png").stat().st_size > 10_000
    kept = json.loads(Path(QUICK, "result.json").read_text(encoding="utf-8"))
    assert kept["value"] == pytest.approx(90.696, abs=1e-6)


def test_run_a_script_for_machines() -> None:
    result = call("run", f"{QUICK}.py", "-o", "here", "--json")
    facts = json.loads(result.stdout)
    assert facts["ok"] is True
    assert facts["files"] == [f"here/{QUICK}.png"]
    assert "contact" in result.stderr or "forces" in result.stderr  # what it prints for people


def test_a_file_is_no_folder() -> None:
    Path("taken").touch()
    result = call("run", QUICK, "-o", "taken")
    assert result.exit_code == 2
    assert "needs a folder" in result.stderr


def test_a_number_that_does_not_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    from jointplay.gallery import paper_d_slider

    monkeypatch.setattr(paper_d_slider, "CASES", {"0 mm": (1.0, 2.0)})
    result = call("run", QUICK, "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["ok"] is False
    assert "does not hold" in result.stderr


def test_run_a_model_points_to_its_script() -> None:
    result = call("run", "press")
    assert result.exit_code == 0
    assert Path("press.nc").exists()
    assert "jointplay examples run press.py" in result.stdout
