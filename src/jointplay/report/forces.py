"""What the joints carried: peak, mean and RMS of every reaction over the run."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..results.solution import Solution
from .markup import Markup, join, note, section, table, tag
from .numbers import Column

ROUNDING = 1e-10  # m: a torque below a joint's largest force at this arm is none; contacts are solved to about that
KINDS = (("force", "N"), ("torque", "N m"))


class Load(NamedTuple):
    """Magnitude of a reaction over the saved instants."""

    peak: float
    time: float  # of the peak, s
    mean: float
    rms: float


def forces_section(solution: Solution, figures: Markup) -> Markup:
    """The tables of forces and torques, and the figures of forces."""
    rows = joint_loads(solution)
    if not rows:
        return Markup("")
    shown = [
        _table(solution, kind, unit, {joint: loads[kind] for joint, loads in rows.items()}) for kind, unit in KINDS
    ]
    words = (
        "Reactions on the second body at its joint point, magnitudes at the saved instants; mean and RMS are over time "
        "(trapezoidal rule)."
    )
    if len(solution.impacts):
        words += " An impact is an impulse and has no force: see contacts."
    if solution.meta.get("multipliers", "unique") != "unique":
        words += " Joint reactions are not unique here; these are those of least norm."
    return section("forces", "Joint forces", figures, *shown, note(words))


def joint_loads(solution: Solution) -> dict[str, dict[str, Load]]:
    """Force and torque of every joint, those with the largest force first."""
    found = [v for v in solution.layout.variables if v.dimension == "joint" and v.name == "force"]
    if not found or not len(solution.time):
        return {}
    loads: dict[str, dict[str, Load]] = {}
    for joint in found[0].labels:
        force, torque = (np.linalg.norm(solution[f"{joint}.{kind}"], axis=1) for kind, _ in KINDS)
        torque[torque < ROUNDING * np.max(force)] = 0.0
        loads[joint] = {"force": load_of(solution.time, force), "torque": load_of(solution.time, torque)}
    return dict(sorted(loads.items(), key=lambda pair: -pair[1]["force"].peak))


def load_of(time: np.ndarray, size: np.ndarray) -> Load:
    """Peak, mean and RMS of a magnitude."""
    at = int(np.argmax(size))
    return Load(float(size[at]), float(time[at]), average(time, size), float(np.sqrt(average(time, size**2))))


def average(time: np.ndarray, values: np.ndarray) -> float:
    """Mean over time by the trapezoidal rule; of a single instant, its value."""
    span = float(time[-1] - time[0])
    return float(np.trapezoid(values, time)) / span if span > 0.0 else float(values[-1])


def _table(solution: Solution, kind: str, unit: str, loads: dict[str, Load]) -> Any:
    if not any(load.peak > 0.0 for load in loads.values()):
        return Markup("")
    peaks = [load.peak for load in loads.values()]
    size = Column(kind, peaks, unit)
    times = Column("at", solution.time, "s")
    rows = [
        (tag("b", joint), size.show(one.peak), times.show(one.time, 5), size.show(one.mean), size.show(one.rms))
        for joint, one in loads.items()
    ]
    bracket = size.head.removeprefix(kind)
    head = ("joint", f"peak{bracket}", times.head, f"mean{bracket}", f"RMS{bracket}")
    return table(head, rows, caption=join([kind.capitalize(), "s"], ""))
