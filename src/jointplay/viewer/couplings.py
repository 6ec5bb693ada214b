"""What gears, racks, screws and belts look like: pitch circles as discs and rings, bars, threaded rods and nuts.

A coupling defines by ``look`` what it is drawn as (joints/coupling.py). Teeth are not drawn: the disc of a wheel is its
pitch circle, the edge of a rack its pitch line. A thread has its lead, so that it seems to run through its nut.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..model.elements import GROUND, Joint, Marker
from ..model.geometry import euler_parameters
from ..model.system import System
from .motion import Motion
from .pack import Pack
from .sizes import Sizes

Shape = dict[str, Any]
DEPTH = 0.9  # of planar parts, in units of half the width of a link
RIM = 0.16  # thickness of a ring, of its radius
BAR = 0.4  # height of a rack, of the radius of its pinion
CORNERS = 72  # of a ring
SEGMENTS, MOST_TURNS = 20, 150  # of a thread: in a turn, and in all


@dataclass(frozen=True)
class Part:
    """Shapes that a coupling gives to a body; ``whole``: they stand for the body, else they come beside its others."""

    body: str
    size: float  # m; of a body in several couplings the largest counts
    shapes: list[Shape]
    hub: np.ndarray
    axis: np.ndarray
    reach: tuple[float, float] = (0.0, 0.0)  # m, from where to where it goes along its axis, seen from the hub
    whole: bool = True


@dataclass(frozen=True)
class Stage:
    """What a picture is made from."""

    system: System
    motion: Motion
    sizes: Sizes
    pack: Pack


def parts_of(stage: Stage) -> list[Part]:
    """Parts of all couplings; those of the ground have its colour."""
    found = [
        part
        for joint in stage.system.joints
        if joint.kind.coupling is not None
        for part in LOOKS[joint.kind.coupling.look](joint, stage)
    ]
    for part in found:
        if part.body == GROUND:
            for shape in part.shapes:
                shape["colour"] = "ground"
    return found


def _turned(axes: np.ndarray) -> list[float]:
    """Orientation of a shape whose own axes are the rows of ``axes``."""
    return [float(x) for x in euler_parameters(axes.T)]


def _wheel(marker: Marker, radius: float, shift: float, planar: bool) -> Part:
    """A disc with a spoke that shows how it turns."""
    hub = marker.point + shift * marker.axes[2]
    at = {"radius": radius, "at": hub.tolist()}
    disc = {"type": "cylinder", "length": 0.25 * radius, "p": _turned(marker.axes), **at}
    end = (hub + 0.85 * radius * marker.axes[0]).tolist()
    spoke = {"type": "link", "a": hub.tolist(), "b": end, "radius": (0.07 if planar else 0.14) * radius}
    return Part(marker.body, radius, [{"type": "disc", **at} if planar else disc, spoke], hub, marker.axes[2])


def _ring(marker: Marker, radius: float, stage: Stage) -> Part:
    """A ring around its pitch circle, cut open at one place by a line that shows how it turns."""
    turn = np.linspace(0.0, 2.0 * np.pi, CORNERS + 1)
    circle = np.column_stack([np.cos(turn), np.sin(turn)])
    section = np.vstack([(1.0 + RIM) * radius * circle, radius * circle[::-1]])
    length = DEPTH * stage.sizes.unit if stage.system.planar else 0.25 * radius
    frame = {"at": marker.point.tolist(), "p": _turned(marker.axes)}
    return Part(
        marker.body,
        radius,
        [{"type": "prism", "section": section.tolist(), "length": length, **frame}],
        marker.point,
        marker.axes[2],
    )


def _wheels(joint: Joint, stage: Stage) -> list[Part]:
    """Two pitch circles; the larger one of an internal pair is a ring."""
    one, two = (float(radius) for radius in joint.geometry["radii"])
    first, second = joint.weights["transmission_error"][:2]
    inside = joint.kind.coupling is not None and joint.kind.coupling.rings and first * second < 0.0
    found = []
    for marker, radius in ((joint.first, one), (joint.second, two)):
        ring = inside and radius == max(one, two)
        found.append(_ring(marker, radius, stage) if ring else _wheel(marker, radius, 0.0, stage.system.planar))
    return found


def _cones(joint: Joint, stage: Stage) -> list[Part]:
    """Bevel gears: the pitch circles, which lie r tan(delta) before the tips of the back cones."""
    radii = [float(radius) for radius in joint.geometry["radii"]]
    axes = [stage.motion.axes(marker)[0, 2] for marker in (joint.first, joint.second)]
    whole = np.arctan2(np.linalg.norm(np.cross(*axes)), axes[0] @ axes[1])
    first = np.arctan2(np.sin(whole), radii[1] / radii[0] + np.cos(whole))
    return [
        _wheel(marker, radius, -radius * float(np.tan(delta)), False)
        for marker, radius, delta in zip((joint.first, joint.second), radii, (first, whole - first), strict=True)
    ]


def _along(joint: Joint, axis: int, motion: Motion) -> np.ndarray:
    """How far the frame of the second body has moved along an axis of the first, over time."""
    way = motion.points(joint.second) - motion.points(joint.first)
    return np.asarray(np.sum(motion.axes(joint.first)[:, axis] * way, axis=1))


def _rack(joint: Joint, stage: Stage) -> list[Part]:
    """A pinion, and a bar on its side that is as long as the way of the pinion along it."""
    radius, marker = float(joint.geometry["radius"]), joint.first
    way = _along(joint, 0, stage.motion)
    length, middle = float(np.ptp(way)) + 2.4 * radius, 0.5 * float(way.min() + way.max())
    along, axis = marker.axes[0], marker.axes[2]
    side = np.cross(along, axis)  # where a positive turn moves the rack along
    centre = marker.point + middle * along + (1.0 + 0.5 * BAR) * radius * side
    deep = DEPTH * stage.sizes.unit if stage.system.planar else 0.5 * radius
    frame = {"at": centre.tolist(), "p": _turned(np.array([along, np.cross(axis, along), axis]))}
    bar = {"type": "box", "size": [length, BAR * radius, deep], **frame}
    return [
        Part(marker.body, length, [bar], marker.point, axis, whole=False),
        _wheel(joint.second, radius, 0.0, stage.system.planar),
    ]


def _screw(joint: Joint, stage: Stage) -> list[Part]:
    """A threaded rod as long as the way of its nut, and the nut where the centre of mass of its body is."""
    motion, lead = stage.motion, float(joint.geometry["lead"])
    radius = float(joint.geometry.get("radius", 0.7 * stage.sizes.unit))
    rod, nut = joint.first, joint.second
    place = -float(nut.axes[2] @ nut.point)  # of the nut, along the axis
    way = _along(joint, 2, motion) + place
    hinges = [end for one in stage.system.joints if not one.kind.coupling for end in (one.first, one.second)]
    held = [float(rod.axes[2] @ (end.point - rod.point)) for end in hinges if end.body == rod.body]
    low, high = min([float(way.min()) - 4.0 * radius, *held]), max([float(way.max()) + 4.0 * radius, *held])
    frame = {"p": _turned(rod.axes)}
    shaft = {"type": "cylinder", "radius": 0.85 * radius, "length": high - low, **frame}
    shaft["at"] = (rod.point + 0.5 * (low + high) * rod.axes[2]).tolist()
    vertices, faces = thread(radius, lead, low, high)
    block = f"thread.{joint.name}"
    stage.pack.add(f"{block}.vertices", vertices)
    stage.pack.add_exact(f"{block}.faces", faces.ravel(), "u32")
    ridge = {"type": "mesh", "block": block, "at": rod.point.tolist(), **frame}
    turn = np.pi / 3.0 * np.arange(6)
    hexagon = 2.1 * radius * np.column_stack([np.cos(turn), np.sin(turn)])
    hub = nut.point + place * nut.axes[2]
    body = {"type": "prism", "section": hexagon.tolist(), "length": 2.6 * radius}
    body |= {"at": hub.tolist(), "p": _turned(nut.axes)}
    return [
        Part(rod.body, radius, [shaft, ridge], rod.point, rod.axes[2], (low, high)),
        Part(nut.body, radius, [body], hub, nut.axes[2]),
    ]


def thread(radius: float, lead: float, low: float, high: float) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and triangles of ridges along helices about z, from ``low`` to ``high``; negative lead: left-hand."""
    starts = max(1, round(abs(lead) / (1.2 * radius)))
    pitch = max(abs(lead), (high - low) / MOST_TURNS) / starts
    rise = pitch * starts * np.sign(lead)
    half = min(0.4 * pitch, 0.35 * radius)
    count = max(int(np.ceil(SEGMENTS * (high - low) / abs(rise))), 2)
    z = np.linspace(low + half, high - half, count + 1)
    vertices, faces = [], []
    for start in range(starts):
        turn = 2.0 * np.pi * (z / rise + start / starts)
        for reach, shift in ((0.83, -half), (1.12, 0.0), (0.83, half)):
            vertices.append(np.column_stack([reach * radius * np.cos(turn), reach * radius * np.sin(turn), z + shift]))
        first = 3 * (count + 1) * start + np.arange(count)
        for line in (0, 1):
            a = first + line * (count + 1)
            c = a + count + 1
            pairs = [(a, a + 1, c + 1), (a, c + 1, c)] if lead > 0.0 else [(a, c + 1, a + 1), (a, c, c + 1)]
            faces += [np.column_stack(corners) for corners in pairs]
    return np.vstack(vertices), np.vstack(faces)


LOOKS: dict[str, Callable[[Joint, Stage], list[Part]]] = {
    "wheels": _wheels,
    "cones": _cones,
    "rack": _rack,
    "screw": _screw,
}
