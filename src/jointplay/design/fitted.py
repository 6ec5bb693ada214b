"""Fitted: what ``fit`` gives back. Parameters, how well they are known, and what is left of the data."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..errors import InputError, Problem
from ..results.solution import Solution
from .identify import correlation_of
from .misfit import Misfit
from .runs import Point
from .words import columns, number

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class Fitted:
    """Parameters recovered from data.

    ``covariance`` and ``correlation`` have one line per parameter, in the order of ``parameters``. An error is infinite
    where the data do not determine a parameter, and NaN where it lies on a bound. ``residuals`` are data less model, in
    the unit of the data. ``sigma`` is the noise as given, or as estimated from the residuals; ``reduced_chi2`` is then
    1 by construction and carries no information.
    """

    ok: bool
    outcome: str
    parameters: dict[str, float]
    errors: dict[str, float]
    covariance: np.ndarray
    freedom: int  # measurements less parameters
    condition: float  # of the scaled Jacobian
    residuals: dict[str, np.ndarray]
    sigma: dict[str, np.ndarray]
    sigma_known: bool
    reduced_chi2: float
    history: np.ndarray  # one line per run
    derivative: str
    loss: str
    warnings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    _misfit: Misfit | None = None
    _best: Point | None = None

    @property
    def correlation(self) -> np.ndarray:
        """Correlation of the errors of the parameters."""
        return correlation_of(self.covariance)

    def intervals(self, level: float = 0.95) -> dict[str, tuple[float, float]]:
        """Confidence intervals by name: estimate plus and minus a quantile times the standard error.

        The quantile is Student's for the degrees of freedom; the normal one where sigma was given, because nothing is
        estimated then.
        """
        from scipy.stats import norm, t

        if not 0.0 < level < 1.0:
            raise InputError(Problem("level", f"needs a number between 0 and 1, got {level!r}"))
        place = 0.5 * (1.0 + level)
        factor = float(norm.ppf(place) if self.sigma_known and self.loss == "linear" else t.ppf(place, self.freedom))
        return {
            name: (value - factor * self.errors[name], value + factor * self.errors[name])
            for name, value in self.parameters.items()
        }

    @cached_property
    def solution(self) -> Solution:
        """The motion with the fitted parameters."""
        assert self._misfit is not None and self._best is not None
        return self._misfit.runs.solution(self._best)

    def plot(self, path: str | Path | None = None) -> Figure:
        """Draw data, fit and residuals, two panels per channel; save the figure if a path is given."""
        from .plots import plot_fitted

        return plot_fitted(self, path)

    def __str__(self) -> str:
        assert self._misfit is not None
        units, limits = self._misfit.variables.units, self.intervals()
        rows: list[tuple[str, ...]] = [("parameter", "value", "error", "95 % from", "to", "unit")]
        for unit, (name, value) in zip(units, self.parameters.items(), strict=True):
            rows.append((name, number(value), number(self.errors[name]), *map(number, limits[name]), unit))
        lines = [self.outcome, "", *columns(rows), ""]
        if len(self.parameters) > 1:
            lines += ["correlation", *_matrix(list(self.parameters), self.correlation), ""]
        for name, sigma in self.sigma.items():
            own = self.residuals[name][np.isfinite(self.residuals[name])]
            low, high = float(np.min(sigma)), float(np.max(sigma))
            noise = number(low) if low == high else f"{number(low)} to {number(high)}"
            word = "given" if self.sigma_known else "estimated"
            rms = number(float(np.sqrt(np.mean(own**2)))) if len(own) else "-"
            lines.append(f"{name}: {len(own)} measurements, rms of residuals {rms}, sigma {noise} ({word})")
        if self.sigma_known:
            lines.append(f"reduced chi2 {self.reduced_chi2:.4g} with {self.freedom} degrees of freedom")
        lines.append(f"{len(self.history)} runs, derivatives by {self.derivative}, condition {self.condition:.1e}")
        lines += [f"warning: {one}" for one in self.warnings]
        return "\n".join([*lines, *(f"note: {one}" for one in self.notes)])

    def __repr__(self) -> str:
        return f"<Fitted: {self.outcome}>"


def _matrix(names: list[str], values: np.ndarray) -> list[str]:
    """The lower half of a symmetric matrix with names at both sides."""
    rows = [("", *names, "")]
    for k, name in enumerate(names):
        cells = ["" if m > k else "-" if np.isnan(values[k, m]) else f"{values[k, m]:.3f}" for m in range(len(names))]
        rows.append((name, *cells, ""))
    return columns(rows)
