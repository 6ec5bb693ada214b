"""A crew of threads that share an engine: kernels release the interpreter's lock, so that they run side by side."""

from __future__ import annotations

import os
import threading
import time as clock
from concurrent.futures import ThreadPoolExecutor
from itertools import count

import numpy as np

from .block import Block
from .engine import Engine
from .lane import Stopped


class Crew:
    """Threads with a lane each."""

    def __init__(self, engine: Engine, threads: int | None = None) -> None:
        self.engine = engine
        self.threads = threads or default_threads()
        self._stop = threading.Event()
        self._lanes = [engine.lane(self._stop.is_set) for _ in range(self.threads)]
        self._culprits = {name: k for k, name in enumerate(engine.culprits)}
        self._pool = ThreadPoolExecutor(self.threads, "jointplay") if self.threads > 1 else None

    def run(self, points: np.ndarray) -> Block:
        """All samples at ``points`` (n, d); KeyboardInterrupt stops within one call of a kernel."""
        wide = len(self.engine.vary) if getattr(self.engine, "gradients", False) else 0
        block = Block.empty(len(points), len(self.engine.columns), wide)
        began, turn = clock.perf_counter(), count()

        def work(lane: int) -> None:
            while (k := next(turn)) < len(points):
                block.put(k, self._lanes[lane].row(points[k]), self._culprits)

        if self._pool is None or len(points) == 1:
            work(0)
        else:
            tasks = [self._pool.submit(work, lane) for lane in range(self.threads)]
            try:
                for task in tasks:
                    task.result()
            except BaseException:
                self._stop.set()
                for task in tasks:
                    if isinstance(task.exception(), Exception) and not isinstance(task.exception(), Stopped):
                        break
                self._stop.clear()
                raise
        block.seconds = clock.perf_counter() - began
        return block

    def close(self) -> None:
        """Let the threads go."""
        if self._pool is not None:
            self._pool.shutdown()


def default_threads() -> int:
    """As many as this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
