"""``jointplay sensitivity MODEL --of NAME --wrt PARAM...``: what moves a result, and by how much."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import InputError, Problem
from ..writing import refuse_place
from .console import OK, STOPPED, Allow, Json, command, echo, emit, warn

if TYPE_CHECKING:
    from ..sensitivity.result import Sensitivities
    from ..sensitivity.targets import Of
    from .model_input import Job

OBJECTIVE = re.compile(r"(final|integral|peak|instant)\((.+)\)\Z", re.IGNORECASE)
PICTURES = (".png", ".svg", ".pdf")


@command
def sensitivity(
    what: Annotated[
        list[str], typer.Argument(metavar="MODEL [PARAM...]", help="Model file, YAML or JSON; then more parameters.")
    ],
    of: Annotated[
        list[str],
        typer.Option("--of", metavar="NAME", help="Quantity; final, integral, peak(NAME); instant(CONDITION)."),
    ],
    wrt: Annotated[
        list[str] | None,
        typer.Option(metavar="PARAM", help="Parameter, or path as in bodies.slider.mass; all parameters if left out."),
    ] = None,
    method: Annotated[str | None, typer.Option(metavar="NAME", help="How to integrate, such as explicit.")] = None,
    derivative: Annotated[
        str | None, typer.Option(metavar="KIND", help="direct (usual), adjoint, complex-step or differences.")
    ] = None,
    until: Annotated[
        str | None, typer.Option(metavar="TIME", help="End of the simulation, such as 5 or '200 ms', or a condition.")
    ] = None,
    at_most: Annotated[
        str | None, typer.Option(metavar="TIME", help="Latest end of a run until a condition (that of the model).")
    ] = None,
    step: Annotated[str | None, typer.Option(metavar="TIME", help="Fixed step of the method.")] = None,
    rtol: Annotated[str | None, typer.Option(metavar="NUMBER", help="Relative tolerance of the method.")] = None,
    save: Annotated[str | None, typer.Option(metavar="TIME", help="Interval of saved states.")] = None,
    sets: Annotated[list[str] | None, typer.Option("--set", metavar="PATH=VALUE", help="Replace a value.")] = None,
    check: Annotated[bool, typer.Option("--check", help="Compare with other kinds of derivative.")] = False,
    output: Annotated[
        list[Path] | None,
        typer.Option("--output", "-o", help="Table (.csv), picture (.png, .svg, .pdf) or data (.nc); may be repeated."),
    ] = None,
    allow: Allow = None,
    as_json: Json = False,
    scheme: Annotated[str | None, typer.Option(hidden=True)] = None,
) -> int:
    """Derivatives of results with respect to parameters: a table, a picture, a file."""
    from .model_input import read_job

    files = output or []
    _refuse_files(files)
    method, kind = _words(method, derivative, scheme)
    job = read_job(
        Path(what[0]),
        sets=sets,
        until=until,
        at_most=at_most,
        method=method,
        save=save,
        options={"step": step, "rtol": rtol},
        allow=allow,
    )
    result = _solve(job, [*(wrt or []), *what[1:]], [_objective(one) for one in of], kind, check)
    for file in files:
        _write(result, file)
    echo(str(result), as_json)
    if result.check is not None:
        echo(f"\n{result.check.table()}", as_json)
    if files:
        echo(f"wrote {', '.join(map(str, files))}", as_json)
    if as_json:
        emit(result.to_json() | {"files": [str(file) for file in files]})
    assert job.until is not None
    reached = float(result.time[-1]) if len(result.time) else 0.0
    early = reached < job.until * (1.0 - 1e-9) if job.ends is None else not result.solution.outcome.ok
    if early:
        warn(f"stopped early, at t = {reached:.6g} s" + "".join(f": {why}" for _, why in result.invalid[:1]))
        return STOPPED
    return OK


def _solve(job: Job, names: list[str], of: list[Of], derivative: str, check: bool) -> Sensitivities:
    """The derivatives, with progress."""
    from ..progress import bar
    from ..sensitivity.solve import solve
    from ..warmup import watching
    from .interrupt import heeding

    wanted = names or list(job.system.parameters)
    problems = []
    if job.until is None:
        problems.append(Problem("until", "is missing: put it in the run section of the model or give --until"))
    if not wanted:
        problems.append(Problem("--wrt", "is missing, and the model has no parameters"))
    if problems:
        raise InputError(problems)
    assert job.until is not None
    with heeding() as heed, bar(job.until) as progress, watching(heed(progress.compiling)):
        return solve(
            job.system,
            wanted,
            of,
            job.method,
            until=job.until if job.ends is None else job.ends,
            at_most=None if job.ends is None else job.until,
            derivative=derivative,
            save=job.save,
            check=check,
            progress=heed(progress),
        )


def _words(method: str | None, derivative: str | None, scheme: str | None) -> tuple[str | None, str]:
    """How to integrate, and the kind of derivative; what was spelt otherwise once is understood with a note."""
    import warnings

    from ..sensitivity.words import understood

    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always")
        found: tuple[str | None, str] = understood(method, derivative, scheme)
    for one in notes:
        warn(str(one.message))
    return found


def _objective(text: str) -> Of:
    """``final(NAME)`` and its like as objectives; other texts are names."""
    from ..sensitivity.objectives import Final, Instant, Integral, Peak, Term

    found = OBJECTIVE.match(text.strip())
    kinds: dict[str, type[Term]] = {"final": Final, "integral": Integral, "peak": Peak, "instant": Instant}
    return kinds[found[1].lower()](found[2].strip()) if found else text.strip()


def _refuse_files(files: list[Path]) -> None:
    """Everything that is wrong with the files to write, before anything is computed."""
    problems: list[Problem] = []
    for file in files:
        try:
            refuse_place(file, "--output")
        except InputError as error:
            problems += error.problems
            continue
        if file.suffix.lower() not in (".csv", ".nc", *PICTURES):
            ends = ", ".join(PICTURES)
            problems.append(Problem("--output", f"cannot write a '{file.suffix}' file; use .csv, .nc, {ends}"))
    if problems:
        raise InputError(problems)


def _write(result: Sensitivities, file: Path) -> None:
    """One file, by its ending."""
    ending = file.suffix.lower()
    if ending == ".csv":
        result.to_csv(file)
    elif ending == ".nc":
        result.save(file)
    else:
        result.plot(path=file)
