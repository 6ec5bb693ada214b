"""Reading orientations in any of the usual forms: Euler parameters, a rotation matrix, axis and angle, one angle."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .entry import Entry, Field, kind_of
from .geometry import euler_parameters, nearest_rotation, turn

LOOSE = 1e-3  # typed rotations may be this far from unit length or from orthogonality

ORIENTATION = "4 Euler parameters (scalar first), a 3x3 rotation matrix, or {axis, angle}; in planar models one angle"


def read_orientation(entry: Entry, *, in_plane: bool) -> np.ndarray:
    """Euler parameters of unit length, whatever form was given; ``in_plane``: only a turn about z in a planar model."""
    if "orientation" not in entry.raw:
        return np.array([1.0, 0.0, 0.0, 0.0])
    raw, path = entry.raw["orientation"], ("orientation",)
    p: np.ndarray | None
    if isinstance(raw, Mapping):
        p = _axis_angle(raw, entry)
    elif not isinstance(raw, list):
        p = _one_angle(raw, entry)
    elif any(isinstance(one, list) for one in raw):
        p = _from_matrix(raw, entry)
    else:
        p = entry.numbers(raw, path, "", (4,))
        if p is not None and abs(np.linalg.norm(p) - 1.0) > LOOSE:
            entry.fail(path, f"Euler parameters must have unit length, these have {np.linalg.norm(p):.6g}")
            p = None
    if p is None:
        return np.full(4, np.nan)
    if entry.scene.planar and in_plane and np.abs(p[1:3]).max() > 1e-12:
        entry.fail(path, "must be a turn about z in a planar model")
    # Typed digits may be rounded; a length that is right to the last bit is left alone.
    return p if np.dot(p, p) == 1.0 else p / np.linalg.norm(p)


def _one_angle(raw: Any, entry: Entry) -> np.ndarray | None:
    if not entry.scene.planar:
        entry.fail(("orientation",), f"needs {ORIENTATION}, not {kind_of(raw)}")
        return None
    angle = entry.scalar(raw, ("orientation",), "rad")
    return turn(np.array([0.0, 0.0, 1.0]), angle) if np.isfinite(angle) else None


def _axis_angle(raw: Mapping[str, Any], entry: Entry) -> np.ndarray | None:
    inner = Entry(raw, entry.scene)
    inner.keys({"axis": Field("direction", required=True), "angle": Field("quantity", "rad", required=True)})
    axis, angle = inner.direction("axis"), inner.number("angle", "rad")
    entry.adopt(inner, ("orientation",))
    return None if inner.failed else turn(axis, angle)


def _from_matrix(raw: list[Any], entry: Entry) -> np.ndarray | None:
    A = entry.matrix(raw, ("orientation",), "")
    if A is None:
        return None
    if np.abs(A @ A.T - np.eye(3)).max() > LOOSE or np.linalg.det(A) < 0.0:
        entry.fail(("orientation",), "is no rotation matrix: its rows must be orthonormal and right-handed")
        return None
    return euler_parameters(nearest_rotation(A))
