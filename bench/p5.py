"""P5: a thousand runs of P2 with sampled gaps. Runs a second on one core and on two, and what the second core brings.

A run here is everything that its gap decides: building the model, the stepping loop, reading the crank at the end. Its
runs are spread over threads; engines release the interpreter's lock in their loops. Printed beside is the rate of the
loops alone: runs divided by the time spent inside them, per thread. One thread keeps to one core; two may use all.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from .contracts import GuideEntry, Refusal
from .problems import GUIDE_CRANK
from .report import Report
from .timing import Spread
from .truth import guide_crank

WORKERS = (1, 2)
SEED = 5
QUICK = 20  # runs
CHECKED = 5  # gaps whose crank angle is compared with the truth
AGREES = 0.1  # rad, median over them at the end: a graze of the guide can part two right answers


@dataclass(frozen=True)
class Batch:
    """What a batch of runs gave."""

    seconds: float  # wall time of all
    loops: float  # s, sum of the stepping loops
    crank: np.ndarray  # rad, at the end of each run


@contextmanager
def cores(usable: set[int]) -> Iterator[None]:
    """Let this process and the threads that it starts use these cores, and put back what was."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, usable)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def sampled_gaps(count: int) -> np.ndarray:
    """Gaps in m, the same ones for every engine."""
    return np.random.default_rng(SEED).uniform(*GUIDE_CRANK.gaps, size=count)


def batch(entry: GuideEntry, gaps: np.ndarray, workers: int) -> Batch:
    """Run all ``gaps``, ``workers`` at a time."""
    if entry.together is not None:  # an engine that runs many at once by itself
        seconds, crank = entry.together(gaps, workers)
        return Batch(seconds, np.nan, crank)
    begin = time.perf_counter()
    with ThreadPoolExecutor(workers) as pool:
        runs = list(pool.map(lambda gap: entry.run(float(gap), GUIDE_CRANK.steps), gaps))
    seconds = time.perf_counter() - begin
    return Batch(seconds, sum(run.seconds for run in runs), np.array([run.crank[-1] for run in runs]))


def run(
    ours: list[GuideEntry], peers: list[GuideEntry], *, repeats: int, quick: bool, usable: set[int], report: Report
) -> bool:
    """Do the whole of P5; True if our answers are right."""
    report.title("P5  runs of P2 with sampled gaps")
    if len(usable) < max(WORKERS):
        report.line(f"only {len(usable)} core: the gain from a second one cannot be seen here")
    entries = [entry for entry in ours + peers if entry.fleet]
    gaps = sampled_gaps(1000)
    end = np.array([0.0, GUIDE_CRANK.step * GUIDE_CRANK.steps])
    truth = np.array([guide_crank(end, float(gap))[0].q[-1, 0] for gap in gaps[:CHECKED]])
    batches: dict[tuple[str, int], list[Batch]] = {}
    refusals: dict[str, str] = {}
    for _ in range(repeats):
        for entry in entries:
            for workers in WORKERS if entry.name not in refusals else ():
                chosen = gaps[: QUICK if quick else entry.fleet]
                try:
                    entry.run(float(gaps[0]), GUIDE_CRANK.steps)  # warm
                    with cores(usable if workers > 1 else {max(usable)}):
                        result = batch(entry, chosen, workers)
                except Refusal as refusal:
                    refusals[entry.name] = refusal.sentence
                    break
                batches.setdefault((entry.name, workers), []).append(result)
    return _tell(entries, ours, batches, refusals, truth, report)


def _tell(
    entries: list[GuideEntry], ours: list[GuideEntry], batches: dict[tuple[str, int], list[Batch]],
    refusals: dict[str, str], truth: np.ndarray, report: Report,
) -> bool:  # fmt: skip
    rows: list[tuple[str, ...]] = []
    right = True
    for entry in entries:
        if entry.name in refusals:
            rows.append((entry.name, "-", "-", "-", "-", "-", "-", f"cannot: {refusals[entry.name]}"))
            right &= entry not in ours
            continue
        one, two = (batches[entry.name, workers] for workers in WORKERS)
        count = len(one[0].crank)
        gain = Spread.of([a.seconds / b.seconds for a, b in zip(one, two, strict=True)])
        rates = [Spread.of([count / result.seconds for result in results]) for results in (one, two)]
        loops = Spread.of([count / result.loops for result in one])
        # Engines that save only the end cannot count turns: compare on the circle.
        off = np.abs(np.angle(np.exp(1j * (one[0].crank[: len(truth)] - truth))))
        agrees = bool(np.median(off) < AGREES)
        right &= agrees or entry not in ours
        rows.append(
            (entry.name, str(count), *(rate.show() for rate in rates), gain.show(), loops.show(),
             f"{np.median(off):.1e}", "agrees" if agrees else "DOES NOT AGREE")
        )  # fmt: skip
        kept = {"one": rates[0].median, "two": rates[1].median, "gain": gain.median, "loops": loops.median}
        report.keep("p5 runs a second", entry.name, kept)
    columns = ("engine", "runs", "one core", "two cores", "gain", "loops alone, one core", "crank off by rad", "")
    report.table("runs a second", columns, rows)
    return right
