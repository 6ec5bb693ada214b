"""What became of every element of a file, as a table for people and as data for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from ..errors import InputError, Problem


class Status(StrEnum):
    """What became of an element, the better first."""

    USED = "used"  # it is in the result, number by number
    CONVERTED = "converted"  # the same in other words: a limit became a stop
    APPROXIMATED = "approximated"  # something like it, or a part of it
    IGNORED = "ignored"  # left out: not physical, or allowed to be
    REFUSED = "refused"  # physical and not in the result: an error


ORDER = list(Status)


@dataclass(frozen=True)
class Row:
    """One element."""

    line: int
    element: str  # tag
    name: str  # of it, or of what it belongs to
    status: Status
    note: str
    lost: bool = False  # something physical of it is not in the result


@dataclass(frozen=True)
class Account:
    """The rows of a file in its order, and remarks on the whole."""

    file: str
    format: str
    rows: tuple[Row, ...]
    remarks: tuple[str, ...] = ()

    @property
    def counts(self) -> dict[str, int]:
        """How many elements have each status."""
        found = Counter(row.status for row in self.rows)
        return {str(status): found[status] for status in ORDER}

    def of(self, status: str) -> tuple[Row, ...]:
        """The rows with a status."""
        return tuple(row for row in self.rows if row.status == Status(status))

    @property
    def lost(self) -> tuple[Row, ...]:
        """The rows of which something physical was left out, because that was allowed, or is refused."""
        return tuple(row for row in self.rows if row.lost)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        rows = [asdict(row) | {"status": str(row.status)} for row in self.rows]
        return {
            "file": self.file,
            "format": self.format,
            "counts": self.counts,
            "rows": rows,
            "remarks": list(self.remarks),
        }

    def text(self) -> str:
        """A table, one line per element."""
        return "\n".join([*self._head(), *_table(self.rows), *self.remarks])

    def summary(self) -> str:
        """Counts, remarks, and what is lost or approximated."""
        rest = [row for row in self.rows if row.lost or row.status in (Status.APPROXIMATED, Status.REFUSED)]
        return "\n".join([*self._head(), *_table(rest), *self.remarks])

    def _head(self) -> list[str]:
        counts = ", ".join(f"{number} {status}" for status, number in self.counts.items() if number)
        return [f"{self.file} ({self.format}): {len(self.rows)} elements: {counts or 'none'}"]

    def __str__(self) -> str:
        return self.text()


class ImportReport(Account):
    """What became of every element of a file that was read; ``line`` is that of the file."""


class ExportReport(Account):
    """What became of every element of a System that was written; ``line`` is that in the file, 0 if it has none."""


class RobotFileError(InputError):
    """A robot file that cannot be read as it is; ``report`` lists what became of every element."""

    def __init__(self, problems: list[Problem], report: Account) -> None:
        super().__init__(problems)
        self.report = report


def _table(rows: Iterable[Row]) -> list[str]:
    cells = [(str(row.line or "-"), row.status, row.element, row.name, row.note) for row in rows]
    if not cells:
        return []
    cells.insert(0, ("line", "status", "element", "name", "note"))  # type: ignore[arg-type]
    widths = [max(len(cell[k]) for cell in cells) for k in range(4)]
    return [
        "  ".join([line[0].rjust(widths[0]), *(line[k].ljust(widths[k]) for k in (1, 2, 3)), line[4]]).rstrip()
        for line in cells
    ]
