"""What bodies look like: the shapes given, or shapes made from joint points and mass properties.

One rule after the other, until one fits:

1. a body that slides in a guide is the slider: a box (or its section) of the guide's sizes; a sleeve is drawn by its
   joint and needs no more; wheels, rings, screws and nuts are what their coupling defines (viewer/couplings.py);
2. mass and inertia of a ball, and all joint points well inside it: that ball;
3. two points: a link; three and more: a plate in planar models, else links to the centre of mass;
4. one point: a bar with the centre of mass in its middle, if the inertia is one of a bar; the box with its inertia, if
   the point lies at it (a door); else a rod and a bob (a pendulum).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..joints.frames import triad
from ..model.elements import GROUND, Body, Joint
from ..model.geometry import euler_parameters
from ..model.system import System
from .couplings import DEPTH, Part
from .sizes import Sizes

Shape = dict[str, Any]
INSIDE = 0.7  # of the radius of the ball with the same inertia
SAME = 1e-6  # of the span: points closer than this are one


def shapes_of(body: Body, system: System, sizes: Sizes, parts: list[Part]) -> list[Shape]:
    """Shapes made for a body that has none of its own; ``parts`` are what couplings give to bodies."""
    own = [part for part in parts if part.body == body.name]
    wheels, beside = [part for part in own if part.whole], [part for part in own if not part.whole]
    more = [shape for part in beside for shape in part.shapes]
    if wheels:  # of a body that meshes several times the largest
        largest = max(wheels, key=lambda part: part.size)
        pins = [p for p in _points(body, system, sizes, []) if _beside(p, largest) > sizes.unit]
        return largest.shapes + [_link(largest.hub, point, sizes) for point in pins] + more
    found = _by_joints(body, system, sizes)
    lump = len(found) == 1 and found[0]["type"] in ("sphere", "disc")  # stands for a body of which nothing is known
    return more if more and lump else found + more


def _beside(point: np.ndarray, part: Part) -> float:
    """How far a joint point is from what a coupling gives to a body."""
    way = point - part.hub
    return float(np.linalg.norm(way - np.clip(way @ part.axis, *part.reach) * part.axis))


def _by_joints(body: Body, system: System, sizes: Sizes) -> list[Shape]:
    """Shapes from joint points and mass properties."""
    slides = [joint for joint in system.joints if slider_of(joint) == body.name]
    sleeves = [joint for joint in system.joints if sleeve_of(joint) == body.name]
    others = _points(body, system, sizes, [*slides, *sleeves])
    ball = _ball(body, system.planar)
    if ball is not None:
        ball = float(np.clip(ball, 0.5 * sizes.unit, 0.6 * sizes.span))
    bare = not any(key in joint.geometry for joint in slides for key in ("length", "width", "section"))
    if slides or sleeves:
        start = _own([*slides, *sleeves][0], body)
        arms = [point for point in others if np.linalg.norm(point - start) > 3.0 * sizes.unit]
        links = [_link(start, point, sizes) for point in arms]
        if slides and bare and not others and ball is not None and not system.planar:
            return [_round(ball, planar=False)]
        return [_slider(joint, body, sizes, system.planar) for joint in slides] + links
    far = max((float(np.linalg.norm(point)) for point in others), default=0.0)
    if not others or (ball is not None and far < INSIDE * ball):
        return [_round(ball or 2.0 * sizes.unit, planar=system.planar)]
    if len(others) == 1:
        return _on_one_point(body, others[0], sizes, system.planar, ball or 0.0)
    if len(others) == 2:
        return [_link(others[0], others[1], sizes)]
    if system.planar:
        return [{"type": "plate", "points": [point.tolist() for point in others]}]
    return [_link(np.zeros(3), point, sizes) for point in others]


def _ball(body: Body, planar: bool) -> float | None:
    """Radius of the ball with this mass and inertia; None if the inertia is not one of a ball."""
    moments = np.linalg.eigvalsh(body.inertia)
    if not planar and moments[2] > 1.3 * moments[0]:
        return None
    return float(np.sqrt(2.5 * (body.inertia[2, 2] if planar else moments.mean()) / body.mass))


def _round(radius: float, *, planar: bool) -> Shape:
    return {"type": "disc" if planar else "sphere", "radius": radius, "at": [0.0, 0.0, 0.0]}


def sleeve_of(joint: Joint) -> str | None:
    """The body around the rod of a cylindrical joint."""
    if joint.kind.key != "cylindrical":
        return None
    return joint.first.body if joint.geometry.get("inner") == "second" else joint.second.body


def slider_of(joint: Joint) -> str | None:
    """The body that slides in a guide: not the ground, and the inner one where both move."""
    if joint.kind.key != "prismatic":
        return None
    ends = (joint.second.body, joint.first.body)
    inner = ends[1] if joint.geometry.get("inner") == "first" else ends[0]
    return next((name for name in (inner, *ends) if name != GROUND), None)


def _own(joint: Joint, body: Body) -> np.ndarray:
    return joint.second.point if joint.second.body == body.name else joint.first.point


def _points(body: Body, system: System, sizes: Sizes, without: list[Joint]) -> list[np.ndarray]:
    """Joint points on a body, each place once; sliding planes have none."""
    found: list[np.ndarray] = []
    holders = [(joint.first, joint.second) for joint in system.joints if joint not in without and _holds(joint)]
    holders += [(spring.first, spring.second) for spring in system.springs]
    for marker in (marker for pair in holders for marker in pair if marker.body == body.name):
        if all(np.linalg.norm(marker.point - point) > SAME * sizes.span for point in found):
            found.append(marker.point)
    return found


def _holds(joint: Joint) -> bool:
    return joint.kind.key != "planar" and joint.kind.coupling is None


def _slider(joint: Joint, body: Body, sizes: Sizes, planar: bool) -> Shape:
    marker = joint.second if joint.second.body == body.name else joint.first
    u, geometry = sizes.unit, joint.geometry
    length = float(geometry.get("length", 5.0 * u))
    width = float(geometry.get("width", 0.5 * length if "length" in geometry else 3.2 * u))
    frame = {"at": marker.point.tolist(), "p": euler_parameters(marker.axes.T).tolist()}
    if "section" in geometry:
        return {"type": "prism", "section": geometry["section"].tolist(), "length": length, **frame}
    # joint axes: b along the guide; the plane of a planar model holds b, and depth is across it
    depth = DEPTH * u if planar else width
    across = [depth, width] if planar and abs(marker.axes[0, 2]) > 0.5 else [width, depth]
    return {"type": "box", "size": [*across, length], "slider": True, **frame}


def _link(a: np.ndarray, b: np.ndarray, sizes: Sizes) -> Shape:
    return {"type": "link", "a": a.tolist(), "b": b.tolist(), "radius": sizes.unit}


def _on_one_point(body: Body, point: np.ndarray, sizes: Sizes, planar: bool, ball: float) -> list[Shape]:
    distance = float(np.linalg.norm(point))
    moments, axes = np.linalg.eigh(body.inertia)
    axes = axes * np.sign(np.linalg.det(axes))
    bar = body.mass * distance**2 / 3.0  # moment of a bar from the point to its mirror image
    slender = moments[0] < 0.3 * moments[1] and abs(axes[:, 0] @ point) > 0.9 * distance
    if abs(body.inertia[2, 2] - bar) < 0.4 * bar if planar else slender:
        return [_link(point, -point, sizes)]
    edges = np.sqrt(np.maximum(6.0 * (moments.sum() - 2.0 * moments) / body.mass, 0.0))
    inside = np.abs(axes.T @ point) <= 0.5 * edges + 0.15 * distance
    if not planar and inside.all() and np.ptp(edges) > 0.3 * edges.max() and edges.max() < 5.0 * distance:
        size = np.maximum(edges, 0.6 * sizes.unit)
        return [{"type": "box", "size": size.tolist(), "at": [0.0] * 3, "p": euler_parameters(axes).tolist()}]
    bob = _round(float(np.clip(ball, min(1.4 * sizes.unit, 0.4 * distance), 0.45 * distance)), planar=planar)
    if not planar and moments[2] > 1.3 * moments[1]:  # a wheel or gyroscope
        turned = euler_parameters(triad(axes[:, 2]).T).tolist()
        wheel = float(np.clip(np.sqrt(2.0 * moments[2] / body.mass), 0.4 * distance, distance))
        bob = {"type": "cylinder", "radius": wheel, "length": 0.3 * wheel, "at": [0.0] * 3, "p": turned}
    return [{"type": "link", "a": point.tolist(), "b": [0.0] * 3, "radius": 0.5 * sizes.unit}, bob]
