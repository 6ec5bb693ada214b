"""Runs to look at, made once, and the browser that looks at them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import Browser, find_browser

import jointplay as jp
from jointplay.cli.examples import GALLERY


def run(name: str, until: str, save: str) -> jp.Solution:
    """A model of the gallery, run for a while."""
    system = jp.load_model(GALLERY / f"{name}.yaml")
    assert system.run is not None
    return jp.simulate(system, until, system.run["method"], save)


@pytest.fixture(scope="session")
def slider_crank() -> jp.Solution:
    """Planar, with play in its guide and impacts."""
    return run("slider_crank_clearance", "30 ms", "0.1 ms")


@pytest.fixture(scope="session")
def ball_joint() -> jp.Solution:
    """In space, with play in its ball joint."""
    return run("slider_crank_ball_play", "50 ms", "0.5 ms")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A browser without a window, for all tests."""
    path = find_browser()
    if path is None:
        pytest.skip("no Chromium or Chrome is installed; apt install chromium, or set JOINTPLAY_BROWSER")
    with Browser(path) as found:
        yield found


@pytest.fixture(scope="session")
def crank_page(slider_crank: jp.Solution, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of the planar slider-crank."""
    return slider_crank.view(tmp_path_factory.mktemp("pages") / "crank.html")


@pytest.fixture(scope="session")
def ball_page(ball_joint: jp.Solution, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of the slider-crank in space."""
    return ball_joint.view(tmp_path_factory.mktemp("pages") / "ball.html")
