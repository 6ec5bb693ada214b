"""``python -m jointplay.warmup [--keep] [LEVEL ...]``: make all libraries, for some levels of processors.

With --keep all kernels are lowered, and their LLVM code is written to lowered/ at the root of the checkout.
"""

from __future__ import annotations

import sys
from pathlib import Path

from ..native.library import SHIPPED
from ..progress import Lines
from . import WarmupError, warm


def main(given: list[str]) -> int:
    """Exit code."""
    levels = [one for one in given if one != "--keep"]
    try:
        made = warm(Lines().compiling, for_levels=levels, folder=Path(SHIPPED), keep="--keep" in given)
    except WarmupError as error:
        print(error, file=sys.stderr)
        return 1
    print("\n".join(map(str, made)), file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
