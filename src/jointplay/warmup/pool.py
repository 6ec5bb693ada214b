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
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..native.library import KernelError, Library
from ..native.sources import LIBRARIES
from .kernel_names import kernel_names
from .tasks import tasks_of

PROGRAM = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from jointplay.warmup.worker import main
main()
"""
MEMORY = 1.5e9  # bytes that a worker may need
INTERVAL = 1.0  # s between two signs of progress

Order = dict[str, Any]
Answer = tuple["Worker", dict[str, Any] | None]


def usable_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def free_memory() -> float:
    """Bytes that this machine, or the container, has left; infinite where it is unknown."""
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
    """What is left to do: tasks of one library after the other; a library is linked when its tasks are done.

    A library whose LLVM code is kept with the sources has no tasks. Entries of the engine are in no other library.
    """

    def __init__(self, names: Sequence[str], levels: Sequence[str], folder: Path, keep: bool = False) -> None:
        self._levels, self._folder, self._keep = levels, folder, keep
        ready = [] if keep else [name for name in names if is_lowered(name)]
        left = [name for name in names if name not in ready]
        self._engine = None if keep else known_entries("engine", folder, levels)
        tasks = tasks_of() if left else {}
        needed = [name for name in tasks if name in left or (name == "engine" and self._engine is None)]
        self._names, self._tasks = left, {name: list(tasks[name]) for name in needed}
        self._waiting: list[Order] = [
            {"link": name, "level": level, "place": self._place(name, level)}
            for name in sorted(ready, key=size_of_lowered, reverse=True)
            for level in levels
        ]
        self._waiting += [{"task": task} for tasks in self._tasks.values() for task in tasks]
        self._open = {name: set(tasks) for name, tasks in self._tasks.items()}
        self._found: dict[str, dict[tuple[str, str], Any]] = {name: {} for name in self._tasks}

    def _place(self, name: str, level: str) -> str:
        return str(self._folder / f"{name}-{level}.json")

    def share(self, done: set[str], kernels: frozenset[str]) -> tuple[int, int]:
        """Kernels done, and in all: those of the sources until all tasks are done, which show how many are needed."""
        return len(done), len(kernels) if any(self._open.values()) else len(done)

    def next(self) -> Order | None:
        """An order to give now."""
        return self._waiting.pop(0) if self._waiting else None

    def take(self, order: Order, entries: list[dict[str, str]]) -> None:
        """A task is done; what waited for it alone can be linked."""
        name = next(name for name in self._tasks if order["task"] in self._tasks[name])
        for entry in entries:
            self._found[name][entry["kernel"], entry["signature"]] = entry
        self._open[name].discard(order["task"])
        if not self._open[name]:
            for one in self._names if name == "engine" else (name,):
                if one in self._names and not self._open[one] and not self._open.get("engine"):
                    self._link(one)

    def _link(self, name: str) -> None:
        known = self._engine if self._engine is not None else set(self._found["engine"])
        entries = [entry for key, entry in self._found[name].items() if name == "engine" or key not in known]
        for number, level in enumerate(self._levels):
            order: Order = {"link": name, "level": level, "place": self._place(name, level), "entries": entries}
            self._waiting.insert(0, order | ({"keep": True} if self._keep and number == 0 else {}))


def is_lowered(name: str) -> bool:
    """True if LLVM code of a library lies with the sources, made from them as they are."""
    return _manifest(name) is not None


def size_of_lowered(name: str) -> int:
    """Bytes of that code: what takes longest comes first."""
    from ..compiler.lowered import FOLDER

    return (FOLDER / f"{name}.bc.xz").stat().st_size


def _manifest(name: str) -> dict[str, Any] | None:
    try:
        from ..compiler.lowered import lowered
    except ImportError:  # without llvmlite nothing can be made at all, and whoever tries reports it
        return None
    return lowered(name)


def known_entries(name: str, folder: Path, levels: Sequence[str]) -> set[tuple[str, str]] | None:
    """Kernel and signature of all entries of a library that is there, or whose LLVM code is; None if neither is."""
    facts = _manifest(name)
    for level in levels:
        with suppress(OSError, ValueError, KernelError):
            made = Library(folder / f"{name}-{level}.json")
            facts = made.facts if facts is None and made.is_current else facts
    if facts is None:
        return None
    return {(kernel, signature) for kernel, entries in facts["entries"].items() for signature in entries}


def build(
    names: Sequence[str],
    levels: Sequence[str],
    folder: Path,
    jobs: int | None,
    progress: Callable[[int, int, str], None] | None,
    keep: bool = False,
) -> list[str]:
    """Make libraries, and with ``keep`` the LLVM code that lies with the sources; returns what failed, a line each."""
    plan, answers = Plan(names, levels, folder, keep), queue.SimpleQueue[Answer]()
    kernels = kernel_names(max(names, key=lambda name: len(LIBRARIES[name])))
    done, failures, reported = set[str](), list[str](), 0.0
    workers = [Worker(answers) for _ in range(jobs or usual_jobs())]
    idle = list(workers)
    try:
        while workers:
            while idle and not failures and (order := plan.next()) is not None:
                idle.pop().do(order)
            if len(idle) == len(workers):
                break
            try:
                worker, answer = answers.get(timeout=INTERVAL)
            except queue.Empty:
                answer, worker = {"kernel": ""}, workers[0]  # nobody has news, but time passes
            if answer is None:
                workers.remove(worker)
                failures.append(f"{name_of(worker.order or {'task': 'start'})}: {worker.ending}")
                continue
            done.add(answer.get("kernel", ""))
            if progress is not None and time.monotonic() > reported + INTERVAL:
                reported = time.monotonic()
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
