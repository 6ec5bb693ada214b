"""What happened in clearances and at stops: how long each contact was closed, how hard it was struck."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..analysis import closed, contact_names, impacts_summary
from ..results.impulsive import walls
from ..results.means import default_window, largest_mean
from ..results.solution import Solution
from .forces import average
from .markup import Markup, note, pairs, section, table, tag
from .numbers import Column, pretty, quantity

MOST_CONTACTS = 16  # lines of a table
MOST_IMPACTS = 5
CLOSED = 1e-6  # of the largest gap: a smaller one is none


def contacts_section(solution: Solution, figures: Markup) -> Markup:
    """Contacts, impacts and their pictures; nothing for a run without."""
    if not len(solution.time):
        return Markup("")
    pieces = [_closed_table(solution), _impacts_table(solution), _strongest(solution), figures]
    if not any(pieces):
        return Markup("")
    return section("contacts", "Contacts and impacts", _counts(solution), *pieces)


def clearance_joints(solution: Solution) -> list[str]:
    """Joints with clearance."""
    return [name.removesuffix(".gap") for name in solution.layout.names if name.endswith(".gap")]


def _counts(solution: Solution) -> Markup:
    stats, table = solution.stats, solution.impacts
    facts: list[tuple[str, Any]] = []
    if "impacts" in stats or solution.layout.contacts:
        facts.append(("impacts", str(stats.get("impacts", len(np.unique(table["impact"]))))))
        facts.append(("energy lost in impacts", quantity(float(table["energy_loss"].sum()), "J", 4)))
    if "onsets" in stats:
        facts.append(("compliant contacts began", f"{stats['onsets']} times"))
    if "worst_penetration" in stats:
        facts.append(("rigid contacts pierced by at most", quantity(max(stats["worst_penetration"], 0.0), "m", 2)))
    return pairs(facts) if facts else Markup("")


class Line(NamedTuple):
    """A contact over a whole run."""

    name: str
    share: float  # of the time that it was closed
    least: float  # gap, m
    most: float
    peak: float  # normal force, N; not a number if the contact is rigid
    time: float  # of the peak, s
    window: float  # largest mean over a window, N, impacts included
    mean: float  # over the run


def _lines(solution: Solution, joint: str, window: float) -> Iterator[Line]:
    held, gaps, time = closed(solution, joint), solution[f"{joint}.gap"], solution.time
    peak, impulse = solution.peaks[f"{joint}.normal_force"], solution[f"{joint}.normal_impulse"]
    span, rigid = float(np.ptp(time)) or np.nan, walls(solution.layout)
    for k, name in enumerate(contact_names(solution, joint)):
        yield Line(
            name,
            share=average(time, held[:, k].astype(float)),
            least=float(np.min(gaps[:, k])),
            most=float(np.max(gaps[:, k])),
            peak=np.nan if name in rigid else float(peak.greatest[k]),
            time=float(peak.greatest_time[k]),
            window=largest_mean(time, impulse[:, k], window)[0],
            mean=float(impulse[-1, k] - impulse[0, k]) / span,
        )


def _closed_table(solution: Solution) -> Markup:
    """Every contact of a clearance, the most loaded first."""
    window = default_window(solution)
    lines = [line for joint in clearance_joints(solution) for line in _lines(solution, joint, window)]
    lines.sort(key=lambda line: (-np.nan_to_num(line.peak), -np.nan_to_num(line.window)))
    rigid, soft = ([line for line in lines if np.isnan(line.peak) == kind] for kind in (True, False))
    gap = Column("smallest gap", (line.most for line in lines), "m")
    peak = Column("peak force", (line.peak for line in lines), "N")
    time = Column("at", solution.time, "s")
    most = Column(f"largest mean force over {window:.3g} s", (line.window for line in lines), "N")
    mean = Column("mean force with impacts", (line.mean for line in lines), "N")

    def cells(line: Line) -> Iterator[Any]:
        yield from (tag("b", line.name), f"{100.0 * line.share:.1f} %")
        yield gap.show(line.least if abs(line.least) > CLOSED * line.most else 0.0, 3)
        if soft:
            yield from (peak.show(line.peak), time.show(line.time if line.peak > 0.0 else np.nan, 5))
        if rigid:
            yield most.show(line.window)
        yield mean.show(line.mean)

    rows = [tuple(cells(line)) for line in lines[:MOST_CONTACTS]]
    heads = ([peak.head, time.head] if soft else []) + ([most.head] if rigid else [])
    shown = table(("contact", "closed", gap.head, *heads, mean.head), rows, caption="Contacts of clearances")
    more = len(lines) - len(rows)
    return Markup(shown + note(f"and {more} contacts with smaller forces")) if more > 0 else shown


def _impacts_table(solution: Solution) -> Markup:
    """Impacts by contact, only those that were struck."""
    summary = impacts_summary(solution)
    struck = summary[summary["count"] > 0]
    struck = struck[np.argsort(-struck["energy_loss"], kind="stable")]
    time, energy = Column("at", solution.time, "s"), Column("energy lost", struck["energy_loss"], "J")
    speed, impulse = Measures(struck, "largest_speed", "/s"), Measures(struck, "impulse", " s")
    rows = [
        (
            tag("b", one["contact"]),
            str(one["count"]),
            speed.show(one, "largest_speed"),
            time.show(one["time"], 5),
            impulse.show(one, "impulse"),
            energy.show(one["energy_loss"]),
        )
        for one in struck[:MOST_CONTACTS]
    ]
    head = ("contact", "impacts", "hardest", time.head, "impulse, sum", energy.head)
    return table(head, rows, caption="Impacts by contact")


def _strongest(solution: Solution) -> Markup:
    """The impacts with the largest impulse."""
    impacts = solution.impacts
    strongest = impacts[np.argsort(-impacts["impulse"], kind="stable")[:MOST_IMPACTS]]
    time, energy = Column("time", solution.time, "s"), Column("energy lost", strongest["energy_loss"], "J")
    speed, impulse = Measures(strongest, "speed_before", "/s"), Measures(strongest, "impulse", " s")
    rows = [
        (
            tag("b", one["contact"]),
            time.show(one["time"], 6),
            speed.show(one, "speed_before"),
            speed.show(one, "speed_after"),
            impulse.show(one, "impulse"),
            energy.show(one["energy_loss"]),
        )
        for one in strongest
    ]
    head = ("contact", time.head, "gap rate before", "after", "impulse", energy.head)
    return table(head, rows, caption=f"The {len(rows)} strongest impacts, by impulse")


class Measures:
    """Speeds or impulses of clearances and of stops, which may be stops of an angle: each with its unit."""

    def __init__(self, lines: np.ndarray, field: str, per: str) -> None:
        turning = np.array([".angle[" in name for name in lines["contact"]], dtype=bool)
        first = {"/s": ("m", "rad"), " s": ("N", "N m")}[per]
        self._columns = [Column("", lines[field][turning == kind], f"{first[kind]}{per}") for kind in (0, 1)]

    def show(self, line: Any, field: str) -> Markup:
        """A value with its unit."""
        column = self._columns[".angle[" in line["contact"]]
        return Markup(f"{column.show(float(line[field]))} {pretty(column.scale.unit)}")
