"""P2: planar slider-crank with clearance in its guide, h = 1e-5 s, two turns. What does a step with hard contact cost?

Before the race every engine is compared with a run that locates all impacts. What can be asked of a step of 1e-5 s is
the order of the faces that the slider touches, the time of the first touch of each in turn, the crank early on, and a
slider that does not turn; crank at the end and depth of penetration are printed beside. The slider touches a face where
it is closer to it than 5 % of the clearance: soft contacts have no sharper beginning.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .contracts import GuideEntry, GuideRun, Refusal
from .problems import GUIDE_CRANK
from .report import Report
from .timing import Heat, Run, race
from .truth import guide_crank

BAND = 0.05  # of the clearance
TOUCH = 0.03  # largest error of the time of a touch, relative
EARLY, CRANK = 0.04, 0.015 * 2 * np.pi  # s; rad, largest error of the crank up to then
TURN = 1e-6  # rad, largest turn of the slider that counts as none

Touch = tuple[str, float]


def touches(times: np.ndarray, height: np.ndarray, gap: float) -> list[Touch]:
    """Face and time of the first touch of each face in turn."""
    found: list[Touch] = []
    for time, y in zip(times, height, strict=True):
        face = "upper" if y > (1 - BAND) * gap else "lower" if y < -(1 - BAND) * gap else ""
        if face and (not found or found[-1][0] != face):
            found.append((face, float(time)))
    return found


@dataclass(frozen=True)
class Form:
    """How far an engine is off."""

    early: float  # rad, crank up to 40 ms
    end: float  # rad, crank at the end
    touch: float | None  # relative, worst time of a touch; None if the order of faces is another
    depth: float  # m, deepest penetration
    turn: float  # rad, of the slider

    @property
    def complaints(self) -> list[str]:
        """What does not agree."""
        said = []
        if not self.early < CRANK:
            said.append("crank")
        if self.touch is None:
            said.append("order of touches")
        elif not self.touch < TOUCH:
            said.append("times of touches")
        if not self.turn < TURN:
            said.append("slider turns")
        return said


def form_of(run: GuideRun, times: np.ndarray, crank: np.ndarray, height: np.ndarray) -> Form:
    """Compare a run with the truth at ``times``."""
    gap = GUIDE_CRANK.gap
    off = np.abs(run.crank - crank)
    true, seen = touches(times, height, gap), touches(times, run.height, gap)
    same = [face for face, _ in true] == [face for face, _ in seen]
    worst = max(abs(b - a) / a for (_, a), (_, b) in zip(true, seen, strict=True)) if same else None
    depth = max(float(np.max(np.abs(run.height))) - gap, 0.0)
    return Form(float(np.max(off[times <= EARLY])), float(off[-1]), worst, depth, float(np.max(np.abs(run.turn))))


def run(ours: list[GuideEntry], peers: list[GuideEntry], *, repeats: int, report: Report) -> bool:
    """Do the whole of P2; True if our motion is right."""
    data = GUIDE_CRANK
    times = data.step * data.sampling * np.arange(data.steps // data.sampling + 1)
    truth, height = guide_crank(times, data.gap)
    report.title("P2  planar slider-crank with clearance, h = 1e-5 s, two turns")
    report.line(
        f"truth: {len(truth.impacts)} impacts, the first at {truth.impacts[0].time * 1e3:.4f} ms with "
        f"{truth.impacts[0].before:.4f} m/s; crank {truth.q[-1, 0]:.8f} rad at {times[-1]:.4f} s; lost "
        f"{truth.impact_loss:.5f} J in impacts, {truth.friction_work:.5f} J by friction between"
    )
    report.line("faces touched: " + ", ".join(f"{face} {time * 1e3:.2f} ms" for face, time in truth.first_touches()))
    rows, fit, right = [], [], True
    for entry in ours + peers:
        try:
            form = form_of(entry.run(data.gap, data.sampling), times, truth.q[:, 0], height)
        except Refusal as refusal:
            rows.append((entry.name, "-", "-", "-", "-", "-", f"cannot: {refusal.sentence}", entry.leaves_out))
            right &= entry not in ours
            continue
        fit.append(entry)
        right &= entry not in ours or not form.complaints
        said = f"DOES NOT AGREE: {', '.join(form.complaints)}" if form.complaints else "agrees"
        touch = "-" if form.touch is None else f"{form.touch:.1%}"
        rows.append(
            (entry.name, f"{form.early:.1e}", f"{form.end:.1e}", touch, f"{form.depth:.1e}", f"{form.turn:.0e}",
             said, entry.leaves_out)
        )  # fmt: skip
    columns = ("engine", "crank to 40 ms, rad", "at the end", "touches", "sinks in m", "slider rad", "", "leaves out")
    report.table("how far off?", columns, rows)
    _race([e for e in ours if e in fit], [e for e in peers if e in fit], repeats, report)
    return right


def _cost(entry: GuideEntry) -> Run:
    def timed() -> float:
        result = entry.run(GUIDE_CRANK.gap, GUIDE_CRANK.sampling)
        return result.seconds / result.steps

    return timed


def _race(ours: list[GuideEntry], peers: list[GuideEntry], repeats: int, report: Report) -> None:
    own = ours[0] if ours else None
    result = race(_cost(own) if own else None, {entry.name: _cost(entry) for entry in peers}, repeats)
    rows = []
    if own and result.ours:
        rows.append((own.name, result.ours.scaled(1e6).show(), "1"))
        report.keep("p2 seconds a step", own.name, Heat(result.ours, None, None).as_dict())
    for name, heat in result.heats.items():
        rows.append((name, heat.peer.scaled(1e6).show(), heat.ratio.show() if heat.ratio else "-"))
        report.keep("p2 seconds a step", name, heat.as_dict())
    report.table("one step of h = 1e-5 s", ("engine", "us", "peer / ours"), rows)
