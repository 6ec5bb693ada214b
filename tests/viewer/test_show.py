"""``view()`` without a path: in the browser from a temporary file, in a notebook where it stands. No browser opens."""

from __future__ import annotations

import sys
import webbrowser
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import unquote, urlparse

import pytest

import jointplay as jp
from jointplay.viewer import page


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """Addresses that a browser was asked for."""
    asked: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda address: not asked.append(address))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return asked


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if this ran in the kernel of a notebook."""
    shell = SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))


@pytest.fixture
def console(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if this ran in a console of IPython: no kernel, nothing is drawn."""
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: SimpleNamespace()))


def pendulum() -> jp.System:
    s = jp.System('bar "A" <on> a pin/ünd more', planar=True)
    bar = s.body("bar", mass=1.0, inertia=0.1, position=(0.5, 0))
    s.revolute("P", s.ground, bar, point=(0, 0))
    return s


def file_of(address: str) -> Path:
    return Path(unquote(urlparse(address).path))


@pytest.mark.usefixtures("console")
def test_a_run_opens_in_the_browser(slider_crank: jp.Solution, opened: list[str]) -> None:
    shown = slider_crank.view(curves=["rod.angular_velocity[2]"], title="a turn")
    (address,) = opened
    assert shown.path == file_of(address)
    text = file_of(address).read_text(encoding="utf-8")
    assert "<title>a turn</title>" in text and "rod.angular_velocity[2]" in text
    assert shown._repr_html_() is None
    assert str(shown.path) in repr(shown)


def test_a_system_opens_in_the_browser(opened: list[str]) -> None:
    shown = pendulum().view()
    assert shown.path and shown.path.read_text(encoding="utf-8") == page(pendulum())
    assert shown.path.name == "bar_A_on_a_pin_ünd_more.html"
    again = pendulum().view()
    assert again.path != shown.path and len(opened) == 2  # one does not overwrite the other


def test_without_a_browser_it_says_where_the_file_is(
    opened: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(webbrowser, "open", lambda address: False)
    shown = pendulum().view()
    assert shown.path and shown.path.exists()
    assert str(shown.path) in capsys.readouterr().err


class Frame(HTMLParser):
    """Attributes of the one element of a text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, Any]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


@pytest.mark.usefixtures("notebook")
def test_a_notebook_shows_it_where_it_stands(slider_crank: jp.Solution, opened: list[str]) -> None:
    for thing in (pendulum(), slider_crank):
        shown = thing.view()
        ((tag, attributes),) = Frame(shown._repr_html_() or "").found
        assert tag == "iframe" and attributes["srcdoc"] == page(thing)
        assert shown.path is None
    assert opened == []


def test_names_that_are_not_there_are_told_before_anything_opens(slider_crank: jp.Solution, opened: list[str]) -> None:
    with pytest.raises((jp.InputError, KeyError), match=r"B\.farce"):
        slider_crank.view(curves=["B.farce"])
    assert opened == []


def test_with_a_path_nothing_opens(opened: list[str], tmp_path: Path) -> None:
    assert pendulum().view(tmp_path / "drawn.html") == tmp_path / "drawn.html"
    assert opened == []
