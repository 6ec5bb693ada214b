"""How wheels are built: setuptools, after the kernels have been compiled into the libraries that the wheel carries.

What compiles them is asked for only where a wheel is built. An editable install has none: there kernels are compiled
by ``jointplay warmup``, or by the first run that needs them (pip install -e '.[build]').
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from setuptools import build_meta
from setuptools.build_meta import (  # noqa: F401  the rest of the interface
    build_editable,
    build_sdist,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

ROOT = Path(__file__).resolve().parent.parent
COMPILER = ["numba>=0.61,<0.69", "numpy>=1.26", "scipy>=1.11", "ruamel.yaml>=0.18"]
FROM_SOURCES = "JOINTPLAY_FROM_SOURCES"  # set: kernels are lowered, whatever LLVM code lies in lowered/
LEVELS = {"x86_64": ["x86-64", "x86-64-v3"], "AMD64": ["x86-64", "x86-64-v3"]}  # by machine; others: their own


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    """What compiles the kernels, and a linker where the machine has none."""
    import shutil

    linker = [] if any(map(shutil.which, ("cc", "gcc", "clang"))) else ["ziglang"]
    return [*build_meta.get_requires_for_build_wheel(config_settings), *_compiler(), *linker]


def _compiler() -> list[str]:
    """What makes machine code: llvmlite alone where LLVM code of the present sources is at hand (lowered/)."""
    sys.path.insert(0, str(ROOT / "src"))
    from jointplay.native.sources import LIBRARIES, are_unchanged

    try:
        facts = [json.loads((ROOT / "lowered" / f"{name}.json").read_text(encoding="utf-8")) for name in LIBRARIES]
    except (OSError, ValueError):
        return COMPILER
    if os.environ.get(FROM_SOURCES) or not all(are_unchanged(one["library"], one["sources"]) for one in facts):
        return COMPILER
    return [f"llvmlite>={max(one['by']['llvmlite'] for one in facts)}", "numpy>=1.26"]


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    """Compile, then pack."""
    import platform

    levels = LEVELS.get(platform.machine(), [])
    command = [sys.executable, "-m", "jointplay.warmup", *levels]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(command, cwd=ROOT, env=environment)
    if done.returncode != 0:
        raise SystemExit("the kernels could not be compiled; see above")
    return build_meta.build_wheel(wheel_directory, config_settings, metadata_directory)
