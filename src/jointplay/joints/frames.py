"""Joint frames from what the user gives: points and axes in global axes, as drawn.

A frame has rows h, t, b (right-handed); b is the joint axis. Where the user gives only b, h comes from the global axis
that follows the largest component of b in the order x, y, z, x (b = z gives h = x): nothing is left to chance.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from .base import Frames

EYE = np.eye(3)


def unit(a: Any) -> np.ndarray:
    """The unit vector along a."""
    a = np.asarray(a, dtype=float)
    return np.asarray(a / sqrt(a @ a))


def triad(b: Any, h: Any = None) -> np.ndarray:
    """Rows h, t, b with b along ``b``, and h as near as possible to the given ``h``."""
    b = unit(b)
    if h is None:
        h = EYE[(int(np.argmax(np.abs(b))) + 1) % 3]
    h = unit(np.asarray(h, dtype=float) - np.dot(h, b) * b)
    (x, y, z), (u, v, w) = b.tolist(), h.tolist()
    return np.array([h, (y * w - z * v, z * u - x * w, x * v - y * u), b])  # t = b x h


def point_frame(args: dict[str, Any]) -> Frames:
    """One point, global axes."""
    point = np.asarray(args["point"], dtype=float)
    return Frames(point, np.eye(3), point, np.eye(3))


def axis_frame(args: dict[str, Any]) -> Frames:
    """One point and one axis, shared by both bodies."""
    point, axes = np.asarray(args["point"], dtype=float), triad(args["axis"])
    return Frames(point, axes, point, axes)


def hub_frame(args: dict[str, Any]) -> Frames:
    """A hub on each body and one axis; h of each points to the other hub, so that azimuths start at zero."""
    p, q = np.asarray(args["point_a"], float), np.asarray(args["point_b"], float)
    return Frames(p, triad(args["axis"], q - p), q, triad(args["axis"], p - q))


def rack_frame(args: dict[str, Any]) -> Frames:
    """The hub of a pinion, its axis b, and the direction h of its rack."""
    point, axes = np.asarray(args["point"], float), triad(args["axis"], args["along"])
    return Frames(point, np.array([unit(args["along"]), axes[1], axes[2]]), point, axes)


def cross_frame(args: dict[str, Any]) -> Frames:
    """One point, an axis on each body: b is the body's own axis of the cross, h the other one."""
    point = np.asarray(args["point"], dtype=float)
    a, b = args["axis_a"], args["axis_b"]
    return Frames(point, triad(a, b), point, triad(b, a))


def line_frame(args: dict[str, Any]) -> Frames:
    """A point on each body, global axes."""
    return Frames(np.asarray(args["point_a"], float), np.eye(3), np.asarray(args["point_b"], float), np.eye(3))


def arm_frame(args: dict[str, Any]) -> Frames:
    """A point on each body and an axis on the first."""
    axes = triad(args["axis"])
    return Frames(np.asarray(args["point_a"], float), axes, np.asarray(args["point_b"], float), axes)
