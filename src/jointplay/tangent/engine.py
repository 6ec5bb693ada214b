"""What sensitivities ask of this folder: direct, adjoint and complex-step derivatives of a run.

    direct(compiled, variations, scheme, times, columns, progress)          -> Answer
    complex_step(compiled, variations, scheme, times, columns, progress)    -> Answer
    adjoint(compiled, variations, scheme, times, columns, weigh, progress)  -> Gradient

A scheme takes part with an entry in ``SCHEMES``.
"""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import arrays
from ..arrays import Record, State
from ..codes import Code, Outcome
from ..compile.pack import Compiled
from ..compile.work import make_work
from ..errors import InputError, Problem
from ..methods.base import Method
from ..methods.index1 import Index1
from ..results.layout import layout_of
from .columns import make_column
from .flow import Tangents, make_solver, make_tangents
from .linear import make_linear
from .params import Params, make_params

Tell = Callable[[float, float, float], None] | None

BUDGET = 2000  # steps between two looks at Python


@dataclass
class Answer:
    """Derivatives of channels."""

    values: np.ndarray  # (nt, nc)
    derivatives: np.ndarray  # (np, nt, nc)
    invalid: list[tuple[float, str]] = field(default_factory=list)  # from when on, and why
    stats: dict[str, Any] = field(default_factory=dict)


@dataclass
class Gradient:
    """Derivatives of objectives."""

    values: np.ndarray  # (nt, nc)
    gradient: np.ndarray  # (objectives, np)
    invalid: list[tuple[float, str]] = field(default_factory=list)
    stats: dict[str, Any] = field(default_factory=dict)


def start_tangents(compiled: Compiled, variations: list[Any], tan: Tangents) -> None:
    """Tangents of the start from d y / d rho."""
    n = len(compiled.system.bodies)
    y = compiled.state.y
    for k, one in enumerate(variations):
        for b in range(n):
            p, dp = y[7 * b + 3 : 7 * b + 7], one.y[7 * b + 3 : 7 * b + 7]
            tan.eta[k, 6 * b : 6 * b + 3] = one.y[7 * b : 7 * b + 3]
            # eta = 2 vec(p* dp)
            tan.eta[k, 6 * b + 3 : 6 * b + 6] = 2.0 * (p[0] * dp[1:] - dp[0] * p[1:] - np.cross(p[1:], dp[1:]))
            tan.du[k, 6 * b : 6 * b + 6] = one.y[7 * n + 6 * b : 7 * n + 6 * b + 6]
        inner = int(compiled.model.info[0]["inner"])
        tan.dz[k] = one.y[13 * n : 13 * n + inner]


def ended(code: Code, compiled: Compiled, state: State, work: arrays.Work) -> str:
    """The sentence of an outcome, where a run stopped early."""
    row = int(work.tally[arrays.CULPRIT])
    names = compiled.row_names
    where = names[row] if 0 <= row < len(names) else ""
    return Outcome.of(code, float(state.clock[0]["t"]), detail=float(work.tally[arrays.DETAIL]), where=where).message


def direct_index1(
    compiled: Compiled, variations: list[Any], scheme: Method, times: np.ndarray, columns: np.ndarray, tell: Tell
) -> Answer:
    """Tangents beside the steps of Index1."""
    from .direct import run

    model, state = compiled.model, State(*(part.copy() for part in compiled.state))
    scheme.prepare(model)
    P: Params = make_params(model, variations)
    work = make_work(model, state, scheme.stages, implicit=True)
    cw = make_work(model, state, scalar=complex)
    lin, col, solver = make_linear(model), make_column(model), make_solver(model)
    old, tan = make_tangents(model, len(variations)), make_tangents(model, len(variations))
    start_tangents(compiled, variations, old)
    settings = scheme.settings(float(model.info[0]["length"]))
    channels = layout_of(compiled).channels
    record = Record(times, np.zeros((len(times), channels)), np.zeros(1, dtype=np.int64))
    out = np.zeros((len(variations), len(times), len(columns)))
    room, line = np.zeros((5, len(state.y)), dtype=complex), np.zeros(channels, dtype=complex)
    wanted = np.asarray(columns, dtype=np.int64)
    began, code = clock.perf_counter(), Code.CONTINUE
    while record.next[0] < len(times) and code is Code.CONTINUE:
        settings[0]["budget"] = BUDGET
        code = Code(
            run(model, state, work, record, settings, P, cw, lin, col, solver, old, tan, room, line, wanted, out)
        )
        if tell is not None:
            tell(float(state.clock[0]["t"]), float(times[-1]), clock.perf_counter() - began)
    done = int(record.next[0])
    invalid = [] if code is Code.CONTINUE else [(float(state.clock[0]["t"]), ended(code, compiled, state, work))]
    stats = {"steps": int(work.tally[arrays.STEPS]) + 1, "run_time": clock.perf_counter() - began}
    return Answer(record.channels[:done][:, wanted], out[:, :done], invalid, stats)


DIRECT: dict[type[Method], Callable[..., Answer]] = {Index1: direct_index1}


def _scheme(table: dict[type[Method], Any], scheme: Method, what: str) -> Any:
    if type(scheme) not in table:
        able = ", ".join(one.__name__ for one in table)
        raise InputError(
            Problem(
                "scheme", f"'{what}' derivatives are not available for {type(scheme).__name__}; take one of: {able}"
            )
        )
    return table[type(scheme)]


def direct(
    compiled: Compiled,
    variations: list[Any],
    scheme: Method,
    times: np.ndarray,
    columns: np.ndarray,
    progress: Tell = None,
) -> Answer:
    """Tangent linear equations, one factorisation for all parameters."""
    return _scheme(DIRECT, scheme, "direct")(compiled, variations, scheme, times, columns, progress)
