"""The ``study:`` block of a model file: read with the model, all problems of both with file, line and field at once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any

from ..compile.build import compile_system
from ..errors import InputError, Problem
from ..model.files import Document, build, override, read_file
from ..model.system import System
from ..results.layout import layout_of
from .limits import unit_problem
from .members import NO_CONDITION, source_for
from .outputs import Outputs
from .plans import Plan
from .study_block import block_from

PLACE = re.compile(r"(vary|limits|of|plan|correlations)(?:: |\[)?([^\]:]*)")


def study_arguments(
    path: str | PathLike[str], overrides: Mapping[str, Any] | None = None, allow: Iterable[str] = ()
) -> dict[str, Any]:
    """Arguments of ``study`` that a model file holds; raises InputError with all that is wrong.

    ``allow`` names modules whose laws the file may use.
    """
    document = read_file(path)
    document.allow = frozenset([allow] if isinstance(allow, str) else allow)
    override(document, overrides or {})
    block = document.data.get("study") if isinstance(document.data, Mapping) else None
    settings: dict[str, Any] = {}
    if block is None:
        document.report((), "has no 'study' section, which names what varies")
    else:
        settings = block_from(block, lambda where, message: document.report(("study", *where), message))
    system = None
    try:
        system = build(
            Document(document.data, document.file, document.lines, document.overridden, allow=document.allow)
        )
    except InputError as error:
        document.problems += error.problems
    if system is not None and settings:
        _against(system, settings, document)
    if document.problems or system is None:
        raise InputError(document.in_order())
    system._study_raw = None
    return {"model": system, **settings}


def _against(system: System, settings: dict[str, Any], document: Document) -> None:
    """Hold names and units against the model."""
    try:
        if settings.get("vary") is not None:
            source_for(system, settings["vary"])
    except InputError as error:
        _place(error, document)
    layout = layout_of(compile_system(system, horizon=float((system.run or {}).get("until") or 1.0)))
    try:
        if settings.get("of"):
            Outputs(layout, settings["of"])
    except InputError as error:
        _place(error, document)
    for k, limit in enumerate(settings.get("limits", [])):
        if isinstance(limit.objective, str):
            document.report(("study", "limits", k), f"needs an output, such as {{peak: {limit.objective!r}}}")
            continue
        try:
            message = unit_problem(limit, Outputs(layout, [limit.objective]).columns[0].unit)
        except InputError as error:
            message = error.problems[0].message
        if message:
            document.report(("study", "limits", k), message)
    plan = settings.get("plan")
    if isinstance(plan, Plan) and settings.get("vary") is not None:
        try:
            plan.points(settings["vary"], 0, min(1, plan.count(settings["vary"])))
        except InputError as error:
            for one in error.problems:
                document.report(("study", "plan"), one.message)
    if "ends" in (system.run or {}):
        document.report(("run", "until"), NO_CONDITION)
    elif (system.run or {}).get("until") is None:
        document.report(("run",), "'until' is missing: give the length of the run")


def _place(error: InputError, document: Document) -> None:
    """Problems that were found by names, at their lines."""
    for one in error.problems:
        found = PLACE.match(one.field)
        if one.file or not found:
            document.problems.append(one if one.file else Problem(one.field, one.message, document.file))
            continue
        word, rest = found[1], found[2].strip()
        where: tuple[Any, ...] = ("study", word)
        if rest:
            where += (int(rest) if rest.isdigit() else rest,)
        document.report(where, one.message)
