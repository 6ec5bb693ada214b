"""``jointplay run MODEL``: simulate, save while running, sum up."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .completion import method_names
from .console import INTERRUPTED, OK, STOPPED, Allow, Json, command, echo, emit, warn

if TYPE_CHECKING:
    from ..results.solution import Solution
    from .model_input import Job

TABLE = ".csv"


@command
def run(
    model: Annotated[Path, typer.Argument(help="Model file, YAML or JSON.")],
    until: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="End, such as 5 or '200 ms', or a condition: 'slider.position[0] > 0.3'."),
    ] = None,
    at_most: Annotated[
        str | None, typer.Option(metavar="TIME", help="Latest end of a run until a condition (that of the model).")
    ] = None,
    record: Annotated[
        list[str] | None,
        typer.Option(metavar="CONDITION", help="Note the instants at which it becomes true; may be repeated."),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Method, such as explicit or verlet.", autocompletion=method_names),
    ] = None,
    step: Annotated[str | None, typer.Option(metavar="TIME", help="Fixed step of the method.")] = None,
    rtol: Annotated[str | None, typer.Option(metavar="NUMBER", help="Relative tolerance of the method.")] = None,
    save: Annotated[str | None, typer.Option(metavar="TIME", help="Interval of saved states.")] = None,
    sets: Annotated[list[str] | None, typer.Option("--set", metavar="PATH=VALUE", help="Replace a value.")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Result file (MODEL.nc here), or a table, .csv.")
    ] = None,
    allow: Allow = None,
    as_json: Json = False,
) -> int:
    """Simulate a model; what the command line leaves open is in its run section."""
    from .model_input import read_job

    ends = {"until": until, "at_most": at_most, "record": record}
    options = {"step": step, "rtol": rtol}
    job = read_job(model, sets=sets, **ends, method=method, save=save, options=options, allow=allow)  # type: ignore[arg-type]
    return perform(job, output or Path(f"{model.stem}.nc"), as_json)


def perform(job: Job, output: Path, as_json: bool) -> int:
    """Run a job into a file, until a condition if there is one, with progress; exit code."""
    from ..codes import Code
    from ..errors import InputError, Problem
    from ..progress import bar
    from ..results.summary import figures, summary
    from ..simulation import simulate
    from ..warmup import watching
    from ..writing import refuse_place
    from .interrupt import heeding

    if job.until is None:
        message = "is missing: put the length of the run in the run section of the model or give --until"
        if job.ends is not None:
            message = f"is missing: give the longest time to wait until '{job.ends}' is true"
        raise InputError(Problem("until" if job.ends is None else "--at-most", message))
    table = output.suffix.lower() == TABLE
    refuse_place(output)
    with heeding() as heed, bar(job.until) as progress, watching(heed(progress.compiling)):
        file = None if table else output
        ends = (job.until, None) if job.ends is None else (job.ends, job.until)
        given = {"progress": heed(progress), "output": file, "at_most": ends[1], "record": dict(job.record)}
        solution = simulate(job.system, ends[0], job.method, job.save, **given)  # type: ignore[arg-type]
    place = solution.to_csv(output) if table else solution.path
    echo(summary(solution, commands="shell"), as_json)
    if table:
        echo(f"table     {output}; pictures and reports need a result: -o {output.with_suffix('.nc')}", as_json)
    if as_json:
        emit(figures(solution) | {"result": str(place)})
    if solution.outcome.ok:
        return OK
    kept = f"{len(solution.time)} saved states are in {place}" + _keep_contact(solution)
    warn(f"stopped early: {solution.outcome.message}\n{kept}")
    return INTERRUPTED if solution.outcome.code is Code.INTERRUPTED else STOPPED


def _keep_contact(solution: Solution) -> str:
    """Write the contact problem that ended a run beside its result; the line that reports it."""
    from ..errors import InputError
    from ..numerics.contact import write_problem
    from ..writing import writing

    if solution.failed_contact is None or solution.path is None:
        return ""
    path = solution.path.with_suffix(".contact.json")
    try:
        with writing(path) as draft:
            write_problem(draft, **solution.failed_contact)
    except InputError as error:
        return f"\nthe contact problem is lost: {error}"
    return f"\nthe contact problem is in {path}; solve it again with: jointplay contact {shlex.quote(str(path))}"
