"""``python -m bench.work_precision [-o figure.png]``: error against time of Explicit, Implicit and Moreau (paper C).

The error is the largest deviation of the crank angle (first hinge) over 200 instants, from a run of our own with
rtol = 1e-12; tests/papers compares those with solutions that share no code. Where motions are not well posed to the end
(each blow multiplies small differences), a case ends before. The time is that of the stepping loop, median of a few
repeats, saving included. Rigid and compliant guides are different models: each has a truth of its own.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import jointplay as jp
from jointplay.methods.base import Method

from .report import Report
from .timing import Spread, one_core

GALLERY = Path(jp.__file__).parent / "gallery"
INSTANTS = 200
LONGEST = 5.0  # s, a rung that takes longer is run once and ends its ladder
TRUTH = jp.Explicit(rtol=1e-12, atol=1e-14, threshold=1e-12)
COLOURS = {"Explicit": "#1b6ca8", "Implicit": "#c8553d", "Moreau, steps": "#3a7d44", "Moreau, located": "#8d6a9f"}

Ladder = tuple[Method, ...]


def _controlled(method: Any, exponents: range) -> Ladder:
    return tuple(method(rtol=10.0**-k, atol=10.0 ** -(k + 2)) for k in exponents)


def _steps(*sizes: float) -> Ladder:
    return tuple(jp.Moreau(step=h) for h in sizes)


@dataclass(frozen=True)
class Case:
    """A model, how long it runs, what is compared, and the ladders of settings."""

    name: str
    build: Callable[[], jp.System]
    until: float
    angle: str
    ladders: dict[str, Ladder] = field(default_factory=dict)
    truth: Method = TRUTH
    bar: float = 1e-6  # rad, what the best rung must reach


@dataclass(frozen=True)
class Point:
    """One run."""

    setting: str
    steps: int
    error: float
    seconds: Spread


def ball_play(gap: str, stiffness: str) -> jp.System:
    """Spatial slider-crank with play in its ball joint (paper C, tables 1 and 2)."""
    given = {"parameters.gap": gap, "parameters.stiffness": stiffness}
    return jp.load_model(GALLERY / "slider_crank_ball_play.yaml", overrides=given)


def triple_pendulum() -> jp.System:
    """Three bars with compliant stops (paper C, table 3), law of Lankarani and Nikravesh."""
    return jp.load_model(GALLERY / "triple_pendulum_stops.yaml")


def guide(contact: dict[str, Any]) -> jp.System:
    """Planar slider-crank with play in its guide (paper B, table 1), without friction."""
    tree = jp.load_model(GALLERY / "slider_crank_clearance.yaml").to_tree()
    tree["joints"]["D"]["radial"] |= {"contact": contact}
    tree["joints"]["D"]["radial"].pop("friction", None)
    return jp.System.from_tree(tree)


def cases(quick: bool) -> list[Case]:
    """All cases; ``quick`` leaves out the longest rungs."""
    fine = 0 if quick else 2
    explicit, implicit = _controlled(jp.Explicit, range(3, 10 + fine)), _controlled(jp.Implicit, range(3, 8 + fine))
    compliant = {"Explicit": explicit, "Implicit": implicit}
    soft = {"hunt_crossley": {"stiffness": 1e8, "restitution": 0.4, "form": "exact"}}
    small = () if quick else _steps(1e-6)
    return [
        Case(
            "ball joint, 0.1 mm of play, K = 5e6 N/m^1.5, 5 s",
            lambda: ball_play("0.1 mm", "5e6 N/m^1.5"),
            5.0,
            "A.angle",
            compliant | {"Moreau, steps": (*_steps(1e-4, 3e-5, 1e-5), *small)},
        ),
        Case(
            "ball joint without play, K = 5e6 N/mm^1.5, 5 s",
            lambda: ball_play("0 mm", "5e6 N/mm^1.5"),
            5.0,
            "A.angle",
            compliant | {"Moreau, steps": (*_steps(1e-5, 3e-6), *small)},
        ),
        Case(
            "triple pendulum with stops, 4 s",
            triple_pendulum,
            4.0,
            "A.angle",
            compliant | {"Moreau, steps": (*_steps(1e-3, 1e-4, 1e-5), *small)},
        ),
        Case(
            "guide, Hunt-Crossley K = 1e8 N/m^1.5, two turns",
            lambda: guide(soft),
            0.1375,
            "A.angle",
            compliant | {"Moreau, steps": (*_steps(1e-5, 1e-6), *(() if quick else _steps(1e-7)))},
        ),
        Case(
            "guide, rigid with e = 0.4, two turns",
            lambda: guide({"rigid": {"restitution": 0.4}}),
            0.1375,
            "A.angle",
            {
                "Moreau, steps": _steps(1e-4, 1e-5, 1e-6, *(() if quick else (1e-7,))),
                "Moreau, located": tuple(jp.Moreau(rtol=10.0**-k, atol=10.0 ** -(k + 3)) for k in range(3, 8 + fine)),
            },
            truth=jp.Moreau(rtol=1e-11, atol=1e-14),
        ),
    ]


def measure(case: Case, repeats: int) -> dict[str, list[Point]]:
    """All rungs of a case, by ladder."""
    times = np.linspace(0.0, case.until, INSTANTS + 1)
    exact = jp.simulate(case.build(), case.until, case.truth, save=times)
    assert exact.outcome.ok, exact.outcome.message
    found: dict[str, list[Point]] = {}
    for name, ladder in case.ladders.items():
        jp.simulate(case.build(), 1e-3 * case.until, ladder[0])  # compiled before the clock starts
        for method in ladder:
            runs = [jp.simulate(case.build(), case.until, method, save=times)]
            if not runs[0].outcome.ok:
                found.setdefault(name, []).append(Point(_said(method), 0, np.inf, Spread.of([np.nan])))
                continue
            if runs[0].stats["run_time"] < LONGEST:
                runs += [jp.simulate(case.build(), case.until, method, save=times) for _ in range(repeats - 1)]
            error = float(np.max(np.abs(runs[0][case.angle] - exact[case.angle])))
            taken = Spread.of([sol.stats["run_time"] for sol in runs])
            found.setdefault(name, []).append(Point(_said(method), runs[0].stats["steps"], error, taken))
            if taken.min > LONGEST:
                break
    return found


def _said(method: Any) -> str:
    return f"step {method.step:g} s" if getattr(method, "step", 0.0) else f"rtol {method.rtol:g}"


def run(*, quick: bool, repeats: int, report: Report, figure: Path | None = None) -> bool:
    """Measure and print all cases; True if the best rung of each meets its bar."""
    right, drawn = True, []
    for case in cases(quick):
        report.title(f"work and precision: {case.name}")
        found = measure(case, repeats)
        rows = [
            (name, point.setting, point.steps or "-", f"{point.error:.1e}", point.seconds.scaled(1e3).show())
            for name, points in found.items()
            for point in points
        ]
        report.table("error of the crank angle", ("method", "setting", "steps", "error, rad", "time, ms"), rows)
        best = min(point.error for points in found.values() for point in points)
        report.line(f"best {best:.1e} rad, asked {case.bar:.0e}: {'met' if best <= case.bar else 'NOT MET'}")
        right &= best <= case.bar
        drawn.append((case, found))
    if figure is not None:
        draw(drawn, figure)
        report.line(f"drawn: {figure}")
    return right


def draw(drawn: list[tuple[Case, dict[str, list[Point]]]], file: Path) -> None:
    """Log-log: time over error, one panel per case; left and low is better."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(2, 3, figsize=(13.0, 8.0), layout="constrained")
    for panel, (case, found) in zip(panels.flat, drawn, strict=False):
        for name, points in found.items():
            good = [point for point in points if np.isfinite(point.error) and point.error > 0.0]
            error, time = [p.error for p in good], [1e3 * p.seconds.median for p in good]
            panel.loglog(error, time, "o-", color=COLOURS[name], label=name, markersize=4, linewidth=1.3)
        panel.set_title(case.name, fontsize=9)
        panel.set_xlabel("largest error of the crank angle, rad")
        panel.set_ylabel("time of the run, ms")
        panel.invert_xaxis()
        panel.grid(True, which="major", color="#dddddd", linewidth=0.6)
        panel.legend(fontsize=8, frameon=False)
    for panel in panels.flat[len(drawn) :]:
        panel.set_axis_off()
    figure.savefig(file, dpi=130)
    plt.close(figure)


def main() -> int:
    """Run the bench by itself."""
    parser = argparse.ArgumentParser(prog="python -m bench.work_precision", description="Error against time.")
    parser.add_argument("-o", "--output", type=Path, help="draw the curves into this file")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each setting (default 3)")
    parser.add_argument("--quick", action="store_true", help="shorter ladders, one repeat")
    arguments = parser.parse_args()
    core = one_core()
    report = Report({"machine": f"pinned to core {core}"})
    repeats = 1 if arguments.quick else max(arguments.repeats, 1)
    right = run(quick=arguments.quick, repeats=repeats, report=report, figure=arguments.output)
    report.write("work_precision")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
