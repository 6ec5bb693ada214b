"""The exact methods: their arguments and results.

``sensitivity/exact.py`` holds the kernels behind

    direct(compiled, variations, scheme, times, columns, progress)           -> Answer
    complex_step(compiled, variations, scheme, times, columns, progress)     -> Answer
    adjoint(compiled, variations, scheme, times, columns, weigh, progress)   -> Gradient

``columns`` are places in the flat line of channels (results/layout.py); ``weigh(values)`` gives the weights
(objectives, nt, nc) once the forward run is done. It is imported when a method needs it.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, Protocol

import numpy as np

from ..compile.pack import Compiled
from ..errors import InputError, Problem
from ..methods.base import Method
from ..progress import Bar, Lines
from .raw_result import Found
from .targets import Targets
from .variation import Variation

Report = Callable[[float, float, float], None] | Bar | Lines | None

ENGINES = {"direct": "direct", "adjoint": "adjoint", "complex-step": "complex_step"}


class Answer(Protocol):
    """Derivatives of channels."""

    values: np.ndarray  # (nt, nc)
    derivatives: np.ndarray  # (np, nt, nc)
    invalid: list[tuple[float, str]]  # from when on, and why
    stats: dict[str, Any]


class Gradient(Protocol):
    """Derivatives of objectives."""

    values: np.ndarray  # (nt, nc)
    gradient: np.ndarray  # (objectives, np)
    invalid: list[tuple[float, str]]
    stats: dict[str, Any]


def load(kind: str) -> Callable[..., Any]:
    """The engine of a kind of derivative; InputError where this installation has none."""
    try:
        module = import_module("jointplay.sensitivity.exact")
        return getattr(module, ENGINES[kind])
    except (ModuleNotFoundError, AttributeError):
        message = f"'{kind}' is not available here; 'differences' is"
        raise InputError(Problem("derivative", message)) from None


def differentiate(
    kind: str,
    compiled: Compiled,
    variations: list[Variation],
    method: Method,
    times: np.ndarray,
    targets: Targets,
    progress: Report = None,
) -> Found:
    """Derivatives of all targets by an engine."""
    run = load(kind)
    names = [one.name for one in variations]
    if kind == "adjoint":
        _refuse_histories(targets)

        def weigh(values: np.ndarray) -> np.ndarray:
            return targets.weights(times[: len(values)], values)

        gradient: Gradient = run(compiled, variations, method, times, targets.columns, weigh, progress)
        time = times[: len(gradient.values)]
        derivatives: dict[str, dict[str, Any]] = {
            target.key: dict(zip(names, map(float, line), strict=True))
            for target, line in zip(targets.objectives, gradient.gradient + targets.beyond(len(names)), strict=True)
        }
        found = Found(targets.shown(time), targets.values(time, gradient.values), derivatives)
        found.invalid, found.stats = list(gradient.invalid), dict(gradient.stats)
    else:
        answer: Answer = run(compiled, variations, method, times, targets.columns, progress)
        time = times[: len(answer.values)]
        changes = targets.changes(time, answer.values, answer.derivatives)
        derivatives = {
            target.key: {name: change[target.key] for name, change in zip(names, changes, strict=True)}
            for target in targets.targets
        }
        found = Found(targets.shown(time), targets.values(time, answer.values), derivatives)
        found.invalid, found.stats = list(answer.invalid), dict(answer.stats)
    found.notes += targets.notes
    return found


def _refuse_histories(targets: Targets) -> None:
    """An adjoint sweep goes back from one number; a history has one for each instant."""
    problems = [
        Problem(f"of: {one.key}", f"'adjoint' takes objectives: Final('{one.key}'), Integral or Peak; or take 'direct'")
        for one in targets.targets
        if not one.is_objective
    ]
    if problems:
        raise InputError(problems)
