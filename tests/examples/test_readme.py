"""The code in README and in the pages for users runs as it stands.

Python blocks of a page run in order, in one namespace and in an empty folder. A YAML block with a title is a file in
that folder, and a model that runs. A text block called "output" is part of what the page prints.
"""

from __future__ import annotations

import re
from pathlib import Path

import matplotlib
import pytest

import jointplay as jp

ROOT = Path(__file__).resolve().parents[2]
PAGES = (ROOT / "README.md", ROOT / "docs" / "start.md", *sorted((ROOT / "docs" / "how-to").glob("*.md")))
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


def test_readme_example_is_short() -> None:
    (_, code), *others = blocks(ROOT / "README.md", "python")
    assert not others
    assert len(code.splitlines()) <= 21


@EACH
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert "://" in target or (page.parent / target).exists(), target
