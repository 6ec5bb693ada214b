"""P4: chain of N links, 1 s at h = 1e-3 s. What does a step cost, and does the cost stay linear in N?

Before it is timed, each engine runs 0.2 s and every link's end is compared with the truth; the tolerance suits the
order of its scheme (a first-order one is off by about g t h / 2 = 1 mm there). An engine whose second would take longer
than a minute is not raced: its cost is then read from a few steps, and the table says so.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .contracts import ChainEntry, Refusal
from .problems import CHAIN
from .report import Report
from .timing import Heat, Run, race
from .truth import chain_ends

SIZES = (10, 50, 100, 200, 1000)
QUICK_SIZES = (10, 50)
CURVE = (10, 20, 50, 100, 200, 500, 1000)
TOLERANCE = {1: 2e-3, 2: 5e-5}  # m at 0.2 s, by order of the scheme
PROBE = 3  # steps
LONGEST = 60.0  # s, for one simulated second
TURN = 4.0  # s, longest turn in a race; dearer engines take fewer steps a turn


@dataclass(frozen=True)
class Form:
    """What an engine showed before its race."""

    entry: ChainEntry
    cost: float  # s a step, from a few steps
    deviation: float | None  # m from the truth at 0.2 s; None if it was too slow to look
    drift: float | None  # change of energy by kinetic energy over that time
    refusal: str = ""

    @property
    def races(self) -> bool:
        """True if one simulated second is affordable."""
        return not self.refusal and self.cost * CHAIN.until / CHAIN.step < LONGEST


def form_of(entry: ChainEntry, links: int, truth: np.ndarray) -> Form:
    """Probe an engine with a few steps and, if it is fast enough, check its motion at 0.2 s."""
    try:
        entry.run(links, 1)  # warm
        cost = entry.run(links, PROBE).seconds / PROBE
        if cost * CHAIN.until / CHAIN.step >= LONGEST:
            return Form(entry, cost, None, None)
        check = entry.run(links, round(CHAIN.check_at / CHAIN.step))
    except (Refusal, MemoryError) as error:
        return Form(entry, float("inf"), None, None, str(error) or "out of memory")
    deviation = float(np.max(np.abs(check.ends - truth)))
    drift = (check.energy_end - check.energy_start) / check.kinetic_end
    return Form(entry, check.seconds / check.steps, deviation, drift)


def run(ours: list[ChainEntry], peers: list[ChainEntry], *, repeats: int, quick: bool, report: Report) -> bool:
    """Do the whole of P4; True if our motion is right."""
    report.title("P4  chain of N links, h = 1e-3 s")
    right = True
    for links in QUICK_SIZES if quick else SIZES:
        truth = chain_ends(links, CHAIN.check_at)
        forms = [form_of(entry, links, truth) for entry in ours + peers]
        right &= all(_verdict(form) == "agrees" for form in forms if form.entry in ours)
        heats = _race(forms, ours, repeats, report, links)
        rows = [_row(form, heats) for form in forms]
        columns = ("engine", "us a step", "peer / ours", "off by m", "energy drift", "")
        report.table(f"N = {links}; motion and energy at {CHAIN.check_at} s", columns, rows)
    if ours:
        _curve(ours[0], 1 if quick else repeats, report, CURVE[:5] if quick else CURVE)
    return right


def _verdict(form: Form) -> str:
    if form.refusal:
        return f"cannot: {form.refusal}"
    if form.deviation is None:
        return f"not raced: 1 s would take {form.cost * CHAIN.until / CHAIN.step:.0f} s (from {PROBE} steps)"
    return "agrees" if form.deviation < TOLERANCE[form.entry.order] else "DOES NOT AGREE"


def _cost_a_step(form: Form, links: int) -> Run:
    steps = max(PROBE, min(round(CHAIN.until / CHAIN.step), int(TURN / form.cost)))

    def timed() -> float:
        result = form.entry.run(links, steps)
        return result.seconds / result.steps

    return timed


def _race(forms: list[Form], ours: list[ChainEntry], repeats: int, report: Report, links: int) -> dict[str, Heat]:
    """Cost of a step: peers of each kind of joint against ours of that kind, ours over all of these."""
    heats: dict[str, Heat] = {}
    for joint in ("ball", "hinge"):
        racing = [form for form in forms if form.entry.joint == joint and form.races]
        own = next((form for form in racing if form.entry in ours), None)
        own_run = _cost_a_step(own, links) if own else None
        runs = {form.entry.name: _cost_a_step(form, links) for form in racing if form is not own}
        result = race(own_run, runs, repeats)
        heats |= result.heats
        if own and result.ours:
            heats[own.entry.name] = Heat(result.ours, None, None)
    for name, heat in heats.items():
        report.keep(f"p4 seconds a step, N = {links}", name, heat.as_dict())
    return heats


def _row(form: Form, heats: dict[str, Heat]) -> tuple[str, ...]:
    heat = heats.get(form.entry.name)
    cost = heat.peer.scaled(1e6).show() if heat else "-" if form.refusal else f"about {form.cost * 1e6:.3g}"
    ratio = heat.ratio.show() if heat and heat.ratio else "-"
    off = "-" if form.deviation is None else f"{form.deviation:.1e}"
    drift = "-" if form.drift is None else f"{form.drift:.1e}"
    return (form.entry.name, cost, ratio, off, drift, _verdict(form))


def _curve(entry: ChainEntry, repeats: int, report: Report, sizes: tuple[int, ...]) -> None:
    """Our cost over N; sizes take turns, so that a drifting clock bends no end of the curve."""
    runs = {str(n): _cost_a_step(Form(entry, 1e-6 * n, 0.0, 0.0), n) for n in sizes}
    heats = race(None, runs, repeats).heats
    rows = [(n, heat.peer.scaled(1e6).show(), f"{heat.peer.median / int(n) * 1e6:.3g}") for n, heat in heats.items()]
    report.table(f"{entry.name}: cost over N", ("N", "us a step", "us a step and link"), rows)
    for n, heat in heats.items():
        report.keep("p4 cost curve", n, heat.as_dict())
    if "1000" in heats and "100" in heats:
        ratio = heats["1000"].peer.median / (10 * heats["100"].peer.median)
        report.line(f"cost(1000) / (10 cost(100)) = {ratio:.2f}   (1 = linear)")
        report.keep("p4 cost curve", "linearity", ratio)
