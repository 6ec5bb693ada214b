"""Every script in examples/ runs, holds its number, and leaves the pictures that it names."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "examples"
SCRIPTS = sorted(file for file in FOLDER.glob("*.py") if file.name != "drawing.py")


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_script(script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(script), run_name="__main__")
    pictures = re.findall(r'keep\(\w+, "(\w+)"\)', script.read_text(encoding="utf-8"))
    assert pictures, "the script draws nothing"
    for picture in pictures:
        assert (tmp_path / "out" / f"{picture}.png").stat().st_size > 10_000


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_script_says_what_it_is_and_asserts(script: Path) -> None:
    text = script.read_text(encoding="utf-8")
    assert text.startswith('"""')
    assert "    assert " in text[text.index("def main") :]


def test_gallery_page_names_all() -> None:
    page = (FOLDER.parent / "docs" / "gallery.md").read_text(encoding="utf-8")
    for script in SCRIPTS:
        assert f"examples/{script.name}" in page
