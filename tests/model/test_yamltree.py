"""Safe YAML: scalars by the core schema, lines, limits; and no input makes it fail in any other way."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jointplay.errors import InputError
from jointplay.model.yamltree import read_text
from jointplay.model.yamlwriter import yaml_text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1),
        ("-12", -12),
        ("1e-4", 1e-4),
        ("1.", 1.0),
        (".5", 0.5),
        ("+1.5E+3", 1500.0),
        ("0x1F", 31),
        ("0o17", 15),
        ("0x" + "f" * 20, 16.0**20),
        ("0o" + "7" * 40, 8.0**40),
        ("9" * 30, 1e30),
        ("0x" + "f" * 300, math.inf),
        ("0o1" + "0" * 400, math.inf),
        ("9" * 5000, math.inf),
        ("-" + "9" * 5000, -math.inf),
        (".inf", math.inf),
        ("-.INF", -math.inf),
        ("true", True),
        ("False", False),
        ("on", "on"),
        ("null", None),
        ("~", None),
        ("'1'", "1"),
        ("!!str 1", "1"),
        ("!!float 1", 1.0),
        ("0.1 mm", "0.1 mm"),
        ("2001-12-14", "2001-12-14"),
        ("1_000", "1_000"),
        ("1:30", "1:30"),
    ],
)
def test_scalars(text: str, value: Any) -> None:
    """The core schema of YAML 1.2."""
    found = read_text(f"a: {text}\n")[0]["a"]
    assert found == value
    assert type(found) is type(value)


def test_lines() -> None:
    """Every path has the line where it can be mended."""
    _, lines = read_text("a: 1\nb:\n  c:\n    d: [1,\n      2]\n  e:\n")
    assert lines[("a",)] == 1
    assert lines[("b",)] == 2
    assert lines[("b", "c")] == 3
    assert lines[("b", "c", "d", 1)] == 5
    assert lines[("b", "e")] == 6


def test_aliases_point_to_their_anchor() -> None:
    """A value that came by alias is mended where it stands."""
    data, lines = read_text("a: &x {m: 1}\nb:\n  <<: *x\n  n: 2\nc: *x\n")
    assert data == {"a": {"m": 1}, "b": {"n": 2, "m": 1}, "c": {"m": 1}}
    assert lines[("c", "m")] == lines[("b", "m")] == 1


def test_explicit_keys_win_over_merged_ones() -> None:
    """Whatever the order in which they stand."""
    assert read_text("a: &x {m: 1}\nb: {m: 2, <<: *x}\n")[0]["b"] == {"m": 2}


def test_json_escapes() -> None:
    """A character beyond 16 bits, as json.dumps writes it."""
    assert read_text(json.dumps({"name": "a\U0001f600é"}))[0] == {"name": "a\U0001f600é"}


@pytest.mark.slow
@given(st.text(max_size=60))
def test_any_text_is_read_or_refused_with_a_sentence(text: str) -> None:
    """Nothing but InputError comes out."""
    try:
        read_text(text)
    except InputError as error:
        assert str(error)


@given(st.text(alphabet="{}[]:,&*!|>-?#'\"%@ \n\tab1<~", max_size=40))
def test_any_punctuation_is_read_or_refused(text: str) -> None:
    """The same with the characters that mean something to YAML."""
    try:
        read_text(text)
    except InputError as error:
        assert str(error)


plain = st.none() | st.booleans() | st.integers(-(10**16), 10**16) | st.floats(allow_nan=False) | st.text(max_size=20)
trees = st.recursive(
    plain, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
)


@pytest.mark.slow
@given(st.dictionaries(st.text(max_size=8), trees, max_size=4))
def test_what_is_written_reads_back(data: dict[str, Any]) -> None:
    """Bit by bit, types included."""
    assert repr(read_text(yaml_text(data))[0]) == repr(data)
