"""``jointplay plot RESULT... [NAME...]``: quantities over time as a picture, and figures of other kinds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InputError, Problem
from .console import OK, Json, command, echo, emit

if TYPE_CHECKING:
    from ..results.solution import Solution

ENDINGS = (".nc", ".part")
FLAGS = {"start": "from", "end": "to", "labels": "label", "show": "density", "path": "output"}  # where they differ


@command
def plot(
    what: Annotated[list[str], typer.Argument(metavar="RESULT... [NAME...]", help="Result files, then quantities.")],
    kind: Annotated[
        str,
        typer.Option(
            metavar="KIND",
            help="lines, orbit, modes, gaps, phase, poincare, spectrum, energy, steps or convergence.",
        ),
    ] = "lines",
    joint: Annotated[str | None, typer.Option(metavar="NAME", help="Joint with clearance: orbit, modes, gaps.")] = None,
    against: Annotated[str | None, typer.Option(metavar="NAME", help="Draw over this quantity, not over time.")] = None,
    start: Annotated[str | None, typer.Option("--from", metavar="TIME", help="Begin here, such as '20 ms'.")] = None,
    end: Annotated[str | None, typer.Option("--to", metavar="TIME", help="End here.")] = None,
    label: Annotated[list[str] | None, typer.Option(metavar="TEXT", help="Name of a run, one for each.")] = None,
    when: Annotated[str | None, typer.Option(metavar="NAME", help="poincare: quantity whose crossings count.")] = None,
    level: Annotated[str | None, typer.Option(metavar="VALUE", help="poincare: value that is crossed, or 0.")] = None,
    every: Annotated[
        str | None, typer.Option(metavar="VALUE", help="poincare: period, or distance of levels such as '1 turn'.")
    ] = None,
    density: Annotated[bool, typer.Option("--density", help="spectrum: density of power, not amplitude.")] = False,
    window: Annotated[str | None, typer.Option(metavar="NAME", help="spectrum: hann, flattop or none.")] = None,
    segments: Annotated[int | None, typer.Option(metavar="N", help="spectrum: pieces to average over.")] = None,
    most: Annotated[str | None, typer.Option(metavar="FREQUENCY", help="spectrum: highest one drawn.")] = None,
    norm: Annotated[str | None, typer.Option(metavar="NAME", help="convergence: max, rms or end.")] = None,
    width: Annotated[
        str | None, typer.Option(metavar="LENGTH", help="Width, such as '89 mm', or column, page, slide.")
    ] = None,
    height: Annotated[str | None, typer.Option(metavar="LENGTH", help="Height, such as '60 mm'.")] = None,
    dpi: Annotated[float | None, typer.Option(metavar="N", help="Dots per inch of a .png (150).")] = None,
    title: Annotated[str | None, typer.Option(metavar="TEXT", help="Title; '' for none.")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Picture: .png, .svg or .pdf.")] = None,
    listed: Annotated[bool, typer.Option("--list", help="Only list the names that can be drawn.")] = False,
    as_json: Json = False,
) -> int:
    """Draw quantities such as B.force, slider.position[0] or '|B.force|'; joint forces if none is named."""
    from ..results.file import load

    files = [Path(word) for word in what if word.endswith(ENDINGS) or Path(word).is_file()]
    names = [word for word in what if Path(word) not in files]
    if not files:
        raise InputError(Problem("", f"there is no result file '{what[0]}'"))
    runs = [load(file) for file in files]
    if listed:
        return _list(runs[0], names, as_json)
    from ..figures.curves import default_names

    if kind == "lines" and not names:
        names = default_names(runs[0])
    stem = files[0].name.removesuffix(".part").removesuffix(".nc")
    target = output or Path(f"{stem}.png" if kind == "lines" else f"{stem}_{kind}.png")
    options: dict[str, Any] = {
        "against": against,
        "start": start,
        "end": end,
        "labels": label,
        "when": when,
        "level": level,
        "every": every,
        "show": "density" if density else None,
        "window": window,
        "segments": segments,
        "most": most,
        "norm": norm,
        "width": width,
        "height": height,
        "dpi": dpi,
        "path": target,
    }
    _draw(kind, runs, names, joint, options | ({} if title is None else {"title": title}))
    drawn = ", ".join(names) if kind == "lines" else " ".join([kind, *names])
    echo(f"drew {drawn} to {target}", as_json)
    if as_json:
        emit({"ok": True, "picture": str(target), "names": names} | ({} if kind == "lines" else {"kind": kind}))
    return OK


def _draw(kind: str, runs: list[Solution], names: list[str], joint: str | None, options: dict[str, Any]) -> None:
    """The figure; problems name the options of the command line."""
    from ..figures.kinds import draw

    try:
        draw(kind, runs, names, joint, options)
    except KeyError as error:
        message = str(error.args[0]).replace("sol.names lists", "--list shows")
        raise InputError([Problem("", one) for one in message.splitlines()]) from None
    except InputError as error:
        flags = {*options, "joint", "kind"}
        raise InputError(
            [
                Problem(f"--{FLAGS.get(p.field, p.field)}" if p.field in flags else p.field, p.message)
                for p in error.problems
            ]
        ) from None


def _list(solution: Solution, words: list[str], as_json: bool) -> int:
    """The names, or those that contain one of the words; with units and meanings."""
    from ..results.name_table import name_table

    found = [name for name in solution.names if not words or any(word.lower() in name.lower() for word in words)]
    echo(str(name_table(solution, found, " ".join(words))), as_json)
    if as_json:
        emit({"ok": True, "names": {name: solution.units[name] for name in found}})
    return OK
