"""Which joint of a System has the motions of a connection.

One entry per sequence of freedoms: the kind, what must hold for their lines, the geometry, and the coordinate of the
System that each freedom is (None: it has none, as the turns of a ball).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..joints.frames import triad
from .kinematics import Line
from .robot import BALL, HINGE, SLIDE

LOCKED = 1e-3  # volume spanned by three axes below which they are as good as in one plane
ANGLE = 1e-9  # rad, by which axes that should be parallel or perpendicular may fail to be


@dataclass(frozen=True)
class Fit:
    """A joint of a System: kind, geometry in global axes, coordinate of each freedom with its sign."""

    kind: str
    geometry: dict[str, Any]
    coordinates: tuple[tuple[str, float] | None, ...]


Maker = Callable[[Sequence[Line]], Fit | None]


def fit(kinds: Sequence[str], lines: Sequence[Line], origin: np.ndarray) -> Fit | None:
    """The joint for freedoms of these kinds along these lines; ``origin`` is where the child frame stands."""
    maker = KINDS.get(tuple(kinds))
    if maker is not None:
        return maker(lines)
    return Fit("fixed", {"point": origin.tolist()}, ()) if not kinds else None


def _along(line: Line) -> dict[str, Any]:
    return {"point": line.point.tolist(), "axis": line.axis.tolist()}


def _parallel(a: np.ndarray, b: np.ndarray) -> bool:
    return float(np.linalg.norm(np.cross(a, b))) < ANGLE


def _revolute(lines: Sequence[Line]) -> Fit | None:
    return Fit("revolute", _along(lines[0]), (("angle", 1.0),))


def _prismatic(lines: Sequence[Line]) -> Fit | None:
    return Fit("prismatic", _along(lines[0]), (("displacement", 1.0),))


def _spherical(lines: Sequence[Line]) -> Fit | None:
    return Fit("spherical", {"point": lines[0].point.tolist()}, (None,))


def _cylindrical(hinge: int) -> Maker:
    def make(lines: Sequence[Line]) -> Fit | None:
        turn, slide = lines[hinge], lines[1 - hinge]
        if not _parallel(turn.axis, slide.axis):
            return None
        both = (("angle", 1.0), ("displacement", float(np.sign(turn.axis @ slide.axis))))
        return Fit("cylindrical", _along(turn), both if hinge == 0 else both[::-1])

    return make


def _universal(lines: Sequence[Line]) -> Fit | None:
    a, b = lines
    apart = b.point - a.point
    size = max(1.0, float(np.abs(apart).max()))
    normal = np.cross(a.axis, b.axis)
    if abs(a.axis @ b.axis) > ANGLE or abs(apart @ normal) > 1e-9 * size:
        return None
    crossing = a.point + a.axis * (apart @ a.axis)  # perpendicular lines that meet
    geometry = {"point": crossing.tolist(), "axis_a": a.axis.tolist(), "axis_b": b.axis.tolist()}
    return Fit("universal", geometry, (("angle_a", 1.0), ("angle_b", 1.0)))


def _three_hinges(lines: Sequence[Line]) -> Fit | None:
    """Axes through one point, in three directions: all rotations are free, as in a ball; their angles are lost."""
    axes = np.array([line.axis for line in lines])
    if abs(np.linalg.det(axes)) < LOCKED:
        return None
    # the point nearest to all three lines: sum of (I - a a^T) (x - p) = 0
    across = [np.eye(3) - np.outer(axis, axis) for axis in axes]
    point = np.linalg.solve(sum(across), sum(P @ line.point for P, line in zip(across, lines, strict=True)))
    miss = max(float(np.linalg.norm(P @ (point - line.point))) for P, line in zip(across, lines, strict=True))
    if miss > 1e-9 * max(1.0, float(np.abs(point).max())):
        return None
    return Fit("spherical", {"point": point.tolist()}, (None, None, None))


def _planar(lines: Sequence[Line]) -> Fit | None:
    first, second, turn = lines
    if max(abs(first.axis @ turn.axis), abs(second.axis @ turn.axis), abs(first.axis @ second.axis)) > ANGLE:
        return None
    h, t, _ = triad(turn.axis)
    names: list[tuple[str, float] | None] = []
    for line in (first, second):
        along = [(f"displacement_{key}", float(np.sign(line.axis @ axis))) for key, axis in (("h", h), ("t", t))
                 if _parallel(line.axis, axis)]  # fmt: skip
        names.append(along[0] if along else None)
    return Fit("planar", _along(turn), (*names, ("angle", 1.0)))


KINDS: dict[tuple[str, ...], Maker] = {
    (HINGE,): _revolute,
    (SLIDE,): _prismatic,
    (BALL,): _spherical,
    (HINGE, SLIDE): _cylindrical(0),
    (SLIDE, HINGE): _cylindrical(1),
    (HINGE, HINGE): _universal,
    (HINGE, HINGE, HINGE): _three_hinges,
    (SLIDE, SLIDE, HINGE): _planar,
}
