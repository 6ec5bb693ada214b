"""``jointplay import FILE``: a robot file becomes a model file, with an account of every element."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import InputError, Problem
from .allowing import refused
from .console import OK, Json, command, echo, emit


@command
def import_file(
    file: Annotated[Path, typer.Argument(help="Robot file, URDF or MJCF.")],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Model file to write, YAML or JSON.")] = None,
    allow: Annotated[
        list[str] | None, typer.Option("--allow", metavar="NAME", help="What may be left out; repeat; 'all'.")
    ] = None,
    base: Annotated[str | None, typer.Option("--base", help="Of URDF: fixed (unless given) or floating.")] = None,
    start: Annotated[
        list[str] | None, typer.Option("--start", metavar="JOINT=VALUE", help="A coordinate at the start; repeat.")
    ] = None,
    keep: Annotated[
        list[str] | None, typer.Option("--keep", metavar="JOINT", help="A fixed joint that stays one; repeat.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Show every element, not only what is not simply used.")] = False,
    as_json: Json = False,
) -> int:
    """Write a model file from a robot file; what has no place in it is an error unless allowed."""
    from ..robots.read import read
    from ..robots.report import RobotFileError

    target = output or Path(f"{file.stem}.yaml")
    try:
        system, report = read(
            file,
            allow=allow or (),
            base=base,  # type: ignore[arg-type]
            start=_starts(start or []),
            keep=keep or (),
            folder=target.parent,
        )
    except RobotFileError as error:
        return refused(error, every, as_json)
    system.save(target)
    echo(report.text() if every else report.summary(), as_json)
    echo(f"wrote {target} ({len(system.bodies)} bodies, {len(system.joints)} joints)", as_json)
    if as_json:
        emit({"ok": True, "model": str(target), "report": report.to_json()})
    return OK


def _starts(given: list[str]) -> dict[str, Any]:
    """Values by the names of joints; several, in a list: 'base=[0, 0, 1]'."""
    from ..model.yamltree import read_text

    out: dict[str, Any] = {}
    for text in given:
        name, equals, value = text.rpartition("=")
        if not equals or not name.strip() or not value.strip():
            raise InputError(Problem("--start", f"needs JOINT=VALUE, such as elbow=30deg, not '{text}'"))
        out[name.strip()] = read_text(value)[0]
    return out
