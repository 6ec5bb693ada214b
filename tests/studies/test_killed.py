"""Studies that are killed: what was written counts, what is missing is run again, and the file has the same bits."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import jointplay as jp
from jointplay.studies.store import StudyFile

SCRIPT = """
import sys
import jointplay as jp
from jointplay.gallery import entries

jp.study(
    entries()["slider_crank_clearance"],
    {"gap": jp.Uniform("0.9 mm", "1.1 mm"), "mu": jp.Uniform(0.005, 0.02)},
    [jp.Final("crank.angular_velocity[2]"), jp.Impacts()],
    plan=jp.Sobol(int(sys.argv[2]), seed=1),
    until=0.01,
    method=jp.Moreau(step=1e-5),
    workers=1,
    output=sys.argv[1],
)
"""


def itself(x):
    return x


def start(path: Path, count: int) -> subprocess.Popen:
    return subprocess.Popen([sys.executable, "-c", SCRIPT, str(path), str(count)], start_new_session=True)


def done(path: Path) -> int:
    if not path.exists():
        return 0
    file = StudyFile(path, write=False)
    count = int(np.count_nonzero(np.asarray(file.column("status"))))
    file.close()
    return count


def kill_often(path: Path, count: int, times: int, seed: int) -> int:
    """Kill a study so many times at random, or until it is complete; how often it was killed."""
    stream, killed = random.Random(seed), 0
    while killed < times:
        process = start(path, count)
        before, deadline = done(path), time.monotonic() + 60.0
        # wait until it works, then kill it within the next moments
        while process.poll() is None and done(path) <= before and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(stream.uniform(0.0, 0.3))
        if process.poll() is not None:
            break
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        killed += 1
        after = done(path)
        assert after >= before  # what counted still counts
    assert start(path, count).wait(timeout=300) == 0
    return killed


@pytest.mark.slow
def test_a_killed_study_has_the_same_bits(tmp_path):
    whole, path = tmp_path / "whole.nc", tmp_path / "killed.nc"
    assert start(whole, 512).wait(timeout=300) == 0
    assert kill_often(path, 512, 3, seed=1) >= 1
    assert path.read_bytes() == whole.read_bytes()


@pytest.mark.study
def test_killed_twenty_times(tmp_path):
    whole, path = tmp_path / "whole.nc", tmp_path / "killed.nc"
    assert start(whole, 4096).wait(timeout=600) == 0
    assert kill_often(path, 4096, 20, seed=2) == 20
    assert path.read_bytes() == whole.read_bytes()


def test_rows_count_only_by_their_status(tmp_path):
    """A writer that dies between values and status leaves a row that is run again."""
    path = tmp_path / "s.nc"
    options = {"plan": jp.Random(8, seed=1), "workers": 1, "output": path}
    jp.study(itself, {"x": jp.Uniform(0, 1)}, **options)
    good = path.read_bytes()
    file = StudyFile(path, write=True)
    file._put("status", slice(3, 4), np.zeros(1, dtype=np.uint8))
    file._put("value", slice(3, 4), np.array([99.0]))
    file.close()
    found = jp.study(itself, {"x": jp.Uniform(0, 1)}, **options)
    assert len(found.done) == 8 and np.array_equal(found["value"], found["x"])
    assert path.read_bytes() == good


def test_two_writers_do_not_meet(tmp_path):
    path = tmp_path / "s.nc"
    jp.study(itself, {"x": jp.Uniform(0, 1)}, plan=jp.Random(8), workers=1, output=path)
    file = StudyFile(path, write=True)
    try:
        with pytest.raises(jp.InputError, match="another study is writing it"):
            jp.study(itself, {"x": jp.Uniform(0, 1)}, plan=jp.Random(16), workers=1, output=path)
    finally:
        file.close()
