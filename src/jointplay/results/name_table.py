"""Names of results as a table: what each is, and in which unit. A list of names that prints itself readably."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .solution import Solution

MEANINGS = {  # of names that are made from others
    "energy.potential": "gravity + elastic",
    "energy.total": "kinetic + gravity + elastic",
}
ENOUGH = 3  # names that are suggested


class NameTable(list[str]):
    """A list of names; ``print`` and notebooks show unit and meaning beside each."""

    def __init__(self, rows: Iterable[tuple[str, str, str]], nothing: str) -> None:
        self.rows = list(rows)  # (name, unit, meaning)
        self.nothing = nothing  # message if there are none
        super().__init__(name for name, _, _ in self.rows)

    def __repr__(self) -> str:
        if not self.rows:
            return self.nothing
        wide, unit = (max(len(row[k]) for row in self.rows) for k in (0, 1))
        return "\n".join(
            f"{name:<{wide}}  {'[' + of + ']':<{unit + 2}}  {what}".rstrip() for name, of, what in self.rows
        )

    __str__ = __repr__

    def _repr_html_(self) -> str:
        if not self.rows:
            return f"<p>{escape(self.nothing)}</p>"
        body = "".join(
            f"<tr><td><code>{escape(name)}</code></td><td>{escape(unit)}</td>"
            f'<td style="text-align:left">{escape(what)}</td></tr>'
            for name, unit, what in self.rows
        )
        return f"<table><tr><th>name</th><th>unit</th><th>meaning</th></tr>{body}</table>"


def name_table(solution: Solution, names: Iterable[str], word: str = "") -> NameTable:
    """The table of some names of a solution; ``word`` is what was looked for."""
    rows = [(name, solution.units[name], meaning(solution, name)) for name in names]
    return NameTable(rows, f"no name contains '{word}'{nearest(word, solution.names)}")


def meaning(solution: Solution, name: str) -> str:
    """What a name is, in words, with its components."""
    if name in MEANINGS:
        return MEANINGS[name]
    variable, places = solution.layout.find(name)
    many = "" if not isinstance(places, list) else "1 contact" if len(places) == 1 else f"{len(places)} contacts"
    components = f"{variable.width} components" if variable.width > 1 else ""
    shape = ", ".join(part for part in (many, components) if part)
    return f"{variable.summary} ({shape})" if shape else variable.summary


def nearest(word: str, names: Iterable[str]) -> str:
    """The end of a sentence about a name that does not exist: the nearest ones, whole or by their parts."""
    known = list(names)
    near = get_close_matches(word, known, n=ENOUGH, cutoff=0.5)
    if not near:  # a case of its own: a slip in one half of the name
        parts = {part for name in known for part in name.split(".")}
        near = get_close_matches(word.rpartition(".")[2], sorted(parts), n=ENOUGH, cutoff=0.6)
    return f"; did you mean {', '.join(near)}?" if near else "; sol.names lists all names"
