"""Facts of joints for the page: frames, sizes, play, stops, springs, and where their contacts can be."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..compile.interactions import of_joint
from ..laws.clearance import Clearance
from ..laws.spring import Spring
from ..laws.stop import Stop
from ..model.elements import GROUND, Joint, Marker
from ..model.geometry import rotation_matrix
from ..model.system import System
from .closed_directions import row_values, rows_of
from .motion import Motion
from .sizes import Sizes

ROUND = ("journal", "strip", "socket")


def frame(marker: Marker, motion: Motion) -> dict[str, Any]:
    """A marker: body number, point and axes (rows) in body axes."""
    return {"body": motion.number(marker.body), "point": marker.point.tolist(), "axes": marker.axes.ravel().tolist()}


def joint_facts(joint: Joint, system: System, motion: Motion, sizes: Sizes) -> dict[str, Any]:
    """All that the page needs to know of a joint."""
    rows = rows_of(joint)
    along = np.sum(motion.axes(joint.first)[:, 2] * (motion.points(joint.second) - motion.points(joint.first)), axis=1)
    facts: dict[str, Any] = {
        "name": joint.name,
        "kind": joint.kind.key,
        "first": frame(joint.first, motion),
        "second": frame(joint.second, motion),
        "rows": rows,
        "range": [float(along.min()), float(along.max())],
        "stops": _stops(joint),
        "springs": [key for key, laws in joint.free.items() if any(isinstance(law, Spring) for law in laws)],
        "soft": joint.bushing is not None or any(law.key == "bushing" for law in joint.closed.values()),
        "play": _play(joint, sizes),
    }
    for key in ("radius", "length", "width"):
        if key in joint.geometry:
            facts[key] = float(joint.geometry[key])
    if "section" in joint.geometry:
        facts["section"] = joint.geometry["section"].tolist()
    facts["contacts"] = _contacts(joint, system, motion) if facts["play"] else []
    return facts


def _stops(joint: Joint) -> list[dict[str, Any]]:
    return [
        {"coordinate": key, "lower": law.lower, "upper": law.upper}
        for key, laws in joint.free.items()
        for law in laws
        if isinstance(law, Stop)
    ]


def _play(joint: Joint, sizes: Sizes) -> dict[str, Any] | None:
    """Sizes of the clearance; None without one."""
    laws = {group: law for group, law in joint.closed.items() if isinstance(law, Clearance)}
    if not laws or joint.kind.coupling is not None:  # backlash has no room that could be drawn
        return None
    group = "radial" if "radial" in laws else next(iter(laws))
    play = joint.kind.clear[group]
    return {
        "group": group,
        "gap": float(laws[group].gap),
        "axial": float(laws["axial"].gap) if "axial" in laws else None,
        "inner": joint.geometry.get("inner", play.inner),
        "ends": joint.geometry.get("ends", "second"),
        "round": play.round,
    }


def _contacts(joint: Joint, system: System, motion: Motion) -> list[dict[str, Any]]:
    """Possible contacts in the order of the columns of ``JOINT.gap``."""
    turned = {body.name: rotation_matrix(body.orientation) for body in system.bodies} | {GROUND: np.eye(3)}
    across = joint.first.axes @ turned[joint.first.body].T @ np.array([0.0, 0.0, 1.0]) if system.planar else None
    found = []
    for one in of_joint(joint, across):
        if not (one.closed and isinstance(one.law, Clearance)):
            continue
        swapped = one.first.body != joint.first.body
        carrier = joint.first if swapped else joint.second
        found.append(
            {
                "group": one.part,
                "round": one.use.relation.name in ROUND,
                "swapped": swapped,
                "first": frame(one.first, motion),
                "second": frame(one.second, motion),
                # its place in joint axes, as drawn
                "at": (carrier.axes @ (one.second.point - carrier.point)).tolist(),
            }
        )
    return found


def play_values(joint: Joint, facts: dict[str, Any], motion: Motion) -> np.ndarray | None:
    """The rows of a joint with play over time."""
    return row_values(joint, facts["rows"], motion) if facts["play"] else None
