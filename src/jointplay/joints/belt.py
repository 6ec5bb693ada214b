"""Belt or chain between two pulleys on parallel axes, open or crossed.

    g = r_1 (theta_1 - psi) - r_2 (theta_2 - psi)      open;      + for a crossed belt      [m]

g is how much belt the first pulley has drawn in beyond what the second one gave. The force is the difference of the
tensions of the two strands; their mean presses on the hubs alone and is no part of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..relations.base import Use
from ..relations.mesh import MESH
from .base import Frames, JointKind
from .coupling import OFFSET, TEETH, Coupling, Misfit, Settled, Size, across, ratio_of
from .frames import hub_frame
from .play import Play


def settle(frames: Frames, given: Mapping[str, Any]) -> Settled:
    """Coefficients of the belt's way over both pulleys."""
    crossed = bool(given.get("crossed", False))
    ratio = ratio_of(given, 1.0)
    if "teeth" in given and "module" not in given:
        raise Misfit("module", "is missing: the distance of pulleys does not give their size")
    radii = ratio * (0.5 * float(given["module"]) if "teeth" in given else 1.0)
    distance = float(np.linalg.norm(across(frames)))
    least = float(radii.sum() if crossed else abs(radii[1] - radii[0]))
    if not distance > least:
        how = "crossed" if crossed else "open"
        raise Misfit("", f"hubs {distance:.6g} m apart are too near for an {how} belt, which needs {least:.6g} m")
    r1, r2 = radii.tolist()
    weights = (-r1, -r2 if crossed else r2, 0.0)
    return Settled({"belt": weights, "transmission_error": weights}, {"radii": radii})


BELT = JointKind(
    key="belt",
    summary="a belt or chain over two pulleys on parallel axes, open or crossed",
    closed={"belt": (Use(MESH),)},
    free={"transmission_error": Use(MESH)},
    arguments={"point_a": "m", "point_b": "m", "axis": ""},
    frame=hub_frame,
    clear={"belt": Play(walls=True)},
    coupling=Coupling(
        TEETH
        | {"crossed": Size("flag", "", "true: the strands cross, and the pulleys turn against each other")}
        | OFFSET,
        {"point_a": (0, "angle"), "point_b": (1, "angle"), "axis": (0, "angle")},
        settle,
        parallel=True,
    ),
)
