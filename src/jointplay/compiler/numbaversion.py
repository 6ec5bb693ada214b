"""Which versions of Numba can compile the kernels: lowering.py uses parts of it that others do not promise.

Importing this module raises ImportError with a sentence where another one is installed. Where there is none, what
needs none (lowered.py, arithmetic.py) still works.
"""

from __future__ import annotations

import re
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version

LEAST, BEYOND = (0, 62), (0, 69)  # 0.62.1 and 0.68.1 were tried; LLVM of 0.61 knows no opaque pointers


def objection(found: str) -> str:
    """Why a version will not do; nothing if it will."""
    numbers = tuple(int(one) for one in re.findall(r"\d+", found)[:2])
    if LEAST <= numbers < BEYOND:
        return ""
    wanted = f"numba>={'.'.join(map(str, LEAST))},<{'.'.join(map(str, BEYOND))}"
    return f"this version of jointplay compiles with {wanted}, but {found} is installed: pip install '{wanted}'"


with suppress(PackageNotFoundError):
    if message := objection(version("numba")):
        raise ImportError(message)
