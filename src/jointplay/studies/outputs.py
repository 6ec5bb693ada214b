"""Outputs: the numbers that a study keeps of a run.

    Final, Integral, Mean, Peak, Quantile    of a quantity over the saved instants, their sums and multiples
    Impacts(joint, faster_than)              how many contacts struck
    HardestImpact(joint)                     the greatest speed of approach
    a function of a Solution                 any number

All but the last are reduced from the arrays that a run leaves behind; histories are not kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import InputError, Problem
from ..model.names import suggest
from ..quantities.units import QuantityError, si
from ..results.layout import Layout
from ..results.solution import Solution
from ..sensitivity.objectives import Final, Integral, Mean, Objective, Peak, Quantile, Term
from ..sensitivity.targets import Targets, targets_of

TIME, CONTACT, IMPACT, BEFORE = range(4)  # columns of the list of impacts
WORDS: dict[str, type[Term]] = {
    "final": Final,
    "integral": Integral,
    "mean": Mean,
    "peak": Peak,
    "quantile": Quantile,
}


@dataclass(frozen=True)
class Impacts:
    """Contacts that struck, of one joint or of all, faster than a speed of approach."""

    joint: str = ""
    faster_than: float | str = 0.0

    unit = "1"

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "faster_than", si(self.faster_than, "m/s"))
        except QuantityError as error:
            raise InputError(Problem("Impacts: faster_than", str(error))) from None

    def value(self, events: np.ndarray, contacts: Sequence[str]) -> float:
        """The number."""
        return float(np.count_nonzero(-_own(events, contacts, self.joint)[:, BEFORE] > float(self.faster_than)))

    def tree(self) -> Any:
        """As in a model file."""
        fast = {"faster_than": f"{self.faster_than!r} m/s"} if self.faster_than else {}
        return {"impacts": {"joint": self.joint, **fast}}

    def __str__(self) -> str:
        fast = f", faster_than={self.faster_than:g}" if self.faster_than else ""
        return f"Impacts({self.joint!r}{fast})"


@dataclass(frozen=True)
class HardestImpact:
    """The greatest speed of approach of an impact, of one joint or of all; zero if nothing struck."""

    joint: str = ""

    unit = "m/s"

    def value(self, events: np.ndarray, contacts: Sequence[str]) -> float:
        """The speed."""
        return float(np.max(-_own(events, contacts, self.joint)[:, BEFORE], initial=0.0))

    def tree(self) -> Any:
        """As in a model file."""
        return {"hardest_impact": self.joint}

    def __str__(self) -> str:
        return f"HardestImpact({self.joint!r})"


Counted = Impacts | HardestImpact


def _own(events: np.ndarray, contacts: Sequence[str], joint: str) -> np.ndarray:
    if not joint or not len(events):
        return events
    own = np.array([name.split(".")[0] == joint for name in contacts])
    return events[own[events[:, CONTACT].astype(int)]]


@dataclass(frozen=True)
class Output:
    """One column of a study."""

    key: str
    given: Any
    unit: str


class Outputs:
    """All numbers that a study keeps of a run."""

    def __init__(self, layout: Layout, of: Any, limited: Sequence[Any] = (), like: Outputs | None = None) -> None:
        """What ``of`` requests, and what limits need beyond it; raises InputError with all problems.

        Contacts that only another model has (``like`` those of its outputs) never strike here.
        """
        named = dict(of) if isinstance(of, Mapping) else {}
        wanted = list(named.values()) if named else [of] if _single(of) else list(of or ())
        wanted += [one for one in limited if one not in wanted]
        names = {id(one): str(key) for key, one in named.items()}
        self.layout = layout
        self._contacts = [*layout.contacts, *(like.layout.contacts if like else ())]
        problems: list[Problem] = []
        if not wanted:
            problems.append(Problem("of", "is empty"))
        objectives = [one for one in wanted if isinstance(one, Objective)]
        self.targets: Targets | None = None
        units: dict[int, str] = {}
        if objectives:
            try:
                self.targets = targets_of(layout, objectives)
                units = {id(one.given): one.unit for one in self.targets.targets}
            except InputError as error:
                problems += error.problems
        self.columns: list[Output] = []
        for one in wanted:
            problem = self._problem(one)
            if problem:
                problems.append(Problem("of", problem))
                continue
            unit = units.get(id(one), "") if isinstance(one, Objective) else getattr(one, "unit", "")
            self.columns.append(Output(names.get(id(one)) or key_of(one), one, unit))
        keys = [one.key for one in self.columns]
        problems += [Problem("of", f"'{key}' is requested twice") for key in {k for k in keys if keys.count(k) > 1}]
        if problems:
            raise InputError(list(dict.fromkeys(problems)))
        # looked up once: these are needed for every sample
        self._names = [str(one.given) if isinstance(one.given, Objective) else "" for one in self.columns]
        self._whole = any(not isinstance(one.given, Objective | Counted) for one in self.columns)

    def _problem(self, one: Any) -> str:
        if isinstance(one, str):
            return f"needs one number of '{one}', such as Peak({one!r}) or Final({one!r})"
        if isinstance(one, Counted):
            joints = list(dict.fromkeys(name.split(".")[0] for name in self._contacts))
            if not joints:
                return f"{one}: the model has no rigid contacts, so that nothing is counted"
            if one.joint and one.joint not in joints:
                return f"{one}: no rigid contacts at '{one.joint}'{suggest(one.joint, joints)}"
        elif not isinstance(one, Objective) and not callable(one):
            return f"needs objectives, such as Peak('|B.force|'), or functions of a Solution, not {one!r}"
        return ""

    @property
    def keys(self) -> list[str]:
        """Names of the columns."""
        return [one.key for one in self.columns]

    @property
    def need_history(self) -> bool:
        """True if more than the last instant counts."""
        terms = [t for one in self.columns if isinstance(one.given, Objective) for _, t in one.given.terms]
        own = any(not isinstance(one.given, Objective | Counted) for one in self.columns)
        return own or any(not isinstance(term, Final) for term in terms)

    @property
    def need_solution(self) -> bool:
        """True if a function wants the whole Solution."""
        return self._whole

    def find(self, given: Any) -> int:
        """Place of an output by its key or by what was requested; KeyError with a sentence."""
        for k, one in enumerate(self.columns):
            if one.given is given or one.key == given or (not isinstance(given, str) and one.given == given):
                return k
        name = given if isinstance(given, str) else key_of(given)
        raise KeyError(f"'{name}' is not kept by this study{suggest(str(name), self.keys)}")

    def values(
        self, time: np.ndarray, channels: np.ndarray, events: np.ndarray, solution: Callable[[], Solution]
    ) -> np.ndarray:
        """One row; ``channels`` are all of them at the saved instants."""
        found = self.targets.values(time, channels[:, self.targets.columns]) if self.targets else {}
        whole = solution() if self._whole else None
        out = np.empty(len(self.columns))
        for k, (name, one) in enumerate(zip(self._names, self.columns, strict=True)):
            if name:
                out[k] = found[name]
            elif isinstance(one.given, Counted):
                out[k] = one.given.value(events, self.layout.contacts)
            else:
                out[k] = float(one.given(whole))
        return out

    def tree(self) -> list[Any]:
        """As in a model file; functions by their name, which no file can hold."""
        return [output_tree(one.given) for one in self.columns]


def _single(of: Any) -> bool:
    return isinstance(of, str | Objective | Counted) or (callable(of) and not isinstance(of, list | tuple))


def key_of(given: Any) -> str:
    """Name of a column: what was requested, or the name of a function."""
    if isinstance(given, Objective | Counted):
        return str(given).replace("/", " per ")
    return str(getattr(given, "__name__", None) or type(given).__name__)


def output_tree(given: Any) -> Any:
    """An output as in a model file; a text that no file is read by where a file cannot hold it."""
    if isinstance(given, Counted):
        return given.tree()
    if isinstance(given, Term) and given.function is None:
        word = type(given).__name__.lower()
        if isinstance(given, Quantile):
            return {word: [given.name, given.level]}
        return {word: given.name}
    return f"function {key_of(given)}"
