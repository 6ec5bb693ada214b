"""From the end of a search to what is reported about it: the best point, what holds it, a sentence."""

from __future__ import annotations

import numpy as np

from .optimum import Optimum
from .problem import DesignProblem
from .runs import Point

ACTIVE = 1e-4  # scaled margin below which a limit counts as active
BROKEN = 1e-6  # scaled margin beyond which it counts as broken, unless the tolerance is looser
STATIONARY = 1e-4  # residual of the first-order condition that counts as an optimum whatever the search reports
DOUBTFUL = 1e-2  # and that does not count as one whatever the search reports


def optimum_of(problem: DesignProblem, ended: bool, message: str, tolerance: float) -> Optimum:
    """Choose the best point of a finished search and judge it."""
    runs, variables = problem.runs, problem.variables
    good = [point for point in runs.points if point.ok]
    allowed = max(BROKEN, 10.0 * tolerance)
    # the lowest among those that keep the limits; if none does, the one that breaks them least
    best = min(
        good,
        key=lambda one: (max(problem.violation(one), allowed), problem.psi(problem.objective, one)[0]),
    )
    value, gradient = problem.psi(problem.objective, best)
    active, multipliers, residual = _first_order(problem, best)
    feasible = problem.violation(best) <= allowed
    ok = feasible and (residual <= STATIONARY or (ended and residual <= DOUBTFUL))
    return Optimum(
        ok=ok,
        outcome=_sentence(problem, best, ended, message, feasible, residual),
        parameters=variables.named(best.p),
        value=value,
        gradient=variables.named(gradient),
        constraints=dict(zip(map(str, problem.limits), problem.kept(best), strict=True)),
        active=active,
        multipliers=multipliers,
        optimality=residual,
        history=_table(problem),
        derivative=runs.derivative,
        notes=_notes(problem, best),
        _problem=problem,
        _best=best,
    )


def _first_order(problem: DesignProblem, best: Point) -> tuple[list[str], dict[str, float], float]:
    """What is active, multipliers by least squares over non-negative numbers, and what they leave of the gradient."""
    from scipy.optimize import nnls

    variables = problem.variables
    gradient = problem.psi(problem.objective, best)[1] * variables.scale / problem.size
    at_bound = variables.at_bound(best.p)
    margins = problem._margins(best) if problem.limits else np.zeros(0)
    held = [k for k, margin in enumerate(margins) if margin <= ACTIVE]
    inward = [
        (1.0 if side == "lower" else -1.0) * _unit(variables.names.index(n), len(gradient))
        for n, side in at_bound.items()
    ]
    normals = np.array([*problem.slopes_of_margins(best)[held], *inward]).reshape(-1, len(gradient))
    weights, left = nnls(normals.T, gradient) if len(normals) else (np.zeros(0), float(np.linalg.norm(gradient)))
    names = [str(problem.limits[k]) for k in held]
    per_unit = {
        name: float(w * problem.size / problem.sizes[k]) for name, w, k in zip(names, weights, held, strict=False)
    }
    active = [*(f"{name}: {side} bound" for name, side in at_bound.items()), *names]
    return active, per_unit, float(left)


def _unit(k: int, n: int) -> np.ndarray:
    return np.eye(n)[k]


def _sentence(problem: DesignProblem, best: Point, ended: bool, message: str, feasible: bool, residual: float) -> str:
    count = f"{len(problem.runs.points)} runs"
    if not feasible:
        worst = int(np.argmin(problem._margins(best)))
        short = f"{problem.limits[worst]}, which is {problem.kept(best)[worst]:.6g} there"
        return f"no point was found that keeps all limits, after {count}; the best breaks: {short} ({message})"
    if ended and residual <= DOUBTFUL:
        return f"found after {count}"
    if ended:
        return f"the search ended after {count}, but not at an optimum (residual {residual:.2g}): {message}"
    if residual <= STATIONARY:
        return f"found after {count}; the search could not improve it further ({message})"
    return f"not finished after {count}: {message}. The best point so far is given"


def _notes(problem: DesignProblem, best: Point) -> list[str]:
    notes = list(problem.runs.notes)
    failed = [point for point in problem.runs.points if not point.ok]
    if failed:
        runs = "run" if len(failed) == 1 else "runs"
        notes.append(f"{len(failed)} {runs} failed and were stepped back from; the first: {failed[0].problem}")
    return [*notes, *best.remarks]


def _table(problem: DesignProblem) -> np.ndarray:
    """One line per run: number, parameters, objective, limited quantities, outcome."""
    names = [*problem.variables.names, "value", *map(str, problem.limits)]
    kinds = [("run", int), *((name, float) for name in dict.fromkeys(names)), ("ok", bool), ("message", object)]
    lines = np.zeros(len(problem.runs.points), dtype=kinds)
    for line, point in zip(lines, problem.runs.points, strict=True):
        nothing = [np.nan] * (1 + len(problem.limits))
        values = [problem.psi(problem.objective, point)[0], *problem.kept(point)] if point.ok else nothing
        for name, one in zip(names, [*point.p, *values], strict=True):
            line[name] = one
        line["run"], line["ok"], line["message"] = point.number, point.ok, point.problem
    return lines
