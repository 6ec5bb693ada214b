"""A shared library of entries."""

from __future__ import annotations

from pathlib import Path

from llvmlite import binding as llvm

from ..native.sources import Hashes
from .entries import EntryPoint, entry_code
from .module import Tell, linked, silent
from .store import Store
from .written import Facts, write_library


def make_library(
    store: Store,
    entries: list[EntryPoint],
    level: str,
    place: Path,
    name: str = "",
    sources: Hashes | None = None,
    tell: Tell = silent,
) -> Path:
    """Write ``place`` (.json) and the library beside it (.so). ``tell`` hears of each part."""
    unique = list({entry.symbol: entry for entry in entries}.values())
    whole = llvm.parse_assembly("")
    for entry in unique:
        whole.link_in(entry_code(store, entry))
    linked(store, [entry.piece for entry in unique], whole, tell)
    facts: Facts = {}
    for entry in entries:
        facts.setdefault(entry.kernel, {})[entry.signature] = entry.facts()
    return write_library(whole, {entry.symbol for entry in unique}, facts, level, place, name, sources, tell)
