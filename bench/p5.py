"""P5: a thousand runs of P2 with sampled gaps. Runs a second on one core and on two, and what the second core brings.

A run here is everything that its gap decides: building the model, the stepping loop, reading the crank at the end. Its
runs are spread over threads; engines release the interpreter's lock in their loops. Printed beside is the rate of the
loops alone: runs divided by the time spent inside them, per thread. One thread keeps to one core; two may use all.

What the second core brings can be seen only where it is free. Printed beside the gain are therefore the cores that the
machine gave to two threads (processor time / wall time), and by how much two threads need more processor time for the
same runs than one does. A gain below 2 that comes from fewer cores is the machine's; the rest is the engine's.

Peers take the step h. Ours takes h, and longer ones where that still is nearer to the truth than a peer is. The ratio
to a peer is read from the fastest of our rows that is at least as near to the truth as that peer; that with the same
step stands beside it.
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
QUICK_TOGETHER = 200  # of engines that run many at once: long enough that starting threads does not count
CHECKED = 5  # gaps whose crank angle is compared with the truth
AGREES = 0.1  # rad, median over them at the end: a graze of the guide can part two right answers


@dataclass(frozen=True)
class Batch:
    """What a batch of runs gave."""

    seconds: float  # wall time of all
    processor: float  # s of processor time, of all threads
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
        began = time.process_time()
        seconds, crank = entry.together(gaps, workers)
        return Batch(seconds, time.process_time() - began, np.nan, crank)
    begin, began = time.perf_counter(), time.process_time()
    with ThreadPoolExecutor(workers) as pool:
        runs = list(pool.map(lambda gap: entry.run(float(gap), GUIDE_CRANK.steps), gaps))
    seconds, processor = time.perf_counter() - begin, time.process_time() - began
    return Batch(seconds, processor, sum(run.seconds for run in runs), np.array([run.crank[-1] for run in runs]))


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
                chosen = gaps[: (QUICK if entry.together is None else QUICK_TOGETHER) if quick else entry.fleet]
                try:
                    batch(entry, gaps[:2], workers)  # warm
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
    near: dict[str, tuple[float, float, float]] = {}  # how far from the truth, and runs a second
    right = True
    for entry in entries:
        if entry.name in refusals:
            rows.append((entry.name, *("-",) * 8, f"cannot: {refusals[entry.name]}"))
            right &= entry not in ours
            continue
        one, two = (batches[entry.name, workers] for workers in WORKERS)
        count = len(one[0].crank)
        gain = Spread.of([a.seconds / b.seconds for a, b in zip(one, two, strict=True)])
        rates = [Spread.of([count / result.seconds for result in results]) for results in (one, two)]
        loops = Spread.of([count / result.loops for result in one])
        had = Spread.of([result.processor / result.seconds for result in two])
        more = Spread.of([b.processor / a.processor for a, b in zip(one, two, strict=True)])
        # Engines that save only the end cannot count turns: compare on the circle.
        off = np.abs(np.angle(np.exp(1j * (one[0].crank[: len(truth)] - truth))))
        agrees = bool(np.median(off) < AGREES)
        right &= agrees or entry not in ours
        rows.append(
            (entry.name, str(count), *(rate.show() for rate in rates), gain.show(), had.show(), more.show(),
             "-" if np.isnan(loops.median) else loops.show(), f"{np.median(off):.1e}",
             "agrees" if agrees else "DOES NOT AGREE")
        )  # fmt: skip
        near[entry.name] = float(np.median(off)), rates[0].median, rates[1].median
        kept = {"one": rates[0].median, "two": rates[1].median, "gain": gain.median, "loops": loops.median}
        kept |= {"cores": had.median, "more": more.median, "off": float(np.median(off))}
        report.keep("p5 runs a second", entry.name, kept)
    columns = (
        "engine", "runs", "one core", "two cores", "gain", "cores had by two", "processor time, two/one",
        "loops alone, one core", "crank off by rad", "",
    )  # fmt: skip
    report.table("runs a second", columns, rows)
    for sentence in _beside(near, [one.name for one in ours], [one.name for one in entries if one not in ours]):
        report.line(sentence)
    return right


def _beside(near: dict[str, tuple[float, float, float]], ours: list[str], peers: list[str]) -> Iterator[str]:
    """What may be read from the table: ours that is as right as a peer, and ours with its step."""
    for peer in (one for one in peers if one in near):
        off, *theirs = near[peer]
        able = [name for name in ours if name in near and near[name][0] <= off]
        if not able:
            yield f"{peer}: none of our rows is as near to the truth ({off:.1e} rad)"
            continue
        best = max(able, key=lambda name: near[name][1])
        ratios = [mine / its for mine, its in zip(near[best][1:], theirs, strict=True)]
        told = f"{off / near[best][0]:.0f} times nearer to the truth" if near[best][0] > 0.0 else "no farther off"
        yield f"{peer}: '{best}' does {ratios[0]:.2g} times its runs on one core, {ratios[1]:.2g} on two, and is {told}"
        same = [name for name in able if name.endswith("Batch, h")]
        if same and same[0] != best:
            ratios = [mine / its for mine, its in zip(near[same[0]][1:], theirs, strict=True)]
            yield f"{' ' * len(peer)}  with the same step, '{same[0]}' does {ratios[0]:.2g} and {ratios[1]:.2g} times"
