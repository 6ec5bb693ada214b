"""A report read back: its tables, its headings, and everything that a browser would fetch."""

from __future__ import annotations

from html.parser import HTMLParser


class Page(HTMLParser):
    """Tables by caption (or by the heading above), texts, ids and references."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tables: dict[str, list[list[str]]] = {}
        self.text: list[str] = []
        self.ids: list[str] = []
        self.references: list[str] = []
        self.tags: list[str] = []
        self.frames: list[str] = []
        self._title = self._cell = ""
        self._open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags.append(tag)
        self._open.append(tag)
        self.ids += [str(given["id"])] if "id" in given else []
        self.frames += [str(given["srcdoc"])] if "srcdoc" in given else []
        for key in ("src", "href", "xlink:href", "data", "poster", "action"):
            self.references += [str(given[key])] if given.get(key) else []
        if tag == "table":
            self._rows: list[list[str]] = []
        elif tag == "tr":
            self._rows.append([])
        elif tag in ("td", "th", "caption", "h2"):
            self._cell = ""

    def handle_endtag(self, tag: str) -> None:
        if tag in ("caption", "h2"):
            self._title = self._cell
        elif tag in ("td", "th"):
            self._rows[-1].append(self._cell.strip())
        elif tag == "table":
            self.tables[self._title] = self._rows

    def handle_data(self, data: str) -> None:
        self._cell += data
        if self._open and self._open[-1] not in ("style", "script"):
            self.text.append(data)

    @property
    def words(self) -> str:
        """All text that is shown."""
        return " ".join(" ".join(self.text).split())


def value(cell: str) -> float:
    """The number of a cell."""
    return float(cell.replace("\N{MINUS SIGN}", "-").replace(" × 10", "e").split(" ")[0])
