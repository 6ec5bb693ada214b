"""Runs that are killed, interrupted, or run out of disk keep what they had, and say so in a sentence."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import jointplay as jp
from jointplay.cli.examples import GALLERY

MODEL = GALLERY / "slider_crank.yaml"
LONG = ("--until", "400", "--save", "2 ms")


def start(folder: Path, *words: str, limit: int | None = None) -> subprocess.Popen[str]:
    """A run in a process of its own; ``limit`` is the largest file that it may write."""

    def restrict() -> None:
        if limit is not None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    command = [sys.executable, "-m", "jointplay", "run", str(MODEL), *words]
    # a signal that the shell told us to ignore would stay ignored in the child
    return subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=restrict
    )


def wait_for_states(part: Path, process: subprocess.Popen[str], least: int = 2000) -> None:
    """Wait until the run has written so many states; its file can be opened while it runs."""
    deadline = time.monotonic() + 300.0
    while time.monotonic() < deadline:
        assert process.poll() is None, process.communicate()
        if part.exists() and _progress(part) >= least:
            return
        time.sleep(0.1)
    raise AssertionError("the run did not get going")


def _progress(part: Path) -> int:
    import h5py

    try:
        with h5py.File(part, "r", locking=False) as file:
            return int(file["progress"][0])
    except (OSError, KeyError):
        return 0


@pytest.fixture(scope="module")
def truth() -> jp.Solution:
    """The beginning of the long run, undisturbed."""
    from jointplay.methods.parse import method_of

    system = jp.load_model(MODEL)
    assert system.run is not None
    return jp.simulate(system, 4.0, method_of(system.run["method"]), np.arange(2001) * 2e-3)


def agrees(solution: jp.Solution, truth: jp.Solution) -> None:
    """Every saved state is complete and right."""
    count = min(len(solution.time), len(truth.time))
    for name in ("slider.position", "B.force", "energy.kinetic"):
        assert np.all(np.isfinite(solution[name]))
        assert np.array_equal(solution[name][:count], truth[name][:count])
    assert solution["energy.total"] == pytest.approx(solution["energy.total"][0], abs=1e-5)


@pytest.mark.slow
def test_kill(tmp_path: Path, truth: jp.Solution) -> None:
    process = start(tmp_path, *LONG, "-o", "run.nc")
    part = tmp_path / "run.nc.part"
    wait_for_states(part, process)
    process.kill()
    process.wait(timeout=30)
    assert not (tmp_path / "run.nc").exists()
    solution = jp.load(part)
    assert len(solution.time) >= 2000
    assert solution.outcome.code.name == "INTERRUPTED"
    agrees(solution, truth)
    # the State that was kept beside it goes on
    assert solution.state is not None
    end = float(solution.time[-1])
    rest = jp.simulate(jp.load_model(MODEL), end + 0.1, jp.Explicit(), 0.05, start=solution.state)
    assert rest.outcome.ok
    with pytest.raises(jp.InputError, match=r"run\.nc\.part"):
        jp.load(tmp_path / "run.nc")


@pytest.mark.slow
def test_kill_at_any_time(tmp_path: Path, truth: jp.Solution) -> None:
    """Kill soon after the first states, a few times: the file always opens."""
    for k, pause in enumerate((0.0, 0.03, 0.11)):
        process = start(tmp_path, *LONG, "-o", f"run{k}.nc")
        part = tmp_path / f"run{k}.nc.part"
        wait_for_states(part, process, least=1)
        time.sleep(pause)
        process.kill()
        process.wait(timeout=30)
        solution = jp.load(part)
        assert len(solution.time) >= 1
        agrees(solution, truth)


@pytest.mark.slow
def test_interrupt(tmp_path: Path, truth: jp.Solution) -> None:
    process = start(tmp_path, *LONG, "-o", "run.nc")
    wait_for_states(tmp_path / "run.nc.part", process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "interrupted at t" in out
    assert "Traceback" not in err
    assert [file.name for file in tmp_path.iterdir()] == ["run.nc"]
    solution = jp.load(tmp_path / "run.nc")
    assert solution.outcome.code.name == "INTERRUPTED"
    agrees(solution, truth)


@pytest.mark.slow
@pytest.mark.parametrize("limit", [20_000, 3_000_000])
def test_full_disk(tmp_path: Path, limit: int, truth: jp.Solution) -> None:
    """No room for the file at all, or no room for all of it: a sentence and an exit code, and no traceback."""
    process = start(tmp_path, *LONG, "-o", "run.nc", limit=limit)
    _, err = process.communicate(timeout=300)
    assert process.returncode in (2, 3), err
    assert "File too large" in err
    assert "Traceback" not in err
    assert not (tmp_path / "run.nc").exists()


def test_disk_that_fills_while_running(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, truth: jp.Solution) -> None:
    """Writing fails after some chunks: the outcome says why, and what was written before is kept and right."""
    from jointplay.results import file as module

    write = module.FileSink.write
    calls = 0

    def refuse(self: module.FileSink, *words: object) -> None:
        nonlocal calls
        calls += 1
        if calls > 3:
            raise OSError(28, "No space left on device")
        write(self, *words)  # type: ignore[arg-type]

    monkeypatch.setattr(module.FileSink, "write", refuse)
    system = jp.load_model(MODEL)
    from jointplay.methods.parse import method_of

    assert system.run is not None
    method = method_of(system.run["method"])
    solution = jp.simulate(system, 400.0, method, 2e-3, output=tmp_path / "run.nc")
    assert solution.outcome.code.name == "OUTPUT_FAILED"
    assert "No space left on device" in solution.outcome.message
    assert len(solution.time) > 10
    agrees(solution, truth)


FILLING = """
import resource, signal, sys
import jointplay as jp

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

def limit(time, end, wall):  # after the file was made and some states were written
    if time > 2.0:
        resource.setrlimit(resource.RLIMIT_FSIZE, (2_500_000, 2_500_000))

solution = jp.simulate(jp.load_model(sys.argv[1]), 400.0, jp.Explicit(), 2e-3, progress=limit, output="run.nc")
print(solution.outcome.code.name, len(solution.time), solution.path)
"""


@pytest.mark.slow
def test_system_that_refuses_while_running(tmp_path: Path) -> None:
    """The same with a real refusal of the system, in the midst of a run."""
    command = [sys.executable, "-c", FILLING, str(MODEL)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    code, count, path = done.stdout.split()
    assert code == "OUTPUT_FAILED"
    solution = jp.load(tmp_path / path)
    assert "File too large" in solution.outcome.message
    assert len(solution.time) == int(count) > 10
    assert solution["energy.total"] == pytest.approx(solution["energy.total"][0], abs=1e-5)


def test_two_runs_into_one_file(tmp_path: Path) -> None:
    """The second is refused, the first is not disturbed."""
    system = jp.load_model(MODEL)
    said: list[str] = []

    def second(time: float, end: float, wall: float) -> None:
        command = [sys.executable, "-m", "jointplay", "run", str(MODEL), "-o", "run.nc"]
        if not said:
            done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
            said.append(f"{done.returncode} {done.stderr}")

    solution = jp.simulate(system, 1.0, save=0.01, progress=second, output=tmp_path / "run.nc")
    assert said[0].startswith("2 ")
    assert "another run is writing it" in said[0]
    assert solution.outcome.ok
    assert len(jp.load(tmp_path / "run.nc").time) == 101


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_folder_that_cannot_be_written(tmp_path: Path) -> None:
    folder = tmp_path / "locked"
    folder.mkdir(mode=0o500)
    process = start(tmp_path, "-o", "locked/run.nc")
    _, err = process.communicate(timeout=120)
    assert process.returncode == 2
    assert "Permission denied" in err
    assert "Traceback" not in err


def test_output_that_is_no_place_for_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "folder.nc").mkdir()
    for place in ("file/run.nc", "nowhere/run.nc", "folder.nc"):
        process = start(tmp_path, "--until", "0.01", "-o", place)
        _, err = process.communicate(timeout=120)
        assert process.returncode in (2, 3), err
        assert place in err
        assert "Traceback" not in err
