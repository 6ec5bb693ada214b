"""``jointplay check MODEL``: what is right and wrong with a model, without running it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .console import BAD_INPUT, OK, Allow, Json, command, echo, emit, warn


@command
def check(
    model: Annotated[Path, typer.Argument(help="Model file, YAML or JSON.")],
    sets: Annotated[list[str] | None, typer.Option("--set", metavar="PATH=VALUE", help="Replace a value.")] = None,
    allow: Allow = None,
    as_json: Json = False,
) -> int:
    """Degrees of freedom, redundant joints, initial residuals, masses; ends with 0 or 2."""
    from ..runlength import rare_saves
    from .model_input import overrides_of, read_job

    job = read_job(model, sets=sets, allow=allow)
    system = job.system
    if system.study is not None:  # its requests are checked against the model too
        from ..studies.fromfile import study_arguments

        study_arguments(model, overrides_of(sets or []))
    report = system.check()
    if job.until is not None:
        report.warnings += rare_saves(job.save, 0.0, job.until)
    echo(report.text(), as_json)
    if system.absent:
        from ..model.foreign import absent_words

        warn(f"{model} {absent_words(system.absent)}")
    if as_json:
        emit(report.to_json())
    return OK if report.ok else BAD_INPUT
