"""Reading bodies and markers: mass properties that nature allows, and poses in any of the usual forms.

The principal moments J1 <= J2 <= J3 of a body are positive and J3 <= J1 + J2, since each is an integral of two of the
three squares x^2, y^2, z^2.
"""

from __future__ import annotations

import numpy as np

from .elements import Body, Marker
from .entry import Entry, Field
from .geometry import Pose, rotation_matrix
from .orientation import ORIENTATION, read_orientation
from .shape import read_shapes

TRIANGLE = 1e-6  # relative excess of the largest moment that rounding may explain

BODY: dict[str, Field] = {
    "mass": Field("quantity", "kg", "mass", required=True),
    "inertia": Field("inertia", "kg*m^2", "about the centre of mass: 3 principal moments, or 3x3", required=True),
    "position": Field("vector", "m", "centre of mass, global axes"),
    "orientation": Field("orientation", "", ORIENTATION),
    "velocity": Field("vector", "m/s", "of the centre of mass, global axes"),
    "angular_velocity": Field("spin", "rad/s", "in body axes; in planar models one number"),
    "shape": Field("shapes", "", "what it looks like: a shape, or a list of shapes; for pictures only"),
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
    p = read_orientation(entry, in_plane=True)
    velocity = entry.vector("velocity", "m/s")
    spin = about_z(entry, "angular_velocity", "rad/s")
    shapes = read_shapes(entry)
    if entry.failed:
        return None
    moving, turning = "velocity" in entry.raw, "angular_velocity" in entry.raw
    return Body(name, mass, inertia, position, p, velocity, spin, moving, turning, shapes)


def read_marker(name: str, entry: Entry) -> Marker | None:
    """A marker, or None after a problem; its axes are the rows h, t, b = x, y, z of the marker."""
    entry.keys(MARKER)
    body = entry.body(entry.raw["body"], ("body",)) if "body" in entry.raw else None
    point = entry.vector("position", "m")
    p = read_orientation(entry, in_plane=False)
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
        return np.diag([entry.scalar(raw, path, unit, above=0.0)] * 3)
    if not any(isinstance(one, list) for one in raw):
        moments = entry.numbers(raw, path, unit, (3,))
        if moments is None:
            return failed
        _check_moments(sorted(moments.tolist()), entry)
        return np.diag(moments)
    J = entry.matrix(raw, path, unit)
    if J is None or not np.isfinite(J).all():
        return failed
    size = float(np.abs(J).max())
    if np.abs(J - J.T).max() > 1e-9 * size:
        entry.fail(path, "must be symmetric")
        return failed
    J = 0.5 * (J + J.T)
    _check_moments(np.linalg.eigvalsh(J).tolist(), entry)
    return J


def _check_moments(moments: list[float], entry: Entry) -> None:
    """Refuse principal moments that no body has."""
    low, middle, high = moments
    path = ("inertia",)
    if not low > 1e-14 * high:
        entry.fail(path, f"must be positive definite; its principal moments are {_three(low, middle, high)} kg*m^2")
    elif high > (low + middle) * (1.0 + TRIANGLE):
        moments_text = _three(low, middle, high)
        entry.fail(
            path, f"no body has these moments: the largest exceeds the sum of the others ({moments_text} kg*m^2)"
        )


def _three(*numbers: float) -> str:
    return ", ".join(f"{number:.6g}" for number in numbers)
