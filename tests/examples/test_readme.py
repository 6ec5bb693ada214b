"""The code in README and in the pages for users runs as it stands.

Python blocks of a page run in order, in one namespace and in an empty folder; then its commands. A YAML block with a
title is a file in that folder, and a model that runs. A text block called "output" is part of what the page prints.
"""

from __future__ import annotations

import linecache
import re
import shlex
from pathlib import Path

import matplotlib
import pytest
from typer.testing import CliRunner

import jointplay as jp
from jointplay.cli.app import app
from jointplay.viewer.film.browser import find_browser
from jointplay.viewer.film.encoders import find_ffmpeg

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
TYPED = (ROOT / "README.md", DOCS / "index.md", DOCS / "start.md")  # pages that a newcomer follows line by line
TASKS = sorted((DOCS / "how-to").glob("*.md"))
PAGES = (*TYPED, *TASKS, DOCS / "reference" / "api.md", DOCS / "theory" / "contact_problem.md")
COMMAND = re.compile(r"^    (jointplay .+)$", re.MULTILINE)
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
    if page.stem == "film":
        need_film()
    write_models(page, tmp_path)
    code = [text for title, text in blocks(page, "python") if not title]
    assert code, "the page has no Python"
    namespace: dict[str, object] = {"__name__": page.stem}
    for number, text in enumerate(code, start=1):
        name = f"{page.name}, block {number}"
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)  # as notebooks do
        exec(compile(text, name, "exec"), namespace)
    printed = capsys.readouterr().out
    for title, text in blocks(page, "text"):
        if title == "output":
            assert text in printed
    if page in TASKS:
        type_commands(page, tmp_path)


def need_film() -> None:
    """Skip where no film can be made."""
    try:
        find_browser(), find_ffmpeg()
    except jp.InputError as error:
        pytest.skip(str(error))


def type_commands(page: Path, folder: Path) -> int:
    """Commands of a page, one after the other; how many there are."""
    commands = [shlex.split(line, comments=True)[1:] for line in COMMAND.findall(page.read_text(encoding="utf-8"))]
    for words in commands:
        if words[0] == "warmup":  # minutes; tests/cli has it
            continue
        result = CliRunner().invoke(app, words)
        assert result.exit_code == 0, f"{shlex.join(words)}\n{result.output}"
        if "-o" in words:
            assert (folder / words[words.index("-o") + 1]).stat().st_size > 1000
    return len(commands)


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


@pytest.mark.parametrize("page", TYPED, ids=lambda page: page.stem)
def test_commands(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands of a page work one after the other, in an empty folder with the files that the page has one write."""
    monkeypatch.chdir(tmp_path)
    write_models(page, tmp_path)
    assert type_commands(page, tmp_path) > 3


def rows(page: Path, heading: str) -> list[str]:
    """What stands in the first column of the table below a heading, as code."""
    section = page.read_text(encoding="utf-8").split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"^\| `(.+?)` \| ", section, re.MULTILINE)[1 if page.stem == "README" else 0 :]


@pytest.mark.parametrize("law", rows(ROOT / "README.md", "One argument"))
def test_laws_of_the_readme(law: str) -> None:
    """Each takes the place of the clearance in the example."""
    ((_, code),) = blocks(ROOT / "README.md", "python")
    build, _, _ = re.sub(r"^play = .*$", lambda _: f"play = {law}", code, flags=re.MULTILINE).partition("sol = ")
    namespace: dict[str, object] = {}
    exec(build, namespace)
    system = namespace["s"]
    assert isinstance(system, jp.System)
    assert jp.simulate(system, until="1 ms", save="1 ms").outcome.ok


@pytest.mark.parametrize("law", rows(DOCS / "start.md", "Change one argument"))
def test_laws_of_the_start_page(law: str, tmp_path: Path) -> None:
    """Each takes the place of the clearance in worn.yaml."""
    _, worn = write_models(DOCS / "start.md", tmp_path)
    system = jp.load_model(worn, overrides={"joints.C.radial": law})
    assert jp.simulate(system, until="5 ms", save="5 ms").outcome.ok


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
