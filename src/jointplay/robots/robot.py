"""A robot as in its file, whatever the format: links, what connects them, and how each connection may move.

Poses are those of the file at zero coordinates: a connection places the frame of its child in the frame of its parent,

    X_child = X_parent . origin . M_1(q_1) . M_2(q_2) ...

with one motion M per freedom, about or along an axis through a point of the child frame (MJCF may have several, URDF
has one). All numbers are in SI, angles in rad.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .xmltree import Node

HINGE, SLIDE, BALL = "hinge", "slide", "ball"


@dataclass
class Inertial:
    """Mass properties of a link, in its frame."""

    mass: float  # kg
    centre: np.ndarray  # (3,) m
    inertia: np.ndarray  # (3, 3) kg m2 about the centre, link axes
    node: Node


@dataclass
class Picture:
    """A shape of a link for pictures: fields of a shape of a System, and where it stands in the link frame."""

    shape: dict[str, Any]
    position: np.ndarray  # (3,) m
    rotation: np.ndarray  # (3, 3), columns are its axes
    node: Node


@dataclass
class Link:
    """A rigid part."""

    name: str
    node: Node
    inertial: Inertial | None = None
    pictures: list[Picture] = field(default_factory=list)


@dataclass
class Freedom:
    """One motion that a connection leaves free, and the forces on it."""

    name: str
    kind: str  # HINGE, SLIDE, BALL
    node: Node
    axis: np.ndarray = field(default_factory=lambda: np.array([1.0, 0.0, 0.0]))  # unit, child frame
    point: np.ndarray = field(default_factory=lambda: np.zeros(3))  # m, child frame
    zero: float = 0.0  # value of the coordinate in the pose of the file (MJCF: ref)
    lower: float | None = None  # limits of the coordinate; None: none
    upper: float | None = None
    limited_by: Node | None = None
    damping: float = 0.0
    friction: float = 0.0  # constant force or torque
    stiffness: float = 0.0
    rest: float = 0.0  # coordinate at which the spring is slack
    pulled_by: Node | None = None

    @property
    def unit(self) -> str:
        """Of its coordinate."""
        return "m" if self.kind == SLIDE else "rad"


@dataclass
class Connection:
    """Where a link stands in its parent, and how it may move there: not at all, by freedoms, or in any way."""

    name: str
    parent: str | None  # None: the ground
    child: str
    node: Node
    position: np.ndarray = field(default_factory=lambda: np.zeros(3))
    rotation: np.ndarray = field(default_factory=lambda: np.eye(3))
    freedoms: tuple[Freedom, ...] = ()
    floating: bool = False

    @property
    def fixed(self) -> bool:
        """True if the child cannot move in its parent."""
        return not self.freedoms and not self.floating


@dataclass
class Closure:
    """A joint that closes a loop: points or frames of two links that coincide."""

    name: str
    kind: str  # of a joint of a System
    first: str | None
    second: str | None
    point: np.ndarray  # (3,) m, frame of the first
    node: Node
    other: np.ndarray  # (3,) m, the same point in the frame of the second
    turn: np.ndarray | None = None  # (3, 3) rotation of the second in the first, where that is kept


@dataclass
class Robot:
    """All of it; links in an order in which parents come before their children."""

    name: str
    node: Node
    links: dict[str, Link] = field(default_factory=dict)
    connections: list[Connection] = field(default_factory=list)
    closures: list[Closure] = field(default_factory=list)
    gravity: np.ndarray | None = None  # m/s2; None: not in the file
    sound: bool = True  # False: what hangs on what is not known, and nothing can be built
    orphans: set[str] = field(default_factory=set)  # links whose joint could not be read
