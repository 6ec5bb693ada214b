"""``jointplay export FILE [NAME...] -o TABLE``: a run, or the rows of a study, as a table for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .console import OK, Json, command, echo, emit


@command
def export(
    file: Annotated[Path, typer.Argument(metavar="RESULT", help="Result of a run, or file of a study, .nc.")],
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Columns, such as B.force; all unless given.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Table: .csv, .xlsx or .parquet (NAME.csv here).")
    ] = None,
    as_json: Json = False,
) -> int:
    """Write one row per saved instant of a run, or per sample of a study; units are in the head."""
    from ..errors import InputError, Problem
    from ..studies.store import is_study

    target = output or Path(f"{file.name.removesuffix('.part').removesuffix('.nc')}.csv")
    write = _study if is_study(file) else _run
    try:
        remark = write(file, target, names or None)
    except KeyError as error:
        raise InputError([Problem("", one) for one in str(error.args[0]).splitlines()]) from None
    echo(f"wrote {file} to {target} ({target.stat().st_size / 1e6:.2f} MB)", as_json)
    if remark:
        echo(f"note: {remark}", as_json)
    if as_json:
        emit({"ok": True, "table": str(target)})
    return OK


def _study(file: Path, target: Path, names: list[str] | None) -> str:
    from ..studies.row_table import export_file

    export_file(file, target, names)
    return ""


def _run(file: Path, target: Path, names: list[str] | None) -> str:
    """Write the table; what to know about its columns."""
    from ..results.file import load
    from ..results.impulsive import NOT_FORCES, is_impulsive

    solution = load(file)
    solution.export(target, names)
    return NOT_FORCES if any(is_impulsive(solution.layout, name) for name in names or solution.names) else ""
