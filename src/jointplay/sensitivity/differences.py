"""Finite differences of whole runs, with their own choice of step and their own error.

    dx/drho ~ (x(t; rho + h) - x(t; rho - h)) / (2 h),     h = rho/100, rho/400, rho/1600, ...

extrapolated (richardson.py) until smaller steps no longer help. Runs are independent of each other and of any
derivative code: this method is slow, and the judge of the others. It cannot be better than the runs are smooth: an
error-controlled scheme adds noise of the size of its tolerance divided by h.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import InputError
from ..results.solution import Solution
from .conditions import Condition
from .raw_result import Found
from .richardson import Best, Tableau
from .sequence import compare
from .slope import values_of
from .source import Parameter, Source
from .targets import Target, Targets
from .variation import failure, size_of

FIRST = 1e-2  # largest relative step
RATIO = 4.0
LEVELS = 10
EXACT = 1e-11  # relative error at which no better one is looked for
LARGE = 1e-3  # relative error worth a warning
NOTHING = 1e-6  # of x/rho: a derivative below this may be rounding only
NARROWEST = 1e-6  # relative step at which a value that is still refused means that one side is closed

Run = Callable[[dict[str, float]], Solution]


@dataclass(frozen=True)
class Series:
    """Values of all targets of one run, over the instants that it saved."""

    solution: Solution
    values: dict[str, Any]


def differentiate(
    source: Source, targets: Targets, run: Run, length: float, tell: Callable[[], None] = lambda: None
) -> Found:
    """Derivatives of all targets; ``run`` simulates with changed parameters, ``length`` is that of the mechanism."""
    calls = 0

    def series(changed: dict[str, float]) -> Series:
        nonlocal calls
        solution = run(changed)
        calls += 1
        tell()
        return Series(solution, targets.of_run(solution))

    nominal = series({})
    found = Found(nominal.solution.time, nominal.values, {target.key: {} for target in targets.targets})
    found.solution = nominal.solution
    found.sizes = {target.key: _size(target, nominal.solution) for target in targets.targets}
    outcome = nominal.solution.outcome
    if not outcome.ok:
        found.invalid.append((outcome.time, outcome.message))
    for parameter in source.parameters:
        if not len(found.time):  # nothing was saved, and nothing can be compared
            for target in targets.targets:
                found.derivatives[target.key][parameter.name] = found.values[target.key]
            continue
        _Parameter(parameter, size_of(parameter, length), targets, nominal, series, found).differentiate()
    found.stats = {"runs": calls}
    return found


def _size(target: Target, solution: Solution) -> float:
    """Size of a target: of a component that of the whole vector, of an objective that of the history behind it."""

    def largest(name: str) -> float:
        return float(np.nanmax(np.abs(solution[Solution._split(name.strip("|"))[0]]), initial=0.0))

    if target.quantity is not None:
        return largest(target.key)
    if not len(solution.time):
        return 0.0
    out, span = 0.0, float(np.ptp(solution.time))
    for weight, term, quantity in target.terms:
        if isinstance(quantity, Condition):
            out += abs(weight) * float(solution.time[-1])
            continue
        size = largest(term.name)
        if term.function is not None:
            size = float(np.max(np.abs(values_of(term.function, solution[quantity.name], str(term)))))
        out += abs(weight) * size * (span if term.over_time else 1.0)
    return out


def _common(time: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Which instants another run has at the same place; all those that it did not reach count, as missing."""
    same = np.ones(len(time), dtype=bool)
    count = min(len(time), len(other))
    same[:count] = time[:count] == other[:count]
    return same


class _Parameter:
    """One parameter on its way to derivatives."""

    def __init__(
        self, parameter: Parameter, size: float, targets: Targets, nominal: Series, series: Any, found: Found
    ) -> None:
        self.name, self.value, self.size = parameter.name, parameter.value, size
        self.targets, self.nominal, self.found = targets.targets, nominal, found
        self.best = {target.key: Best(self._shaped(nominal, target).shape) for target in self.targets}
        self.differs = np.inf  # s, from here on the impacts of the last runs differ
        self.failed = ""  # and what else ended one of them early
        self._series = series
        self._runs: dict[float, Series] = {}

    def differentiate(self) -> None:
        """Row after row, until smaller steps bring nothing more."""
        signs, first = self._signs()
        tableaus = {target.key: Tableau(2 if len(signs) == 2 else 1) for target in self.targets}
        idle = 0
        for level in range(LEVELS):
            h = first / RATIO**level
            gain = False
            for key, difference in self._differences(signs, h).items():
                for entry, off in tableaus[key].add(h, difference):
                    gain |= self.best[key].offer(entry, off, h)
            idle = 0 if gain or level < 2 else idle + 1
            if idle == 2 or self._is_exact():
                break
        self._keep()

    def _is_exact(self) -> bool:
        """Nothing is left to be gained."""
        known = all(best.known.all() for best in self.best.values())
        return known and max(self._error(target) for target in self.targets) <= EXACT

    def _at(self, value: float) -> Series:
        """The run at a value of the parameter."""
        if value not in self._runs:
            try:
                self._runs[value] = self._series({self.name: value})
            except InputError as error:
                raise failure(self.name, value, error) from None
        return self._runs[value]

    def _signs(self) -> tuple[tuple[float, ...], float]:
        """Directions in which the parameter may go, and the first step: one only, if the other is closed."""
        h, open_ = FIRST * self.size, dict[float, float]()
        while h >= NARROWEST * self.size:
            for sign in (1.0, -1.0):
                try:
                    if sign not in open_ and self._at(self.value + sign * h):
                        open_[sign] = h
                except InputError as error:
                    refused = error
            if len(open_) == 2:
                return (1.0, -1.0), h
            h /= 10.0
        if not open_:
            raise refused
        sign, h = open_.popitem()
        side = "larger" if sign > 0.0 else "smaller"
        self.found.notes.append(f"{self.name}: only {side} values are possible; differences are one-sided")
        return (sign,), h

    def _shaped(self, series: Series, target: Target) -> np.ndarray:
        """Values (nt, ...) over the instants of the nominal run, NaN where a run has none; an objective has one."""
        value = np.asarray(series.values[target.key], dtype=float)
        if target.is_objective:
            return np.array([value if series.solution.outcome.ok or series is self.nominal else np.nan])
        count = len(self.nominal.solution.time)
        missing = np.full((max(count - len(value), 0), *value.shape[1:]), np.nan)
        return np.concatenate([value[:count], missing])

    def _differences(self, signs: tuple[float, ...], h: float) -> dict[str, np.ndarray]:
        """Differences of all targets with step h; NaN at instants over which an impact passes."""
        runs = [self._at(self.value + sign * h) for sign in signs]
        self._runs.clear()
        solutions = [run.solution for run in (self.nominal, *runs)]
        self.differs, clear = compare(self.nominal.solution.time, solutions)
        for solution in solutions[1:]:  # of runs that end at a condition the last instants differ
            clear &= _common(self.nominal.solution.time, solution.time)
        self.failed = next((one.outcome.message for one in solutions[1:] if not one.outcome.ok), "")
        ends, span = (runs, 2.0 * h) if len(runs) == 2 else ((runs[0], self.nominal), signs[0] * h)
        out = {}
        for target in self.targets:
            difference = (self._shaped(ends[0], target) - self._shaped(ends[1], target)) / span
            if not target.is_objective:
                difference[~clear] = np.nan
            out[target.key] = difference
        return out

    def _error(self, target: Target) -> float:
        """Estimated error, relative to the largest derivative; a vanishing one is compared with x/rho."""
        best = self.best[target.key]
        if not best.known.any():
            return np.inf
        least = NOTHING * self.found.sizes[target.key] / self.size
        largest = max(float(np.max(np.abs(best.value[best.known]), initial=0.0)), least)
        return float(np.max(best.error[best.known])) / largest if largest > 0.0 else 0.0

    def _keep(self) -> None:
        """Hand over what was found, with its doubts."""
        found, time = self.found, self.nominal.solution.time
        for target in self.targets:
            best, error = self.best[target.key], self._error(target)
            value = float(best.value[0]) if target.is_objective else best.value
            found.derivatives[target.key][self.name] = value
            worst = int(np.argmax(np.where(best.known, best.error, -1.0)))
            found.steps.setdefault(target.key, {})[self.name] = float(best.step[worst])
            found.errors.setdefault(target.key, {})[self.name] = error
            if error > LARGE:
                found.notes.append(
                    f"{target.key} by {self.name}: differences are uncertain, estimated error {error:.1g}"
                )
        if np.isfinite(self.differs):
            reason = f"{self.name}: the order of impacts changes for the smallest step of differences"
            found.invalid.append((float(self.differs), reason))
        if self.failed:
            found.invalid.append((self._first_unknown(), f"{self.name}: a run for differences ended: {self.failed}"))
        unknown = {float(t) for best in self._histories() for t in time[~best.known] if t < self.differs}
        if unknown and not self.failed:
            found.notes.append(
                f"{self.name}: at {len(unknown)} saved instants, first at {min(unknown):.6g} s, an impact passes by "
                "for every step of differences; there is no value there (NaN)"
            )

    def _histories(self) -> list[Best]:
        return [self.best[target.key] for target in self.targets if not target.is_objective]

    def _first_unknown(self) -> float:
        time = self.nominal.solution.time
        unknown = [time[~best.known] for best in self._histories()]
        return float(min((float(times[0]) for times in unknown if len(times)), default=time[-1]))
