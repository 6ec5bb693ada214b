"""Laws that users write, in studies: in threads, in processes, on a cluster, and from the command line."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import jointplay as jp

MODULE = """
import jointplay as jp

@jp.law("coordinate", k="F/X", c="F*s/X")
def limp(x, v, k, c=0.0):
    return -k * x - c * v
"""
MODEL = """
jointplay: 1
name: pendulum with a law of its own
planar: true
gravity: [0, -9.81]
parameters: {k: 3 N*m/rad}
bodies: {rod: {mass: 0.8, inertia: 0.05, position: [0.3, 0]}}
joints: {A: {type: revolute, between: [ground, rod], point: [0, 0], angle: {LAW}}}
run: {until: 0.2 s, method: {verlet: {step: 1 ms}}}
study:
  vary: {k: {uniform: [2 N*m/rad, 4 N*m/rad]}}
  of: [{final: A.angle}]
  plan: {random: 8}
"""
NAME = "laws_of_a_study_for_test"
TURN = "Final('A.angle')"


@pytest.fixture
def model(tmp_path, monkeypatch):
    (tmp_path / f"{NAME}.py").write_text(MODULE)
    (tmp_path / "own.yaml").write_text(MODEL.replace("{LAW}", f"{{'{NAME}:limp': {{k: k}}}}"))
    (tmp_path / "built_in.yaml").write_text(MODEL.replace("{LAW}", "{spring: {stiffness: k}}"))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "own.yaml"


def test_threads_and_processes_run_laws_of_allowed_modules(model, tmp_path):
    same = jp.study(tmp_path / "built_in.yaml", workers=1)
    here = jp.study(model, allow=[NAME], workers=2, output=tmp_path / "threads.nc")
    assert not len(here.failed)
    np.testing.assert_allclose(here[TURN], same[TURN], rtol=1e-12)
    jp.study(model, allow=[NAME], workers="2 processes", output=tmp_path / "processes.nc")
    assert (tmp_path / "threads.nc").read_bytes() == (tmp_path / "processes.nc").read_bytes()
    again = jp.load_study(tmp_path / "threads.nc", allow=[NAME])
    assert again.rerun(3)["A.angle"][-1] == here[TURN][3]


def test_other_inputs_than_those_of_the_file(model):
    found = jp.study(model, {"k": "3 N*m/rad +- 0.1 N*m/rad"}, jp.Final("A.angle"), plan=jp.Random(2), allow=NAME)
    assert not len(found.failed)


def test_what_is_not_allowed_is_refused_in_a_sentence(model, tmp_path):
    with pytest.raises(jp.InputError, match=rf"allow=\['{NAME}'\]") as told:
        jp.study(model, workers=1)
    assert len(told.value.problems) == 1
    with pytest.raises(jp.InputError, match="allow="):
        jp.study(model, {"k": jp.Uniform(2.0, 4.0)}, jp.Final("A.angle"), plan=jp.Random(2))
    jp.study(model, allow=[NAME], output=tmp_path / "s.nc", workers=1)
    with pytest.raises(jp.InputError, match="allow="):
        jp.load_study(tmp_path / "s.nc")


def test_a_law_that_other_processes_cannot_import_is_refused_in_a_sentence():
    """A law of a module that is not there: of a notebook, as it were."""

    def limp(x, k):
        return -k * x

    limp.__module__, limp.__qualname__ = "a_notebook_of_a_test", "limp"
    law = jp.law("coordinate", k="F/X")(limp)
    s = jp.System("pendulum", planar=True, gravity=(0.0, -9.81))
    rod = s.body("rod", mass=0.8, inertia=0.05, position=(0.3, 0.0))
    s.revolute("A", s.ground, rod, point=(0, 0), angle=law(3.0))
    vary = {"bodies.rod.mass": jp.Uniform("0.7 kg", "0.9 kg")}
    settings = {"plan": jp.Random(4), "until": 0.05, "method": jp.Verlet(step=1e-3)}
    found = jp.study(s, vary, jp.Final("A.angle"), workers=2, **settings)
    assert not len(found.failed)
    with pytest.raises(jp.InputError, match="a_notebook_of_a_test:limp.*cannot be loaded") as told:
        jp.study(s, vary, jp.Final("A.angle"), workers="2 processes", **settings)
    assert len(told.value.problems) == 1


def test_a_law_that_was_changed_is_another_study(model, tmp_path):
    jp.study(model, allow=[NAME], output=tmp_path / "s.nc", workers=1)
    from jointplay.laws.own_law import MADE

    key, kept = f"{NAME}:limp", MADE[f"{NAME}:limp"]
    try:
        MADE[key] = type("limp", (kept,), {"function": staticmethod(lambda x, v, k, c: -k * x)})
        with pytest.raises(jp.InputError, match=f"(?s)holds another study.*law {key}"):
            jp.study(model, allow=[NAME], output=tmp_path / "s.nc", workers=1)
    finally:
        MADE[key] = kept


def test_the_command_line_allows_modules(model, tmp_path):
    def call(*words):
        return subprocess.run(
            [sys.executable, "-m", "jointplay", "study", *words],
            cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip

    refused = call("run", "own.yaml")
    assert refused.returncode == 2 and f"--allow {NAME}" in refused.stderr and "Traceback" not in refused.stderr
    assert not (tmp_path / "own_study.nc").exists()
    done = call("run", "own.yaml", "--allow", NAME, "--processes", "-j", "2")
    assert done.returncode == 0, done.stderr
    refused = call("resume", "own_study.nc", "--samples", "12")
    assert refused.returncode == 2 and f"--allow {NAME}" in refused.stderr
    more = call("resume", "own_study.nc", "--samples", "12", "--allow", NAME)
    assert more.returncode == 0, more.stderr
    page = call("report", "own_study.nc", "--allow", NAME)
    assert page.returncode == 0, page.stderr


@pytest.mark.slow
def test_workers_of_a_cluster_run_laws_or_say_why_not(model, tmp_path):
    distributed = pytest.importorskip("distributed")
    settings = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": None, "silence_logs": 50}
    with distributed.LocalCluster(processes=True, **settings) as local, distributed.Client(local) as client:
        jp.study(model, allow=[NAME], workers=1, output=tmp_path / "threads.nc")
        jp.study(model, allow=[NAME], workers=client, output=tmp_path / "dask.nc")
        assert (tmp_path / "threads.nc").read_bytes() == (tmp_path / "dask.nc").read_bytes()

        def only_here(x, k):
            return -k * x

        only_here.__module__, only_here.__qualname__ = "a_notebook_of_a_cluster", "only_here"
        s = jp.System("pendulum", planar=True, gravity=(0.0, -9.81))
        rod = s.body("rod", mass=0.8, inertia=0.05, position=(0.3, 0.0))
        s.revolute("A", s.ground, rod, point=(0, 0), angle=jp.law("coordinate", k="F/X")(only_here)(3.0))
        with pytest.raises(jp.InputError, match="only_here.*cannot be loaded"):
            jp.study(s, {"bodies.rod.mass": jp.Uniform("0.7 kg", "0.9 kg")}, jp.Final("A.angle"), plan=jp.Random(4),
                     until=0.05, method=jp.Verlet(step=1e-3), workers=client)  # fmt: skip
