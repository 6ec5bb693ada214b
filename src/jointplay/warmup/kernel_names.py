"""Which kernels there are, by the sources, so that progress has a total.

A kernel is named by its module below the package and its function: "methods.explicit.run".
"""

from __future__ import annotations

import re

from ..native.sources import LIBRARIES, PACKAGE

KERNEL = re.compile(r"^@jit\n(?:@.*\n)*def (\w+)", re.MULTILINE)


def kernel_names(library: str = "derivatives") -> frozenset[str]:
    """Every kernel that a library may hold; that of derivatives holds all."""
    return frozenset(
        f"{folder}.{file.stem}.{name}"
        for folder in LIBRARIES[library]
        for file in (PACKAGE / folder).glob("*.py")
        for name in KERNEL.findall(file.read_text(encoding="utf-8"))
    )
