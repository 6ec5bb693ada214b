"""The summary says what matters, with the numbers of the solution."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

import jointplay as jp
from jointplay.cli.examples import GALLERY
from jointplay.results.summary import figures, peaks, summary


def test_text(solution: jp.Solution, result_file: Path) -> None:
    text = summary(solution)
    assert "finished at t = 0.5 s" in text
    assert f"{solution.stats['steps']} accepted" in text
    assert "error of the ledger" in text
    assert "velocities of rod, slider follow" in text


def test_the_end_says_what_to_do_next(solution: jp.Solution, result_file: Path) -> None:
    """Three commands at most, with names that exist."""
    loaded = peaks(solution)[0]["joint"]
    shell = summary(solution, commands="shell").splitlines()[-4:]
    assert shell == [
        f"result    {result_file}",
        f"next      jointplay view {result_file}",
        f"          jointplay plot {result_file} '|{loaded}.force|'",
        f"          jointplay report {result_file} -o run_report.html",
    ]
    python = summary(solution).splitlines()[-3:]
    assert python[0] == f'next      sol.plot("|{loaded}.force|")'
    assert python[1].strip() == 'sol.view("run.html")'
    eval(python[0].removeprefix("next"), {"sol": solution})


def test_with_clearance_the_next_picture_shows_it(tmp_path: Path) -> None:
    system = jp.load_model(GALLERY / "clearance_pendulum.yaml")
    run = jp.simulate(system, 0.1, jp.Moreau(step=1e-3), 1e-2, output=tmp_path / "my run.nc")
    text = summary(run, commands="shell")
    assert f"jointplay plot '{tmp_path}/my run.nc' --kind gaps --joint P" in text
    assert "-o 'my run_report.html'" in text


def test_nothing_to_look_at_nothing_to_do() -> None:
    system = jp.load_model(GALLERY / "slider_crank.yaml")
    stopped = jp.simulate(system, 5.0, jp.Explicit(), [5.0], max_steps=1)
    assert not len(stopped.time)
    assert "next" not in summary(stopped) and "next" not in summary(stopped, commands="shell")


def test_peaks(solution: jp.Solution) -> None:
    found = peaks(solution)
    assert sorted(one["joint"] for one in found) == list("ABCD")
    assert [one["force"] for one in found] == sorted((one["force"] for one in found), reverse=True)
    force = np.linalg.norm(solution["B.force"], axis=1)
    of_b = next(one for one in found if one["joint"] == "B")
    assert of_b["every_step"] and force.max() <= of_b["force"] < 1.01 * force.max()


def test_numbers_are_plain_data(solution: jp.Solution) -> None:
    facts = json.loads(json.dumps(figures(solution)))
    assert facts["ok"] is True
    assert abs(facts["energy"]["error"]) < 1e-8 * facts["energy_scale"]
    assert facts["worst_residual"]["value"] < 1e-10


def test_redundant_joints_are_said() -> None:
    system = jp.load_model(GALLERY / "driven_four_bar_3d.yaml")
    text = summary(jp.simulate(system, 0.05, save=0.01))
    assert "redundant constraints (3)" in text
    assert "least norm" in text


def test_a_run_without_joints_or_steps() -> None:
    system = jp.System("stone")
    system.body("stone", mass=1, inertia=(1, 1, 1))
    text = summary(jp.simulate(system, 1.0, save=0.5))
    assert "peak force" not in text
    stopped = jp.simulate(jp.load_model(GALLERY / "slider_crank.yaml"), 5.0, jp.Explicit(), 5.0, max_steps=1)
    assert "allowed number of steps" in summary(stopped)
