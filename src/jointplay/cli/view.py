"""``jointplay view RESULT_OR_MODEL``: the motion of a run, or a model as drawn, as one HTML file; or as a film."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InputError, Problem
from .console import OK, Json, command, echo, emit

if TYPE_CHECKING:
    from ..model.system import System
    from ..results.solution import Solution

RESULTS = (".nc", ".part")
FLAGS = {"path": "--output", "result": "", "start": "--from", "end": "--to"}  # where they differ
OPTIONS = ("curves", "fps", "size", "speed", "magnify", "look", "dark", "panel", "browser")


@command
def view(
    what: Annotated[Path, typer.Argument(metavar="RESULT_OR_MODEL", help="A result (.nc), or a model as drawn.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Page to write (.html), or film: .mp4, .webm or .gif.")
    ] = None,
    curves: Annotated[list[str] | None, typer.Option("--curves", help="Quantity to plot beside it; repeat.")] = None,
    title: Annotated[str | None, typer.Option("--title", help="Instead of the name of the model.")] = None,
    browse: Annotated[bool, typer.Option("--open", help="Show it in the browser at once.")] = False,
    speed: Annotated[
        str | None, typer.Option(metavar="NUMBER", help="Film: simulated s per s, 0.01 is slow motion.")
    ] = None,
    start: Annotated[str | None, typer.Option("--from", metavar="TIME", help="Film: begin here, '20 ms'.")] = None,
    end: Annotated[str | None, typer.Option("--to", metavar="TIME", help="Film: end here.")] = None,
    fps: Annotated[str | None, typer.Option(metavar="NUMBER", help="Film: frames per second (30; .gif: 20).")] = None,
    size: Annotated[str | None, typer.Option(metavar="WxH", help="Film: pixels (1280x720; .gif: 800x450).")] = None,
    magnify: Annotated[
        str | None, typer.Option(metavar="NUMBER", help="Film: play drawn so much larger, or 'auto'.")
    ] = None,
    look: Annotated[str | None, typer.Option(metavar="VIEW", help="Film: front, side, top or 3d.")] = None,
    dark: Annotated[bool, typer.Option("--dark", help="Film: light on dark.")] = False,
    panel: Annotated[
        bool | None,
        typer.Option("--panel/--no-panel", help="Film: close-up and curves beside it; shown if --curves are."),
    ] = None,
    browser: Annotated[
        str | None, typer.Option(metavar="PROGRAM", help="Film: Chromium, Chrome or Edge (JOINTPLAY_BROWSER).")
    ] = None,
    as_json: Json = False,
) -> int:
    """Write an animation that opens in any browser, offline: play, turn, magnify the play, read forces.

    With -o run.mp4, .webm or .gif a run becomes a film, drawn frame by frame by a browser without a window.
    """
    from ..model.files import load_model
    from ..results.file import load

    is_result = what.name.endswith(RESULTS)
    result: Solution | System = load(what) if is_result else load_model(what)
    if curves and not is_result:
        raise InputError(Problem("--curves", "a model as drawn has no curves; run it and view the result"))
    stem = what.name.removesuffix(".part").removesuffix(".nc") if is_result else what.stem
    target = output or Path(f"{stem}.html")
    options: dict[str, Any] = {
        "fps": fps,
        "size": size,
        "speed": speed,
        "start": start,
        "end": end,
        "magnify": magnify,
        "look": look,
        "dark": dark,
        "panel": panel,
        "browser": browser,
    }
    try:
        facts, line = _write(result, target, curves or None, title, options)
    except InputError as error:
        raise InputError([_as_option(one) for one in error.problems]) from None
    echo(line, as_json)
    if as_json:
        emit({"ok": True, **facts, "bytes": target.stat().st_size})
    if browse:
        import webbrowser

        webbrowser.open(target.resolve().as_uri())
    return OK


def _write(
    result: Solution | System, target: Path, curves: list[str] | None, title: str | None, options: dict[str, Any]
) -> tuple[dict[str, Any], str]:
    """Write a page or a film; what it is, for machines and for people."""
    from ..results.solution import Solution
    from ..viewer.film import FORMATS, film
    from ..viewer.write import view as write
    from .interrupt import heeding

    if target.suffix.lower() in FORMATS:
        with heeding() as heed:
            made = film(result, target, curves=curves, title=title, **options, progress=heed)  # type: ignore[arg-type]
        count, seconds, size = len(made.times), len(made.times) / made.fps, f"{made.size[0]}x{made.size[1]}"
        facts = {"film": str(target), "frames": count, "fps": made.fps, "size": list(made.size), "speed": made.speed}
        return facts, (
            f"wrote {target} ({target.stat().st_size / 1e6:.1f} MB, {size}): {count} frames, {seconds:.3g} s "
            f"at {made.speed:.3g} times real time"
        )
    write(result, target, curves=curves, title=title, **options)
    frames = f"{len(result.time)} saved states" if isinstance(result, Solution) else "as drawn"
    megabytes = target.stat().st_size / 1e6
    return {"page": str(target)}, f"wrote {target} ({megabytes:.1f} MB, {frames}); open it in a browser"


def _as_option(problem: Problem) -> Problem:
    """A problem of an argument, under the name of the option that gave it."""
    field = f"--{problem.field}" if problem.field in OPTIONS else FLAGS.get(problem.field, problem.field)
    message = problem.message.replace("sol.names lists all names", "jointplay plot RESULT --list shows all names")
    return Problem(field, message, problem.file, problem.line)
