"""Kernels are compiled on first use and kept on disk (numerics/jit.py); here that is done on purpose, and watched.

names.py    which kernels there are, and which are on disk
needed.py   which of them a run of one method needs
tasks.py    short runs that call for all of them
pool.py     tasks in processes of their own (worker.py), which share the work (numerics/claims.py)
watch.py    what this process compiles, told as it happens
"""

from __future__ import annotations

from ..errors import InputError, Problem
from ..numerics.claims import claims_in
from ..numerics.jit import SETTINGS, cache_folder, drop_stale_caches
from .names import compiled_names, is_warm, kernel_names
from .needed import needed_for
from .watch import Progress, watching

__all__ = ["Progress", "WarmupError", "compiled_names", "is_warm", "kernel_names", "warm", "watching"]


class WarmupError(RuntimeError):
    """Kernels that did not compile: one line for each task that failed."""


def warm(progress: Progress | None = None, derivatives: bool = True, jobs: int | None = None, method: str = "") -> int:
    """Compile every kernel that a run may need; returns how many of them are on disk afterwards.

    Args:
        progress: called about once a second with kernels done, kernels in all, and the name of the last one if known.
        derivatives: also what direct, adjoint and complex-step sensitivities need.
        jobs: processes at a time; one per core, as far as memory allows, unless given. 1: no other process is started.
        method: key of a method; then only what its runs need.
    """
    from ..methods.registry import METHODS
    from ..model.names import suggest
    from .pool import perform, usual_jobs
    from .tasks import tasks_for

    if SETTINGS.DISABLE_JIT:
        raise InputError(Problem("NUMBA_DISABLE_JIT", "is set, so that nothing is ever compiled; unset it"))
    if jobs is not None and jobs < 1:
        raise InputError(Problem("jobs", f"at least one process is needed, got {jobs}"))
    if method and method not in METHODS:
        raise InputError(Problem("method", f"there is no method '{method}'{suggest(method, METHODS)}"))
    drop_stale_caches()
    names = needed_for(method) if method else kernel_names(derivatives)
    claims = claims_in(cache_folder())

    def tell(done: int = 0, total: int = 0, name: str = "") -> None:
        if progress is not None:
            progress(len(compiled_names() & names), len(names), name)

    tasks, failures = tasks_for(derivatives, method), list[str]()
    left, jobs = list(tasks), jobs or usual_jobs()
    complete = is_warm(method) and (bool(method) or not derivatives or names <= compiled_names())
    if jobs > 1 and claims and not complete:  # else other processes would spoil, or only load, what is there
        failures, left = perform(left, jobs, tell)
    with watching(tell):
        for task in left:
            try:
                tasks[task]()
            except Exception as error:
                failures.append(f"{task}: {type(error).__name__}: {' '.join(str(error).split())}")
    if failures:
        raise WarmupError("\n".join(failures))
    done = len(compiled_names() & names)
    if progress is not None:
        progress(done, done, "all")  # without derivatives a kernel or two are for nobody
    return done
