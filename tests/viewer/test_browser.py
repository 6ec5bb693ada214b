"""The page in a real browser: it loads cleanly, moves, magnifies, seeks, listens to keys, and shows something."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import Browser, Tab

import jointplay as jp
from jointplay.cli.examples import GALLERY


def problems(tab: Tab) -> list[str]:
    """What is wrong with an open page: requests, errors, or a player that did not start."""
    found = [f"request to {one}" for one in tab.requests] + [f"error: {one}" for one in tab.errors]
    if not tab.run("typeof window.jointplay === 'object' && Number.isFinite(window.jointplay.state().time)"):
        found.append("the player did not start")
    return found


def state(tab: Tab) -> Any:
    return tab.run("jointplay.state()")


@pytest.fixture(scope="module")
def crank_tab(browser: Browser, crank_page: Path) -> Iterator[Tab]:
    tab = browser.open(crank_page)
    yield tab
    tab.close()


@pytest.fixture(scope="module")
def ball_tab(browser: Browser, ball_page: Path) -> Iterator[Tab]:
    tab = browser.open(ball_page)
    yield tab
    tab.close()


def fresh(tab: Tab) -> Iterator[Tab]:
    """An open page as it was at the start; opening it anew takes seconds without a GPU."""
    tab.call("Page.bringToFront")  # keys and clicks go to the tab in front
    tab.run("jointplay.pause(); jointplay.magnify(1); jointplay.seek(0)")
    yield tab
    assert problems(tab) == []


@pytest.fixture
def crank(crank_tab: Tab) -> Iterator[Tab]:
    """The planar slider-crank."""
    yield from fresh(crank_tab)


@pytest.fixture
def ball(ball_tab: Tab) -> Iterator[Tab]:
    """The slider-crank in space."""
    yield from fresh(ball_tab)


@pytest.mark.parametrize("dark", [False, True])
def test_loads_without_requests_and_errors(browser: Browser, ball_page: Path, dark: bool) -> None:
    tab = browser.open(ball_page, dark=dark)
    assert problems(tab) == []
    assert state(tab)["theme"] == ("dark" if dark else "light")
    tab.close()


@pytest.mark.parametrize(
    ("hurt", "said"),
    [
        (
            lambda text: text.replace("</body>", "<script>throw new Error('broken on purpose')</script></body>"),
            "broken on",
        ),
        (lambda text: text.replace("</body>", "<script>console.error('said')</script></body>"), "error: said"),
        (lambda text: text.replace('id="numbers">', 'id="numbers">!!'), "did not start"),
        (lambda text: text.replace("</body>", "<img src='https://example.org/a.png'></body>"), ""),
    ],
)
def test_a_broken_page_is_noticed(browser: Browser, crank_page: Path, tmp_path: Path, hurt: Any, said: str) -> None:
    """The checks of this file find what they look for. The last page asks the network; its own policy refuses."""
    broken = tmp_path / "broken.html"
    broken.write_text(hurt(crank_page.read_text()))
    tab = browser.open(broken)
    assert any(said in one for one in problems(tab))
    tab.close()


def test_play_moves_bodies(crank: Tab) -> None:
    before = state(crank)
    crank.press(" ")
    for _ in range(100):
        time.sleep(0.05)
        if state(crank)["time"] > before["time"] + 1e-3:
            break
    crank.press(" ")
    after = state(crank)
    assert before["playing"] is False and after["playing"] is False
    moved = np.subtract(after["bodies"]["crank"]["position"], before["bodies"]["crank"]["position"])
    assert np.linalg.norm(moved) > 1e-3


def test_a_page_of_its_own_starts_by_itself(browser: Browser, crank_page: Path) -> None:
    tab = browser.open(crank_page, moving=True)
    assert state(tab)["playing"] is True
    tab.close()


def test_scrubbing_agrees_with_the_solution(crank: Tab, slider_crank: jp.Solution) -> None:
    for index in (0, 57, 200, len(slider_crank.time) - 1):
        crank.run(f"jointplay.seek({float(slider_crank.time[index])!r})")
        seen = state(crank)["bodies"]
        for name in ("crank", "rod", "slider"):
            position = slider_crank[f"{name}.position"]
            bound = np.ptp(position, axis=0).max() / 60000 + 1e-12
            assert np.abs(np.subtract(seen[name]["position"], position[index])).max() <= bound
            p, q = np.array(seen[name]["orientation"]), slider_crank[f"{name}.orientation"][index]
            assert abs(p @ q) == pytest.approx(1.0, abs=1e-8)


def test_between_frames_it_interpolates(crank: Tab, slider_crank: jp.Solution) -> None:
    middle = 0.5 * (slider_crank.time[100] + slider_crank.time[101])
    crank.run(f"jointplay.seek({float(middle)!r})")
    wanted = slider_crank["crank.position"][100:102].mean(axis=0)
    assert np.allclose(state(crank)["bodies"]["crank"]["position"], wanted, atol=1e-5)


def offset(facts: Any, joint: str) -> np.ndarray:
    """What is drawn in the directions with play of a joint."""
    return np.array([row["drawn"] for row in facts["joints"][joint]["rows"] if row["play"] and row["type"] == "sep"])


def slide(tab: Tab, selector: str, value: float) -> None:
    """Move a slider as a hand would: the page hears of it."""
    tab.run(
        f"(() => {{ const s = document.querySelector('{selector}'); s.value = {value};"
        " s.dispatchEvent(new Event('input', {bubbles: true})); })()"
    )


def test_the_slider_magnifies_the_play(ball: Tab, ball_joint: jp.Solution) -> None:
    """Drawn offset = k times the true one; ideal joints stay closed; other bodies hardly move."""
    index = 70
    true = np.linalg.norm(ball_joint["B.offset"][index, 0])
    ball.run(f"jointplay.seek({float(ball_joint.time[index])!r})")
    for k in (10.0, 100.0):
        slide(ball, "#magnify", np.log10(k))
        facts = state(ball)
        assert facts["magnification"] == pytest.approx(k)
        assert np.linalg.norm(offset(facts, "B")) == pytest.approx(k * true, rel=2e-3)
        for name in ("A", "C", "D"):
            closed = [row["drawn"] for row in facts["joints"][name]["rows"]]
            assert np.abs(closed).max() < 2e-4
    assert ball.run("document.querySelector('#times').textContent") == "×100"


def test_magnified_guide_of_a_planar_mechanism(crank: Tab, slider_crank: jp.Solution) -> None:
    """The slider is drawn k times as far off the middle, and the rod still reaches it."""
    index = int(np.argmin(slider_crank["D.gap"].min(axis=1)))
    crank.run(f"jointplay.seek({float(slider_crank.time[index])!r}); jointplay.magnify(20)")
    facts = state(crank)
    true = slider_crank["slider.position"][index, 1]
    assert facts["bodies"]["slider"]["drawn"][1] == pytest.approx(20 * true, rel=2e-3)
    assert np.abs([row["drawn"] for row in facts["joints"]["C"]["rows"]]).max() < 1e-4


def test_ideal_joints_hold_at_any_magnification(ball: Tab, ball_joint: jp.Solution) -> None:
    """A thousand times: the ball is as far off as a crank is long, and no other joint opens."""
    for index in (20, 55, 100):
        ball.run(f"jointplay.seek({float(ball_joint.time[index])!r}); jointplay.magnify(1000)")
        facts = state(ball)
        true = np.linalg.norm(ball_joint["B.offset"][index, 0])
        assert np.linalg.norm(offset(facts, "B")) == pytest.approx(1000 * true, rel=2e-3)
        for name in ("A", "C", "D"):
            assert np.abs([row["drawn"] for row in facts["joints"][name]["rows"]]).max() < 1e-5
    assert facts["limit"] == 1000
    assert ball.run("document.querySelector('#most').hidden") is True


def test_magnification_ends_where_parts_cannot_reach_each_other(crank: Tab, slider_crank: jp.Solution) -> None:
    """A thousand times 1 mm is longer than crank and rod together: the slider ends before, and the page says so."""
    limit = state(crank)["limit"]
    assert 153 < limit < 459
    said = crank.run("(() => { const p = document.querySelector('#most'); return p.hidden ? '' : p.textContent; })()")
    assert said.startswith(f"Up to ×{limit}:")
    slide(crank, "#magnify", 3.0)
    assert state(crank)["magnification"] == pytest.approx(limit, rel=0.02)  # the grid of the slider
    crank.run("jointplay.magnify(1000)")
    assert state(crank)["magnification"] == limit
    for index in range(0, len(slider_crank.time), 30):
        crank.run(f"jointplay.seek({float(slider_crank.time[index])!r})")
        facts = state(crank)
        true = slider_crank["slider.position"][index, 1]
        assert facts["bodies"]["slider"]["drawn"][1] == pytest.approx(limit * true, rel=2e-3, abs=1e-4)
        closed = [row["drawn"] for name in "ABC" for row in facts["joints"][name]["rows"]]
        assert np.abs(closed).max() < 1e-5


def test_sliders_say_what_their_places_mean(crank: Tab, slider_crank: jp.Solution) -> None:
    def said(selector: str) -> str:
        return str(crank.run(f"document.querySelector('{selector}').getAttribute('aria-valuetext')"))

    crank.run("jointplay.seek(0.012); jointplay.magnify(20)")
    assert said("#time") == "12.00 of 30.00 ms"
    assert said("#magnify") == "20 times larger"
    slide(crank, "#speed", -2.0)
    assert said("#speed") == "0.010 times real time"
    slide(crank, "#arrowscale", np.log10(2.0))
    assert said("#arrowscale") == "2.0 times as long"
    slide(crank, "#arrowscale", 0.0)
    crank.run("jointplay.magnify(1)")
    assert said("#magnify") == "true size"
    assert all(crank.run("[...document.querySelectorAll('input[type=range]')].map((s) => s.ariaValueText !== null)"))


def test_close_up_tells_the_truth(ball: Tab, ball_joint: jp.Solution) -> None:
    index = 40
    ball.run(f"jointplay.seek({float(ball_joint.time[index])!r})")
    ratio = np.linalg.norm(ball_joint["B.offset"][index, 0]) / 1e-4
    assert f"e/c {ratio:.3f}" in state(ball)["closeup"]


def test_plots_follow_and_seek(crank: Tab, slider_crank: jp.Solution) -> None:
    left, top, right, bottom = crank.box(".plots .one:nth-child(3) .cursor")
    crank.click(left + 54 + 0.5 * (right - left - 64), (top + bottom) / 2)
    facts = state(crank)
    assert facts["time"] == pytest.approx(0.5 * slider_crank.time[-1], abs=0.01 * slider_crank.time[-1])
    value, unit = facts["curves"][2]["value"].split()
    assert facts["curves"][2]["name"] == "energy.dissipated" and unit == "mJ"
    wanted = np.interp(facts["time"], slider_crank.time, slider_crank["energy.dissipated"])
    assert float(value) == pytest.approx(1e3 * wanted, rel=2e-3)


def test_keys(crank: Tab, slider_crank: jp.Solution) -> None:
    crank.press("Home")
    assert state(crank)["time"] == 0.0
    crank.press("ArrowRight")
    assert state(crank)["time"] == pytest.approx(slider_crank.time[1])
    crank.press("ArrowRight", shift=True)
    assert state(crank)["time"] == pytest.approx(slider_crank.time[11])
    crank.press("End")
    assert state(crank)["time"] == pytest.approx(slider_crank.time[-1])
    crank.press("ArrowLeft")
    assert state(crank)["time"] == pytest.approx(slider_crank.time[-2])
    before = state(crank)
    for key in "tlfmvco":
        crank.press(key)
    after = state(crank)
    assert (before["theme"], after["theme"]) == ("light", "dark")
    assert (before["labels"], after["labels"]) == (False, True)
    assert (before["follow"], after["follow"]) == (None, "crank")
    assert before["magnification"] == 1.0 and after["magnification"] > 1.0
    assert after["show"] == {"forces": False, "contacts": False}
    assert (before["loop"], after["loop"]) == (True, False)
    crank.press("]")
    assert state(crank)["speed"] == pytest.approx(before["speed"] * 10**0.1)
    crank.press("?")
    assert crank.run("document.querySelector('#help').open") is True
    crank.run("document.querySelector('#help').close()")
    for key in "tlvco":  # as it was
        crank.press(key)
    crank.run(
        "(() => { const s = document.querySelector('#follow'); s.value = 0; s.dispatchEvent(new Event('input')); })()"
    )
    crank.press("1")


def test_dragging_turns_the_view_and_fit_brings_it_back(ball: Tab) -> None:
    left, top, right, bottom = ball.box("#picture")
    first = ball.pixels()
    middle = ((left + right) / 2, (top + bottom) / 2)
    ball.drag(middle, (middle[0] + 150, middle[1] + 20))
    ball.settle()
    second = ball.pixels()
    box = slice(int(top) + 60, int(bottom) - 60), slice(int(left) + 10, int(right) - 10)  # not the ring of the focus
    assert np.abs(first[box] - second[box]).mean() > 0.003
    ball.press("4")
    ball.settle()
    third = ball.pixels()
    assert np.abs(first[box] - third[box]).mean() < 1e-3


def region(picture: np.ndarray, tab: Tab, selector: str) -> np.ndarray:
    left, top, right, bottom = (round(x) for x in tab.box(selector))
    return picture[top:bottom, left:right]


def colours(part: np.ndarray) -> int:
    """How many clearly different colours there are."""
    return len(np.unique((part.reshape(-1, 3) * 15).astype(int), axis=0))


@pytest.mark.parametrize("dark", [False, True])
def test_something_to_see_in_every_region(browser: Browser, crank_page: Path, dark: bool) -> None:
    tab = browser.open(crank_page, dark=dark)
    tab.run("jointplay.pause(); jointplay.seek(0.0145)")
    tab.settle()
    picture = tab.pixels()
    view = region(picture, tab, "#picture")[60:-60]
    back = view[-1, -1]
    drawn = np.abs(view - back).max(axis=-1) > 0.08
    assert 0.01 < drawn.mean() < 0.5
    assert (back.mean() < 0.3) == dark
    # the mechanism lies in the middle, not in a corner
    rows, columns = np.nonzero(drawn)
    assert np.ptp(columns) > 0.5 * view.shape[1]
    assert abs(columns.mean() / view.shape[1] - 0.5) < 0.2
    for selector in (
        "#inset",
        ".plots .one:nth-child(1) .plot",
        ".plots .one:nth-child(2) .plot",
        ".plots .one:nth-child(3) .plot",
    ):
        assert colours(region(picture, tab, selector)) >= 5, selector
    tab.run("document.querySelector('#picture').style.visibility = 'hidden'")
    hidden = region(tab.pixels(), tab, "#picture")[60:-60]
    assert (
        np.abs(hidden - hidden[-1, -1]).max() < 0.5
        and (np.abs(hidden - hidden[-1, -1]).max(axis=-1) > 0.08).mean() < 0.01
    )
    assert problems(tab) == []
    tab.close()


def test_impacts_flash_and_forces_are_drawn(crank: Tab, slider_crank: jp.Solution) -> None:
    first = slider_crank.impacts["time"][0]
    crank.run(f"jointplay.seek({float(first - 5e-4)!r})")
    assert state(crank)["flashes"] == 0
    crank.run(f"jointplay.seek({float(first + 1e-5)!r})")
    assert state(crank)["flashes"] >= 1
    assert state(crank)["arrows"] >= 3
    crank.press("v")
    crank.press("c")
    assert state(crank)["arrows"] == 0
    crank.press("v")
    crank.press("c")


@pytest.mark.parametrize(
    "name", ["worn_door", "triple_pendulum_stops", "newtons_cradle", "prismatic_slider", "cylindrical_slider"]
)
def test_models_as_drawn(browser: Browser, tmp_path: Path, name: str) -> None:
    tab = browser.open(jp.load_model(GALLERY / f"{name}.yaml").view(tmp_path / "m.html"))
    assert problems(tab) == []
    assert tab.run("document.querySelector('footer')") is None
    assert state(tab)["labels"] is True  # names are what a drawing is looked at for
    left, top, right, bottom = (round(x) for x in tab.box("#picture"))
    assert colours(tab.pixels()[top + 60 : bottom - 60, left:right]) > 8
    tab.close()


def test_on_a_phone(browser: Browser, crank_page: Path) -> None:
    tab = browser.open(crank_page, size=(390, 780))
    assert tab.run("document.documentElement.scrollWidth") <= 390
    left, top, right, bottom = tab.box("#picture")
    assert right - left == 390 and bottom - top > 300
    assert tab.box("footer")[3] < 780  # controls in sight
    assert problems(tab) == []
    tab.close()


def test_inside_another_page(browser: Browser, crank_page: Path, tmp_path: Path) -> None:
    """As the report shows it: in a frame, and still until asked."""
    import html

    outer = tmp_path / "outer.html"
    text = html.escape(crank_page.read_text())
    outer.write_text(f'<!doctype html><iframe srcdoc="{text}" style="width:900px;height:700px"></iframe>')
    tab = browser.open(outer)
    assert tab.run("frames[0].jointplay.state().playing") is False
    assert tab.errors == [] and tab.requests == []
    tab.close()
