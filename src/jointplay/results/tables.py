"""Tables in files: columns of numbers and words, as comma-separated values, for Excel or as Parquet.

The ending of a name decides which. Every table is written whole or not at all, numbers with all
their digits; Excel itself keeps 16 of them.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError, Problem
from ..extras import needed
from ..writing import writing

DIGITS = "%.17g"  # enough to read back the same bits
MOST_ROWS, MOST_COLUMNS = 1_048_576, 16_384  # of a sheet of Excel, its head among them
EXACT = 2**53  # beyond it a sheet rounds whole numbers
ROWS = 65_536  # written at a time

Columns = Sequence[np.ndarray]


def write_table(path: str | PathLike[str], heads: Sequence[str], columns: Columns) -> Path:
    """Write columns under their heads, in the format that the ending names; InputError for another one."""
    target = Path(path)
    form = WRITERS.get(target.suffix.lower())
    if form is None:
        known = ", ".join(WRITERS)
        raise InputError(
            Problem("output", f"cannot write {path}: the ending is not that of a table; known are {known}")
        )
    with writing(target) as draft:
        form(draft, list(heads), columns)
    return target


def write_csv(path: str | PathLike[str], heads: Sequence[str], columns: Columns) -> Path:
    """The same as comma-separated values, whatever the ending."""
    with writing(path) as draft:
        _comma_separated(draft, list(heads), columns)
    return Path(path)


def _comma_separated(path: Path, heads: list[str], columns: Columns) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        lines = csv.writer(stream, lineterminator="\n")
        lines.writerow(heads)
        for first in range(0, len(columns[0]), ROWS):
            lines.writerows(zip(*(_texts(column[first : first + ROWS]) for column in columns), strict=True))


def _texts(column: np.ndarray) -> list[str]:
    if column.dtype.kind == "f":
        return [DIGITS % x for x in column.tolist()]
    return [str(x) for x in column.tolist()]


def _sheet(path: Path, heads: list[str], columns: Columns) -> None:
    if len(columns[0]) + 1 > MOST_ROWS or len(heads) > MOST_COLUMNS:
        message = (
            f"a sheet of Excel takes {MOST_ROWS - 1} rows and {MOST_COLUMNS} columns, not {len(columns[0])} and "
            f"{len(heads)}; write .parquet or .csv, or fewer names"
        )
        raise InputError(Problem("output", message))
    Workbook = needed("openpyxl", "Excel", "excel", "output").Workbook
    book = Workbook(write_only=True)
    sheet = book.create_sheet("jointplay")
    sheet.freeze_panes = "B2"
    sheet.append(heads)
    for line in zip(*(_cells(column) for column in columns), strict=True):
        sheet.append(line)
    packed = BytesIO()  # on a disk that is full the archive itself would complain once more, when it is forgotten
    book.save(packed)
    path.write_bytes(packed.getbuffer())


def _cells(column: np.ndarray) -> list[Any]:
    """What a sheet takes: neither infinity, nor what is not a number, nor whole numbers of more than 53 bits."""
    if column.dtype.kind != "f":
        return [str(x) if isinstance(x, int) and abs(x) > EXACT else x for x in column.tolist()]
    return [x if np.isfinite(x) else None if np.isnan(x) else str(x) for x in column.tolist()]


def _parquet(path: Path, heads: list[str], columns: Columns) -> None:
    arrow = needed("pyarrow", "Parquet", "parquet", "output")
    parquet = needed("pyarrow.parquet", "Parquet", "parquet", "output")
    arrays = [arrow.array(column.tolist() if column.dtype.kind == "O" else np.ascontiguousarray(column))
              for column in columns]  # fmt: skip
    parquet.write_table(arrow.Table.from_arrays(arrays, names=heads), path)


WRITERS: dict[str, Callable[[Path, list[str], Columns], None]] = {
    ".csv": _comma_separated,
    ".txt": _comma_separated,
    ".xlsx": _sheet,
    ".parquet": _parquet,
}
