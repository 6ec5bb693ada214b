"""What the joints carried: peak, mean and RMS of every reaction over the run; with rigid contacts, mean forces."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..results.impulsive import WHY
from ..results.means import default_window, mean_loads
from ..results.missed import missed_peaks
from ..results.solution import Solution
from .markup import Markup, join, note, section, table, tag
from .numbers import Column, pretty, quantity

ROUNDING = 1e-10  # m: a torque below a joint's largest force at this arm is none; contacts are solved to about that
KINDS = (("force", "N"), ("torque", "N m"))


class Load(NamedTuple):
    """Magnitude of a reaction over a run."""

    peak: float  # not a number where it carries impulses of rigid contacts
    time: float  # of the peak, s
    every_step: bool  # whether the peak is over every step; else over the saved instants
    mean: float
    rms: float


def forces_section(solution: Solution, figures: Markup) -> Markup:
    """The tables of forces and torques, and the figures of forces."""
    rows = joint_loads(solution)
    if not rows:
        return Markup("")
    with_peaks = {joint: loads for joint, loads in rows.items() if np.isfinite(loads["force"].peak)}
    shown = [
        _table(solution, kind, unit, {joint: loads[kind] for joint, loads in with_peaks.items()})
        for kind, unit in KINDS
    ]
    words = (
        "Reactions on the second body at its joint point, magnitudes; mean and RMS are over time (trapezoidal rule)."
    )
    if with_peaks:
        steps = all(load.every_step for loads in with_peaks.values() for load in loads.values())
        words += f" Peaks are over {'every step' if steps else 'the saved instants'}."
    words = " ".join([words, *(f"{one[0].upper()}{one[1:]}." for one in missed_peaks(solution))])
    if solution.meta.get("multipliers", "unique") != "unique":
        words += " Joint reactions are not unique here; these are those of least norm."
    return section("forces", "Joint forces", figures, *shown, _means(solution), note(words))


def joint_loads(solution: Solution) -> dict[str, dict[str, Load]]:
    """Force and torque of every joint, those with the largest force first."""
    found = [v for v in solution.layout.variables if v.dimension == "joint" and v.name == "force"]
    if not found or not len(solution.time):
        return {}
    loads: dict[str, dict[str, Load]] = {}
    for joint in found[0].labels:
        force, torque = (np.linalg.norm(solution[f"{joint}.{kind}"], axis=1) for kind, _ in KINDS)
        arm = ROUNDING * np.max(force)
        torque[torque < arm] = 0.0
        loads[joint] = {
            "force": _load(solution, f"|{joint}.force|", force),
            "torque": _load(solution, f"|{joint}.torque|", torque, arm),
        }
    return dict(sorted(loads.items(), key=lambda pair: tuple(-np.nan_to_num(pair[1]["force"][k]) for k in (0, 3))))


def _load(solution: Solution, name: str, size: np.ndarray, least: float = 0.0) -> Load:
    """Peak, mean and RMS of a magnitude; a peak below ``least`` is none."""
    peak, time = solution.peaks[name], solution.time
    none = peak.greatest < least
    return Load(
        np.nan if peak.impulsive else 0.0 if none else float(peak.greatest),
        float(time[0] if none else peak.greatest_time),
        peak.every_step,
        average(time, size),
        float(np.sqrt(average(time, size**2))),
    )


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


def _means(solution: Solution) -> Markup:
    """Mean forces of joints and stops that carry impulses of rigid contacts."""
    window = default_window(solution)
    loads = mean_loads(solution, window)
    if not loads:
        return Markup("")
    length = quantity(window, "s", 3)
    scales = {unit: Column("", [one.force for one in loads if one.unit == unit], unit) for unit in ("N", "N m")}
    times = Column("", solution.time, "s")
    lines = [
        (
            tag("b", one.name),
            Markup(f"{scales[one.unit].show(one.force)} {pretty(scales[one.unit].scale.unit)}"),
            times.show(one.start, 5),
            times.show(one.end, 5),
            "with impacts" if one.impacts else "between impacts",
        )
        for one in loads
    ]
    unit = pretty(times.scale.unit)
    head = ("joint", Markup(f"largest mean over {length}"), f"from [{unit}]", f"to [{unit}]", "")
    why = f"There are no peaks here, because {WHY}. Impulses are in the section on contacts."
    return Markup(table(head, lines, caption="Mean forces") + note(why))
