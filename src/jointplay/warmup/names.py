"""Which kernels there are, by the sources, and which of them are on disk.

A kernel is named by its module below the package and its function: ("methods.explicit", "run").
"""

from __future__ import annotations

import re
from pathlib import Path

from ..numerics.jit import KERNEL_FOLDERS, PACKAGE, UPPER_FOLDERS, cache_folder

KERNEL = re.compile(r"^@jit\n(?:@.*\n)*def (\w+)", re.MULTILINE)

Name = tuple[str, str]


def kernel_names(derivatives: bool = True) -> frozenset[Name]:
    """Every kernel that is kept on disk; those of derivatives may be left out."""
    return frozenset(
        (f"{folder}.{file.stem}", name)
        for folder in (*KERNEL_FOLDERS, *(UPPER_FOLDERS if derivatives else ()))
        for file in (PACKAGE / folder).glob("*.py")
        for name in KERNEL.findall(file.read_text(encoding="utf-8"))
    )


def compiled_names() -> frozenset[Name]:
    """The package's kernels that are on disk (kernels of others may lie beside them)."""
    return _kept(cache_folder(), KERNEL_FOLDERS) | _kept(cache_folder(upper=True), UPPER_FOLDERS)


def _kept(place: Path, folders: tuple[str, ...]) -> frozenset[Name]:
    """Numba calls an index FOLDER_HASH/MODULE.FUNCTION-LINE.pyXYZ.nbi."""
    found = set()
    for entry in place.glob("*/*.nbi"):
        folder, (module, _, rest) = entry.parent.name.rpartition("_")[0], entry.name.partition(".")
        if folder in folders and (PACKAGE / folder / f"{module}.py").exists():
            found.add((f"{folder}.{module}", rest.rpartition("-")[0].rpartition(".")[2]))
    return frozenset(found)


def is_warm() -> bool:
    """True if the run kernel of every method is on disk for the present sources."""
    from ..methods.registry import REGISTRY

    done = compiled_names()
    return all((method.__module__.removeprefix("jointplay."), "run") in done for method in REGISTRY)
