"""``jointplay study``: tolerances, sweeps and sampling over many runs of one model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .console import INTERRUPTED, OK, STOPPED, Allow, Json, command, echo, emit, warn

if TYPE_CHECKING:
    from ..studies.answers import Study

app = typer.Typer(
    help="Many runs of one model: tolerances, sweeps, sampling.", rich_markup_mode=None, no_args_is_help=True
)

Jobs = Annotated[
    int | None, typer.Option("--jobs", "-j", metavar="N", help="Threads, or processes; all cores unless given.")
]
Apart = Annotated[bool, typer.Option("--processes", help="Processes instead of threads.")]
Address = Annotated[
    str | None, typer.Option("--dask", metavar="ADDRESS", help="Scheduler of a Dask cluster, tcp://host:8786.")
]
Shard = Annotated[str | None, typer.Option(metavar="K/N", help="Only the K-th of N equal stretches of the plan.")]
Keep = Annotated[
    str | None,
    typer.Option(metavar="WHICH", help="Whole runs to keep in NAME_runs: none, failed, 'worst 10' or 'every 100'."),
]
File = Annotated[Path, typer.Argument(help="File of a study, .nc.")]


@app.command("run")
@command
def run(
    model: Annotated[Path, typer.Argument(help="Model file with a study section.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File of the study (MODEL_study.nc here).")
    ] = None,
    jobs: Jobs = None,
    processes: Apart = False,
    dask: Address = None,
    samples: Annotated[int | None, typer.Option(metavar="N", help="Another number of points for the plan.")] = None,
    shard: Shard = None,
    keep: Keep = None,
    sets: Annotated[list[str] | None, typer.Option("--set", metavar="PATH=VALUE", help="Replace a value.")] = None,
    allow: Allow = None,
    as_json: Json = False,
) -> int:
    """Run the study of a model file; what its file holds already is not run again."""
    from ..studies.fromfile import study_arguments
    from .model_input import allowed, overrides_of

    settings = study_arguments(model, overrides_of(sets or []), allowed(allow))
    if samples is not None:
        settings["plan"] = _sized(settings["plan"], samples)
    target = output or Path(f"{model.stem}_study.nc")
    settings |= {"output": target, "shard": shard} | ({"keep": keep} if keep is not None else {})
    return _perform(settings, jobs, processes, dask, as_json)


@app.command("resume")
@command
def resume(
    file: File,
    jobs: Jobs = None,
    processes: Apart = False,
    dask: Address = None,
    samples: Annotated[int | None, typer.Option(metavar="N", help="More points than were planned.")] = None,
    shard: Shard = None,
    keep: Keep = None,
    allow: Allow = None,
    as_json: Json = False,
) -> int:
    """Go on with a study that was cut short; its file holds all that is needed."""
    from ..studies.reopen import settings_of
    from ..studies.store import StudyFile
    from .model_input import allowed

    opened = StudyFile(file, write=False)
    settings = settings_of(opened, allow=allowed(allow))
    opened.close()
    if samples is not None:
        settings["plan"] = _sized(settings["plan"], samples)
    settings |= {"output": file, "shard": shard} | ({"keep": keep} if keep is not None else {})
    return _perform(settings, jobs, processes, dask, as_json)


@app.command("status")
@command
def status(file: File, as_json: Json = False) -> int:
    """How far a study is, while it runs or after."""
    import numpy as np

    from ..results.lock import is_marked
    from ..studies.store import DONE, StudyFile

    opened = StudyFile(file, write=False)
    done = np.asarray(opened.column("status")) == DONE
    failed = int(np.count_nonzero(done & (np.asarray(opened.column("outcome")) != 0)))
    running = is_marked(file)
    if opened.damaged:
        warn(f"{opened.damaged} rows do not agree with their checksums and count as not done")
    count = int(np.count_nonzero(done))
    word = (
        "running"
        if running
        else "complete"
        if count == opened.count
        else "not complete; jointplay study resume goes on"
    )
    echo(f"{file}: {count} of {opened.count} samples, {failed} failed, {word}", as_json)
    if as_json:
        facts = {"done": count, "count": opened.count, "failed": failed, "running": running, "key": opened.texts["key"]}
        emit({"ok": True, **facts})
    opened.close()
    return OK


@app.command("merge")
@command
def merge(
    files: Annotated[list[Path], typer.Argument(help="Files of shards of one study.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write.")],
    as_json: Json = False,
) -> int:
    """Put shards of one study together."""
    from ..studies.merge import merge_studies
    from ..studies.store import DONE, StudyFile

    target = merge_studies(files, output)
    opened = StudyFile(target, write=False)
    done, count = int((opened.column("status") == DONE).sum()), opened.count
    opened.close()
    more = "" if done == count else "; jointplay study resume runs the others"
    echo(f"merged {len(files)} files in {target}: {done} of {count} samples{more}", as_json)
    if as_json:
        emit({"ok": True, "output": str(target), "done": done, "count": count})
    return OK


@app.command("report")
@command
def report(
    file: File,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Page to write (NAME.html here).")] = None,
    allow: Allow = None,
    as_json: Json = False,
) -> int:
    """Write one page about a study: yield, outputs, what matters, how sure, worst and median run as animations."""
    from ..report import check_target
    from ..studies.reopen import load_study
    from .model_input import allowed

    target = output or Path(f"{file.stem}.html")
    check_target(target)
    study = load_study(file, allow=allowed(allow))
    study.report(target)
    echo(f"report of {file} in {target} ({target.stat().st_size / 1e6:.1f} MB)", as_json)
    if as_json:
        emit(_figures(study) | {"report": str(target)})
    return OK


def _sized(plan: Any, samples: int) -> Any:
    from ..errors import InputError, Problem
    from ..studies.plans import Sobol

    if plan is None:
        return Sobol(samples)
    try:
        return plan.resized(samples)
    except NotImplementedError:
        raise InputError(Problem("--samples", f"{plan!r} has a number of points of its own")) from None


def _perform(settings: dict[str, Any], jobs: int | None, processes: bool, dask: str | None, as_json: bool) -> int:
    """Run a study with progress; exit code."""
    from ..studies.study import study
    from ..warmup import watching
    from .interrupt import heeding

    workers: Any = jobs
    if processes:
        from ..studies.crew import default_threads

        workers = f"{jobs or default_threads()} processes"
    client = _client(dask) if dask else None
    shard = settings.pop("shard", None)
    try:
        with heeding() as heed, _bar(settings) as progress, watching(heed(_nothing)):
            found = study(
                **settings, shard=shard, workers=client if client is not None else workers, progress=heed(progress)
            )
    except KeyboardInterrupt:
        warn(f"interrupted; what was computed is in {settings['output']}: jointplay study resume goes on")
        if as_json:
            emit({"ok": False, "message": "interrupted", "output": str(settings["output"])})
        return INTERRUPTED
    finally:
        if client is not None:
            client.close()
    echo(found.summary(), as_json)
    if kept := found.kept:
        echo(f"kept      {len(kept)} whole runs in {next(iter(kept.values())).parent}", as_json)
    echo(f"file      {found.path}; next: jointplay study report {found.path}", as_json)
    if as_json:
        emit(_figures(found))
    return OK if len(found.failed) < len(found.done) or not len(found.done) else STOPPED


def _bar(settings: dict[str, Any]) -> Any:
    from ..studies.bar import bar
    from ..studies.study import plan_of

    return bar(plan_of(settings.get("plan")).count(settings["vary"]))


def _nothing(*_: Any) -> None:
    """Kernels that are compiled are no news here."""


def _client(address: str) -> Any:
    from ..errors import InputError, Problem
    from ..extras import needed

    Client = needed("distributed", "a study on several machines", "dask", "--dask").Client
    try:
        return Client(address, timeout="10s")
    except OSError as error:
        raise InputError(Problem("--dask", f"no scheduler answers at {address}: {error}")) from None


def _figures(study: Study) -> dict[str, Any]:
    """A study for machines."""
    out: dict[str, Any] = {
        "ok": True,
        "output": str(study.path),
        "key": study.description.key,
        "done": len(study.done),
        "count": study.count,
        "failed": len(study.failed),
        "failures": study.failures(),
        "notes": study.notes,
    }
    if not study.plan.samples or not len(study.done):
        return out
    if study.limits:
        found = study.yield_()
        out["yield"] = {"value": found.value, "low": found.low, "high": found.high, "bounds": list(found.bounds)}
    out["outputs"] = {}
    for key in study.outputs:
        mean, sigma = study.mean(key), study.sigma(key)
        out["outputs"][key] = {
            "unit": study.units[key],
            "mean": mean.value,
            "mean_low": mean.low,
            "mean_high": mean.high,
            "sigma": sigma.value,
            "cpk": study.cpk(key),
            "contributions": study.contributions(key),
            "linearity": study.linearity(key),
        }
    return out
