"""Keys of kernels: what changes them, and what does not."""

from __future__ import annotations

import textwrap
from types import FunctionType
from typing import Any

import pytest

from jointplay.native.contents import content_key

PLAIN = """
LIMIT = 3.0

def callee(x):
    return x * LIMIT

def caller(x, y=1):
    total = 0.0
    for n in range(int(x)):
        total += callee(n) + y
    return total
"""


def key(text: str, name: str = "caller") -> str:
    space: dict[str, Any] = {"__name__": "jointplay.example"}
    exec(compile(textwrap.dedent(text), "example", "exec"), space)
    function = space[name]
    assert isinstance(function, FunctionType)
    return content_key(function)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    total = 0.0", "    # a comment\n\n    total = 0.0"),
        ("    total = 0.0", '    """A docstring."""\n    total = 0.0'),
        ("LIMIT = 3.0", "LIMIT = 3.0\nUNUSED = 4"),
        ("def callee", "def unused(x):\n    return x\n\ndef callee"),
        ("def caller(x, y=1):", "def caller(\n    x, y=1\n):"),
    ],
)
def test_what_does_not_count(old: str, new: str) -> None:
    assert old in PLAIN
    assert key(PLAIN.replace(old, new)) == key(PLAIN)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("total = 0.0", "total = 0.5"),
        ("LIMIT = 3.0", "LIMIT = 4.0"),
        ("LIMIT = 3.0", "LIMIT = 3"),
        ("return x * LIMIT", "return x + LIMIT"),
        ("y=1", "y=2"),
        ("callee(n) + y", "callee(n) - y"),
    ],
)
def test_what_counts(old: str, new: str) -> None:
    """In the function, in a constant, or in what it calls."""
    assert old in PLAIN
    assert key(PLAIN.replace(old, new)) != key(PLAIN)


MADE = """
def make(number, inner):
    def made(x):
        return inner(x) + number
    return made

def one(x):
    return x

def two(x):
    return x + 1

same, again, other, deeper = make(1, one), make(1, one), make(2, one), make(1, two)
"""


def test_enclosed_names_count() -> None:
    assert key(MADE, "same") == key(MADE, "again")
    assert len({key(MADE, name) for name in ("same", "other", "deeper")}) == 3


def test_an_attribute_called_like_a_global_is_no_global() -> None:
    text = "def run(x):\n    return x.run\n"
    assert key(text, "run") == key(text + "\n", "run")  # and does not call itself for ever


def test_kernels_name_constants_and_kernels_only() -> None:
    with pytest.raises(TypeError, match="neither a kernel nor a constant"):
        key("THING = object()\ndef caller(x):\n    return THING\n")
