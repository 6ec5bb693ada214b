"""Does a result converge, and how fast: errors of runs against a reference, and the order they show.

e(h) = max or rms over the saved instants of |x_h - x_ref|,      e ~ C h^p,      p the slope in logarithms
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import InputError, Problem
from ..results.solution import Solution

NORMS = ("max", "rms", "end")


@dataclass(frozen=True)
class Order:
    """Power law e = C h^p through errors."""

    slope: float  # p
    constant: float  # C
    used: np.ndarray  # places of the runs it rests on

    def at(self, step: np.ndarray) -> np.ndarray:
        """e at a step."""
        return np.asarray(self.constant * step**self.slope)


def step_of(solution: Solution) -> float:
    """Step of a run (s): that of its method if fixed, else the mean one."""
    given = dict(_options(str(solution.meta.get("method", ""))))
    step = given.get("step")
    if isinstance(step, (int, float)) and step > 0.0:
        return float(step)
    steps = solution.stats.get("steps", 0)
    if not steps or not len(solution.time):
        raise InputError(Problem("solution", "does not contain its number of steps"))
    return float(solution.time[-1] - solution.time[0]) / float(steps)


def _options(text: str) -> list[tuple[str, object]]:
    """Options of a method from how it writes itself: ``Moreau(step=1e-05)``."""
    try:
        call = ast.parse(text, mode="eval").body
        return [(k.arg or "", ast.literal_eval(k.value)) for k in call.keywords] if isinstance(call, ast.Call) else []
    except (SyntaxError, ValueError):
        return []


def errors(runs: Sequence[Solution], name: str, reference: Solution, norm: str = "max") -> np.ndarray:
    """Error of ``name`` in each run against the reference, at the saved instants of the run."""
    if norm not in NORMS:
        raise InputError(Problem("norm", f"there is no norm '{norm}'; known: {', '.join(NORMS)}"))
    truth, found = reference[name].reshape(len(reference.time), -1), []
    for run in runs:
        mine = run[name].reshape(len(run.time), -1)
        inside = run.time <= reference.time[-1] * (1.0 + 1e-12)
        if not inside.any() or mine.shape[1] != truth.shape[1]:
            raise InputError(Problem(name, "has no saved states that can be compared with the reference"))
        wanted = np.column_stack([np.interp(run.time[inside], reference.time, x) for x in truth.T])
        size = np.linalg.norm(mine[inside] - wanted, axis=1)
        found.append({"max": np.max(size), "rms": np.sqrt(np.mean(size**2)), "end": size[-1]}[norm])
    return np.array(found)


def order(steps: np.ndarray, found: np.ndarray) -> Order | None:
    """The power law through errors that still shrink with the step; None if there are fewer than two.

    From the longest step on, runs count while the local slope stays above half of the largest one so far: below that
    lies the floor of rounding or of the reference, where the order cannot be seen.
    """
    steps, found = np.asarray(steps, float), np.asarray(found, float)
    good = np.flatnonzero((steps > 0.0) & (found > 0.0) & np.isfinite(found))
    by_size = good[np.argsort(-steps[good])]
    used, steepest = list(by_size[:1]), 0.0
    for before, now in zip(by_size, by_size[1:], strict=False):
        ratio = steps[before] / steps[now]
        local = np.log(found[before] / found[now]) / np.log(ratio) if ratio > 1.0 else 0.0
        if local <= 0.5 * steepest:
            break
        steepest = max(steepest, local)
        used.append(now)
    if len(used) < 2:
        return None
    slope, level = np.polyfit(np.log(steps[used]), np.log(found[used]), 1)
    return Order(float(slope), float(np.exp(level)), np.array(sorted(used)))
