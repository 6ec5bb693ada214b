"""What a System is made of, once all numbers are in SI: frozen facts that the compiler reads.

Points and axes of markers are in body axes. A joint holds two markers, one on each body, whose axes are the rows
h, t, b; b is the joint axis. Both coincide in the configuration in which the joint was drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..joints.base import JointKind
from ..laws.base import Law
from ..laws.bushing import Bushing
from ..quantities.signal import Signal

GROUND = "ground"


@dataclass(frozen=True)
class Shape:
    """What a body looks like, in body axes; for pictures only."""

    kind: str  # "box", "cylinder", "sphere", "capsule", "mesh"
    size: np.ndarray  # (3,) m, of a box; zero depth: as the picture likes
    radius: float  # m
    length: float  # m, along z
    file: str | None  # of a mesh, as given
    path: str | None  # the same, to be opened from here; None where that is not known
    unit: float  # m, of a mesh
    position: np.ndarray  # (3,) m
    orientation: np.ndarray  # (4,) Euler parameters, scalar first
    colour: str | None  # "#rrggbb"


@dataclass(frozen=True)
class Body:
    """A rigid body; its frame sits in the centre of mass."""

    name: str
    mass: float  # kg
    inertia: np.ndarray  # (3, 3) kg m2, about the centre of mass, body axes
    position: np.ndarray  # (3,) m, global
    orientation: np.ndarray  # (4,) Euler parameters, scalar first
    velocity: np.ndarray  # (3,) m/s, global
    angular_velocity: np.ndarray  # (3,) rad/s, body axes
    velocity_given: bool = True  # False: left open, to follow from the joints
    spin_given: bool = True
    shapes: tuple[Shape, ...] = ()  # none: drawn from its joints


@dataclass(frozen=True)
class Marker:
    """A frame fixed on a body (name of the body, or "ground")."""

    body: str
    point: np.ndarray  # (3,) m, body axes
    axes: np.ndarray  # (3, 3), rows h, t, b in body axes
    name: str = ""


@dataclass(frozen=True)
class Friction:
    """Friction of a joint under its own reaction: its law and the sizes that make the normal force."""

    law: Law
    sizes: dict[str, float]  # length, width, radius (m)
    smoothing: float | None  # N; None: it follows from the loads of the model


@dataclass(frozen=True)
class Joint:
    """A joint: a kind, two markers, and the laws on its closed groups and free coordinates."""

    name: str
    kind: JointKind
    first: Marker
    second: Marker
    closed: dict[str, Law]  # group -> law (Ideal by default)
    free: dict[str, tuple[Law, ...]]  # coordinate -> laws (none by default)
    value: dict[str, float] = field(default_factory=dict)  # closed values other than as drawn, e.g. {"length": 0.3}
    geometry: dict[str, Any] = field(default_factory=dict)  # length, radius, width, section (for clearance)
    bushing: Bushing | None = None  # with full matrices, on all closed directions at once
    friction: Friction | None = None  # that follows the reaction
    weights: dict[str, tuple[float, float, float]] = field(default_factory=dict)  # coefficients of a coupling
    hubs: tuple[str, ...] = ()  # joints that a coupling took its hubs from


def acts_around(kind: JointKind, group: str, law: Law | None) -> bool:
    """True for a bushing by a force curve around a pin or ball: it is not the sum of two directions."""
    return isinstance(law, Bushing) and not (law.is_linear or law.is_matrix) and kind.is_round(group)


@dataclass(frozen=True)
class LineSpring:
    """A spring-damper along the line between two points."""

    name: str
    first: Marker
    second: Marker
    law: Law


@dataclass(frozen=True)
class StateVariable:
    """A number that evolves beside the motion: its unit as given, its rate, and its value at the start in SI.

    There is no signal for the rate where a law with a kernel of its own gives it.
    """

    name: str
    unit: str
    rate: Signal | None
    start: float = 0.0


@dataclass(frozen=True)
class Watch:
    """A condition that a run looks for: true where ``signal`` is positive."""

    name: str
    signal: Signal
    stops: bool  # the run ends there
    text: str  # as it was given
    switch: Switch | None = None  # that acts there; then the run goes on


@dataclass(frozen=True)
class Switch:
    """Inputs that get values (SI) where a condition becomes true: every time, or the first time only."""

    name: str
    signal: Signal
    text: str
    values: Mapping[str, float]
    once: bool


@dataclass(frozen=True)
class Load:
    """A force at a point, or a torque, on one body: three components over time, in global or body axes."""

    name: str
    body: str
    point: np.ndarray  # (3,) m, body axes (unused for a torque)
    components: tuple[Signal, Signal, Signal]
    is_torque: bool
    in_body_axes: bool
