"""One short run that the tests of results share."""

from __future__ import annotations

from pathlib import Path

import pytest

import jointplay as jp
from jointplay.cli.examples import GALLERY


@pytest.fixture(scope="session")
def result_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The slider-crank for half a second, saved while running."""
    path = tmp_path_factory.mktemp("result") / "run.nc"
    system = jp.load_model(GALLERY / "slider_crank.yaml")
    solution = jp.simulate(system, 0.5, jp.Explicit(rtol=1e-8), 5e-3, output=path)
    assert solution.outcome.ok
    return path


@pytest.fixture
def solution(result_file: Path) -> jp.Solution:
    """The same, opened."""
    return jp.load(result_file)
