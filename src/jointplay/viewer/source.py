"""What a page shows: a system, and the motion if there is one.

A result file holds the model as text, so that a file alone is enough. If the model had Python functions that no file
can hold, the text leaves those loads out (``sketch``): they are not drawn anyway.
"""

from __future__ import annotations

from pathlib import Path

from ..errors import InputError, Problem
from ..model.system import System
from ..model.yamltree import read_text
from ..results.solution import Solution


def system_of(result: Solution | System) -> System:
    """The system that a result belongs to."""
    if isinstance(result, System):
        return result
    if not isinstance(result, Solution):
        raise InputError(Problem("result", f"needs a Solution or a System, not {type(result).__name__}"))
    if not len(result.time):
        raise InputError(Problem("result", "there is nothing to show: no state was saved"))
    text = str(result.meta.get("model", ""))
    if not text.strip() or text.startswith("#"):
        text = str(result.meta.get("sketch", ""))
    if not text.strip():
        raise InputError(
            Problem("result", "holds no model to draw: it was made with Python functions by an older version")
        )
    return System.from_tree(read_text(text)[0])


def folders_of(result: Solution | System) -> list[Path]:
    """Where meshes may lie: beside the result, and where the program was started."""
    here = [Path(".")]
    return [result.path.parent, *here] if isinstance(result, Solution) and result.path is not None else here
