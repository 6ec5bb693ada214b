"""Optimum: what ``optimise`` gives back. The best point, what holds it there, and the way to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..results.solution import Solution
from .problem import DesignProblem
from .runs import Point
from .words import columns, number

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class Optimum:
    """The best parameters found.

    ``multipliers`` give the cost of a limit: by how much ``value`` falls for one unit more of the limit. ``optimality``
    is what limits and bounds leave of the gradient: the change of the objective, relative to its size, that one scale
    of the parameters would still bring.
    """

    ok: bool
    outcome: str
    parameters: dict[str, float]
    value: float
    gradient: dict[str, float]
    constraints: dict[str, float]  # limit -> value of what it limits
    active: list[str]
    multipliers: dict[str, float]
    optimality: float
    history: np.ndarray  # one line per run
    derivative: str
    notes: list[str] = field(default_factory=list)
    _problem: DesignProblem | None = None
    _best: Point | None = None

    @cached_property
    def solution(self) -> Solution:
        """The motion at the best point."""
        assert self._problem is not None and self._best is not None
        return self._problem.runs.solution(self._best)

    def plot(self, path: str | Path | None = None) -> Figure:
        """Draw objective, limits and parameters over the runs; save the figure if a path is given."""
        from .plots import plot_optimum

        return plot_optimum(self, path)

    def __str__(self) -> str:
        assert self._problem is not None
        variables = self._problem.variables
        lines = [self.outcome, f"{self._problem.objective} = {number(self.value)}", ""]
        rows: list[tuple[str, ...]] = [("parameter", "value", "start", "slope", "")]
        for k, (name, value) in enumerate(self.parameters.items()):
            at = [one.partition(": ")[2] for one in self.active if one.startswith(f"{name}: ")]
            start = number(variables.start[k])
            rows.append(
                (name, f"{number(value)} {variables.units[k]}", start, number(self.gradient[name]), *(at or [""]))
            )
        lines += columns(rows)
        if self.constraints:
            limits: list[tuple[str, ...]] = [("limit", "value", "multiplier", "")]
            for name, value in self.constraints.items():
                held = "active" if name in self.active else ""
                limits.append((name, number(value), number(self.multipliers.get(name, 0.0)), held))
            lines += ["", *columns(limits)]
        lines += ["", f"{len(self.history)} runs, derivatives by {self.derivative}, optimality {self.optimality:.1e}"]
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])

    def __repr__(self) -> str:
        return f"<Optimum: {self.outcome}>"
