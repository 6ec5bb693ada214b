"""Processes that lower kernels and link libraries, several at a time.

A worker is a fresh interpreter that gets orders as text, so that nothing is pickled or inherited and scripts need no
guard. Each piece is lowered by one of them; the others wait for it or find it on disk (compiler/kernel_locks.py).
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from .names import kernel_names
from .tasks import tasks_for

PROGRAM = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from jointplay.warmup.worker import main
main()
"""
MEMORY = 1.5e9  # bytes that a worker may need
SAY = 1.0  # s between two signs of progress

Order = dict[str, Any]
Answer = tuple["Worker", dict[str, Any] | None]


def usable_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def free_memory() -> float:
    """Bytes that this machine, or the container, has left; infinite where nobody says."""
    left = [float("inf")]
    try:
        lines = dict(line.split(":", 1) for line in Path("/proc/meminfo").read_text().splitlines())
        left.append(1024.0 * float(lines["MemAvailable"].split()[0]))
        group = Path("/sys/fs/cgroup")
        left.append(float((group / "memory.max").read_text()) - float((group / "memory.current").read_text()))
    except (OSError, KeyError, ValueError):  # another system, another kernel, or no limit
        pass
    return min(left)


def usual_jobs() -> int:
    """Workers at a time: one per core, as far as memory allows."""
    return max(1, min(usable_cores(), int(free_memory() // MEMORY)))


class Worker:
    """A process that answers orders; its answers go into a queue, None once it has ended."""

    def __init__(self, answers: queue.SimpleQueue[Answer]) -> None:
        command = [sys.executable, "-c", PROGRAM, json.dumps(sys.path)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.order: Order | None = None
        self._doing, self._since = "", 0.0
        threading.Thread(target=self._listen, args=(answers,), daemon=True).start()

    def _listen(self, answers: queue.SimpleQueue[Answer]) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            answers.put((self, json.loads(line)))
        answers.put((self, None))

    def do(self, order: Order) -> None:
        """Give an order."""
        assert self._process.stdin is not None
        self.order = order
        self.goes_on("")
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()

    def goes_on(self, doing: str) -> None:
        """It has come to another part of its order."""
        self._doing, self._since = doing, time.monotonic()

    @property
    def words(self) -> str:
        """What it is doing, and since when; counts move, so they need no time."""
        assert self.order is not None
        spent = f"{time.monotonic() - self._since:.0f} s"
        if "task" in self.order:
            return f"lowering for {name_of(self.order)}, {spent}"
        doing = self._doing or "reading"
        return f"{name_of(self.order)}: {doing}" + ("" if doing[0].isdigit() else f", {spent}")

    @property
    def ending(self) -> str:
        """How the process ended."""
        code = self._process.wait()
        if code < 0:
            return f"ended by signal {-code}; if memory is short, try with fewer processes (--jobs 1)"
        return f"ended with code {code}"

    def stop(self) -> None:
        """End it now."""
        self._process.terminate()
        self._process.wait()


def name_of(order: Order) -> str:
    """What an order is about."""
    return str(order["task"]) if "task" in order else f"library {order['link']} for {order['level']}"


class Plan:
    """What is left to do: tasks of one library after the other; a library is linked when its tasks are done."""

    def __init__(self, names: Sequence[str], levels: Sequence[str], folder: Path) -> None:
        self._levels, self._folder = levels, folder
        engine, every = tasks_for(derivatives=False), tasks_for(derivatives=True)
        self._tasks = {"engine": list(engine), "derivatives": [task for task in every if task not in engine]}
        self._names = names
        self._waiting: list[Order] = [
            {"task": task} for name in self._tasks for task in self._tasks[name] if self._asks(name)
        ]
        self._open = {name: set(self._tasks[name]) if self._asks(name) else set() for name in self._tasks}
        self._found: dict[str, dict[tuple[str, str], Any]] = {name: {} for name in self._tasks}

    def _asks(self, name: str) -> bool:
        """Entries of the engine are found first: the library of derivatives leaves them out."""
        return name in self._names or name == "engine"

    def share(self, done: set[str], kernels: frozenset[str]) -> tuple[int, int]:
        """Kernels done, and in all: those of the sources until all tasks are done, which tell how many are needed."""
        return len(done), len(kernels) if any(self._open.values()) else len(done)

    def next(self) -> Order | None:
        """An order to give now."""
        return self._waiting.pop(0) if self._waiting else None

    def take(self, order: Order, entries: list[dict[str, str]]) -> None:
        """A task is done."""
        name = next(name for name in self._tasks if order["task"] in self._tasks[name])
        for entry in entries:
            self._found[name][entry["kernel"], entry["signature"]] = entry
        self._open[name].discard(order["task"])
        if name in self._names and not self._open[name]:
            self._link(name)
        if name == "engine" and "derivatives" in self._names and not self._open["derivatives"]:
            self._link("derivatives")

    def _link(self, name: str) -> None:
        if name == "derivatives" and self._open["engine"]:
            return
        known = self._found["engine"] if name != "engine" else {}
        entries = [entry for key, entry in self._found[name].items() if key not in known]
        for level in self._levels:
            place = str(self._folder / f"{name}-{level}.json")
            self._waiting.insert(0, {"link": name, "level": level, "place": place, "entries": entries})


def build(
    names: Sequence[str],
    levels: Sequence[str],
    folder: Path,
    jobs: int | None,
    progress: Callable[[int, int, str], None] | None,
) -> list[str]:
    """Make libraries; returns what failed, a line each."""
    plan, answers = Plan(names, levels, folder), queue.SimpleQueue[Answer]()
    kernels = kernel_names("derivatives" if "derivatives" in names else "engine")
    done, failures, said = set[str](), list[str](), 0.0
    workers = [Worker(answers) for _ in range(jobs or usual_jobs())]
    idle = list(workers)
    try:
        while workers:
            while idle and not failures and (order := plan.next()) is not None:
                idle.pop().do(order)
            if len(idle) == len(workers):
                break
            try:
                worker, answer = answers.get(timeout=SAY)
            except queue.Empty:
                answer, worker = {"kernel": ""}, workers[0]  # nobody has news, but time passes
            if answer is None:
                workers.remove(worker)
                failures.append(f"{name_of(worker.order or {'task': 'start'})}: {worker.ending}")
                continue
            done.add(answer.get("kernel", ""))
            if progress is not None and time.monotonic() > said + SAY:
                said = time.monotonic()
                busy = [one.words for one in workers if one not in idle]
                progress(*plan.share(done & kernels, kernels), "; ".join(busy))
            if "doing" in answer:
                worker.goes_on(answer["doing"])
            if "kernel" in answer or "doing" in answer or worker.order is None:
                continue
            if "failure" in answer:
                failures.append(f"{name_of(worker.order)}: {answer['failure']}")
            if "entries" in answer:
                plan.take(worker.order, answer["entries"])
            idle.append(worker)
    finally:
        for worker in workers:
            worker.stop()
    if progress is not None and not failures:
        progress(*plan.share(done & kernels, kernels), "")
    return failures
