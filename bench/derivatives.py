"""``python -m bench.derivatives``: seconds of a run with exact derivatives beside one plain run of the same steps.

Each ratio is the smallest time of the loops with derivatives over the smallest of the plain run, both from runs that
take turns in one process. Runs are long and saved rarely: what remains is the cost of steps.

    slider-crank with friction, seven parameters      direct, Index1 and Explicit          at most 3.5 plain runs
    chain of 20 links, an integral                    adjoint with 100 beside 1 parameter  at most 1.3
    slider-crank with play in its guide               direct through impacts, four         at most 6 plain runs
    chain of 200 links, five parameters               direct, Index1 and Explicit          at most 8 plain runs
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from typing import Any

import jointplay as jp

from .sensitivity import FOUR, GALLERY, LINK, Case, chain, chain_case, friction_case
from .timing import Run, one_core

FIVE = {"length0": 0.2, "mass7": 0.1, "spring50": 2.0, "damper100": 2e-3, "inertia150": 4e-4}


def least(repeats: int, *runs: Run) -> list[float]:
    """Smallest time of each run, which take turns after one round that is not counted."""
    times: list[list[float]] = [[] for _ in runs]
    for turn in range(repeats + 1):
        for run, found in zip(runs, times, strict=True):
            seconds = run()
            if turn:
                found.append(seconds)
    return [min(found) for found in times]


def said(name: str, ratio: float, bar: float, seconds: list[float]) -> bool:
    """One line; True if the bar is met."""
    met = ratio <= bar
    told = ", ".join(f"{1e3 * one:.1f} ms" for one in seconds)
    print(f"{name:58s} {ratio:7.2f}  at most {bar:g}: {'met' if met else 'NOT MET'}  ({told})", flush=True)
    return met


def direct(name: str, case: Case, bar: float, repeats: int) -> bool:
    """Direct derivatives beside the plain run."""
    plain, along = least(repeats, case.plain, case.timed("direct"))
    return said(name, along / plain, bar, [plain, along])


def long_chain(**given: float) -> jp.System:
    """The chain of the bench with 200 links."""
    return chain(200, **given)


def cases() -> dict[str, Any]:
    """By name: what is asked."""
    friction = friction_case(quick=False)
    explicit = replace(friction, scheme=jp.Explicit(rtol=1e-8))
    of = jp.Integral("link199.position[2]")
    long = Case(long_chain, FIVE, of, 0.04, jp.Index1(step=1e-3), 0.04)
    guide = Case(
        GALLERY / "slider_crank_clearance.yaml", FOUR, "crank.angular_velocity[2]", 0.1375, jp.Moreau(step=1e-5), 5e-3
    )
    return {
        "friction": [("Index1", replace(friction, save=0.1)), ("Explicit", replace(explicit, save=0.1))],
        "guide": [("Moreau", guide)],
        "long": [("Index1", long), ("Explicit", replace(long, scheme=jp.Explicit(rtol=1e-6), until=0.02, save=0.02))],
    }


def main() -> int:
    """Print the ratios; the exit code says whether all bars are met."""
    parser = argparse.ArgumentParser(prog="python -m bench.derivatives", description="Ratios of derivatives.")
    parser.add_argument("--repeats", type=int, default=5, help="turns of each run (default 5)")
    parser.add_argument("only", nargs="*", help="friction, adjoint, guide, long (default: all)")
    arguments = parser.parse_args()
    one_core()
    known, wanted, repeats, met = cases(), set(arguments.only), max(arguments.repeats, 1), True
    texts = {
        "friction": ("direct, 7 parameters", 3.5),
        "guide": ("direct through impacts, 4 parameters", 6.0),
        "long": ("direct, 200 links, 5 parameters", 8.0),
    }
    for name, (text, bar) in texts.items():
        for way, case in known[name] if not wanted or name in wanted else []:
            met &= direct(f"{text}, {way}", case, bar, repeats)
    if not wanted or "adjoint" in wanted:
        case = chain_case(quick=False)
        one, all_of = case.timed("adjoint", {"length0": LINK["length"]}), case.timed("adjoint")
        plain, single, many = least(repeats, case.plain, one, all_of)
        print(f"adjoint, 1 parameter, beside a plain run: {single / plain:.2f}")
        met &= said("adjoint, 100 parameters beside 1, Index1", many / single, 1.3, [single, many])
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
