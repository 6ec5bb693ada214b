"""Mechanisms and small pieces of geometry that several tests share."""

from __future__ import annotations

from typing import Any

import numpy as np

import jointplay as jp
from jointplay.joints.registry import KINDS

JOINTS = [key for key, kind in KINDS.items() if kind.coupling is None]
COUPLINGS = [key for key, kind in KINDS.items() if kind.coupling is not None]
SIZES: dict[str, dict[str, Any]] = {  # of couplings that are drawn at random
    "gear": {"teeth": [17, 40], "path": 0.01},
    "bevel_gear": {"teeth": [15, 20], "module": 0.02},
    "rack": {"radius": 0.2, "path": 0.01},
    "screw": {"lead": 0.3, "radius": 0.1},
    "belt": {"radii": [0.05, 0.08]},
}
TIGHT = jp.Explicit(rtol=1e-12, atol=1e-13)


def coupling_arguments(kind: str, point: np.ndarray, vector: Any) -> dict[str, np.ndarray]:
    """Hubs and axes of a coupling that fit, around a point; ``vector()`` is random."""
    given, axis = {}, vector()
    for key, unit in KINDS[kind].arguments.items():
        if unit:
            given[key] = point + (vector() if key == "point_b" else 0.0)
        else:
            given[key] = np.cross(axis, vector()) if key in ("along", "axis_b") else axis
    if "axis_b" in given:  # axes that meet
        given |= {f"point_{end}": point + 0.3 * given[f"axis_{end}"] for end in "ab"}
    return given


def rotation(p: Any) -> np.ndarray:
    """Rotation matrices, body to global axes, of Euler parameters (..., 4)."""
    e0, e1, e2, e3 = np.moveaxis(np.asarray(p, float), -1, 0)
    rows = [
        [2 * (e0 * e0 + e1 * e1) - 1, 2 * (e1 * e2 - e0 * e3), 2 * (e1 * e3 + e0 * e2)],
        [2 * (e1 * e2 + e0 * e3), 2 * (e0 * e0 + e2 * e2) - 1, 2 * (e2 * e3 - e0 * e1)],
        [2 * (e1 * e3 - e0 * e2), 2 * (e2 * e3 + e0 * e1), 2 * (e0 * e0 + e3 * e3) - 1],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def product(p: Any, q: Any) -> np.ndarray:
    """Euler parameters of the rotation q followed by p (global axes)."""
    a, b = np.asarray(p, float), np.asarray(q, float)
    return np.concatenate([[a[0] * b[0] - a[1:] @ b[1:]], a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])])


def turn(axis: Any, angle: float) -> np.ndarray:
    """Euler parameters of a turn about an axis."""
    axis = np.asarray(axis, float)
    return np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) * axis / np.linalg.norm(axis)])


def apply(matrices: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Matrix times vector, line by line."""
    return np.einsum("...ij,...j->...i", matrices, vectors)


def axes_to(direction: Any) -> np.ndarray:
    """A right-handed frame whose x axis lies along ``direction`` and whose z axis is as upright as can be (columns)."""
    x = np.asarray(direction, float) / np.linalg.norm(direction)
    y = np.cross((0, 0, 1) if abs(x[2]) < 0.99 else (1, 0, 0), x)
    y /= np.linalg.norm(y)
    return np.column_stack([x, y, np.cross(x, y)])


def bar(
    system: jp.System, name: str, start: Any, end: Any, *, mass: float = 1.0, thick: float = 0.0, **given: Any
) -> Any:
    """A uniform slender bar between two points, body x axis along it; ``thick`` is its moment about that axis."""
    start, end = np.asarray(start, float), np.asarray(end, float)
    moment = mass * float((end - start) @ (end - start)) / 12.0
    return system.body(
        name,
        mass=mass,
        inertia=(thick or 1e-3 * moment, moment, moment),
        position=(start + end) / 2,
        orientation=axes_to(end - start),
        **given,
    )


def slider_crank(*, tilt: Any = (1.0, 0.0, 0.0, 0.0)) -> jp.System:
    """The spatial slider-crank of paper C, Tables 1 and 2, all drawn turned by the Euler parameters ``tilt``.

    The cross of the universal joint at C as the printed spin of the rod demands: z on the slider, (0, 0.8, 0.6) on
    the rod.
    """
    R = rotation(tilt)
    s = jp.System("spatial slider-crank", gravity=R @ (0, 0, -9.81))
    crank = s.body(
        "crank",
        mass=0.12,
        inertia=(1e-4, 1e-4, 1e-5),
        position=R @ (0, 0.1, 0.16),
        orientation=tilt,
        velocity=R @ (0, -0.24, 0),
        angular_velocity=(6, 0, 0),
    )
    e = np.array([0.888451, -0.209735, 0.397327, -0.093796])
    e /= np.linalg.norm(e)
    rod = s.body(
        "rod",
        mass=0.5,
        inertia=(4e-4, 4e-3, 4e-3),
        position=R @ (0.1, 0.05, 0.1),
        orientation=product(tilt, e),
        velocity=R @ (0.12, -0.24, 0),
        angular_velocity=(-1.6, -1.073313, 1.431084),
    )
    slider = s.body(
        "slider", mass=2.0, inertia=(1e-4,) * 3, position=R @ (0.2, 0, 0), orientation=tilt, velocity=R @ (0.24, 0, 0)
    )
    s.revolute("A", s.ground, crank, point=R @ (0, 0.1, 0.12), axis=R @ (1, 0, 0))
    s.spherical("B", crank, rod, point=R @ (0, 0.1, 0.2))
    s.universal(
        "C", slider, rod, point=R @ (0.2, 0, 0), axis_a=R @ (0, 0, 1), axis_b=R @ rotation(e) @ np.array([0, 0.8, 0.6])
    )
    s.prismatic("D", s.ground, slider, point=R @ (0.2, 0, 0), axis=R @ (1, 0, 0))
    return s


def swing() -> jp.System:
    """A plate on three rods, one of them with a swinging bar in it: closed spatial loops in gentle, smooth motion."""
    s = jp.System("swing", gravity=(0, 0, -9.81))
    plate = s.body(
        "plate",
        mass=2.0,
        inertia=(0.1, 0.15, 0.2),
        position=(0, 0, -1),
        velocity=(0.6, 0.3, 0),
        angular_velocity=(0, 0, 0.8),
    )
    corners = [0.6 * np.array([np.cos(a), np.sin(a), 0]) for a in np.radians((0, 120, 240))]
    hanger = bar(s, "hanger", corners[0], corners[0] - (0, 0, 1), mass=0.5, thick=0.01)
    s.universal("top", s.ground, hanger, point=corners[0], axis_a=(1, 0, 0), axis_b=(0, 1, 0))
    s.spherical("foot", hanger, plate, point=corners[0] - (0, 0, 1))
    for k in (1, 2):
        s.distance(f"rod{k}", s.ground, plate, point_a=corners[k], point_b=corners[k] - (0, 0, 1))
    return s


def unbalanced(scene: Any, sol: jp.Solution) -> str:
    """Where Newton's law fails, joints pushing their two bodies equally and oppositely; nothing if it holds."""
    forces = {b: np.zeros((len(sol.time), 3)) for b in range(len(scene.bodies))}
    for (name, _, a, b), element in zip(scene.joints, scene.system.joints, strict=True):
        push = sol[f"{name}.force"].copy()
        for effort in (f"{name}.stop_force", f"{name}.spring_force"):
            if effort in sol and element.free.get("displacement"):
                A = rotation(sol[f"b{a}.orientation"]) if a else np.eye(3)
                push += sol[effort][:, None] * (A @ element.first.axes[2])
        forces[b] += push
        forces[a] -= push
    for b, body in enumerate(scene.system.bodies, start=1):
        inertial = body.mass * (sol[f"b{b}.acceleration"] - scene.system.gravity)
        off = np.max(np.abs(inertial - forces[b]), initial=0.0)
        if off > 1e-7 * (1.0 + np.max(np.abs(inertial), initial=0.0)):
            return f"b{b}: {off:.2e} N"
    return ""
