"""Runs of a search: each point is simulated once, with its derivatives, and remembered.

Objective, limits and gradients at one point come from one run. A trial point where the model cannot be built or the
run stops early is no error: it gives a Point without values and with a sentence, and the search steps back from it. At
the start values the same is an error, because there is nothing to step back to.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..codes import Code
from ..errors import InputError, Problem
from ..results.solution import Solution
from ..sensitivity.result import Sensitivities
from ..sensitivity.solve import sensitivities
from ..sensitivity.words import DIFFERENCES
from .guard import guarded, quiet
from .variables import Variables

log = logging.getLogger("jointplay")

FEW = 20  # parameters that the direct method follows at less cost than the adjoint one
KEPT = 4  # motions of the last points; older ones are let go, their numbers stay
EXACT = "direct"


class EnoughError(Exception):
    """The allowed number of runs is used up."""


@dataclass(eq=False)
class Point:
    """One run: all requested values and slopes (parameter first), or why there are none."""

    number: int
    p: np.ndarray
    values: tuple[Any, ...] = ()
    slopes: tuple[np.ndarray, ...] = ()
    found: Sensitivities | None = None  # kept for the last points only
    problem: str = ""
    remarks: tuple[str, ...] = ()  # on its derivatives

    @property
    def ok(self) -> bool:
        """True if the run reached its end."""
        return not self.problem


class Runs:
    """Simulates points of a search with sensitivities, each point once."""

    def __init__(
        self,
        build: Any,
        variables: Variables,
        of: Sequence[Any],
        *,
        derivative: str | None,
        until: float | str | None,
        method: Any,
        save: Any,
        max_runs: int,
        on_run: Callable[[Point], None] | None = None,
    ) -> None:
        if isinstance(max_runs, bool) or not isinstance(max_runs, int) or max_runs < 1:
            raise InputError(Problem("max_runs", f"needs a whole number of at least 1, got {max_runs!r}"))
        self.build, self.variables, self.of = guarded(build), variables, list(of)
        self.options = {"until": until, "method": method, "save": save}
        self.max_runs, self.on_run = max_runs, on_run
        self.notes: list[str] = []
        self.points: list[Point] = []
        self.derivative, self.free = self._choose(derivative), derivative is None
        self.instants = 0  # of a run that reaches its end
        self._known: dict[bytes, Point] = {}

    def _choose(self, derivative: str | None) -> str:
        """The requested kind of derivative; else the exact one that costs less."""
        if derivative is not None:
            return derivative
        many = len(self.variables.names) > FEW and not any(isinstance(one, str) for one in self.of)
        return "adjoint" if many else EXACT

    def at(self, p: np.ndarray) -> Point:
        """The run with parameters ``p``; only the first may raise InputError."""
        p = np.array(p, float)
        point = self._known.get(p.tobytes())
        if point is None:
            if len(self.points) >= self.max_runs:
                raise EnoughError
            point = self._run(p)
            self._known[p.tobytes()] = point
            self.points.append(point)
            if len(self.points) > KEPT:
                self.points[-KEPT - 1].found = None
            if not point.ok:
                log.info("run %d failed, the search steps back: %s", point.number, point.problem)
            if self.on_run is not None:
                self.on_run(point)
        return point

    def _run(self, p: np.ndarray) -> Point:
        number, first = len(self.points) + 1, not self.points
        try:
            found = self._first(p) if first and self.free else self._sensitivities(p)
        except InputError as error:
            if first:
                raise
            return Point(number, p, problem="; ".join(map(str, error.problems)))
        problem = self._problem_of(found)
        values: tuple[Any, ...] = ()
        slopes: tuple[np.ndarray, ...] = ()
        if not problem:
            values = tuple(found.values[one] for one in self.of)
            slopes = tuple(np.array([found[one][name] for name in self.variables.names], float) for one in self.of)
            problem = _unknown(values, slopes)
        if problem and first:
            raise InputError(Problem("wrt", f"the run with the start values cannot be used: {problem}"))
        if problem:
            return Point(number, p, problem=problem)
        doubts = [f"derivatives do not hold from {time:.6g} s on: {why}" for time, why in found.invalid]
        return Point(number, p, values, slopes, found, remarks=(*found.notes, *doubts))

    def _problem_of(self, found: Sensitivities) -> str:
        """Why a run stopped early, seen by the instants that it saved; "" if it did not.

        The first run is used for the answer itself. Later ones are not, because an exact method may have to run again.
        """
        if self.points and len(found.time) == self.instants:
            return ""
        outcome = found.solution.outcome
        if outcome.code is Code.INTERRUPTED:
            raise KeyboardInterrupt
        self.instants = len(found.time)
        return "" if outcome.ok else outcome.message

    def solution(self, point: Point) -> Solution:
        """The motion at a point, run again if it was let go."""
        return (point.found or self._sensitivities(point.p)).solution

    def _first(self, p: np.ndarray) -> Sensitivities:
        """The first run; where no kind of derivative was named and the exact one cannot take this, differences do."""
        try:
            return self._sensitivities(p)
        except InputError as error:
            if {one.field for one in error.problems} - {"method", "derivative"}:
                raise
            self.notes.append(f"derivatives are differences: {error.problems[0].message}")
            self.derivative = DIFFERENCES
        return self._sensitivities(p)

    def _sensitivities(self, p: np.ndarray) -> Sensitivities:
        """One call of ``sensitivities``."""
        with quiet():
            return sensitivities(
                self.build, self.variables.named(p), self.of, derivative=self.derivative, **self.options
            )


def _unknown(values: Sequence[Any], slopes: Sequence[np.ndarray]) -> str:
    """What makes a run useless; a history may lack derivatives at some instants, where an impact passes by."""
    if not all(np.all(np.isfinite(one)) for one in values):
        return "a value is not a finite number"
    lost = any(
        np.isnan(slope).any() if np.ndim(value) == 0 else np.isnan(slope).all()
        for value, slope in zip(values, slopes, strict=True)
    )
    return "a derivative does not exist" if lost else ""
