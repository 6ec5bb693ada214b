"""The one way to compile a kernel: ``@jit``.

Numba keys its cache by one file's time stamp, so editing a callee leaves its callers stale. Here the cache folder is
named after a hash of all sources that kernels depend on: any edit starts a fresh folder, nothing stale is ever loaded.
Where the folder sits, and why nobody else may write it, is in cachefolder.py.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numpy as np

from .. import numbaversion  # noqa: F401  raises where another Numba is installed, before its internals are met
from ..cachefolder import kernel_folder
from .pieces import Kernel

PACKAGE = Path(__file__).resolve().parent.parent
SETTINGS: Any = numba.config
OPTIONS = {"nogil": True, "error_model": "numpy", "fastmath": {"contract"}, "_nrt": False, "no_cfunc_wrapper": True}
KERNEL_FOLDERS = ("numerics", "relations", "laws", "assemble", "methods")
UPPER_FOLDERS = ("tangent",)  # kernels that call those of the engine, which know nothing of them


@cache
def source_hash(upper: bool = False) -> str:
    """Hash of all sources that hold kernels (``upper``: the upper ones too) and of the versions that compile them."""
    digest = hashlib.sha256(f"{numba.__version__} {np.__version__} {sys.version_info[:3]}".encode())
    files = [PACKAGE / "arrays.py", PACKAGE / "codes.py"]
    for folder in (*KERNEL_FOLDERS, *(UPPER_FOLDERS if upper else ())):
        files += sorted((PACKAGE / folder).glob("*.py"))
    for file in files:
        digest.update(file.name.encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


@cache
def cache_folder(upper: bool = False) -> Path:
    """Folder of compiled kernels for the present sources (created on first use)."""
    return kernel_folder(source_hash(upper), PACKAGE)


def drop_stale_caches() -> int:
    """Delete cache folders of earlier sources beside the present one; return how many."""
    here, upper = cache_folder(), cache_folder(upper=True)
    stale = [
        f
        for f in here.parent.iterdir()
        if f.is_dir() and f not in (here, upper) and re.fullmatch("[0-9a-f]{16}", f.name)
    ]
    for folder in stale:
        shutil.rmtree(folder, ignore_errors=True)
    return len(stale)


def jit(kernel: Callable[..., Any]) -> Any:
    """Compile ``kernel`` on first call, cached on disk, without the interpreter lock.

    Without Numba's memory runtime too (``_nrt=False``): a kernel that would allocate does not compile, and arrays pass
    from function to function without reference counting, which alone made a step three times faster.
    """
    if SETTINGS.DISABLE_JIT:
        return kernel
    folder = cache_folder(upper=kernel.__module__.split(".")[-2:-1] == ["tangent"])
    return Kernel(kernel, {"nopython": True, **OPTIONS}, str(folder))


def readable(group: Any) -> Any:
    """A NamedTuple of arrays as kernels read it: as it is, or with fields as attributes if nothing is compiled."""
    if not SETTINGS.DISABLE_JIT:
        return group
    return type(group)(*(a.view(np.recarray) if a.dtype.names else a for a in group))


def link(kernel: Callable[..., Any]) -> Any:
    """A function that becomes part of every kernel that calls it.

    For functions made inside functions, which have no name to be found by, and for those that return a view: without
    the memory runtime Numba returns only arrays that it was given.
    """
    if SETTINGS.DISABLE_JIT:
        return kernel
    return numba.njit(inline="always", **OPTIONS)(kernel)  # type: ignore[call-overload]
