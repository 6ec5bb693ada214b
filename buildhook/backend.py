"""How wheels are built: setuptools, after the kernels have been compiled into the libraries that the wheel carries.

What compiles them is asked for only where a wheel is built. An editable install has none: there kernels are compiled
by ``jointplay warmup``, or by the first run that needs them (pip install -e '.[build]').

A wheel is for one kind of machine, this one unless another is named:

    pip wheel . --no-deps --config-settings machine=linux-aarch64

Machine code for other kinds is made by the same compiler and linked by ziglang. It cannot run where it was made.
"""

from __future__ import annotations

import json
import os
import shutil
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
COMPILER = ["numba>=0.62,<0.69", "numpy>=1.26", "scipy>=1.11", "ruamel.yaml>=0.18"]
FROM_SOURCES = "JOINTPLAY_FROM_SOURCES"  # set: kernels are lowered, whatever LLVM code lies in lowered/
X86 = ["x86-64", "x86-64-v3"]
MACHINES = {  # levels of processors (native/processor.py), and the platform that the wheel is named after
    "linux-x86-64": (X86, "manylinux_2_17_x86_64"),
    "linux-aarch64": (["aarch64"], "manylinux_2_17_aarch64"),
    "macos-arm64": (["macos-arm64"], "macosx_11_0_arm64"),
}

# Sees what this process sees: what was installed for this build, and these sources before any that are installed.
WARMUP = """
import json, runpy, sys
sys.path[:] = json.loads(sys.argv.pop(1))
runpy.run_module("jointplay.warmup", run_name="__main__", alter_sys=True)
"""

sys.path.insert(0, str(ROOT / "src"))


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    """What compiles the kernels, and a linker where the machine has none of its own or another kind is asked for."""
    own = _machine(config_settings) is None and any(map(shutil.which, ("cc", "gcc", "clang")))
    linker = [] if own else ["ziglang"]
    return [*build_meta.get_requires_for_build_wheel(config_settings), *_compiler(), *linker]


def _machine(config_settings: Any) -> str | None:
    """The kind of machine that was named."""
    name = (config_settings or {}).get("machine")
    if name is not None and name not in MACHINES:
        raise SystemExit(f"no wheel can be made for machine={name}: there are {', '.join(MACHINES)}")
    return name  # type: ignore[no-any-return]


def _compiler() -> list[str]:
    """What makes machine code: llvmlite alone where LLVM code of the present sources is at hand (lowered/)."""
    from jointplay.native.sources import LIBRARIES, are_unchanged

    try:
        facts = [json.loads((ROOT / "lowered" / f"{name}.json").read_text(encoding="utf-8")) for name in LIBRARIES]
    except (OSError, ValueError):
        return COMPILER
    if os.environ.get(FROM_SOURCES) or not all(are_unchanged(one["library"], one["sources"]) for one in facts):
        return COMPILER
    return [f"llvmlite>={max(one['by']['llvmlite'] for one in facts)}", "numpy>=1.26"]


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    """Compile, then pack the libraries of one kind of machine (setup.py)."""
    from jointplay.native.processor import levels

    machine = _machine(config_settings)
    wanted = MACHINES[machine][0] if machine else X86 if levels()[0] in X86 else list(levels())
    environment = dict(os.environ)
    if machine:
        environment["JOINTPLAY_LINKER"] = "zig"  # for the oldest libraries of C that are in use
        os.environ["JOINTPLAY_WHEEL_PLATFORM"] = MACHINES[machine][1]
    done = subprocess.run([sys.executable, "-c", WARMUP, json.dumps(sys.path), *wanted], cwd=ROOT, env=environment)
    if done.returncode != 0:
        raise SystemExit("the kernels could not be compiled; see above")
    os.environ["JOINTPLAY_WHEEL_LEVELS"] = " ".join(wanted)
    return build_meta.build_wheel(wheel_directory, config_settings, metadata_directory)
