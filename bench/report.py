"""Tables for people on stdout, and everything as JSON in ``bench/out``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

OUT = Path(__file__).parent / "out"


class Report:
    """Prints as it goes and keeps what it printed."""

    def __init__(self, facts: dict[str, Any]) -> None:
        self._content: dict[str, Any] = {"facts": facts, "lines": [], "tables": [], "figures": {}}

    def title(self, text: str) -> None:
        """A heading."""
        print(f"\n{text}\n{'=' * len(text)}", flush=True)

    def line(self, text: str) -> None:
        """One sentence."""
        self._content["lines"].append(text)
        print(text, flush=True)

    def table(
        self, title: str, columns: Sequence[str], rows: Iterable[Sequence[object]], *, hidden: bool = False
    ) -> None:
        """A table with its title; ``hidden`` ones go to the file only."""
        cells = [[str(cell) for cell in row] for row in rows]
        self._content["tables"].append({"title": title, "columns": list(columns), "rows": cells})
        if hidden:
            return
        widths = [max(len(row[k]) for row in [list(columns), *cells]) for k in range(len(columns))]
        print(f"\n{title}")
        for row in [list(columns), ["-" * width for width in widths], *cells]:
            print("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
        print(end="", flush=True)

    def keep(self, group: str, name: str, value: object) -> None:
        """A figure for the file."""
        self._content["figures"].setdefault(group, {})[name] = value

    def write(self, name: str) -> Path:
        """Write ``bench/out/<name>.json``."""
        OUT.mkdir(exist_ok=True)
        path = OUT / f"{name}.json"
        path.write_text(json.dumps(self._content, indent=1) + "\n", encoding="utf-8")
        return path
