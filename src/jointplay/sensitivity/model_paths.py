"""Numbers inside the tree of a model, by dotted path: ``bodies.slider.mass``, ``joints.B.radial.clearance``.

A leaf is a number, a text with a unit, or an expression over parameters; its value is that number in SI.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from ..model.body import BODY, MARKER
from ..model.entry import kind_of
from ..model.force import FORCE, SPRING, TORQUE
from ..model.names import dotted
from ..model.state import STATE
from ..quantities.dimension import Dimension, QuantityError, Value
from ..quantities.expression import names_in, parse
from ..quantities.units import dimension_of, value_of

Path = tuple[str | int, ...]

FIELDS = {"bodies": BODY, "markers": MARKER, "springs": SPRING, "forces": FORCE, "torques": TORQUE, "states": STATE}
SETTINGS = ("jointplay", "name", "planar", "run")  # not physics: no derivative with respect to these
WORDS = ("type", "between", "body", "axes", "inner", "material", "form", "impacts", "kind", "shape")  # no physics below
MOST_SHOWN = 8


def path_of(name: str, tree: Mapping[str, Any]) -> Path:
    """The place that ``name`` means: a parameter by its bare name, anything by its dotted path."""
    if name in (tree.get("parameters") or {}):
        return ("parameters", name)
    pieces = re.sub(r"\[(\d+)\]", r".\1", name.strip()).split(".")
    path: list[str | int] = []
    here: Any = tree
    while pieces:
        # a law of another module is called "package.module:function": as many pieces as make a key
        keys = here if isinstance(here, Mapping) else ()
        many = next((n for n in range(1, len(pieces) + 1) if ".".join(pieces[:n]) in keys), 1)
        piece = ".".join(pieces[:many])
        del pieces[:many]
        path.append(int(piece) if isinstance(here, list) and piece.isdigit() else piece)
        try:
            here = here[path[-1]]
        except (KeyError, IndexError, TypeError):
            here = None
    return tuple(path)


def at(tree: Any, path: Path) -> Any:
    """What stands at ``path``; KeyError if nothing does."""
    for step in path:
        if isinstance(tree, list) and isinstance(step, int) and step < len(tree):
            tree = tree[step]
        elif isinstance(tree, Mapping) and step in tree:
            tree = tree[step]
        else:
            raise KeyError(step)
    return tree


def replaced(tree: Any, path: Path, value: Any) -> Any:
    """A tree that has ``value`` at ``path`` and shares all the rest with ``tree``."""
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(tree, list):
        assert isinstance(step, int)
        return [*tree[:step], replaced(tree[step], rest, value), *tree[step + 1 :]]
    return {**tree, step: replaced(tree[step], rest, value)}


def numbers(tree: Any, values: Mapping[str, Value], path: Path = ()) -> Iterator[Path]:
    """Paths of all leaves that are numbers."""
    if _is_word(path):
        return
    if isinstance(tree, Mapping):
        for key, inner in tree.items():
            if path or key not in SETTINGS:
                yield from numbers(inner, values, (*path, key))
    elif isinstance(tree, list):
        for k, inner in enumerate(tree):
            yield from numbers(inner, values, (*path, k))
    elif not isinstance(tree, str) or any(c.isdigit() for c in tree) or set(_words(tree)) & set(values):
        try:
            value_of(tree, values)
        except (ValueError, OverflowError, ZeroDivisionError):
            return
        yield path


def _is_word(path: Path) -> bool:
    """A name, even if a parameter is called the same."""
    return any(step in WORDS for step in path[2:])


def _words(text: str) -> list[str]:
    return re.findall(r"[A-Za-z_]\w*", text)


def read_leaf(name: str, tree: Mapping[str, Any], values: Mapping[str, Value]) -> tuple[Path, Value]:
    """Path and value of a leaf; raises QuantityError with the sentence that a user needs."""
    path = path_of(name, tree)
    if path and path[0] in SETTINGS:
        raise QuantityError(f"'{path[0]}' is no part of the mechanism; derivatives are taken of its numbers")
    try:
        raw = at(tree, path)
    except KeyError:
        raise QuantityError(_missing(name, tree, values)) from None
    if isinstance(raw, str) and _is_word(path):
        raise QuantityError(f"is the text '{raw}', not a number")
    if isinstance(raw, (Mapping, list)):
        inside = [dotted(one) for one in numbers(raw, values, path)]
        shown = ", ".join(inside[:MOST_SHOWN]) + (", ..." if len(inside) > MOST_SHOWN else "")
        raise QuantityError(f"is {kind_of(raw)}, not a number" + (f"; numbers in it: {shown}" if inside else ""))
    try:
        found = value_of(raw, values)
    except (ValueError, OverflowError, ZeroDivisionError) as error:
        raise QuantityError(_not_a_number(raw, str(error), values)) from None
    return path, Value(found.si, found.dimension or expected(path))


def _missing(name: str, tree: Mapping[str, Any], values: Mapping[str, Value]) -> str:
    """There is no such leaf: the nearest ones."""
    known = [*(tree.get("parameters") or {}), *(dotted(path) for path in numbers(tree, values))]
    near = get_close_matches(name, known, n=3, cutoff=0.6)
    if near:
        return f"there is no such number in the model; did you mean {' or '.join(near)}?"
    first = list(tree.get("parameters") or {}) or known
    shown = ", ".join(first[:MOST_SHOWN]) + (", ..." if len(first) > MOST_SHOWN else "")
    return f"there is no such number in the model (what is left at its default must be written first); known: {shown}"


def _not_a_number(raw: Any, message: str, values: Mapping[str, Value]) -> str:
    if not isinstance(raw, str):
        return f"is {kind_of(raw)}, not a number"
    try:
        named = set(names_in(parse(raw, names=(*values, "t"))))
    except ValueError:
        named = {raw}
    if named - {*values, "t"}:
        return f"is the text '{raw}', not a number"
    if "t" in named:
        return f"is a function of time, '{raw}'; put the number that you mean under parameters, and its name here"
    return f"is not a number: {message}"


def expected(path: Path) -> Dimension | None:
    """The dimension that a plain number has at ``path``, where the tables of fields tell it."""
    unit = ""
    if path[0] == "gravity":
        unit = "m/s^2"
    elif len(path) > 2 and path[0] in FIELDS and path[2] in FIELDS[str(path[0])]:
        unit = FIELDS[str(path[0])][str(path[2])].unit
    return dimension_of(unit) if unit else None
