"""Screw (first body) and nut (second): the nut moves along the axis by the lead in a turn.

    g = z - lead phi / (2 pi)      [m]

z and phi are the displacement and the turn of the nut relative to the screw, along and about one axis. The thread holds
nothing else: shaft and nut are guided by other joints. Its flanks slide on each other along the helix of the mean
radius r, with the lead angle gamma = atan(lead / (2 pi r)), and are pressed by N = lambda / (cos gamma cos beta_n),
tan beta_n = tan(flank) cos gamma. So friction acts on the way along the helix, r cos(gamma) phi + sin(gamma) z, and
efficiency and self-locking follow from the coefficient of friction (docs/theory/couplings.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..relations.base import Use
from ..relations.helix import HELIX
from .base import B, Frames, H, JointKind
from .coupling import OFFSET, Coupling, Misfit, Settled, Size
from .frames import axis_frame
from .play import Play
from .rubbing import Rubbing, thread


def settle(frames: Frames, given: Mapping[str, Any]) -> Settled:
    """Coefficients of the thread and of sliding along it."""
    if "lead" not in given:
        raise Misfit("", "'lead' is missing (m per turn; negative for a left-hand thread)")
    lead = float(given["lead"])
    if lead == 0.0:
        raise Misfit("lead", "must not be zero")
    flank = float(given.get("flank", 0.0))
    if not 0.0 <= flank < 0.5 * np.pi:
        raise Misfit("flank", "must lie between 0 and 90 degrees")
    weights = {"thread": (1.0, -lead / (2.0 * np.pi), 0.0)}
    weights["transmission_error"] = weights["thread"]
    geometry: dict[str, Any] = {"lead": lead}
    if "radius" in given:
        geometry["radius"] = float(given["radius"])
        climb = np.arctan2(lead, 2.0 * np.pi * geometry["radius"])
        weights["slide"] = (float(np.sin(climb)), float(geometry["radius"] * np.cos(climb)), 0.0)
    return Settled(weights, geometry, {"flank": flank})


SCREW = JointKind(
    key="screw",
    summary="a screw (first body) and its nut (second)",
    closed={"thread": (Use(HELIX, B, H),)},
    free={"transmission_error": Use(HELIX, B, H), "slide": Use(HELIX, B, H)},
    arguments={"point": "m", "axis": ""},
    frame=axis_frame,
    clear={"thread": Play(walls=True)},
    rubs=Rubbing(("slide",), thread, ("radius", "lead", "flank")),
    coupling=Coupling(
        {
            "lead": Size("quantity", "m", "displacement per turn; negative for a left-hand thread"),
            "radius": Size("quantity", "m", "mean radius of the thread, for friction"),
            "flank": Size("quantity", "rad", "half of the thread angle, for friction; zero (square) unless given"),
        }
        | OFFSET,
        {"point": (0, "angle"), "axis": (0, "angle")},
        settle,
        planar=False,
        screws=True,
        look="screw",
    ),
)
