"""Reading springs along a line, forces and torques.

A spring pulls along the line between two points with lambda of laws/spring.py on their distance; its free length is
the distance as drawn unless given. Components of loads are functions of time (quantities/signal.py).
"""

from __future__ import annotations

import numpy as np

from ..laws.spring import Spring
from ..quantities.signal import Signal, Table
from .elements import GROUND, LineSpring, Load, Marker
from .entry import Entry, Field, Path, kind_of
from .geometry import HOME
from .lawtree import default, law_unit, parts
from .names import suggest
from .plain import split

SPRING: dict[str, Field] = {
    "between": Field("pair", "", "two bodies or markers", required=True),
    "point_a": Field("vector", "m", "point on the first body, global axes, as drawn"),
    "point_b": Field("vector", "m", "point on the second body, global axes, as drawn"),
    "stiffness": Field("quantity", "N/m", "stiffness"),
    "damping": Field("quantity", "N*s/m", "damping"),
    "free_length": Field("quantity", "m", "length without force; as drawn if not given"),
    "preload": Field("quantity", "N", "force at the free length; positive pushes the ends apart"),
}

FORCE: dict[str, Field] = {
    "body": Field("name", "", "the body that the force acts on", required=True),
    "force": Field(
        "signals", "N", "three components: numbers, expressions of time and motion, or tables", required=True
    ),
    "point": Field("vector", "m", "where it acts, global axes, as drawn; the centre of mass if not given"),
    "axes": Field("axes", "", "axes of the components: global (default) or body"),
}

TORQUE: dict[str, Field] = {
    "body": Field("name", "", "the body that the torque acts on", required=True),
    "torque": Field("signals", "N*m", "three components; in planar models the one about z", required=True),
    "axes": Field("axes", "", "axes of the components: global (default) or body"),
}


def read_spring(name: str, entry: Entry) -> LineSpring | None:
    """A spring along a line, or None after a problem."""
    entry.keys(SPRING)
    raw = entry.raw.get("between")
    if "between" in entry.raw and (not isinstance(raw, list) or len(raw) != 2):
        entry.fail(("between",), "needs two bodies or markers")
    ends = [_end(entry, k, key) for k, key in enumerate(("point_a", "point_b"))]
    numbers = {}
    for part in parts(Spring):
        facts = part.metadata
        key = "free_length" if part.name == "free" else part.name
        least = 0.0 if part.name == "free" else facts["least"]
        numbers[part.name] = entry.number(key, law_unit(facts["unit"], "m"), float(default(part)), least=least)
    if entry.failed or ends[0] is None or ends[1] is None:
        return None
    first, second = ends[0], ends[1]
    gap = entry.scene.poses[second.body].point_out(second.point) - entry.scene.poses[first.body].point_out(first.point)
    if first.body == second.body:
        entry.fail(("between",), f"ties '{first.body}' to itself")
        return None
    if not gap.any() and ("free_length" not in entry.raw or numbers["free"] or numbers["preload"]):
        entry.fail((), "the two points coincide; the line between them has no direction")
        return None
    if "free_length" not in entry.raw:
        numbers["free"] = float(np.linalg.norm(gap))
    return LineSpring(name, first, second, Spring(**numbers))


def _end(entry: Entry, k: int, key: str) -> Marker | None:
    """One end of a spring: a marker, or a body and a point as drawn."""
    raw = entry.raw.get("between")
    if not isinstance(raw, list) or len(raw) != 2:
        return None
    end = entry.body(raw[k], ("between", k), markers=True)
    if end is None:
        return None
    if end in entry.scene.markers:
        if key in entry.raw:
            entry.fail((key,), f"is fixed by the marker '{end}'; leave it out, or name a body")
        marker = entry.scene.markers[end]
        return Marker(marker.body, marker.point, marker.axes)
    if key not in entry.raw:
        entry.fail((), f"'{key}' is missing (a point in global axes, as drawn)")
        return None
    pose = entry.scene.poses[end]
    return Marker(end, pose.point_in(entry.vector(key, "m")), pose.axes_in(np.eye(3)))


def read_force(name: str, entry: Entry) -> Load | None:
    """A force on a body, or None after a problem."""
    entry.keys(FORCE)
    body, in_body_axes = _body_and_axes(entry)
    components = _components(entry, "force", "N", (0, 1) if entry.scene.planar else (0, 1, 2))
    pose = entry.scene.poses[body] if body else HOME
    point = pose.point_in(entry.vector("point", "m")) if "point" in entry.raw else np.zeros(3)
    if entry.failed or body is None or components is None:
        return None
    return Load(name, body, point, components, False, in_body_axes)


def read_torque(name: str, entry: Entry) -> Load | None:
    """A torque on a body, or None after a problem."""
    entry.keys(TORQUE)
    body, in_body_axes = _body_and_axes(entry)
    components = _components(entry, "torque", "N*m", (2,) if entry.scene.planar else (0, 1, 2))
    if entry.failed or body is None or components is None:
        return None
    return Load(name, body, np.zeros(3), components, True, in_body_axes)


def _body_and_axes(entry: Entry) -> tuple[str | None, bool]:
    axes = entry.raw.get("axes", "global")
    if axes not in ("global", "body"):
        hint = suggest(axes, ("global", "body")) if isinstance(axes, str) else ""
        entry.fail(("axes",), f"must be 'global' or 'body', not {kind_of(axes)}{hint}")
    body = entry.body(entry.raw["body"], ("body",)) if "body" in entry.raw else None
    if body == GROUND:
        entry.fail(("body",), "the ground does not move; a load on it has no effect")
    return body, axes == "body"


def _components(entry: Entry, key: str, unit: str, places: tuple[int, ...]) -> tuple[Signal, Signal, Signal] | None:
    """Three functions of time from a list of them, or of those in ``places`` only (planar models)."""
    if key not in entry.raw:
        return None
    raw = entry.raw[key]
    if callable(raw) and not isinstance(raw, (Signal, Table)):
        try:
            raw = split(raw) or [raw]
        except Exception as error:  # the user's own code: whatever it raises is reported
            entry.fail((key,), f"the function failed at t = 0: {type(error).__name__}: {error}")
            return None
    elif not isinstance(raw, list) and len(places) == 1:
        raw = [raw]
    if not isinstance(raw, list) or len(raw) not in (len(places), 3):
        wanted = "3" if len(places) == 3 else f"{len(places)} or 3"
        entry.fail(
            (key,),
            f"needs {wanted} components, {f'has {len(raw)}' if isinstance(raw, list) else f'not {kind_of(raw)}'}",
        )
        return None
    paths: list[Path] = [(key, k) for k in range(len(raw))] if isinstance(entry.raw[key], list) else [(key,)] * len(raw)
    used = places if len(raw) == len(places) else (0, 1, 2)
    components: list[Signal | None] = [Signal.of(0.0, unit) for _ in range(3)]
    for k, one, path in zip(used, raw, paths, strict=True):
        components[k] = given = entry.signal(one, path, unit)
        if given is not None and k not in places and not (given.is_constant and given.constant == 0.0):
            entry.fail(path, "must be 0 in a planar model")
    first, second, third = components
    return None if first is None or second is None or third is None else (first, second, third)
