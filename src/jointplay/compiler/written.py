"""An LLVM module made a shared library, with its manifest."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from llvmlite import binding as llvm

from ..native.library import FORMAT
from ..native.sources import Hashes
from .linker import link_library
from .module import Report, hide, object_code, silent
from .store import put

Facts = dict[str, dict[str, Any]]  # of entries, by kernel and signature


def write_library(
    whole: Any,
    symbols: set[str],
    facts: Facts,
    level: str,
    place: Path,
    name: str = "",
    sources: Hashes | None = None,
    report: Report = silent,
) -> Path:
    """Write ``place`` (.json) and the library beside it (.so); the manifest comes last. ``report`` gets each part."""
    hide(whole, symbols)
    made = object_code(whole, level, report)
    report("linking")
    code = link_library(made, level)
    manifest = {
        "format": FORMAT,
        "library": name,
        "level": level,
        "sha256": hashlib.sha256(code).hexdigest(),
        "llvm": ".".join(map(str, llvm.llvm_version_info)),
        "entries": facts,
        "sources": sources or {},
    }
    place.parent.mkdir(parents=True, exist_ok=True)
    put(place.with_suffix(".so"), code)
    put(place, json.dumps(manifest, indent=1).encode())
    return place
