"""Every malformed model file is refused with exactly the sentences it announces, each with its line.

A file begins with one comment per problem, ``# expect LINE: fragment``; line 0 means that the problem has no line.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from jointplay.errors import InputError, Problem
from jointplay.model.files import load_model

FOLDER = Path(__file__).parent / "bad_models"
FILES = sorted(FOLDER.glob("*.yaml"))
EXPECT = re.compile(r"# expect (\d+): (.*)")


def expected(file: Path) -> list[tuple[int, str]]:
    """Line and fragment of each problem that the file announces."""
    found = (EXPECT.match(line) for line in file.read_text(encoding="utf-8").splitlines())
    return [(int(match[1]), match[2]) for match in found if match]


def fits(problem: Problem, line: int, fragment: str) -> bool:
    """Does the problem stand on this line and say this?"""
    text = f"{problem.field}: {problem.message}" if problem.field else problem.message
    return problem.line == line and fragment in text


def test_there_are_enough_files() -> None:
    """The collection is there at all."""
    assert len(FILES) >= 40


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_bad_model(file: Path) -> None:
    """All announced problems are found, in one go, and no others."""
    wanted = expected(file)
    assert wanted, "the file announces no problem"
    with pytest.raises(InputError) as caught:
        load_model(file)
    problems = caught.value.problems
    text = str(caught.value)
    for line, fragment in wanted:
        assert any(fits(problem, line, fragment) for problem in problems), f"expected {line}: {fragment}\ngot\n{text}"
    assert len(problems) == len(wanted), text
    assert all(problem.file == str(file) for problem in problems)
    assert all("\n" not in problem.message and not problem.message.endswith(".") for problem in problems)
