"""What notebooks show: whole, well-formed, with the numbers of the object; names escaped."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

import jointplay as jp
from jointplay.cli.examples import GALLERY
from jointplay.results.means import mean_loads

VOID = {"img", "br", "hr", "meta", "path", "use"}


class Reader(HTMLParser):
    """Text and tags; fails where tags do not match."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.words = ""
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data


def test_system(crank: jp.Solution) -> None:
    page = Reader(jp.load_model(GALLERY / "slider_crank_clearance.yaml")._repr_html_())
    assert "planar, 3 bodies, 4 joints; 3 degrees of freedom" in page.words
    assert "clearance gap 1 mm" in page.words and "restitution 0.4" in page.words
    assert "svg" in page.tags and page.tags.count("table") == 2
    for name in ("crank", "rod", "slider"):
        assert name in page.words
    assert "empty" in Reader(jp.System("nothing")._repr_html_()).words
    odd = jp.System("<b>odd</b>")
    odd.body("a<b", mass=1, inertia=1)
    assert "<b>odd</b>" in Reader(odd._repr_html_()).words  # as text, not as a tag


def test_solution(pendulum: jp.Solution, swing: jp.Solution) -> None:
    page = Reader(pendulum._repr_html_())
    assert pendulum.outcome.message in page.words
    (mean,) = mean_loads(pendulum)  # of rigid contact, in place of a peak
    assert f"{mean.force:.4g} N" in page.words and "peak force" not in page.words
    assert f"{1e3 * pendulum.impacts['impulse'].max():.4g} mN" in page.words
    assert "svg" in page.tags or "img" in page.tags
    assert 'sol.plot("R.gap")' in page.words  # the summary, with what to do next
    assert "finished at t = 4 s" in Reader(swing._repr_html_()).words
    first, second = swing._repr_html_(), swing._repr_html_()
    assert first != second  # names inside pictures differ: both stand on one page


def test_a_run_without_states() -> None:
    system = jp.load_model(GALLERY / "slider_crank.yaml")
    stopped = jp.simulate(system, 5.0, jp.Explicit(), [5.0], max_steps=1)
    page = Reader(stopped._repr_html_())
    assert "allowed number of steps" in page.words and "svg" not in page.tags


def test_check_report() -> None:
    page = Reader(jp.load_model(GALLERY / "driven_four_bar_3d.yaml").check()._repr_html_())
    assert "it can run" in page.words
    assert "redundant" in page.words
    lonely = jp.System("lonely")
    lonely.body("a", mass=1, inertia=1)
    page = Reader(lonely.check()._repr_html_())
    assert "body a is connected to nothing" in page.words
    assert "this model cannot run" in Reader(jp.System().check()._repr_html_()).words


def test_names(swing: jp.Solution) -> None:
    page = Reader(swing.find("displacement")._repr_html_())
    assert page.tags.count("tr") == 3
    assert "T.displacement_rate" in page.words and "m/s" in page.words


def test_sensitivities() -> None:
    result = jp.sensitivities(
        GALLERY / "pendulum.yaml",
        ["length", "mass"],
        ["P.angle", jp.Final("P.angle")],
        "finite-difference",
        until=0.2,
        save=0.02,
    )
    page = Reader(result._repr_html_())
    assert page.tags.count("tr") == 5
    assert "differences, " in page.words
    assert "svg" in page.tags


def test_ipython_shows_figures_without_pyplot(swing: jp.Solution) -> None:
    core = pytest.importorskip("IPython.core.formatters")
    data, _ = core.DisplayFormatter().format(swing.plot("T.displacement"))
    assert data["image/png"][:4] == b"\x89PNG"
