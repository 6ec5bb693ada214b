"""The exact methods: direct, adjoint and complex-step derivatives of a run, by the kernels of ``tangent``.

    direct(compiled, variations, scheme, times, columns, progress)          -> Answer
    complex_step(compiled, variations, scheme, times, columns, progress)    -> Answer
    adjoint(compiled, variations, scheme, times, columns, weigh, progress)  -> Gradient

A scheme takes part with an entry in ``ENGINES``: the module that has a function of that name for it.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from ..arrays import ENERGY_CHANNELS, SOLVER_CHANNELS
from ..compile.pack import Compiled
from ..errors import InputError, Problem
from ..methods.base import Method
from ..methods.index1 import Index1
from ..methods.moreau import Moreau
from ..methods.optimal_step import OptimalStep
from ..results.layout import layout_of
from .answer import Answer, Gradient, Tell

ENGINES: dict[str, dict[type[Method], str]] = {
    "direct": {Index1: "index1", Moreau: "through_contacts", OptimalStep: "through_contacts"},
    "complex_step": {Index1: "index1"},
    "adjoint": {Index1: "index1", Moreau: "through_contacts", OptimalStep: "through_contacts"},
}


def _engine(name: str, scheme: Method) -> Callable[..., Any]:
    """The function that does it along this scheme; kernels are imported only now."""
    table, what = ENGINES[name], name.replace("_", "-")
    if type(scheme) not in table:
        able = ", ".join(one.__name__ for one in table)
        message = f"'{what}' derivatives are not available for {type(scheme).__name__}; take one of: {able}"
        raise InputError(Problem("scheme", message))
    if getattr(scheme, "reference", False):
        message = f"'{what}' derivatives are those of OptimalStep without reference=True, which takes the same steps"
        raise InputError(Problem("scheme", message))
    run: Callable[..., Any] = getattr(import_module(f".{table[type(scheme)]}", __package__), name)
    return run


def _refuse(compiled: Compiled, columns: np.ndarray) -> None:
    """InputError where an exact method would leave something out."""
    layout, problems = layout_of(compiled), []
    wanted = set(np.asarray(columns).tolist())
    for variable in layout.variables:
        if variable.name in ("normal_impulse", "onset_speed"):
            for public, own in zip(variable.publics, variable.columns, strict=True):
                if wanted & set(own):
                    problems.append(
                        Problem("of", f"{public} is a sum over the past, of which there are no exact derivatives")
                    )
    if problems:
        raise InputError(list(dict.fromkeys(problems)))


def _balance(compiled: Compiled, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Channels to follow and the matrix from them to the wanted ones: work integrals follow from the energy balance.

    Without loads and drives dissipated = start - kinetic - gravity - elastic; the column behind the last is the start.
    """
    wanted = np.asarray(columns, dtype=np.int64)
    first = layout_of(compiled).channels - SOLVER_CHANNELS - ENERGY_CHANNELS
    stored, input_, dissipated, error = range(first, first + 3), first + 3, first + 4, first + 5
    works = len(compiled.model.load) + len(compiled.model.driven)
    if works and set(wanted.tolist()) & {input_, dissipated, error}:
        message = (
            "no exact derivatives of work integrals where loads or drives do work; take method='finite-difference'"
        )
        raise InputError(Problem("of", message))
    kept = [c for c in wanted.tolist() if c not in (input_, dissipated, error)]
    follow = np.array(list(dict.fromkeys([*kept, *(stored if dissipated in wanted else ())])), dtype=np.int64)
    matrix = np.zeros((len(wanted), len(follow) + 1))
    for row, column in enumerate(wanted.tolist()):
        if column == dissipated:
            matrix[row, [follow.tolist().index(c) for c in stored]] = -1.0
            matrix[row, -1] = 1.0
        elif column in follow:
            matrix[row, follow.tolist().index(column)] = 1.0
    return follow, matrix


def _history(run: Callable[..., Answer], *given: Any) -> Answer:
    """Run an engine on what it can follow, and make the wanted channels of it."""
    compiled, variations, scheme, times, columns, progress = given
    _refuse(compiled, columns)
    follow, matrix = _balance(compiled, columns)
    answer = run(compiled, variations, scheme, times, follow, progress)
    start = np.array([one.energy0 for one in variations])[:, None, None]
    slopes = np.concatenate([answer.derivatives, np.broadcast_to(start, (*answer.derivatives.shape[:2], 1))], axis=2)
    answer.derivatives = slopes @ matrix.T
    energy = np.full((len(answer.values), 1), float(compiled.state.clock[0]["energy0"]))
    answer.values = np.concatenate([answer.values, energy], axis=1) @ matrix.T
    return answer


def direct(
    compiled: Compiled,
    variations: list[Any],
    scheme: Method,
    times: np.ndarray,
    columns: np.ndarray,
    progress: Tell = None,
) -> Answer:
    """Tangent linear equations, one factorisation for all parameters."""
    run = _engine("direct", scheme)
    return _history(run, compiled, variations, scheme, times, columns, progress)


def complex_step(
    compiled: Compiled,
    variations: list[Any],
    scheme: Method,
    times: np.ndarray,
    columns: np.ndarray,
    progress: Tell = None,
) -> Answer:
    """The same kernels on complex numbers, one run per parameter."""
    run = _engine("complex_step", scheme)
    return _history(run, compiled, variations, scheme, times, columns, progress)


def adjoint(
    compiled: Compiled,
    variations: list[Any],
    scheme: Method,
    times: np.ndarray,
    columns: np.ndarray,
    weigh: Callable[[np.ndarray], np.ndarray],
    progress: Tell = None,
) -> Gradient:
    """Gradients of objectives at a cost that hardly depends on the number of parameters."""
    run = _engine("adjoint", scheme)
    _refuse(compiled, columns)
    follow, matrix = _balance(compiled, columns)
    energy0 = float(compiled.state.clock[0]["energy0"])
    weights: list[np.ndarray] = []

    def values_of(values: np.ndarray) -> np.ndarray:
        return np.concatenate([values, np.full((len(values), 1), energy0)], axis=1) @ matrix.T

    def inner(values: np.ndarray) -> np.ndarray:
        weights.append(weigh(values_of(values)))
        return weights[0] @ matrix[:, :-1]

    gradient = run(compiled, variations, scheme, times, follow, inner, progress)
    constant = (weights[0] @ matrix[:, -1]).sum(axis=1)
    gradient.gradient = gradient.gradient + constant[:, None] * np.array([one.energy0 for one in variations])
    gradient.values = values_of(gradient.values)
    return gradient
