"""``python -m jointplay.warmup [LEVEL ...]``: make both libraries for some levels of processors, into the package."""

from __future__ import annotations

import sys
from pathlib import Path

from ..native.library import SHIPPED
from ..progress import Lines
from . import WarmupError, warm


def main(levels: list[str]) -> int:
    """Exit code."""
    try:
        made = warm(Lines().compiling, for_levels=levels, folder=Path(SHIPPED))
    except WarmupError as error:
        print(error, file=sys.stderr)
        return 1
    print("\n".join(map(str, made)), file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
