"""A study file opened again: all that its rows hold, and going on where its description can be read."""

from __future__ import annotations

import json
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any

from ..errors import InputError, Problem
from ..model.system import System
from .answers import Study
from .description import Description
from .engine import engine_of
from .plans import Plan
from .store import StudyFile
from .study_block import limits_from, outputs_from, plan_from, vary_from
from .vary import Vary


def load_study(path: str | PathLike[str], model: Any = None, *, allow: Iterable[str] = ()) -> Study:
    """Open the file of a study; one of a Python function needs that function as ``model``.

    ``allow`` names modules whose laws the model may use.
    """
    file = StudyFile(Path(path), write=False)
    settings = settings_of(file, model, allow)
    options = {key: settings[key] for key in ("until", "method", "save")}
    engine = engine_of(
        settings["model"],
        settings["vary"],
        settings["of"],
        settings["limits"],
        gradients=settings["gradients"],
        **options,
    )
    description = Description(file.lines, json.loads(file.texts["study"]))
    return Study(engine, file, settings["plan"], settings["limits"], description, settings["model"])


def settings_of(file: StudyFile, model: Any = None, allow: Iterable[str] = ()) -> dict[str, Any]:
    """Arguments of ``study`` that made a file; raises InputError where a file does not hold them."""
    tree = json.loads(file.texts["study"])
    if model is None and tree["model"] is None:
        message = "is a study of a Python function, which a file cannot hold; give the function as well"
        raise InputError(Problem("model", message, str(file.path)))
    functions = [one for one in tree["of"] if isinstance(one, str) and one.startswith("function ")]
    if functions and tree["model"] is not None:
        message = f"keeps {functions[0]}, which a file cannot hold; run the study again from Python"
        raise InputError(Problem("of", message, str(file.path)))
    run = tree.get("run", {})
    vary = vary_from(tree["vary"], tree["correlations"])
    assert vary is not None  # what is wrong was raised
    of: dict[str, Any] | None = None
    if tree["model"] is not None:
        of = dict(zip(tree["keys"], outputs_from(tree["of"]), strict=True))
    changing = json.loads(file.texts["changing"])
    modules = [allow] if isinstance(allow, str) else list(allow)
    return {
        "model": System.from_tree(tree["model"], modules) if model is None else model,
        "vary": vary,
        "of": of,
        "limits": limits_from(changing["limits"]),
        "plan": _resized(plan_from(tree["plan"]), vary, file.count),
        "until": run.get("until"),
        "method": method_from(run.get("method")),
        "save": run.get("save"),
        "gradients": bool(tree["gradients"]),
        "keep": changing.get("keep", "none"),
    }


def _resized(plan: Plan, vary: Vary, count: int) -> Plan:
    """The plan with as many points as the file has rows: it may have grown, or stopped early."""
    return plan if plan.count(vary) == count else plan.resized(count // plan.groups(vary))


def method_from(tree: dict[str, Any] | None) -> Any:
    """The method that a study file names."""
    from ..methods.registry import METHODS

    if tree is None:
        return None
    key, options = next(iter(tree.items()))
    return METHODS[key](**options)
