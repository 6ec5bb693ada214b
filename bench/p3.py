"""P3: pendulum on a pin with 0.1 mm of radial clearance, h = 1e-4 s, 2 s. What does a step with a true journal cost?

The truth is the limit of small steps of a scheme in three coordinates; engines that put the pin on the body and the
hole in the ground have a truth of their own (the swing differs by some hundredths of a radian after 2 s, by friction).
"""

from __future__ import annotations

import numpy as np

from .contracts import JournalEntry, Refusal
from .problems import JOURNAL
from .report import Report
from .timing import Heat, Run, race
from .truth import journal_pendulum

REFINE = 1000  # truth takes so many steps for one
EARLY = 0.5  # s
AGREES = (0.02, 0.1)  # rad, largest error of the angle up to 0.5 s and to the end


def run(ours: list[JournalEntry], peers: list[JournalEntry], *, repeats: int, report: Report) -> bool:
    """Do the whole of P3; True if our motion is right."""
    data = JOURNAL
    times = data.step * data.sampling * np.arange(data.steps // data.sampling + 1)
    truths = {side: journal_pendulum(REFINE, pin_on_body=side) for side in (False, True)}
    report.title("P3  pendulum on a pin with 0.1 mm clearance, h = 1e-4 s, 2 s")
    report.line(
        f"truth at 0.5, 1 and 2 s: {', '.join(f'{truths[False][0][round(k)]:.4f}' for k in (50, 100, 200))} rad; "
        f"{truths[False][2]:.4f} J lost (e = {data.restitution}, mu = {data.friction}, J = {data.inertia:g} kg m2)"
    )
    rows, fit, right = [], [], True
    for entry in ours + peers:
        try:
            result = entry.run()
        except Refusal as refusal:
            rows.append((entry.name, "-", "-", "-", f"cannot: {refusal.sentence}", entry.leaves_out))
            right &= entry not in ours
            continue
        fit.append(entry)
        off = np.abs(result.angle - truths[entry.pin_on_body][0])
        early, late = float(np.max(off[times <= EARLY])), float(np.max(off))
        agrees = early < AGREES[0] and late < AGREES[1]
        right &= agrees or entry not in ours
        depth = max(float(np.max(result.eccentricity)) - data.gap, 0.0)
        said = "agrees" if agrees else "DOES NOT AGREE"
        rows.append((entry.name, f"{early:.1e}", f"{late:.1e}", f"{depth:.1e}", said, entry.leaves_out))
    columns = ("engine", "angle to 0.5 s, rad", "to 2 s", "sinks in m", "", "leaves out")
    report.table("how far off?", columns, rows)
    _race([e for e in ours if e in fit], [e for e in peers if e in fit], repeats, report)
    return right


def _cost(entry: JournalEntry) -> Run:
    def timed() -> float:
        result = entry.run()
        return result.seconds / result.steps

    return timed


def _race(ours: list[JournalEntry], peers: list[JournalEntry], repeats: int, report: Report) -> None:
    own = ours[0] if ours else None
    result = race(_cost(own) if own else None, {entry.name: _cost(entry) for entry in peers}, repeats)
    rows = []
    if own and result.ours:
        rows.append((own.name, result.ours.scaled(1e6).show(), "1"))
        report.keep("p3 seconds a step", own.name, Heat(result.ours, None, None).as_dict())
    for name, heat in result.heats.items():
        rows.append((name, heat.peer.scaled(1e6).show(), heat.ratio.show() if heat.ratio else "-"))
        report.keep("p3 seconds a step", name, heat.as_dict())
    report.table("one step of h = 1e-4 s", ("engine", "us", "peer / ours"), rows)
