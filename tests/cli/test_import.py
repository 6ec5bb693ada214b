"""``jointplay import`` and ``jointplay write``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import Result
from robot_texts import arm, inertial, written
from stl_files import TETRAHEDRON, binary
from typer.testing import CliRunner

import jointplay as jp
from jointplay.cli.app import app

SOLID = inertial() + '<collision><geometry><box size="1 1 1"/></geometry></collision>'


def call(*words: str | Path) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def test_import_writes_a_model_and_a_table(tmp_path: Path) -> None:
    file, model = written(tmp_path, arm()), tmp_path / "m.yaml"
    result = call("import", file, "-o", model, "--start", "elbow=30deg", "--all")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[1].split() == ["line", "status", "element", "name", "note"]
    assert any(line.split()[:4] == ["5", "used", "joint", "shoulder"] for line in lines)
    assert len(jp.load_model(model).joints) == 2
    assert call("check", model).exit_code == 0


def test_what_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = written(tmp_path, arm(lower=SOLID))
    result = call("import", file, "--json")
    assert result.exit_code == 2
    facts = json.loads(result.stdout)
    assert not facts["ok"] and facts["problems"][0]["line"] == 4
    assert facts["report"]["counts"]["refused"] == 3  # collision and what is in it
    assert "--allow collision leaves it out" in result.stderr
    assert not (tmp_path / "r.yaml").exists()
    result = call("import", file, "--allow", "collision", "--json")
    facts = json.loads(result.stdout)
    assert facts["ok"] and facts["model"] == "r.yaml"
    assert len(facts["report"]["rows"]) == sum(facts["report"]["counts"].values())
    for words in (("--start", "elbow"), ("--base", "flying"), ("--keep", "elbow"), ("--start", "elbw=1")):
        assert call("import", file, "--allow", "all", *words).exit_code == 2


def test_meshes_are_named_relative_to_the_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    (tmp_path / "a" / "t.stl").write_bytes(binary(TETRAHEDRON))
    visual = inertial() + '<visual><geometry><mesh filename="t.stl"/></geometry></visual>'
    file = written(tmp_path / "a", arm(lower=visual))
    monkeypatch.chdir(tmp_path)
    assert call("import", file, "-o", "b/m.yaml").exit_code == 0
    assert '"../a/t.stl"' in Path("b/m.yaml").read_text()
    assert jp.load_model("b/m.yaml").bodies[1].shapes[0].path


def test_write(tmp_path: Path) -> None:
    model, out = tmp_path / "m.yaml", tmp_path / "o.urdf"
    call("import", written(tmp_path, arm()), "-o", model)
    assert call("write", model, "-o", out).exit_code == 0
    assert len(jp.read(out)[0].joints) == 2
    facts = json.loads(
        call("write", model, "-o", out, "--set", "joints.elbow.radial={clearance: 1 mm}", "--json").stdout
    )
    assert not facts["ok"] and "clearance" in facts["problems"][0]["message"]
    assert call("write", model, "-o", tmp_path / "o.txt").exit_code == 2
