"""Formulas of the theory pages set as formulas, without a network and without scripts (a MkDocs hook).

The pages keep formulas as text that reads well as it is, ``u_E = u_A + h M^-1 f``. Here that text becomes a small
table of HTML: variables in italics, subscripts, powers, and what stands in columns stays in columns.
"""

from __future__ import annotations

import re
from collections import Counter
from html import escape
from typing import Any

BLOCK = re.compile(r"^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
KEPT = re.compile(r"(^```.*?^```$|`[^`]*`|\]\([^)]*\)|<div class=\"formula\">.*?</div>)", re.MULTILINE | re.DOTALL)
GAP = re.compile(r" {3,}")  # between columns
RELATION = re.compile(r"(?<=[^\s]) +(?=(?:=|≤|≥|→|<-) )")
WORD = re.compile(r"[A-Za-zé]{3,}")
SIGNS = (("<=", "≤"), (">=", "≥"), ("<-", "←"), ("sqrt(", "√("), (" - ", " − "), ("(-", "(−"), (" -", " −"))
BEGIN, END, UPRIGHT = "\x01", "\x02", "\x03"  # marks that no page holds
PROSE = 3  # words from which on a cell is a sentence
KNOWN = {"tanh", "exp", "max", "min", "diag", "sign", "atan2", "arccos", "artanh", "preload", "loss", "rate", "onset",
         "bias", "drift", "dir", "sin", "tan", "cos", "limit", "travel", "creep", "level", "error"}  # fmt: skip


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Set the formulas of a theory page."""
    if not page.file.src_uri.startswith("theory/"):
        return markdown
    parts = KEPT.split(BLOCK.sub(lambda found: formula(found[1]), markdown))
    return "".join(part if k % 2 else inline(part) for k, part in enumerate(parts))


def inline(text: str) -> str:
    """Variables with an index or a power inside a sentence: W_M, M^-1."""
    text = re.sub(r"(?<![\w`])([A-Za-zα-ωΛ])((?:_\w{1,4}\b|\^(?:-?\d|T|n)\b)+)", lambda f: typeset(f[0]), text)
    return re.sub(r"(?<=\))\^(-?\d|n)\b", r"<sup>\1</sup>", text)


def formula(text: str) -> str:
    """A block of formulas as a table; what is drawn with characters, such as matrices, stays as it is."""
    lines = [line for line in text.splitlines() if line.strip()]
    if all(line.startswith("[") for line in lines):
        return f"```text\n{text}```"
    shared = _shared_relation(lines)
    rows = [_cells(line, shared) for line in lines]
    columns = sorted({offset for row in rows for offset, _ in row})
    out = []
    for row in rows:
        places = [columns.index(offset) for offset, _ in row] + [len(columns)]
        cells = [f"<td{_span(places[0])}></td>"] if places[0] else []
        for k, (_, cell) in enumerate(row):
            tight = k + 1 < len(row) and row[k + 1][0] == shared
            kind = ' class="left"' if tight else ' class="words"' if is_prose(cell) else ""
            cells.append(f"<td{_span(places[k + 1] - places[k])}{kind}>{typeset(cell)}</td>")
        out.append(f"<tr>{''.join(cells)}</tr>")
    return f'<div class="formula"><table>{"".join(out)}</table></div>'


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


def is_prose(cell: str) -> bool:
    """True for a remark beside a formula."""
    words = [word for word in WORD.findall(re.sub(r"_\w+", "", cell)) if word not in KNOWN]
    return len(words) >= PROSE or (len(words) >= 1 and not re.search(r"[=≤≥·∂Σ∫^_|√]", cell))


def typeset(cell: str) -> str:
    """A cell as HTML."""
    text = re.sub(r"\bmu\b", "μ", cell)
    for given, sign in SIGNS:
        text = text.replace(given, sign)
    text = "−" + text[1:] if text.startswith("-") else text
    text = text if is_prose(cell) else _italics(text)
    text = escape(text, quote=False)
    text = re.sub(r"_\{([^}]*)\}|_(\w+)", lambda found: f"<sub>{found[1] or found[2]}</sub>", text)
    text = re.sub(r"\^\(([^()]*)\)|\^([-−]?[A-Za-z0-9]+)", _power, text)
    text = re.sub(rf"(?<=[\w>{END}])\*(?!\w)", "<sup>*</sup>", text)
    return text.replace(BEGIN, "<i>").replace(END, "</i>").replace(UPRIGHT, "")


def _power(found: re.Match[str]) -> str:
    return f"<sup>{(found[1] or found[2]).replace('-', '−')}</sup>"


def _italics(text: str) -> str:
    """Single letters are variables, but not the d of a derivative nor what stands behind an underscore."""
    text = re.sub(r"\b([a-z])([0-9])\b", r"\1_\2", text)  # g0
    text = re.sub(r"(?<![A-Za-z_^])d(²?)([A-Za-zα-ω])(?![A-Za-z])", rf"{UPRIGHT}d\1{UPRIGHT}\2", text)
    letter = rf"(?<![A-Za-z_^{{])(?<!{UPRIGHT}(?=d))([A-Za-zα-ωΛΦ])(?![A-Za-z])"
    return re.sub(letter, rf"{BEGIN}\1{END}", text)
