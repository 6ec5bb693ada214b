"""The description of a study: all that decides a row, in lines that people can read and compare.

Its SHA-256 is the resume key. The number of points, limits, workers and places of files are not in it: they decide
which rows there are and what is made of them, not what is in a row.
"""

from __future__ import annotations

import difflib
import hashlib
import json
from dataclasses import dataclass, fields
from os import PathLike
from typing import Any

from ..errors import InputError
from ..laws.own_law import MADE
from ..methods.base import Method
from ..model.system import System
from ..model.yamlwriter import yaml_text
from .engine import Engine, FunctionEngine, ModelEngine
from .outputs import output_tree
from .plans import Plan
from .sourcelines import function_lines, short
from .vary import Vary

FORMAT = 1
MOST_SHOWN = 12  # lines that differ


@dataclass(frozen=True)
class Description:
    """What decides every row."""

    lines: tuple[str, ...]
    tree: dict[str, Any]  # as a study file is read again; "model" is None where no file can hold it

    @property
    def key(self) -> str:
        """SHA-256 of the lines."""
        return hashlib.sha256("\n".join(self.lines).encode()).hexdigest()

    def differences(self, other: tuple[str, ...]) -> list[str]:
        """Lines of another description that are not ours (-), and ours that it has not (+)."""
        found = [
            line
            for line in difflib.unified_diff(other, self.lines, n=0, lineterm="")
            if line[:1] in "+-" and line[:3] not in ("+++", "---")
        ]
        more = [f"... and {len(found) - MOST_SHOWN} more"] if len(found) > MOST_SHOWN else []
        return [*found[:MOST_SHOWN], *more]


def describe(model: Any, vary: Vary, plan: Plan, engine: Engine, gradients: bool) -> Description:
    """The description of a study that is understood."""
    from ..native.library import engine_key

    lines = [f"study {FORMAT}"]
    tree: dict[str, Any] = {"model": None}
    lines += [f"model | {line}" for line in _model_lines(model, engine, tree)]
    lines += [f"vary | {name}: {_json(one.tree())}" for name, one in vary.inputs.items()]
    lines += [f"correlation | {_json(pair)}" for pair in vary.pairs()]
    lines.append(f"plan | {_json(plan.key())}")
    for one in engine.columns:
        lines.append(f"output | {one.key}: {_json(output_tree(one.given))}{_source(one.given)}")
    tree |= {
        "vary": vary.tree(),
        "correlations": vary.pairs(),
        "plan": plan.tree(),
        "of": [output_tree(one.given) for one in engine.columns],
        "keys": [one.key for one in engine.columns],
        "gradients": gradients,
    }
    if isinstance(engine, ModelEngine):
        settings = engine.settings
        save = settings.save if not hasattr(settings.save, "tolist") else settings.save.tolist()
        lines.append(f"run | until {settings.end!r} s, {settings.method!r}, save {save!r}")
        lines.append(f"kernels | {engine_key()}")
        tree["run"] = {"until": settings.end, "method": method_tree(settings.method), "save": save}
    if gradients:
        lines.append("gradients | kept")
    return Description(tuple(lines), tree)


def method_tree(method: Method) -> dict[str, Any]:
    """A method as data: its key with all its options."""
    return {method.key: {one.name: getattr(method, one.name) for one in fields(method)}}  # type: ignore[arg-type]


def _model_lines(model: Any, engine: Engine, tree: dict[str, Any]) -> list[str]:
    if isinstance(engine, FunctionEngine):
        return function_lines(model)
    assert isinstance(engine, ModelEngine)
    system = engine.members.system
    if isinstance(model, str | PathLike):
        from ..model.files import read_file

        data = read_file(model).data
        tree["model"] = {key: value for key, value in data.items() if key != "study"}
    elif isinstance(model, System):
        tree["model"] = {key: value for key, value in model.to_tree().items() if key != "study"}
    try:
        text = yaml_text({key: value for key, value in system.to_tree().items() if key != "study"})
    except (InputError, ValueError):  # a function of time in Python
        text = system.sketch()
    own = [] if tree["model"] is not None else function_lines(model)
    laws = [f"law {key}{_source(made.function)}" for key, made in sorted(MADE.items()) if key in text]
    return [*text.splitlines(), *laws, *own]


def _source(given: Any) -> str:
    """Of a function, a short hash of its source."""
    if not callable(given) or hasattr(given, "terms"):
        return ""
    return f" {short(given)}"


def _json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, sort_keys=True)
