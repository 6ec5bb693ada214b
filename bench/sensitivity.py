"""``python -m bench sensitivity``: what derivatives cost beside a plain run (paper E fig. 13), and what they need.

Times are those of the stepping loops, saving included; a ratio is formed from a plain run and the run after it. What
comes before (each parameter's numbers are found from three to six compiled models) is printed as ``preparation``.
Finite differences have no loop of their own: theirs is the wall time of all runs.

    slider-crank with friction, 1.5 s, h = 1e-4 s     direct, complex-step and finite differences, seven parameters
    chain of 20 links, 1 s, h = 1e-3 s                adjoint with 1 and with 100 parameters, direct with 100
    slider-crank with play in its guide, two turns    direct through impacts (Moreau), four parameters
    pendulum, a million steps                         memory of an adjoint run, in a process of its own
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import jointplay as jp

from .report import Report
from .timing import Run, one_core, race

GALLERY = Path(jp.__file__).parent / "gallery"
SEVEN = ["crank", "rod", "length", "width", "mu_d", "mu_s", "v_t"]
FOUR = ["gap", "restitution", "mu", "bodies.slider.mass"]
VELOCITY = "slider.velocity[0]"
LINKS = 20
LINK = {"mass": 0.1, "inertia": 4e-4, "length": 0.2, "spring": 2.0, "damper": 2e-3}  # SI
MILLION = 1_000_000
SAME, NEAR = 1e-8, 1e-3  # relative: exact methods among themselves, and beside differences
BARS = {"direct, 7 parameters": 4.0, "adjoint, 100 beside 1": 1.5}


@dataclass(frozen=True)
class Case:
    """A question, and how it is put."""

    build: Any
    wrt: Any
    of: Any
    until: float
    scheme: Any
    save: float

    def plain(self) -> float:
        """Seconds of the run alone, at the nominal parameters and with the same saving."""
        system = self.build() if callable(self.build) else jp.load_model(self.build)
        sol = jp.simulate(system, self.until, self.scheme, save=self.save)
        assert sol.outcome.ok, sol.outcome.message
        return float(sol.stats["run_time"])

    def ask(self, kind: str, wrt: Any = None) -> jp.Sensitivities:
        """Derivatives of one kind."""
        given: dict[str, Any] = {"until": self.until, "derivative": kind, "save": self.save}
        return jp.sensitivities(self.build, self.wrt if wrt is None else wrt, self.of, self.scheme, **given)

    def timed(self, method: str, wrt: Any = None) -> Run:
        """Seconds of the loops of ``method``; for differences, of everything."""

        def run() -> float:
            stats = self.ask(method, wrt).stats
            return float(stats.get("run_time", stats["wall_time"]))

        return run


def chain(links: int = LINKS, **given: float) -> jp.System:
    """Links in a row along x from rest, hinged about y with a spring and a damper each; length0, mass0, ..."""
    s = jp.System("chain", gravity=(0, 0, -9.81))
    before, x = s.ground, 0.0
    for k in range(links):
        p = {name: given.get(f"{name}{k}", value) for name, value in LINK.items()}
        moments = (0.1 * p["inertia"], p["inertia"], p["inertia"])
        link = s.body(f"link{k}", mass=p["mass"], inertia=moments, position=(x + p["length"] / 2, 0, 0))
        spring = jp.Spring(stiffness=p["spring"], damping=p["damper"])
        s.revolute(f"J{k}", before, link, point=(x, 0, 0), axis=(0, 1, 0), angle=spring)
        before, x = link, x + p["length"]
    return s


def friction_case(quick: bool) -> Case:
    """Paper E, section 7.2."""
    until = 0.3 if quick else 1.5
    return Case(GALLERY / "slider_crank_friction.yaml", SEVEN, VELOCITY, until, jp.Index1(step=1e-4), 1e-2)


def chain_case(quick: bool) -> Case:
    """An integral over the height of the last link, by all numbers of all links."""
    wrt = {f"{name}{k}": value for k in range(LINKS) for name, value in LINK.items()}
    of = jp.Integral(f"link{LINKS - 1}.position[2]", function=np.square)
    return Case(chain, wrt, of, 0.1 if quick else 1.0, jp.Index1(step=1e-3), 1e-2)


def guide_case(quick: bool) -> Case:
    """Paper B, through impacts."""
    until = 0.01 if quick else 0.1375
    model = GALLERY / "slider_crank_clearance.yaml"
    return Case(model, FOUR, "crank.angular_velocity[2]", until, jp.Moreau(step=1e-5), 5e-4)


def apart(one: jp.Sensitivities, other: jp.Sensitivities) -> float:
    """Largest difference over time, relative to the largest derivative, of all parameters."""
    of = one.names[0]
    pairs = [(np.asarray(one[of][name]), np.asarray(other[of][name])) for name in one.parameters]
    return float(max(np.max(np.abs(a - b)) / np.max(np.abs(b)) for a, b in pairs))


def said(value: float, bar: float) -> str:
    """Whether a ratio stays below its bar."""
    return f"{value:.2f}, asked at most {bar:g}: {'met' if value <= bar else 'NOT MET'}"


def friction(quick: bool, repeats: int, report: Report) -> bool:
    """Fig. 13 and the agreement of all methods."""
    case = friction_case(quick)
    report.title(f"slider-crank with friction, {case.until:g} s, seven parameters (paper E fig. 13)")
    found = {method: case.ask(method) for method in ("direct", "complex-step", "differences")}
    same, near = (apart(found["direct"], found[method]) for method in ("complex-step", "differences"))
    right = same < SAME and near < NEAR
    report.line(f"direct beside complex-step {same:.1e}, beside finite differences {near:.1e} (relative)")
    fast = race(case.plain, {method: case.timed(method) for method in ("direct", "complex-step")}, repeats)
    slow = race(case.plain, {"differences": case.timed("differences")}, 1)
    heats = {**fast.heats, **slow.heats}
    runs = {"direct": 1, "complex-step": len(SEVEN), "differences": found["differences"].stats["runs"]}
    rows = [("plain run", 1, fast.ours.scaled(1e3).show() if fast.ours else "-", "1", "-")]
    for method, heat in heats.items():
        stats = found[method].stats
        before = f"{stats['wall_time'] - stats['run_time']:.2f}" if "run_time" in stats else "within"
        ratio = heat.ratio.show() if heat.ratio else "-"
        rows.append((method, runs[method], heat.peer.scaled(1e3).show(), ratio, before))
        report.keep("friction", method, heat.as_dict())
    columns = ("method", "runs", "time, ms", "beside a plain run", "preparation, s")
    report.table("derivatives of the slider's velocity", columns, rows)
    ratio = heats["direct"].ratio
    if ratio is not None:
        report.line(f"direct, 7 parameters: {said(ratio.median, BARS['direct, 7 parameters'])}")
    return right


def many(quick: bool, repeats: int, report: Report) -> bool:
    """Adjoint with 1 and with 100 parameters."""
    case = chain_case(quick)
    report.title(f"chain of {LINKS} links, {case.until:g} s, {len(case.wrt)} parameters")
    one = {"length0": LINK["length"]}
    back, along = case.ask("adjoint"), case.ask("direct")
    scale = max(abs(along[along.names[0]][name] * value) for name, value in case.wrt.items())
    off = max(abs(back[back.names[0]][n] - along[along.names[0]][n]) * abs(v) for n, v in case.wrt.items()) / scale
    report.line(f"adjoint beside direct {off:.1e} (relative to the largest scaled derivative)")
    ways = {
        "adjoint, 1 parameter": case.timed("adjoint", one),
        "adjoint, 100 parameters": case.timed("adjoint"),
        "direct, 1 parameter": case.timed("direct", one),
        "direct, 100 parameters": case.timed("direct"),
    }
    found = race(case.plain, ways, repeats)
    rows = [("plain run", found.ours.scaled(1e3).show() if found.ours else "-", "1")]
    for name, heat in found.heats.items():
        rows.append((name, heat.peer.scaled(1e3).show(), heat.ratio.show() if heat.ratio else "-"))
        report.keep("chain", name, heat.as_dict())
    report.table("gradient of one integral", ("method", "time, ms", "beside a plain run"), rows)
    beside = race(ways["adjoint, 1 parameter"], {"100": ways["adjoint, 100 parameters"]}, repeats).heats["100"].ratio
    if beside is not None:
        report.line(f"adjoint, 100 beside 1: {said(beside.median, BARS['adjoint, 100 beside 1'])}")
    before = back.stats["wall_time"] - back.stats["run_time"]
    report.line(f"preparation of 100 parameters: {before:.2f} s; {back.stats['checkpoints']} checkpoints")
    return bool(off < SAME)


def impacts(quick: bool, repeats: int, report: Report) -> bool:
    """Direct through impacts, four parameters."""
    case = guide_case(quick)
    report.title(f"slider-crank with play in its guide, {1e3 * case.until:g} ms, four parameters")
    exact = case.ask("direct")
    heat = race(case.plain, {"direct": case.timed("direct")}, repeats).heats["direct"]
    ratio = heat.ratio.show() if heat.ratio else "-"
    until = exact.valid[0][1] if exact.valid else 0.0
    report.line(f"{exact.stats['impacts']} impacts; derivatives valid until {1e3 * until:g} ms")
    report.table(
        "derivatives of the crank's speed by gap, restitution, friction and mass",
        ("method", "time, ms", "beside a plain run"),
        [
            ("plain run", heat.ours.scaled(1e3).show() if heat.ours else "-", "1"),
            ("direct", heat.peer.scaled(1e3).show(), ratio),
        ],
    )
    report.keep("impacts", "direct", heat.as_dict())
    return True


def memory(quick: bool, report: Report) -> bool:
    """Peak of a process that does an adjoint run of a million steps, and of one that does a thousand."""
    large = 20_000 if quick else MILLION
    report.title(f"memory of an adjoint run of {large} steps")
    rows, peaks, values = [], [], []
    for steps in (1000, large):
        command = [sys.executable, "-m", "bench.adjoint_memory", str(steps)]
        told = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[1])
        figures = json.loads(told.stdout)
        seconds = f"{figures['run_time']:.2f}"
        rows.append((figures["steps"], figures["checkpoints"], f"{figures['peak']:.0f}", seconds))
        peaks.append(figures["peak"])
        values.append(figures["derivative"])
    report.table("a pendulum", ("steps", "checkpoints", "peak of the process, MB", "time, s"), rows)
    report.line(f"the steps add {peaks[1] - peaks[0]:.0f} MB; asked: less than 1 GB in all")
    report.keep("memory", "peak_MB", peaks)
    return bool(peaks[1] < 1024.0 and abs(values[1] / values[0] - 1.0) < 1e-3)


def run(*, quick: bool, repeats: int, report: Report) -> bool:
    """All parts; True if derivatives agree and memory stays small. Speed is printed, not judged."""
    right = friction(quick, repeats, report)
    right &= many(quick, repeats, report)
    right &= impacts(quick, repeats, report)
    right &= memory(quick, report)
    return right


def main() -> int:
    """Run the bench by itself."""
    parser = argparse.ArgumentParser(prog="python -m bench.sensitivity", description="What derivatives cost.")
    parser.add_argument("--repeats", type=int, default=3, help="turns of each method (default 3)")
    parser.add_argument("--quick", action="store_true", help="short runs, one repeat")
    arguments = parser.parse_args()
    report = Report({"machine": f"pinned to core {one_core()}"})
    repeats = 1 if arguments.quick else max(arguments.repeats, 1)
    right = run(quick=arguments.quick, repeats=repeats, report=report)
    report.write("sensitivity")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
