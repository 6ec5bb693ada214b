r"""What a drawing makes of expressions: orientations of bodies and frames of joints, by the very readers of a model.

A matrix of expressions, or an axis and an angle, becomes Euler parameters p and a rotation A(p); a point and an axis
as drawn become a point and axes on each of two bodies, A^T (x - r) and E A. These are no lines of what the
expressions give; they are numbers of their own in what members are filled from (wording.py).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..joints.base import JointKind
from ..model.elements import GROUND
from ..model.entry import Entry, Scene
from ..model.geometry import HOME, Pose, rotation_matrix
from ..model.joint import joint_markers
from ..model.orientation import read_orientation
from ..model.system import System
from ..quantities.units import value_of

Values = Mapping[str, float]  # values of expressions that move, by their text
DRAWN = ("position", "orientation")


@dataclass(frozen=True, eq=False)
class Drawn:
    """Entries whose place in the drawing moves, with names of expressions where these move and numbers elsewhere."""

    planar: bool
    fixed: Mapping[str, Pose]  # of bodies that stay where they are
    bodies: tuple[tuple[str, Mapping[str, Any]], ...]
    joints: tuple[tuple[JointKind, tuple[str, str], Mapping[str, Any]], ...]  # kind, bodies, geometry

    def numbers(self, values: Values) -> np.ndarray:
        """All orientations and frames; not a number where a reader refuses them."""
        out: list[np.ndarray] = []
        scene = Scene(self.planar, poses={GROUND: HOME, **self.fixed})
        for name, raw in self.bodies:
            entry = Entry(_filled(raw, values), scene)
            p, r = read_orientation(entry, in_plane=True), entry.vector("position", "m")
            A = rotation_matrix(p)
            scene.poses[name] = Pose(r, A)
            if "orientation" in raw:
                out += [p, A.ravel()]
            if entry.failed:
                return np.full(1, np.nan)
        for kind, ends, raw in self.joints:
            found = joint_markers(kind, ends, Entry(_filled(raw, values), scene))
            if found is None:
                return np.full(1, np.nan)
            for marker in found:
                out += [marker.point, marker.axes.ravel()]
        return np.concatenate(out)


def drawn_of(tree: Mapping[str, Any], system: System, texts: Collection[str], *, frames: bool) -> Drawn | None:
    """What moves in the drawing, where ``texts`` are the expressions that move; with frames of joints if requested.

    None where nothing does, or where a number is unknown.
    """
    poses = {body.name: Pose(body.position, rotation_matrix(body.orientation)) for body in system.bodies}
    bodies: list[tuple[str, Mapping[str, Any]]] = []
    joints = []
    try:
        for name, entry in tree.get("bodies", {}).items():
            own = {key: _known(entry[key], system, texts) for key in DRAWN if key in entry}
            if any(text in texts for text in _leaves(own)):
                bodies.append((name, own))
        moving = {name for name, _ in bodies}
        for joint in system.joints if frames else ():
            entry = tree["joints"][joint.name]
            own = {key: _known(entry[key], system, texts) for key in joint.kind.arguments if key in entry}
            ends = tuple(entry["between"])
            if any(end not in poses and end != GROUND for end in ends):
                continue  # markers have places of their own
            if moving.intersection(ends) or any(text in texts for text in _leaves(own)):
                joints.append((joint.kind, ends, own))
    except (KeyError, TypeError, ValueError):
        return None
    if not joints and not any("orientation" in own for _, own in bodies):
        return None
    fixed = {name: pose for name, pose in poses.items() if name not in moving}
    return Drawn(system.planar, fixed, tuple(bodies), tuple(joints))


def _known(raw: Any, system: System, texts: Collection[str]) -> Any:
    """An entry with numbers in SI for all texts but those that move; raises ValueError."""
    if isinstance(raw, Mapping):
        return {key: _known(one, system, texts) for key, one in raw.items()}
    if isinstance(raw, list | tuple):
        return [_known(one, system, texts) for one in raw]
    return raw if not isinstance(raw, str) or raw in texts else value_of(raw, system.values).si


def _filled(raw: Any, values: Values) -> Any:
    if isinstance(raw, dict):
        return {key: _filled(one, values) for key, one in raw.items()}
    if isinstance(raw, list):
        return [_filled(one, values) for one in raw]
    return values[raw] if isinstance(raw, str) else raw


def _leaves(raw: Any) -> Iterator[Any]:
    if isinstance(raw, dict):
        raw = list(raw.values())
    if isinstance(raw, list):
        for one in raw:
            yield from _leaves(one)
    elif isinstance(raw, str):
        yield raw
