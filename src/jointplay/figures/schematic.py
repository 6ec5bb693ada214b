"""A mechanism as drawn, in sticks: each body from its centre of mass to its joints, joints by their kind.

Planar models are seen along z, others at an angle from above. Joints that are not perfect are red. Couplings are their
pitch circles, pitch lines, strands and threads (wheels.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from ..errors import InputError, Problem
from ..model.elements import GROUND, Joint, LineSpring, Marker
from ..model.geometry import Pose
from ..model.system import System
from .sheet import Page, Sheet
from .style import GREY, PALE, RED, colour, literal
from .wheels import Lines, lines_of, middle_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTH = 6.0  # inches
HEIGHTS = (1.7, 4.5)  # inches, least and most
TURN, RISE = np.radians(-55.0), np.radians(25.0)  # rad, of the eye around z and above the ground
MARKERS = {
    "revolute": "o",
    "cylindrical": "o",
    "spherical": "o",
    "universal": "P",
    "prismatic": "s",
    "planar_joint": "s",
    "fixed": "X",
}
ROOM = 0.12  # of the size, around


def schematic(system: System, **page: Unpack[Page]) -> Figure:
    """Draw a system as it stands at the start.

    Args:
        system: what ``System`` or ``load_model`` gave.
        page: path, width, height, dpi, title.
    """
    if not isinstance(system, System):
        raise InputError(Problem("system", f"needs a System, not {type(system).__name__}"))
    if not system.bodies:
        raise InputError(Problem("system", "there is nothing to draw: it has no bodies"))
    points = [eye(system, point_of(system.poses, marker)) for marker in markers_of(system)]
    points += [eye(system, body.position) for body in system.bodies]
    points += [eye(system, point) for _, way in _coupling_lines(system, system.poses) for point in way]
    with Sheet(**page).figure(WIDTH, _height(points), literal(system.name)) as figure:
        ax = figure.subplots()
        draw_sticks(ax, system, system.poses)
    return figure


def draw_sticks(ax: Any, system: System, poses: Mapping[str, Pose]) -> None:
    """The mechanism with its bodies at ``poses``."""
    ends: dict[str, list[np.ndarray]] = {body.name: [] for body in system.bodies}
    for marker in markers_of(system):
        if marker.body != GROUND:
            ends[marker.body].append(eye(system, point_of(poses, marker)))
    own = {name: colour(n) for n, name in enumerate(ends)}
    for body, way in _coupling_lines(system, poses):
        seen = np.array([eye(system, point) for point in way])
        ax.plot(*seen.T, color=own.get(body, GREY), linewidth=1.0, zorder=1)
    for n, (name, points) in enumerate(ends.items()):
        centre = eye(system, poses[name].r)
        for point in points:
            ax.plot(*np.array([centre, point]).T, color=colour(n), linewidth=3.5, alpha=0.6, solid_capstyle="round")
        ax.plot(*centre, "o", color=colour(n), markersize=5, linestyle="none")
        ax.annotate(name, tuple(centre), xytext=(5, 5), textcoords="offset points", color=colour(n), fontsize="small")
    for spring in system.springs:
        way = np.array([eye(system, point_of(poses, marker)) for marker in (spring.first, spring.second)])
        ax.plot(*_coil(way).T, color=GREY, linewidth=0.8)
    places = {joint.name: eye(system, _place(joint, poses)) for joint in system.joints}
    for joint in system.joints:
        if joint.kind.coupling is None:
            _joint(ax, joint, places[joint.name])
    _name_joints(ax, system.joints, places)
    _frame(ax)


def _coupling_lines(system: System, poses: Mapping[str, Pose]) -> Lines:
    """Of all couplings."""
    return [line for joint in system.joints if joint.kind.coupling is not None for line in lines_of(joint, poses)]


def _place(joint: Joint, poses: Mapping[str, Pose]) -> np.ndarray:
    """Where a joint stands."""
    return point_of(poses, joint.second) if joint.kind.coupling is None else middle_of(joint, poses)


def point_of(poses: Mapping[str, Pose], marker: Marker) -> np.ndarray:
    """The point of a marker in global axes."""
    return marker.point if marker.body == GROUND else poses[marker.body].point_out(marker.point)


def markers_of(system: System) -> list[Marker]:
    """Both ends of all that connects bodies."""
    things: list[Joint | LineSpring] = [*system.joints, *system.springs]
    return [marker for thing in things for marker in (thing.first, thing.second)]


def eye(system: System, point: np.ndarray) -> np.ndarray:
    """A point as it is seen: across and up."""
    x, y, z = point
    if system.planar:
        return np.array([x, y])
    across = np.cos(TURN) * y - np.sin(TURN) * x
    away = np.cos(TURN) * x + np.sin(TURN) * y
    return np.array([across, np.cos(RISE) * z - np.sin(RISE) * away])


def is_ideal(joint: Joint) -> bool:
    """True if every closed direction is perfect and nothing rubs."""
    return all(law.key == "ideal" for law in joint.closed.values()) and joint.bushing is None and joint.friction is None


def _joint(ax: Any, joint: Joint, at: np.ndarray) -> None:
    shade = GREY if is_ideal(joint) else RED
    look = {"color": "white", "markeredgecolor": shade, "markeredgewidth": 1.5, "linestyle": "none", "zorder": 4}
    ax.plot(*at, MARKERS.get(joint.kind.key, "D"), markersize=8, **look)
    if GROUND in (joint.first.body, joint.second.body):  # a foot: it stands on the ground
        ax.plot(*at, marker=6, markersize=14, color=PALE, linestyle="none", zorder=1)


def _name_joints(ax: Any, joints: Sequence[Joint], places: Mapping[str, np.ndarray]) -> None:
    """Names below the joints; those that lie upon each other share a line."""
    there: dict[tuple[float, ...], list[Joint]] = {}
    for joint in joints:
        there.setdefault(tuple(np.round(places[joint.name], 9).tolist()), []).append(joint)
    for where, here in there.items():
        shade = GREY if all(map(is_ideal, here)) else RED
        look: dict[str, Any] = {
            "textcoords": "offset points",
            "color": shade,
            "fontsize": "small",
            "ha": "center",
            "zorder": 5,
        }
        ax.annotate(", ".join(joint.name for joint in here), (where[0], where[1]), xytext=(0, -20), **look)


def _coil(ends: np.ndarray) -> np.ndarray:
    """A zigzag between two points."""
    along = ends[1] - ends[0]
    across = 0.04 * np.array([-along[1], along[0]])
    share = np.concatenate([[0.0], np.linspace(0.15, 0.85, 13), [1.0]])
    side = np.concatenate([[0.0], [(-1.0) ** k for k in range(13)], [0.0]])
    return np.asarray(ends[0] + share[:, None] * along + side[:, None] * across)


def _height(points: list[np.ndarray]) -> float:
    """As high as the mechanism needs, in inches."""
    wide, high = np.ptp(np.array(points), axis=0) + 1e-12
    return float(np.clip(WIDTH * high / wide + 0.9, *HEIGHTS))


def _frame(ax: Any) -> None:
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(ROOM)
    ax.set_axis_off()
