"""Peaks that the saved states of a run do not show."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from .peaks import Peak, joints_of

if TYPE_CHECKING:
    from .solution import Solution

SEEN = 0.9  # of a peak: saved states that show so much of it show it
SMALL = 1e-6  # of the largest force: smaller ones do not matter
MOST = 5  # sentences


def missed_peaks(solution: Solution) -> list[str]:
    """A sentence for each joint, contact or stop whose largest force lies between saved states, the largest first."""
    known = [peak for peak in _forces(solution) if peak.every_step]
    largest = {unit: max(_most(peak)[0] for peak in known if peak.unit == unit) for unit in {one.unit for one in known}}
    found: dict[str, tuple[float, str]] = {}
    for peak in known:
        size, time, seen = _most(peak)
        owner = peak.name.strip("|").partition(".")[0]
        if seen < SEEN * size and size > SMALL * largest[peak.unit] and f"{owner} {peak.unit}" not in found:
            shown = f"{seen:.4g} {peak.unit} of the peak of {size:.4g} {peak.unit} of {peak.name} at t = {time:.6g} s"
            found[f"{owner} {peak.unit}"] = (size, f"saved states show at most {shown}: save more often to see it")
    sentences = [text for _, text in sorted(found.values(), reverse=True)]
    more = len(sentences) - MOST
    return sentences[:MOST] + ([f"saved states miss {more} other peaks"] if more > 0 else [])


def _forces(solution: Solution) -> Iterator[Peak]:
    """Reactions, then contacts and stops."""
    if not len(solution.time) or solution._extremes is None:
        return
    for joint in joints_of(solution.layout):
        yield solution.peaks[f"|{joint}.force|"]
    for name in solution.layout.names:
        quantity = name.partition(".")[2]
        if quantity == "normal_force" or quantity.startswith(("stop_force", "stop_torque")):
            yield solution.peaks[f"|{name}|"]


def _most(peak: Peak) -> tuple[float, float, float]:
    """Size and time of the largest of a quantity's contacts, and what is saved of it."""
    size, time, seen = (np.ravel(one) for one in (peak.size, peak.size_time, peak.saved))
    k = int(np.argmax(size))
    return float(size[k]), float(time[k]), float(seen[k])
