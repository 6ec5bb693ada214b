"""``python -m bench.controlled_steps``: steps chosen by their error against the best fixed step, for the same error.

The slider-crank with play of the gallery (friction, rebounds, 40 ms). The error is the largest deviation of any body
over 41 instants from a run with rtol = 1e-11. Each tolerance is set beside the longest fixed step, on a ladder with
factors of 1.25, whose error is not larger. Work is counted in factorisations, which do not depend on the machine, and
timed in turns: smallest time of each.
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
UNTIL, INSTANTS = 0.04, 41
BODIES = ("crank", "rod", "slider")
LONGEST, SHORTEST, RUNG = 2e-4, 3e-7, 1.25  # s, of fixed steps


@dataclass(frozen=True)
class Rung:
    """One run."""

    method: jp.Moreau
    error: float  # m
    work: int  # factorisations
    steps: int
    rejections: int


class Mechanism:
    """The slider-crank and its truth."""

    def __init__(self) -> None:
        self.system = jp.load_model(MODEL)
        self.truth = self.run(jp.Moreau(rtol=1e-11))

    def run(self, method: jp.Moreau) -> jp.Solution:
        """One run, saved at the instants that are compared."""
        return jp.simulate(self.system, UNTIL, method, save=np.linspace(0.0, UNTIL, INSTANTS))

    def rung(self, method: jp.Moreau) -> Rung:
        """One run and its error."""
        sol = self.run(method)
        error = max(float(np.abs(sol[f"{one}.position"] - self.truth[f"{one}.position"]).max()) for one in BODIES)
        return Rung(method, error, sol.stats["factorisations"], sol.stats["steps"], sol.stats["rejections"])


def race(mechanism: Mechanism, methods: tuple[jp.Moreau, jp.Moreau], repeats: int) -> list[float]:
    """Smallest time (ms) of each, in turns."""
    times: list[list[float]] = [[], []]
    for _ in range(repeats):
        for method, taken in zip(methods, times, strict=True):
            taken.append(1e3 * mechanism.run(method).stats["run_time"])
    return [min(taken) for taken in times]


def main() -> int:
    """Print the table; exit code 0 if controlled steps take half the factorisations of fixed ones, or less."""
    parser = argparse.ArgumentParser(prog="python -m bench.controlled_steps", description=__doc__.split("\n\n")[0])
    parser.add_argument("--repeats", type=int, default=15, help="timed runs of each (default 15)")
    repeats = max(1, parser.parse_args().repeats)
    report = Report({"machine": f"pinned to core {one_core()}"})
    mechanism = Mechanism()
    sizes = LONGEST * RUNG ** -np.arange(np.ceil(np.log(LONGEST / SHORTEST) / np.log(RUNG)))
    fixed = [mechanism.rung(jp.Moreau(step=float(h))) for h in sizes]
    rows, met = [], True
    for rtol in 10.0 ** -np.arange(4.0, 10.0):
        mine = mechanism.rung(jp.Moreau(rtol=float(rtol)))
        best = next((one for one in fixed if one.error <= mine.error), None)
        head = (f"{rtol:.0e}", f"{mine.error:.1e}", mine.steps, mine.rejections, mine.work)
        if best is None:
            rows.append((*head, f"< {SHORTEST:g}", "-", "-", "-", "-"))
            continue
        mine_ms, best_ms = race(mechanism, (mine.method, best.method), repeats)
        times = f"{mine_ms:.2f}, {best_ms:.2f}", f"{best_ms / mine_ms:.1f}"
        rows.append((*head, f"{best.method.step:.2e}", best.work, f"{best.work / mine.work:.1f}", *times))
        met &= best.work >= 2 * mine.work
    report.title("controlled against fixed steps: slider-crank with play, 40 ms")
    columns = ("rtol", "error, m", "steps", "rejected", "factorisations")
    beside = ("fixed step, s", "factorisations", "ratio", "times, ms", "ratio")
    report.table("work for the same error", (*columns, *beside), rows)
    report.line(f"half the factorisations of fixed steps, or less, at every tolerance: {'met' if met else 'NOT MET'}")
    report.write("controlled_steps")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
