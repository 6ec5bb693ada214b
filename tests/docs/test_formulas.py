"""Formulas written as text become HTML."""

from __future__ import annotations

import importlib.util
import re
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


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
        ("M^-1 W_N^T", "<i>M</i><sup>−1</sup> <i>W</i><sub>N</sub><sup>T</sup>"),
        ("dg/dt = w", "d<i>g</i>/d<i>t</i> = <i>w</i>"),
        ("d²g/dt²", "d²<i>g</i>/d<i>t</i>²"),
        ("x_{n+1} <= g0", "<i>x</i><sub>n+1</sub> ≤ <i>g</i><sub>0</sub>"),
        ("(E*)^(2/3) - 1", "(<i>E</i><sup>*</sup>)<sup>2/3</sup> − 1"),
        ("tanh(y/v_t) < mu", "tanh(<i>y</i>/<i>v</i><sub>t</sub>) &lt; <i>μ</i>"),
        ("since the start, never falling", "since the start, never falling"),
    ],
)
def test_typeset(given: str, wanted: str) -> None:
    assert formulas.typeset(given) == wanted


def test_columns_stay_columns() -> None:
    html = formulas.formula("ab = c      e > 0\n            f = 1\nabc = d\n")
    rows = re.findall(r"<tr>(.*?)</tr>", html)
    assert rows[0].count("<td") == 2
    assert rows[1].startswith("<td></td><td>") or rows[1].startswith('<td colspan="')
    assert len(rows) == 3


def test_relations_below_each_other_make_a_column() -> None:
    html = formulas.formula("d  = a b\nrr = c\n")
    assert html.count('class="left"') == 2


def test_drawings_and_code_are_left_alone() -> None:
    assert formulas.formula("[a   b]\n[c   d]\n") == "```text\n[a   b]\n[c   d]\n```"
    assert formulas.inline("W_M u and v_floor") == "<i>W</i><sub>M</sub> u and v_floor"


class Balance(HTMLParser):
    """Whether every tag is closed in its turn."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("page", sorted(DOCS.glob("theory/**/*.md")), ids=lambda page: page.stem)
def test_every_formula_of_the_site(page: Path) -> None:
    """Well-formed, and no character of the text is lost but the signs of the notation."""
    for block in formulas.BLOCK.findall(page.read_text(encoding="utf-8")):
        html = formulas.formula(block)
        if html.startswith("```"):
            continue
        parser = Balance()
        parser.feed(html)
        assert not parser.open
        assert not re.search(r"[\x01-\x03]|(?<=[\w>])\^", html), html
        letters = re.sub(r"sqrt|\bmu\b", "", re.sub(r"[^A-Za-z0-9]", " ", block))
        plain = re.sub(r"&\w+;", "", re.sub(r"<[^>]+>", "", html))
        assert sorted(re.sub(r"[^A-Za-z0-9]", "", plain)) == sorted(re.sub(r"[^A-Za-z0-9]", "", letters))
