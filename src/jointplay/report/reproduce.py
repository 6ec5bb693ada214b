"""What is needed to compute the same again: settings, versions, hashes, and a model file with all of it inside."""

from __future__ import annotations

import ast
import hashlib
from base64 import b64encode
from typing import Any

import numpy as np

from ..errors import InputError
from ..methods.registry import METHODS
from ..model.system import System
from ..model.yamlwriter import yaml_text
from ..results.solution import Solution
from ..simulation import save_times
from .markup import Markup, folded, join, note, pairs, section, tag
from .numbers import number, quantity

BLOCK = 1 << 20
UNEVEN = "at instants of their own"


def method_tree(text: str) -> dict[str, Any] | None:
    """``Moreau(step=1e-05)`` as in a model file; None if it cannot be read."""
    try:
        call = ast.parse(text, mode="eval").body
        assert isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and not call.args
        options = {str(one.arg): ast.literal_eval(one.value) for one in call.keywords}
        key = next(key for key, method in METHODS.items() if method.__name__ == call.func.id)
    except (SyntaxError, ValueError, AssertionError, StopIteration):
        return None
    return {key: {name: value for name, value in options.items() if value is not None}}


def save_interval(solution: Solution) -> float | None:
    """The interval that gives the saved instants, bit by bit; zero for the usual 1,000 intervals, None if none does."""
    time, until = solution.time, float(solution.meta.get("until", 0.0))
    if len(time) < 2 or time[0] != 0.0:
        return None
    if "ends" in solution.meta and solution.outcome.ok:  # the last one is where the run ended
        time = time[:-1]
    step = float(time[1]) if len(time) > 1 else until
    for interval in (None, step, *(float(f"{step:.{digits}g}") for digits in (12, 9, 6, 3))):
        try:
            wanted = save_times(interval, 0.0, until)
        except InputError:
            continue
        if len(wanted) >= len(time) and np.array_equal(wanted[: len(time)], time):
            return interval or 0.0
    return None


def complete_model(solution: Solution, system: System | None) -> str | None:
    """The model with a ``run`` section that repeats this run; None where a file cannot hold it."""
    method, interval = method_tree(str(solution.meta.get("method", ""))), save_interval(solution)
    if system is None or method is None or interval is None:
        return None
    run: dict[str, Any] = {"until": float(solution.meta["until"]), "method": method}
    if "ends" in solution.meta:
        run |= {"until": str(solution.meta["ends"]), "at_most": run["until"]}
    if solution.meta.get("record"):
        run["record"] = dict(solution.meta["record"])
    return yaml_text(system.to_tree() | {"run": run | ({"save": interval} if interval else {})})


def hashes(solution: Solution) -> dict[str, str]:
    """SHA-256 of the model text, of the saved numbers, and of the result file if there is one."""
    numbers = hashlib.sha256(np.ascontiguousarray(solution.time).tobytes())
    for variable in solution.layout.variables:
        numbers.update(np.ascontiguousarray(solution._data[variable.name]).tobytes())
    found = {
        "model": hashlib.sha256(str(solution.meta.get("model", "")).encode()).hexdigest(),
        "numbers": numbers.hexdigest(),
    }
    if solution.path is not None and solution.path.is_file():
        whole = hashlib.sha256()
        with solution.path.open("rb") as file:
            while block := file.read(BLOCK):
                whole.update(block)
        found["file"] = whole.hexdigest()
    return found


def settings_section(solution: Solution) -> Markup:
    """How it was computed, and what that cost."""
    time, stats, interval = solution.time, solution.stats, save_interval(solution)
    facts: list[tuple[str, Any]] = [
        ("method", tag("code", solution.meta.get("method", "unknown"))),
        ("until", quantity(float(solution.meta.get("until", solution.outcome.time)), "s")),
        ("saved", _saved(time, interval)),
    ]
    if "steps" in stats:
        facts.append(("steps", f"{stats['steps']} accepted, {stats['rejections']} rejected"))
    if "run_time" in stats:
        facts.append(("time to compute", quantity(stats["run_time"], "s", 3)))
    for name, word in (("position", "joints closed to"), ("velocity", "their rates to")):
        if f"worst_{name}_residual" in stats:
            unit = " (m or rad)" if name == "position" else " (m/s or rad/s)"
            facts.append((word, Markup(number(stats[f"worst_{name}_residual"], 2) + unit)))
    return section("settings", "Settings", pairs(facts), _notes(solution))


def _saved(time: np.ndarray, interval: float | None) -> Markup | str:
    if interval is None or len(time) < 2:
        return f"{len(time)} states" + (f" {UNEVEN}" if len(time) > 1 else "")
    return Markup(f"{len(time)} states, every {quantity(interval or float(time[1] - time[0]), 's')}")


def _notes(solution: Solution) -> Markup:
    """Notes of the assembly and of the choice of the method."""
    notes = [str(one) for one in solution.meta.get("notes", [])]
    return tag("ul", join(tag("li", one) for one in notes), class_="notes") if notes else Markup("")


def reproduce_section(solution: Solution, system: System | None) -> Markup:
    """Versions, hashes, the command, and the model file."""
    versions = ", ".join(f"{name} {number}" for name, number in solution.meta.get("versions", {}).items())
    words = {"model": "of the model text", "numbers": "of the saved numbers", "file": "of the result file"}
    facts: list[tuple[str, Any]] = [("versions", versions or "unknown")]
    if solution.path is not None:
        facts.append(("result file", solution.path.name))
    facts += [(f"SHA-256 {words[key]}", tag("code", value, class_="hash")) for key, value in hashes(solution).items()]
    return section("reproduce", "Reproduce", pairs(facts), *_recipe(solution, system))


def _recipe(solution: Solution, system: System | None) -> list[Markup]:
    text, whole = str(solution.meta.get("model", "")), complete_model(solution, system)
    if whole is None:
        why = "This run cannot be repeated from a file alone: "
        if system is None:
            why += "the model holds a Python function that no file can hold."
        else:
            why += "it saved instants of its own, or went on from an earlier one."
        return [note(why), folded("Model file", tag("pre", text))]
    link = f"data:text/yaml;base64,{b64encode(whole.encode()).decode()}"
    save = tag("a", "model.yaml", href=link, download="model.yaml")
    first = tag("p", Markup(f"Save {save}, which holds the model and the settings of this run, and compute it again:"))
    commands = "jointplay run model.yaml -o again.nc\njointplay report again.nc -o again.html"
    after = note(
        "The hash of the saved numbers is then the same, on the same kind of machine with the same versions. That of "
        "the file is not: it also holds how long the run took."
    )
    return [first, tag("pre", commands), after, folded("Model file", tag("pre", whole))]
