"""The libraries of kernels that ship with the package are made here, on purpose and with progress.

tasks.py    short runs that call for every kernel
record.py   which kernels Python calls in them, and with what
pool.py     processes that share the work (worker.py)
kernel_names.py    which kernels there are, by the sources
watch.py    what this process compiles by itself, reported as it happens
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from ..errors import InputError, Problem
from ..native.kernel import PLAIN
from ..native.library import SHIPPED, Library, library, made_here
from ..native.processor import levels
from ..native.sources import LIBRARIES
from .kernel_names import kernel_names
from .watch import watching

__all__ = ["Progress", "WarmupError", "is_warm", "kernel_names", "warm", "watching"]

Progress = Callable[[int, int, str], None]  # kernels lowered, kernels in all, what is going on; nothing at the end


class WarmupError(RuntimeError):
    """Kernels that did not compile: one line for each task that failed."""


def is_warm(name: str = "engine") -> bool:
    """True if there is a library of this name that was made from the present sources."""
    found = library(name)
    return found is not None and found.is_current


def warm(
    progress: Progress | None = None,
    derivatives: bool = True,
    jobs: int | None = None,
    for_levels: Sequence[str] = (),
    folder: Path | None = None,
    keep: bool = False,
) -> list[Path]:
    """Make the libraries of kernels, unless they are there already; returns their manifests.

    Args:
        progress: called about once a second with kernels lowered (now or before), kernels in all, and what is going on.
        derivatives: also what direct, adjoint and complex-step sensitivities need.
        jobs: processes at a time; one per core, as far as memory allows, unless given.
        for_levels: levels of processors to make machine code for; that of this one unless given.
        folder: where the libraries go; beside the package, or if that cannot be written, in the user's cache.
        keep: lower all kernels, and write the LLVM code that is kept with the sources (compiler/lowered.py).
    """
    if PLAIN:
        raise InputError(Problem("NUMBA_DISABLE_JIT", "is set, so that nothing is ever compiled; unset it"))
    if jobs is not None and jobs < 1:
        raise InputError(Problem("jobs", f"at least one process is needed, got {jobs}"))
    folder, wanted = folder or _writable(), tuple(for_levels) or levels()[:1]
    names = [name for name in LIBRARIES if derivatives or name == "engine"]
    done = {name: all(_is_current(folder / f"{name}-{level}.json") for level in wanted) for name in names}
    left = names if keep else [name for name in names if not done[name]]
    if left:
        from .pool import build

        failures = build(left, wanted, folder, jobs, progress, keep)
        library.cache_clear()
        if failures:
            raise WarmupError("\n".join(failures))
    return [folder / f"{name}-{level}.json" for name in names for level in wanted]


def _writable() -> Path:
    try:
        SHIPPED.mkdir(exist_ok=True)
        probe = SHIPPED / ".probe"
        probe.touch()
        probe.unlink()
    except OSError:
        return made_here()
    return SHIPPED


def _is_current(manifest: Path) -> bool:
    try:
        return Library(manifest).is_current and manifest.with_suffix(".so").is_file()
    except (OSError, ValueError, RuntimeError):
        return False
