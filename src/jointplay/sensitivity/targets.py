"""What derivatives are asked of: histories of quantities, and objectives.

Targets know which channels a run has to deliver (``columns``), and turn channels and their derivatives into values and
derivatives of what was asked for. With weights W (objectives, nt, nc) the derivative of objective o is the sum of
W[o] times the derivatives of all channels: all that an adjoint sweep needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..errors import InputError, Problem
from ..results.layout import Layout
from .objectives import Objective, Term
from .quantity import Names, Quantity
from .slope import slope, values_of

Of = str | Objective


@dataclass(frozen=True, eq=False)
class Target:
    """One thing asked for; an objective if ``terms`` are there, else the history of a quantity."""

    key: str
    given: Of
    unit: str
    quantity: Quantity | None = None
    terms: tuple[tuple[float, Term, Quantity], ...] = ()

    @property
    def is_objective(self) -> bool:
        """One number instead of a history."""
        return self.quantity is None


@dataclass(eq=False)
class Targets:
    """All things asked for, over the columns that they need."""

    targets: tuple[Target, ...]
    columns: np.ndarray  # channels of the flat line, sorted
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

    @staticmethod
    def _term(time: np.ndarray, channels: np.ndarray, term: Term, quantity: Quantity) -> float:
        if not len(time):
            return float("nan")  # nothing was saved
        x = quantity.value(channels)
        if term.function is not None:
            x = values_of(term.function, x, str(term))
        return float(term.share(time, x) @ x)

    def weights(self, time: np.ndarray, channels: np.ndarray) -> np.ndarray:
        """W (objectives, nt, nc)."""
        out = np.zeros((len(self.objectives), *channels.shape))
        for onto, target in zip(out, self.objectives, strict=True):
            for weight, term, quantity in target.terms:
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
        place = {target.key: k for k, target in enumerate(self.objectives)}
        return [
            {
                one.key: float(np.sum(weights[place[one.key]] * each))
                if one.quantity is None
                else one.quantity.change(channels, each)
                for one in self.targets
            }
            for each in change
        ]

    def _note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)


def targets_of(layout: Layout, of: Of | Sequence[Of]) -> Targets:
    """What ``of`` asks for; raises InputError with all problems."""
    asked = [of] if isinstance(of, (str, Objective)) else list(of)
    names = Names(layout)
    problems: list[Problem] = []
    found: list[Target] = []
    if not asked:
        problems.append(Problem("of", "asks for nothing"))
    for one in asked:
        if isinstance(one, str):
            quantity = _quantity(one, names, problems)
            if quantity is not None:
                found.append(Target(one, one, quantity.unit, quantity))
        elif isinstance(one, Objective):
            target = _objective(one, names, problems)
            if target is not None:
                found.append(target)
        else:
            problems.append(Problem("of", f"needs names of quantities or objectives, not {one!r}"))
    keys = [target.key for target in found]
    for key in sorted({key for key in keys if keys.count(key) > 1}):
        problems.append(
            Problem(f"of: {key}", "is asked for twice; objectives are told apart by the names of functions")
        )
    if problems:
        raise InputError(problems)
    return _packed(found)


def times_second(unit: str) -> str:
    """The unit of an integral over time."""
    return unit.removesuffix("/s") if unit.endswith("/s") else "s" if unit == "1" else f"{unit} s"


def _quantity(name: str, names: Names, problems: list[Problem]) -> Quantity | None:
    try:
        return names.find(name)
    except KeyError as error:
        problems.append(Problem(f"of: {name}", str(error.args[0])))
        return None


def _objective(given: Objective, names: Names, problems: list[Problem]) -> Target | None:
    terms: list[tuple[float, Term, Quantity]] = []
    units: set[str] = set()
    for weight, term in given.terms:
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


def _packed(found: list[Target]) -> Targets:
    """Renumber places to the columns that are really needed."""
    used = [q for one in found for q in ([one.quantity] if one.quantity else [q for _, _, q in one.terms])]
    columns = np.unique(np.concatenate([quantity.places.ravel() for quantity in used]))

    def packed(quantity: Quantity) -> Quantity:
        places = np.searchsorted(columns, quantity.places)
        return replace(quantity, places=places)

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
    return Targets(tuple(targets), columns)
