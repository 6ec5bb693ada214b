"""``python -m jointplay.warmup [--keep] [LEVEL ...]``: make all libraries, for some levels of processors.

With --keep all kernels are lowered, and their LLVM code is written to lowered/ at the root of the checkout.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ..compiler.module import TRIPLES
from ..native.library import SHIPPED
from ..progress import Lines
from . import WarmupError, warm


def main(given: list[str]) -> int:
    """Exit code."""
    parser = argparse.ArgumentParser(prog="python -m jointplay.warmup", description="Make all libraries of kernels.")
    parser.add_argument("levels", nargs="*", metavar="LEVEL", help="level of processors, as x86-64; this one's if none")
    parser.add_argument("--keep", action="store_true", help="lower all kernels, and write their LLVM code to lowered/")
    options = parser.parse_args(given)
    if unknown := [level for level in options.levels if level not in TRIPLES]:
        parser.error(f"no level {', '.join(unknown)}; there are {', '.join(TRIPLES)}")
    try:
        made = warm(Lines().compiling, for_levels=options.levels, folder=Path(SHIPPED), keep=options.keep)
    except WarmupError as error:
        print(error, file=sys.stderr)
        return 1
    print("\n".join(map(str, made)), file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
