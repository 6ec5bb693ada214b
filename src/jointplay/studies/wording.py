r"""Wording: the expressions of a model, as numbers from its inputs.

.. math::  u(p) = (p,\ \text{parameters that follow from } p,\ \text{expressions in entries that name them},\
    \text{orientations and frames made of these})

A model file has ``z: 0.12 m + crank``, ``position: [x/2, y/2, z/2]``. Such expressions bend as they please (roots,
angles, bends), and are worked out here from their trees, in a tenth of a millisecond. What compiling makes of them
before joints are closed is then mostly a copy, a sum or an inverse, over ranges of any width (fillings.py). Where
bodies are turned or axes follow from expressions, so are what readers make of the drawing (drawn.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..model.system import SECTIONS, System
from ..quantities.dimension import Value
from ..quantities.expression import Node, names_in, parse, resolve, sample
from ..sensitivity.model_paths import replaced
from ..sensitivity.source import Source
from .drawn import Drawn, drawn_of

NONE = np.zeros(0)


@dataclass(frozen=True, eq=False)
class Wording:
    """Trees of all that follows from the inputs, in SI; and what of it counts, once that is known."""

    inputs: tuple[str, ...]  # as expressions name them; "" of an input that is a number of an entry
    derived: tuple[tuple[str, Node], ...]  # parameters, each behind those that it names
    moved: tuple[Node, ...]  # expressions of entries
    texts: tuple[str, ...]  # as they are written
    places: tuple[tuple[str, int], ...] = ()  # texts that stand for inputs that are numbers of entries
    drawn: Drawn | None = None
    kept: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))  # which numbers count
    centre: np.ndarray = field(default_factory=lambda: NONE)
    scale: np.ndarray = field(default_factory=lambda: NONE)
    low: np.ndarray = field(default_factory=lambda: NONE)  # between these the model takes all of them; empty: always
    high: np.ndarray = field(default_factory=lambda: NONE)

    def values(self, p: np.ndarray) -> np.ndarray | None:
        """u at p; None where an expression has no finite value."""
        given = p.tolist()
        known: dict[str, Any] = dict(zip(self.inputs, given, strict=True))
        with np.errstate(all="ignore"):
            for name, node in self.derived:
                known[name] = sample(node, known)
            moved = [sample(node, known) for node in self.moved]
        out = np.array([*given, *(known[name] for name, _ in self.derived), *moved], dtype=float)
        if not np.isfinite(out).all():
            return None
        if self.drawn is None:
            return out
        values = dict(zip(self.texts, map(float, moved), strict=True)) | {text: given[k] for text, k in self.places}
        drawn = self.drawn.numbers(values)
        return np.concatenate([out, drawn]) if np.isfinite(drawn).all() else None

    def holds(self, u: np.ndarray) -> bool:
        """True where the model is known to take all numbers."""
        return not len(self.low) or bool((u >= self.low).all() and (u <= self.high).all())

    def terms(self, p: np.ndarray) -> np.ndarray | None:
        """What counts of u, as it is and then centred; None where it does not hold."""
        u = self.values(p)
        if u is None or not self.holds(u):
            return None
        own = u[self.kept]
        return np.concatenate([own, (own - self.centre) / self.scale])


def with_drawing(wording: Wording, source: Source, *, frames: bool) -> Wording | None:
    """The same with orientations of bodies, and with frames of joints if requested; None where none of them moves."""
    assert source.tree is not None
    tree: Mapping[str, Any] = source.tree
    places = []
    for k, (name, one) in enumerate(zip(wording.inputs, source.parameters, strict=True)):
        if not name:  # a number of an entry: a text that stands for it
            places.append((f"input {k}", k))
            tree = replaced(tree, source.places[one.name], f"input {k}")
    drawn = drawn_of(tree, source.system(), {*wording.texts, *(text for text, _ in places)}, frames=frames)
    return None if drawn is None else replace(wording, drawn=drawn, places=tuple(places))


def wording_of(source: Source) -> Wording | None:
    """The wording of a model that is data, without its drawing; None of one that a function makes."""
    if source.tree is None:
        return None
    system = source.system()
    inputs = tuple(_parameter(source, one.name) for one in source.parameters)
    moving, derived = {name for name in inputs if name}, []
    waiting = {name: raw for name, raw in source.tree.get("parameters", {}).items() if isinstance(raw, str)}
    found = True
    while found:  # parameters that follow, each behind those that it names
        found = False
        for name, raw in list(waiting.items()):
            if name in moving:
                del waiting[name]
                continue
            node = parse(raw, system.values.keys())
            used = names_in(node)
            if used & moving and not (used & waiting.keys() and _waits(used & waiting.keys(), waiting, moving, system)):
                del waiting[name]
                tree = _tree(raw, system.values, moving)
                if tree is None:
                    return None
                derived.append((name, tree))
                moving.add(name)
                found = True
    texts = dict.fromkeys(text for key in (*SECTIONS, "gravity") for text in _texts(source.tree.get(key)))
    trees = {text: _tree(text, system.values, moving) for text in texts}
    moved = {text: one for text, one in trees.items() if one is not None}
    return Wording(inputs, tuple(derived), tuple(moved.values()), tuple(moved))


def _waits(names: set[str], waiting: Mapping[str, str], moving: set[str], system: System) -> bool:
    """True if one of these parameters moves too, and has not been worked out yet."""
    seen: set[str] = set()
    left = set(names)
    while left:
        name = left.pop()
        seen.add(name)
        used = names_in(parse(waiting[name], system.values.keys()))
        if used & moving:
            return True
        left |= (used & waiting.keys()) - seen
    return False


def _parameter(source: Source, name: str) -> str:
    """Name of a parameter under which expressions know an input; "" if it is a number of an entry."""
    path = source.places[name]
    return str(path[1]) if path[0] == "parameters" else ""


def _texts(raw: Any) -> Iterator[str]:
    if isinstance(raw, str):
        yield raw
    elif isinstance(raw, Mapping | list | tuple):
        for one in raw.values() if isinstance(raw, Mapping) else raw:
            yield from _texts(one)


def _tree(text: str, values: Mapping[str, Value], moving: set[str]) -> Node | None:
    """The tree of an expression in names that move, in SI; None of another text."""
    try:
        node = parse(text, values.keys())
        if not names_in(node) & moving:
            return None
        return resolve(node, values, {name: values[name].dimension for name in names_in(node) & moving})[0]
    except ValueError:  # a name, a function of time, a power that is not constant
        return None
