"""``jointplay warmup``: compile all kernels now, so that no run has to wait."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from .console import DEFECT, OK, Json, command, echo, emit, warn


@command
def warmup(
    engine_only: Annotated[
        bool, typer.Option("--engine-only", help="Leave out what direct, adjoint and complex-step derivatives need.")
    ] = False,
    jobs: Annotated[
        int | None, typer.Option(metavar="NUMBER", min=1, help="Processes at a time; one per core if left out.")
    ] = None,
    as_json: Json = False,
) -> int:
    """Compile the kernels into libraries, with progress; a second time nothing is left to do."""
    from ..progress import bar
    from ..warmup import WarmupError, warm
    from .interrupt import heeding

    began = time.perf_counter()
    try:
        with heeding() as heed, bar(1.0) as progress:
            made = warm(heed(progress.compiling), derivatives=not engine_only, jobs=jobs)
    except WarmupError as error:
        warn(f"not all kernels were compiled\n{error}")
        if as_json:
            emit({"ok": False, "message": str(error)})
        return DEFECT
    spent = time.perf_counter() - began
    names = ", ".join(place.stem for place in made)
    echo(f"libraries of kernels are ready in {made[0].parent}: {names} ({spent:.1f} s)", as_json)
    if as_json:
        emit({"ok": True, "libraries": [str(place) for place in made], "seconds": spent})
    return OK
