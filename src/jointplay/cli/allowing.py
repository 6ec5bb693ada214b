"""How ``import`` and ``write`` report what a robot file, or its format, cannot hold."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from typing import TYPE_CHECKING

from .console import BAD_INPUT, echo, emit, problem_data, warn

if TYPE_CHECKING:
    from ..robots.report import RobotFileError

ARGUMENT = re.compile(r'allow=\["([^"]*)"\]')


def refused(error: RobotFileError, every: bool, as_json: bool) -> int:
    """The problems, with options in place of arguments, and the account of the whole file; the exit code."""
    problems = [
        replace(one, message=ARGUMENT.sub(lambda found: f"--allow {shlex.quote(found[1])}", one.message))
        for one in error.problems
    ]
    warn("\n".join(str(one) for one in problems))
    if as_json:
        emit({"ok": False, "problems": problem_data(problems), "report": error.report.to_json()})
    elif every:
        echo(error.report.text())
    return BAD_INPUT
