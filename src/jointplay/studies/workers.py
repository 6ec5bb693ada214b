"""Workers: who runs the samples of a study. Threads here, processes, or workers of a Dask cluster.

All of them are handed stretches of sample numbers and give back blocks, in any order; points are made where they are
run, from the plan. Threads share one engine. Processes and Dask workers make their own from an ``Order`` that is sent
once; numbers that were found while looking for a filling are sent along, so that all use the same.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike
from typing import Any, Protocol

import numpy as np

from ..errors import InputError, Problem
from ..model.system import System
from .block import Block
from .crew import Crew, default_threads
from .engine import Engine, engine_of
from .plans import Plan, whole
from .vary import Vary

FIRST = 16  # samples of the first stretch
SPAN = (2.0, 10.0)  # s of work in a stretch that is sent away: shorter ones cost, longer ones are lost when killed
HERE = 1.0  # s of work in a stretch of threads
MOST = 100_000  # samples in a stretch
AHEAD = 4  # stretches under way for each worker


@dataclass(frozen=True)
class Stretch:
    """Samples first .. last of a study, with their results."""

    first: int
    last: int
    points: np.ndarray
    block: Block


class Workers(Protocol):
    """Runs stretches."""

    def run(self, todo: list[tuple[int, int]]) -> Iterator[Stretch]:
        """All samples of the stretches, cut as suits; results as they come."""

    def close(self) -> None:
        """Let go of everything."""

    def __str__(self) -> str:
        """Who it is."""


@dataclass
class Order:
    """What another process needs to run samples."""

    model: Any
    vary: Vary
    of: Any
    limits: tuple[Any, ...]
    until: Any
    method: Any
    save: Any
    plan: Plan
    filling: Any
    gradients: bool
    key: str = ""

    def packed(self) -> bytes:
        """As bytes; InputError where a function cannot be sent."""
        model = self.model
        if isinstance(model, str | PathLike):
            from ..model.files import load_model

            model = load_model(model)
        whole = isinstance(model, System)
        sent = {**self.__dict__, "model": ("tree", (model.to_tree(), model.allowed)) if whole else ("as is", model)}
        try:
            return _dumps(sent)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            message = f"this study cannot be sent to other processes: {error}; use threads, or functions of a module"
            raise InputError(Problem("workers", message)) from None

    @staticmethod
    def unpacked(data: bytes) -> Order:
        """Back from bytes."""
        sent = pickle.loads(data)
        kind, model = sent.pop("model")
        return Order(System.from_tree(*model) if kind == "tree" else model, **sent)

    def engine(self) -> Engine:
        """The engine that it describes."""
        options = {"until": self.until, "method": self.method, "save": self.save}
        return engine_of(
            self.model, self.vary, self.of, self.limits, filling=self.filling, gradients=self.gradients, **options
        )


def _dumps(data: Any) -> bytes:
    try:
        import cloudpickle  # comes with Dask; takes functions of a notebook too
    except ImportError:
        return pickle.dumps(data)
    return bytes(cloudpickle.dumps(data))


class Pace:
    """How many samples make a stretch of about the right length."""

    def __init__(self, span: float, workers: int = 1) -> None:
        self.span, self.size, self.workers = span, FIRST, workers

    def heed(self, count: int, seconds: float) -> None:
        """Learn from a stretch."""
        aim = count * self.span / max(seconds, 1e-6)
        self.size = int(np.clip(aim, max(1, self.size // 4), min(4 * self.size, MOST)))


class Threads:
    """Threads of this process."""

    def __init__(self, engine: Engine, plan: Plan, count: int | None) -> None:
        self.engine, self.plan = engine, plan
        self.crew = Crew(engine, count)
        self.pace = Pace(HERE)

    def run(self, todo: list[tuple[int, int]]) -> Iterator[Stretch]:
        """One stretch after the other, each by all threads."""
        for first, last in todo:
            while first < last:
                end = min(first + max(self.pace.size, self.crew.threads), last)
                points = self.plan.points(self.engine.vary, first, end)
                block = self.crew.run(points)
                self.pace.heed(end - first, block.seconds)
                yield Stretch(first, end, points, block)
                first = end

    def close(self) -> None:
        """Let the threads go."""
        self.crew.close()

    def __str__(self) -> str:
        return f"{self.crew.threads} thread{'s' if self.crew.threads > 1 else ''}"


_crews: dict[str, tuple[Crew, Plan]] = {}  # of this process, by the key of their study


def work(data: bytes | None, key: str, first: int, last: int) -> tuple[int, int, np.ndarray, Block]:
    """Run samples in a process that was sent an order, one thread; the engine is made once."""
    if key not in _crews:
        assert data is not None
        order = Order.unpacked(data)
        _crews.clear()
        _crews[key] = Crew(order.engine(), 1), order.plan
    crew, plan = _crews[key]
    points = plan.points(crew.engine.vary, first, last)
    return first, last, points, crew.run(points)


class Processes:
    """Processes of this machine."""

    def __init__(self, order: Order, count: int) -> None:
        import multiprocessing
        from concurrent.futures import ProcessPoolExecutor

        self.order, self.count = order, count
        self.data = order.packed()
        self.pace = Pace(SPAN[0])
        self.pool = ProcessPoolExecutor(count, mp_context=multiprocessing.get_context("spawn"))
        self.known = False

    def run(self, todo: list[tuple[int, int]]) -> Iterator[Stretch]:
        """Stretches side by side, a bounded number under way."""
        from concurrent.futures import FIRST_COMPLETED, Future, wait
        from concurrent.futures.process import BrokenProcessPool

        under_way: set[Future[Any]] = set()
        pieces = _pieces(todo, self.pace)
        try:
            while True:
                while len(under_way) < AHEAD * self.count and (piece := next(pieces, None)) is not None:
                    under_way.add(self.pool.submit(work, self.data, self.order.key, *piece))
                if not under_way:
                    return
                done, under_way = wait(under_way, return_when=FIRST_COMPLETED)
                for one in done:
                    first, last, points, block = one.result()
                    self.pace.heed(last - first, block.seconds)
                    yield Stretch(first, last, points, block)
        except BrokenProcessPool:
            message = (
                "a worker process ended without a word; what was computed is kept. If this is a script, its calls "
                'belong under  if __name__ == "__main__":'
            )
            raise InputError(Problem("workers", message)) from None
        finally:
            for one in under_way:
                one.cancel()

    def close(self) -> None:
        """End the processes."""
        self.pool.shutdown(cancel_futures=True)

    def __str__(self) -> str:
        return f"{self.count} processes"


def _pieces(todo: list[tuple[int, int]], pace: Pace) -> Iterator[tuple[int, int]]:
    """Stretches cut to the size that suits at the time."""
    for first, last in todo:
        while first < last:
            end = min(first + pace.size, last)
            yield first, end
            first = end


def workers_of(given: Any, engine: Engine, order: Order) -> Workers:
    """Threads (None, a number), processes ("4 processes") or a Dask client; raises InputError."""
    if given is None:
        return Threads(engine, order.plan, None)
    if isinstance(given, int | np.integer) and not isinstance(given, bool):
        return Threads(engine, order.plan, whole("workers", given, what=" of threads"))
    if isinstance(given, str):
        number, _, word = given.strip().partition(" ")
        if word.strip() in ("processes", "process", "threads", "thread") and number.isdigit() and int(number) > 0:
            if word.strip().startswith("thread"):
                return Threads(engine, order.plan, int(number))
            return Processes(order, int(number))
    elif hasattr(given, "submit") and hasattr(given, "scheduler_info"):
        from .cluster import Cluster

        return Cluster(order, given)
    message = f"needs a number of threads, '4 processes' or a Dask client, not {given!r}"
    raise InputError(Problem("workers", message))


__all__ = ["Order", "Processes", "Stretch", "Threads", "Workers", "default_threads", "workers_of"]
