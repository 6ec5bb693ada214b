"""``python -m bench.controlled_steps``: steps chosen by their error against the best fixed step, for the same error.

The slider-crank with play of the gallery, with friction and rebounds: 40 ms, and two turns of the crank, over which
errors grow sevenfold and can still be compared. The error is the largest deviation of any body over 41 instants from a
run with rtol = 1e-11. Each tolerance is set beside the longest fixed step, on a ladder with factors of 1.25, whose
error is not larger.

Work is counted in factorisations, of which there is one in every glide and every impact: they do not depend on the
machine, and those of saved states are the same for both. Times are those of runs that save nothing but their end, in
turns, smallest of each, less the time of a run of one short step: what a run costs to set up (about a millisecond, as
much as a thousand steps) says nothing about methods.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import jointplay as jp

from .report import Report
from .timing import one_core

MODEL = Path(jp.__file__).parent / "gallery" / "slider_crank_clearance.yaml"
RUNS = {"40 ms": 0.04, "two turns": 0.1375545}  # s
INSTANTS = 41
BODIES = ("crank", "rod", "slider")
LONGEST, RUNG = 4e-4, 1.25  # s, of fixed steps
MOST = 140_000  # fixed steps of a run
BAR = 2.0  # times fewer factorisations


@dataclass(frozen=True)
class Rung:
    """One run."""

    method: jp.Moreau
    error: float  # m
    work: int  # factorisations
    steps: int
    rejections: int


class Mechanism:
    """The slider-crank until a time, and its truth."""

    def __init__(self, until: float) -> None:
        self.system, self.until = jp.load_model(MODEL), until
        self.truth = self.run(jp.Moreau(rtol=1e-11))

    def run(self, method: jp.Moreau) -> jp.Solution:
        """One run, saved at the instants that are compared."""
        return jp.simulate(self.system, self.until, method, save=np.linspace(0.0, self.until, INSTANTS))

    def rung(self, method: jp.Moreau) -> Rung:
        """One run and its error."""
        sol = self.run(method)
        error = max(float(np.abs(sol[f"{one}.position"] - self.truth[f"{one}.position"]).max()) for one in BODIES)
        return Rung(method, error, sol.stats["factorisations"], sol.stats["steps"], sol.stats["rejections"])

    def race(self, methods: tuple[jp.Moreau, jp.Moreau], repeats: int) -> list[float]:
        """Smallest time (ms) of each without what it takes to set a run up, in turns."""
        runs = [(self.until, method) for method in methods] + [(1e-7, methods[0])]
        times: list[list[float]] = [[] for _ in runs]
        for _ in range(repeats):
            for (until, method), taken in zip(runs, times, strict=True):
                sol = jp.simulate(self.system, until, method, save=np.array([0.0, until]))
                taken.append(1e3 * sol.stats["run_time"])
        *all_in, idle = (min(taken) for taken in times)
        return [one - idle for one in all_in]


def compare(mechanism: Mechanism, repeats: int) -> tuple[list[tuple[object, ...]], list[str]]:
    """Lines of the table, and the tolerances at which the bar is not met."""
    rungs = np.floor(np.log(MOST * LONGEST / mechanism.until) / np.log(RUNG))
    fixed = [mechanism.rung(jp.Moreau(step=float(h))) for h in LONGEST * RUNG ** -np.arange(rungs)]
    rows: list[tuple[object, ...]] = []
    missed = []
    for rtol in 10.0 ** -np.arange(4.0, 10.0):
        mine = mechanism.rung(jp.Moreau(rtol=float(rtol)))
        best = next((one for one in fixed if one.error <= mine.error), None)
        head = (f"{rtol:.0e}", f"{mine.error:.1e}", mine.steps, mine.rejections, mine.work)
        if best is None:
            rows.append((*head, f"< {fixed[-1].method.step:.1e}", f"> {fixed[-1].work}", "-", "-", "-"))
            continue
        mine_ms, best_ms = mechanism.race((mine.method, best.method), repeats)
        times = f"{mine_ms:.2f}, {best_ms:.2f}", f"{best_ms / mine_ms:.1f}"
        rows.append((*head, f"{best.method.step:.2e}", best.work, f"{best.work / mine.work:.1f}", *times))
        if best.work < BAR * mine.work:
            missed.append(f"{rtol:.0e}")
    return rows, missed


def main() -> int:
    """Print the tables; exit code 0 if controlled steps take half the factorisations of fixed ones, or less."""
    parser = argparse.ArgumentParser(prog="python -m bench.controlled_steps", description=__doc__.split("\n\n")[0])
    parser.add_argument("--repeats", type=int, default=15, help="timed runs of each (default 15)")
    repeats = max(1, parser.parse_args().repeats)
    report = Report({"machine": f"pinned to core {one_core()}"})
    report.title("controlled against fixed steps: slider-crank with play")
    columns = ("rtol", "error, m", "steps", "rejected", "factorisations")
    beside = ("fixed step, s", "factorisations", "ratio", "times, ms", "ratio")
    met = True
    for name, until in RUNS.items():
        rows, missed = compare(Mechanism(until), repeats)
        report.table(f"work for the same error, {name}", (*columns, *beside), rows)
        says = f"NOT MET at rtol = {', '.join(missed)}" if missed else "met at every tolerance"
        report.line(f"half the factorisations of fixed steps, or less, {name}: {says}")
        met = met and not missed
    report.write("controlled_steps")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
