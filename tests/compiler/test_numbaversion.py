"""Versions of Numba: those that were tried, and a sentence for others."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from jointplay.compiler.numbaversion import BEYOND, LEAST, objection


@pytest.mark.parametrize("found", ["0.62.0", "0.62.1", "0.65.1", "0.68.1", "0.68.0rc1"])
def test_versions_that_will_do(found: str) -> None:
    assert objection(found) == ""


@pytest.mark.parametrize("found", ["0.60.0", "0.61.2", "0.69.0", "0.100.0", "1.0", "0.69.0dev0+12.gabc"])
def test_versions_that_will_not(found: str) -> None:
    said = objection(found)
    assert f"{found} is installed" in said
    assert "pip install 'numba>=0.62,<0.69'" in said


def test_the_package_asks_for_the_same() -> None:
    facts = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    bounds = f"numba>={LEAST[0]}.{LEAST[1]},<{BEYOND[0]}.{BEYOND[1]}"
    assert bounds in facts["project"]["optional-dependencies"]["build"]
    assert bounds in (Path(__file__).parents[2] / "buildhook" / "backend.py").read_text(encoding="utf-8")
