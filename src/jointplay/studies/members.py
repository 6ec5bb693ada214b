"""Members of one model: compiled once, then changed in numbers only.

``Members`` knows the compiled model at the nominal values, in its independent parts (decision 0027), and makes
neighbours of it: by array arithmetic where that is exact (filling.py), else by compiling what changed (decision 0023).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..codes import Regime
from ..compile.build import as_given, compile_system
from ..compile.pack import Compiled
from ..compile.parts import compile_parts, independent_parts
from ..errors import InputError, Problem
from ..methods.base import Method
from ..methods.parse import method_of
from ..model.conditions import is_condition
from ..model.elements import GROUND
from ..model.foreign import refuse_absent
from ..model.reuse import following
from ..model.system import System
from ..quantities.dimension import agree, describe
from ..quantities.units import si
from ..results.layout import Layout, layout_of
from ..runlength import refuse_long_steps
from ..running import own_columns
from ..selection import choose_method
from ..sensitivity.model_vector import structure
from ..sensitivity.source import Build, Source, source_of
from ..simulation import refuse_unsuitable, save_times, seconds
from .vary import Vary


@dataclass(frozen=True)
class Settings:
    """How every member is run."""

    end: float  # s
    method: Method
    save: Any
    times: np.ndarray


@dataclass(eq=False)
class Member:
    """One member: its parts, ready to run."""

    parts: list[Compiled]
    same: bool  # True if only numbers differ from the nominal one


NO_CONDITION = "is a condition in the run section, but all runs of a study end at one time; give that"


class Members:
    """A compiled model and its neighbours."""

    def __init__(self, source: Source, *, until: Any = None, method: Any = None, save: Any = None) -> None:
        self.source = source
        self.system = source.system()
        refuse_absent(self.system)
        self.names = tuple(one.name for one in source.parameters)
        if self.system.switches:
            raise InputError(Problem("switches", "studies do not carry out switches; simulate does"))
        own = self.system.run or {}
        end = own.get("until") if until is None else until
        if until is None and "ends" in own:
            raise InputError(Problem("until", NO_CONDITION))
        if is_condition(until):
            raise InputError(Problem("until", "is a condition, but all runs of a study end at one time; give that"))
        if end is None:
            raise InputError(Problem("until", "is missing: give the length of the run"))
        self.end = seconds("until", end)
        if not self.end > 0.0:
            raise InputError(Problem("until", f"the end must lie after the start at 0 s, got {self.end:g} s"))
        self.whole = compile_system(self.system, horizon=self.end)
        wanted = own.get("method") if method is None else method
        if wanted is None:
            self.method = choose_method(self.whole, self.end)[0]
        else:
            self.method = method_of(wanted, lambda raw, unit: si(raw, unit, self.system.values))
        refuse_long_steps(self.method, self.end, wanted)
        refuse_unsuitable(self.method, self.whole)
        self.save = own.get("save") if save is None else save
        self.parts = compile_parts(self.whole, self.end)
        self.groups = [set(group) for group in independent_parts(self.system)]
        self.groups[0].add(GROUND)
        for part in self.parts:
            self.method.prepare(part.model)
        self.layout: Layout = layout_of(self.whole)
        self.layouts = [layout_of(part) for part in self.parts]
        self.columns = [own_columns(self.layout, one) for one in self.layouts]
        self.contacts = [
            np.array([self.whole.contacts.index(name) for name in part.contacts], dtype=np.int64) for part in self.parts
        ]
        self.skeletons = [structure(part.model) for part in self.parts]

    def settings(self, history: bool = True) -> Settings:
        """Instants to save: the last one alone where nothing else counts and nobody requested more."""
        save = self.save if self.save is not None or history else [self.end]
        return Settings(self.end, self.method, save, save_times(save, 0.0, self.end))

    def compiled(self, values: Mapping[str, float]) -> Member:
        """The member at other values, what did not change taken from the nominal one; raises InputError."""
        with following(self.system.readings):
            system = self.source.system(values)
        whole = compile_system(system, self.end, like=self.whole)
        parts = [whole] if len(self.parts) == 1 else self._parts(system)
        for part in parts:
            self.method.prepare(part.model)
        same = len(parts) == len(self.parts) and all(
            structure(part.model) == skeleton and len(part.state.y) == len(mine.state.y)
            for part, skeleton, mine in zip(parts, self.skeletons, self.parts, strict=True)
        )
        if not same and (layout_of(whole) != self.layout):
            raise InputError(Problem("vary", "changes what the model is made of, so that results have other names"))
        return Member(parts, same)

    def given(self, values: Mapping[str, float] | None = None) -> list[Compiled]:
        """Parts of the member with numbers as they are given, nothing assembled; the twin of each behind it."""
        with following(self.system.readings):
            system = self.source.system(values)
        own = [system] if len(self.parts) == 1 else [system.part(names) for names in self.groups]
        parts = [as_given(one, self.end, mine) for one, mine in zip(own, self.parts, strict=True)]
        return [one for part in parts for one in (part, part.twin) if one is not None]

    def _parts(self, system: System) -> list[Compiled]:
        return [
            compile_system(system.part(names), self.end, like=mine)
            for names, mine in zip(self.groups, self.parts, strict=True)
        ]

    @property
    def culprits(self) -> list[str]:
        """Names that a failure can refer to: closed rows and contacts of all parts."""
        return list(dict.fromkeys(name for part in self.parts for name in (*part.row_names, *part.contacts)))

    @property
    def strikes(self) -> bool:
        """True if there are rigid contacts."""
        return any(one.regime is Regime.SET for part in self.parts for one in part.interactions)


def model_names(vary: Vary, given: Build) -> tuple[str, ...]:
    """Inputs that are numbers of the model; one that only heats fits need not be."""
    heaters = vary.heaters
    if not heaters:
        return vary.names
    own: list[str] = []
    for name in vary.names:
        if name in heaters:
            try:
                source_of(given, {name: vary.inputs[name].mean} | {n: vary.inputs[n].mean for n in own})
            except InputError:
                continue
        own.append(name)
    return tuple(own)


def source_for(given: Build, vary: Vary) -> tuple[Source, tuple[int, ...]]:
    """The source of members at the nominal values, and which inputs go to the model; raises InputError."""
    names = model_names(vary, given)
    nominal = dict(zip(vary.names, vary.opened(vary.nominal).tolist(), strict=True))
    try:
        source = source_of(given, {name: nominal[name] for name in names})
    except InputError as error:
        raise InputError([renamed(one) for one in error.problems]) from None
    problems = []
    for one in source.parameters:
        given_dimension = vary.inputs[one.name].dimension
        if not agree(given_dimension, one.dimension):
            message = f"is a {describe(one.dimension)} in the model, and varies as a {describe(given_dimension)}"
            problems.append(Problem(f"vary: {one.name}", message))
    if problems:
        raise InputError(problems)
    return source, tuple(vary.names.index(name) for name in names)


def renamed(problem: Problem) -> Problem:
    """Parameters are given under vary here."""
    if problem.field.startswith("wrt: "):
        return Problem("vary: " + problem.field.removeprefix("wrt: "), problem.message, problem.file, problem.line)
    return problem


def named(names: Sequence[str], row: np.ndarray) -> dict[str, float]:
    """A row of values by name."""
    return dict(zip(names, map(float, row), strict=True))
