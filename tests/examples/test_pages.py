"""Pages of the gallery say what the heads of the files say, and have their pictures."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from browser import Browser, find_browser

import jointplay as jp
from jointplay.gallery import SUBJECTS, cases
from jointplay.gallery.head import FIELDS, head_text, read_head
from jointplay.viewer.page import asset
from jointplay.viewer.scene import scene_of

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


def test_models_have_their_animation_and_picture() -> None:
    """If one is missing: python docs/draw_gallery.py --mechanisms NAME."""
    models = {name for name, case in CASES.items() if case.model}
    for ending, most in ((".json", 80_000), (".webp", 30_000)):
        found = {file.stem: file.stat().st_size for file in (DOCS / "gallery").glob(f"*{ending}")}
        assert set(found) == models
        assert max(found.values()) < most


def facts(scene: dict[str, Any]) -> set[str]:
    """Which things a scene says, of itself, its bodies and its joints."""
    return {*scene, *(f"{part}.{key}" for part in ("bodies", "joints") for one in scene[part] for key in one)}


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.model])
def test_recorded_animations_are_such_as_the_player_reads(name: str) -> None:
    """If not: python docs/draw_gallery.py --mechanisms."""
    kept = json.loads((DOCS / "gallery" / f"{name}.json").read_text(encoding="utf-8"))["scene"]
    fresh, _ = scene_of(jp.load_model(CASES[name].files[0]))
    assert facts(kept) == facts(fresh) | {"outcome", "ok", "saved", "title", "version"}
    assert [body["name"] for body in kept["bodies"]] == [body["name"] for body in fresh["bodies"]]
    assert kept["ok"] and not kept["still"]


def test_page_of_an_animation_in_a_browser(maker: ModuleType, tmp_path: Path) -> None:
    """As on the site, with the player beside it."""
    path = find_browser()
    if path is None:
        pytest.skip("no Chromium or Chrome is installed")
    for folder in ("gallery", "assets"):
        (tmp_path / folder).mkdir()
    for name in ("player.js", "player.css"):
        (tmp_path / "assets" / name).write_text(asset(name), encoding="utf-8")
    framed = re.search(r'<iframe class="animation" src="([^"]+)"', maker.page(CASES["worn_four_bar"]))
    assert framed
    page = tmp_path / "gallery" / framed[1]
    page.write_text(maker.animations.page(maker.animations.models()["worn_four_bar"]), encoding="utf-8")
    with Browser(path) as browser:
        tab = browser.open(page)
        state = tab.run("jointplay.state()")
        assert state["frames"] > 300
        assert set(state["bodies"]) == {"crank", "coupler", "rocker"}
        assert tab.errors == [] and tab.requests == []
        tab.close()


@EACH
def test_heads_use_known_fields(name: str) -> None:
    """A misspelt field would be taken for a remark."""
    for file in [file for file in CASES[name].files if file.suffix != ".urdf"]:  # robot files have none
        head = read_head(file)
        assert head["Subject"] in SUBJECTS
        words = re.findall(r"^([A-Z][a-z]+(?: [a-z]+)?):[ ]{2,}", head_text(file), re.MULTILINE)
        assert set(words) <= set(FIELDS)
        for model in filter(None, head["Models"].split(", ")):
            assert CASES[model].model


def test_a_question_fits_on_a_line() -> None:
    for case in CASES.values():
        assert case.head.question.endswith("?")
        assert len(case.head.question) <= 100, case.name
