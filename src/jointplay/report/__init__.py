"""A run on one page: outcome, animation, forces, contacts, energy, model, settings, and how to compute it again."""

from __future__ import annotations

from pathlib import Path

from ..errors import InputError, Problem
from ..results.solution import Solution
from ..writing import refuse_place, write_whole
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
    return write_whole(path, page(solution))


def check_target(path: Path) -> None:
    """Refuse a file that is no page, before anything is drawn."""
    refuse_place(path)
    if path.suffix.lower() not in ENDINGS:
        raise InputError(Problem("output", f"a report is a page: {path} must end in .html"))
