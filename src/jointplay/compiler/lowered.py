"""LLVM code of whole libraries that is kept with the sources, so that a fresh checkout need not lower them again.

``lowered/NAME.bc.xz`` at the root of a checkout is what the front end makes of the kernels of a library: one module,
not optimised yet, for any processor. ``lowered/NAME.json`` lists what it was made from. It is used only while the
sources are what they were then, and while the installed LLVM can read it; else kernels are lowered as ever. To use it
takes llvmlite alone, no Numba. ``make lowered`` writes it anew (docs/decisions/0048).
"""

from __future__ import annotations

import hashlib
import json
import lzma
import os
import sys
from contextlib import nullcontext
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from llvmlite import binding as llvm

from ..native.kernel import Kernel, listeners
from ..native.library import Entry, Library, library, made_here
from ..native.processor import levels
from ..native.sources import LIBRARIES, PACKAGE, Hashes, are_unchanged
from .kernel_locks import claims_in
from .module import Report, silent
from .store import put
from .written import Facts, write_library

FORMAT = 1
FOLDER = PACKAGE.parent.parent / "lowered"
FROM_SOURCES = "JOINTPLAY_FROM_SOURCES"  # set: kernels are lowered, whatever is kept


def made_by() -> dict[str, str]:
    """What the names and the text of LLVM code depend on."""
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    return {"python": python} | {name: version(name) for name in ("numba", "llvmlite")}


class LoweredError(RuntimeError):
    """LLVM code that is kept with the sources does not match its manifest."""


def lowered(name: str, folder: Path | None = None) -> dict[str, Any] | None:
    """The manifest of LLVM code that was made from the present sources; None if there is none that can be used."""
    if os.environ.get(FROM_SOURCES):
        return None
    try:
        facts: dict[str, Any] = json.loads(((folder or FOLDER) / f"{name}.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    readable = facts.get("format") == FORMAT and facts["llvm"][0] <= llvm.llvm_version_info[0]
    return facts if readable and are_unchanged(name, facts["sources"]) else None


def code_of(name: str, facts: dict[str, Any], folder: Path | None = None) -> Any:
    """The module itself."""
    place = (folder or FOLDER) / f"{name}.bc.xz"
    data = place.read_bytes()
    if hashlib.sha256(data).hexdigest() != facts["sha256"]:
        message = f"{place} is damaged: it does not match {name}.json beside it"
        raise LoweredError(f"{message}; set {FROM_SOURCES}=1 to do without")
    return llvm.parse_bitcode(lzma.decompress(data))


def keep(name: str, whole: Any, entries: Facts, sources: Hashes, folder: Path | None = None) -> Path:
    """Write a module and its manifest, which comes last."""
    folder = folder or FOLDER
    folder.mkdir(exist_ok=True)
    data = lzma.compress(whole.as_bitcode(), preset=9)
    facts = {
        "format": FORMAT,
        "library": name,
        "llvm": list(llvm.llvm_version_info),
        "by": made_by(),
        "sha256": hashlib.sha256(data).hexdigest(),
        "entries": entries,
        "sources": sources,
    }
    put(folder / f"{name}.bc.xz", data)
    put(folder / f"{name}.json", (json.dumps(facts, indent=1) + "\n").encode())
    return folder / f"{name}.json"


def make_from_lowered(name: str, level: str, place: Path, report: Report = silent) -> Path:
    """Write a library, as ``make_library`` does, of the LLVM code that is kept."""
    facts = lowered(name)
    if facts is None:
        raise LoweredError(f"the LLVM code of {name} is not that of the present sources")
    report("reading")
    symbols = {one["symbol"] for entry in facts["entries"].values() for one in entry.values()}
    return write_library(code_of(name, facts), symbols, facts["entries"], level, place, name, facts["sources"], report)


@cache
def _kept(name: str) -> dict[str, Any] | None:
    """``lowered`` for this process, whose kernels are those that it has read."""
    return lowered(name)


def entry_from_lowered(kernel: Kernel, signature: str) -> Entry | None:
    """Machine code of a kernel whose LLVM code is kept: the whole library that it is in is made now, and stays."""
    for name in LIBRARIES:
        facts = _kept(name)
        if facts is None or signature not in facts["entries"].get(kernel.name, {}):
            continue
        place = made_here() / f"{name}-{levels()[0]}.json"
        claims = claims_in(place.parent)
        with claims.on(place.name) if claims else nullcontext():
            if not (place.is_file() and Library(place).is_current):
                for listener in listeners:
                    listener(kernel, False)
                make_from_lowered(name, levels()[0], place)
                for listener in listeners:
                    listener(kernel, True)
        library.cache_clear()
        return Library(place).entry(kernel.name, signature, kernel.content_key)
    return None
