"""Where the reference data lie: ../shared/refs, next to the repository. Tests that need them are skipped without."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

REFS = Path(__file__).resolve().parents[2] / "shared" / "refs"


def reference(name: str) -> Path:
    """The folder of reference data ``name``; skips the test where it is missing."""
    folder = REFS / name
    if not folder.is_dir():
        pytest.skip(f"reference data not found: ../shared/refs/{name}")
    return folder


def columns(file: Path) -> dict[str, np.ndarray]:
    """The columns of a CSV file by name."""
    with file.open() as stream:
        names = next(csv.reader(stream))
        table = np.loadtxt(stream, delimiter=",", ndmin=2)
    return dict(zip(names, table.T, strict=True))


def vector(table: dict[str, np.ndarray], names: str) -> np.ndarray:
    """Columns ``names`` (separated by blanks) side by side, one line per time."""
    return np.stack([table[name] for name in names.split()], axis=1)
