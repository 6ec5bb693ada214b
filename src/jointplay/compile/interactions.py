"""From joints and springs to interactions: one relation, one law, two markers.

This is the only place where a joint is taken apart. Order: per joint, closed groups as its kind lists them (one with
clearance as its contact candidates), then laws on free coordinates, then the free coordinates themselves as measures.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ..codes import Regime
from ..joints.play import Candidate, Room
from ..laws.base import Law
from ..laws.bushing import Bushing
from ..laws.clearance import Backlash, Clearance
from ..model.elements import Joint, LineSpring, Marker, acts_around
from ..model.system import System
from ..relations.base import Use
from ..relations.distance import DISTANCE
from ..relations.point import POINT
from ..relations.separation import SEPARATION


@dataclass(frozen=True)
class Interaction:
    """A relation between two markers under a law (None: only recorded)."""

    owner: str  # name of the joint or spring
    part: str  # closed group or free coordinate
    use: Use
    first: Marker
    second: Marker
    law: Law | None
    closed: bool = False  # belongs to the reaction of its joint
    as_drawn: bool = False  # its value in the drawn configuration counts as zero
    value: float | None = None  # closed value that replaces the drawn one
    shape: tuple[float, float, float] = (0.0, 0.0, 0.0)  # sizes of a contact
    rubs: bool = False  # its law is friction under the reaction of its joint

    @property
    def regime(self) -> Regime:
        """Of its law."""
        return Regime.MEASURE if self.law is None else self.law.regime

    @property
    def name(self) -> str:
        """Such as ``A.radial``."""
        return f"{self.owner}.{self.part}"


def _oriented(joint: Joint, use: Use) -> tuple[Marker, Marker]:
    return (joint.second, joint.first) if use.swapped else (joint.first, joint.second)


def _placed(marker: Marker, point: np.ndarray, axes: np.ndarray) -> Marker:
    """A frame given in joint axes, on the body of ``marker``."""
    return replace(marker, point=marker.point + marker.axes.T @ point, axes=axes @ marker.axes)


def _contact(joint: Joint, group: str, law: Clearance, given: Candidate) -> Interaction:
    one, other = (joint.second, joint.first) if given.swapped else (joint.first, joint.second)
    first = _placed(one, given.first_point, given.first_axes)
    second = _placed(other, given.second_point, given.second_axes)
    return Interaction(joint.name, group, Use(given.relation), first, second, law, True, shape=given.shape)


def _of_coupling(joint: Joint, part: str, use: Use, law: Law | None, closed: bool, rubs: bool = False) -> Interaction:
    """A sum of coordinates; the value as drawn is its offset."""
    offset, shape = joint.value.get("offset"), joint.weights[part]
    return Interaction(joint.name, part, use, *_oriented(joint, use), law, closed, True, offset, shape, rubs)


def contacts_of(joint: Joint, group: str, law: Clearance, plane: np.ndarray | None) -> list[Interaction]:
    """What can touch in a group with clearance; ``plane`` is the normal of planar motion in global axes."""
    play = joint.kind.clear[group]
    if play.walls:
        both = Backlash(law.gap, contact=law.contact)
        return [_of_coupling(joint, group, use, both, True) for use in joint.kind.closed[group]]
    inner = joint.geometry.get("inner", play.inner)
    sizes = {key: size for key, size in joint.geometry.items() if key != "inner"}
    strips = 0 if law.regime is Regime.SET else int(law.strips or 1)
    room = Room(gap=law.gap, inner=inner, plane=plane, strips=strips, **sizes)  # type: ignore[arg-type]
    return [_contact(joint, group, law, candidate) for candidate in play.contacts(room)]


def _around(joint: Joint, group: str, law: Bushing, plane: np.ndarray | None) -> list[Interaction]:
    """A bushing with a force curve around a pin or ball: the curve acts along the radial displacement (paper C eq. 13).

    Its damping and preload stay on the rows of the directions.
    """
    curve = Clearance(0.0, contact=replace(law, damping=0.0, preload=0.0))
    bare = replace(joint, geometry={key: size for key, size in joint.geometry.items() if key in ("inner", "ends")})
    return contacts_of(bare, group, curve, plane)


def _is_pin(uses: tuple[Use, ...], law: Law, plane: np.ndarray) -> bool:
    """True if relations keep two points together in the plane: one relation does the same for both directions."""
    axes = [use.first_axis for use in uses if use.relation is SEPARATION and not use.swapped]
    return law.regime is Regime.BILATERAL and len(axes) == len(uses) == 2 and not np.any(np.abs(plane[axes]) > 1e-12)


def _free_of_coupling(joint: Joint, coordinate: str, use: Use) -> list[Interaction]:
    """Friction, laws and measure of a coordinate, if its sizes were given."""
    if coordinate not in joint.weights:
        return []
    slides = joint.friction is not None and joint.kind.rubs is not None and coordinate in joint.kind.rubs.slides
    found = [_of_coupling(joint, coordinate, use, joint.friction.law, False, True)] if slides and joint.friction else []
    laws = (*joint.free.get(coordinate, ()), None)
    return found + [_of_coupling(joint, coordinate, use, each, False) for each in laws]


def of_joint(joint: Joint, plane: np.ndarray | None = None) -> list[Interaction]:
    """Closed groups, laws on free coordinates, measures."""
    found: list[Interaction] = []
    for group, uses in joint.kind.closed.items():
        law = joint.closed.get(group)
        if isinstance(law, Clearance):
            found += contacts_of(joint, group, law, plane)
        if law is None or isinstance(law, Clearance):
            continue  # its contacts stand above, or those of another group hold it
        if isinstance(law, Bushing) and acts_around(joint.kind, group, law):
            found += _around(joint, group, law, plane)
            law = Bushing(stiffness=0.0, damping=law.damping, preload=law.preload)
        if joint.weights:
            found += [_of_coupling(joint, group, use, law, True) for use in uses]
            continue
        value = joint.value.get(group)
        drawn = joint.kind.spans and value is None
        if plane is not None and value is None and not drawn and _is_pin(uses, law, plane):
            uses = (Use(POINT),)
        for use in uses:
            markers = _oriented(joint, use)
            found.append(Interaction(joint.name, group, use, *markers, law, True, drawn, value))
    for coordinate, use in joint.kind.free.items():
        if joint.weights:
            found += _free_of_coupling(joint, coordinate, use)
            continue
        markers = _oriented(joint, use)
        if joint.friction is not None and joint.kind.rubs is not None and coordinate in joint.kind.rubs.slides:
            law = joint.friction.law
            found.append(Interaction(joint.name, coordinate, use, *markers, law, as_drawn=True, rubs=True))
        for each in (*joint.free.get(coordinate, ()), None):
            found.append(Interaction(joint.name, coordinate, use, *markers, each, as_drawn=True))
    return found


Parts = dict[str, list[Interaction]]  # interactions of each joint and spring, by its name


def interactions_of(
    system: System,
    earlier: tuple[System, Parts] | None = None,
    take_apart: Callable[[Joint, np.ndarray | None], list[Interaction]] = of_joint,
) -> Parts:
    """All interactions of a system; what an ``earlier`` one has too is taken from there."""
    before, known = earlier or (None, {})
    had: dict[str, Joint | LineSpring] = {}
    if before is not None:
        had |= {joint.name: joint for joint in before.joints} | {spring.name: spring for spring in before.springs}
    parts: Parts = {}
    for joint in system.joints:
        pose = system.poses[joint.first.body]
        stays = before is not None and (pose is before.poses.get(joint.first.body) or not system.planar)
        if stays and joint is had.get(joint.name):
            parts[joint.name] = known[joint.name]
        else:
            across = joint.first.axes @ pose.A[2] if system.planar else None  # z of the ground
            parts[joint.name] = take_apart(joint, across)
    for spring in system.springs:
        if spring is had.get(spring.name):
            parts[spring.name] = known[spring.name]
        else:
            parts[spring.name] = [
                Interaction(spring.name, "length", Use(DISTANCE), spring.first, spring.second, spring.law)
            ]
    return parts
