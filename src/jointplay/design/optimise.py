r"""optimise: parameters that make an objective as small as limits and bounds allow.

.. math::  \min_p \psi(p) \quad\text{with}\quad c_i(p) \ge 0, \quad p_\text{low} \le p \le p_\text{high}.

The search is SciPy's; values and gradients of the objective and of all limits come from one run per point. Variables,
objective and limits are scaled to order one (variables.py, problem.py). A run that fails counts as a high place: the
search takes a shorter step. What is returned is the best point that keeps the limits, with the residual of the
first-order condition

.. math::  \nabla \psi = \sum_i \lambda_i \nabla c_i + \text{(bounds)}, \qquad \lambda_i \ge 0,

over the active limits as a check that does not depend on the search.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import InputError, Problem
from ..methods.base import Method
from ..sensitivity.source import Build, Wanted
from ..sensitivity.words import understood
from .judge import optimum_of
from .limits import Limit
from .optimum import Optimum
from .problem import DesignProblem
from .runs import EnoughError, Point, Runs
from .variables import variables_of

SOLVERS = ("SLSQP", "trust-constr", "L-BFGS-B")


def optimise(
    build: Build,
    objective: Any,
    wrt: Wanted,
    bounds: dict[str, Any] | None = None,
    constraints: Sequence[Limit] | Limit | None = None,
    *,
    until: float | str | None = None,
    method: Method | str | None = None,
    save: Any = None,
    derivative: str | None = None,
    solver: str = "SLSQP",
    tolerance: float = 1e-8,
    max_runs: int = 200,
    progress: bool = False,
    over: Any = None,
    measure: str = "mean+3sigma",
    scenarios: int = 16,
    scheme: Method | str | None = None,
) -> Optimum:
    """Search parameters with the smallest objective.

    Args:
        build: function of the parameters that returns a System, or a model file, as for ``sensitivities``.
        objective: ``Final``, ``Integral``, ``Peak``, ``Cost``, or a sum of them; put -1 before what shall be large.
        wrt: start value of each parameter, in SI or with a unit; or names only, to start from the model's own values.
        bounds: (low, high) by name; None on a side that is open.
        constraints: limits to keep, ``AtMost(objective, value)``, ``AtLeast(objective, value)``.
        until: end of each run; that of the model file unless given.
        method: how to integrate, as for ``simulate``.
        save: instants to save; peaks and integrals are taken over them.
        derivative: "direct", "adjoint" or "differences"; None for the exact one that suits the number of parameters.
        solver: "SLSQP", "trust-constr", or "L-BFGS-B" (no constraints).
        tolerance: on the scaled objective, where the search ends.
        max_runs: runs with derivatives that may be spent.
        progress: print each run on stderr.
        over: what varies from machine to machine, as ``vary`` of ``study``; objective and limits are then measures
            over fixed scenarios of it. An input that is in ``wrt`` too varies about the value of the search.
        measure: "mean", "mean+3sigma" or "quantile 0.95", with ``over``.
        scenarios: machines that each point is judged on, with ``over``.
        scheme: earlier name of ``method``; ``method`` was the kind of derivative then, and is still understood so.
    """
    method, derivative = understood(method, derivative, scheme, None)
    limits = [constraints] if isinstance(constraints, Limit) else list(constraints or ())
    _refuse(objective, limits, solver, tolerance)
    variables = variables_of(build, wrt, bounds)
    problem = DesignProblem(objective, limits, variables)
    runs = Runs(
        build,
        variables,
        problem.of,
        derivative=derivative,
        until=until,
        method=method,
        save=save,
        max_runs=max_runs,
        on_run=(lambda point: _print_run(point, problem)) if progress else None,
    )
    if over is not None:
        from ..studies.robust import RobustRuns

        runs = RobustRuns(runs, over, measure, scenarios, limits, objective)
    problem.begin(runs)
    try:
        ended, message = _search(problem, solver, tolerance)
    except EnoughError:
        ended, message = False, f"stopped after {max_runs} runs, as many as max_runs allows"
    except KeyboardInterrupt:
        ended, message = False, f"interrupted after {len(runs.points)} runs"
    return optimum_of(problem, ended, message, tolerance)


def _refuse(objective: Any, limits: Sequence[Any], solver: str, tolerance: float) -> None:
    """All mistakes that can be seen before the first run."""
    problems = []
    if isinstance(objective, str):
        problems.append(Problem("objective", f"needs one number, such as Final({objective!r}) or Peak({objective!r})"))
    for k, limit in enumerate(limits):
        if not isinstance(limit, Limit):
            problems.append(Problem(f"constraints[{k}]", f"needs AtMost(...) or AtLeast(...), not {limit!r}"))
        elif isinstance(limit.objective, str):
            problems.append(Problem(f"constraints[{k}]", f"needs one number, such as Peak({limit.objective!r})"))
    if solver not in SOLVERS:
        problems.append(Problem("solver", f"there is no {solver!r} here; choose from {', '.join(SOLVERS)}"))
    elif solver == "L-BFGS-B" and limits:
        problems.append(Problem("solver", "L-BFGS-B takes no constraints; SLSQP and trust-constr do"))
    if not (isinstance(tolerance, float | int) and 0.0 < tolerance < 1.0):
        problems.append(Problem("tolerance", f"needs a number between 0 and 1, got {tolerance!r}"))
    if problems:
        raise InputError(problems)


def _search(problem: DesignProblem, solver: str, tolerance: float) -> tuple[bool, str]:
    """Run SciPy; whether it reports convergence, and its sentence."""
    from scipy.optimize import BFGS, Bounds, NonlinearConstraint, minimize

    options: dict[str, Any] = {"maxiter": 10_000}
    rules: Any = ()
    if problem.limits and solver == "trust-constr":
        rules = NonlinearConstraint(problem.margins, 0.0, np.inf, jac=problem.margin_slopes, hess=BFGS())
    elif problem.limits:
        rules = {"type": "ineq", "fun": problem.margins, "jac": problem.margin_slopes}
    if solver == "SLSQP":
        options["ftol"] = tolerance
    elif solver == "L-BFGS-B":
        options |= {"ftol": tolerance, "gtol": tolerance}
    else:
        options |= {"gtol": 0.0, "xtol": tolerance, "barrier_tol": tolerance}
    found = minimize(
        problem.value,
        np.zeros(len(problem.variables.names)),
        jac=problem.slope,
        method=solver,
        bounds=Bounds(*problem.variables.box),
        constraints=rules,
        options=options,
    )
    message = found.message.decode() if isinstance(found.message, bytes) else str(found.message)
    return bool(found.success), message.strip().rstrip(".")


def _print_run(point: Point, problem: DesignProblem) -> None:
    line = problem.describe(point) if point.ok else f"failed: {point.problem}"
    print(f"run {point.number}: {line}", file=sys.stderr, flush=True)
