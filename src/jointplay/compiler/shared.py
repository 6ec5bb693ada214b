"""A shared library of entries."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from llvmlite import binding as llvm

from ..native.sources import Hashes
from .entries import EntryPoint, entry_code
from .module import Report, linked, silent
from .store import Store
from .written import Facts, write_library


def make_library(
    store: Store,
    entries: list[EntryPoint],
    level: str,
    place: Path,
    name: str = "",
    sources: Hashes | None = None,
    report: Report = silent,
    kept: Callable[[Any, Facts], object] | None = None,
) -> Path:
    """Write ``place`` (.json) and the library (.so). ``report`` is called with each part, ``kept`` with the module."""
    entries = sorted(entries, key=lambda entry: (entry.symbol, entry.signature))  # whoever was first: the same module
    unique = list({entry.symbol: entry for entry in entries}.values())
    whole = llvm.parse_assembly("")
    for entry in unique:
        whole.link_in(entry_code(store, entry))
    linked(store, [entry.piece for entry in unique], whole, report)
    facts: Facts = {}
    for entry in entries:
        facts.setdefault(entry.kernel, {})[entry.signature] = entry.facts()
    symbols = {entry.symbol for entry in unique}
    if kept is not None:
        kept(whole, facts)
    return write_library(whole, symbols, facts, level, place, name, sources, report)
