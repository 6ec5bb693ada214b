"""``jointplay warmup``: compile all kernels now, so that no run has to wait."""

from __future__ import annotations

import time

from .say import OK, Json, command, emit, say


@command
def warmup(as_json: Json = False) -> int:
    """Compile the kernels, with progress; a second time nothing is left to do."""
    from ..numerics.jit import cache_folder
    from ..progress import bar
    from ..warmup import warm
    from .interrupt import heeding

    began = time.perf_counter()
    with heeding() as heed, bar(1.0) as tell:
        count = warm(heed(tell.compiling))
    spent = time.perf_counter() - began
    say(f"{count} kernels are ready in {cache_folder()} ({spent:.1f} s)", as_json)
    if as_json:
        emit({"ok": True, "kernels": count, "folder": str(cache_folder()), "seconds": spent})
    return OK
