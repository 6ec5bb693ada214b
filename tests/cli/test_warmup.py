"""Compiled kernels: counted, found on disk, and told about while they are made."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

import jointplay as jp
from jointplay.cli.examples import GALLERY
from jointplay.methods.registry import REGISTRY
from jointplay.warmup import compiled_names, is_warm, kernel_names, warm, watching


def test_kernels_are_counted_from_the_sources() -> None:
    names = kernel_names()
    assert {("explicit", "run"), ("verlet", "run"), ("dynamics", "accelerate"), ("ldl", "factor")} <= names
    assert len(names) > 50


def test_what_is_on_disk_has_the_names_of_the_sources() -> None:
    jp.simulate(jp.load_model(GALLERY / "pendulum.yaml"), 0.01, jp.Explicit())
    done = compiled_names()
    assert ("explicit", "run") in done
    assert done <= kernel_names()


def test_a_warm_run_compiles_nothing() -> None:
    system = jp.load_model(GALLERY / "pendulum.yaml")
    jp.simulate(system, 0.01, jp.Explicit())
    told: list[str] = []
    with watching(lambda done, total, name: told.append(name)):
        jp.simulate(system, 0.01, jp.Explicit())
    assert told == []


@pytest.mark.slow
def test_warm_makes_warm() -> None:
    told: list[tuple[int, int]] = []
    count = warm(lambda done, total, name: told.append((done, total)))
    assert is_warm()
    assert told[-1][0] == told[-1][1] >= count
    assert [done for done, _ in told[:-1]] == sorted(done for done, _ in told[:-1])
    # what was compiled for one mechanism serves all the others
    later: list[str] = []
    with watching(lambda done, total, name: later.append(name)):
        for file in sorted(GALLERY.glob("*.yaml")):
            for method in REGISTRY:
                with suppress(jp.InputError):  # not every method takes contacts, or restitution
                    jp.simulate(jp.load_model(file), 2e-3, method(), 1e-3)
    assert later == []


@pytest.mark.slow
def test_a_cold_run_says_that_it_compiles_and_how_far_it_is(tmp_path: Path) -> None:
    """With an empty cache; stopped by Ctrl-C once it has said so."""
    environment = os.environ | {"JOINTPLAY_CACHE_DIR": str(tmp_path / "cache")}
    log = tmp_path / "log"
    command = [sys.executable, "-m", "jointplay", "run", str(GALLERY / "pendulum.yaml"), "-o", str(tmp_path / "p.nc")]
    with log.open("w") as stream:
        process = subprocess.Popen(command, stdout=stream, stderr=stream, env=environment, text=True)
    deadline = time.monotonic() + 300.0
    while time.monotonic() < deadline and not re.search(r"compiling: \d+ of \d+ kernels", log.read_text()):
        assert process.poll() is None, log.read_text()
        time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=120) == 130, log.read_text()
    said = log.read_text().splitlines()
    assert said[0].startswith("compiling kernels (the first time only")
    assert "Traceback" not in log.read_text()
