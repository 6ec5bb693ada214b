"""A process that does one task for another one, which says so through ``pool.py``."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
import traceback


def main(name: str) -> None:
    """Do the task called ``name``; on failure the last line on stderr is a sentence."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all; the one who started us ends us
    threading.Thread(target=_end_with_parent, daemon=True).start()
    logging.disable()  # remarks on the model of the warm-up are nobody's business
    from .tasks import tasks_for

    try:
        tasks_for(derivatives=True)[name]()
    except Exception as error:
        traceback.print_exc()
        print(f"{type(error).__name__}: {' '.join(str(error).split())}", file=sys.stderr)
        sys.exit(1)


def _end_with_parent() -> None:
    """Nobody writes to our stdin: it ends when the other process does."""
    while os.read(0, 1):  # not sys.stdin, whose lock an exit would wait for
        pass
    os._exit(1)
