"""study: from one machine to many. One description, a plan, a file; the Study has what is learnt."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from ..errors import InputError, Problem
from ..model.files import load_model
from ..sensitivity.source import usual_unit
from ..writing import cannot_write
from .answers import Study
from .conduct import Conduct, Progress
from .description import Description, describe
from .engine import Engine, ModelEngine, engine_of
from .keep import Keep
from .limits import limits_of
from .limits import tree as limit_tree
from .outputs import output_tree
from .plans import Plan, Points, Sobol
from .store import Rows, StudyFile, columns_of, is_study, refuse_output
from .until import Until
from .vary import Vary
from .workers import Order, workers_of

SHARD = re.compile(r"\s*(\d+)\s*(?:/|of)\s*(\d+)\s*\Z")
USUAL = 1024  # points where no plan is given
COMPILED = (
    "each sample is compiled, which costs some milliseconds beside its run: numbers of the model do not follow from "
    "the inputs by lines, expressions or short polynomials over these ranges"
)

OnProgress = Callable[[Progress], None]


def study(
    model: Any,
    vary: Mapping[str, Any] | None = None,
    of: Any = None,
    limits: Any = (),
    plan: Plan | Mapping[str, Any] | None = None,
    *,
    until: float | str | None = None,
    method: Any = None,
    save: Any = None,
    output: str | PathLike[str] | None = None,
    workers: Any = None,
    stop: Until | None = None,
    correlations: Mapping[tuple[str, str], float] | None = None,
    gradients: bool = False,
    keep: Keep | str = "none",
    shard: str | tuple[int, int] | None = None,
    progress: bool | OnProgress = False,
    allow: Iterable[str] = (),
) -> Study:
    """Run a model at many points of its tolerances.

    Args:
        model: a model file, a System, a function of the inputs that makes one, or a function that returns numbers.
        vary: by the name or path of a number: a tolerance ("153 mm +- 0.05 mm"), a fit ("12 H7/g6", ``Fit``), or a
            distribution (``Uniform``, ``Normal``, ``LogNormal``, ``Triangular``, ``Measured``). If nothing is given,
            the study is that of the model file's own ``study:`` section; other arguments replace its entries.
        of: numbers to keep of each run: ``Peak``, ``Final``, ``Integral``, ``Mean``, ``Quantile``, ``Impacts``,
            ``HardestImpact``, or functions of a Solution; a list, or a mapping from names. Limits add theirs.
        limits: what a machine must keep: ``AtMost``, ``AtLeast``, ``Between``, with units.
        plan: ``Sobol``, ``Random``, ``LatinHypercube``, ``Saltelli``, ``Corners``, ``Grid``, ``Points``;
            ``Sobol(1024)`` unless given.
        until: end of each run; the model's own unless given.
        method: how to integrate; the model's own, or the one that suits it.
        save: saved instants, which peaks and integrals are taken over.
        output: file of the study; what it holds already of this very study is not run again.
        workers: a number of threads (all cores unless given), "4 processes", or a Dask client.
        stop: ``Until(...)``, to end when the answer is known.
        correlations: by pairs of names, of the normal scores.
        gradients: keep derivatives of all outputs, for ``dgsm``.
        keep: whole runs to keep beside the file of the study (NAME_runs): "none", "failed", "worst 10", "every 100".
        shard: "3/8", the third of eight equal stretches of the plan, for job arrays; see ``merge_studies``.
        progress: True for a bar on stderr, or a function of ``Progress``.
        allow: modules whose laws a model file may name (``module:function``); other processes import them too.
    """
    if allow and isinstance(model, str | PathLike) and vary is not None:
        model = load_model(model, allow=allow)
    if vary is None:
        section = _of_file(model, allow)
        model, vary, of = section["model"], section["vary"], of or section["of"]
        limits, plan, stop = limits or section["limits"], plan or section["plan"], stop or section.get("stop")
        gradients = gradients or section.get("gradients", False)
        keep = section.get("keep", keep) if keep == "none" else keep
    plan = plan_of(plan)
    keep = Keep.of(keep)
    inputs = vary if isinstance(vary, Vary) else Vary(vary, correlations)
    limits = limits_of(limits)
    if gradients is not False and gradients is not True:
        raise InputError(Problem("gradients", f"needs True or False, not {gradients!r}"))
    if stop is not None and not isinstance(stop, Until):
        raise InputError(Problem("stop", f"needs Until(...), not {stop!r}"))
    if stop is not None and stop.yield_within is not None and not limits:
        raise InputError(Problem("stop", "the yield can be known only where there are limits"))
    if stop is not None and not plan.samples:
        raise InputError(
            Problem("stop", f"{plan!r} has its points for a reason; only plans that sample can stop early")
        )
    count = plan.count(inputs)
    piece = shard_of(shard, count, plan.groups(inputs))
    plan.points(inputs, 0, min(count, 1))  # what is wrong with given points shows here
    engine = engine_of(model, inputs, of, limits, until=until, method=method, save=save, gradients=gradients)
    keep.check(engine, output)
    description = describe(model, inputs, plan, engine, gradients)
    rows = _rows(output, count, engine, description, changing_of(limits, engine, keep), gradients)
    settings = engine.settings if isinstance(engine, ModelEngine) else None
    order = Order(
        model,
        inputs,
        of,
        tuple(limits),
        settings.end if settings else None,
        settings.method if settings else None,
        settings.times if settings else None,
        plan,
        engine.filling if isinstance(engine, ModelEngine) else None,
        gradients,
        description.key,
    )
    found = Study(engine, rows, plan, limits, description, model)
    if isinstance(plan, Sobol) and plan.requested != plan.size:
        found.notes.append(f"Sobol' points come in powers of two: {plan.size} instead of {plan.requested}")
    if isinstance(engine, ModelEngine) and engine.filling is None:
        found.notes.append(COMPILED)
    crew = workers_of(workers, engine, order)
    conduct = Conduct(rows, crew, *piece, estimate=found.so_far)
    if stop is not None:
        group = plan.groups(inputs) * max(1, plan.replicates)
        conduct.looks = stop.looks(count, group)
        level = stop.split(count, group)
        conduct.enough = lambda size: found.known(stop, size, level)
    try:
        with _progress_of(progress, piece[1] - piece[0]) as report:
            conduct.on_progress = report
            conduct.run()
    finally:
        crew.close()
        found.messages |= conduct.messages
        if conduct.stopped_at is not None:
            found.cut(conduct.stopped_at)
        found.settle()
    keep.write(found)
    return found


def _of_file(model: Any, allow: Iterable[str]) -> dict[str, Any]:
    """The study section of a model file."""
    from .fromfile import study_arguments

    if not isinstance(model, str | PathLike):
        raise InputError(Problem("vary", "is missing: name what varies"))
    return study_arguments(model, allow=allow)


def plan_of(given: Any) -> Plan:
    """A plan as given; a mapping from names to lists is one of points."""
    if given is None:
        return Sobol(USUAL)
    if isinstance(given, Plan):
        return given
    if isinstance(given, Mapping):
        return Points(given)
    raise InputError(Problem("plan", f"needs a plan, such as Sobol(1024), not {given!r}"))


def shard_of(given: Any, count: int, group: int) -> tuple[int, int]:
    """First and last row of a shard; whole groups stay together."""
    if given is None:
        return 0, count
    found = SHARD.match(given) if isinstance(given, str) else None
    k, n = (int(found[1]), int(found[2])) if found else given if isinstance(given, tuple) else (0, 0)
    if not (isinstance(k, int) and isinstance(n, int) and 1 <= k <= n):
        raise InputError(Problem("shard", f"needs a text such as '3/8', the third of eight, not {given!r}"))
    bases = count // group
    return group * (bases * (k - 1) // n), group * (bases * k // n) if k < n else count


def _rows(
    output: str | PathLike[str] | None,
    count: int,
    engine: Engine,
    description: Description,
    changing: dict[str, Any],
    gradients: bool,
) -> Rows:
    inputs = [(name, usual_unit(one.dimension)) for name, one in engine.vary.inputs.items()]
    columns = columns_of(inputs, [(one.key, one.unit) for one in engine.columns], gradients)
    if output is None:
        return Rows(count, columns)
    path = Path(output)
    refuse_output(path)
    facts = {
        "columns": [[one.name, one.kind, one.unit, one.meaning] for one in columns],
        "inputs": len(inputs),
        "outputs": len(engine.columns),
        "culprits": engine.culprits,
        "gradients": gradients,
    }
    texts = {
        "key": description.key,
        "description": "\n".join(description.lines),
        "study": json.dumps(description.tree),
        "facts": json.dumps(facts),
        "changing": json.dumps(changing),
    }
    if not path.exists():
        StudyFile.create(path, count, columns, texts)
        return StudyFile(path, write=True)
    if not is_study(path):
        message = "it is there and is no study; it would be lost. Choose another name"
        raise cannot_write(path, message)
    file = StudyFile(path, write=True)
    if file.texts["key"] != description.key:
        lines = "".join(f"\n    {line}" for line in description.differences(file.lines))
        file.close()
        message = f"{path} holds another study, which is not touched; these lines differ (-: of the file):{lines}"
        raise InputError(Problem("output", message))
    if file.texts["changing"] != texts["changing"]:
        file.put_changing(texts["changing"])
    return file.resized(count, texts) if file.count < count else file


def changing_of(limits: Sequence[Any], engine: Engine, keep: Keep) -> dict[str, Any]:
    """What may be another one when a study goes on: its limits, and which runs are kept."""
    found = []
    for limit in limits:
        output = engine.columns[engine.find(limit.objective)]
        found.append(limit_tree(limit, output.unit, output_tree(output.given)))
    return {"limits": found, "keep": str(keep)}


def _progress_of(progress: bool | OnProgress, total: int) -> Any:
    from contextlib import nullcontext

    if progress is False:
        return nullcontext(None)
    if callable(progress):
        return nullcontext(progress)
    from .bar import bar

    return bar(total)
