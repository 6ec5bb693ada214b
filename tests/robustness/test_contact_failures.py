"""Contacts that cannot go on end with a sentence, and what was computed is kept; hard cases get through."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from clearances import ball, cylindrical_slider, slider_crank, slider_in_guide

import jointplay as jp

HERE = Path(__file__).parent.parent


def jammed() -> jp.System:
    """A slider pressed between two stops that close on it: no motion satisfies the drive and the stop."""
    s = jp.System("jam", planar=True, gravity=(0, 0, 0))
    body = s.body("b", mass=1.0, inertia=1.0)
    laws = [jp.Drive("t"), jp.Stop(upper=0.05)]
    s.prismatic("J", s.ground, body, point=(0, 0), axis=(1, 0), displacement=laws)
    return s


@pytest.mark.parametrize("method", [jp.Moreau(step=1e-3), jp.Moreau()], ids=["fixed", "controlled"])
def test_a_drive_into_a_stop_is_an_outcome(method: jp.Moreau) -> None:
    sol = jp.simulate(jammed(), until=0.1, method=method, save=1e-3)
    assert not sol.outcome.ok
    assert "J" in sol.outcome.message
    assert 0.049 <= sol.outcome.time <= 0.052
    assert len(sol.time) >= 49
    assert np.all(np.isfinite(sol["b.position"]))
    assert np.allclose(sol["b.position"][:49, 0], sol.time[:49], atol=1e-9)


def test_smooth_methods_refuse_contacts_and_name_those_that_can() -> None:
    with pytest.raises(jp.InputError, match=r"Explicit cannot take .* those that can: .*Moreau"):
        jp.simulate(slider_crank(), until=0.01, method=jp.Explicit())


def test_the_method_is_chosen_by_the_laws() -> None:
    sol = jp.simulate(ball(restitution=0.5), until=0.1, save=0.05)
    assert "Moreau" in sol.meta["method"]


def test_stepping_needs_a_step() -> None:
    with pytest.raises(ValueError, match="fixed step"):
        jp.Moreau(impacts="stepped")
    with pytest.raises(ValueError, match="'located' or 'stepped'"):
        jp.Moreau(step=1e-3, impacts="guessed")


@pytest.mark.parametrize("step", [1e-2, 1e-3, 1e-5], ids=str)
@pytest.mark.parametrize("gap", [1e-6, 1e-3, 1e-1], ids=str)
def test_any_step_goes_with_any_gap(step: float, gap: float) -> None:
    """The clearance bounds nothing: impacts are located, however many fall into a step."""
    sol = jp.simulate(slider_in_guide(arm=0.03, gap=gap, restitution=0.3), until=0.05, method=jp.Moreau(step=step))
    assert sol.outcome.ok, sol.outcome.message
    assert np.min(sol["D.gap"]) >= -1e-9


def test_a_run_that_goes_on_from_a_state_makes_the_same_impacts() -> None:
    method = jp.Moreau(step=1e-3)
    whole = jp.simulate(ball(restitution=0.8), until=3.0, method=method, save=0.1)
    half = jp.simulate(ball(restitution=0.8), until=1.5, method=method, save=0.1)
    rest = jp.simulate(ball(restitution=0.8), until=3.0, method=method, save=0.1, start=half)
    assert np.array_equal(whole["ball.position"][-10:], rest["ball.position"][-10:])
    later = whole.impacts[whole.impacts.time > 1.5]
    assert np.array_equal(later.time, rest.impacts.time)


def test_twice_the_same_digits() -> None:
    one, two = (
        jp.simulate(slider_crank(spin=0.1), until=0.02, method=jp.Moreau(step=1e-5), save=1e-3) for _ in range(2)
    )
    assert one.outcome.ok, one.outcome.message
    for name in ("slider.position", "D.normal_force", "D.normal_impulse", "energy.dissipated"):
        assert np.array_equal(one[name], two[name])
    assert np.array_equal(one.impacts, two.impacts)


def test_many_impacts_are_all_listed() -> None:
    """More than the kernel notes at once."""
    s = jp.System("rattle", planar=True, gravity=(0, 0, 0))
    body = s.body("b", mass=1.0, inertia=1.0, velocity=(1, 0))
    stop = jp.Stop(lower=-5e-5, upper=5e-5, contact=jp.Rigid(restitution=1.0))
    s.prismatic("J", s.ground, body, point=(0, 0), axis=(1, 0), displacement=stop)
    sol = jp.simulate(s, until=1.0, method=jp.Moreau(step=1e-2), save=0.1)
    assert sol.outcome.ok, sol.outcome.message
    assert len(sol.impacts) == sol.stats["impacts"] == 10_000
    assert np.allclose(np.diff(sol.impacts.time), 1e-4, atol=1e-12)


def test_max_steps_keeps_what_there_is() -> None:
    sol = jp.simulate(ball(restitution=0.9), until=10.0, method=jp.Moreau(step=1e-3), save=0.1, max_steps=2000)
    assert not sol.outcome.ok
    assert "max_steps" in sol.outcome.message
    assert len(sol.impacts) >= 2 and len(sol.time) >= 10


def test_the_file_keeps_impacts_and_contacts(tmp_path: Path) -> None:
    sol = jp.simulate(slider_crank(), until=0.01, method=jp.Moreau(step=1e-5), save=1e-4, output=tmp_path / "run.nc")
    again = jp.load(tmp_path / "run.nc")
    assert np.array_equal(again["D.gap"], sol["D.gap"])
    assert np.array_equal(again.impacts, sol.impacts)
    assert len(again.impacts) > 0


SCRIPT = """
import json
import jointplay as jp
from clearances import cylindrical_slider, slider_in_guide
for system, joint in ((slider_in_guide(arm=0.002, restitution=0.3), "D"), (cylindrical_slider(mu=0.1), "C")):
    sol = jp.simulate(system, 0.006, jp.Moreau(step=1e-3), save=0.001)
    kept = (sol["slider.position"], sol[f"{joint}.normal_force"], sol.impacts.time)
    print(json.dumps([one.tolist() for one in kept]))
"""


@pytest.mark.slow
def test_plain_python_gives_the_same_digits() -> None:
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(HERE)}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    cases = ((slider_in_guide(arm=0.002, restitution=0.3), "D"), (cylindrical_slider(mu=0.1), "C"))
    for line, (system, joint) in zip(done.stdout.splitlines(), cases, strict=True):
        position, force, times = (np.array(part) for part in json.loads(line))
        compiled = jp.simulate(system, 0.006, jp.Moreau(step=1e-3), save=0.001)
        assert np.max(np.abs(position - compiled["slider.position"])) < 1e-13
        assert np.max(np.abs(force - compiled[f"{joint}.normal_force"])) < 1e-7
        assert np.max(np.abs(times - compiled.impacts.time), initial=0.0) < 1e-13
