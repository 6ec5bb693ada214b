"""Tasks in processes of their own, several at a time.

A worker is a fresh interpreter that gets names only, so that nothing is pickled or inherited and scripts need no guard.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from ..numerics.jit import cache_folder

PROGRAM = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from jointplay.warmup.worker import main
main(*sys.argv[2:])
"""
MEMORY = 1.5e9  # bytes that a worker may need
LOOK = 0.2  # s between two looks at the workers
SAY = 1.0  # s between two signs of progress


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
    """Workers at a time: one per core, two at least, as far as memory allows."""
    return max(1, min(max(2, usable_cores()), int(free_memory() // MEMORY)))


@dataclass
class Worker:
    """A process at work on one task."""

    task: str
    process: subprocess.Popen[bytes]
    log: IO[bytes]

    @classmethod
    def start(cls, task: str) -> Worker:
        """OSError where processes cannot be started."""
        log = tempfile.TemporaryFile(dir=cache_folder())
        command = [sys.executable, "-c", PROGRAM, json.dumps(sys.path), task]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=log)
        return cls(task, process, log)

    def ended(self) -> bool:
        """True if the process is over."""
        return self.process.poll() is not None

    def failure(self) -> str:
        """What went wrong, in a sentence, or with all that was said if asked for; nothing if all went well."""
        code = self.process.returncode
        if code == 0:
            return ""
        self.log.seek(0)
        said = self.log.read().decode(errors="replace").strip()
        if not os.environ.get("JOINTPLAY_DEBUG"):
            said = said.rpartition("\n")[2]
        if code < 0:
            said = f"ended by signal {-code}; if memory is short, try with fewer processes (--jobs 1). {said}".strip()
        return f"{self.task}: {said or f'ended with code {code}'}"

    def stop(self) -> None:
        """End it now."""
        self.process.terminate()
        self.process.wait()


def perform(tasks: list[str], jobs: int, tell: Callable[[], None]) -> tuple[list[str], list[str]]:
    """Do tasks, ``jobs`` at a time; returns failures, and tasks for which no process could be started."""
    waiting, working, failures, said = list(tasks), list[Worker](), list[str](), 0.0
    try:
        while waiting or working:
            while waiting and len(working) < jobs:
                try:
                    working.append(Worker.start(waiting[0]))
                except OSError:
                    if not working:
                        return failures, waiting
                    jobs = len(working)
                else:
                    del waiting[0]
            time.sleep(LOOK)
            for worker in [one for one in working if one.ended()]:
                working.remove(worker)
                failures += filter(None, [worker.failure()])
            if time.monotonic() > said + SAY:
                said = time.monotonic()
                tell()
    finally:
        for worker in working:
            worker.stop()
    return failures, []
