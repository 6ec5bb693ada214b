"""Where systems come from while parameters vary: a function, a model file, or a System.

    source.system()                 the mechanism at the nominal values
    source.system({"gap": 1.1e-4})  the same with one value changed

Values are numbers in SI. A name in a file or a System is a parameter, or the dotted path of any number.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from os import PathLike
from pathlib import Path as FilePath
from typing import Any

from ..errors import InputError, Problem
from ..model.files import Document, build, read_file
from ..model.foreign import refuse_absent
from ..model.names import suggest
from ..model.system import System
from ..quantities.dimension import Dimension, QuantityError, Value
from ..quantities.units import dimension_of, value_of
from .model_paths import Path, read_leaf, replaced

USUAL = ("N", "N m", "N/m", "N s/m", "N m/rad", "N m s/rad", "N/m^1.5", "Pa", "kg m^2", "W")

Wanted = Mapping[str, Any] | Iterable[str] | str
Build = Callable[..., System] | str | PathLike[str] | System


@dataclass(frozen=True)
class Parameter:
    """A number that varies."""

    name: str  # as the user wrote it
    value: float  # SI
    dimension: Dimension | None  # None: a plain number, or not known

    @property
    def unit(self) -> str:
        """SI unit, "" where none is known."""
        return usual_unit(self.dimension)


def usual_unit(dimension: Dimension | None) -> str:
    """SI unit of a dimension as people write it, "" where none is known."""
    return "" if dimension is None else _usual_units().get(dimension, str(dimension))


@cache
def _usual_units() -> dict[Dimension | None, str]:
    """Units as people write them, where base units alone are hard to read."""
    return {dimension_of(unit.replace(" ", "*")): unit for unit in USUAL}


@dataclass(frozen=True)
class Source:
    """Systems for values of parameters."""

    parameters: tuple[Parameter, ...]
    make: Callable[[Mapping[str, float]], System]  # values of all parameters, by name
    tree: Mapping[str, Any] | None = None  # a model that is data, and where in it each parameter stands
    places: Mapping[str, Path] = field(default_factory=dict)

    def system(self, changed: Mapping[str, float] | None = None) -> System:
        """The system at the nominal values but for those that are changed."""
        values = {one.name: one.value for one in self.parameters} | dict(changed or {})
        return self.make(values)


def source_of(given: Build, wrt: Wanted) -> Source:
    """The source that ``given`` stands for; raises InputError with all problems."""
    names = _names(wrt)
    if isinstance(given, System):
        return _of_tree(Document(given.to_tree(), allow=given.allowed), names)
    if isinstance(given, (str, PathLike, FilePath)):
        return _of_tree(read_file(given), names)
    if callable(given):
        return _of_function(given, names)
    raise InputError(Problem("build", f"needs a function that makes a System, a model file or a System, not {given!r}"))


def unvaried(given: Build) -> Source | None:
    """The mechanism as it is, nothing varied; None of a function, which may need values."""
    if isinstance(given, System):
        return Source((), lambda _: given)
    if isinstance(given, (str, PathLike, FilePath)):
        return Source((), lambda _: build(read_file(given)))
    return None


def _names(wrt: Wanted) -> dict[str, Any]:
    """Names with their values; None where the value is the model's own."""
    wanted = {wrt: None} if isinstance(wrt, str) else dict(wrt) if isinstance(wrt, Mapping) else None
    if wanted is None:
        try:
            wanted = dict.fromkeys(wrt)
        except TypeError:
            raise InputError(Problem("wrt", f"needs names, or a mapping from names to values, not {wrt!r}")) from None
    if not wanted:
        raise InputError(Problem("wrt", "names no parameter"))
    wrong = [name for name in wanted if not isinstance(name, str)]
    if wrong:
        raise InputError([Problem("wrt", f"needs names of parameters, not {name!r}") for name in wrong])
    return wanted


def _read(raw: Any, values: Mapping[str, Value] | None = None) -> Value:
    """A value as given; raises QuantityError whatever is wrong with it."""
    try:
        return value_of(raw, values)
    except (ValueError, OverflowError, ZeroDivisionError) as error:
        raise QuantityError(str(error)) from None


def _of_function(function: Callable[..., System], wanted: Mapping[str, Any]) -> Source:
    """``build(**parameters)``: values that are not given are the defaults of its arguments."""
    try:
        arguments = dict(inspect.signature(function).parameters)
    except (TypeError, ValueError):  # of some callables nobody knows the signature
        arguments = {}
    kinds = {one.kind for one in arguments.values()}
    open_ended = not arguments or inspect.Parameter.VAR_KEYWORD in kinds
    named = {
        name: one
        for name, one in arguments.items()
        if one.kind in (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    }
    problems: list[Problem] = []
    parameters: list[Parameter] = []
    for name, raw in wanted.items():
        if name not in named and not open_ended:
            problems.append(Problem(f"wrt: {name}", f"build takes no argument '{name}'{suggest(name, named)}"))
            continue
        if raw is None and name in named:
            raw = named[name].default
        if raw is None or raw is inspect.Parameter.empty:
            problems.append(Problem(f"wrt: {name}", f"has no default in build; give a value: wrt={{'{name}': ...}}"))
            continue
        try:
            found = _read(raw)
        except QuantityError as error:
            problems.append(Problem(f"wrt: {name}", str(error)))
            continue
        parameters.append(Parameter(name, found.si, found.dimension))
    for name, one in named.items():
        if one.default is inspect.Parameter.empty and name not in wanted:
            problems.append(Problem(f"wrt: {name}", "build needs this argument: give it a default, or a value in wrt"))
    if problems:
        raise InputError(problems)

    def make(values: Mapping[str, float]) -> System:
        system = function(**values)
        if not isinstance(system, System):
            raise InputError(Problem("build", f"must return a System, returned {type(system).__name__}"))
        return system

    return Source(tuple(parameters), make)


def _of_tree(document: Document, wanted: Mapping[str, Any]) -> Source:
    """A model as data: values go where their names point."""
    base = build(Document(document.data, document.file, document.lines, allow=document.allow))
    refuse_absent(base)
    tree = document.data
    if "gravity" not in tree:  # the default can be varied like any other number
        tree = {**tree, "gravity": base.gravity.tolist()}
    problems: list[Problem] = []
    parameters: list[Parameter] = []
    places: dict[str, Path] = {}
    for name, raw in wanted.items():
        try:
            path, own = read_leaf(name, tree, base.values)
            found = own if raw is None else _read(raw, base.values)
        except QuantityError as error:
            problems.append(Problem(f"wrt: {name}", str(error), document.file))
            continue
        twin = next((other for other, place in places.items() if place == path), None)
        if twin:
            problems.append(Problem(f"wrt: {name}", f"is the same number as '{twin}'", document.file))
            continue
        places[name] = path
        parameters.append(Parameter(name, found.si, found.dimension or own.dimension))
    if problems:
        raise InputError(problems)
    dimensions = {one.name: one.dimension for one in parameters}

    def make(values: Mapping[str, float]) -> System:
        changed = tree
        for name, value in values.items():
            dimension = dimensions[name]
            # with its unit where others check it, and where a number alone would be read as a length (backlash)
            told = places[name][0] == "parameters" or dimension == dimension_of("rad")
            changed = replaced(changed, places[name], _written(value, dimension) if told else float(value))
        return build(Document(changed, document.file, document.lines, allow=document.allow))

    return Source(tuple(parameters), make, tree, places)


def _written(value: float, dimension: Dimension | None) -> float | str:
    """A parameter as a file has it, with its unit: what is made of it is checked by dimensions."""
    return float(value) if dimension is None else f"{float(value)!r} {dimension}"
