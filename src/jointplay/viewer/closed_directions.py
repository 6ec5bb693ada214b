"""The closed directions of joints as numbers over time: what ideal joints keep at zero and play lets move.

With the joint frames (h, t, b) on the two bodies and d the way from the first joint point to the second:

    sep a       e_a . d                 a of the first body
    ali a b     e_a . e'_b              a of the first body, b of the second; small: the sine of a tilt
    dist        |d|

The page uses them twice: to show the play, and to move the bodies as if it were larger (viewer/src/magnify.js).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..laws.clearance import Clearance
from ..laws.drive import Drive
from ..model.elements import Joint
from ..relations.base import Use
from .motion import Motion

Row = dict[str, Any]
H, T, B = 0, 1, 2


def rows_of(joint: Joint) -> list[Row]:
    """Closed directions of a joint; ``play`` marks those that its clearance opens."""
    found: list[Row] = []
    for group, uses in joint.kind.closed.items():
        law = joint.closed.get(group)
        free = law is None or isinstance(law, Clearance)  # None: another group's contacts hold it
        found += [{**row, "group": group, "play": free} for use in uses for row in _rows(use)]
    for coordinate, use in joint.kind.free.items():
        if any(isinstance(law, Drive) for law in joint.free.get(coordinate, ())):
            found += [{**row, "group": coordinate, "play": False} for row in _held(use)]
    return found


def _rows(use: Use) -> list[Row]:
    name = use.relation.name
    if name == "point":
        return [{"type": "sep", "a": a, "b": 0} for a in (H, T, B)]
    kind = {"separation": "sep", "alignment": "ali", "distance": "dist"}.get(name)
    if kind is None:  # couplings: what they tie is no place in joint axes
        return []
    return [{"type": kind, "a": int(use.first_axis), "b": int(use.second_axis)}]


def _held(use: Use) -> list[Row]:
    """Rows that keep a driven coordinate: a length, or a turn about the axis by its cosine and its sine."""
    if use.relation.unit == "m":
        return _rows(use)
    return [{"type": "ali", "a": H, "b": H}, {"type": "ali", "a": T, "b": H}]


def row_values(joint: Joint, rows: list[Row], motion: Motion) -> np.ndarray:
    """The rows over time, (frames, rows), in m or as sines."""
    d = motion.points(joint.second) - motion.points(joint.first)
    one, other = motion.axes(joint.first), motion.axes(joint.second)
    out = np.zeros((len(motion.time), len(rows)))
    for k, row in enumerate(rows):
        if row["type"] == "dist":
            out[:, k] = np.linalg.norm(d, axis=1)
        elif row["type"] == "sep":
            out[:, k] = np.sum(one[:, row["a"]] * d, axis=1)
        else:
            out[:, k] = np.sum(one[:, row["a"]] * other[:, row["b"]], axis=1)
    return out
