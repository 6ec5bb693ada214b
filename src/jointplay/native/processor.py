"""Which machine code this processor can run: one of the levels that compilers agreed on for x86-64, or plain code.

x86-64-v3 (Haswell and Zen, or newer) has fused multiply-add, so that its last digits differ from those of x86-64.
"""

from __future__ import annotations

import os
import platform
from functools import cache
from pathlib import Path

VARIABLE = "JOINTPLAY_CPU"
FLAGS = {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe"}  # of x86-64-v3, as Linux lists them
LIKE = {"AMD64": "x86-64", "x86_64": "x86-64", "arm64": "aarch64"}
MACS = {"arm64": "macos-arm64"}  # macOS has a file format of its own


@cache
def levels() -> tuple[str, ...]:
    """Names of code that this processor runs, best first; JOINTPLAY_CPU names a single one."""
    chosen = os.environ.get(VARIABLE, "")
    if chosen:
        return (chosen,)
    own = MACS if platform.system() == "Darwin" else LIKE
    plain = own.get(platform.machine(), platform.machine())
    if plain != "x86-64":
        return (plain,)
    return ("x86-64-v3", plain) if _flags() >= FLAGS else (plain,)


def _flags() -> set[str]:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return set()
    return next((set(line.partition(":")[2].split()) for line in lines if line.startswith("flags")), set())
