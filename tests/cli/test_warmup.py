"""Libraries of kernels: made, found, and told about while they are made."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from typer.testing import CliRunner

import jointplay as jp
from jointplay import warmup
from jointplay.cli.app import app
from jointplay.cli.examples import GALLERY
from jointplay.compiler.lowered import FROM_SOURCES
from jointplay.methods.registry import REGISTRY
from jointplay.warmup import is_warm, kernel_names, warm, watching

COLD = {"JOINTPLAY_CPU": "x86-64-v2"}  # a level that no library is shipped for


def test_kernels_are_counted_from_the_sources() -> None:
    engine, every = kernel_names("engine"), kernel_names()
    assert {"methods.explicit.run", "methods.verlet.run", "numerics.ldl.factor"} <= engine
    assert "tangent.stages.forwards" in every - engine
    assert len(engine) > 50
    # files of one name in two folders are told apart
    assert {"methods.landing.reach", "tangent.landing.mark_rest"} <= every


def test_a_run_compiles_nothing() -> None:
    system = jp.load_model(GALLERY / "pendulum.yaml")
    jp.simulate(system, 0.01, jp.Explicit())
    told: list[str] = []
    with watching(lambda done, total, name: told.append(name)):
        jp.simulate(system, 0.01, jp.Explicit())
    assert told == []


def test_failures_are_told_and_change_the_exit_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warmup, "_is_current", lambda manifest: False)
    monkeypatch.setattr("jointplay.warmup.pool.build", lambda *_: ["verlet: OSError: the disk is full"])
    done = CliRunner().invoke(app, ["warmup", "--engine-only", "--jobs", "2", "--json"])
    assert done.exit_code == 1
    assert json.loads(done.stdout) == {"ok": False, "message": "verlet: OSError: the disk is full"}
    assert "verlet: OSError: the disk is full" in done.stderr.splitlines()


def test_bad_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(jp.InputError, match="jobs: at least one process is needed, got 0"):
        warm(jobs=0)
    assert CliRunner().invoke(app, ["warmup", "--jobs", "0"]).exit_code == 2
    monkeypatch.setattr("jointplay.warmup.PLAIN", True)
    done = CliRunner().invoke(app, ["warmup"])
    assert done.exit_code == 2
    assert done.stderr.startswith("NUMBA_DISABLE_JIT: is set")


@pytest.mark.slow
def test_libraries_serve_every_model_and_method() -> None:
    """What was compiled for one mechanism serves all the others."""
    made = warm()
    assert is_warm() and is_warm("derivatives") and all(place.is_file() for place in made)
    later: list[str] = []
    with watching(lambda done, total, name: later.append(name)):
        for file in sorted(GALLERY.glob("*.yaml")):
            for method in REGISTRY:
                with suppress(jp.InputError):  # not every method takes contacts, or restitution
                    jp.simulate(jp.load_model(file), 2e-3, method(), 1e-3)
    assert later == []


@pytest.mark.slow
def test_a_run_without_a_library_says_that_it_compiles_and_how_far_it_is(tmp_path: Path) -> None:
    """Stopped by Ctrl-C once it has said so."""
    environment = os.environ | COLD | {"JOINTPLAY_CACHE_DIR": str(tmp_path / "cache"), FROM_SOURCES: "1"}
    log = tmp_path / "log"
    command = [sys.executable, "-m", "jointplay", "run", str(GALLERY / "pendulum.yaml"), "-o", str(tmp_path / "p.nc")]
    with log.open("w") as stream:
        process = subprocess.Popen(command, stdout=stream, stderr=stream, env=environment, text=True)
    deadline = time.monotonic() + 300.0
    while time.monotonic() < deadline and not re.search(r"compiling: \d+ kernels so far", log.read_text()):
        assert process.poll() is None, log.read_text()
        time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=120) == 130, log.read_text()
    said = log.read_text().splitlines()
    assert said[0].startswith("compiling kernels (the first time only")
    assert "Traceback" not in log.read_text()


def children(pid: int) -> set[int]:
    """Processes that another one has started."""
    return {int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()}


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGKILL])
def test_a_cold_warmup_compiles_in_several_processes_that_end_with_it(tmp_path: Path, ending: signal.Signals) -> None:
    environment = os.environ | COLD | {"JOINTPLAY_CACHE_DIR": str(tmp_path / "cache"), FROM_SOURCES: "1"}
    log = tmp_path / "log"
    command = [sys.executable, "-m", "jointplay", "warmup", "--jobs", "2"]
    with log.open("w") as stream:
        process = subprocess.Popen(command, stdout=stream, stderr=stream, env=environment, text=True)
    deadline = time.monotonic() + 300.0
    while time.monotonic() < deadline and not any((tmp_path / "cache").glob("kernels/pieces/*.facts")):
        assert process.poll() is None, log.read_text()
        time.sleep(0.1)
    workers = children(process.pid)
    assert len(workers) == 2
    process.send_signal(ending)
    assert process.wait(timeout=60) == (130 if ending == signal.SIGINT else -ending), log.read_text()
    while time.monotonic() < deadline and any(Path(f"/proc/{worker}").exists() for worker in workers):
        time.sleep(0.1)
    assert not any(Path(f"/proc/{worker}").exists() for worker in workers)
    assert "Traceback" not in log.read_text()
