"""What a sample of a study costs beyond its kernel: the slider-crank with play, two turns, on one core.

A sample is a row of ``Batch`` with one thread; what is not spent inside of the method's run kernel is overhead: numbers
in, rates at the start, outputs out. Printed are five kinds of members: numbers that are straight lines, curved ones
(lengths), numbers filled as they are given and assembled one by one, the same in a wide range by what the expressions
of the model say, and members that are compiled one by one, where nothing else is right.
"""

from __future__ import annotations

from collections.abc import Callable
from time import thread_time as clock  # of the processor: other work on the machine does not count
from typing import Any

import numpy as np

import jointplay as jp
from jointplay.gallery import entries
from jointplay.studies.engine import TAIL, ModelEngine
from jointplay.studies.filling import AsGiven, _filling
from jointplay.studies.lane import Lane
from jointplay.studies.vary import Vary

from .report import Report
from .timing import Spread

LINES = {"gap": jp.Uniform("0.9 mm", "1.1 mm"), "mu": jp.Uniform(0.005, 0.02), "restitution": jp.Uniform(0.3, 0.5)}
CURVES = {
    "gap": jp.Uniform("0.9 mm", "1.1 mm"),
    "crank": "153 mm +- 0.1 mm",
    "rod": "306 mm +- 0.1 mm",
    "bodies.slider.mass": "76 g +- 0.5 g",
}
WIDE = {
    "gap": jp.Uniform("0.8 mm", "1.2 mm"),
    "crank": jp.Uniform("122 mm", "184 mm"),
    "rod": jp.Uniform("245 mm", "367 mm"),
    "speed": jp.Uniform("120 rad/s", "180 rad/s"),
    "mu": jp.Uniform(0.005, 0.02),
    "bodies.slider.mass": jp.Uniform("60 g", "90 g"),
}
OF = [jp.Final("crank.angular_velocity[2]"), jp.Peak("|B.force|"), jp.Impacts("D")]
RUN = {"until": 0.1375545, "method": jp.Moreau(step=1e-5), "save": "0.1 ms"}
KINDS = (
    ("lines", LINES, "look"),
    ("curves", CURVES, "look"),
    ("as given", CURVES, "as given"),
    ("wide", WIDE, "look"),
    ("compiled", CURVES, None),
)
BARS = {
    "lines": 0.1e-3,
    "curves": 1e-3,
    "as given": 1e-3,
    "wide": 1e-3,
    "compiled": 1e-3,
}  # s beyond the kernel; or a tenth of the kernel


def run(*, quick: bool, repeats: int, report: Report) -> bool:
    """Print what a sample costs beyond its kernel."""
    report.title("Studies: a sample beyond its kernel")
    rows = []
    turns = 2 if quick else max(3, repeats)
    for kind, vary, filling in KINDS:
        began = clock()
        engine = _engine(vary, filling, {})
        made = clock() - began
        beyond, kernel = _spent(engine, turns)
        warm, _ = _spent(_engine(vary, filling, {"until": 1e-4}), turns)  # ten steps: caches stay warm
        filled = _filled(engine)
        allowed = BARS[kind] if kind == "lines" else max(BARS[kind], 0.1 * kernel.median)
        rows.append(
            (kind, filled, f"{1e3 * made:.0f}", f"{1e3 * kernel.median:.2f}", f"{1e3 * beyond.median:.3f}",
             f"{100 * beyond.median / kernel.median:.1f} %", f"{1e3 * warm.median:.3f}", f"{1e3 * allowed:.2f}")
        )  # fmt: skip
        told = {"overhead": 1e3 * beyond.median, "warm": 1e3 * warm.median, "kernel": 1e3 * kernel.median}
        report.keep("studies overhead, ms", kind, told)
    head = (
        "inputs",
        "filled by",
        "set up [ms]",
        "kernel [ms]",
        "overhead [ms]",
        "of the kernel",
        "warm [ms]",
        "bar [ms]",
    )
    report.table("a sample beyond its kernel; warm: beside a run of ten steps, which leaves caches alone", head, rows)
    return True


def _engine(vary: dict[str, Any], filling: Any, options: dict[str, Any]) -> ModelEngine:
    settings: dict[str, Any] = RUN | options
    inputs = Vary(vary)
    if filling == "as given":
        plain = ModelEngine(entries()["slider_crank_clearance"], inputs, OF, filling=None, **settings)
        filling = _filling(plain.members, AsGiven(plain.members), *inputs.box(TAIL))
    return ModelEngine(entries()["slider_crank_clearance"], inputs, OF, filling=filling, **settings)


def _filled(engine: ModelEngine) -> str:
    """How members are made."""
    if engine.filling is None:
        return "no"
    told = "polynomials" if engine.filling.curves else "lines"
    told = f"{told} of expressions" if engine.filling.wording else told
    return told if engine.filling.assembled else f"{told}, assembled"


def _spent(engine: ModelEngine, turns: int) -> tuple[Spread, Spread]:
    """Seconds of rows beyond the kernel, and inside of it."""
    points = jp.Random(20, seed=1).points(engine.vary, 0, 20)
    lane = Lane(engine.members, engine.settings, engine.outputs, engine.filling)
    kernel = Timed()
    for track in lane.tracks:
        track.kernels = [kernel.of(one) for one in track.kernels]
    lane.row(points[0][list(engine.places)])
    beyond, kernels = [], []
    for x in np.tile(points, (turns, 1)):
        kernel.seconds, begin = 0.0, clock()
        row = lane.row(x[list(engine.places)])
        whole = clock() - begin
        assert row.ok
        beyond.append(whole - kernel.seconds)
        kernels.append(kernel.seconds)
    return Spread.of(beyond), Spread.of(kernels)


class Timed:
    """Seconds spent inside of kernels."""

    seconds = 0.0

    def of(self, kernel: Callable[[], int]) -> Callable[[], int]:
        """The same kernel, timed."""

        def run() -> int:
            begin = clock()
            code = kernel()
            self.seconds += clock() - begin
            return code

        return run
