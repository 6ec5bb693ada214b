"""The walk of docs/architecture.md: the files that one ``simulate`` enters, in order."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import jointplay as jp
from jointplay.gallery import entries

PAGE = Path(__file__).parents[2] / "docs" / "architecture.md"


def told() -> list[str]:
    """The files that the page has, in order."""
    section = PAGE.read_text().partition("## A walk")[2].partition("\n## ")[0]
    lines = [line.split("|")[2] for line in section.splitlines() if line.count("|") == 4][2:]
    return [name for line in lines for name in re.findall(r"`([\w/]+)`", line)]


def entered(system: jp.System) -> list[str]:
    """Files of the package whose functions are called, in the order of the first call."""
    found: dict[str, None] = {}
    root = Path(jp.__file__).parent

    def look(frame: FrameType, event: str, _: Any) -> None:
        name = frame.f_code.co_filename
        if event == "call" and name.startswith(str(root)):
            found.setdefault(Path(name).relative_to(root).with_suffix("").as_posix())

    sys.setprofile(look)
    try:
        jp.simulate(system, "1 ms")
    finally:
        sys.setprofile(None)
    return [name for name in found if name != "__init__"]


def test_the_page_has_all_files_in_order() -> None:
    if sys.gettrace() is not None:
        pytest.skip("a tracer is at work already")
    system = jp.load_model(entries()["slider_crank_clearance"])
    jp.simulate(system, "1 ms")  # what is read and loaded once
    assert entered(system) == told()
