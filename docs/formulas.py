"""Formulas of the theory pages set as formulas, without a network (a MkDocs hook).

The pages keep formulas as text that reads well as it is, ``u_E = u_A + h M^-1 f``. Here that text becomes TeX (tex.py),
in a table that keeps columns where they stand, and KaTeX, which is part of the site, sets it (assets/katex).
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from html import escape
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from tex import FUNCTIONS, GREEK, NAMED, tex

BLOCK = re.compile(r"^```(text|math)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
KEPT = re.compile(r"(^```.*?^```$|`[^`]*`|\]\([^)]*\)|<div class=\"formula\">.*?</div>)", re.MULTILINE | re.DOTALL)
GAP = re.compile(r" {3,}")  # between columns
RELATION = re.compile(r"(?<=[^\s]) +(?=(?:=|≤|≥|→|<-) )")
WORD = re.compile(r"[A-Za-zé]{3,}")
UNIT = re.compile(r"(?<=/)(mm|m|rad|s|X)\^(\d+(?:\.\d+)?|[kn])\b")
SCRIPTED = re.compile(  # a variable with an index or a power
    rf"(?<![\w`\\/])[A-Za-z{GREEK}]′?(?:_[A-Za-z0-9]{{1,5}}\b|\^(?:-?\d+(?:/\d+|\.\d+)?|[Tnp]|\([^()]*\))(?!\w))+[⁺⁻²ᵀ]?"
)
PROSE = 3  # words from which on a cell is a sentence
KNOWN = FUNCTIONS | NAMED | {"preload", "loss", "rate", "onset", "bias", "drift", "limit", "travel", "creep", "level",
                             "error"}  # fmt: skip


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Set the formulas of a theory page, and powers of units in tables of the reference."""
    theory = page.file.src_uri.startswith("theory/")
    if theory:
        markdown = BLOCK.sub(block, markdown)
    elif not page.file.src_uri.startswith("reference/"):
        return markdown
    parts = KEPT.split(markdown)
    return "".join(part if k % 2 else inline(part, variables=theory) for k, part in enumerate(parts))


def inline(text: str, *, variables: bool = True) -> str:
    """Inside a sentence: powers of units, N/m^1.5, and variables with an index or a power, W_M, M^-1."""
    text = UNIT.sub(r"\1<sup>\2</sup>", text)
    if variables:
        text = SCRIPTED.sub(lambda found: typeset(found[0]), text)
        text = re.sub(r"(?<=\))\^(-?\d+(?:\.\d+)?|n)\b", lambda f: f"<sup>{f[1].replace('-', '−')}</sup>", text)
    return text


def typeset(text: str, style: str = "") -> str:
    """A formula as an element that the page sets; without scripts it shows the text."""
    return f'<span data-tex="{escape(style + tex(text))}">{escape(text, quote=False)}</span>'


def block(found: re.Match[str]) -> str:
    """A block of formulas: a table of its cells, or TeX itself."""
    if found[1] == "math":
        source = " ".join(found[2].split())
        return f'<div class="formula"><span data-tex="{escape(source)}">{escape(source, quote=False)}</span></div>'
    return formula(found[2])


def formula(text: str) -> str:
    """A block of formulas as a table."""
    lines = [line for line in text.splitlines() if line.strip()]
    shared = _shared_relation(lines)
    rows = [_cells(line, shared) for line in lines]
    columns = sorted({offset for row in rows for offset, _ in row})
    out = []
    for row in rows:
        places = [columns.index(offset) for offset, _ in row] + [len(columns)]
        cells = [f"<td{_span(places[0])}></td>"] if places[0] else []
        for k, (_, text) in enumerate(row):
            tight = k + 1 < len(row) and row[k + 1][0] == shared
            kind = ' class="left"' if tight else ' class="words"' if is_prose(text) else ""
            cells.append(f"<td{_span(places[k + 1] - places[k])}{kind}>{cell(text)}</td>")
        out.append(f"<tr>{''.join(cells)}</tr>")
    return f'<div class="formula"><table>{"".join(out)}</table></div>'


def cell(text: str) -> str:
    """A cell: a formula, a remark, or a formula with a remark behind a comma."""
    if not is_prose(text):
        return typeset(text, r"\displaystyle ")
    first, comma, rest = text.partition(", ")
    if comma and not is_prose(first) and re.search(r"[=Σ·]", first):
        return f"{typeset(first)}, {inline(escape(rest, quote=False))}"
    return inline(escape(re.sub(r"\bmu\b", "μ", text), quote=False))


def _span(columns: int) -> str:
    return f' colspan="{columns}"' if columns > 1 else ""


def _shared_relation(lines: list[str]) -> int:
    """Where the relation signs of several lines stand below each other; -1 if they do not."""
    found = Counter(match.end() for line in lines if (match := RELATION.search(line)))
    place, count = max(found.items(), key=lambda pair: pair[1], default=(-1, 0))
    return place if count > 1 else -1


def _cells(line: str, shared: int) -> list[tuple[int, str]]:
    """Cells of a line with the places where they begin."""
    begin = len(line) - len(line.lstrip())
    cells, start = [], begin
    for match in [*GAP.finditer(line, begin), None]:
        end = match.start() if match else len(line)
        first = RELATION.search(line, start, end)
        if first and first.end() == shared:
            cells += [(start, line[start : first.start()]), (shared, line[shared:end])]
        else:
            cells.append((start, line[start:end]))
        start = match.end() if match else end
    return [(offset, cell.strip()) for offset, cell in cells if cell.strip()]


def is_prose(text: str) -> bool:
    """True for a remark beside a formula."""
    words = [word for word in WORD.findall(re.sub(r"_\w+", "", text)) if word not in KNOWN]
    return len(words) >= PROSE or (len(words) >= 1 and not re.search(r"[=≤≥≠·∂Σ∫^_|√]", text))
