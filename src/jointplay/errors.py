"""Errors that a user can mend: one sentence each, naming the field, and the file and line where there is one."""

from __future__ import annotations

from dataclasses import dataclass


def visible(text: str) -> str:
    """``text`` with what cannot be printed, or would steer a terminal, written as an escape."""
    return "".join([c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in text])


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with an input."""

    field: str  # "bodies.crank.mass", "revolute 'A': axis"
    message: str  # a sentence without a full stop
    file: str = ""
    line: int = 0  # 1 for the first line; 0 where there is none

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}: " if self.file and self.line else f"{self.file}: " if self.file else ""
        return visible(f"{place}{self.field}: {self.message}" if self.field else f"{place}{self.message}")


class InputError(ValueError):
    """Bad input; holds all problems found in one go."""

    def __init__(self, problems: list[Problem] | Problem | str) -> None:
        if isinstance(problems, str):
            problems = Problem("", problems)
        self.problems: tuple[Problem, ...] = (problems,) if isinstance(problems, Problem) else tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))
