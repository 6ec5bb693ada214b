"""A method from its description in a model file or on the command line.

    explicit                             its key, all options as declared
    {explicit: {rtol: 1e-8}}             key and options

Options are the fields of the method's dataclass: their types define what is taken, their defaults what is meant by
nothing, ``metadata={"unit": ...}`` the unit of a number. Numbers are positive, save where the default itself is not
(``step = 0``: chosen by the error). Unknown names are answered with the nearest known one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields
from difflib import get_close_matches
from math import isnan
from typing import Any

from ..errors import InputError, Problem
from .base import Method
from .registry import METHODS

Read = Callable[[Any, str], float]  # a raw value and a unit to a number in SI; raises ValueError
Fail = Callable[[tuple[str, ...], str], None]  # path below "method" and a sentence

TIMES = ("step", "h_min", "h_max")  # options in s, whichever method has them


def number(raw: Any, unit: str) -> float:
    """A plain number; who knows units passes another reader."""
    if isinstance(raw, bool) or not isinstance(raw, (int, float)):
        raise ValueError(f"expected a number{f' in {unit}' if unit else ''}, got {raw!r}")
    return float(raw)


def method_of(given: Any, read: Read = number, /, **overrides: Any) -> Method:
    """The method that ``given`` (a name, a tree or a Method) describes; overrides replace its options.

    Raises InputError with all problems.
    """
    problems: list[Problem] = []
    method = read_method(
        given, read, lambda p, text: problems.append(Problem(".".join(("method", *p)), text)), overrides
    )
    if method is None or problems:
        raise InputError(problems)
    return method


def read_method(given: Any, read: Read, fail: Fail, overrides: Mapping[str, Any] | None = None) -> Method | None:
    """``method_of`` for readers that gather problems: None after one."""
    if isinstance(given, Method):
        kind, options = type(given), {one.name: getattr(given, one.name) for one in options_of(type(given))}
    elif isinstance(given, str):
        given = {given: None}
    if isinstance(given, Mapping):
        if len(given) != 1:
            fail((), "needs the name of one method, or {name: {options}}")
            return None
        name, raw = next(iter(given.items()))
        if name not in METHODS:
            fail((), f"there is no method '{name}'{nearest(str(name), METHODS)}")
            return None
        kind, options = METHODS[name], {} if raw is None else raw
        if not isinstance(options, Mapping):
            fail((str(name),), f"needs a mapping of options such as {{{options_of(kind)[0].name}: ...}}, not {raw!r}")
            return None
    elif not isinstance(given, Method):
        fail((), f"needs the name of a method, not {given!r}")
        return None
    failed = False

    def note(path: tuple[str, ...], text: str) -> None:
        nonlocal failed
        failed = True
        fail(path, text)

    known = {one.name: one for one in options_of(kind)}
    values = {}
    for option, raw in {**options, **(overrides or {})}.items():
        place = (option,) if option in (overrides or {}) else (kind.key, str(option))
        if option not in known:
            note(place, f"the method '{kind.key}' has no option '{option}'{nearest(str(option), known)}")
            continue
        try:
            values[option] = _value(known[option], raw, read)
        except (ValueError, OverflowError, ZeroDivisionError) as error:
            note(place, str(error))
    if failed:
        return None
    try:
        return kind(**values)
    except ValueError as error:  # a method may check how its options fit together
        note((kind.key,), str(error))
        return None


def options_of(kind: type[Method]) -> tuple[Field[Any], ...]:
    """The options of a method."""
    return fields(kind)  # type: ignore[arg-type]


def unit_of(option: Field[Any]) -> str:
    """The unit of an option; empty for a plain number."""
    return str(option.metadata.get("unit", "s" if option.name in TIMES else ""))


def nearest(name: str, known: Any) -> str:
    """The end of a sentence about an unknown name."""
    near = get_close_matches(name, known, n=1, cutoff=0.5)
    return f"; did you mean '{near[0]}'?" if near else f"; known: {', '.join(known)}"


def _value(option: Field[Any], raw: Any, read: Read) -> Any:
    """One option, by the type that its field declares."""
    kind = str(option.type)
    usual = option.default if option.default is not MISSING else None
    if raw is None and "None" in kind:
        return None
    if "bool" in kind:
        if not isinstance(raw, bool):
            raise ValueError(f"must be true or false, not {raw!r}")
        return raw
    if "float" not in kind and "int" not in kind:
        return raw
    if isinstance(raw, (int, float)) and not isinstance(raw, bool) and raw == usual:
        return usual
    value = read(raw, unit_of(option))
    if isnan(value) or not value > 0.0:
        unit = f" {unit_of(option)}" if unit_of(option) else ""
        raise ValueError(f"must be greater than zero, is {value:g}{unit}")
    if "float" not in kind:
        if value != int(value):
            raise ValueError(f"must be a whole number, is {value:g}")
        return int(value)
    return value
