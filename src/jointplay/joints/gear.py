"""Gear pair on parallel axes: pitch circles roll on each other, outside or (internal) one inside the other.

    g = r_1 (theta_1 - psi) -+ ... ,      external: + r_2 (theta_2 - psi),      internal: - r_2 (theta_2 - psi)      [m]

theta are the turns of the wheels and psi that of the line of centres, all about one axis: g is how far the first wheel
is ahead on the pitch circle. The azimuths of the relation are x = psi - theta.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..relations.base import Use
from ..relations.mesh import MESH
from .base import Frames, JointKind
from .coupling import FLANKS, OFFSET, PRESSURE, TEETH, Coupling, Misfit, Settled, Size, across, radii_at, ratio_of
from .frames import hub_frame
from .play import Play
from .rubbing import Rubbing, flanks


def settle(frames: Frames, given: Mapping[str, Any]) -> Settled:
    """Coefficients of tooth contact and of sliding at the flanks."""
    internal = bool(given.get("internal", False))
    ratio = ratio_of(given, 1.0)
    if internal and ratio[0] == ratio[1]:
        raise Misfit("internal", "a wheel inside another must be smaller: sizes are equal")
    distance = float(np.linalg.norm(across(frames)))
    r1, r2 = radii_at(given, ratio, distance, internal).tolist()
    weights = {"mesh": (-r1, r2 if internal else -r2, 0.0)}
    weights["transmission_error"] = weights["mesh"]
    geometry: dict[str, Any] = {"radii": np.array([r1, r2])}
    if "path" in given:
        path = float(given["path"])
        weights["slide"] = (-path, path, 0.0)
        geometry["path"] = path
    return Settled(weights, geometry, {"pressure_angle": float(given.get("pressure_angle", PRESSURE))})


GEAR = JointKind(
    key="gear",
    summary="two gear wheels on parallel axes, also internal, also on a carrier that moves",
    closed={"mesh": (Use(MESH),)},
    free={"transmission_error": Use(MESH), "slide": Use(MESH)},
    arguments={"point_a": "m", "point_b": "m", "axis": ""},
    frame=hub_frame,
    clear={"mesh": Play(walls=True)},
    rubs=Rubbing(("slide",), flanks, ("path", "pressure_angle")),
    coupling=Coupling(
        TEETH | {"internal": Size("flag", "", "true: the smaller wheel runs inside the larger one")} | FLANKS | OFFSET,
        {"point_a": (0, "angle"), "point_b": (1, "angle"), "axis": (0, "angle")},
        settle,
        parallel=True,
        rings=True,
    ),
)
