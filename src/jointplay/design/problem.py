r"""What the search sees: scaled values and slopes of objective and limits at a point x.

.. math::  \hat\psi(x) = \psi(p(x)) / \Psi, \qquad \hat c_i(x) = c_i(p(x)) / C_i,

where :math:`\Psi` is the larger of :math:`|\psi|` and of its change over one scale of a parameter, both at the start,
and :math:`C_i` the same for the quantity that is limited and its limit. A point whose run failed is given the worst
value seen, one more for having failed, and a slope that leads back to the last good point; the margins there are those
of the last good point, so that failing does not look like keeping a limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import InputError, Problem
from .cost import Cost, Mixed
from .limits import Limit
from .runs import Point, Runs
from .variables import Variables

STEEP = 10.0  # slope of the way back from a failed point


class DesignProblem:
    """Objective and limits over the variables, with the runs that answer them."""

    def __init__(self, objective: Any, limits: Sequence[Limit], variables: Variables) -> None:
        self.objective, self.limits, self.variables = objective, list(limits), variables
        self.of: list[Any] = []  # what has to be simulated, each once
        for one in (objective, *(limit.objective for limit in limits)):
            motion = one.objective if isinstance(one, Mixed) else None if isinstance(one, Cost) else one
            if motion is not None and motion not in self.of:
                self.of.append(motion)
        if not self.of:
            raise InputError(Problem("objective", "nothing here depends on the motion: only costs are given"))

    def begin(self, runs: Runs) -> None:
        """Run the start and take the scales from it."""
        self.runs = runs
        first = self.good = runs.at(self.variables.start)
        for one, value in zip(self.of, first.values, strict=True):
            if np.ndim(value) != 0:
                raise InputError(
                    Problem("objective", f"{one} is not one number but a history; use Final, Integral or Peak")
                )
        value, slope = self.psi(self.objective, first)
        self.size = self._size(value, slope)
        self.sizes = [max(self._size(*self.psi(one.objective, first)), abs(one.level)) for one in self.limits]

    def _size(self, value: float, slope: np.ndarray) -> float:
        return max(abs(value), float(np.max(np.abs(slope * self.variables.scale)))) or 1.0

    # -- in the user's units ---------------------------------------------------------------------------------------

    def psi(self, objective: Any, point: Point) -> tuple[float, np.ndarray]:
        """Value and slope of an objective at a point whose run is good."""
        value, slope = 0.0, np.zeros(len(self.variables.names))
        cost = objective.cost if isinstance(objective, Mixed) else objective if isinstance(objective, Cost) else None
        if cost is not None:
            named = self.variables.named(point.p)
            value, slope = value + cost.value(named), slope + cost.gradient(named, self.variables.scale)
        motion = objective.objective if isinstance(objective, Mixed) else None if cost is not None else objective
        if motion is not None:
            k = self.of.index(motion)
            value, slope = value + float(point.values[k]), slope + point.slopes[k]
        return value, slope

    def kept(self, point: Point) -> list[float]:
        """Values of the limited quantities."""
        return [self.psi(limit.objective, point)[0] for limit in self.limits]

    def violation(self, point: Point) -> float:
        """The worst broken limit, scaled; zero if all are kept."""
        return max(0.0, *-self._margins(point)) if self.limits else 0.0

    def describe(self, point: Point) -> str:
        """One line about a good point."""
        parts = [f"{self.objective} = {self.psi(self.objective, point)[0]:.6g}"]
        parts += [f"{limit.objective} = {now:.6g}" for limit, now in zip(self.limits, self.kept(point), strict=True)]
        return ", ".join(parts)

    # -- scaled, for the search ------------------------------------------------------------------------------------

    def _at(self, x: np.ndarray) -> Point:
        point = self.runs.at(self.variables.of(x))
        if point.ok:
            self.good = point
        return point

    def _back(self, point: Point) -> np.ndarray:
        return (point.p - self.good.p) / self.variables.scale

    def value(self, x: np.ndarray) -> float:
        """The scaled objective."""
        point = self._at(x)
        if point.ok:
            return self.psi(self.objective, point)[0] / self.size
        worst = max(self.psi(self.objective, one)[0] for one in self.runs.points if one.ok) / self.size
        away = self._back(point)
        return worst + 1.0 + 0.5 * STEEP * float(away @ away)

    def slope(self, x: np.ndarray) -> np.ndarray:
        """Its gradient."""
        point = self._at(x)
        if point.ok:
            return self.psi(self.objective, point)[1] * self.variables.scale / self.size
        return STEEP * self._back(point)

    def _margins(self, point: Point) -> np.ndarray:
        pairs = zip(self.limits, self.kept(point), self.sizes, strict=True)
        return np.array([limit.margin(now) / size for limit, now, size in pairs])

    def margins(self, x: np.ndarray) -> np.ndarray:
        """The scaled margins of the limits, negative where they are broken."""
        point = self._at(x)
        return self._margins(point if point.ok else self.good)

    def margin_slopes(self, x: np.ndarray) -> np.ndarray:
        """Their gradients, one line per limit."""
        point = self._at(x)
        return self.slopes_of_margins(point if point.ok else self.good)

    def slopes_of_margins(self, point: Point) -> np.ndarray:
        """Gradients of the scaled margins at a good point."""
        rows = [
            limit.sign * self.psi(limit.objective, point)[1] / size
            for limit, size in zip(self.limits, self.sizes, strict=True)
        ]
        return np.array(rows).reshape(-1, len(self.variables.names)) * self.variables.scale
