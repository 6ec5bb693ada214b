"""``python -m bench [p1] [p2] ... [--repeats 5] [--quick]``: our mechanisms beside peers, in one run on one core.

Exit code 0 if our answers are right, 1 if not. Speed decides nothing here: it is read, not asserted.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from datetime import UTC, datetime
from types import ModuleType
from typing import Any

import numpy as np
import scipy

from . import p1, p2, p3, p4, p5, peers, sensitivity, studies, work_precision
from .report import Report
from .timing import limit_memory, one_core

# Problem and the function of an engine's module that gives its entries; a module may lack one.
PROBLEMS = {
    "p1": "slider_crank",
    "p2": "guide",
    "p3": "journal",
    "p4": "chain",
    "p5": "guide",
    "work_precision": "",
    "sensitivity": "",
    "studies": "",
}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Our mechanisms beside peers, on one core.")
    parser.add_argument("problems", nargs="*", metavar="problem", help=f"any of {', '.join(PROBLEMS)} (default: all)")
    parser.add_argument("--repeats", type=int, default=5, help="turns of each engine in a race (default 5)")
    parser.add_argument("--quick", action="store_true", help="coarser ladders, short chains, 2 repeats")
    arguments = parser.parse_args()
    unknown = [problem for problem in arguments.problems if problem not in PROBLEMS]
    if unknown:
        parser.error(f"no problem named {', '.join(unknown)}; there are {', '.join(PROBLEMS)}")
    if arguments.repeats < 1:
        parser.error("--repeats must be at least 1")
    return arguments


def _ours() -> tuple[ModuleType | None, str]:
    try:
        from . import ours
    except ImportError as error:  # not installed, or without a public name that the bench uses
        return None, f"jointplay: left out ({error}); ratios need it"
    return ours, ours.version()


def _entries(module: ModuleType | None, function: str) -> list[Any]:
    return getattr(module, function, list)() if module else []


def _facts(core: int | None, versions: list[str]) -> dict[str, Any]:
    return {
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "engines": versions,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, pinned to core {core}",
    }


def main() -> int:
    """Run the problems asked for and print the tables."""
    arguments = _arguments()
    usable = set(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else set(range(os.cpu_count() or 1))
    core = one_core()
    limit_memory()
    ours, own_line = _ours()
    found, absent = peers.load()
    repeats = min(arguments.repeats, 2) if arguments.quick else arguments.repeats
    versions = [own_line, *(peer.version() for peer in found), *absent]
    print("\n".join(versions))

    right = True
    for problem in arguments.problems or PROBLEMS:
        report = Report(_facts(core, versions))
        begin, busy = time.perf_counter(), time.process_time()
        own = _entries(ours, PROBLEMS[problem])
        others = [entry for peer in found for entry in _entries(peer, PROBLEMS[problem])]
        if problem == "p1":
            right &= p1.run(own, others, repeats=repeats, budget=0.5 if arguments.quick else 3.0, report=report)
        elif problem == "p2":
            right &= p2.run(own, others, repeats=repeats, report=report)
        elif problem == "p3":
            right &= p3.run(own, others, repeats=repeats, report=report)
        elif problem == "p4":
            right &= p4.run(own, others, repeats=repeats, quick=arguments.quick, report=report)
        elif problem == "work_precision":  # ours alone: three methods, five cases
            right &= work_precision.run(quick=arguments.quick, repeats=min(repeats, 3), report=report)
        elif problem == "sensitivity":  # ours alone: derivatives beside plain runs
            right &= sensitivity.run(quick=arguments.quick, repeats=min(repeats, 3), report=report)
        elif problem == "studies":  # ours alone: what a sample costs beyond its kernel
            right &= studies.run(quick=arguments.quick, repeats=min(repeats, 3), report=report)
        else:
            own += _entries(ours, "fleet")
            right &= p5.run(
                own, others, repeats=min(repeats, 3), quick=arguments.quick, usable=usable, report=report
            )  # batches are long: three take minutes
        share = (time.process_time() - busy) / (time.perf_counter() - begin)
        if problem != "p5":  # which uses two cores
            warning = "" if share > 0.97 else ": the machine was busy with other work, do not quote these ratios"
            report.line(f"\nthe core was ours {share:.0%} of the time{warning}")
        print(f"written: {os.path.relpath(report.write(problem))}")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
