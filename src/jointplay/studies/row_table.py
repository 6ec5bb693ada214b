"""Rows of a study as a table: one line per sample that is done, with units in the head; no model is needed for it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ..model.names import suggest
from ..results.tables import write_table
from .store import DONE, HIDDEN, Rows, StudyFile


def table_of(
    rows: Rows, culprits: Sequence[str], names: Sequence[str] | None = None
) -> tuple[list[str], list[np.ndarray]]:
    """Heads, each a name with its unit, and columns: the sample, then all columns or some; KeyError for another one."""
    known = {one.name: one for one in rows.columns if one.name not in HIDDEN}
    wrong = [name for name in names or () if name not in known]
    if wrong:
        raise KeyError("\n".join(f"no column named '{name}'{suggest(name, known)}" for name in wrong))
    done = np.flatnonzero(np.asarray(rows.column("status")) == DONE)
    heads, columns = ["sample"], [done]
    for name in known if names is None else names:
        heads.append(f"{name} [{known[name].unit}]" if known[name].unit else name)
        values = np.asarray(rows.column(name))[done]
        columns.append(np.array([*culprits, ""], dtype=object)[values] if name == "culprit" else values)
    return heads, columns


def export_file(path: Path, target: Path, names: Sequence[str] | None = None) -> Path:
    """The table of a study file as .csv, .xlsx or .parquet."""
    file = StudyFile(path, write=False)
    try:
        return write_table(target, *table_of(file, file.facts["culprits"], names))
    finally:
        file.close()
