"""The site says something about everything that is public."""

from __future__ import annotations

import importlib.util
import inspect
import re
from pathlib import Path

import pytest

import jointplay as jp
from jointplay.codes import Code
from jointplay.joints.registry import KINDS
from jointplay.laws.registry import REGISTRY as LAWS
from jointplay.methods.registry import METHODS
from jointplay.relations.registry import REGISTRY as RELATIONS

DOCS = Path(__file__).resolve().parents[2] / "docs"
FORMULA = re.compile(r"^```text\n.*?[=≤≥].*?^```$", re.MULTILINE | re.DOTALL)


def text_of(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8")


def test_every_public_name_has_its_reference() -> None:
    described = set(re.findall(r"^::: jointplay\.([\w.]+)$", text_of("reference/api.md"), re.MULTILINE))
    packages = {"analysis": jp.analysis.__all__, "figures": jp.figures.__all__}
    wanted = {name for name in jp.__all__ if name not in packages}
    wanted |= {f"{package}.{name}" for package, names in packages.items() for name in names if not name.isupper()}
    assert wanted <= described, sorted(wanted - described)


def test_every_outcome_has_a_cause_a_place_to_look_and_a_remedy() -> None:
    sections = dict(re.findall(r"^## ([A-Z_]+)$(.*?)(?=^## |\Z)", text_of("reference/outcomes.md"), re.M | re.S))
    assert set(sections) == {code.name for code in Code if code is not Code.CONTINUE}
    for name, text in sections.items():
        assert f"{{{{ outcome_{name} }}}}" in text
        for word in ("Why", "Look at", "Do"):
            said = re.search(rf"^\*\*{word}\.\*\* (.+?)(?=\n\n|\Z)", text, re.M | re.S)
            assert said and len(said[1]) > 15, (name, word)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.key)
def test_law_page(law: type) -> None:
    page = text_of(f"theory/laws/{law.key}.md")  # type: ignore[attr-defined]
    assert FORMULA.search(page), "no formula"
    assert law.__name__ in page
    assert "ource" in page, "no source"


@pytest.mark.parametrize("method", METHODS.values(), ids=lambda method: method.key)
def test_method_page(method: type) -> None:
    page = text_of(f"theory/methods/{method.key}.md")  # type: ignore[attr-defined]
    assert FORMULA.search(page), "no formula"
    assert "ource" in page, "no source"
    assert re.search(r"order", page, re.IGNORECASE)


@pytest.mark.parametrize("relation", RELATIONS, ids=lambda relation: relation.name)
def test_relation_page(relation: object) -> None:
    page = text_of(f"theory/relations/{relation.name}.md")  # type: ignore[attr-defined]
    assert FORMULA.search(page), "no formula"
    assert "ource" in page, "no source"


def test_every_joint_kind_is_explained() -> None:
    page = text_of("theory/joints.md").lower().replace("-", "_")
    for key in KINDS:
        assert key in page, key


def test_navigation_leads_to_every_page() -> None:
    settings = (DOCS.parent / "mkdocs.yml").read_text(encoding="utf-8")
    for folder in ("how-to", "theory", "reference", "contribute"):
        for page in (DOCS / folder).rglob("*.md"):
            assert f" {page.relative_to(DOCS)}\n" in settings, page


def test_comparison_names_both_sides() -> None:
    page = text_of("comparison.md")
    for tool in ("MuJoCo", "Drake", "Pinocchio", "Exudyn", "Chrono", "Siconos", "Adams", "RecurDyn", "Simpack"):
        assert tool in page
    assert "## What jointplay lacks" in page
    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    # the same run in both places: MuJoCo stands in the third column of the README, Exudyn in the fifth
    for line, at in (("chain of 50 hinges", 3), ("chain of 50 ball joints", 5), ("pendulum on a pin", 5)):
        ours, theirs = (
            next(row for row in text.splitlines() if row.startswith(f"| {line}")) for text in (readme, page)
        )
        numbers = [re.findall(r"\d+\.?\d*", row.split("|")[n]) for row, n in ((ours, at), (theirs, at - 1))]
        assert numbers[0] and numbers[0] == numbers[1]


def test_every_joint_method_is_listed_with_its_keywords() -> None:
    """The part of the Python page that is made from the facts of the kinds."""
    spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    assert spec and spec.loader
    generate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)
    assert "{{ joint_methods }}" in text_of("reference/api.md")
    sections = re.split(r"^#### ", generate.joint_methods(), flags=re.MULTILINE)[1:]
    assert len(sections) == len(KINDS)
    for text in sections:
        method = getattr(jp.System, re.match(r"`System\.(\w+)`", text)[1])  # type: ignore[index]
        for name, facts in inspect.signature(method).parameters.items():
            assert facts.kind is not facts.KEYWORD_ONLY or f"`{name}`" in text, name
