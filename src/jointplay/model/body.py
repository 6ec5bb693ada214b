"""Reading bodies and markers: mass properties that nature allows, and poses in any of the usual forms.

The principal moments J1 <= J2 <= J3 of a body are positive and J3 <= J1 + J2, since each is an integral of two of the
three squares x^2, y^2, z^2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .elements import Body, Marker
from .entry import Entry, Field, kind_of
from .geometry import Pose, euler_parameters, nearest_rotation, rotation_matrix, turn

LOOSE = 1e-3  # typed rotations may be this far from unit length or from orthogonality
TRIANGLE = 1e-6  # relative excess of the largest moment that rounding may explain

ORIENTATION = "4 Euler parameters (scalar first), a 3x3 rotation matrix, or {axis, angle}; in planar models one angle"

BODY: dict[str, Field] = {
    "mass": Field("quantity", "kg", "mass", required=True),
    "inertia": Field("inertia", "kg*m^2", "about the centre of mass: 3 principal moments, or 3x3", required=True),
    "position": Field("vector", "m", "centre of mass, global axes"),
    "orientation": Field("orientation", "", ORIENTATION),
    "velocity": Field("vector", "m/s", "of the centre of mass, global axes"),
    "angular_velocity": Field("spin", "rad/s", "in body axes; in planar models one number"),
}

MARKER: dict[str, Field] = {
    "body": Field("name", "", "the body that carries the marker", required=True),
    "position": Field("vector", "m", "in body axes, from the centre of mass"),
    "orientation": Field("orientation", "", ORIENTATION + "; relative to the body, z is the joint axis"),
}


def read_body(name: str, entry: Entry) -> Body | None:
    """A body, or None after a problem."""
    entry.keys(BODY)
    mass = entry.number("mass", "kg", above=0.0)
    inertia = _inertia(entry)
    position = entry.vector("position", "m")
    p = _orientation(entry, in_plane=True)
    velocity = entry.vector("velocity", "m/s")
    spin = about_z(entry, "angular_velocity", "rad/s")
    if entry.failed:
        return None
    moving, turning = "velocity" in entry.raw, "angular_velocity" in entry.raw
    return Body(name, mass, inertia, position, p, velocity, spin, velocity_given=moving, spin_given=turning)


def read_marker(name: str, entry: Entry) -> Marker | None:
    """A marker, or None after a problem; its axes are the rows h, t, b = x, y, z of the marker."""
    entry.keys(MARKER)
    body = entry.body(entry.raw["body"], ("body",)) if "body" in entry.raw else None
    point = entry.vector("position", "m")
    p = _orientation(entry, in_plane=False)
    return None if entry.failed or body is None else Marker(body, point, rotation_matrix(p).T.copy(), name)


def pose_of(body: Body) -> Pose:
    """Where the body's frame stands at the start."""
    return Pose(body.position, rotation_matrix(body.orientation))


def about_z(entry: Entry, key: str, unit: str) -> np.ndarray:
    """A vector of rotation: three numbers, or in planar models the one about z."""
    raw = entry.raw.get(key, [0.0, 0.0, 0.0])
    if not entry.scene.planar:
        return entry.vector(key, unit)
    if not isinstance(raw, list):
        return np.array([0.0, 0.0, entry.scalar(raw, (key,), unit)])
    out = entry.numbers(raw, (key,), unit, (3,))
    if out is not None and out[:2].any():
        entry.fail((key,), "may have a z component only in a planar model")
    return np.full(3, np.nan) if out is None else out


def _inertia(entry: Entry) -> np.ndarray:
    """The tensor about the centre of mass; one number means equal moments (planar: only the one about z counts)."""
    failed = np.full((3, 3), np.nan)
    unit = BODY["inertia"].unit
    if "inertia" not in entry.raw:
        return failed
    raw, path = entry.raw["inertia"], ("inertia",)
    if not isinstance(raw, list):
        J: np.ndarray | None = entry.scalar(raw, path, unit, above=0.0) * np.eye(3)
    elif any(isinstance(one, list) for one in raw):
        J = entry.matrix(raw, path, unit)
    else:
        moments = entry.numbers(raw, path, unit, (3,))
        J = None if moments is None else np.diag(moments)
    if J is None or not np.isfinite(J).all():
        return failed
    size = float(np.abs(J).max())
    if np.abs(J - J.T).max() > 1e-9 * size:
        entry.fail(path, "must be symmetric")
        return failed
    J = 0.5 * (J + J.T)
    low, middle, high = np.linalg.eigvalsh(J)
    if not low > 1e-14 * high:
        entry.fail(path, f"must be positive definite; its principal moments are {_three(low, middle, high)} kg*m^2")
    elif high > (low + middle) * (1.0 + TRIANGLE):
        moments_text = _three(low, middle, high)
        entry.fail(
            path, f"no body has these moments: the largest exceeds the sum of the others ({moments_text} kg*m^2)"
        )
    return J


def _three(*numbers: float) -> str:
    return ", ".join(f"{number:.6g}" for number in numbers)


def _orientation(entry: Entry, *, in_plane: bool) -> np.ndarray:
    """Euler parameters of unit length, whatever form was given; ``in_plane``: only a turn about z in a planar model."""
    raw, path = entry.raw.get("orientation", [1.0, 0.0, 0.0, 0.0]), ("orientation",)
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
    for path, message in inner.problems:
        entry.fail(("orientation", *path), message)
    entry.failed = entry.failed or inner.failed
    return None if inner.failed else turn(axis, angle)


def _from_matrix(raw: list[Any], entry: Entry) -> np.ndarray | None:
    A = entry.matrix(raw, ("orientation",), "")
    if A is None:
        return None
    if np.abs(A @ A.T - np.eye(3)).max() > LOOSE or np.linalg.det(A) < 0.0:
        entry.fail(("orientation",), "is no rotation matrix: its rows must be orthonormal and right-handed")
        return None
    return euler_parameters(nearest_rotation(A))
