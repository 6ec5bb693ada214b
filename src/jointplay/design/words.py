"""Numbers and tables as text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def number(value: float) -> str:
    """Six digits; a word where there is no number."""
    if np.isnan(value):
        return "-"
    return "unknown" if np.isinf(value) else f"{value:.6g}"


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of a table, the first column to the left, the others to the right, the last one (remarks) to the left."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    last = len(widths) - 1
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if k in (0, last) else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return lines
