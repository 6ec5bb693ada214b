"""Formulas written as text become TeX, and KaTeX can set them."""

from __future__ import annotations

import importlib.util
import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from browser import Browser, find_browser

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = sorted(DOCS.glob("theory/**/*.md"))


def module(name: str) -> ModuleType:
    """A module of the docs folder, which is not a package."""
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec and spec.loader
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


formulas = module("formulas")


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("M^-1 W_N^T", r"M^{{-} 1} W_{N}^{\mathrm{T}}"),
        ("dg/dt = w", r"\frac{\mathrm{d} g}{\mathrm{d} t} = w"),
        ("d²g/dt²", r"\frac{\mathrm{d}^{2} g}{\mathrm{d} t^{2}}"),
        ("d = a b", r"d = a b"),  # a vector, no differential
        ("x_{n+1} <= g0", r"x_{n + 1} \le g_{0}"),
        ("(E*)^(2/3) - 1", r"( E^{*} )^{2 / 3} - 1"),
        ("tanh(y/v_t) < mu", r"\tanh \left( \frac{y}{v_{t}} \right) < μ"),
        ("a b/c d", r"\frac{a b}{c} d"),
        ("μ/s v ∂N/∂g", r"\frac{μ}{s} v \frac{\partial N}{\partial g}"),
        ("q moved by h/2 u", r"q \ \text{moved} \ \text{by} \ \frac{h}{2} u"),
        ("|ν₁² - ḣ|", r"\lvert ν_{1}^{2} - \dot{h} \rvert"),
        ("√(x² + y²)", r"\sqrt{x^{2} + y^{2}}"),
        ("L E*/ΔR", r"\frac{L E^{*}}{Δ R}"),
        ("u_T ≠ 0", r"u_{T} \ne 0"),
    ],
)
def test_text_as_tex(given: str, wanted: str) -> None:
    assert formulas.tex(given) == wanted


def test_without_scripts_the_text_is_there() -> None:
    assert formulas.typeset("a < b") == '<span data-tex="a &lt; b">a &lt; b</span>'


def test_columns_stay_columns() -> None:
    html = formulas.formula("ab = c      e > 0\n            f = 1\nabc = d\n")
    rows = re.findall(r"<tr>(.*?)</tr>", html)
    assert rows[0].count("<td") == 2
    assert rows[1].startswith("<td></td><td>") or rows[1].startswith('<td colspan="')
    assert len(rows) == 3


def test_relations_below_each_other_make_a_column() -> None:
    html = formulas.formula("d  = a b\nrr = c\n")
    assert html.count('class="left"') == 2


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("K in N/m^1.5, or N/mm^1.5.", "K in N/m<sup>1.5</sup>, or N/mm<sup>1.5</sup>."),
        ("N/m^n (N m/rad^n on an angle)", "N/m<sup>n</sup> (N m/rad<sup>n</sup> on an angle)"),
        ("15 m/s^2", "15 m/s<sup>2</sup>"),
        ("W_M u and v_maximal", '<span data-tex="W_{M}">W_M</span> u and v_maximal'),
    ],
)
def test_units_and_variables_in_a_sentence(given: str, wanted: str) -> None:
    assert formulas.inline(given) == wanted


def test_only_theory_and_reference_are_touched_and_code_is_left_alone() -> None:
    def made(place: str, text: str) -> str:
        page = SimpleNamespace(file=SimpleNamespace(src_uri=place))
        return str(formulas.on_page_markdown(text, page))

    text = "`N/m^1.5` and N/m^1.5 and W_M"
    assert made("how-to/forces.md", text) == text
    assert made("reference/model.md", text) == "`N/m^1.5` and N/m<sup>1.5</sup> and W_M"
    assert made("theory/joints.md", text).startswith("`N/m^1.5` and N/m<sup>1.5</sup> and <span data-tex=")
    assert made("theory/joints.md", "```math\n\\frac{a}{b}\n```") == (
        '<div class="formula"><span data-tex="\\frac{a}{b}">\\frac{a}{b}</span></div>'
    )


class Balance(HTMLParser):
    """Whether every tag is closed in its turn."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_formula_of_the_site(page: Path) -> None:
    """Well-formed, and no character of the text is lost."""
    for found in formulas.BLOCK.finditer(page.read_text(encoding="utf-8")):
        html = formulas.block(found)
        parser = Balance()
        parser.feed(html)
        assert not parser.open
        plain = unescape(re.sub(r"<[^>]+>", "", html))
        said = found[2] if found[1] == "math" else re.sub(r"\bmu\b", "μ", found[2])
        assert sorted(re.sub(r"\W", "", re.sub(r"\bmu\b", "μ", plain))) == sorted(re.sub(r"\W", "", said))
        for tex in re.findall(r'data-tex="([^"]*)"', html):
            assert tex.count("{") == tex.count("}") and not re.search(r"[√Σ∫∂≤≥]", tex), tex


def test_katex_sets_every_formula(tmp_path: Path) -> None:
    """In a browser, with the files of the site: no formula is refused, and nothing is fetched."""
    path = find_browser()
    if path is None:
        pytest.skip("no Chromium or Chrome is installed")
    found = [formulas.block(one) for page in PAGES for one in formulas.BLOCK.finditer(page.read_text(encoding="utf-8"))]
    katex = (DOCS / "assets" / "katex").as_uri()
    page = tmp_path / "formulas.html"
    page.write_text(
        f'<!doctype html><meta charset="utf-8"><link rel="stylesheet" href="{katex}/katex.css">{"".join(found)}'
        f'<script src="{katex}/katex.js"></script><script src="{katex}/render.js"></script>',
        encoding="utf-8",
    )
    with Browser(path) as browser:
        tab = browser.open(page)
        assert tab.run("[...document.querySelectorAll('.katex-error')].map((e) => e.title)") == []
        assert tab.run("document.querySelectorAll('[data-tex] > .katex').length") > 200
        assert tab.run("document.fonts.check('16px KaTeX_Size4')") is True
        assert tab.errors == [] and tab.requests == []
        tab.close()


def test_licence_of_katex_comes_along() -> None:
    assert "Khan Academy" in (DOCS / "assets" / "katex" / "LICENSE").read_text(encoding="utf-8")
