"""What derivatives are taken of: histories of quantities, and objectives.

Targets know which channels a run has to deliver (``columns``), and turn channels and their derivatives into values and
derivatives of what was requested. With weights W (objectives, nt, nc) the derivative of objective o is the sum of
W[o] times the derivatives of all channels: all that an adjoint sweep needs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..errors import InputError, Problem
from ..results.layout import Layout
from ..results.solution import Solution
from .conditions import Condition
from .objectives import Objective, Term
from .quantity import Names, Quantity
from .slope import slope, values_of

Of = str | Objective


@dataclass(frozen=True, eq=False)
class Target:
    """One requested thing; an objective if ``terms`` are there, else the history of a quantity."""

    key: str
    given: Of
    unit: str
    quantity: Quantity | None = None
    terms: tuple[tuple[float, Term, Quantity | Condition], ...] = ()

    @property
    def is_objective(self) -> bool:
        """One number instead of a history."""
        return self.quantity is None


@dataclass(eq=False)
class Targets:
    """All requested things, over the columns that they need."""

    targets: tuple[Target, ...]
    columns: np.ndarray  # channels of the flat line, sorted
    conditions: dict[str, Condition] = field(default_factory=dict)  # that end the run, or whose instants are requested
    notes: list[str] = field(default_factory=list)

    @property
    def objectives(self) -> list[Target]:
        """Those that are one number."""
        return [one for one in self.targets if one.is_objective]

    def values(self, time: np.ndarray, channels: np.ndarray) -> dict[str, Any]:
        """Histories (nt, *shape) and numbers, by key."""
        out: dict[str, Any] = {}
        for target in self.targets:
            if target.quantity is not None:
                out[target.key] = target.quantity.value(channels)
            else:
                out[target.key] = sum(w * self._term(time, channels, t, q) for w, t, q in target.terms)
        return out

    def of_run(self, solution: Solution) -> dict[str, Any]:
        """Histories and numbers of a run, by key."""
        return self.values(solution.time, channels_of(solution, self.columns))

    def shown(self, time: np.ndarray) -> np.ndarray:
        """Those of the instants of a run that the result shows."""
        return time

    def beyond(self, parameters: int) -> np.ndarray:
        """Derivatives of objectives (objectives, parameters) that no channel carries; known once weights are."""
        return np.zeros((len(self.objectives), parameters))

    def _term(self, time: np.ndarray, channels: np.ndarray, term: Term, quantity: Quantity | Condition) -> float:
        assert isinstance(quantity, Quantity)
        if not len(time):
            return float("nan")  # nothing was saved
        x = _series(term, quantity, channels)
        return float(term.share(time, x) @ x)

    def weights(self, time: np.ndarray, channels: np.ndarray) -> np.ndarray:
        """W (objectives, nt, nc)."""
        out = np.zeros((len(self.objectives), *channels.shape))
        for onto, target in zip(out, self.objectives, strict=True):
            for weight, term, quantity in target.terms:
                if not isinstance(quantity, Quantity):
                    continue  # an instant: moving.py
                x = quantity.value(channels)
                if term.function is None:
                    share = term.share(time, x)
                else:
                    by, exact = slope(term.function, x, str(term))
                    if not exact:
                        self._note(f"{term}: the function is not analytic; its derivative is by differences")
                    share = term.share(time, values_of(term.function, x, str(term)))
                    share = by * (share if by.ndim == 1 else share[:, None])
                quantity.weigh(channels, weight * share, onto)
        return out

    def changes(self, time: np.ndarray, channels: np.ndarray, change: np.ndarray) -> list[dict[str, Any]]:
        """Derivatives by key for each parameter, from those of the channels (np, nt, nc)."""
        weights = self.weights(time, channels)
        beyond = self.beyond(len(change))
        place = {target.key: k for k, target in enumerate(self.objectives)}
        return [
            {
                one.key: float(np.sum(weights[place[one.key]] * each) + beyond[place[one.key], k])
                if one.quantity is None
                else self.shown_change(time, one.quantity, channels, each)
                for one in self.targets
            }
            for k, each in enumerate(change)
        ]

    def shown_change(
        self, time: np.ndarray, quantity: Quantity, channels: np.ndarray, change: np.ndarray
    ) -> np.ndarray:
        """Derivative of a history at the instants that the result shows."""
        return quantity.change(channels, change)

    def _note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)


def channels_of(solution: Solution, columns: np.ndarray) -> np.ndarray:
    """Columns of the flat line of channels (nt, nc), put together again from a solution."""
    flat = np.zeros((len(solution.time), solution.layout.channels))
    for variable in solution.layout.variables:
        shape = len(solution.time), len(variable.columns), variable.width
        block = np.asarray(solution._data[variable.name]).reshape(shape)
        flat[:, np.array(variable.columns)] = block
    return flat[:, columns]


def _series(term: Term, quantity: Quantity, channels: np.ndarray) -> np.ndarray:
    """What a term makes one number of."""
    x = quantity.value(channels)
    return x if term.function is None else values_of(term.function, x, str(term))


def conditions_in(of: Of | Sequence[Of]) -> list[str]:
    """Conditions whose instants are requested."""
    requested = [of] if isinstance(of, (str, Objective)) else list(of)
    terms = [term for one in requested if isinstance(one, Objective) for _, term in one.terms]
    return list(dict.fromkeys(term.name for term in terms if term.is_instant))


def targets_of(layout: Layout, of: Of | Sequence[Of], conditions: Mapping[str, Condition] | None = None) -> Targets:
    """What ``of`` requests; raises InputError with all problems.

    ``conditions`` are those that the run looks for, by text; their channels are kept for it.
    """
    requested = [of] if isinstance(of, (str, Objective)) else list(of)
    names = Names(layout)
    problems: list[Problem] = []
    found: list[Target] = []
    if not requested:
        problems.append(Problem("of", "is empty"))
    for one in requested:
        if isinstance(one, str):
            quantity = _quantity(one, names, problems)
            if quantity is not None:
                found.append(Target(one, one, quantity.unit, quantity))
        elif isinstance(one, Objective):
            target = _objective(one, names, conditions, problems)
            if target is not None:
                found.append(target)
        else:
            problems.append(Problem("of", f"needs names of quantities or objectives, not {one!r}"))
    keys = [target.key for target in found]
    for key in sorted({key for key in keys if keys.count(key) > 1}):
        problems.append(Problem(f"of: {key}", "is requested twice; objectives differ by the names of functions"))
    if problems:
        raise InputError(problems)
    return _packed(found, conditions or {})


def times_second(unit: str) -> str:
    """The unit of an integral over time."""
    return unit.removesuffix("/s") if unit.endswith("/s") else "s" if unit == "1" else f"{unit} s"


def _quantity(name: str, names: Names, problems: list[Problem]) -> Quantity | None:
    try:
        return names.find(name)
    except KeyError as error:
        problems.append(Problem(f"of: {name}", str(error.args[0])))
        return None


def _objective(
    given: Objective, names: Names, conditions: Mapping[str, Condition] | None, problems: list[Problem]
) -> Target | None:
    terms: list[tuple[float, Term, Quantity | Condition]] = []
    units: set[str] = set()
    for weight, term in given.terms:
        if term.is_instant:
            if conditions is None:
                problems.append(Problem(f"of: {term}", "instants of conditions are known to jp.sensitivities alone"))
            elif term.name in conditions:  # else its own problem has been reported
                terms.append((weight, term, conditions[term.name]))
                units.add("s")
            continue
        quantity = _quantity(term.name, names, problems)
        if quantity is None:
            continue
        if quantity.shape and term.function is None or len(quantity.shape) > 1:
            size = " x ".join(map(str, quantity.shape))
            message = (
                f"has {size} components; take one, as {term.name}[0], the magnitude |{term.name}|, "
                "or a function that makes one number of them"
            )
            problems.append(Problem(f"of: {term}", message))
            continue
        terms.append((weight, term, quantity))
        units.add("" if term.function else times_second(quantity.unit) if term.over_time else quantity.unit)
    if len(terms) < len(given.terms):
        return None
    return Target(str(given), given, units.pop() if len(units) == 1 else "", terms=tuple(terms))


def _packed(found: list[Target], conditions: Mapping[str, Condition]) -> Targets:
    """Renumber places to the columns that are really needed."""
    used: list[Quantity | Condition] = list(conditions.values())
    for one in found:
        used += [one.quantity] if one.quantity else [q for _, _, q in one.terms]
    columns = np.unique(np.concatenate([np.zeros(0, dtype=np.intp), *(one.places.ravel() for one in used)]))

    def packed(quantity: Any) -> Any:
        return replace(quantity, places=np.searchsorted(columns, quantity.places))

    targets = [
        Target(
            one.key,
            one.given,
            one.unit,
            packed(one.quantity) if one.quantity else None,
            tuple((w, t, packed(q)) for w, t, q in one.terms),
        )
        for one in found
    ]
    return Targets(tuple(targets), columns, {text: packed(one) for text, one in conditions.items()})
