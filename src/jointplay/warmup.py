"""Kernels are compiled on first use and kept on disk (numerics/jit.py); here that is done on purpose, and watched.

One small mechanism goes through every method: kernels take their model as data, so that what is compiled for it serves
every other model too. Numba tells when a kernel is done; the sources tell how many there are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .numerics.jit import KERNEL_FOLDERS, PACKAGE, cache_folder, drop_stale_caches

Progress = Callable[[int, int, str], None]  # kernels done, kernels in all, name of the last one

KERNEL = re.compile(r"^@jit\n(?:@.*\n)*def (\w+)", re.MULTILINE)
TOUCHING = PACKAGE / "gallery" / "triple_pendulum_stops.yaml"  # compliant contact
MODEL = PACKAGE / "gallery" / "driven_four_bar_3d.yaml"  # redundant, driven: reaches the compiler's kernels as well


def kernel_names() -> frozenset[tuple[str, str]]:
    """(module, function) of every kernel that is kept on disk."""
    files: list[Path] = []
    for folder in KERNEL_FOLDERS:
        files += (PACKAGE / folder).glob("*.py")
    return frozenset((file.stem, name) for file in files for name in KERNEL.findall(file.read_text(encoding="utf-8")))


def compiled_names(folder: Path | None = None) -> frozenset[tuple[str, str]]:
    """(module, function) of the package's kernels that are on disk (kernels of others may lie beside them)."""
    found = set()
    entries = (folder or cache_folder()).glob("*/*.nbi")
    for entry in entries:
        kind, (module, _, rest) = entry.parent.name.rpartition("_")[0], entry.name.partition(".")
        if kind in KERNEL_FOLDERS and (PACKAGE / kind / f"{module}.py").exists():
            found.add((module, rest.rpartition("-")[0].rpartition(".")[2]))
    return frozenset(found)


def is_warm() -> bool:
    """True if the run kernel of every method is on disk for the present sources."""
    from .methods.registry import REGISTRY

    done = compiled_names()
    return all((method.__module__.rpartition(".")[2], "run") in done for method in REGISTRY)


@contextmanager
def watching(progress: Progress) -> Iterator[None]:
    """Call ``progress`` when compiling begins and after each kernel; kernels that come from the disk are not told."""
    from numba.core import event

    names = kernel_names()
    done = set(compiled_names() & names)

    class Listener(event.Listener):
        told = False

        def on_start(self, event: Any) -> None:
            if not self.told:  # say at once that it compiles, not after the first kernel
                self.told = True
                progress(len(done), len(names), "")

        def on_end(self, event: Any) -> None:
            function = event.data["dispatcher"].py_func
            name = (function.__module__.rpartition(".")[2], function.__name__)
            if name in names and name not in done:
                done.add(name)
                progress(len(done), len(names), function.__name__)

    with event.install_listener("numba:compile", Listener()):
        yield


def warm(progress: Progress | None = None) -> int:
    """Compile every kernel that a run may need; returns how many there are on disk afterwards."""
    from .methods.registry import REGISTRY
    from .model.files import load_model
    from .simulation import simulate

    drop_stale_caches()
    tell = progress or (lambda done, total, name: None)
    system = load_model(MODEL)
    with watching(tell):
        for method in REGISTRY:
            simulate(system, 2e-3, method(), 1e-3)
        simulate(load_model(TOUCHING), 1e-4)  # what the choice of a method asks of laws
    total = len(kernel_names())  # a few may never be needed
    tell(total, total, "all")
    return len(compiled_names())
