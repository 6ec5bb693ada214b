"""What couplings share: gears, racks, screws and belts tie two coordinates of one pair of bodies by a fixed ratio.

A coupling is a joint kind with one closed direction, whose relation is a sum of two elementary coordinates
(relations/mesh.py, relations/helix.py). Its sizes (radii, teeth, lead) become the coefficients of that sum:
``settle`` makes them from the frames as drawn and from the sizes given, or reports what does not fit. The same relation
with other coefficients measures how surfaces slide on each other, which is what friction acts on.

Play and offset of a coupling are lengths g. Either may be given as an angle instead: that of the second body (second
wheel, pulley, pinion, nut) while the first stands still, which is g divided by the second coefficient of the sum. Screw
and nut turn against each other, so that for them it is the angle of the screw as well.

Hubs need not be given where hinges and guides of the bodies give them: ``hubs`` lists which argument comes from a joint
of which body (0: first, 1: second) that leaves which coordinate free.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from .base import Frames

FITS = 1e-6  # of the centre distance: what radii may miss it by
ALIGNED = 1e-9  # sine of the angle between axes that count as parallel
PRESSURE = np.radians(20.0)  # angle of pressure of gears, unless given

Weights = dict[str, tuple[float, float, float]]  # closed group or coordinate -> coefficients of its relation


def lever_of(weights: Weights) -> float:
    """M of transmission error per rad of the second body."""
    return abs(weights["transmission_error"][1])


class Size(NamedTuple):
    """A key of a coupling: shape of its value as schemas call it, unit, meaning."""

    shape: str
    unit: str
    about: str


class Misfit(ValueError):
    """Sizes that do not fit: the key that is to blame, and a sentence."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key = key


@dataclass(frozen=True)
class Settled:
    """Coefficients of the coordinates of a coupling, and sizes that others read (friction, pictures)."""

    weights: Weights
    geometry: dict[str, Any] = field(default_factory=dict)  # m
    angles: dict[str, float] = field(default_factory=dict)  # rad

    @property
    def lever(self) -> float:
        """How far a turn of the second body moves the transmission error while the first stands still, in m/rad."""
        return lever_of(self.weights)


@dataclass(frozen=True)
class Coupling:
    """Facts about a coupling."""

    sizes: dict[str, Size]
    hubs: dict[str, tuple[int, str]]  # argument -> end and free coordinate of the joint that gives it
    settle: Callable[[Frames, Mapping[str, Any]], Settled]
    parallel: bool = False  # the axes of both hubs must be parallel
    planar: bool = True  # there is room for it in a planar model
    screws: bool = False  # the angle that is meant is the turn of the first body: the two turn against each other
    look: str = "wheels"  # what pictures show (viewer/couplings.py)
    rings: bool = False  # coefficients of opposite signs mean that one wheel lies inside the other
    place: Callable[[Frames, Mapping[str, Any]], Frames] | None = None  # moves the hubs to where sizes want them


TEETH = {
    "radii": Size("two", "m", "radii of the two pitch circles"),
    "teeth": Size("two", "", "numbers of teeth; pitch circles then follow from the module or from the centre distance"),
    "module": Size("quantity", "m", "pitch diameter per tooth"),
}
FLANKS = {
    "path": Size("quantity", "m", "mean distance of the contact from the pitch point along the line of action"),
    "pressure_angle": Size("quantity", "rad", "angle of pressure, for friction; 20 degrees unless given"),
}
OFFSET = {
    "offset": Size("quantity", "m", "transmission error as drawn, a length or an angle; zero (mid-play) unless given")
}


def across(frames: Frames) -> np.ndarray:
    """The way from the first hub to the second, across the first axis."""
    d, b = frames.second_point - frames.first_point, frames.first_axes[2]
    return np.asarray(d - (d @ b) * b)


def ratio_of(given: Mapping[str, Any], least: float) -> np.ndarray:
    """Two numbers in the ratio of the pitch circles, radii or teeth; ``least`` number of teeth."""
    if ("radii" in given) == ("teeth" in given):
        raise Misfit("", "needs either 'radii' of the pitch circles or numbers of 'teeth'")
    if "radii" in given:
        if "module" in given:
            raise Misfit("module", "goes with 'teeth': radii are known without it")
        radii = np.asarray(given["radii"])
        if not (radii > 0.0).all():
            raise Misfit("radii", "must be greater than 0 m")
        return radii
    teeth = np.asarray(given["teeth"])
    if (teeth % 1.0 != 0.0).any() or not (teeth >= least).all():
        raise Misfit("teeth", f"must be whole numbers of at least {least:g}")
    return teeth


def radii_at(given: Mapping[str, Any], ratio: np.ndarray, distance: float, internal: bool) -> np.ndarray:
    """Radii of pitch circles that touch at this centre distance; Misfit where those given do not."""
    span = abs(ratio[1] - ratio[0]) if internal else ratio.sum()
    if "teeth" in given and "module" not in given:
        return np.asarray(ratio * distance / span)
    size = 0.5 * float(given["module"]) if "teeth" in given else 1.0
    if abs(size * span - distance) > FITS * distance:
        sum_or = "difference" if internal else "sum"
        raise Misfit(
            "module" if "teeth" in given else "radii",
            f"the hubs are {distance:.6g} m apart, but the {sum_or} of the pitch radii is {size * span:.6g} m; give "
            "'teeth' alone to take pitch circles from the centre distance",
        )
    return np.asarray(ratio * distance / span)
