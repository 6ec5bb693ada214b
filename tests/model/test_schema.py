"""The JSON Schema: valid itself, accepts good models, refuses unknown keys."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from jointplay.joints.registry import KINDS
from jointplay.laws.registry import REGISTRY
from jointplay.model.schema import json_schema
from jointplay.model.yamltree import read_text

MODEL = (Path(__file__).parent / "everything.yaml").read_text(encoding="utf-8")


def references(tree: Any) -> set[str]:
    """All references in a schema."""
    if isinstance(tree, dict):
        own = {tree["$ref"]} if isinstance(tree.get("$ref"), str) else set()
        return own.union(*[references(value) for value in tree.values()])
    return set().union(*[references(value) for value in tree]) if isinstance(tree, list) else set()


def test_schema_is_complete() -> None:
    """Plain JSON, every reference defined, every kind and law there."""
    schema = json_schema()
    assert json.loads(json.dumps(schema)) == schema
    assert {name.removeprefix("#/$defs/") for name in references(schema)} <= set(schema["$defs"])
    assert {f"joint_{key}" for key in KINDS} | {f"law_{law.key}" for law in REGISTRY} <= set(schema["$defs"])


def test_good_model_is_valid() -> None:
    """What the reader takes, the schema takes."""
    jsonschema = pytest.importorskip("jsonschema")
    validator = jsonschema.Draft202012Validator(json_schema())
    validator.check_schema(json_schema())
    assert [error.message for error in validator.iter_errors(read_text(MODEL)[0])] == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("mass: 0.12", "mas: 0.12"),
        ("jointplay: 1", "jointplay: 2"),
        ("type: revolute", "type: revolut"),
        ("spring: {stiffness: 2}", "spring: {stifness: 2}"),
        ("axes: body", "axes: bodies"),
        ("run: {until: 5 s", "run: {till: 5 s"),
        ("[0, 0, half]", "[half]"),
    ],
)
def test_bad_model_is_refused(old: str, new: str) -> None:
    """Structure that the reader refuses, the schema refuses."""
    jsonschema = pytest.importorskip("jsonschema")
    assert old in MODEL
    validator = jsonschema.Draft202012Validator(json_schema())
    assert list(validator.iter_errors(read_text(MODEL.replace(old, new))[0]))


@pytest.mark.parametrize(("stiffness", "good"), [([[1.0] * 6] * 6, True), ("5 N/m", True), ([["5 N/m"]], False)])
def test_matrix_of_a_bushing(stiffness: Any, good: bool) -> None:
    """Numbers by rows, as the reader takes them."""
    jsonschema = pytest.importorskip("jsonschema")
    schema = json_schema()
    law = {"$ref": "#/$defs/law_bushing", "$defs": schema["$defs"]}
    found = list(jsonschema.Draft202012Validator(law).iter_errors({"bushing": {"stiffness": stiffness}}))
    assert (not found) is good
