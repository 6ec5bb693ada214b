"""Pages of the gallery say what the heads of the files say, and have their pictures."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from jointplay.gallery import SUBJECTS, cases
from jointplay.gallery.head import FIELDS, head_text, read_head

DOCS = Path(__file__).resolve().parents[2] / "docs"
CASES = cases()
EACH = pytest.mark.parametrize("name", CASES)


@pytest.fixture(scope="module")
def maker() -> ModuleType:
    """docs/draw_gallery.py as a module."""
    spec = importlib.util.spec_from_file_location("draw_gallery", DOCS / "draw_gallery.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@EACH
def test_page_is_up_to_date(name: str, maker: ModuleType) -> None:
    """If not: python docs/draw_gallery.py --pages."""
    assert (DOCS / "gallery" / f"{name}.md").read_text(encoding="utf-8") == maker.page(CASES[name])


def test_index_is_up_to_date(maker: ModuleType) -> None:
    text = (DOCS / "gallery.md").read_text(encoding="utf-8")
    assert text == maker.index(text)
    for heading in SUBJECTS.values():
        assert f"## {heading}" in text


def test_pictures_are_there_and_no_others(maker: ModuleType) -> None:
    """If one is missing: python docs/draw_gallery.py NAME."""
    needed = {f"{picture}.png" for case in CASES.values() for picture in maker.pictures(case)}
    found = {file.name: file.stat().st_size for file in (DOCS / "gallery").glob("*.png")}
    assert set(found) == needed
    assert max(found.values()) < 250_000
    assert sum(found.values()) < 6_000_000
    assert {file.stem for file in (DOCS / "gallery").glob("*.md")} == set(CASES)


@EACH
def test_heads_use_known_fields(name: str) -> None:
    """A misspelt field would be taken for a remark."""
    for file in CASES[name].files:
        head = read_head(file)
        assert head["Subject"] in SUBJECTS
        words = re.findall(r"^([A-Z][a-z]+(?: [a-z]+)?):[ ]{2,}", head_text(file), re.MULTILINE)
        assert set(words) <= set(FIELDS)
        for model in filter(None, head["Models"].split(", ")):
            assert CASES[model].model


def test_a_question_fits_on_a_line() -> None:
    for case in CASES.values():
        assert case.head.asks.endswith("?")
        assert len(case.head.asks) <= 100, case.name
