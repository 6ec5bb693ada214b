"""Where the axis of a hinge or guide stands, as drawn: what couplings take their hubs from."""

from __future__ import annotations

from typing import NamedTuple


class Hinge(NamedTuple):
    """A joint that turns about or slides along an axis: numbers in global axes, so that equal ones compare equal."""

    name: str
    bodies: tuple[str, str]
    free: frozenset[str]  # its free coordinates
    point: tuple[float, ...]
    axis: tuple[float, ...]
