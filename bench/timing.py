"""One core, warm caches, and runs that take turns.

Machines drift while a benchmark runs (clock, neighbours), by more than the differences that matter. A ratio is
therefore formed from two runs that follow each other, ours then the peer's, and its spread over the repeats is what is
reported.
"""

from __future__ import annotations

import os
import statistics
from collections.abc import Callable
from dataclasses import asdict, dataclass

Run = Callable[[], float]  # does the work, returns the seconds of its stepping loop


@dataclass(frozen=True)
class Spread:
    """Smallest, median and largest of a few repeats."""

    min: float
    median: float
    max: float

    @staticmethod
    def of(values: list[float]) -> Spread:
        """Spread of ``values``."""
        return Spread(min(values), statistics.median(values), max(values))

    def scaled(self, factor: float) -> Spread:
        """The same spread in another unit."""
        return Spread(self.min * factor, self.median * factor, self.max * factor)

    def show(self, digits: int = 3) -> str:
        """``median (min .. max)``."""
        return f"{self.median:.{digits}g} ({self.min:.{digits}g} .. {self.max:.{digits}g})"


@dataclass(frozen=True)
class Heat:
    """A peer's times (s), ours beside them (None where we did not run), and the ratio peer / ours pair by pair."""

    peer: Spread
    ours: Spread | None
    ratio: Spread | None

    def as_dict(self) -> dict[str, object]:
        """Plain values for the JSON file."""
        return asdict(self)


def one_core() -> int | None:
    """Keep this process on the last core it may use; returns its number, or None where the system has no such call."""
    if not hasattr(os, "sched_setaffinity"):
        return None
    core = max(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {core})
    return core


def memory_share() -> int:
    """Bytes that one engine may take: a quarter of the machine's memory, for others work on it too."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 4


def limit_memory() -> None:
    """Turn a runaway allocation into a MemoryError here instead of trouble for every process of the machine."""
    try:
        import resource
    except ImportError:  # not a POSIX system
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    bound = 2 * memory_share()
    if soft == resource.RLIM_INFINITY or soft > bound:
        resource.setrlimit(resource.RLIMIT_AS, (bound, hard))


@dataclass(frozen=True)
class Race:
    """The heat of every peer, and our times over all of them (None if we did not run)."""

    heats: dict[str, Heat]
    ours: Spread | None


def race(ours: Run | None, peers: dict[str, Run], repeats: int) -> Race:
    """Run ours, peer, ours, next peer, ... ``repeats`` times after one unmeasured round; without peers, ours alone."""
    if ours and not peers:
        ours()
        return Race({}, Spread.of([ours() for _ in range(repeats)]))
    own_times: dict[str, list[float]] = {name: [] for name in peers}
    peer_times: dict[str, list[float]] = {name: [] for name in peers}
    for repeat in range(repeats + 1):
        for name, peer in peers.items():
            own = ours() if ours else None
            theirs = peer()
            if repeat == 0:  # caches, page faults, lazy set-up
                continue
            peer_times[name].append(theirs)
            if own is not None:
                own_times[name].append(own)
    pooled = [own for times in own_times.values() for own in times]
    heats = {name: _heat(own_times[name], peer_times[name]) for name in peers}
    return Race(heats, Spread.of(pooled) if pooled else None)


def _heat(own: list[float], theirs: list[float]) -> Heat:
    if not own:
        return Heat(Spread.of(theirs), None, None)
    ratios = [peer / mine for peer, mine in zip(theirs, own, strict=True)]
    return Heat(Spread.of(theirs), Spread.of(own), Spread.of(ratios))
