"""A process that lowers kernels and links libraries for another one, which sends orders through ``pool.py``.

Each line on stdin is an order, each line on stdout an answer, both JSON:

    {"task": NAME}                                             -> {"entries": [...]}
    {"link": NAME, "level": ..., "place": ..., "entries": ...} -> {"made": PLACE}
    {"link": NAME, "level": ..., "place": ...}                 -> {"made": PLACE}, of LLVM code kept with the sources
    while it works                                             -> {"kernel": NAME}, {"doing": WORDS}
    if it fails                                                -> {"failure": SENTENCE}
"""

from __future__ import annotations

import gc
import json
import logging
import os
import queue
import signal
import threading
import traceback
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

known: set[str] = set()  # keys of pieces whose kernels were reported


def main() -> None:
    """Answer until no more orders come."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all; the one who started us ends us
    gc.set_threshold(200_000, 20, 100)  # Numba makes much that lives as long as we do: a fifth of the time
    logging.disable()  # remarks on the models of the tasks are nobody's business
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # nothing else may write there

    def answer(**facts: Any) -> None:
        print(json.dumps(facts), file=answers, flush=True)

    from ..native.kernel import listeners

    listeners.append(lambda kernel, is_done: answer(kernel=kernel.name) if is_done else None)
    orders: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(orders,), daemon=True).start()
    while True:
        order = json.loads(orders.get())
        try:
            answer(**(lower(order["task"], answer) if "task" in order else link(order, answer)))
        except Exception as error:
            if os.environ.get("JOINTPLAY_DEBUG"):
                traceback.print_exc()
            answer(failure=f"{type(error).__name__}: {' '.join(str(error).split())}")


def _listen(orders: queue.SimpleQueue[str]) -> None:
    """Take orders; stdin ends when the other process does, and then nobody needs us, whatever we are at."""
    with os.fdopen(os.dup(0)) as stream:
        for line in stream:
            orders.put(line)
    os._exit(1)


def lower(name: str, answer: Callable[..., None]) -> dict[str, Any]:
    """Have all pieces that a task needs; those that were kept from before are reported too."""
    from ..compiler.entries import entry_point
    from ..compiler.module import callers_first
    from ..compiler.store import store
    from .record import calls_in
    from .tasks import Lowered, tasks_for

    task = tasks_for(derivatives=True)[name]
    if isinstance(task, Lowered):
        task()
        return {"entries": []}
    entries = [entry_point(*call) for call in calls_in(task).values()]
    for key in callers_first(store(), [entry.piece for entry in entries]):
        if key not in known:
            known.add(key)
            answer(kernel=store().kernel(key))
    return {"entries": [asdict(entry) for entry in entries]}


def link(order: dict[str, Any], answer: Callable[..., None]) -> dict[str, Any]:
    """Make a library: of the pieces below its entries, or of LLVM code that is kept with the sources."""
    name, level, place = order["link"], order["level"], Path(order["place"])

    def report(doing: str) -> None:
        answer(doing=doing)

    if "entries" not in order:
        from ..compiler.lowered import make_from_lowered

        return {"made": str(make_from_lowered(name, level, place, report))}
    from ..compiler import lowered
    from ..compiler.entries import EntryPoint
    from ..compiler.shared import make_library
    from ..compiler.store import store
    from ..native.sources import hashes

    def keep(whole: Any, facts: Any) -> None:
        report("keeping LLVM code")
        lowered.keep(name, whole, facts, sources)

    entries, sources = [EntryPoint(**one) for one in order["entries"]], hashes(name)
    kept = keep if order.get("keep") else None
    return {"made": str(make_library(store(), entries, level, place, name, sources, report, kept))}
