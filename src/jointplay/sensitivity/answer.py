"""What the exact methods answer with, and what their engines share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import arrays
from ..arrays import State
from ..codes import Code, Outcome
from ..compile.pack import Compiled
from ..tangent.tangent_state import Tangents

Tell = Callable[[float, float, float], None] | None

BUDGET = 2000  # steps between two looks at Python
SINGULAR = 4
# meaning of the kernels' numbers (tangent/landing.py)
FAULTS = {
    1: "a wall is only grazed here: the instant of contact has no derivative",
    2: "contacts strike at the same instant, and the parameters would change their order",
    3: "contacts too many or too entangled to be resolved singly were closed in one step",
    4: "the linearised equations are singular here",
    5: "the step is too long here: the correction that closes joints and gaps at its end is too large to be followed",
    6: "a brake breaks loose here, and its force drops from 'static' to 'mu': how the instant moves is not followed",
    8: "an impact would make energy here, and its rebound was lessened: how far depends on the parameters",
    9: "forces are requested while a compliant contact remembers its onset beside a joint that rubs under its reaction",
    7: "friction turns back here without a rest: how the instant at which it changes sides moves is not followed",
}


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


def copied(state: State) -> State:
    """A copy."""
    return State(*(part.copy() for part in state))


def faults_of(fault: np.ndarray, code: Code, compiled: Compiled, state: State, work: arrays.Work) -> list[Any]:
    """From when on derivatives are not valid, and why: what the kernel has reported, and how the run has ended."""
    found = [(float(fault[0]), FAULTS[int(fault[1])])] if fault[1] else []
    if code is not Code.CONTINUE:
        found.append((float(state.clock[0]["t"]), ended(code, compiled, state, work)))
    return found
