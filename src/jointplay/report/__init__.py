"""A run on one page: outcome, animation, forces, contacts, energy, model, settings, and how to compute it again."""

from __future__ import annotations

from pathlib import Path

from ..errors import InputError, Problem
from ..results.solution import Solution
from ..results.store import reason
from .page import page

__all__ = ["page", "report"]

ENDINGS = (".html", ".htm")


def report(solution: Solution, path: str | Path) -> Path:
    """Write the report of a run: one HTML file that needs nothing else, neither network nor server.

    Args:
        solution: a run, finished or not.
        path: file to write, .html.
    """
    path = Path(path)
    check_target(path)
    text = page(solution)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(Problem("output", f"cannot write {path}: {reason(error)}")) from None
    return path


def check_target(path: Path) -> None:
    """Refuse a file that is no page, before anything is drawn."""
    if path.is_dir():
        raise InputError(Problem("output", f"cannot write {path}: it is a directory"))
    if path.suffix.lower() not in ENDINGS:
        raise InputError(Problem("output", f"a report is a page: {path} must end in .html"))
    if not path.parent.is_dir():
        raise InputError(Problem("output", f"cannot write {path}: there is no folder {path.parent}"))
