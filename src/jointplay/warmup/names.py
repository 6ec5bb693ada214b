"""Which kernels there are, by the sources, and which of them are on disk.

A kernel is named by its module below the package and its function: ("methods.explicit", "run").
"""

from __future__ import annotations

import re
from pathlib import Path

from ..numerics.jit import KERNEL_FOLDERS, PACKAGE, UPPER_FOLDERS, cache_folder
from ..numerics.pieces import PREFIX

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


def compiled_names(prefix: str = PREFIX) -> frozenset[Name]:
    """The package's kernels that are on disk as pieces, or with no prefix as programs."""
    return _kept(cache_folder(), KERNEL_FOLDERS, prefix) | _kept(cache_folder(upper=True), UPPER_FOLDERS, prefix)


def _kept(place: Path, folders: tuple[str, ...], prefix: str) -> frozenset[Name]:
    """Numba calls an index FOLDER_HASH/MODULE.FUNCTION-LINE.pyXYZ.nbi."""
    found = set()
    for entry in place.glob(f"*/{prefix}*.nbi"):
        folder = entry.parent.name.rpartition("_")[0]
        module, _, rest = entry.name.removeprefix(prefix).partition(".")
        if folder in folders and (PACKAGE / folder / f"{module}.py").exists():  # kernels of others may lie beside them
            found.add((f"{folder}.{module}", rest.rpartition("-")[0].rpartition(".")[2]))
    return frozenset(found)


def is_warm(method: str = "") -> bool:
    """True if the run kernel of one method, or of every method, is on disk, ready to run."""
    from ..methods.registry import METHODS

    done, asked = compiled_names(prefix=""), [METHODS[method]] if method else METHODS.values()
    return all((one.__module__.removeprefix("jointplay."), "run") in done for one in asked)
