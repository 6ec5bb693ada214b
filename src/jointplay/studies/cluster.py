"""Workers of a Dask cluster.

Before the first stretch every worker sends its fingerprint: versions, hash of kernel sources, processor. One
that differs in versions or sources would give other bits and is refused in a sentence. Workers that have no library of
kernels (an editable install) are sent ours; one with another level of processor has its own, or makes it. Stretches
of 2 to 10 s are under way, four for each worker, and let go when they are written. What a lost worker had is run again
by another: results are those of the sample numbers, whoever runs them.
"""

from __future__ import annotations

import platform
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..errors import InputError, Problem
from .workers import AHEAD, SPAN, Order, Pace, Stretch, _pieces, work

RETRIES = 5  # of a stretch whose worker was lost, or whose engine could not be made
PLUGIN = "jointplay-study"


def fingerprint() -> dict[str, str]:
    """What must be the same on all workers, and the processor."""
    import numpy as np

    from .. import __version__
    from ..native.library import engine_key
    from ..native.processor import levels

    return {
        "jointplay": __version__,
        "kernel sources": engine_key(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "processor": levels()[0],
    }


def differences(own: dict[str, str], other: dict[str, str]) -> list[str]:
    """In what a worker differs, but for the processor."""
    return [f"{key} {other.get(key)} there, {value} here" for key, value in own.items()
            if key != "processor" and other.get(key) != value]  # fmt: skip


def packed_kernels() -> dict[str, bytes]:
    """Libraries of kernels of this process, by the names of their files."""
    from ..native.library import library
    from ..native.sources import LIBRARIES

    held = [one for one in map(library, LIBRARIES) if one is not None and one.is_current]
    return {file.name: file.read_bytes() for one in held for file in (one.path, one.manifest)}


def unpack_kernels(files: dict[str, bytes]) -> int:
    """Put libraries where this process looks for them; how many files were new. Manifests come last, as packed."""
    from ..native.library import engine_key, library, made_here

    count = 0
    for name, data in files.items():
        target = made_here() / Path(name).name
        if not target.exists():
            draft = target.with_name(f".{target.name}.new")
            draft.write_bytes(data)
            draft.replace(target)
            count += 1
    library.cache_clear()
    engine_key.cache_clear()
    return count


def has_kernels() -> bool:
    """True if this process has a library that was made from its sources."""
    from ..native.library import library

    held = library("engine")
    return held is not None and held.is_current


def checked_work(data: bytes, own: dict[str, str], key: str, first: int, last: int) -> Any:
    """``work`` on a worker that is like us; else the sentence."""
    found = differences(own, fingerprint())
    return "; ".join(found) if found else work(data, key, first, last)


class Cluster:
    """Workers of a Dask client."""

    def __init__(self, order: Order, client: Any) -> None:
        self.order, self.client = order, client
        self.own = fingerprint()
        self.pace = Pace(sum(SPAN) / 2.0)
        self._meet()
        data = order.packed()
        self.data = client.scatter(data, broadcast=True, hash=False)

    def _meet(self) -> None:
        """Refuse workers that would give other bits; send kernels to those that have none."""
        fingerprints = self.client.run(fingerprint)
        if not fingerprints:
            raise InputError(Problem("workers", "the cluster has no workers yet; start some, or wait for them"))
        problems = [
            Problem("workers", f"{address} cannot take part: {'; '.join(found)}")
            for address, other in fingerprints.items()
            if (found := differences(self.own, other))
        ]
        if problems:
            raise InputError(problems)
        warm = self.client.run(has_kernels)
        alike = [address for address, other in fingerprints.items() if other["processor"] == self.own["processor"]]
        cold = [address for address in alike if not warm[address]]
        if cold and has_kernels():
            self.client.run(unpack_kernels, packed_kernels(), workers=cold)

    def run(self, todo: list[tuple[int, int]]) -> Iterator[Stretch]:
        """Stretches side by side, a bounded number under way."""
        from distributed import as_completed

        pieces = _pieces(todo, self.pace)
        waiting = as_completed()
        count = 0

        def more() -> None:
            nonlocal count
            many = max(1, len(self.client.scheduler_info()["workers"]))
            while count < AHEAD * many and (piece := next(pieces, None)) is not None:
                waiting.add(
                    self.client.submit(
                        checked_work, self.data, self.own, self.order.key, *piece, pure=False, retries=RETRIES
                    )
                )
                count += 1

        more()
        while count:
            future = next(waiting)
            found = future.result()
            future.release()
            count -= 1
            if isinstance(found, str):
                raise InputError(Problem("workers", f"a worker cannot take part: {found}"))
            first, last, points, block = found
            self.pace.heed(last - first, block.seconds)
            yield Stretch(first, last, points, block)
            more()

    def close(self) -> None:
        """Let go of what was sent; the client is the caller's."""
        self.data.release() if hasattr(self.data, "release") else None

    def __str__(self) -> str:
        return f"{len(self.client.scheduler_info()['workers'])} Dask workers"
