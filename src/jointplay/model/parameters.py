"""Parameters: named values of a model, each a number, a text with a unit, or arithmetic over other parameters.

They may stand in any order; a parameter is worked out after those that it names. A circle is an error that states who
names whom.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..quantities.expression import Node, Value, evaluate, names_in, parse
from ..quantities.units import value_of
from .entry import kind_of
from .names import suggest

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
RESERVED = ("t",)  # time, in expressions
MOST_HINTS = 20  # each one searches all names
UNITS = frozenset("m mm cm km um s ms us min kg rad mrad deg rev N kN Nm Pa MPa GPa Hz".split())


def resolve(raw: Mapping[str, Any]) -> tuple[dict[str, Value], list[tuple[str, str]]]:
    """Values of all parameters that have one, and (name, message) for each that is wrong in itself."""
    problems: list[tuple[str, str]] = []
    waiting: dict[str, set[str]] = {}
    trees: dict[str, Node] = {}
    names = frozenset(raw)
    for name, given in raw.items():
        message = name_problem(name) or _value_problem(given)
        if message:
            problems.append((str(name), message))
            continue
        needs: set[str] = set()
        try:
            if isinstance(given, str):
                trees[name] = parse(given, names=names)
                needs = names_in(trees[name])
        except ValueError as error:
            problems.append((name, str(error)))
            continue
        unknown = sorted(needs - names)
        if unknown:
            hint = suggest(unknown[0], raw) if len(problems) < MOST_HINTS else ""
            problems.append((name, f"unknown name '{unknown[0]}'{hint}"))
        else:
            waiting[name] = needs
    values: dict[str, Value] = {}
    # Work out whatever has all it needs, until nothing more can be; what then remains is broken or in a circle.
    ready = [name for name, needs in waiting.items() if not needs]
    users: dict[str, list[str]] = {}
    for name, needs in waiting.items():
        for need in needs:
            users.setdefault(need, []).append(name)
    missing = {name: set(needs) for name, needs in waiting.items()}
    while ready:
        name = ready.pop()
        try:
            values[name] = evaluate(trees[name], values) if name in trees else value_of(raw[name])
        except (ValueError, OverflowError, ZeroDivisionError) as error:
            problems.append((name, str(error)))
            continue
        for user in users.get(name, ()):
            missing[user].discard(name)
            if not missing[user]:
                ready.append(user)
    circle = _circle(waiting)
    if circle:
        problems.append((circle[0], f"parameters name each other in a circle: {' -> '.join(circle)}"))
    return values, problems


def name_problem(name: Any, what: str = "a parameter") -> str:
    """Why this cannot be the name of a parameter, or of something else that expressions name; nothing if it can."""
    if not isinstance(name, str) or not NAME.match(name):
        return f"the name of {what} needs letters, digits and _ only, and begins with a letter"
    if name in RESERVED:
        return f"'{name}' stands for time and cannot name {what}"
    if name in UNITS:
        return f"'{name}' is a unit: with {what} of that name, 5 N/{name} would be ambiguous; choose another"
    try:
        own = name in names_in(parse(name, names=(name,)))
    except ValueError:  # the name of a function
        own = False
    return "" if own else f"'{name}' has a meaning of its own in expressions and cannot name {what}"


def _value_problem(raw: Any) -> str:
    if isinstance(raw, bool) or not isinstance(raw, (int, float, str)):
        return f"needs a number, a text with a unit or an expression, not {kind_of(raw)}"
    return ""


def _circle(needs: Mapping[str, set[str]]) -> list[str]:
    """Names along one circle, the first repeated at the end; empty if there is none."""
    done: set[str] = set()
    for start in needs:
        trail: dict[str, Iterator[str]] = {} if start in done else {start: iter(sorted(needs[start]))}
        while trail:  # depth first; a dict keeps the order of the way here and finds names at once
            name = next(reversed(trail))
            need = next(trail[name], None)
            if need is None:
                del trail[name]
                done.add(name)
            elif need in trail:
                way = list(trail)
                return [*way[way.index(need) :], need]
            elif need in needs and need not in done:
                trail[need] = iter(sorted(needs[need]))
    return []
