"""How commands speak and end.

    0  done            1  a defect of ours            2  bad input
    3  the simulation stopped early, what was computed is saved            130  Ctrl-C, likewise saved

With ``--json`` one object goes to stdout and everything for people to stderr. A traceback is shown with ``--debug``.
"""

from __future__ import annotations

import functools
import json
import math
import os
import sys
from collections.abc import Callable, Iterable
from typing import Annotated, Any, ParamSpec

import typer

from ..errors import InputError, Problem
from .streams import flush, hush, put

OK, DEFECT, BAD_INPUT, STOPPED, INTERRUPTED = 0, 1, 2, 3, 130
DEBUG = "JOINTPLAY_DEBUG"

Allow = Annotated[
    list[str] | None,
    typer.Option("--allow", metavar="MODULE", help="Import laws that the model names from this module."),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout; text goes to stderr.")]

P = ParamSpec("P")


def echo(text: str, as_json: bool = False) -> None:
    """A text for people."""
    put(text, sys.stderr if as_json else sys.stdout)


def warn(text: str) -> None:
    """A text for people that is not the answer."""
    put(text, sys.stderr)
    flush(sys.stderr)


def emit(data: dict[str, Any]) -> None:
    """The answer for machines; what is not a finite number is null."""
    put(json.dumps(_finite(data), ensure_ascii=False), sys.stdout)


def _finite(data: Any) -> Any:
    if isinstance(data, dict):
        return {str(key): _finite(value) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [_finite(value) for value in data]
    if isinstance(data, float):
        return data if math.isfinite(data) else None
    return data if data is None or isinstance(data, (bool, int, str)) else str(data)


def problem_data(problems: Iterable[Problem]) -> list[dict[str, Any]]:
    """Problems as plain data."""
    return [{"file": p.file, "line": p.line, "field": p.field, "message": p.message} for p in problems]


def command(function: Callable[P, int]) -> Callable[P, None]:
    """A command: its number becomes the exit code, its errors become sentences."""

    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        as_json = bool(kwargs.get("as_json", False))
        try:
            code = function(*args, **kwargs)
            flush(sys.stdout)
        except InputError as error:
            warn(str(error))
            if as_json:
                emit({"ok": False, "problems": problem_data(error.problems)})
            code = BAD_INPUT
        except KeyboardInterrupt:
            warn("interrupted")
            if as_json:
                emit({"ok": False, "message": "interrupted"})
            code = INTERRUPTED
        except BrokenPipeError:  # somebody else printed, for a reader who has seen enough
            hush(sys.stdout)
            code = OK
        except (typer.Exit, typer.Abort):
            raise
        except Exception as error:
            if os.environ.get(DEBUG):
                raise
            code = _unexpected(error, as_json)
        raise typer.Exit(code)

    return run


def _unexpected(error: Exception, as_json: bool) -> int:
    """One sentence; the outside world's refusals are not our defects."""
    if isinstance(error, OSError) and error.strerror:
        message, code = f"{error.filename}: {error.strerror}" if error.filename else error.strerror, BAD_INPUT
    elif isinstance(error, ImportError):  # something that is not installed, or another version of it
        message, code = str(error), BAD_INPUT
    else:
        first = str(error).splitlines()[0] if str(error) else "no message"
        message = (
            f"unexpected {type(error).__name__}: {first} (a defect of jointplay; --debug shows where it comes from)"
        )
        code = DEFECT
    warn(message)
    if as_json:
        emit({"ok": False, "message": message})
    return code
