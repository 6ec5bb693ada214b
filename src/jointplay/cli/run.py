"""``jointplay run MODEL``: simulate, save while running, sum up."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .say import INTERRUPTED, OK, STOPPED, Json, command, emit, say, warn

if TYPE_CHECKING:
    from ..results.solution import Solution
    from .reading import Job


@command
def run(
    model: Annotated[Path, typer.Argument(help="Model file, YAML or JSON.")],
    until: Annotated[
        str | None, typer.Option(metavar="TIME", help="End of the simulation, such as 5 or '200 ms'.")
    ] = None,
    method: Annotated[str | None, typer.Option(metavar="NAME", help="Method, such as explicit or verlet.")] = None,
    step: Annotated[str | None, typer.Option(metavar="TIME", help="Fixed step of the method.")] = None,
    rtol: Annotated[str | None, typer.Option(metavar="NUMBER", help="Relative tolerance of the method.")] = None,
    save: Annotated[str | None, typer.Option(metavar="TIME", help="Interval of saved states.")] = None,
    sets: Annotated[list[str] | None, typer.Option("--set", metavar="PATH=VALUE", help="Replace a value.")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Result file (MODEL.nc here).")] = None,
    as_json: Json = False,
) -> int:
    """Simulate a model; what the command line leaves open is in its run section."""
    from .reading import read_job

    options = {"step": step, "rtol": rtol}
    job = read_job(model, sets=sets, until=until, method=method, save=save, options=options)
    return perform(job, output or Path(f"{model.stem}.nc"), as_json)


def perform(job: Job, output: Path, as_json: bool) -> int:
    """Run a job into a file, with progress; exit code."""
    from ..codes import Code
    from ..errors import InputError, Problem
    from ..progress import bar
    from ..results.summary import figures, summary
    from ..simulation import simulate
    from ..warmup import watching
    from .interrupt import heeding

    if job.until is None:
        message = "is missing: nothing says how long to run; put it in the run section of the model or give --until"
        raise InputError(Problem("until", message))
    with heeding() as heed, bar(job.until) as tell, watching(heed(tell.compiling)):
        solution = simulate(job.system, job.until, job.method, job.save, progress=heed(tell), output=output)
    say(summary(solution, commands="shell"), as_json)
    if as_json:
        emit(figures(solution))
    if solution.outcome.ok:
        return OK
    kept = f"{len(solution.time)} saved states are in {solution.path}" + _keep_contact(solution)
    warn(f"stopped early: {solution.outcome.message}\n{kept}")
    return INTERRUPTED if solution.outcome.code is Code.INTERRUPTED else STOPPED


def _keep_contact(solution: Solution) -> str:
    """Write the contact problem that ended a run beside its result; the line that says so."""
    from ..errors import InputError
    from ..numerics.contact import write_problem

    if solution.failed_contact is None or solution.path is None:
        return ""
    path = solution.path.with_suffix(".contact.json")
    try:
        write_problem(path, **solution.failed_contact)
    except (OSError, InputError) as error:
        return f"\nthe contact problem could not be written to {path}: {error}"
    return f"\nthe contact problem is in {path}; solve it again with: jointplay contact {shlex.quote(str(path))}"
