"""``jointplay write MODEL -o robot.urdf``: a model as a robot file, with an account of what that cannot hold."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .allowing import refused
from .console import OK, Json, command, echo, emit


@command
def write(
    model: Annotated[Path, typer.Argument(help="Model file, YAML or JSON.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Robot file: .urdf, or .xml and .mjcf for MJCF.")],
    allow: Annotated[
        list[str] | None, typer.Option("--allow", metavar="NAME", help="What may be left out; repeat; 'all'.")
    ] = None,
    sets: Annotated[list[str] | None, typer.Option("--set", metavar="PATH=VALUE", help="Replace a value.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Show every element, not only what is not simply used.")] = False,
    as_json: Json = False,
) -> int:
    """Write a model as a robot file (URDF, MJCF); what the format cannot hold is an error unless allowed."""
    from ..robots.report import RobotFileError
    from ..robots.write import write as write_robot
    from .model_input import read_job

    system = read_job(model, sets=sets).system
    try:
        report = write_robot(system, output, allow=allow or ())
    except RobotFileError as error:
        return refused(error, every, as_json)
    echo(report.text() if every else report.summary(), as_json)
    echo(f"wrote {output}", as_json)
    if as_json:
        emit({"ok": True, "file": str(output), "report": report.to_json()})
    return OK
