"""``jointplay report RESULT``: everything about a run in one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .console import OK, Json, command, echo, emit


@command
def report(
    result: Annotated[Path, typer.Argument(help="Result file, .nc.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Page to write (RESULT_report.html here).")
    ] = None,
    as_json: Json = False,
) -> int:
    """Write one page with outcome, animation, forces, contacts, energy, model and how to reproduce the run."""
    from .. import report as pages
    from ..report.reproduce import hashes
    from ..results.file import load

    target = output or Path(f"{result.name.removesuffix('.part').removesuffix('.nc')}_report.html")
    pages.check_target(target)
    solution = load(result)
    pages.report(solution, target)
    echo(f"report of {result} in {target} ({target.stat().st_size / 1e6:.1f} MB)", as_json)
    if as_json:
        facts = {"code": solution.outcome.code.name.lower(), "message": solution.outcome.message}
        emit({"ok": True, "report": str(target), "outcome": facts, "sha256": hashes(solution)})
    return OK
