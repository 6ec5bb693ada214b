"""An animation in a file: a page (.html), or a film of it (.mp4, .webm, .gif); the ending decides which."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Unpack, cast

from ..errors import InputError, Problem
from ..model.system import System
from ..results.solution import Solution
from ..writing import refuse_place, write_whole
from .film import FORMATS, FilmOptions, film
from .page import page

TEXT = (".html", ".htm")


def view(
    result: Solution | System,
    path: str | PathLike[str],
    *,
    curves: list[str] | str | None = None,
    title: str | None = None,
    **options: Unpack[FilmOptions],
) -> Path:
    """Write the animation and return where it is; ``options`` are those of a film."""
    file = Path(path)
    ending = file.suffix.lower()
    if ending in FORMATS:
        return film(cast(Solution, result), file, curves=curves, title=title, **options).path
    if ending not in TEXT:
        films = ", ".join(FORMATS)
        raise InputError(
            Problem("path", f"'{file}' must end in .html, by which browsers open it, or be a film: {films}")
        )
    given = [key for key, value in options.items() if value not in (None, False)]
    if given:
        raise InputError(
            [Problem(key, "is for films (.mp4, .webm, .gif); in a page its reader chooses") for key in given]
        )
    refuse_place(file, "path")
    return write_whole(file, page(result, curves=curves, title=title), "path")
