r"""fit: parameters whose motion comes nearest to measurements, with what is known about their errors.

.. math::  \min_p \tfrac12 \sum_i \rho\big(r_i(p)^2\big), \qquad r_i = (y(t_i; p) - d_i) / \sigma_i

by SciPy's trust-region least squares with exact Jacobians; :math:`\rho(z) = z` unless a robust loss is chosen. Where
no :math:`\sigma` is given, each channel's own is estimated from its residuals,
:math:`\sigma_c^2 = \sum r^2 / (n_c (1 - m/n))`, and with several channels the fit is repeated with these weights until
they stay.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ..errors import InputError, Problem
from ..methods.base import Method
from ..sensitivity.source import Build, Wanted
from ..sensitivity.words import understood
from ..simulation import save_times, seconds
from .assessment import fitted_of
from .data import Channel, channels_of
from .fitted import Fitted
from .loss import LOSSES, total
from .misfit import Misfit, sigma_of
from .runs import EnoughError, Point, Runs
from .variables import Variables, variables_of

ROUNDS = 10  # of weights
SAME_TIME = 1e-9  # of the end: an instant nearer than this to a measurement is that of the measurement
SAME = 0.01  # relative change of a weight that ends the rounds


def fit(
    build: Build,
    data: Any,
    wrt: Wanted,
    *,
    until: float | str | None = None,
    method: Method | str | None = None,
    save: Any = None,
    derivative: str | None = None,
    sigma: Any = None,
    loss: str = "linear",
    bounds: dict[str, Any] | None = None,
    tolerance: float = 1e-6,
    max_runs: int = 100,
    progress: bool = False,
    scheme: Method | str | None = None,
) -> Fitted:
    """Recover parameters from measurements.

    Args:
        build: function of the parameters that returns a System, or a model file, as for ``sensitivities``.
        data: {name: (times, values)}, an xarray Dataset, or a CSV file (data.py); names as in ``sol.names``.
        wrt: start value of each parameter, in SI or with a unit; or names only, to start from the model's own values.
        until: end of each run; the last measurement if omitted.
        method: how to integrate, as for ``simulate``.
        save: further instants to save, for the solution and the plot.
        derivative: "direct", "adjoint" or "differences"; None for the exact one.
        sigma: standard deviation of the noise, one number or by name; None if it is not known.
        loss: "linear", or one that gives outliers less weight: "soft_l1", "huber", "cauchy", "arctan".
        bounds: (low, high) by name; None on a side that is open.
        tolerance: relative change of misfit or parameters where the search ends.
        max_runs: runs with derivatives that may be spent.
        progress: print each run on stderr.
        scheme: earlier name of ``method``; ``method`` was the kind of derivative then, and is still understood so.
    """
    method, derivative = understood(method, derivative, scheme, None)
    variables, channels, given = _understand(build, data, wrt, bounds, sigma, loss)
    instants, end = _instants(channels, until, save)
    misfit = Misfit(channels, variables, instants)
    if misfit.count <= len(variables.names):
        raise InputError(
            Problem("data", f"{misfit.count} measurements are too few for {len(variables.names)} parameters and errors")
        )
    runs = Runs(
        build,
        variables,
        [one.name for one in channels],
        derivative=derivative,
        until=end,
        method=method,
        save=instants,
        max_runs=max_runs,
        on_run=(lambda point: _print_run(point, misfit)) if progress else None,
    )
    misfit.sigma = given or misfit.spread()
    misfit.begin(runs)
    ended, message, robust = True, "", loss != "linear"
    try:
        for _ in range(ROUNDS):
            ended, message, best = _search(misfit, loss, tolerance)
            if given is not None:
                break
            old, misfit.sigma = misfit.sigma, misfit.noise(best, robust=robust)
            ratios = [float(np.max(np.abs(new / was - 1.0))) for new, was in zip(misfit.sigma, old, strict=True)]
            if max(ratios) < SAME or (len(channels) == 1 and not robust):
                break
    except EnoughError:
        ended, message = False, f"stopped after {max_runs} runs, as many as max_runs allows"
    except KeyboardInterrupt:
        ended, message = False, f"interrupted after {len(runs.points)} runs"
    if not ended and given is None:
        misfit.sigma = misfit.noise(_lowest(misfit, loss), robust=robust)
    return fitted_of(misfit, _lowest(misfit, loss), loss=loss, known=given is not None, ended=ended, message=message)


def _understand(
    build: Build, data: Any, wrt: Wanted, bounds: Any, sigma: Any, loss: str
) -> tuple[Variables, list[Channel], list[np.ndarray] | None]:
    """Parameters, data and noise as given, or an InputError with all that is wrong."""
    problems: list[Problem] = []
    if loss not in LOSSES:
        problems.append(Problem("loss", f"there is no {loss!r}; choose from {', '.join(LOSSES)}"))
    channels: list[Channel] = []
    try:
        channels = channels_of(data)
        given = sigma_of(sigma, channels)
    except InputError as error:
        problems += error.problems
    try:
        variables = variables_of(build, wrt, bounds)
    except InputError as error:
        problems += error.problems
    if problems:
        raise InputError(problems)
    return variables, channels, given


def _instants(channels: list[Channel], until: Any, save: Any) -> tuple[np.ndarray, float]:
    """All instants to save, and the end."""
    times = np.unique(np.concatenate([one.times for one in channels]))
    end = float(times[-1]) if until is None else seconds("until", until)
    if end < times[-1]:
        raise InputError(Problem("until", f"the last measurement is at {times[-1]:g} s, after the end at {end:g} s"))
    if save is None:
        return times, end
    more = save_times(save, 0.0, end)
    nearest = np.abs(more[:, None] - times[np.clip(np.searchsorted(times, more)[:, None] + (-1, 0), 0, len(times) - 1)])
    return np.union1d(times, more[nearest.min(axis=1) > SAME_TIME * end]), end


def _search(misfit: Misfit, loss: str, tolerance: float) -> tuple[bool, str, Point]:
    """Run SciPy from the best point so far; whether it reports convergence, its sentence, and where."""
    from scipy.optimize import least_squares

    variables = misfit.variables
    begin = (_lowest(misfit, loss).p - variables.start) / variables.scale
    found = least_squares(
        misfit.residuals,
        begin,
        jac=misfit.jacobian,
        bounds=variables.box,
        method="trf",
        loss=loss,
        ftol=tolerance,
        xtol=tolerance,
        gtol=tolerance,
        max_nfev=10_000,
    )
    return bool(found.success), str(found.message).strip().rstrip("."), _lowest(misfit, loss)


def _lowest(misfit: Misfit, loss: str) -> Point:
    """The run with the smallest misfit under the present weights."""
    return min((one for one in misfit.runs.points if one.ok), key=lambda one: total(loss, misfit.weighted(one)))


def _print_run(point: Point, misfit: Misfit) -> None:
    line = f"failed: {point.problem}"
    if point.ok:
        values = ", ".join(f"{name} = {one:.6g}" for name, one in misfit.variables.named(point.p).items())
        line = f"{values}: misfit {float(np.sum(misfit.weighted(point) ** 2)):.6g}"
    print(f"run {point.number}: {line}", file=sys.stderr, flush=True)
