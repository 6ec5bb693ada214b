"""Everything that writes a file for a user refuses what is no plain file, and leaves nothing half-written."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from outputs import OBSTACLES, full_disk, put, scene
from typer.testing import CliRunner

import jointplay as jp
from jointplay.cli.app import app
from jointplay.cli.examples import GALLERY
from jointplay.gallery.drawing import keep, panels
from jointplay.numerics import write_problem
from jointplay.writing import obstacle, refuse_place, write_whole, writing

PENDULUM = GALLERY / "pendulum.yaml"
Writer = Callable[[jp.Solution, Path], object]


def _again(solution: jp.Solution, path: Path) -> jp.Solution:
    return jp.simulate(jp.load_model(PENDULUM), 0.01, jp.Explicit(), 1e-3, output=path)


WRITERS: dict[str, Writer] = {
    "run.nc": _again,
    "saved.nc": lambda solution, path: solution.save(path),
    "table.csv": lambda solution, path: solution.to_csv(path),
    "lines.png": lambda solution, path: solution.plot("P.force", path=path),
    "lines.svg": lambda solution, path: solution.plot("P.force", path=path),
    "lines.pdf": lambda solution, path: solution.plot("P.force", path=path),
    "view.html": lambda solution, path: solution.view(path),
    "report.html": lambda solution, path: solution.report(path),
    "model.yaml": lambda solution, path: jp.load_model(PENDULUM).save(path),
    "model.json": lambda solution, path: jp.load_model(PENDULUM).save(path),
    "table.xlsx": lambda solution, path: solution.export(path),
    "table.parquet": lambda solution, path: solution.export(path),
    "robot.urdf": lambda solution, path: jp.write(jp.load_model(PENDULUM), path, allow="all"),
    "contact.json": lambda solution, path: write_problem(path, np.eye(20), np.ones(20), np.ones(10), 2),
    "picture.png": lambda solution, path: keep(panels(1, 1, (3, 2))[0], path.parent, path.stem, "title"),
}


@pytest.fixture(scope="module")
def solution() -> jp.Solution:
    return jp.simulate(jp.load_model(PENDULUM), 0.05, jp.Explicit(), 1e-3)


@pytest.mark.parametrize("name", WRITERS)
def test_what_is_no_file_stays_as_it_is(name: str, solution: jp.Solution, tmp_path: Path) -> None:
    for kind in OBSTACLES:
        folder = tmp_path / kind.replace(" ", "_")
        folder.mkdir()
        put(kind, folder / name)
        before = scene(folder)
        with pytest.raises(jp.InputError, match=f"cannot write .*it is a {kind.split()[0]}"):
            WRITERS[name](solution, folder / name)
        assert scene(folder) == before


@pytest.mark.parametrize("name", WRITERS)
def test_on_a_full_disk_the_old_file_stays(name: str, solution: jp.Solution, tmp_path: Path) -> None:
    WRITERS[name](solution, tmp_path / name)  # also loads what is loaded on first use
    before = scene(tmp_path)
    with full_disk(200), pytest.raises(jp.InputError, match=f"cannot write .*{name}: File too large"):
        WRITERS[name](solution, tmp_path / name)
    assert scene(tmp_path) == before


def test_kinds_of_files() -> None:
    for mode, word in (
        (stat.S_IFCHR, "device"), (stat.S_IFBLK, "device"), (stat.S_IFIFO, "pipe"), (stat.S_IFSOCK, "socket"),
        (stat.S_IFDIR, "directory"), (stat.S_IFLNK, "link"),
    ):  # fmt: skip
        assert word in obstacle(mode | 0o644)
    assert obstacle(stat.S_IFREG | 0o600) == ""
    assert obstacle(0o644) != ""  # of a kind that nobody knows


@pytest.mark.parametrize("name", ["", ".", "..", "no/such/folder/x", "x\0y", "n" * 300])
def test_names_that_no_file_can_have(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(jp.InputError, match="^place: cannot write "):
        refuse_place(name, "place")
    with pytest.raises(jp.InputError):
        jp.simulate(jp.load_model(PENDULUM), 0.01, jp.Explicit(), 1e-3, output=name)
    assert list(tmp_path.iterdir()) == []


def test_what_was_there_keeps_its_mode_and_its_neighbours(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text("old")
    file.chmod(0o640)
    assert write_whole(file, "näw") == file
    assert file.read_text(encoding="utf-8") == "näw"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert [one.name for one in tmp_path.iterdir()] == ["page.html"]


def test_an_error_of_ours_leaves_the_old_file(tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    file.write_text("old")
    with pytest.raises(ZeroDivisionError), writing(file) as draft:
        draft.write_text("half")
        raise ZeroDivisionError
    assert file.read_text() == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["table.csv"]


def test_something_that_comes_into_the_way_while_writing(tmp_path: Path) -> None:
    with pytest.raises(jp.InputError, match="it is a pipe"), writing(tmp_path / "page.html") as draft:
        draft.write_text("new")
        put("pipe", tmp_path / "page.html")
    assert stat.S_ISFIFO((tmp_path / "page.html").stat().st_mode)


# --- commands ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(solution: jp.Solution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a user, with a result."""
    monkeypatch.chdir(tmp_path)
    solution.save("ok.nc")
    return tmp_path


COMMANDS = (
    ("run", str(PENDULUM), "--until", "10 ms"),
    ("plot", "ok.nc", "P.force"),
    ("view", "ok.nc"),
    ("view", str(PENDULUM)),
    ("report", "ok.nc"),
    ("sensitivity", str(PENDULUM), "--of", "P.angle", "--until", "10 ms"),
    ("examples", "run", "pendulum"),
)


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_commands_end_with_a_sentence(words: tuple[str, ...], folder: Path) -> None:
    for name in ("pipe.nc", "pipe.png", "pipe.html", "pipe.csv"):
        put("pipe", folder / name)
    before = scene(folder)
    for place in (".", "", "..", "pipe.nc", "pipe.png", "pipe.html", "pipe.csv"):
        result = CliRunner().invoke(app, [*words, "-o", place])
        assert result.exit_code == 2, (place, result.output)
        assert len(result.stderr.splitlines()) == 1
        assert "unexpected" not in result.stderr
    assert scene(folder) == before


def test_copies_of_an_example_come_together_or_not_at_all(folder: Path) -> None:
    with full_disk(2500):  # room for the model, not for the script
        result = CliRunner().invoke(app, ["examples", "copy", "crank_rocker", "here"])
    assert result.exit_code == 2
    assert "File too large" in result.stderr
    assert list((folder / "here").iterdir()) == []
    put("link to nothing", folder / "here" / "crank_rocker.py")
    assert CliRunner().invoke(app, ["examples", "copy", "crank_rocker", "here"]).exit_code == 2
    assert [one.name for one in (folder / "here").iterdir()] == ["crank_rocker.py"]


def test_run_into_a_table(folder: Path) -> None:
    words = ["run", str(PENDULUM), "--until", "20 ms", "--save", "5 ms", "-o", "q.csv"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    lines = (folder / "q.csv").read_text().splitlines()
    assert lines[0].startswith("time [s],")
    assert len(lines) == 6
    assert "q.csv" in result.stdout
    assert sorted(one.name for one in folder.iterdir()) == ["ok.nc", "q.csv"]


def test_a_result_is_not_written_under_the_name_of_something_else(folder: Path, solution: jp.Solution) -> None:
    for name in ("q.csv", "Q.HTML", "q.yaml", "q.nc.part"):
        with pytest.raises(jp.InputError, match="the ending"):
            _again(solution, folder / name)
        with pytest.raises(jp.InputError, match="the ending"):
            solution.save(folder / name)
    _again(solution, folder / "gap_0.5")  # an ending that means nothing
    assert len(jp.load(folder / "gap_0.5").time) == 11
