"""From an object file to a shared library: by the system's C compiler, or by the one in the ziglang wheel."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from ..native.processor import levels

# for ziglang: the oldest library of C that is to be served, where there is a choice
ZIG = {"x86-64": "x86_64-linux-gnu.2.17", "aarch64": "aarch64-linux-gnu.2.17", "macos-arm64": "aarch64-macos"}
STRICT = ["-Wl,-z,defs"]  # what is missing is missed now, not when the library is loaded
VARIABLE = "JOINTPLAY_LINKER"  # "zig" takes it even where the system has a compiler


class LinkError(RuntimeError):
    """No shared library could be made; the message has the reason."""


def _kind(level: str) -> str:
    return "x86-64" if level.startswith("x86-64") else level


def _command(level: str) -> list[str]:
    """A compiler that links for a level of processors: the system's for its own kind, ziglang's for any."""
    system = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if system and _kind(level) == _kind(levels()[0]) and os.environ.get(VARIABLE) != "zig":
        return [system]
    if importlib.util.find_spec("ziglang") is not None:
        return [sys.executable, "-m", "ziglang", "cc", "-target", ZIG[_kind(level)]]
    raise LinkError("no linker: install a C compiler (cc), or the package ziglang, which has one")


def link_library(code: bytes, level: str) -> bytes:
    """The shared library that holds an object file."""
    with tempfile.TemporaryDirectory(prefix="jointplay-link-") as folder:
        source, made = Path(folder) / "kernels.o", Path(folder) / "kernels.so"
        source.write_bytes(code)
        command = [
            *_command(level),
            "-shared",
            "-s",
            *([] if level == "macos-arm64" else STRICT),
            "-o",
            str(made),
            str(source),
        ]
        command += [] if level == "macos-arm64" else ["-lm"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise LinkError(f"{command[0]} could not link the kernels: {done.stderr.strip()[-2000:]}")
        return made.read_bytes()
