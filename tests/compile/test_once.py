"""One ``simulate`` packs a model once, and makes scratch once: for the run; once more for a twin with ideal joints."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

import jointplay as jp
from jointplay.compile import build, work
from jointplay.gallery import entries

ALIKE = ["pendulum", "driven_four_bar_3d", "planetary_gear", "slider_crank_friction", "worn_door"]
WITH_TWIN = ["slider_crank_clearance", "slider_crank_journal_play", "worn_four_bar", "clearance_pendulum"]


@pytest.mark.parametrize("method", [None, "implicit"])
@pytest.mark.parametrize("name", [*ALIKE, *WITH_TWIN])
def test_packs_and_scratch(name: str, method: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    system, seen = jp.load_model(entries()[name]), Counter[str]()

    def counted(key: str, function: Any) -> Any:
        def call(*given: Any, **more: Any) -> Any:
            seen[key] += 1
            return function(*given, **more)

        return call

    monkeypatch.setattr(build, "pack", counted("packs", build.pack))
    monkeypatch.setattr(work, "make_work", counted("scratch", work.make_work))
    try:
        jp.simulate(system, "0.1 ms", method)
    except jp.InputError as error:
        assert "cannot take" in str(error) and method  # rigid contacts
    assert seen == {"packs": 1, "scratch": 1 + (name in WITH_TWIN)}
