"""Which points of a joint can touch when a closed direction has clearance.

All is given in joint axes (h, t, b) about the joint point, centred, as drawn. A candidate is one contact relation
between a frame on body i and a frame on body j; ``swapped``: that body i is the second body of the joint. Two facts
decide who is who:

    inner   the body that lies inside: pin, ball, slider        (first for pins and balls, second for sliders)
    ends    the shorter body, whose end faces bound the engagement                          (second by default)

Papers A and B: a sleeve (second) on a long pin (first), a slider (second) in a long guide (first).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ..relations.base import Relation
from ..relations.edge import EDGE
from ..relations.journal import JOURNAL
from ..relations.plane import PLANE
from ..relations.rim import RIM
from ..relations.socket import SOCKET
from ..relations.strip import STRIP

AXIS = np.array([0.0, 0.0, 1.0])
ORIGIN = np.zeros(3)
ROUNDED = 1e-4  # rad, tilt at which a face begins to touch with its rim instead of its centre


@dataclass(frozen=True)
class Room:
    """Sizes of a clearance, in m."""

    gap: float
    axial: float | None = None  # total play along the axis
    length: float = 0.0  # axial engagement
    radius: float = 0.0  # of the inner member
    width: float = 0.0  # of a planar slider
    section: np.ndarray | None = None  # (n, 2) vertices of the inner polygon in (h, t), counter-clockwise
    plane: np.ndarray | None = None  # normal of the plane of motion in joint axes, in planar models
    inner: str = "first"
    ends: str = "second"
    strips: int = 0  # of a compliant bearing; 0: rigid, touches at its ends


@dataclass(frozen=True)
class Candidate:
    """A possible contact: a relation and its two frames in joint axes."""

    relation: Relation
    first_point: np.ndarray  # on body i of the relation
    first_axes: np.ndarray  # rows
    second_point: np.ndarray  # on body j
    shape: tuple[float, float, float] = (0.0, 0.0, 0.0)
    swapped: bool = False
    second_axes: np.ndarray = field(default_factory=lambda: np.eye(3))


@dataclass(frozen=True)
class Play:
    """Clearance of a closed group: its candidates, the groups that they hold as well, and the sizes that they need."""

    contacts: Callable[[Room], list[Candidate]] = lambda room: []
    covers: tuple[str, ...] = ()
    inner: str = "first"
    needs: tuple[str, ...] = ()  # in space
    needs_planar: tuple[str, ...] = ()
    round: bool = False  # friction acts at the radius; a length is what lets it hold other groups
    spots: bool = False  # a contact stays at one place of the shorter body: what wears, wears there
    walls: bool = False  # the coordinate itself stays between two walls, a gap to either side: backlash


def _stations(room: Room) -> tuple[float, ...]:
    """Places along the axis that may touch: the end faces, or the middles of the strips (paper C eq. 42).

    In a plane one is enough: all sections move alike.
    """
    if room.length <= 0.0 or room.plane is not None:
        return (0.0,)
    if room.strips:
        return tuple((k + 0.5) / room.strips * room.length - 0.5 * room.length for k in range(room.strips))
    return (-0.5 * room.length, 0.5 * room.length)


def _pair(room: Room, relation: Relation, point: np.ndarray) -> Candidate:
    """Centres of a round contact: an axis or point on the longer body, a circle or point on the shorter one."""
    swapped = room.ends == "first"
    pin_is_i = (room.inner == "first") != swapped
    shape = (room.gap, room.radius, 1.0 if pin_is_i else -1.0)
    return Candidate(relation, ORIGIN, np.eye(3), point, shape, swapped)


def journal(room: Room) -> list[Candidate]:
    """Pin in a hole: circles of the shorter member against the longer one.

    Rigid: its two end circles by their centres (paper A sect. 3.1). Compliant: one circle per strip, misalignment
    included (paper C sect. 2.4).
    """
    tilts = room.strips > 0 and room.length > 0.0 and room.radius > 0.0 and room.plane is None
    return [_pair(room, STRIP if tilts else JOURNAL, z * AXIS) for z in _stations(room)]


def socket(room: Room) -> list[Candidate]:
    """Ball in a socket."""
    return [_pair(room, SOCKET, ORIGIN)]


def flanges(room: Room) -> list[Candidate]:
    """Axial play: both end faces of the shorter member between the flanges of the longer (paper A eq. 40 to 42).

    Rigid: the contact is taken on the axis; the rim of a tilted face, which leads by radius times tilt, is not seen.
    Compliant: the rim is where a tilted face touches, if the radius is known.
    """
    swapped, half = room.ends == "first", 0.5 * room.length
    rim = room.strips > 0 and room.radius > 0.0
    found = []
    for side in (-1.0, 1.0):
        wall, face = side * (half + room.gap) * AXIS, side * half * AXIS
        axes = np.array([-side * AXIS, [1.0, 0.0, 0.0], [0.0, -side, 0.0]])
        shape = (0.0, room.radius, ROUNDED) if rim else (0.0, 0.0, 0.0)
        found.append(Candidate(RIM if rim else PLANE, wall, axes, face, shape, swapped))
    return found


def _wall(room: Room, inward: np.ndarray, vertex: np.ndarray, station: float) -> Candidate:
    """A vertex (or edge) of the inner member against one wall of the outer one, at the end face ``station``."""
    swapped = room.inner == "first"
    wall = vertex - room.gap * inward + station * AXIS
    if room.ends == room.inner:
        # tangents: along the guide first, so that a planar model keeps it
        axes = np.array([inward, AXIS, np.cross(inward, AXIS)])
        return Candidate(PLANE, wall, axes, vertex + station * AXIS, swapped=swapped)
    axes = np.array([inward, np.cross(AXIS, inward), AXIS])
    return Candidate(EDGE, wall, axes, vertex, swapped=swapped)


def guide(room: Room) -> list[Candidate]:
    """Slider in a guide: every vertex against its two walls at both end faces (paper A sect. 3.2, paper B fig. 9).

    A planar slider has four corners: left and right at the upper wall, then at the lower one, where "up" is the
    plane's normal times the axis.
    """
    stations = (-0.5 * room.length, 0.5 * room.length)
    if room.plane is not None:
        up = np.cross(room.plane, AXIS)
        return [_wall(room, -s * up, 0.5 * s * room.width * up, z) for s in (1.0, -1.0) for z in stations]
    assert room.section is not None
    corners = np.column_stack([room.section, np.zeros(len(room.section))])
    along = np.roll(corners, -1, axis=0) - corners  # side k runs from vertex k to k + 1
    inward = np.cross(AXIS, along / np.linalg.norm(along, axis=1, keepdims=True))
    return [
        _wall(room, inward[side], corner, z)
        for z in stations
        for k, corner in enumerate(corners)
        for side in (k - 1, k)
    ]
