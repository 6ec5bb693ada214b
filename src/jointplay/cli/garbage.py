"""Fewer searches for garbage while a command runs.

Python looks through all objects in search of cycles that nobody holds, each time that so many have been made, and again
when it ends. A command makes half a million objects that it keeps: modules, and what compilers know of types. Looking
through them took a quarter of ``jointplay check``.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

OBJECTS = 100_000  # made since the last search that are worth one; long runs make few, so memory stays bounded


@contextmanager
def rare_searches() -> Iterator[None]:
    """Search rarely inside, and at the end of the program leave what is there to the system, which takes it all."""
    usual = gc.get_threshold()
    gc.set_threshold(OBJECTS, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)
        gc.freeze()
