"""Bevel gears: pitch cones with a common apex roll on each other.

At the pitch point the cones roll like the circles of their back cones (Tredgold): the line through the pitch point
across its generator meets the axes at B_1 and B_2, and with these as hubs the relation of spur gears holds exactly, its
force acting at the pitch point (docs/theory/couplings.md).

    sin(delta_1) / sin(delta_2) = r_1 / r_2,   delta_1 + delta_2 = angle between the axes
    B_k = apex + R / cos(delta_k) b_k

b_k point from the apex to the wheels, R is the length of the generator.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..relations.base import Use
from ..relations.mesh import MESH
from .base import Frames, JointKind
from .coupling import ALIGNED, FITS, OFFSET, TEETH, Coupling, Misfit, Settled, ratio_of
from .frames import triad, unit
from .play import Play

SMALL = 1e-3  # cosine of a cone angle below which the back cone is taken for a plane


def bevel_frame(args: dict[str, Any]) -> Frames:
    """Hubs on both axes as given; they move to the tips of the back cones once sizes are known."""
    p, q = (np.asarray(args[key], dtype=float) for key in ("point_a", "point_b"))
    return Frames(p, triad(args["axis_a"], q - p), q, triad(args["axis_b"], p - q))


def place(frames: Frames, given: Mapping[str, Any]) -> Frames:
    """Hubs at the tips of the back cones, axes away from the apex."""
    ratio = ratio_of(given, 1.0)
    p, q = frames.first_point, frames.second_point
    a, b = frames.first_axes[2], frames.second_axes[2]
    normal = np.cross(a, b)
    sine = float(np.linalg.norm(normal))
    if sine < ALIGNED:
        raise Misfit("", "the axes are parallel: take a 'gear' joint")
    normal /= sine
    size = float(np.linalg.norm(q - p))
    if abs(normal @ (q - p)) > FITS * size:
        raise Misfit("", f"the axes pass each other at {abs(normal @ (q - p)):.4g} m: bevel gears need axes that meet")
    apex = p + a * (np.cross(q - p, b) @ np.cross(a, b)) / sine**2
    a, b = (axis * (np.sign(axis @ (hub - apex)) or np.nan) for axis, hub in ((a, p), (b, q)))
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise Misfit("", "a hub lies where the axes meet; its wheel stands away from there")
    whole = np.arctan2(sine, a @ b)  # angle between the axes
    first = np.arctan2(np.sin(whole), ratio[1] / ratio[0] + np.cos(whole))
    cosines = np.cos([first, whole - first])
    if not (cosines > SMALL).all():
        raise Misfit("", "a pitch cone is flat or hollow here: crown wheels and internal bevel gears are not provided")
    cone = _generator(given, ratio, first, apex, p, q)
    hubs = [apex + cone / cosine * axis for cosine, axis in zip(cosines, (a, b), strict=True)]
    line = hubs[1] - hubs[0]
    return Frames(hubs[0], triad(a, line), hubs[1], triad(b, -line))


def _generator(
    given: Mapping[str, Any], ratio: np.ndarray, first: float, apex: np.ndarray, p: np.ndarray, q: np.ndarray
) -> float:
    """Length of the generator: from radii or module, else from where the first hub was drawn."""
    if "teeth" in given and "module" not in given:
        return float(np.linalg.norm(p - apex) / np.cos(first))
    size = 0.5 * float(given["module"]) if "teeth" in given else 1.0
    return float(size * ratio[0] / np.sin(first))


def settle(frames: Frames, given: Mapping[str, Any]) -> Settled:
    """Coefficients of tooth contact, for frames that ``place`` made."""
    ratio = ratio_of(given, 1.0)
    line = unit(frames.second_point - frames.first_point)
    d = float(np.linalg.norm(frames.second_point - frames.first_point))
    reach = [float(np.linalg.norm(np.cross(axes[2], line))) for axes in (frames.first_axes, frames.second_axes)]
    # both hubs see the pitch point on the line between them: r_1 / reach_1 + r_2 / reach_2 = d
    scale = d / (ratio[0] / reach[0] + ratio[1] / reach[1])
    r1, r2 = (scale * ratio).tolist()
    tangents = [np.cross(frames.first_axes[2], line), np.cross(frames.second_axes[2], -line)]
    same = 1.0 if tangents[0] @ tangents[1] > 0.0 else -1.0
    weights = (-r1, same * r2, 0.0)
    return Settled({"mesh": weights, "transmission_error": weights}, {"radii": np.array([r1, r2])})


BEVEL_GEAR = JointKind(
    key="bevel_gear",
    summary="two bevel gears on axes that meet",
    closed={"mesh": (Use(MESH),)},
    free={"transmission_error": Use(MESH)},
    arguments={"point_a": "m", "point_b": "m", "axis_a": "", "axis_b": ""},
    frame=bevel_frame,
    clear={"mesh": Play(walls=True)},
    coupling=Coupling(
        TEETH | OFFSET,
        {"point_a": (0, "angle"), "point_b": (1, "angle"), "axis_a": (0, "angle"), "axis_b": (1, "angle")},
        settle,
        planar=False,
        look="cones",
        place=place,
    ),
)
