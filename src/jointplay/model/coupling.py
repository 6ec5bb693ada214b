"""Reading couplings (gears, racks, screws, belts): their sizes, and hubs that hinges and guides of the bodies give.

An argument that is not given (``point_b``, ``axis``) is that of a joint of the body, as drawn: of the one that leaves
the right coordinate free, or of the one that ``hubs`` names.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

import numpy as np

from ..joints.base import Frames, JointKind
from ..joints.coupling import ALIGNED, FITS, OFFSET, Coupling, Misfit, Settled
from .elements import GROUND, Joint, Marker
from .entry import Entry, Field, Scene, kind_of
from .geometry import Pose
from .hinge import Hinge
from .names import suggest

Z = (0.0, 0.0, 1.0)
AXES = {"angle": "hinge", "displacement": "guide"}  # what leaves a coordinate free


def coupling_fields(coupling: Coupling) -> dict[str, Field]:
    """The keys of a coupling beside those of every joint."""
    out = {key: Field(*size) for key, size in coupling.sizes.items()}
    return out | {"hubs": Field("pair", "", "joints that give hub and axis of the first and of the second body")}


def hinge_of(joint: Joint, scene: Scene) -> Hinge | None:
    """Where the axis of a joint stands, as drawn; None for joints without one."""
    if joint.kind.coupling or not {"angle", "displacement"} & set(joint.kind.free):
        return None
    pose = scene.poses[joint.first.body]
    point, axis = pose.point_out(joint.first.point), pose.axes_out(joint.first.axes)[2]
    ends = (joint.first.body, joint.second.body)
    return Hinge(joint.name, ends, frozenset(joint.kind.free), tuple(point.tolist()), tuple(axis.tolist()))


def read_sizes(coupling: Coupling, entry: Entry) -> dict[str, Any]:
    """Sizes as given, in SI."""
    out: dict[str, Any] = {}
    for key, (shape, unit, _) in coupling.sizes.items():
        if key not in entry.raw or key in OFFSET:  # it may be an angle: read once the others have settled
            continue
        raw = entry.raw[key]
        if shape == "flag":
            if not isinstance(raw, bool):
                entry.fail((key,), f"must be true or false, not {kind_of(raw)}")
            out[key] = raw
        elif shape == "two":
            numbers = entry.numbers(raw, (key,), unit, (2,))
            if numbers is not None:
                out[key] = numbers
        else:
            above = None if key in ("lead", "flank") else 0.0
            out[key] = entry.number(key, unit, above=above)
    return {key: value for key, value in out.items() if not isinstance(value, float) or isfinite(value)}


class Hubs:
    """Where the hubs of a coupling are, while it is read."""

    def __init__(self, kind: JointKind, ends: Sequence[str], entry: Entry) -> None:
        assert kind.coupling is not None
        self.kind, self.coupling, self.entry = kind, kind.coupling, entry
        self.marked = [entry.scene.markers.get(end) for end in ends]
        self.bodies = [end if marker is None else marker.body for end, marker in zip(ends, self.marked, strict=True)]
        self.used: list[str] = []
        self.named = self._names()

    def _names(self) -> list[str] | None:
        """The joints under ``hubs``."""
        if "hubs" not in self.entry.raw:
            return None
        raw, hinges = self.entry.raw["hubs"], self.entry.scene.hinges
        if not isinstance(raw, list) or len(raw) != 2:
            self.entry.fail(("hubs",), "needs two joints, one for each body")
            return None
        for k, one in enumerate(raw):
            if isinstance(one, str) and one in self.entry.scene.unread:
                self.entry.failed = True
            elif not isinstance(one, str) or one not in hinges:
                self.entry.fail(("hubs", k), f"there is no hinge or guide '{one}' above{suggest(str(one), hinges)}")
        return None if self.entry.failed else raw

    def arguments(self) -> dict[str, Any] | None:
        """Points and directions as drawn; None after a problem."""
        args: dict[str, Any] = {}
        for key, (end, coordinate) in self.coupling.hubs.items():
            unit = self.kind.arguments[key]
            marker = self.marked[end]
            if key in self.entry.raw:
                if marker is not None:
                    self.entry.fail((key,), "is fixed by the two markers; leave it out, or name two bodies")
                args[key] = self.entry.vector(key, unit) if unit else self.entry.direction(key)
            elif marker is not None:
                pose = self.entry.scene.poses[marker.body]
                args[key] = pose.point_out(marker.point) if unit else pose.axes_out(marker.axes)[2]
            elif self.entry.scene.planar and not unit and coordinate == "angle":
                args[key] = np.array(Z)
            else:
                hinge = self._joint(key, end, coordinate)
                if hinge is not None:
                    args[key] = np.array(hinge.point if unit else hinge.axis)
        ready = len(args) == len(self.coupling.hubs) and all(np.isfinite(one).all() for one in args.values())
        if not ready or self.entry.failed:
            return None
        self._check_axes(args)
        return None if self.entry.failed else args

    def _joint(self, key: str, end: int, coordinate: str) -> Hinge | None:
        """The joint that gives an argument; None after a problem."""
        hinges, body = self.entry.scene.hinges, self.bodies[end]
        if self.named is not None:
            hinge = hinges[self.named[end]]
            self.used.append(hinge.name)
            return hinge
        found = [one for one in hinges.values() if body in one.bodies and coordinate in one.free and body != GROUND]
        if len(found) == 1:
            self.used.append(found[0].name)
            return found[0]
        what = AXES[coordinate]
        if body == GROUND:
            why = "the ground has no hub of its own: give it, or name a joint for each body in 'hubs'"
        elif found:
            names = ", ".join(one.name for one in found)
            why = f"'{body}' has several joints that could give it ({names}): give it, or name joints in 'hubs'"
        else:
            why = f"'{body}' has no {what} above that could give it: give it, or define the {what} first"
        self.entry.fail((), f"'{key}' is missing; {why}")
        return None

    def _check_axes(self, args: dict[str, Any]) -> None:
        """Hubs must lie on the axes of the hinges that wheels turn about, and these be parallel where they have to."""
        for key, (end, coordinate) in self.coupling.hubs.items():
            if coordinate != "angle" or not self.kind.arguments[key] or self.marked[end] is not None:
                continue  # markers are where they are
            axis = args["axis" if "axis" in args else f"axis_{'ab'[end]}"]
            hinges = [
                one
                for one in self.entry.scene.hinges.values()
                if self.bodies[end] in one.bodies and "angle" in one.free and self.bodies[end] != GROUND
            ]
            if not hinges:
                continue
            names = ", ".join(one.name for one in hinges)
            axis = axis / np.linalg.norm(axis)
            along = [one for one in hinges if np.linalg.norm(np.cross(one.axis, axis)) <= ALIGNED]
            if not along:
                hint = "; a bevel_gear joint couples axes that meet" if self.coupling.parallel else ""
                self.entry.fail(
                    (), f"its axis is not parallel to that of the hinge of '{self.bodies[end]}' ({names}){hint}"
                )
                continue
            ways = [np.cross(np.asarray(one.point) - args[key], axis) for one in along]
            size = max(float(np.linalg.norm(args[other] - args[key])) for other in args if self.kind.arguments[other])
            nearest = min(float(np.linalg.norm(way)) for way in ways)
            if nearest > FITS * (size or 1.0):
                self.entry.fail(
                    (key,) if key in self.entry.raw else (),
                    f"the hub of '{self.bodies[end]}' lies {nearest:.4g} m beside the axis of its hinge ({names})",
                )


def settled(kind: JointKind, frames: Frames, given: dict[str, Any], entry: Entry) -> tuple[Frames, Settled] | None:
    """Frames and coefficients of a coupling; None after a problem."""
    assert kind.coupling is not None
    flat = np.abs(frames.first_axes[2][:2]).max() <= ALIGNED
    if entry.scene.planar and not (kind.coupling.planar and flat):
        entry.fail(
            (), f"a planar model has no room for a {kind.key} joint" + (" with this axis" * kind.coupling.planar)
        )
        return None
    try:
        if kind.coupling.place is not None:
            frames = kind.coupling.place(frames, given)
        found = kind.coupling.settle(frames, given)
    except Misfit as error:
        entry.fail((error.key,) if error.key in entry.raw else (), str(error))
        return None
    for coordinate in [one for one in kind.free if one in entry.raw and one not in found.weights]:
        entry.fail((coordinate,), f"needs {_for_sliding(kind)}: without it the sliding speed is not defined")
    return frames, found


def _for_sliding(kind: JointKind) -> str:
    return " and ".join(f"'{key}'" for key in (kind.rubs.needs[:1] if kind.rubs else ()))


def markers_of(frames: Frames, bodies: Sequence[str], poses: dict[str, Pose]) -> tuple[Marker, Marker]:
    """Frames as drawn, on their bodies."""
    one, other = (poses[body] for body in bodies)
    return (
        Marker(bodies[0], one.point_in(frames.first_point), one.axes_in(frames.first_axes)),
        Marker(bodies[1], other.point_in(frames.second_point), other.axes_in(frames.second_axes)),
    )
