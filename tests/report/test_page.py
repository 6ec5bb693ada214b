"""A report is one page that needs nothing else, whatever the run was; and it can be computed again."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import numpy as np
import pytest
from report.reading import Page
from typer.testing import CliRunner

import jointplay as jp
from jointplay import report
from jointplay.cli.app import app
from jointplay.report.pictures import LARGE, embedded
from jointplay.report.reproduce import complete_model, hashes, method_tree, save_interval

SECTIONS = ["outcome", "animation", "forces", "contacts", "motion", "energy", "model", "settings", "reproduce"]
ELSEWHERE = re.compile(r"""(?:url\(|@import|src=|href=|fetch\(|import\()\s*["']?(?:https?:)?//""")


@pytest.fixture(scope="module")
def text(worn: jp.Solution) -> str:
    return report.page(worn)


def test_all_is_there_and_nothing_is_fetched(text: str) -> None:
    page = Page(text)
    assert [one for one in page.ids if one in SECTIONS] == SECTIONS
    assert all(one.startswith(("#", "data:")) for one in page.references), page.references
    assert not ELSEWHERE.search(text)
    assert "link" not in page.tags
    assert len(text) < 4_000_000
    assert text.count("<svg") >= 4
    assert "@page" in text and "prefers-color-scheme: dark" in text


def test_names_are_unique_and_escaped(text: str) -> None:
    page = Page(text)
    assert len(page.ids) == len(set(page.ids))
    assert "four-bar <worn & old>" in page.words
    assert "<worn" not in text.replace("&lt;worn", "")
    for target in re.findall(r"url\(#([^)]+)\)", text):
        assert target in page.ids


def test_animation_is_inside(text: str) -> None:
    (frame,) = Page(text).frames
    assert frame.lstrip().lower().startswith("<!doctype html>")
    assert "</html>" in frame


def test_the_outcome_is_plain(text: str, stopped: jp.Solution) -> None:
    assert "Finished at t = 100 ms" in Page(text).words
    words = Page(report.page(stopped)).words
    assert not stopped.outcome.ok
    assert "Stopped at t = " in words and " of 100 ms" in words
    assert stopped.outcome.message in words
    assert f"{len(stopped.time)} states were saved" in words


def test_without_joints_and_contacts(free: jp.Solution) -> None:
    page = Page(report.page(free))
    assert "Joint forces" not in page.words and "Contacts and impacts" not in page.words
    assert [one for one in page.ids if one in SECTIONS] == [
        one for one in SECTIONS if one not in ("forces", "contacts")
    ]


def test_nothing_saved() -> None:
    s = jp.System("nothing")
    s.body("stone", mass=1.0, inertia=1.0)
    empty = jp.simulate(s, until=1.0, save=[0.5, 1.0], method=jp.Verlet(step=1e-3), max_steps=3)
    assert len(empty.time) == 0
    page = Page(report.page(empty))
    assert [one for one in page.ids if one in SECTIONS] == ["outcome", "model", "settings", "reproduce"]
    assert "Stopped" in page.words


def test_a_function_that_no_file_can_say() -> None:
    s = jp.System("made in Python")
    stone = s.body("stone", mass=1.0, inertia=1.0)
    s.force("push", stone, force=(lambda t: 1.0 if np.sin(9.0 * t) > 0.3 else 0.0, 0, 0))
    words = Page(report.page(jp.simulate(s, until=0.1))).words
    assert "cannot be repeated from a file alone" in words
    assert "stone" in words


def test_many_lines_become_dots() -> None:
    from matplotlib.figure import Figure

    figure = Figure()
    figure.subplots().plot(np.random.default_rng(1).normal(size=LARGE // 40), "o")
    assert embedded(figure, 1).startswith('<img alt="" src="data:image/png;base64,')


def test_computed_again(worn: jp.Solution, tmp_path: Path) -> None:
    """The model file of the report gives the same bits."""
    from jointplay.report.model import system_of

    whole = complete_model(worn, system_of(worn))
    assert whole is not None
    file = tmp_path / "model.yaml"
    file.write_text(whole, encoding="utf-8")
    result = CliRunner().invoke(app, ["run", str(file), "-o", str(tmp_path / "again.nc")])
    assert result.exit_code == 0, result.output
    again = jp.load(tmp_path / "again.nc")
    assert hashes(again)["numbers"] == hashes(worn)["numbers"]
    assert hashes(again)["file"] != hashes(worn)["file"]  # it holds the time that the run took


def test_hashes(worn: jp.Solution, text: str) -> None:
    assert worn.path is not None
    assert hashes(worn)["file"] == hashlib.sha256(worn.path.read_bytes()).hexdigest()
    assert hashes(worn)["model"] == hashlib.sha256(worn.meta["model"].encode()).hexdigest()
    for value in hashes(worn).values():
        assert value in text
    for name in ("jointplay", "numpy", "kernels", "python"):
        assert f"{name} {worn.meta['versions'][name]}" in text


@pytest.mark.parametrize(
    ("method", "tree"),
    [
        ("Moreau(step=1e-05)", {"moreau": {"step": 1e-5}}),
        ("Explicit(rtol=1e-08, h_max=None)", {"explicit": {"rtol": 1e-8}}),
        ("Mine(step=1)", None),
        ("__import__('os').system('true')", None),
    ],
)
def test_method_is_read_as_data(method: str, tree: object) -> None:
    assert method_tree(method) == tree


def test_save_interval(worn: jp.Solution, ball: jp.Solution, free: jp.Solution, stopped: jp.Solution) -> None:
    assert [save_interval(one) for one in (worn, ball, free, stopped)] == [1e-3, None, 0.0, 1e-3]


def test_command(worn: jp.Solution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["report", str(worn.path), "--json"])
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    assert answer["report"] == "worn_report.html"
    assert answer["sha256"] == hashes(worn)
    assert (tmp_path / "worn_report.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert worn.report(tmp_path / "two.html").is_file()


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("report.pdf", "a report is a page: report.pdf must end in .html"),
        ("nowhere/report.html", "there is no folder nowhere"),
        (".", "is a directory"),
    ],
)
def test_bad_targets(
    worn: jp.Solution, target: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["report", str(worn.path), "-o", target])
    assert result.exit_code == 2
    assert words in result.output
    assert "Traceback" not in result.output
    assert not list(tmp_path.iterdir())


def test_bad_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.nc").write_text("no result")
    for file, words in (("none.nc", "there is no such file"), ("model.nc", "is not a result file")):
        result = CliRunner().invoke(app, ["report", file])
        assert result.exit_code == 2
        assert words in result.output
