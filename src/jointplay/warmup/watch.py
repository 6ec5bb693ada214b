"""Kernels that this process compiles, told one by one as Numba reports them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from .names import Name, compiled_names, kernel_names
from .needed import needed_for

Progress = Callable[[int, int, str], None]  # kernels done, kernels in all, name of the last one


@contextmanager
def watching(progress: Progress, method: str = "") -> Iterator[None]:
    """Call ``progress`` when compiling begins and after each half of a kernel; what comes from the disk is not told.

    Counted are the kernels of a run with ``method``, or of the whole engine; more from the moment on when one of them
    is needed.
    """
    from numba.core import event

    engine, every = kernel_names(derivatives=False), kernel_names()
    names, kept = engine, compiled_names()
    done = set(kept & engine)

    def name_of(event: Any) -> Name:
        function = event.data["dispatcher"].py_func
        return function.__module__.removeprefix("jointplay."), function.__name__

    class Listener(event.Listener):
        told = False

        def on_start(self, event: Any) -> None:
            nonlocal names, done
            name = name_of(event)
            if method and not self.told and names is engine:
                names = needed_for(method)
                done &= names
            wider = next((one for one in (names, engine, every) if name in one), names)
            if wider is not names and len(wider) > len(names):
                names = wider
                done |= kept & names
                self.told = False
            if not self.told:  # say at once that it compiles, not after the first kernel
                self.told = True
                progress(len(done), len(names), "")

        def on_end(self, event: Any) -> None:
            name = name_of(event)
            if name in names:
                done.add(name)
                progress(len(done), len(names), name[1])

    with event.install_listener("numba:compile", Listener()):
        yield
