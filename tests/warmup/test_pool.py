"""Tasks in processes of their own: all are done, failures are told, nobody is left behind."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import jointplay
from jointplay.warmup import pool

PROGRAM = """
import os, sys, time
from pathlib import Path
_, task = sys.argv[1:]
place = Path(os.environ["PLACE"])
(place / f"{task}.began").write_text(f"{os.getpid()}")
"""
GOOD = "time.sleep(0.3); (place / f'{task}.ended').touch()"
LONG = "time.sleep(60)"
BAD = "print('first line', file=sys.stderr); sys.exit(f'ValueError: no {task} today')"
KILLED = "os.kill(os.getpid(), 9)"


def quiet() -> None:
    """Progress that is not told."""


def use(program: str, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLACE", str(place))
    monkeypatch.setattr(pool, "PROGRAM", PROGRAM + program)
    monkeypatch.setattr(pool, "LOOK", 0.02)
    monkeypatch.setattr(pool, "SAY", 0.0)


def alive(place: Path) -> list[int]:
    """Workers that have begun and still are."""
    return [pid for file in place.glob("*.began") if Path(f"/proc/{(pid := int(file.read_text()))}").exists()]


def test_all_tasks_are_done_a_few_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(GOOD, tmp_path, monkeypatch)
    open_at_once = []

    def tell() -> None:
        open_at_once.append(len(list(tmp_path.glob("*.began"))) - len(list(tmp_path.glob("*.ended"))))

    assert pool.perform(list("abcde"), 2, tell) == ([], [])
    assert sorted(file.stem for file in tmp_path.glob("*.ended")) == list("abcde")
    assert max(open_at_once) == 2


def test_failures_are_told_and_the_rest_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(f"if task == 'a':\n    {BAD}\n{GOOD}", tmp_path, monkeypatch)
    failures, left = pool.perform(["a", "b"], 1, quiet)
    assert (failures, left) == (["a: ValueError: no a today"], [])
    assert (tmp_path / "b.ended").exists()


def test_debugging_shows_all_that_was_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(BAD, tmp_path, monkeypatch)
    monkeypatch.setenv("JOINTPLAY_DEBUG", "1")
    assert pool.perform(["a"], 1, quiet)[0] == ["a: first line\nValueError: no a today"]


@pytest.mark.skipif(os.name == "nt", reason="processes are not ended by signals here")
def test_a_worker_that_was_killed_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(KILLED, tmp_path, monkeypatch)
    (failure,) = pool.perform(["a"], 1, quiet)[0]
    assert failure.startswith("a: ended by signal 9")
    assert "--jobs 1" in failure


def test_an_unknown_task_is_a_failure(tmp_path: Path) -> None:
    """With the true program of a worker."""
    assert pool.perform(["nonsense"], 1, quiet)[0] == ["nonsense: KeyError: 'nonsense'"]


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks for processes in /proc")
def test_an_interrupt_ends_all_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(LONG, tmp_path, monkeypatch)

    def tell() -> None:
        if len(list(tmp_path.glob("*.began"))) == 2:
            assert len(alive(tmp_path)) == 2
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pool.perform(["a", "b", "c"], 2, tell)
    assert not (tmp_path / "c.began").exists()
    assert alive(tmp_path) == []


def test_where_no_process_can_be_started_all_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError("not allowed")

    monkeypatch.setattr(pool.subprocess, "Popen", refuse)
    assert pool.perform(["a", "b"], 2, quiet) == ([], ["a", "b"])


def test_a_worker_ends_with_the_one_who_started_it() -> None:
    """It sees the end of its stdin, whatever it is doing."""
    home = str(Path(jointplay.__file__).parents[1])
    program = (
        f"import sys, threading, time; sys.path.insert(0, {home!r})\n"
        "from jointplay.warmup.worker import _end_with_parent\n"
        "threading.Thread(target=_end_with_parent, daemon=True).start(); print('here', flush=True); time.sleep(60)"
    )
    process = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdout.readline()
    process.stdin.close()
    began = time.monotonic()
    assert process.wait(timeout=30) == 1
    assert time.monotonic() - began < 30.0


@pytest.mark.parametrize(("cores", "memory", "jobs"), [(1, 8e9, 2), (4, 64e9, 4), (8, 4e9, 2), (2, 1e9, 1)])
def test_as_many_as_cores_and_memory_allow(
    cores: int, memory: float, jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "usable_cores", lambda: cores)
    monkeypatch.setattr(pool, "free_memory", lambda: memory)
    assert pool.usual_jobs() == jobs


def test_memory_is_a_number_of_bytes() -> None:
    assert pool.free_memory() > 1e7
