"""P1: spatial slider-crank with ideal joints, 5 s. How long until the slider is right to 1e-4 m, and to 1e-8 m?

Two questions per engine. *Work and accuracy*: it walks down its ladder of steps or tolerances until it meets the
target, and the cheapest rung that does is raced against our cheapest. *Cost of a step* at h = 1e-3 s, whatever that
step is worth. The error is the largest deviation of the slider from the truth over 250 instants.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .contracts import Refusal, Setting, SliderCrankEntry
from .problems import SLIDER_CRANK
from .report import Report
from .timing import Heat, Run, race
from .truth import slider_crank

TARGETS = (1e-4, 1e-8)  # m
OUR_BEST = 1e-8  # m, what our tightest rung must reach for the run to count as right
AGREES = 1e-3  # m, what a peer's best rung must reach to be called the same motion


@dataclass(frozen=True)
class Rung:
    """A setting that was tried."""

    setting: Setting
    seconds: float
    steps: int
    error: float  # m


def climb(entry: SliderCrankEntry, truth: np.ndarray, budget: float) -> list[Rung]:
    """Run the ladder from coarse to fine until the last target is met or one run takes more than ``budget`` seconds."""
    rungs: list[Rung] = []
    for setting in entry.ladder:
        try:
            if not rungs:
                entry.run(setting.value)  # warm
            run = entry.run(setting.value)
        except Refusal:
            continue  # too coarse for this engine; a finer rung may pass
        error = float(np.max(np.abs(run.slider - truth)))
        rungs.append(Rung(setting, run.seconds, run.steps, error if np.isfinite(error) else float("inf")))
        if rungs[-1].error < min(TARGETS) or run.seconds > budget:
            break
    return rungs


def cheapest(rungs: list[Rung], target: float) -> Rung | None:
    """The rung with the fewest steps that meets ``target``; a single run's time, which is noisy, only breaks ties."""
    good = [rung for rung in rungs if rung.error < target]
    return min(good, key=lambda rung: (rung.steps, rung.seconds)) if good else None


def run(
    ours: list[SliderCrankEntry], peers: list[SliderCrankEntry], *, repeats: int, budget: float, report: Report
) -> bool:
    """Do the whole of P1; True if our answers are right."""
    times = np.linspace(0.0, SLIDER_CRANK.until, round(SLIDER_CRANK.until / SLIDER_CRANK.sample) + 1)
    angle, truth = slider_crank(times)
    report.title("P1  spatial slider-crank, ideal joints, 5 s")
    report.line(f"truth at 5 s: crank {angle[-1]:.8f} rad, slider {truth[-1]:.8f} m (minimal coordinates, DOP853)")

    entries = ours + peers
    ladders = {entry.name: climb(entry, truth, budget) for entry in entries}
    report.table("work and accuracy", ("engine", "setting", "steps", "ms, once", "error m"), [
        (name, rung.setting.label, rung.steps, f"{rung.seconds * 1e3:.1f}", f"{rung.error:.1e}")
        for name, rungs in ladders.items() for rung in rungs
    ], hidden=True)  # fmt: skip
    right = _agreement(ours, peers, ladders, report)
    for target in TARGETS:
        _race_to(target, ours, peers, ladders, repeats, report)
    _step_cost(ours, peers, repeats, report)
    return right


def _agreement(
    ours: list[SliderCrankEntry], peers: list[SliderCrankEntry], ladders: dict[str, list[Rung]], report: Report
) -> bool:
    rows = []
    right = True
    for entry in ours + peers:
        best = min((rung.error for rung in ladders[entry.name]), default=float("inf"))
        verdict = "agrees" if best < AGREES else "does not reach 1e-3 m"
        if entry in ours and entry.millisecond is None and best > OUR_BEST:  # the error-controlled method
            right, verdict = False, f"WRONG: should reach {OUR_BEST:.0e} m"
        elif entry in ours and best > AGREES:
            right, verdict = False, "WRONG"
        rows.append((entry.name, f"{best:.1e}", verdict, entry.leaves_out))
    report.table("same motion? best error over the ladder", ("engine", "error m", "", "leaves out"), rows)
    return right


def _timed(entry: SliderCrankEntry, value: Any) -> Run:
    return lambda: entry.run(value).seconds


def _race_to(
    target: float, ours: list[SliderCrankEntry], peers: list[SliderCrankEntry], ladders: dict[str, list[Rung]],
    repeats: int, report: Report,
) -> None:  # fmt: skip
    best = {entry.name: cheapest(ladders[entry.name], target) for entry in ours + peers}
    own = min((e for e in ours if best[e.name]), key=lambda e: best[e.name].seconds, default=None)  # type: ignore[union-attr]
    own_rung = best[own.name] if own else None
    own_run = _timed(own, own_rung.setting.value) if own and own_rung else None
    runners = {entry.name: (entry, rung) for entry in peers if (rung := best[entry.name])}
    result = race(own_run, {n: _timed(e, rung.setting.value) for n, (e, rung) in runners.items()}, repeats)
    rows = []
    if own and own_rung and result.ours:
        rows.append((own.name, own_rung.setting.label, f"{own_rung.error:.1e}", result.ours.scaled(1e3).show(), "1"))
    for name, (_, rung) in runners.items():
        heat = result.heats[name]
        rows.append((name, rung.setting.label, f"{rung.error:.1e}", heat.peer.scaled(1e3).show(), _ratio(heat)))
        report.keep(f"p1 time to {target:.0e} m", name, heat.as_dict())
    for entry in peers:
        if not best[entry.name]:
            reached = min((rung.error for rung in ladders[entry.name]), default=float("inf"))
            rows.append((entry.name, "-", f"{reached:.1e}", "not reached", "-"))
    report.table(
        f"time to a slider error < {target:.0e} m", ("engine", "setting", "error m", "ms", "peer / ours"), rows
    )


def _step_cost(ours: list[SliderCrankEntry], peers: list[SliderCrankEntry], repeats: int, report: Report) -> None:
    steps = round(SLIDER_CRANK.until / 1e-3)
    own = next((entry for entry in ours if entry.millisecond), None)
    own_run = _timed(own, own.millisecond.value) if own and own.millisecond else None
    runs = {e.name: _timed(e, e.millisecond.value) for e in peers if e.millisecond}
    result = race(own_run, runs, repeats)
    rows = []
    if own and result.ours:
        rows.append((own.name, result.ours.scaled(1e6 / steps).show(), "1"))
    for name, heat in result.heats.items():
        rows.append((name, heat.peer.scaled(1e6 / steps).show(), _ratio(heat)))
        report.keep("p1 5000 steps", name, heat.as_dict())
    report.table("one step of h = 1e-3 s", ("engine", "us", "peer / ours"), rows)


def _ratio(heat: Heat) -> str:
    return heat.ratio.show() if heat.ratio else "-"
