"""Reading again what was read before: a System that is built like an earlier one shares all elements that are the same.

    with following(nominal):
        other = build(mass=1.01)     # reads one body; everything else is that of ``nominal``

An element depends on what was given for it, on the parameters that it names, and on the bodies and markers that it
joins. Where all of these are the same, so is the element, and it need not be read and checked anew. What cannot be
compared (functions, tables) is always read. Systems are the same with and without ``following``; it only saves time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

from ..laws.base import Law
from .body import pose_of
from .elements import Body
from .entry import Scene
from .geometry import Pose
from .plain import PLAIN

WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class Reading:
    """An entry that was read: what was given, what became of it, and how doubtful input was understood."""

    raw: Mapping[str, Any]
    element: Any
    warnings: list[str]

    @cached_property
    def is_plain(self) -> bool:
        """True if it consists of numbers and texts, so that an equal one means the same."""
        return is_plain(self.raw)

    @cached_property
    def texts(self) -> frozenset[str]:
        """All texts in it: bodies and markers that it joins, and expressions."""
        return frozenset(_texts(self.raw))

    @cached_property
    def words(self) -> frozenset[str]:
        """All words in its texts: the parameters that it names are among them."""
        return frozenset(word for text in self.texts for word in WORD.findall(text))


@dataclass
class Readings:
    """All entries of a system that were read, by section and name, and the scene that they were read in."""

    scene: Scene
    known: dict[tuple[str, str], Reading] = field(default_factory=dict)

    def find(self, section: str, name: Any, raw: Mapping[str, Any], scene: Scene) -> Reading | None:
        """The reading of the same entry in this system, if ``scene`` would make it the same."""
        found = self.known.get((section, name)) if isinstance(name, str) else None
        if found is None or not found.is_plain or not _equal(raw, found.raw):
            return None
        before = self.scene
        if scene.planar != before.planar or scene.folder != before.folder or scene.inputs != before.inputs:
            return None
        if scene.values is not before.values and scene.values != before.values:
            both = {*scene.values, *before.values}
            changed = {key for key in both if scene.values.get(key) != before.values.get(key)}
            if not changed.isdisjoint(found.words):
                return None
        if any(scene.hinges.get(hub) != before.hinges.get(hub) for hub in getattr(found.element, "hubs", ())):
            return None
        return found if all(_stands(text, scene, before) for text in found.texts) else None

    def pose(self, body: Body) -> Pose:
        """Where a body stands; what it has here if that is equal, since then all that is joined to it stays as well."""
        known, before = self.scene.poses.get(body.name), self.known.get(("bodies", body.name))
        if known is not None and before is not None:
            drawn = before.element
            if body is drawn or _together(body, drawn):
                return known
        return pose_of(body)


def _together(one: Body, other: Body) -> bool:
    """True if two bodies stand at the same place."""
    return bool((one.position == other.position).all() and (one.orientation == other.orientation).all())


def _stands(name: str, scene: Scene, before: Scene) -> bool:
    """True if a body or marker is the very same in both scenes, or if ``name`` is a text of another kind."""
    marker = scene.markers.get(name)
    if marker is not before.markers.get(name):
        return False
    body = marker.body if marker else name
    return scene.poses.get(body) is before.poses.get(body)


def _values(law: Law) -> list[Any]:
    return [getattr(law, part.name) for part in fields(law)]  # type: ignore[arg-type]


def is_plain(raw: Any) -> bool:
    """True for numbers and texts, and for lists, mappings and laws of them."""
    if type(raw) in PLAIN:
        return True
    if isinstance(raw, Law):
        raw = _values(raw)
    inside = raw.values() if type(raw) is dict else raw if type(raw) in (list, tuple) else None
    return inside is not None and all(is_plain(one) for one in inside)


def _equal(a: Any, b: Any) -> bool:
    try:
        return bool(a == b)
    except ValueError:  # arrays inside a law
        return False


def _texts(raw: Any) -> Iterator[str]:
    if isinstance(raw, str):
        yield raw
        return
    if isinstance(raw, Law):
        raw = _values(raw)
    for one in raw.values() if isinstance(raw, Mapping) else raw if isinstance(raw, list | tuple) else ():
        yield from _texts(one)


_earlier: ContextVar[Readings | None] = ContextVar("earlier", default=None)


def earlier() -> Readings | None:
    """Readings of the system that new ones follow."""
    return _earlier.get()


@contextmanager
def following(readings: Readings) -> Iterator[None]:
    """Within this block, systems take what they have in common with an earlier one from its readings."""
    token = _earlier.set(readings)
    try:
        yield
    finally:
        _earlier.reset(token)
