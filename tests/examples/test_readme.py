"""The code in README and in the pages for users runs as it stands.

Python blocks of a page run in order, in one namespace and in an empty folder. A YAML block with a title is a file in
that folder, and a model that runs. A text block called "output" is part of what the page prints.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import matplotlib
import pytest
from typer.testing import CliRunner

import jointplay as jp
from jointplay.cli.app import app

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = (ROOT / "README.md", DOCS / "index.md", DOCS / "start.md", *sorted((DOCS / "how-to").glob("*.md")))
FENCE = re.compile(r"^```(\w+)(?: title=\"([^\"]+)\")?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EACH = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)


def blocks(page: Path, language: str) -> list[tuple[str, str]]:
    """Titles and texts of the fenced blocks in a language."""
    return [(title, text) for word, title, text in FENCE.findall(page.read_text(encoding="utf-8")) if word == language]


def write_models(page: Path, folder: Path) -> list[Path]:
    """The model files of a page."""
    files = []
    for title, text in blocks(page, "yaml"):
        if title:
            files.append(folder / title)
            files[-1].write_text(text, encoding="utf-8")
    return files


@EACH
def test_python(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    write_models(page, tmp_path)
    code = [text for title, text in blocks(page, "python") if not title]
    assert code, "the page has no Python"
    namespace: dict[str, object] = {"__name__": page.stem}
    for number, text in enumerate(code, start=1):
        exec(compile(text, f"{page.name}, block {number}", "exec"), namespace)
    printed = capsys.readouterr().out
    for title, text in blocks(page, "text"):
        if title == "output":
            assert text in printed


@EACH
def test_models(page: Path, tmp_path: Path) -> None:
    for file in write_models(page, tmp_path):
        system = jp.load_model(file)
        report = system.check()
        assert report.ok, report.text()
        assert not report.warnings, report.text()
        run = system.run
        assert run is not None
        assert jp.simulate(system, run["until"], save=[run["until"]]).outcome.ok


COMMAND = re.compile(r"^    (jointplay .+)$", re.MULTILINE)
TYPED = (ROOT / "README.md", DOCS / "index.md", DOCS / "start.md")  # pages that a newcomer follows line by line


@pytest.mark.parametrize("page", TYPED, ids=lambda page: page.stem)
def test_commands(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands of a page work one after the other, in an empty folder with the files that the page has one write."""
    monkeypatch.chdir(tmp_path)
    write_models(page, tmp_path)
    commands = [shlex.split(line, comments=True)[1:] for line in COMMAND.findall(page.read_text(encoding="utf-8"))]
    assert len(commands) > 3
    for words in commands:
        if words[0] == "warmup":  # minutes; tests/cli has it
            continue
        result = CliRunner().invoke(app, words)
        assert result.exit_code == 0, f"{shlex.join(words)}\n{result.output}"
        if "-o" in words:
            assert (tmp_path / words[words.index("-o") + 1]).stat().st_size > 1000


def test_readme_example_is_short() -> None:
    (_, code), *others = blocks(ROOT / "README.md", "python")
    assert not others
    assert len(code.splitlines()) <= 21


@EACH
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        place = page.parent / target
        made = target.endswith("tour.md") and place.with_suffix(".ipynb").exists()  # docs/tour_page.py
        assert "://" in target or place.exists() or made, target
