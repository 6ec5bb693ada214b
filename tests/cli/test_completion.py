"""The Tab key: names of examples and methods, without anything heavy."""

from __future__ import annotations

import os
import subprocess
import sys

from jointplay.cli.completion import METHODS, example_names, method_names
from jointplay.gallery import cases
from jointplay.methods.registry import METHODS as REGISTERED


def test_names() -> None:
    assert set(METHODS) == set(REGISTERED)
    assert method_names("e") == ["explicit"]
    assert set(example_names("")) == set(cases())
    assert "four_bar" in example_names("four")
    assert example_names("no such") == []


def test_a_shell_asks() -> None:
    """As bash does it."""
    asked = {"_JOINTPLAY_COMPLETE": "complete_bash", "COMP_WORDS": "jointplay examples show four", "COMP_CWORD": "3"}
    code = "import sys; from jointplay.cli.app import main; sys.argv = ['jointplay']; main()"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **asked},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "four_bar" in done.stdout.split()
