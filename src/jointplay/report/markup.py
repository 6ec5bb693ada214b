"""The few pieces of HTML that a report is made of; every text is escaped unless it is markup already."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any


class Markup(str):
    """HTML that is not escaped again."""

    __slots__ = ()


def inner(content: Any) -> str:
    """What goes between two tags."""
    return content if isinstance(content, Markup) else escape(str(content))


def tag(name: str, content: Any = "", **attributes: str) -> Markup:
    """An element; ``class_`` and ``for_`` lose their underscore."""
    given = "".join(f' {key.rstrip("_").replace("_", "-")}="{escape(value)}"' for key, value in attributes.items())
    return Markup(f"<{name}{given}>{inner(content)}</{name}>")


def join(pieces: Iterable[Any], between: str = "\n") -> Markup:
    """Pieces one after the other."""
    return Markup(between.join(inner(piece) for piece in pieces))


def section(ident: str, title: str, *pieces: Any) -> Markup:
    """A section that the navigation can lead to; empty pieces are left out."""
    return tag("section", join([tag("h2", title), *(piece for piece in pieces if piece)]), id=ident)


def table(head: Sequence[Any], rows: Sequence[Sequence[Any]], *, words: int = 1, caption: Any = "") -> Markup:
    """A table whose first ``words`` columns are text and whose others are numbers; nothing if it has no rows."""
    if not rows:
        return Markup("")
    kind = ["text"] * words + ["number"] * (len(head) - words)
    top = join((tag("th", cell, class_=kind[k], scope="col") for k, cell in enumerate(head)), "")
    lines = join(tag("tr", join((tag("td", cell, class_=kind[k]) for k, cell in enumerate(row)), "")) for row in rows)
    above = tag("caption", caption) if caption else ""
    return tag("div", tag("table", join([above, tag("thead", tag("tr", top)), tag("tbody", lines)])), class_="scroll")


def pairs(facts: Iterable[tuple[str, Any]]) -> Markup:
    """Names and what stands behind them."""
    return tag("dl", join(join([tag("dt", name), tag("dd", value)], "") for name, value in facts))


def folded(title: str, content: Any) -> Markup:
    """What is shown when it is opened, and always in print."""
    return tag("details", join([tag("summary", title), content]))


def note(text: Any) -> Markup:
    """A remark below a table or figure."""
    return tag("p", text, class_="note")
