"""Processes that build libraries: all orders are given, failures are told, nobody is left behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import jointplay
from jointplay.compiler.lowered import FROM_SOURCES
from jointplay.compiler.store import Store
from jointplay.native.sources import LIBRARIES
from jointplay.warmup import kernel_names, pool
from jointplay.warmup.tasks import tasks_for, tasks_of

# A worker that only says that it has done what it was told to.
PROGRAM = """
import json, os, sys, time
from pathlib import Path
place = Path(os.environ["PLACE"])
(place / f"{os.getpid()}.worker").touch()
for line in sys.stdin:
    order = json.loads(line)
    name = order.get("task") or f"{order['link']} {order['level']}"
    (place / f"{name}.order").write_text(line)
    print(json.dumps({"kernel": "numerics.ldl.factor"}), flush=True)
    if name == os.environ.get("BAD"):
        ACTION
    if "task" in order:
        entry = {"kernel": name, "signature": "s"}
        common = {"kernel": "common", "signature": "s"}
        print(json.dumps({"entries": [entry, common]}), flush=True)
    else:
        print(json.dumps({"made": order["place"]}), flush=True)
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PLACE", str(tmp_path))
    monkeypatch.setenv(FROM_SOURCES, "1")
    monkeypatch.setattr(pool, "INTERVAL", 0.05)
    return tmp_path


def use(monkeypatch: pytest.MonkeyPatch, action: str = "pass", bad: str = "") -> None:
    monkeypatch.setattr(pool, "PROGRAM", PROGRAM.replace("ACTION", action))
    monkeypatch.setenv("BAD", bad)


def alive(place: Path) -> list[str]:
    return [one.stem for one in place.glob("*.worker") if Path(f"/proc/{one.stem}").exists()]


def test_all_tasks_are_done_and_all_libraries_linked(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch)
    told: list[tuple[int, int]] = []
    levels = ("x86-64", "x86-64-v3")
    failures = pool.build(list(LIBRARIES), levels, place, 2, lambda done, total, name: told.append((done, total)))
    assert failures == []
    tasks = {name: set(own) for name, own in tasks_of().items()}
    orders = {one.stem: json.loads(one.read_text()) for one in place.glob("*.order")}
    assert set(orders) == set().union(*tasks.values()) | {f"{name} {level}" for name in LIBRARIES for level in levels}
    held = {name: {one["kernel"] for one in orders[f"{name} x86-64"]["entries"]} for name in LIBRARIES}
    assert held == tasks | {"engine": tasks["engine"] | {"common"}}  # entries of the engine are in no other library
    assert told[-1][0] == told[-1][1] > 0
    assert alive(place) == []


def test_the_engine_alone(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch)
    assert pool.build(["engine"], ("x86-64",), place, 1, None) == []
    done = {one.stem for one in place.glob("*.order")}
    assert done == set(tasks_for(derivatives=False)) | {"engine x86-64"}


def test_failures_are_told_and_nothing_is_linked(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, "print(json.dumps({'failure': 'OSError: the disk is full'}), flush=True); continue", "verlet")
    assert pool.build(["engine"], ("x86-64",), place, 2, None) == ["verlet: OSError: the disk is full"]
    assert not (place / "engine x86-64.order").exists()
    assert alive(place) == []


@pytest.mark.skipif(os.name == "nt", reason="processes are not ended by signals here")
def test_a_worker_that_was_killed_is_told(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, "os.kill(os.getpid(), 9)", "moreau")
    (failure,) = pool.build(["engine"], ("x86-64",), place, 2, None)
    assert failure.startswith("moreau: ended by signal 9") and "--jobs 1" in failure
    assert alive(place) == []


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks for processes in /proc")
def test_an_interrupt_ends_all_workers(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, "time.sleep(60)", "moreau")

    def tell(done: int, total: int, name: str) -> None:
        if len(list(place.glob("*.worker"))) == 2:
            assert len(alive(place)) == 2
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pool.build(["engine"], ("x86-64",), place, 2, tell)
    assert alive(place) == []


def test_an_unknown_task_is_a_failure() -> None:
    """With the true program of a worker."""
    answers: pool.queue.SimpleQueue[pool.Answer] = pool.queue.SimpleQueue()
    worker = pool.Worker(answers)
    try:
        worker.do({"task": "nonsense"})
        assert answers.get(timeout=60)[1] == {"failure": "KeyError: 'nonsense'"}
    finally:
        worker.stop()


def test_a_worker_ends_with_the_one_who_started_it() -> None:
    """It sees the end of its stdin, whatever it is doing."""
    home = str(Path(jointplay.__file__).parents[1])
    program = (
        f"import sys, threading, time, queue; sys.path.insert(0, {home!r})\n"
        "from jointplay.warmup.worker import _listen\n"
        "threading.Thread(target=_listen, args=(queue.SimpleQueue(),), daemon=True).start()\n"
        "print('here', flush=True); time.sleep(60)"
    )
    process = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdout.readline()
    process.stdin.close()
    began = time.monotonic()
    assert process.wait(timeout=30) == 1
    assert time.monotonic() - began < 30.0


@pytest.mark.parametrize(("cores", "memory", "jobs"), [(1, 8e9, 1), (4, 64e9, 4), (8, 4e9, 2), (2, 1e9, 1)])
def test_as_many_as_cores_and_memory_allow(
    cores: int, memory: float, jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "usable_cores", lambda: cores)
    monkeypatch.setattr(pool, "free_memory", lambda: memory)
    assert pool.usual_jobs() == jobs


def test_memory_is_a_number_of_bytes() -> None:
    assert pool.free_memory() > 1e7


def test_kernels_that_were_kept_count_and_parts_of_the_work_are_named(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where all pieces are there already nothing is lowered; what is left to do is told with a number that moves."""
    waits = "print(json.dumps({'doing': 'optimising'}), flush=True); time.sleep(1.0)"
    use(monkeypatch, waits, "engine x86-64")
    told: list[tuple[int, int, str]] = []
    assert pool.build(["engine"], ("x86-64",), place, 1, lambda *facts: told.append(facts)) == []
    lowering = [words for *_, words in told if words.startswith("lowering for ")]
    linking = [(done, total, words) for done, total, words in told if words.startswith("library engine for x86-64")]
    assert lowering
    assert {words for *_, words in linking} >= {"library engine for x86-64: optimising, 0 s"}
    assert all(done == total == 1 for done, total, _ in linking)  # all kernels that the tasks need, none too many
    assert told[-1] == (1, 1, "")


def test_pieces_know_their_kernels(tmp_path: Path) -> None:
    kept = Store(tmp_path)
    kept.write("a", "numerics.ldl.factor", None, "f", ["b", "c"], b"")
    assert (kept.kernel("a"), kept.calls("a")) == ("numerics.ldl.factor", ["b", "c"])


def test_a_worker_tells_kernels_that_were_kept() -> None:
    """With the true program: a task whose pieces are on disk names all kernels below it."""
    names = [
        {answer["kernel"] for answer in answers_of({"task": "contact problems"}) if "kernel" in answer} for _ in "ab"
    ]
    assert names[1] >= {"numerics.contact.go_on"}  # the second process finds what the first one has made
    assert names[1] <= kernel_names()
    assert len(names[1]) > 10


def answers_of(order: pool.Order) -> list[dict[str, object]]:
    answers: pool.queue.SimpleQueue[pool.Answer] = pool.queue.SimpleQueue()
    worker, found = pool.Worker(answers), list[dict[str, object]]()
    try:
        worker.do(order)
        while "entries" not in (found[-1] if found else {}):
            answer = answers.get(timeout=300)[1]
            assert answer is not None and "failure" not in answer, answer
            found.append(answer)
    finally:
        worker.stop()
    return found
