"""A shared library of entries, with its manifest."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from llvmlite import binding as llvm

from ..native.library import FORMAT
from ..native.sources import Hashes
from .entries import EntryPoint, entry_code
from .linker import link_library
from .module import Tell, hide, linked, object_code, silent
from .store import Store, put


def make_library(
    store: Store,
    entries: list[EntryPoint],
    level: str,
    place: Path,
    name: str = "",
    sources: Hashes | None = None,
    tell: Tell = silent,
) -> Path:
    """Write ``place`` (.json) and the library beside it (.so); the manifest comes last. ``tell`` hears of each part."""
    unique = list({entry.symbol: entry for entry in entries}.values())
    whole = llvm.parse_assembly("")
    for entry in unique:
        whole.link_in(entry_code(store, entry))
    linked(store, [entry.piece for entry in unique], whole, tell)
    hide(whole, {entry.symbol for entry in unique})
    made = object_code(whole, level, tell)
    tell("linking")
    code = link_library(made, level)
    facts: dict[str, dict[str, Any]] = {}
    for entry in entries:
        facts.setdefault(entry.kernel, {})[entry.signature] = entry.facts()
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
