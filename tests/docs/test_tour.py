"""The notebook runs from top to bottom and prints what it shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from docs.test_formulas import module
from matplotlib.figure import Figure

notebook = module("notebook")
NUMBER = re.compile(r"-?\d+\.?\d*(?:e[-+]?\d+)?")


def agree(printed: str, shown: str) -> None:
    """The same words, and numbers that agree: closely, or in size where they are differences."""
    assert NUMBER.sub("#", printed).split() == NUMBER.sub("#", shown).split()
    for mine, stored in zip(NUMBER.findall(printed), NUMBER.findall(shown), strict=True):
        loose = "e-" in stored
        assert float(mine) == pytest.approx(float(stored), rel=3.0 if loose else 0.02, abs=1e-5 if loose else 0.0)


def test_tour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    cells = [cell for cell in notebook.read()["cells"] if cell["cell_type"] == "code"]
    assert len(cells) > 8
    for count, cell in enumerate(cells, start=1):
        printed, value = notebook.run(cell, names)
        stored = "".join("".join(one["text"]) for one in cell["outputs"] if one["output_type"] == "stream")
        agree(printed, stored)
        assert cell["execution_count"] == count, "python docs/notebook.py stores the outputs"
        drawn = any("image/png" in one.get("data", {}) for one in cell["outputs"])
        assert drawn == isinstance(value, Figure)


def test_notebook_is_one() -> None:
    book = notebook.read()
    assert (book["nbformat"], book["nbformat_minor"]) == (4, 5)
    identities = [cell["id"] for cell in book["cells"]]
    assert len(identities) == len(set(identities))
    assert notebook.NOTEBOOK.stat().st_size < 400_000


def test_page_of_the_notebook() -> None:
    pictures: dict[str, bytes] = {}
    page = notebook.page(pictures)
    assert page.startswith("# A tour")
    assert len(pictures) >= 3
    for name, data in pictures.items():
        assert f"({name})" in page
        assert data.startswith(b"\x89PNG")
    assert "%matplotlib" not in page


def test_links_of_the_tour_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#]+\.md)", notebook.page({})):
        assert (notebook.NOTEBOOK.parent / target).exists(), target
