"""Rack (first body) and pinion (second): the pitch circle rolls along the pitch line.

    g = s - r phi      [m]

s is how far the rack has moved past the hub along ``along``, phi the turn of the pinion relative to the rack about
``axis``: a positive turn moves the rack along, which decides the side of the pinion that it lies on.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..relations.base import Use
from ..relations.helix import HELIX
from .base import Frames, H, JointKind
from .coupling import FLANKS, OFFSET, PRESSURE, Coupling, Misfit, Settled, Size
from .frames import rack_frame
from .play import Play
from .rubbing import Rubbing, flanks


def settle(frames: Frames, given: Mapping[str, Any]) -> Settled:
    """Coefficients of tooth contact and of sliding at the flanks."""
    if abs(float(frames.first_axes[0] @ frames.second_axes[2])) > 1e-9:
        raise Misfit("along", "must be at right angles to the axis of the pinion")
    by_teeth = "teeth" in given or "module" in given
    if by_teeth == ("radius" in given) or ("teeth" in given) != ("module" in given):
        raise Misfit("", "needs either the 'radius' of the pitch circle, or 'teeth' of the pinion with their 'module'")
    if by_teeth and (given["teeth"] % 1.0 != 0.0 or given["teeth"] < 1.0):
        raise Misfit("teeth", "must be a whole number of at least 1")
    radius = 0.5 * float(given["module"]) * float(given["teeth"]) if by_teeth else float(given["radius"])
    weights = {"mesh": (-1.0, -radius, 0.0)}
    weights["transmission_error"] = weights["mesh"]
    geometry: dict[str, Any] = {"radius": radius}
    if "path" in given:
        path = float(given["path"])
        weights["slide"] = (0.0, path, 0.0)
        geometry["path"] = path
    return Settled(weights, geometry, {"pressure_angle": float(given.get("pressure_angle", PRESSURE))})


RACK = JointKind(
    key="rack",
    summary="a rack (first body) and its pinion (second)",
    closed={"mesh": (Use(HELIX, H, H),)},
    free={"transmission_error": Use(HELIX, H, H), "slide": Use(HELIX, H, H)},
    arguments={"point": "m", "axis": "", "along": ""},
    frame=rack_frame,
    clear={"mesh": Play(walls=True)},
    rubs=Rubbing(("slide",), flanks, ("path", "pressure_angle")),
    coupling=Coupling(
        {
            "radius": Size("quantity", "m", "radius of the pitch circle of the pinion"),
            "teeth": Size("quantity", "", "number of teeth of the pinion"),
            "module": Size("quantity", "m", "pitch diameter per tooth"),
        }
        | FLANKS
        | OFFSET,
        {"point": (1, "angle"), "axis": (1, "angle"), "along": (0, "displacement")},
        settle,
        look="rack",
    ),
)
