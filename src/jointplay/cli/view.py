"""``jointplay view RESULT_OR_MODEL``: the motion of a run, or a model as drawn, as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..errors import InputError, Problem
from .say import OK, Json, command, emit, say

RESULTS = (".nc", ".part")


@command
def view(
    what: Annotated[Path, typer.Argument(metavar="RESULT_OR_MODEL", help="A result (.nc), or a model as drawn.")],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="HTML file to write.")] = None,
    curves: Annotated[list[str] | None, typer.Option("--curves", help="Quantity to plot beside it; repeat.")] = None,
    title: Annotated[str | None, typer.Option("--title", help="Instead of the name of the model.")] = None,
    browse: Annotated[bool, typer.Option("--open", help="Show it in the browser at once.")] = False,
    as_json: Json = False,
) -> int:
    """Write an animation that opens in any browser, offline: play, turn, magnify the play, read forces."""
    from ..model.files import load_model
    from ..model.system import System
    from ..results.file import load
    from ..results.solution import Solution
    from ..viewer import view as write

    is_result = what.name.endswith(RESULTS)
    result: Solution | System = load(what) if is_result else load_model(what)
    if curves and not is_result:
        raise InputError(Problem("--curves", "a model as drawn has no curves; run it and view the result"))
    stem = what.name.removesuffix(".part").removesuffix(".nc") if is_result else what.stem
    target = output or Path(f"{stem}.html")
    try:
        write(result, target, curves=curves or None, title=title)
    except InputError as error:
        raise InputError([_as_option(one) for one in error.problems]) from None
    size = target.stat().st_size
    frames = f"{len(result.time)} saved states" if isinstance(result, Solution) else "as drawn"
    say(f"wrote {target} ({size / 1e6:.1f} MB, {frames}); open it in a browser", as_json)
    if as_json:
        emit({"ok": True, "page": str(target), "bytes": size})
    if browse:
        import webbrowser

        webbrowser.open(target.resolve().as_uri())
    return OK


def _as_option(problem: Problem) -> Problem:
    """A problem of an argument, said of the option that gave it."""
    field = {"path": "--output", "curves": "--curves", "result": ""}.get(problem.field, problem.field)
    message = problem.message.replace("sol.names lists all names", "jointplay plot RESULT --list shows all names")
    return Problem(field, message, problem.file, problem.line)
